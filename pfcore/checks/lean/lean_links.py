r"""Check of a blueprint's `\lean{...}`: names that no Lean file of the repository declares.

Lean files may be anywhere in the repository, except in submodules and `.lake`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from pfcore.checks.check import Check, CheckInput, block, kept
from pfcore.domain.digest import digest
from pfcore.domain.errors import SourceError
from pfcore.domain.values import Finding, Location, Module, Passage, Severity
from pfcore.graph.paper_state import PaperState
from pfcore.latex.codec import dump
from pfcore.repository.snapshot import Snapshot

if TYPE_CHECKING:
    from pfcore.checks.lean.lean_binders import LeanStatement
    from pfcore.checks.lean.lean_names import LeanNames, RepositoryNames
    from pfcore.papers.paper import Paper

_VERSION, _USES_VERSION, _SAYS_VERSION = 4, 3, 2
_MOST_ALIKE = 2
_DEPENDENCIES = frozenset({".lake", "lake-packages", "_target"})
_BUILD_FILE = "lakefile.lean"
"""Its code contains bare names of libraries: `lean_lib Foo`."""


def lean_paths(snapshot: Snapshot) -> list[str]:
    """The Lean files of the repository itself."""
    return [
        path
        for path in snapshot.files
        if path.endswith(".lean")
        and snapshot.is_own(path)
        and _DEPENDENCIES.isdisjoint(path.split("/"))
    ]


def lean_names_of(state: PaperState, module: Module) -> list[str]:
    """The declarations that a module names with `\\lean`, each once."""
    passages = module.passages
    return list(dict.fromkeys(name for item in passages for name in block(state, item).lean))


def unknown(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Names in `\\lean` that no Lean file declares, except in modules marked `\\mathlibok`.

    Nothing is reported if the paper's own `\\lean` prints its argument and never names a
    declaration: then it is a different command.
    """
    named = [
        (module, name, passage)
        for module in scene.document.modules.values()
        for name, passage in _targets(scene, module)
    ]
    known = repository_names(scene.paper) if named else None
    if known is None:
        return
    from pfcore.checks.lean.lean_names import NameStanding

    standings = {name: known.standing(name) for _, name, _ in named}
    own_command = scene.paper.syntax.macros.get("lean")
    is_other = own_command is not None and _is_printed(own_command.body)
    if is_other and not any(map(known.declares, standings)):
        return
    left = {name for name, one in standings.items() if one is not NameStanding.KNOWN}
    elsewhere = {name for name in left if standings[name] is NameStanding.ELSEWHERE}
    own = _own(scene.paper, known, elsewhere)
    then = repository_names(scene.before.paper) if left and scene.before is not None else None
    gone = {name for name in elsewhere if then is not None and then.declares(name)}
    own |= _misspelt(scene.paper, known, elsewhere - own - gone)
    doubtful = elsewhere - own - gone
    left -= _used(scene.paper, {name for name in doubtful if not known.alike(name)})
    for module, name, passage in named:
        told = _told(known, name, own=own, gone=gone) if name in left else None
        if told is None:
            continue
        message, severity = told
        yield check.finding(
            message,
            subject=name,
            module=module.id,
            place=_place(scene, passage, name),
            severity=severity,
        )


def _is_printed(body: str) -> bool:
    """Whether a command prints its argument in the text: `{\\ttfamily #1}`, not in a margin."""
    return "#1" in body and not any(word in body for word in ("\\margin", "\\href", "\\label"))


def _targets(scene: CheckInput, module: Module) -> list[tuple[str, Passage]]:
    """The names that a module has in `\\lean`, each once, with the passage.

    A name with commas, `«a(_,_)»`, is cut at the first one.
    """
    found: dict[str, Passage] = {}
    is_in_mathlib = False
    for passage in module.passages:
        written = block(scene.state, passage)
        is_in_mathlib = is_in_mathlib or "mathlibok" in written.marks
        is_cut = False
        for name in written.lean:
            if not is_cut:
                found.setdefault(name, passage)
            is_cut = "»" not in name if is_cut else _is_cut(name)
    return [] if is_in_mathlib else list(found.items())


def _is_cut(name: str) -> bool:
    return name.rfind("«") > name.rfind("»")


def _told(
    known: RepositoryNames, name: str, *, own: set[str], gone: set[str]
) -> tuple[str, Severity] | None:
    """The message on a name and its severity; None for a known name.

    `own` names are in a namespace of the repository's own library; `gone` ones were declared in
    the earlier version.
    """
    from pfcore.checks.lean.lean_names import NameStanding

    match known.standing(name):
        case NameStanding.KNOWN:
            return None
        case NameStanding.IMPOSSIBLE if _is_cut(name):
            return f"\\lean names {name}, …: leanblueprint splits names at commas", Severity.WARNING
        case NameStanding.IMPOSSIBLE:
            return f"\\lean names {name}, which is not a valid Lean name", Severity.WARNING
        case NameStanding.MISSING:
            said = f"\\lean names {name}, which no Lean file of this repository declares"
            return said + _hint(known, name), Severity.WARNING
        case NameStanding.ELSEWHERE if name.lower() in map(str.lower, known.alike(name)):
            said = f"\\lean names {name}, which no Lean file of this repository declares"
            return said + _hint(known, name), Severity.WARNING
        case NameStanding.ELSEWHERE if name in gone:
            said = f"\\lean names {name}, which no Lean file of this repository declares any more"
            return said + _hint(known, name), Severity.WARNING
        case NameStanding.ELSEWHERE if name in own or known.extended(name):
            said = f"\\lean names {name}, which no Lean file of this repository declares"
            return said + _hint(known, name), Severity.WARNING
        case NameStanding.ELSEWHERE:
            said = (
                f"\\lean names {name}, which no Lean file of this repository declares; "
                "Mathlib or another dependency may have it (mark it \\mathlibok)"
            )
            return said + _hint(known, name), Severity.NOTE


def _hint(known: RepositoryNames, name: str) -> str:
    found = known.alike(name) or known.near(name)
    if not found and (begun := known.extended(name)):
        found = [begun]
    return f"; did you mean {' or '.join(found)}?" if 0 < len(found) <= _MOST_ALIKE else ""


def _place(scene: CheckInput, passage: Passage, name: str) -> tuple[Location, str]:
    """The line of a passage that contains a name; the passage's first line if a macro writes it."""
    path, start, end = passage.location[:3]
    source = scene.paper.source(path)
    command = source.find("\\lean", start, end)
    offset = source.find(name, command, end) if command >= 0 else -1
    return scene.line(passage, offset) if offset >= 0 else scene.opening(passage)


def repository_names(paper: Paper) -> RepositoryNames | None:
    """The names in all Lean files; None if there are none, or one cannot be read."""
    files = paper.snapshot.files
    paths = lean_paths(paper.snapshot)
    if not paths or any(item.path.endswith(".lean") for item in paper.snapshot.skipped):
        return None
    keys = {path: f"lean-names:{_VERSION}:{files[path].oid}" for path in paths}
    paper.snapshot.foresee(paths)

    def make(path: str) -> tuple[LeanNames, dict[str, str]]:
        from pfcore.checks.lean.lean_names import lean_names

        found = lean_names(paper.source(path))
        return found, {keys[path]: found.dumped()}

    from pfcore.checks.lean.lean_names import LeanNames, RepositoryNames

    try:
        return RepositoryNames(kept(paper, keys, LeanNames.loaded, make).values())
    except SourceError:  # without all files nothing is certain
        return None


def lean_statements(paper: Paper, names: Set[str]) -> dict[str, LeanStatement]:
    """The statements of the declarations with some names, if a name is declared exactly once."""
    if not names:
        return {}
    files = paper.snapshot.files
    keys = {
        path: f"lean-says:{_SAYS_VERSION}:{files[path].oid}" for path in lean_paths(paper.snapshot)
    }
    paper.snapshot.foresee(keys)

    def make(path: str) -> tuple[list[LeanStatement], dict[str, str]]:
        from pfcore.checks.lean.lean_binders import statements

        found = statements(paper.source(path))
        return found, {keys[path]: dump(found)}

    try:
        listed = kept(paper, keys, _said, make).values()
    except SourceError:  # without all files nothing is certain
        return {}
    found: dict[str, list[LeanStatement]] = {}
    for item in (one for of_file in listed for one in of_file if one.name in names):
        found.setdefault(item.name, []).append(item)
    return {name: of_name[0] for name, of_name in found.items() if len(of_name) == 1}


def _said(text: str) -> list[LeanStatement]:
    from pfcore.checks.lean.lean_binders import LeanStatement

    try:
        return [
            LeanStatement(str(name), str(says), str(makes))
            for name, says, makes in json.loads(text)
        ]
    except TypeError as error:
        raise ValueError("no statements") from error


def _own(paper: Paper, known: RepositoryNames, names: set[str]) -> set[str]:
    """Those of some names whose first part is a library of the repository alone.

    If that part also occurs by itself in code, it is a type, which a dependency declares.
    """
    listed = {name: name.removeprefix("_root_.").partition(".")[0] for name in names}
    roots = set(listed.values()) & _libraries(paper)
    roots = {root for root in roots if known.declares(root) or known.adds_to(root)}
    shared = _words(paper, "alone", {root for root in roots if not known.declares(root)})
    return {name for name, root in listed.items() if root in roots - shared and name != root}


def _misspelt(paper: Paper, known: RepositoryNames, names: set[str]) -> set[str]:
    """Those of some names that are like a declaration in a namespace of the repository alone."""
    listed = {
        name: name.removeprefix("_root_.").partition(".")[0]
        for name in names
        if "." in name and known.near(name)
    }
    roots = set(listed.values())
    used = _words(paper, "borrowed", roots)
    foreign = {word.partition(".")[0] for word in used if not known.holds(word) or word in roots}
    return {name for name, root in listed.items() if root not in foreign}


def _libraries(paper: Paper) -> set[str]:
    """The roots of Lean modules: folders at the top, or next to a Lean file of the same name.

    Folders whose names begin with lower-case letters are not part of a module's name.
    """
    from pfcore.checks.lean.lean_names import FOREIGN

    found = set()
    for path in lean_paths(paper.snapshot):
        folders = path.split("/")[:-1]
        depth = next((n for n, folder in enumerate(folders) if folder[:1].isupper()), None)
        if depth is None or folders[depth] in FOREIGN:
            continue
        if depth == 0 or f"{'/'.join(folders[: depth + 1])}.lean" in paper.snapshot.files:
            found.add(folders[depth])
    return found


def _used(paper: Paper, names: set[str]) -> set[str]:
    """Those of some undeclared names that the code of a file uses nevertheless."""
    return _words(paper, "uses", names)


def _words(paper: Paper, how: str, names: set[str]) -> set[str]:
    """Those of some names that the code of a file "uses", or has "alone", as `how` says.

    For "borrowed", what files have of some namespaces.
    """
    if not names:
        return names
    files = paper.snapshot.files
    about = f"lean-{how}:{_USES_VERSION}:{digest(sorted(names))[:32]}"
    paths = [path for path in lean_paths(paper.snapshot) if not path.endswith(_BUILD_FILE)]
    keys = {path: f"{about}:{files[path].oid}" for path in paths}
    paper.snapshot.foresee(keys)

    def make(path: str) -> tuple[list[str], dict[str, str]]:
        from pfcore.checks.lean.lean_names import alone, borrowed, mentioned

        ways = {"uses": mentioned, "alone": alone, "borrowed": borrowed}
        found = ways[how](paper.source(path), names)
        return found, {keys[path]: dump(found)}

    return {name for listed in kept(paper, keys, _strings, make).values() for name in listed}


def _strings(text: str) -> list[str]:
    try:
        return [str(name) for name in json.loads(text)]
    except TypeError as error:
        raise ValueError("no names") from error


CHECKS = (
    Check(
        id="unknown-declaration",
        severity=Severity.WARNING,
        rationale="\\lean names no declaration of the repository",
        run=unknown,
    ),
)
