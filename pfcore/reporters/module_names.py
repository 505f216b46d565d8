"""The names of results for people: kind, number, title.

Also the ids under which modules are printed, unique over all papers of a report; results of other
works as leaves of the graph, for which the literature is trusted; the status of a module as people
see it, a symbol and words, never colour alone; and what the affected modules use but do not bind.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from pfcore.domain.containment import Failure, attempt
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Affected, Finding, Location, Module, Role, Status
from pfcore.impact.plan import is_readable
from pfcore.latex.blocks.plain_text import plain_text
from pfcore.latex.project.kinds import in_english
from pfcore.reporters.printing import GLYPHS, Style, safe, status_words
from pfcore.review.review import PaperReport, Report

if TYPE_CHECKING:
    from pfcore.graph.needs import Need


def printed_kind(module: Module, paper: PaperReport, number: str | None) -> str:
    """The kind that the PDF prints before a result's number, "" if the paper prints no word.

    If the printed words end in the number, as in "Theorem B", the number is left out.
    """
    source, where = paper.state.paper, module.statement
    reading = source.readings.get(where.location.path)
    kind = safe(module.kind).capitalize()
    if reading is None or source.is_markup or not module.role.stands_alone:
        return kind
    env = reading.blocks[where.block].env
    theorem = source.syntax.theorems.get(source.syntax.environment(env))
    if theorem is not None and not theorem.printed.strip():
        return ""
    words = plain_text(theorem.printed) if theorem else _word_of(env, kind, paper)
    words = words.removesuffix(f" {number}") if number else words
    return words if words.lower() != kind.lower() and _PLAIN_WORDS.fullmatch(words) else kind


_PLAIN_WORDS = regex(r"[^\W\d_][\w -]{0,40}")
_BOLD = regex(r"\\(?:textbf|textsc|bfseries|bf|scshape)(?![A-Za-z])\s*\{?\s*(\w{3,30})")


def _word_of(env: str, kind: str, paper: PaperReport) -> str:
    """The word of this kind that one of the paper's own environments sets in bold; else ""."""
    for survey in paper.state.paper.surveys.values():
        for one in survey.environments:
            found = _BOLD.search(one.begin) if one.name == env else None
            if found and in_english(found[1].lower()) == in_english(kind.lower()):
                return str(found[1])
    return ""


def module_name(module: Module, paper: PaperReport, style: Style) -> str:
    """Kind, number if certain, and title: `Lemma 3.2 (uniform bound)`.

    If only ASCII can be printed, the title stays LaTeX, which says more.
    """
    number = paper.numbering.of(module) if paper.numbering.is_quick else None
    kind = printed_kind(module, paper, number)
    name = f"{kind} {safe(number)}".strip() if number else kind or safe(module.kind).capitalize()
    title = bare_title(module.title)
    title = title if style.ascii else _printed_title(title, paper)
    return f"{name} ({safe(title)})" if title and not is_number(module.title, number) else name


def reasons_told(item: Affected, paper: PaperReport, *, is_short: bool = False) -> tuple[str, ...]:
    """The reasons why a change affects a module; names have a number, followed by the label.

    `is_short`: without the label.
    """
    modules = paper.state.document.modules

    def call(found: re.Match[str]) -> str:
        module = modules.get(found[1])
        if module is None or module.role not in _NUMBERED or not paper.numbering.is_quick:
            return found[2]
        number, label = paper.numbering.of(module), "" if is_short else module.label
        if not number and "~" in module.id and found[2] == module.id:
            where = module.statement.location  # an id made up by us means nothing to people
            return f"the {module.kind} at {where.path}:{where.line}"
        if not number:
            return found[2]
        return f"{module.kind.capitalize()} {number}" + (f" ({label})" if label else "")

    return item.told(call)


def finding_words(finding: Finding, paper: PaperReport) -> str:
    """The message of a check, with numbers for labels of results, followed by the labels.

    Messages of readers stay as they are, and so do commands to type.
    """
    if finding in paper.objections:
        return finding.message
    modules = paper.state.document.modules
    named = list(dict.fromkeys(ids_named(finding, paper)))
    numbers = paper.numbering.of_some([modules[name] for name in named]) if named else {}
    told: set[str] = set()

    def call(name: str) -> str:
        number = numbers.get(name)
        if not number:
            return name
        called = f"{printed_kind(modules[name], paper, number)} {safe(number)}".strip()
        label = "" if name in told else f" ({name})"
        told.add(name)
        return f"{called}{label}"

    return with_names(finding.message, finding, paper, call)


def ids_named(finding: Finding, paper: PaperReport) -> list[str]:
    """The results that a check's message names by their ids."""
    found: list[str] = []

    def note(name: str) -> str:
        found.append(name)
        return name

    with_names(finding.message, finding, paper, note)
    return found


def with_names(text: str, finding: Finding, paper: PaperReport, call: Callable[[str], str]) -> str:
    """A check's message with ids of results replaced, except where it is about labels.

    A plain word counts as an id only if it is that of the finding's own module.
    """
    modules = paper.state.document.modules

    def named(match: re.Match[str]) -> str:
        word = match["word"]
        module = modules.get(word)
        is_label = match["before"] is not None or not (
            word == finding.module or _IS_ID.search(word)
        )
        is_named = module is not None and not is_label and module.role.stands_alone
        return call(word) if is_named else match[0]

    parts = TYPED.split(text)
    return "".join(part if n % 2 else _WORD.sub(named, part) for n, part in enumerate(parts))


TYPED = regex(r"(\\[A-Za-z]+\*?(?:\{[^{}]*\})*)")
"""Commands to type, with their arguments, as one group."""
_WORD = regex(r"(?P<before>(?:labels?|mean) )?(?P<word>[^\s,;()\[\]{}\"'`]+[^\s,;()\[\]{}\"'`.:])")
_IS_ID = regex(r"[:~_-]|\d")
_NUMBERED = frozenset({Role.RESULT, Role.DEFINITION, Role.OPEN, Role.ASIDE})
"""Roles that people name by number."""


def _printed_title(title: str, paper: PaperReport) -> str:
    """A title without LaTeX: the paper's macros are expanded, other commands dropped."""
    plain = plain_text(title)
    if "\\" not in plain:
        return plain
    from pfcore.latex.blocks.document_title import printed_line  # where a title has commands

    return printed_line(title, paper.state.paper.syntax.macros).rstrip(" ^_~")


def bare_title(title: str) -> str:
    """A title, as written, without brackets that an author has put around all of it: `(L)`.

    "" for a title that is only a citation.
    """
    called = _CALL.fullmatch(title.strip())
    if called and "cite" in called[1].lower():
        return ""
    inside = title.strip()[1:-1]
    is_around = title.strip() == f"({inside})" and not set(inside) & {"(", ")"}
    return inside if is_around else title


_CALL = regex(r"(?:\{\s*)?\\([A-Za-z]+)\*?(?:\[[^\[\]]*\])*(?:\{[^{}]*\})+\s*\}?")


def is_number(title: str, number: str | None) -> bool:
    """Whether a title is only the number, which an environment may take by hand: `{1.7'}`."""
    return bool(number) and plain_text(title) == number


_FEW = 20
"""How many equations and items are checked one by one for citations, before all are."""


class Ids(Mapping[str, str]):
    """The printed ids of one paper's modules, each computed when it is asked for.

    An id that an earlier paper prints gets the paper's name as a prefix.
    """

    def __init__(self, paper: PaperReport, before: "Ids | None" = None) -> None:
        self._paper = paper
        self._before = before
        self._prefix = f"{paper.state.paper.name}::"
        self._asked: dict[str, bool] = {}

    def __getitem__(self, name: str) -> str:
        if name not in self:
            raise KeyError(name)
        return f"{self._prefix}{name}" if self._is_taken(name) else name

    def __contains__(self, name: object) -> bool:
        modules = self._paper.state.document.modules
        if not isinstance(name, str) or name not in modules:
            return False
        if modules[name].role.stands_alone:
            return True
        if name not in self._asked:  # one by one while there are few
            is_one = len(self._asked) < _FEW
            readers = self._paper.state.readers
            self._asked[name] = name in (readers.referred_to({name}) if is_one else self._cited)
        return self._asked[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._paper.state.document.modules if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def has_printed(self, shown: str) -> bool:
        """Whether a module of this paper, or of an earlier one, has this printed id."""
        bare = shown.removeprefix(self._prefix)
        is_prefixed = bare != shown and bare in self and self._is_taken(bare)
        return shown in self or is_prefixed or self._is_taken(shown)

    def _is_taken(self, shown: str) -> bool:
        return self._before is not None and self._before.has_printed(shown)

    @cached_property
    def _cited(self) -> set[str]:
        """The equations and items that another module cites."""
        modules = self._paper.state.document.modules
        fragments = {name for name, module in modules.items() if not module.role.stands_alone}
        return self._paper.state.readers.referred_to(fragments) if fragments else set()


class PrintedIds:
    """Ids that are unique over all papers: the first paper keeps its own, others get a prefix."""

    def __init__(self, report: Report) -> None:
        self._papers = report.papers
        self._names: dict[str, Ids] = {}
        self._last: Ids | None = None
        for paper in report.papers:
            self._last = self._names[paper.state.paper.name] = Ids(paper, self._last)

    def of(self, paper: PaperReport) -> Mapping[str, str]:
        """The ids of one paper's modules as they are printed."""
        return self._names[paper.state.paper.name]

    def leaf(self, paper: PaperReport, name: str) -> str:
        """The id of a result of another work."""
        return self._leaves[paper.state.paper.name, name]

    @cached_property
    def _leaves(self) -> dict[tuple[str, str], str]:
        last = self._last
        taken: set[str] = set()
        found: dict[tuple[str, str], str] = {}
        for paper in self._papers:
            where = paper.state.paper.name
            for leaf in leaves(paper):
                wanted = f"cite:{leaf.id}"
                is_taken = wanted in taken or (last is not None and last.has_printed(wanted))
                found[where, leaf.id] = f"{where}::{wanted}" if is_taken else wanted
                taken.add(wanted)
        return found


def visible(paper: PaperReport) -> list[str]:
    """The modules of a paper; equations and items only if another module cites them."""
    return list(Ids(paper))


class Leaf(NamedTuple):
    """A cited result: its id, what it is, where it is cited first, and the modules that cite it."""

    id: str
    key: str
    locator: str
    location: Location
    users: tuple[str, ...]


def leaves(paper: PaperReport) -> list[Leaf]:
    """The results of other works that a paper cites by their place there, each once, in order."""
    found: dict[str, Leaf] = {}
    for name, module in paper.state.document.modules.items():
        for key, locator, location in module.cites:
            shown = f"{key}[{locator}]"
            known = found.get(shown, Leaf(shown, key, locator, location, ()))
            users = tuple(dict.fromkeys((*known.users, name)))
            found[shown] = known._replace(users=users)
    return list(found.values())


def needs_of_affected(paper: PaperReport, *, is_deep: bool) -> "Mapping[str, tuple[Need, ...]]":
    """The needs of the modules that a change affects; without a change, of all with a proof.

    The latter only if `is_deep`, because that reads each sentence of the paper.
    """
    from pfcore.graph.needs import needs_of  # reads sentences, so not for a plain check

    names = [item.id for item in paper.plan.affected]
    if is_deep and not paper.is_change:
        names = [name for name in paper.state.document.modules if is_readable(paper.state, name)]
    found = {name: attempt(partial(needs_of, paper.state, name)) for name in names}
    return {name: () if isinstance(one, Failure) else one for name, one in found.items()}


_FAULT = ", with a structural finding"
_BARE, _ELSEWHERE = "without a proof", "without its own proof"
_ANSWERED, _OPEN = "answered by the authors", "open"


class ShownStatus(NamedTuple):
    """A status; `is_at_fault`: a check objects to the structure of what a reader accepted.

    `bare` are the words in place of unread if there is no proof.
    """

    status: Status
    is_at_fault: bool = False
    bare: str = ""

    @property
    def glyph(self) -> str:
        """The symbol; that of an objection if the structure is at fault."""
        return GLYPHS[Status.FLAGGED if self.is_at_fault else self.status]

    @property
    def words(self) -> str:
        """The status in words, with any reservation."""
        words = self.bare or status_words(self.status)
        return f"{words}{_FAULT if self.is_at_fault else ''}"


def standing_words(paper: PaperReport, name: str) -> str:
    """The status of a module, with the reader who accepted it."""
    words, reader = standing(paper, name).words, reader_of(paper, name)
    return f"{words}, accepted by {reader}" if reader else words


def reader_of(paper: PaperReport, name: str) -> str:
    """The model that accepted a module, with a remark if needed; "" if none did."""
    is_accepted = paper.statuses[name] in (Status.CHECKED, Status.CONDITIONAL)
    return safe(paper.sheet.reader(name)) if paper.sheet is not None and is_accepted else ""


def standing(paper: PaperReport, name: str) -> ShownStatus:
    """The status of a module of a paper."""
    status = paper.statuses[name]
    bare = ""
    if status is Status.UNREACHED and not paper.state.document.modules[name].proofs:
        bare = _of_bare(paper, name)
    return ShownStatus(status, name in paper.at_fault, bare)


def _of_bare(paper: PaperReport, name: str) -> str:
    """The words for a module without a proof that has no other status."""
    if name in paper.answered_for:
        return _ANSWERED
    if paper.state.document.modules[name].role is Role.OPEN:
        return _OPEN
    return _BARE if name in paper.unproved else _ELSEWHERE
