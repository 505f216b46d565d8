"""The missing `\\uses` of a blueprint as a patch."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.graph.missing_uses import Missing, find_missing_uses
from pfcore.graph.paper_state import PaperState
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import mask
from pfcore.papers.paper import Paper
from pfcore.reporters.printing import safe
from pfcore.review.review import Report

_BEGIN = regex(r"\\begin\s*\{[^{}]*\}")
_LABEL = regex(r"\s*\\label\s*\{[^{}]*\}")
_INDENT = regex(r"[ \t]*")
_FOLLOWING = regex(r"[ \t]*\n([ \t]*)(?=\S)(?!\\end\b)")
_USES = "\\uses"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A patch relative to the snapshot's top folder, "" if nothing is missing.

    `without_uses` are the papers that have no `\\uses` at all; `unplaced` are sentences on what is
    missing but could not be inserted.
    """

    patch: str
    without_uses: tuple[str, ...]
    unplaced: tuple[str, ...]


def suggest(report: Report, *, by_word: bool = False) -> Suggestion:
    """The missing `\\uses` of all papers of a report; those in shared files only once."""
    states = [reviewed.state for reviewed in report.papers]
    files: dict[str, dict[int, _PassageWithoutUses]] = {}
    papers: dict[str, Paper] = {}
    for state in states:
        for found in find_missing_uses(state, by_word=by_word):
            gap = _gap(state, found)
            files.setdefault(gap.path, {}).setdefault(gap.start, gap)
            papers[gap.path] = state.paper
    made = [_in_file(papers[path], path, files[path]) for path in sorted(files)]
    return Suggestion(
        patch="".join(patch for patch, _ in made),
        without_uses=tuple(
            state.paper.name for state in states if not any(state.document.uses.values())
        ),
        unplaced=tuple(sentence for _, sentences in made for sentence in sentences),
    )


class SourceInsertion(NamedTuple):
    """Text to insert into a file at an offset."""

    path: str
    offset: int
    text: str


def uses_insertion(state: PaperState, found: Missing) -> SourceInsertion | None:
    """The insertion that adds all missing labels of a passage to its `\\uses`, if possible."""
    gap = _gap(state, found)
    if len(gap.labels) != len(found.targets):
        return None
    place = _place(Groups(mask(state.paper.source(gap.path)).text), gap)
    return SourceInsertion(gap.path, place.offset, place.text) if place else None


class _PassageWithoutUses(NamedTuple):
    """A passage with its missing labels; `uses` is the offset of its `\\uses`, or -1."""

    path: str
    start: int
    line: int
    labels: tuple[str, ...]
    uses: int

    @property
    def listed(self) -> str:
        """The labels as an argument."""
        return ", ".join(self.labels)


def _gap(state: PaperState, found: Missing) -> _PassageWithoutUses:
    modules, where = state.document.modules, found.passage.location
    references = state.paper.references(where.path)
    uses = (r.start for r in references if (r.command, r.block) == ("uses", found.passage.block))
    labels = tuple(label for name in found.targets if (label := modules[name].label))
    return _PassageWithoutUses(where.path, where.start, where.line, labels, next(uses, -1))


def _in_file(
    paper: Paper, path: str, gaps: Mapping[int, _PassageWithoutUses]
) -> tuple[str, list[str]]:
    """The patch of one file, and sentences on what is missing but not in the patch."""
    text = paper.source(path)
    form = _form(paper, path, text)
    if form is None:
        reason = "the file is not UTF-8, or mixes line endings"
        return "", [_unplaced(gap, reason) for _, gap in sorted(gaps.items())]
    groups = Groups(mask(text).text)
    places = [(gap, _place(groups, gap)) for _, gap in sorted(gaps.items())]
    changed = _with(text, [place for _, place in places if place])
    left = [_unplaced(gap, "it does not begin with \\begin") for gap, place in places if not place]
    return "".join(_diff(path, text, changed, form)), left


def _unplaced(gap: _PassageWithoutUses, reason: str) -> str:
    return f"{safe(gap.path)}:{gap.line} lacks {_USES}{{{safe(gap.listed)}}}; {reason}"


class _Insertion(NamedTuple):
    """A text to insert at an offset."""

    offset: int
    text: str


def _place(groups: Groups, gap: _PassageWithoutUses) -> _Insertion | None:
    """The insertion at the end of an existing list, else of a new list after title and label."""
    text = groups.text
    listed = groups.braces(gap.uses + len(_USES)) if text.startswith(_USES, gap.uses) else None
    if gap.uses >= 0 and listed:
        keys = text[slice(*listed)].rstrip()
        comma = (" " if keys.endswith(",") else ", ") if keys else ""
        return _Insertion(listed[0] + len(keys), comma + gap.listed)
    begin = _BEGIN.match(text, gap.start)
    if begin is None:
        return None
    position = _behind_head(groups, begin.end())
    return _Insertion(position, f"\n{_space(text, begin.start(), position)}{_USES}{{{gap.listed}}}")


def _space(text: str, begin: int, position: int) -> str:
    """The indentation of the next line, else two more spaces than the `\\begin`."""
    if following := _FOLLOWING.match(text, position):
        return following[1]
    indent = _INDENT.match(text, text.rfind("\n", 0, begin) + 1)
    return f"{indent[0] if indent else ''}  "


def _behind_head(groups: Groups, position: int) -> int:
    """The end of the arguments and labels that follow a `\\begin`."""
    option = groups.brackets(position)
    position = option[1] + 1 if option else position
    while groups.text.startswith("{", position) and (argument := groups.braces(position)):
        position = argument[1] + 1
    while label := _LABEL.match(groups.text, position):
        position = label.end()
    return position


def _with(text: str, insertions: Sequence[_Insertion]) -> str:
    pieces = []
    done = 0
    for offset, inserted in sorted(insertions):
        pieces += [text[done:offset], inserted]
        done = offset
    return "".join([*pieces, text[done:]])


class _Form(NamedTuple):
    """How a file's text is encoded: a byte order mark or "", and the line ends."""

    mark: str
    line_end: str


def _form(paper: Paper, path: str, text: str) -> _Form | None:
    """The form in which the text has exactly the file's size; None if there is none."""
    if paper.snapshot.read(path).encoding != "utf-8":
        return None
    size = paper.snapshot.files[path].size
    forms = (_Form(mark, end) for mark in ("", "\ufeff") for end in ("\n", "\r\n"))
    return next((form for form in forms if len(_written(text, form).encode()) == size), None)


def _written(text: str, form: _Form) -> str:
    return form.mark + text.replace("\n", form.line_end)


def _diff(path: str, old: str, new: str, form: _Form) -> Iterator[str]:
    """A unified diff; a tab ends a name that contains blanks, as in git."""
    name = f"{path}\t" if " " in path else path
    before, after = (_lines(form.mark + text) for text in (old, new))
    diff = difflib.unified_diff(before, after, f"a/{name}", f"b/{name}")
    for number, line in enumerate(diff):
        if number < 2 or line.startswith("@@"):
            yield line
        elif line.endswith("\n"):
            yield line[:-1] + form.line_end
        else:
            yield f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """The lines with their ends; only a line feed ends one."""
    *whole, last = text.split("\n")
    return [f"{line}\n" for line in whole] + [last] * bool(last)
