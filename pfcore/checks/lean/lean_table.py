"""The hypotheses of each stated result, in its words and in the binders of its Lean declarations.

The table is for people to compare; it reports no findings.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pfcore.checks.check import block
from pfcore.checks.lean.lean_binders import BinderKind, LeanBinder, binders
from pfcore.checks.lean.lean_files import commands, parts
from pfcore.checks.lean.lean_links import lean_paths
from pfcore.domain.errors import SourceError
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Role
from pfcore.graph.paper_state import PaperState
from pfcore.latex.language.hypotheses import end_of_hypothesis, fixes, prose_sentences, ranges
from pfcore.latex.lexer.whitespace import first_form, own, printed

_MOST = 8
_ANCHORS = regex("\x04\\d*\x05 ?")
_DEFINES = regex(r":=|=:|\\(?:emph|text(?:it|bf|sl)|coloneqq?|defeq)(?![A-Za-z])")
_MENTIONS = regex("\x02\\d*\x03")


KIND_WORDS = {
    BinderKind.EXPLICIT: "explicit",
    BinderKind.IMPLICIT: "implicit",
    BinderKind.INSTANCE: "instances",
}
"""The names of the kinds of binders, in the order of the table."""


class LeanCounterpart(NamedTuple):
    """A Lean declaration of a result: its name, its file and its binders."""

    name: str
    path: str
    binders: tuple[LeanBinder, ...]

    def of_kind(self, kind: BinderKind) -> list[str]:
        """The binders of a kind, with their brackets."""
        return [item.shown for item in self.binders if item.kind is kind]


class LeanRow(NamedTuple):
    """The sentences of a statement with hypotheses, and its declarations in Lean."""

    supposes: tuple[str, ...]
    declarations: tuple[LeanCounterpart, ...]


def lean_rows(state: PaperState, modules: Iterable[str]) -> dict[str, LeanRow]:
    """The rows of the modules whose `\\lean` names declarations of the repository."""
    named = {name: _names(state, name) for name in modules}
    found = _declared(state, frozenset(one for listed in named.values() for one in listed))
    rows: dict[str, LeanRow] = {}
    for module, listed in named.items():
        if there := [found[one] for one in listed if one in found]:
            rows[module] = LeanRow(_supposed(state, module), tuple(there[:_MOST]))
    return rows


def _names(state: PaperState, module: str) -> list[str]:
    passages = state.document.modules[module].passages
    return list(dict.fromkeys(name for item in passages for name in block(state, item).lean))


def _declared(state: PaperState, names: frozenset[str]) -> dict[str, LeanCounterpart]:
    """The first declaration of each name."""
    snapshot = state.paper.snapshot
    found: dict[str, LeanCounterpart] = {}
    if not names:
        return found
    ends = {parts(name)[-1] for name in names if parts(name)}
    for path, text in _texts(state, lean_paths(snapshot)):
        if not any(end in text for end in ends):
            continue
        for command in commands(text):
            if not (command.is_declaration and command.name):
                continue
            full = command.full(command.name)
            if full in names and full not in found:
                found[full] = LeanCounterpart(full, path, binders(command))
    return found


def _texts(state: PaperState, paths: Sequence[str]) -> list[tuple[str, str]]:
    """The paths and texts of files; none if a partial clone lacks one."""
    try:
        sources = state.paper.snapshot.read_many(paths)
    except SourceError:
        return []
    return [(path, source.text) for path, source in sources.items()]


def _supposed(state: PaperState, module: str) -> tuple[str, ...]:
    """The sentences of a statement that fix or suppose something, each as one line of LaTeX.

    Of other sentences only their hypotheses, and of a definition's the part before what is defined.
    """
    here = state.document.modules[module]
    path, _, _ = here.statement.location[:3]
    stored = state.paper.texts(path)[here.statement.block]
    text = _MENTIONS.sub("[…]", _ANCHORS.sub("", printed(own(first_form(stored)))))
    found: list[str] = []
    for start, end in prose_sentences(text, 0, len(text)):
        sentence = text[start:end]
        until = end_of_hypothesis(sentence)
        if here.role is not Role.DEFINITION and (until or fixes(sentence)):
            found.append(sentence)
        elif until and not _DEFINES.search(sentence, 0, until):
            found.append(sentence[:until])
        else:
            found += ranges(sentence)
    return tuple(" ".join(sentence.split()) for sentence in found)
