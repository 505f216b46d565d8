"""What git lists: the entries of trees and of the index, from its output."""

from dataclasses import dataclass

SYMLINK = 0o120000
SUBMODULE = 0o160000


@dataclass(frozen=True, slots=True, kw_only=True)
class GitEntry:
    """A path of a tree or of the index; of a submodule, `oid` is a commit."""

    path: str
    mode: int
    oid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Worktree:
    """The index and how the files on disk differ from it.

    `modified` holds paths of the index whose file differs (or is unmerged), `deleted` those
    without a file, `untracked` the others that are not ignored ("sub/": a nested repository).
    `unwatched` are those of whose files git was told not to look at them.
    """

    entries: tuple[GitEntry, ...]
    modified: frozenset[str]
    deleted: frozenset[str]
    untracked: tuple[str, ...]
    unwatched: frozenset[str] = frozenset()


def decode_output(output: bytes) -> str:
    """Output as text; bytes that are no UTF-8 stay recognisable."""
    return output.decode("utf-8", "surrogateescape")


def records(output: bytes) -> list[str]:
    """The records of an output that ends each with NUL."""
    return decode_output(output).split("\0")[:-1]


def tree_entry(record: str) -> GitEntry:
    """Reads a record of `ls-tree -z`."""
    fields, path = record.split("\t", 1)
    mode, _, oid = fields.split(" ")
    return GitEntry(path=path, mode=int(mode, 8), oid=oid)


def worktree(output: bytes) -> Worktree:
    """Reads `ls-files -z -v -s …`: a tag (H, S, M, C, R or ?), then a path or an index entry.

    A small letter says that git was told to take the file for unchanged.
    """
    entries: dict[str, GitEntry] = {}
    modified, deleted, untracked = set[str](), set[str](), list[str]()
    unwatched = set[str]()
    for record in records(output):
        tag, rest = record[0], record[2:]
        if tag == "?":
            untracked.append(rest)
            continue
        fields, path = rest.split("\t", 1)
        mode, oid, stage = fields.split(" ")
        if tag.islower() or tag == "S":
            unwatched.add(path)
        tag = tag.upper()
        if tag == "R":
            deleted.add(path)
        elif tag in "CM":
            modified.add(path)
        if tag in "HSM" and stage in "02":
            entries[path] = GitEntry(path=path, mode=int(mode, 8), oid=oid)
    return Worktree(
        entries=tuple(entries.values()),
        modified=frozenset(modified - deleted),
        deleted=frozenset(deleted),
        untracked=tuple(untracked),
        unwatched=frozenset(unwatched),
    )
