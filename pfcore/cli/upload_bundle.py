r"""The upload for arXiv of papers at a commit: chosen, cleaned, compared with the paper, packed.

Runs arxiv-latex-cleaner, but hides the names of the files from it.

It would drop sources that no other file names, and uses names as regular expressions; so each
source becomes a file named by a number in a folder of ours, where it drops none. It takes every
percent sign except `\%` as the start of a comment, even in verbatim text, but not one after a line
break `\\`; so the former are hidden from it, and comments after the latter are emptied before.
"""

import hashlib
import os
import posixpath
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from pfcore.domain.digest import digest as canonical_digest
from pfcore.domain.errors import IncompleteError, PfError, UsageError
from pfcore.domain.installation import install_command
from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.domain.values import Role, Via
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.latex.lexer.mask import mask
from pfcore.papers.compiled_paper import CompiledPaper
from pfcore.papers.discover import discover_papers
from pfcore.papers.paper import Paper
from pfcore.papers.tex_process import end_with
from pfcore.reporters import gate_report
from pfcore.reporters.gate_report import Stripped
from pfcore.repository.git import SUBMODULE, SYMLINK, GitRepository
from pfcore.repository.scratch_folder import scratch_folder
from pfcore.repository.source_files import LONGEST_LINK, FileEntry, decode, linked_inside
from pfcore.review.bundle_comparison import (
    ComparedUpload,
    OtherPdfError,
    compared,
    compiled_at_home,
)
from pfcore.review.upload import (
    CLEANED,
    OwnReadme,
    Upload,
    archive,
    common_compiler,
    compiler_reason,
    is_readme,
    joined,
    labels_name,
    main_files,
    own_readme,
    readme,
    rewritten,
    upload,
    with_labels,
)

_COMMENTED = (".sty", ".cls", ".def", ".clo")
"""Endings of sources that the cleaner leaves unchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """The archive, and what the gate reports about it."""

    data: bytes
    stripped: Stripped


def bundled(
    states: Sequence[PaperState],
    repository: GitRepository,
    commit: str,
    roots: Sequence[str] = (),
    answered: Collection[str] = (),
) -> Bundle:
    """The upload of papers at a commit, from git's own blobs: nothing is checked out.

    `roots` are the chosen main files, if any were chosen; `answered` are the keys of citations that
    may be undefined.
    """
    papers = [now.paper for now in states]
    first = papers[0]
    meant = [(paper, root) for paper in papers for root in _going(paper, roots)]
    entries = _regular(repository, commit, first)
    chosen = joined([upload(paper, entries, root=root) for paper, root in meant])
    own = _own_readme(chosen, repository, entries, first)
    compiler = own.compiler or common_compiler(papers, chosen.files)
    home = _at_home(repository, entries, first)
    home |= _contents(repository, {path: entries[path] for path in chosen.files}, first)
    labels = _labels(chosen, home, compiler)
    home |= {f"{posixpath.splitext(root)[0]}.aux": data for root, data in labels.items()}
    homes = [compiled_at_home(home, root, compiler) for _, root in meant]
    read = [made.read if made is not None and not made.fault else frozenset() for made in homes]
    pairs = zip(meant, read, strict=True)
    chosen = joined([upload(paper, entries, seen, root=root) for (paper, root), seen in pairs])
    files = _contents(repository, {path: entries[path] for path in chosen.files}, first)
    cleanable = [path for path in files if path.endswith(CLEANED) and path not in chosen.shown]
    sources = {path: files[path] for path in cleanable}
    mains = [chosen.inside(root) for _, root in meant]
    made_labels = {labels_name(chosen, root): data for root, data in labels.items()}

    def packed_alike(clean: Mapping[str, bytes]) -> _Made:
        packed, changes = _in_place(chosen, clean)
        packed = {name: data for name, data in packed.items() if not is_readme(name)}
        return _all_compared(
            zip(homes, mains, strict=True), packed | made_labels, compiler
        ), changes

    clean, whole = _without_comments(states, files, sources)
    (found, changes), clean, whole = _like_at_home(packed_alike, files, clean, whole)
    found = [item.with_keys(answered) for item in found]
    packed = dict(found[-1].files)
    packed["00README.json"], told = readme(mains, compiler, own, packed)
    there = set(map(chosen.inside, chosen.files))
    said = [f"{main} {item.words}" for main, item in zip(mains, found, strict=True)]
    stripped = replace(
        _stripped(chosen, sources, clean, changes),
        whole=tuple(map(chosen.inside, whole)),
        files=tuple(sorted(packed)),
        roots=tuple(mains),
        labels=tuple(made_labels),
        size=sum(map(len, packed.values())),
        heavy=tuple((name, len(data)) for name, data in packed.items() if len(data) > _HEAVY),
        bibliography=next((item.bibliography for item in found if item.bibliography), None),
        bibliographies=tuple(item.bibliography for item in found if item.bibliography),
        about=(*(item.about for item in found if item.about), *_no_index(packed, mains)),
        readme=told,
        uncited=sum(item.uncited for item in found),
        undefined=tuple(dict.fromkeys(key for item in found for key in item.undefined)),
        errors=tuple(dict.fromkeys(error for item in found for error in item.errors)),
        compiled="; ".join(said) if len(said) > 1 else found[0].words,
        uncompiled=next((item.uncompiled for item in found if item.uncompiled), ""),
        advice=next((item.advice for item in found if item.uncompiled), ""),
        made=tuple(
            name for name in (item.bibliography for item in found) if name and name not in there
        ),
        left=_left_out(chosen, packed),
        compiler=compiler,
        reason="set in 00README.json" if own.compiler else compiler_reason(papers, chosen.files),
    )
    return Bundle(data=archive(packed), stripped=stripped)


_PRINTS_INDEX = regex(r"\\printindex(?![A-Za-z])")


def _no_index(packed: Mapping[str, bytes], mains: Sequence[str]) -> Iterator[str]:
    """A sentence if the upload prints an index but lacks the file that contains it."""
    has_one = any(name.endswith(".ind") for name in packed)
    texts = (mask(decode(data).text).text for name, data in packed.items() if name.endswith(".tex"))
    if not has_one and any(map(_PRINTS_INDEX.search, texts)):
        stem = posixpath.splitext(mains[0])[0]
        yield (
            f"{stem}.ind is missing, so arXiv prints no index: run makeindex {stem}, then "
            f"git add -f {stem}.ind, and commit"
        )


def _left_out(chosen: Upload, packed: Mapping[str, bytes]) -> tuple[str, ...]:
    """The files that are left out, with those replaced by another: a .bib by a .bbl."""
    replaced = (path for path in chosen.files if not is_readme(chosen.inside(path)))
    gone = {path for path in replaced if chosen.inside(path) not in packed}
    return tuple(map(chosen.inside, sorted(gone.union(chosen.left))))


def _all_compared(
    homes: Iterable[tuple[CompiledPaper | None, str]], packed: Mapping[str, bytes], compiler: str
) -> list[ComparedUpload]:
    """Each document of an upload compared with the paper, with the files made for earlier ones."""
    found: list[ComparedUpload] = []
    for made, main in homes:
        found.append(compared(made, found[-1].files if found else packed, main, compiler))
    return found


_Made = tuple[list[ComparedUpload], tuple[str, ...]]
"""The compared documents of an upload, and what was rewritten in its sources."""


def _like_at_home(
    made: Callable[[Mapping[str, bytes]], _Made],
    files: Mapping[str, bytes],
    clean: dict[str, bytes],
    whole: tuple[str, ...],
) -> tuple[_Made, dict[str, bytes], tuple[str, ...]]:
    """The result for cleaned files; sources keep their comments if the print would differ."""
    while True:
        try:
            return made(clean), clean, whole
        except OtherPdfError:
            more = _with_code(files, clean)
            if not more:
                raise
            clean = clean | {path: files[path] for path in more}
            whole = tuple(sorted({*whole, *more}))


_OF_CODE = regex(
    r"\\(?:lstnewenvironment|(?:re)?newtcblisting|NewTCBListing|DefineVerbatimEnvironment"
    r"|newminted\[[^\]]{0,99}\])\s*\{(?P<own>[^{}]{1,99})\}"
    r"|\\begin\s*\{(?P<begun>[^{}]{1,99})\}"
)
_KNOWN_CODE = regex(r"listing|[Vv]erbatim|minted|alltt|code\b")


def _with_code(files: Mapping[str, bytes], clean: Mapping[str, bytes]) -> list[str]:
    """The shortened sources with code, in which a percent sign may not begin a comment.

    Only these get their comments back if an upload prints something else: the comments of other
    sources would be published without need.
    """
    cut = [path for path, data in clean.items() if data != files[path]]
    named = {
        path: list(_OF_CODE.finditer(decode(files[path]).text))
        for path in files
        if path.endswith((*CLEANED, *_COMMENTED))
    }
    own = {match["own"] for listed in named.values() for match in listed if match["own"]}
    code = [
        path
        for path in cut
        if any(
            item["begun"] in own or _KNOWN_CODE.search(item["begun"])
            for item in named.get(path, ())
            if item["begun"]
        )
    ]
    return code


def _going(paper: Paper, roots: Sequence[str]) -> list[str]:
    """The chosen main files of a paper; without a choice, those in the folder of its root."""
    listed = main_files(paper)
    if roots:
        return [root for root in listed if root in roots]
    return [root for root in listed if posixpath.dirname(root) == posixpath.dirname(paper.root)]


def size_ahead(papers: Sequence[Paper], repository: GitRepository, commit: str) -> str:
    """A sentence if an upload would be too large for arXiv; "" if not, or if this is unknown."""
    try:
        entries = _regular(repository, commit, papers[0])
    except IncompleteError:  # reported when the bundle is made
        return ""
    sizes = repository.sizes(entries.values())
    if not gate_report.weight_ahead(sum(sizes.get(oid, 0) for oid in entries.values()), ()):
        return ""
    for paper in papers:
        try:
            chosen = joined([upload(paper, entries, root=root) for root in _going(paper, ())])
        except PfError:
            continue
        files = {chosen.inside(path): sizes.get(entries[path], 0) for path in chosen.files}
        heavy = [(name, size) for name, size in files.items() if size > _HEAVY]
        if words := gate_report.weight_ahead(sum(files.values()), heavy):
            return f"{paper.root}: {words}" if len(papers) > 1 else words
    return ""


def _labels(chosen: Upload, home: Mapping[str, bytes], compiler: str) -> dict[str, bytes]:
    """The labels that sources read from other documents by xr, made by LaTeX from these.

    IncompleteError if they cannot be made, because each reference to them would print ??.
    """
    found: dict[str, bytes] = {}
    for root in chosen.cited:
        made = compiled_at_home(home, root, compiler)
        if made is None or made.fault:
            why = made.fault if made else f"{compiler} is not installed"
            raise IncompleteError(
                f"package xr reads the labels of {root}, which could not be made here ({why}); "
                "no bundle written"
            )
        found[root] = made.labels
    return found


def _regular(repository: GitRepository, commit: str, paper: Paper) -> dict[str, str]:
    """The files of a commit that may go into the upload, each with its blob.

    An archive has no links, so a symbolic link within the paper is replaced by its target: a file,
    or the files of a folder.
    """
    entries = [entry for entry in repository.tree(commit) if entry.path in paper.snapshot.paths]
    found = {entry.path: entry.oid for entry in entries if entry.mode not in (SYMLINK, SUBMODULE)}
    links = {entry.path: entry.oid for entry in entries if entry.mode == SYMLINK}
    texts = dict(repository.read_blobs(links.values(), limit=LONGEST_LINK)) if links else {}
    meant: dict[str, str] = {}
    for link, oid in links.items():
        target = linked_inside(link, (texts.get(oid) or b"").decode("utf-8", "replace"))
        if target in found:
            meant[link] = found[target]
            continue
        below = [path for path in found if target and path.startswith(f"{target}/")]
        meant |= {f"{link}{path.removeprefix(target)}": found[path] for path in below}
        if len(meant) > _MOST_LINKED:
            raise IncompleteError(
                f"symbolic links lead to more than {_MOST_LINKED:,} files; no bundle written"
            )
    return meant | found


def _own_readme(
    chosen: Upload, repository: GitRepository, entries: Mapping[str, str], paper: Paper
) -> OwnReadme:
    """The paper's own 00README, which is read before a compiler is chosen."""
    paths = [path for path in chosen.files if is_readme(chosen.inside(path))]
    data = _contents(repository, {path: entries[path] for path in paths}, paper)
    files = {chosen.inside(path): text for path, text in data.items()}
    return own_readme(files, map(chosen.inside, chosen.left), chosen.renamed)


_MOST_LINKED = 2_000
"""The most files to which symbolic links may lead."""
_HEAVY = 10_000_000
"""Bytes above which a file is listed as large."""
_SMALL = 5_000_000
"""Bytes below which a file that is not in the upload is still given to TeX."""


def _at_home(
    repository: GitRepository, entries: Mapping[str, str], paper: Paper
) -> dict[str, bytes]:
    """Other files of the commit that TeX may look for; none if they are too large together."""
    sizes = repository.sizes(entries.values())
    wanted = {path: oid for path, oid in entries.items() if sizes.get(oid, _SMALL) < _SMALL}
    limit = paper.snapshot.limits.total_bytes
    if sum(sizes[oid] for oid in wanted.values()) > limit:
        return {}
    blobs = dict(repository.read_blobs(wanted.values(), limit=limit))
    return {path: data for path, oid in wanted.items() if (data := blobs[oid]) is not None}


def _in_place(
    chosen: Upload, clean: Mapping[str, bytes]
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The files by their names in the upload, which sources now use, and what was rewritten."""
    packed: dict[str, bytes] = {}
    changes: list[str] = []
    for path, data in clean.items():
        if path.endswith((*CLEANED, *_COMMENTED)):
            text, found = rewritten(chosen, path, data.decode("utf-8", "surrogateescape"))
            text, more = with_labels(chosen, text)
            found += more
            data = text.encode("utf-8", "surrogateescape")  # noqa: PLW2901
            changes += [f"{chosen.inside(path)}: {old} is now {new}" for old, new in found]
        packed[chosen.inside(path)] = data
    return packed, tuple(changes)


def _contents(
    repository: GitRepository, wanted: Mapping[str, str], paper: Paper
) -> dict[str, bytes]:
    limits = paper.snapshot.limits
    sizes = repository.sizes(wanted.values())
    total = sum(sizes.get(oid, 0) for oid in wanted.values())
    if total > limits.total_bytes:
        message = f"the upload would be {total:,} bytes; the limit is {limits.total_bytes:,}"
        raise IncompleteError(message)
    found = dict(repository.read_blobs(wanted.values(), limit=limits.total_bytes))
    files = {}
    for path, oid in wanted.items():
        data = found[oid]
        if data is None:
            raise IncompleteError(
                f"git cannot read {path} (object {oid[:8]}; see git fsck); no bundle written"
            )
        files[path] = data
    return files


def _without_comments(
    states: Sequence[PaperState], files: Mapping[str, bytes], sources: Mapping[str, bytes]
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The files without comments, and the sources that keep theirs because a text would change.

    IncompleteError if a text of a paper changes even then.
    """
    clean, whole = dict(files) | cleaned(sources), list[str]()
    while changed := [item for now in states for item in _changed(now, clean)]:
        stripped = {path for path in sources if clean[path] != files[path]}
        firsts = (next(filter(stripped.__contains__, item.paths), None) for item in changed)
        mended = set(filter(None, firsts))
        if not mended:
            listed = ", ".join(item.words for item in changed[:5])
            raise IncompleteError(f"removing comments would change {listed}; no bundle written")
        clean |= {path: files[path] for path in mended}
        whole += sorted(mended)
    return clean, tuple(whole)


class _TextLoss(NamedTuple):
    """A text that changes without comments, and the files that may be the cause."""

    paths: tuple[str, ...]
    words: str


def _changed(now: PaperState, files: Mapping[str, bytes]) -> list[_TextLoss]:
    """The statements and proofs that these files change; if there are none, other texts.

    For a result, the files with the changed passages come first, even if a passage is its proof
    only in one version. Which sentences a reader of a proof would see is our choice, and does not
    count.
    """
    then = _again(now.paper, files)
    before, after = _said(now), _said(then)
    gone = Counter(before.values()) - Counter(after.values())
    changed = []
    for name in (name for name, digest in before.items() if digest in gone):
        module, other = now.document.modules[name], then.document.modules.get(name)
        passages = (*module.passages, *(other.passages if other else ()))
        same = Counter(one.digest for one in passages)
        passages = tuple(sorted(passages, key=lambda one: same[one.digest] > 1))
        at, paths = module.statement.location, dict.fromkeys(one.location.path for one in passages)
        changed.append(_TextLoss(tuple(paths), f"the {module.kind} at {at.path}:{at.line}"))
    return changed or [
        _TextLoss((path,), f"the text of {path}")
        for path in now.paper.readings
        if Counter(now.paper.prose(path)) - Counter(then.paper.prose(path))
    ]


def _again(paper: Paper, files: Mapping[str, bytes]) -> PaperState:
    """The paper as read from the files of an upload."""
    before = paper.snapshot
    entries = dict(before.files)
    for path, data in files.items():
        if path in entries:
            oid = f"upload-{hashlib.sha256(data).hexdigest()}"
            before.cache.add(oid, data)
            entries[path] = FileEntry(path=path, oid=oid, size=len(data))
    now = replace(before, name="upload", files=entries)
    found = discover_papers(now, paper.parse_cache, also=[paper.root]).papers
    again = next((item for item in found if item.name == paper.name), None)
    if again is None:
        raise IncompleteError(
            "after removing comments, the paper was not recognised; no bundle written"
        )
    return build_paper_state(again)


def _said(moment: PaperState) -> dict[str, str]:
    """Digests of each result and definition: statement, proofs, and what these cite."""
    modules = {
        name: item
        for name, item in moment.document.modules.items()
        if item.role.stands_alone and item.role is not Role.CONVENTION
    }
    cited: dict[str, set[str]] = {}
    for edge in moment.document.edges:
        if edge.via is Via.REFERENCE and edge.source in modules and edge.target in modules:
            digest = modules[edge.target].statement.digest
            cited.setdefault(edge.source, set()).add(digest)
    return {
        name: canonical_digest(
            [
                [item.kind, item.title, *(passage.digest for passage in item.passages)],
                sorted(cited.get(name, ())),
            ]
        )
        for name, item in modules.items()
    }


def _stripped(
    chosen: Upload,
    sources: Mapping[str, bytes],
    clean: Mapping[str, bytes],
    changes: tuple[str, ...],
) -> Stripped:
    comments = lines = 0
    for path, data in sources.items():
        comments += _comments(data) - _comments(clean[path])
        lines += max(0, data.count(b"\n") - clean[path].count(b"\n"))
    texts = [data for path, data in clean.items() if path.endswith((*CLEANED, *_COMMENTED))]
    return Stripped(
        comments=comments,
        lines=lines,
        kept=sum(map(_comments, texts)),
        commented=tuple(
            chosen.inside(path)
            for path, data in clean.items()
            if path.endswith((*CLEANED, *_COMMENTED)) and _comments(data)
        ),
        files=tuple(chosen.inside(path) for path in chosen.files),
        left=tuple(chosen.inside(path) for path in chosen.left),
        bibliography=chosen.inside(chosen.bibliography) if chosen.bibliography else None,
        moved=tuple(f"{old} is {new}" for old, new in chosen.renamed.items()),
        rewritten=changes,
    )


def _comments(data: bytes) -> int:
    """The number of comments with text; a bare percent sign at the end of a line is none."""
    found = mask(decode(data).text).comments
    return sum(1 for item in found if item.text.strip().strip("%").strip())


_NAME = "arxiv_latex_cleaner"
_SECONDS = 300
_PERCENT = regex(r"(?<!\\)%")
_PRIVATE = range(0xE000, 0xF8FF)
"""Unicode's private use area, whose characters are rare in texts."""


def require_packages() -> None:
    """UsageError if the cleaner of sources or the reader of pages is not installed."""
    for module, name in ((_NAME, "arxiv-latex-cleaner"), ("pypdf", "pypdf")):
        if find_spec(module) is None:
            raise UsageError(f"--bundle needs {name}: {install_command('arxiv')}")


def cleaned(texts: Mapping[str, bytes], *, seconds: float = _SECONDS) -> dict[str, bytes]:
    """The sources without comments and hidden parts, by path; IncompleteError if that fails."""
    decoded = {path: _decoded(path, data) for path, data in texts.items()}
    letters = set().union(*(text for text, _ in decoded.values()))
    unused = (chr(code) for code in _PRIVATE if chr(code) not in letters)
    sign, behind = next(unused), next(unused)
    hidden = [_hidden(text, sign, behind) for text, _ in decoded.values()]
    try:
        found = _through(hidden, seconds)
    except _ConditionError:
        found = [_alone(path, text, seconds) for path, text in zip(texts, hidden, strict=True)]
    shown = [text.replace(sign, "%").replace(behind, "") for text in found]
    return {
        path: _as_bytes(text) if is_foreign else text.encode()
        for (path, (_, is_foreign)), text in zip(decoded.items(), shown, strict=True)
    }


_BYTES = 0xF700
"""The private characters from here on represent bytes of a source that is not UTF-8."""


def _decoded(path: str, data: bytes) -> tuple[str, bool]:
    """A source as the cleaner can read it, and whether its encoding is other than UTF-8.

    That encoding need not be known: each byte beyond ASCII becomes a character, and later a byte
    again.
    """
    try:
        return data.decode("utf-8"), False
    except UnicodeDecodeError as error:
        if b"\0" in data:
            message = f"LaTeX cannot read {path} (UTF-16?): save it as UTF-8"
            raise IncompleteError(message) from error
        return "".join(chr(byte if byte < 128 else _BYTES + byte) for byte in data), True


def _as_bytes(text: str) -> bytes:
    return bytes(code - _BYTES if code > _BYTES else code for code in map(ord, text))


class _ConditionError(IncompleteError):
    """The cleaner stopped at conditions that do not match."""


_CONDITION = regex(r"\\(?=(?:if[a-zA-Z@]*|else|fi)(?![A-Za-z@]))")
_KEPT_CONDITION = "\uf8ff"
"""Replaces the backslash of a condition, to hide it from the cleaner."""
_HIDES = regex(r"\\iffalse(?![A-Za-z@])")


def _alone(path: str, text: str, seconds: float) -> str:
    """One cleaned source; its conditions are kept if they do not match.

    IncompleteError if one of these hides something that would then be published.
    """
    try:
        return _through([text], seconds)[0]
    except _ConditionError as error:
        shown = _without_hidden(text)
        if shown is None:
            message = f"{path} has an \\iffalse, and its \\if and \\fi do not match: correct them"
            raise IncompleteError(message) from error
    kept = _CONDITION.sub(_KEPT_CONDITION, shown)
    return _through([kept], seconds)[0].replace(_KEPT_CONDITION, "\\")


def _without_hidden(text: str) -> str | None:
    """A source without the text that its `\\iffalse` hides; None if it is unclear which text."""
    masked = mask(text)
    comments = Spans((item.start, item.start + len(item.text)) for item in masked.comments)
    pieces: list[str] = []
    done = 0
    for match in _HIDES.finditer(text):
        start = match.start()
        if start < done or comments.covers(start):
            continue
        if masked.printed[start] == "\\":
            if masked.text[start] == " ":
                continue  # printed as code
            return None
        end = next((n for n in range(start, len(text)) if not masked.printed[n].isspace()), None)
        hidden = text[start:end].rstrip()
        if not hidden.endswith("\\fi"):
            return None
        pieces.append(text[done:start])
        done = start + len(hidden)
    return "".join((*pieces, text[done:]))


_COMMENT_LINES = regex(
    r"^[ \t]*\\begin\{comment\}.*?^[ \t]*\\end\{comment\}[ \t]*(?:\n|\Z)",
    re.MULTILINE | re.DOTALL,
)


def _hidden(text: str, sign: str, behind: str) -> str:
    """A source with `sign` in place of each percent sign that does not begin a comment.

    After a `\\url`, the cleaner would remove the line break together with a comment, so `behind` is
    inserted before it. An environment `comment` is removed with its lines, because the cleaner
    would leave an empty line, which begins a paragraph.
    """
    masked = mask(text)
    letters = list(text)
    for match in _COMMENT_LINES.finditer(text):
        if not masked.printed[match.start() : match.end()].strip():
            letters[match.start() : match.end()] = [""] * len(match[0])
    for match in _PERCENT.finditer(masked.printed):
        letters[match.start()] = sign
    for comment in masked.comments:
        line = text.rfind("\n", 0, comment.start) + 1
        if "\\url" in text[line : comment.start]:
            letters[comment.start] = f"{behind}%"
        if text[comment.start - 1 : comment.start] == "\\":
            end = comment.start + len(comment.text)
            letters[comment.start + 1 : end] = [""] * (end - comment.start - 1)
    return "".join(letters)


def _through(sources: Sequence[str], seconds: float) -> list[str]:
    """The cleaned sources, in the same order."""
    with scratch_folder("cleaned") as top:
        folder = top / "paper"
        folder.mkdir()
        for number, text in enumerate(sources):
            (folder / f"{number}.tex").write_bytes(text.encode())
        _run(folder, seconds)
        made = top / "paper_arXiv"
        try:
            found = [(made / f"{number}.tex").read_bytes() for number in range(len(sources))]
        except OSError as error:
            raise IncompleteError(f"{_NAME} lost a source: {error.strerror}") from error
        return [data.decode() for data in found]


def _run(folder: Path, seconds: float) -> None:
    command = [sys.executable, "-I", "-m", _NAME, str(folder)]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            check=False,
            timeout=seconds,
            env=environment,
            preexec_fn=end_with(os.getpid()),
        )
    except subprocess.TimeoutExpired as error:
        raise IncompleteError(f"{_NAME} did not finish within {seconds:g} seconds") from error
    said = done.stderr.decode("utf-8", "replace")
    if "Not removing any conditional" in said:
        raise _ConditionError(f"{_NAME} found conditions that do not match")
    if done.returncode:
        lines = said.strip().splitlines()
        raise IncompleteError(f"{_NAME} failed: {lines[-1] if lines else done.returncode}")
