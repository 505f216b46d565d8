"""The commits of a repository of the fake: a bare repository on this machine."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

Content = str | bytes | tuple[str, str] | None
"""A file's text; (mode, text) for a link or a submodule; None: there is no such file any more."""

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_HASH = re.compile(r"[0-9a-f]{40}")
Spans = list[tuple[int, int]]
_WHO = "committer A. Author <author@example.org> 1704067200 +0000\n"


_CONFIG = """[core]
\trepositoryformatversion = 0
\tbare = true
[uploadpack]
\tallowAnySHA1InWant = true
"""
"""What a fork has pushed is fetched by its commit's name, as from GitHub."""
_MADE = "refs/pf/made"


class Bare:
    """A bare repository that is written without a checkout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._printed: dict[tuple[str, ...], bytes] = {}
        self._known: set[str] = set()
        for part in ("objects", "refs"):
            (folder / part).mkdir(parents=True)
        (folder / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        (folder / "config").write_text(_CONFIG, encoding="utf-8")

    def git(self, *arguments: str, given: bytes = b"") -> str:
        """What git prints."""
        return self.raw(*arguments, given=given).decode().strip()

    def of(self, commits: tuple[str, ...], *arguments: str) -> bytes:
        """What git prints of some commits; it stays the same if they go by their hashes."""
        if not all(map(_HASH.fullmatch, commits)):
            return self.raw(*arguments)
        if arguments not in self._printed:
            self._printed[arguments] = self.raw(*arguments)
        return self._printed[arguments]

    def raw(self, *arguments: str, given: bytes = b"") -> bytes:
        """The bytes that git prints."""
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, input=given, capture_output=True, check=True).stdout

    def commit(self, files: Mapping[str, Content], parents: tuple[str, ...], message: str) -> str:
        """A commit with these files changed; no branch is moved."""
        said = message.encode()
        lines = [f"reset {_MADE}\n\ncommit {_MADE}\nmark :1\n", _WHO, f"data {len(said)}\n"]
        stream = "".join(lines).encode() + said + b"\n"
        for word, parent in zip(("from", "merge"), parents, strict=False):
            stream += f"{word} {parent}\n".encode()
        for path, content in files.items():
            stream += _change(path, content)
        stream += f"get-mark :1\nreset {_MADE}\nfrom {'0' * 40}\n\n".encode()
        made = self.git("fast-import", "--quiet", "--force", given=stream)
        self._known.add(made)
        return made

    def point(self, ref: str, commit: str) -> None:
        """Let a reference name a commit, as `git update-ref` does."""
        if not (self.has(commit) and ref.startswith("refs/") and _HASH.fullmatch(commit)):
            self.git("update-ref", ref, commit)
            return
        place = self.folder / ref
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{commit}\n", encoding="utf-8")

    def has(self, commit: str) -> bool:
        """Whether a commit is here."""
        if commit in self._known:
            return True
        try:
            is_here = self.git("cat-file", "-t", commit) == "commit"
        except subprocess.CalledProcessError:
            return False
        if is_here and _HASH.fullmatch(commit):
            self._known.add(commit)
        return is_here

    def tip(self, branch: str) -> str:
        """The commit at the tip of a branch; "" if there is no such branch.

        Its own file tells: git is asked, which takes a process, only where there is none.
        """
        place = self.folder / "refs/heads" / branch
        if place.is_file():
            return place.read_text("utf-8").strip()
        if not (self.folder / "packed-refs").exists():
            return ""
        try:
            return self.git("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}")
        except subprocess.CalledProcessError:
            return ""

    def merge_base(self, base: str, head: str) -> str:
        """Where two lines of commits parted."""
        return self.of((base, head), "merge-base", base, head).decode().strip()

    def shown(self, base: str, head: str) -> dict[str, Spans]:
        """The lines of the new files that the diff of a pull request shows."""
        found: dict[str, Spans] = {}
        parted = self.merge_base(base, head)
        for name in self._changed(parted, head):
            hunks = self._hunks(parted, head, name, context=3)
            found[name] = [(start, start + more - 1) for _, _, start, more in hunks if more]
        return found

    def moved(self, path: str, line: int, old: str, new: str) -> int | None:
        """The line where a line of an earlier commit is now; None if it was changed."""
        shift = 0
        for start, gone, _, come in self._hunks(old, new, path, context=0):
            first = start if gone else start + 1  # of an insertion git names the line before
            if line < first:
                break
            if line < first + gone:
                return None
            shift += come - gone
        return line + shift

    def _changed(self, old: str, new: str) -> list[str]:
        listed = self.of((old, new), "diff", "--name-only", "-z", "--diff-filter=d", old, new)
        return [name for name in listed.decode().split("\0") if name]

    def _hunks(self, old: str, new: str, path: str, context: int) -> list[tuple[int, ...]]:
        options = (f"--unified={context}", "--no-ext-diff", "--no-textconv")
        printed = self.of((old, new), "diff", *options, old, new, "--", path)
        text = printed.decode("utf-8", "replace")
        matches = [_HUNK.match(line) for line in text.split("\n")]
        return [
            tuple(1 if item is None else int(item) for item in match.groups())
            for match in matches
            if match
        ]


def _change(path: str, content: Content) -> bytes:
    """The change of a file, as `git fast-import` reads it."""
    name = '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    written = name.encode("utf-8", "surrogateescape")
    if content is None:
        return b"D " + written + b"\n"
    mode, text = content if isinstance(content, tuple) else ("100644", content)
    if mode == "160000":
        return f"M {mode} {text!s} ".encode() + written + b"\n"
    data = text if isinstance(text, bytes) else text.encode()
    return f"M {mode} inline ".encode() + written + f"\ndata {len(data)}\n".encode() + data + b"\n"
