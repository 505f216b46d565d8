"""Random edits of real papers, each with the modules that it should affect.

The edits are the first two rows of the table of affected modules: edits of the source alone, and of
one proof. Each returns None if a paper offers no place for it.

Also finds the papers of a collection for which some facts are known for certain.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from pfcore.domain.values import Location, Module, Role
from pfcore.graph.context import followed
from pfcore.graph.paper_state import PaperState
from pfcore.latex.language.introductions import points
from pfcore.latex.lexer import commands
from pfcore.papers.discover import discover_papers
from pfcore.papers.paper import Paper
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository.snapshot import Snapshot
from pfcore.repository.source_files import FileEntry

_DELICATE = re.compile(r"%|verb|lstlisting|minted|\\iffalse|\\begin\{comment\}|\\ol[a-z]+")
_GAP = re.compile(r"(?<=[^\s\\])(?: +|[ \t]*\n[ \t]*)(?=[^\s\\%&])")
_NAME = re.compile(r"[A-Za-z]{2,}")
_END = re.compile(r"\\end\s*\{[^{}]*\}\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """The new texts of some files, what was edited, and exactly which modules that affects."""

    subject: str
    files: Mapping[str, str]
    affected: frozenset[str] = frozenset()


Edit = Callable[[PaperState, Random], Edited | None]


def apply_edit(snapshot: Snapshot, edited: Edited) -> Snapshot:
    """The snapshot with the edited files, in the same cache."""
    entries = dict(snapshot.files)
    for path, text in edited.files.items():
        data = text.encode("utf-8", "surrogatepass")
        oid = hashlib.sha256(data).hexdigest()
        snapshot.cache.add(oid, data)
        snapshot.cache.sizes[oid] = len(data)
        entries[path] = FileEntry(path=path, oid=oid, size=len(data))
    files = MappingProxyType(dict(sorted(entries.items())))
    return replace(snapshot, files=files, paths=snapshot.paths | files.keys())


def reflow(state: PaperState, chance: Random) -> Edited | None:
    """Swap single spaces and line ends."""

    def rewrap(match: re.Match[str]) -> str:
        return chance.choice((" ", "\n", "\n  ", "   "))

    return _within(state, chance, lambda text: _GAP.sub(rewrap, text))


def comment(state: PaperState, chance: Random) -> Edited | None:
    """Add comments on lines of their own and at the ends of lines."""
    lines = ("% see \\ref{nothing}\n", "  % \\begin{lemma}\n%\n", "%\n")

    def add(match: re.Match[str]) -> str:
        if chance.random() < 0.5:
            return f"\n{chance.choice(lines)}"
        return " % a note\n" if match.start() else match[0]

    return _within(state, chance, lambda text: re.sub(r"(?<=[A-Za-z,.])\n(?=[^\n]*\S)", add, text))


def mark(state: PaperState, chance: Random) -> Edited | None:
    """Add a build mark, a Lean name and an index entry at the end of a statement."""
    marks = "\\leanok\\lean{Some.name}\\index{some}"
    return _within(state, chance, lambda text: _END.sub(lambda end: marks + end[0], text))


def rename_label(state: PaperState, chance: Random) -> Edited | None:
    """Rename a label in all files."""
    sources = _sources(state)
    keys = sorted(
        key
        for key, places in state.document.labels.items()
        if len(places) == 1
        and re.search(r"[A-Za-z].*[:_-]|[:_-].*[A-Za-z]", key)
        and sum(text.count(f"\\label{{{key}}}") for text in sources.values()) == 1
    )
    if not keys:
        return None
    key = chance.choice(keys)
    pattern = re.compile(rf"(?<=[{{\[,\s]){re.escape(key)}(?=\s*[}}\],])")
    return _everywhere(key, sources, pattern, f"{key}-renamed")


def rename_macro(state: PaperState, chance: Random) -> Edited | None:
    """Rename a macro of the paper in all files."""
    sources = _sources(state)
    joined = "\n".join(sources.values())
    names = sorted(
        {
            item.name
            for survey in state.paper.surveys.values()
            for item in survey.macros
            if _NAME.fullmatch(item.name) and item.name not in commands.SPECIAL
        }
    )
    chance.shuffle(names)
    for name in names:
        uses = re.compile(rf"\\{name}(?![A-Za-z@])")
        declared = re.compile(
            rf"\\(?:newcommand|DeclareMathOperator|NewDocumentCommand)\*?\s*\{{?\s*\\{name}(?![A-Za-z@])"
        )
        is_own = len(declared.findall(joined)) == 1 and len(uses.findall(joined)) > 2
        if is_own and not re.search(rf"csname {name}|\{{{name}\}}|renew\w*\{{?\\{name}\b", joined):
            return _everywhere(name, sources, uses, f"\\{name}zq")
    return None


def move(state: PaperState, chance: Random) -> Edited | None:
    """Move a module to a file of its own."""
    found = _choose(_outer(state), state, chance)
    if found is None:
        return None
    module, text = found
    start, end = module.statement.location.start, module.statement.location.end
    for proof in module.proofs:
        where = proof.location
        if where.path == module.statement.location.path and not text[end : where.start].strip():
            end = where.end
    return _moved(state, module, start, end)


def split(state: PaperState, chance: Random) -> Edited | None:
    """Cut a file in two before a module."""
    found = _choose(_outer(state), state, chance)
    if found is None:
        return None
    module, text = found
    closing = text.find("\\end{document}")
    end = closing if closing > module.statement.location.start else len(text)
    return _moved(state, module, module.statement.location.start, end)


def renumber(state: PaperState, chance: Random) -> Edited | None:
    """Insert an unrelated result with its proof before a module."""
    environments = _plain_environments(state)
    found = _choose(_outer(state), state, chance)
    if found is None or not environments:
        return None
    name = chance.choice(environments)
    added = (
        f"\\begin{{{name}}}\\label{{pf:unrelated}}\nZwei und zwei sind vier.\n\\end{{{name}}}\n"
        "\\begin{proof}\nMan zählt es ab.\n\\end{proof}\n\n"
    )
    edited = _inserted(*found, added)
    return replace(edited, affected=frozenset({"pf:unrelated"}))


def prose(state: PaperState, chance: Random) -> Edited | None:
    """Insert a paragraph of prose before a module, without splitting a paragraph."""
    found = _choose([item for item in _outer(state) if _begins(item, state)], state, chance)
    return found and _inserted(*found, "\n\nHere the reader may rest for a moment.\n\n")


def reword_proof(state: PaperState, chance: Random) -> Edited | None:
    """Add a sentence to a proof."""
    proved = [module for module in state.document.modules.values() if module.proofs]
    found = _choose(proved, state, chance)
    if found is None:
        return None
    module, _ = found
    where = module.proofs[0].location
    text = state.paper.source(where.path)
    closing = _END.search(text[where.start : where.end])
    if closing is None:
        return None
    place = where.start + closing.start()
    files = {where.path: f"{text[:place]}\nSo much for that.\n{text[place:]}"}
    return Edited(subject=module.id, files=files, affected=_readers(state, where))


def _sources(state: PaperState) -> dict[str, str]:
    """The texts of the paper's files."""
    return {path: state.paper.source(path) for path in state.paper.outline.order}


def _everywhere(
    subject: str, sources: Mapping[str, str], pattern: re.Pattern[str], new: str
) -> Edited:
    changed = {path: pattern.sub(lambda _: new, text) for path, text in sources.items()}
    files = {path: text for path, text in changed.items() if text != sources[path]}
    return Edited(subject=subject, files=files)


def _outer(state: PaperState) -> list[Module]:
    """The modules that are inside no other module."""
    wanted = {Role.RESULT, Role.DEFINITION, Role.ASIDE}
    return [
        module
        for module in state.document.modules.values()
        if module.parent is None and module.role in wanted
    ]


def _begins(module: Module, state: PaperState) -> bool:
    """Whether a module is an environment, and not a sentence that may be inside a paragraph."""
    where = module.statement.location
    return state.paper.source(where.path).startswith("\\begin", where.start)


def _choose(modules: list[Module], state: PaperState, chance: Random) -> tuple[Module, str] | None:
    """A module before which a line can be inserted, with its file's text.

    Modules that refer to the paragraph before them are left out: the line would separate them.
    """
    for module in chance.sample(modules, k=min(len(modules), 20)):
        where = module.statement.location
        text = state.paper.source(where.path)
        line = text[text.rfind("\n", 0, where.start) + 1 : where.start]
        words = state.paper.texts(where.path)[module.statement.block]
        if "%" not in line and "\\olfileid" not in text and not points(words):
            return module, text
    return None


def _passages(state: PaperState, chance: Random) -> Iterator[Location]:
    modules = list(state.document.modules.values())
    for module in chance.sample(modules, k=min(len(modules), 40)):
        if module.role is not Role.CONVENTION:
            yield chance.choice(module.argued).location


def _within(state: PaperState, chance: Random, change: Callable[[str], str]) -> Edited | None:
    """The text of one passage, changed; delicate passages are left alone."""
    for where in _passages(state, chance):
        text = state.paper.source(where.path)
        old = text[where.start : where.end]
        new = old if _DELICATE.search(old) else change(old)
        if new != old:
            files = {where.path: text[: where.start] + new + text[where.end :]}
            return Edited(subject=f"{where.path}:{where.line}", files=files)
    return None


def _moved(state: PaperState, module: Module, start: int, end: int) -> Edited:
    """Move a part of a file to a new file next to the root."""
    path = module.statement.location.path
    text = state.paper.source(path)
    folder = state.paper.root.rpartition("/")[0]
    new = f"{folder}/pf-moved.tex" if folder else "pf-moved.tex"
    files = {path: f"{text[:start]}\\input{{pf-moved}}\n{text[end:]}", new: text[start:end]}
    return Edited(subject=module.id, files=files)


def _inserted(module: Module, text: str, added: str) -> Edited:
    where = module.statement.location
    files = {where.path: text[: where.start] + added + text[where.start :]}
    return Edited(subject=module.id, files=files)


def _plain_environments(state: PaperState) -> list[str]:
    """Environments of results that the paper uses without arguments."""
    found: set[str] = set()
    for module in _outer(state):
        where = module.statement.location
        text = state.paper.source(where.path)[where.start : where.end]
        opening = re.match(r"\\begin\{(\w+)\}\s*(?:\\label|\n)", text)
        if opening and module.role is Role.RESULT:
            found.add(opening[1])
    return sorted(found)


SOURCE_ALONE: tuple[Edit, ...] = (
    reflow, comment, mark, rename_label, rename_macro, move, split, renumber, prose,
)  # fmt: skip


def _readers(state: PaperState, proof: Location) -> frozenset[str]:
    """The modules whose context contains a proof."""
    modules = state.document.modules
    own = {name for name, m in modules.items() if any(p.location == proof for p in m.proofs)}
    follow = {name for name in modules if not own.isdisjoint(followed(state.document, name))}
    return frozenset(own | follow)


EDITS: tuple[Edit, ...] = (*SOURCE_ALONE, reword_proof)


class KnownPaper(NamedTuple):
    """A paper's folder, its main file, and the known facts about it."""

    name: str
    folder: Path
    main: str
    truth: Any


def papers_with_truth(corpus: Path, truth: str) -> Iterator[KnownPaper]:
    """The papers of a collection that have a file of this name in their `_truth`."""
    for entry in json.loads((corpus / "MANIFEST.json").read_text("utf-8")):
        folder = corpus / entry["name"]
        place = folder / "_truth" / truth
        if place.is_file() and entry["main"]:
            yield KnownPaper(
                entry["name"], folder, entry["main"], json.loads(place.read_text("utf-8"))
            )


def paper(snapshot: Snapshot, main: str) -> Paper:
    """The paper with this root, or else the first one that includes the file."""
    listed = discover_papers(snapshot, ParseCache(MemoryCache())).papers
    found = next((item for item in listed if item.root == main), None)
    return found or next(item for item in listed if main in item.outline.order)
