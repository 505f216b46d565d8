r"""Reads what follows `\begin{lemma}`: title, label, and where the statement begins.

It also reads which results the title of a proof names: by labels, or by kinds with numbers; and it
finds sections that are proofs: `\section{Proof of Theorem \ref{a}}`, without environments.
"""

import itertools
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Role
from pfcore.latex import parsed_file
from pfcore.latex.lexer.commands import HEADINGS, CommandEvent
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.letters import with_letters
from pfcore.latex.macros import macro as macros
from pfcore.latex.project.declarations import Theorem, boxed_key, option
from pfcore.latex.project.kinds import named_kind, role_of
from pfcore.latex.project.syntax import Syntax
from pfcore.latex.structure import headings, unmarked_proofs
from pfcore.latex.structure.tree import Node
from pfcore.latex.structure.unmarked_proofs import SECTION

_KEY_VALUE = regex(
    r"^\s*(?:name|label|title|note|store\*?|restate|short[ -]?title|manual-num|seq|continues)\s*="
)
_AT_END = regex(
    r"\s*(?:normal|(?:all |no )?(?:end|link|restate)|restate|both|see full proof|proof (?:end|here)"
    r"|category\s*=[^,]*|text [a-z ]+=[^,]*)\s*(?:,.*)?",
    re.DOTALL,
)
"""Options of a statement whose proof is at the end (package proof-at-the-end)."""

_FORMULA = regex(r"\$|\\\(|\\ensuremath")
_LONGEST = 2_000
_LABEL = regex(r"\\label\s*\{[^{}]*\}")
REFERENCE = regex(r"\\(?:[A-Za-z]*[Rr]ef|hyperref)\*?\s*[\[{]\s*([^\]\[{}]*?)\s*[\]}]")
"""A reference in a title, with its keys."""


class BlockHead(NamedTuple):
    """The head of a block; `kind` is set if the head names it (restatable).

    `again` is the command that restates the statement, without its backslash; `number` is that of
    a heading in words.
    """

    title: str
    title_span: tuple[int, int] | None
    labels: tuple[str, ...]
    kind: str
    content: int
    again: str = ""
    number: str = ""


def read_heading(node: Node, groups: Groups, syntax: Syntax) -> BlockHead:
    """Read the head of a statement or proof."""
    if node.name in unmarked_proofs.NAMES:
        return BlockHead(_plain(node.title), None, (), "", min(node.content, node.inner_end))
    if node.name == headings.NAME:
        kind, _, number = node.title.partition(" ")
        return BlockHead("", None, (), kind, node.content, number=number)
    if parsed_file.is_tagged(node.name):
        return _tagged(node)
    if node.env.rstrip("*") in ("restatable", "thmrestate"):
        return _restatable(node, groups, syntax)
    if node.env.rstrip("*") == "theoremEnd":
        return _at_end(node, groups, syntax)
    declared = syntax.theorems.get(node.env)
    if declared and declared.takes == "braces":
        return _boxed(node, groups, declared)
    position = node.content
    again = ""
    labels: tuple[str, ...] = ()
    span: tuple[int, int] | None = None
    bracket = _bracket(groups, position)
    if bracket:
        position = bracket[1] + 1
        span, labels = _options(groups.text, bracket)
        again = _restated(groups.text[slice(*bracket)])
        position = _past_options(node, groups, position)
    for _ in range(syntax.arguments.get(node.name, 0)):
        argument = groups.braces(position)
        if not argument:
            break
        position = argument[1] + 1
        span = span or argument
    content = min(position, node.inner_end)
    title = _begun(node, groups, syntax) or _title(groups.text, span) or _plain(node.title)
    title = title or _opening(node, groups.text, content)
    return BlockHead(_referring(node, title, syntax), span, labels, "", content, again)


def _opening(node: Node, text: str, content: int) -> str:
    r"""The title that consists of the first words of a proof: `{\sc Proof of Lemma \ref{a}.}`.

    It ends with the result it names: "Proof of Lemma 2 carries over." is a sentence of the proof.
    """
    match = _OPENS.match(text, content, node.inner_end) if node.shape == "proof" else None
    said = match["said"] if match else ""
    return said if says_so(said) and _VERB.search(said) is None else ""


_VERB = regex(r"\b(?:{verb})\b", words_of=__file__)
_REFERS = regex(r"\\[A-Za-z]*[Rr]ef(?![A-Za-z])")


def _referring(node: Node, title: str, syntax: Syntax) -> str:
    r"""A proof's title with reference macros expanded: `\thmref{a}` becomes `\ref{thm:a}`."""
    if node.shape != "proof" or "\\" not in title:
        return title

    def meaning(name: str) -> macros.Macro | None:
        macro = syntax.macros.get(name)
        return macro if macro and _REFERS.search(macro.body) else None

    return macros.expanded(title, meaning, _LONGEST)


def _past_options(node: Node, groups: Groups, position: int) -> int:
    """The position after the options that follow a title, if the proof is at the end."""
    more = _bracket(groups, position) if node.env != node.name else None
    return more[1] + 1 if more and _AT_END.fullmatch(groups.text, *more) else position


def _begun(node: Node, groups: Groups, syntax: Syntax) -> str:
    """The title that an environment's definition gives to the proof that it begins."""
    macro = syntax.titles.get(node.name)
    found = macros.arguments(macro, groups, node.content) if macro else None
    if macro is None or found is None:
        return ""
    values = [macros.NO_VALUE if span is None else groups.text[slice(*span)] for span in found[0]]
    return _plain(macros.filled(macro, macro.body, values, _LONGEST) or "")


def _tagged(node: Node) -> BlockHead:
    labels = (node.title,) if node.title else ()
    number, kind = parsed_file.number(node.title), parsed_file.kind(node.name)
    return BlockHead("", None, labels, kind, node.content, number=number)


def _restated(inside: str) -> str:
    """The restating command that thmtools defines: `[restate=gold]`."""
    return option(inside, "restate") if _KEY_VALUE.match(inside) else ""


def _bracket(groups: Groups, position: int) -> tuple[int, int] | None:
    found = groups.brackets(position)
    return found if found and "\n\n" not in groups.text[position : found[0]] else None


def _options(text: str, span: tuple[int, int]) -> tuple[tuple[int, int] | None, tuple[str, ...]]:
    """A plain title, or thmtools' `name=…, label=…`."""
    inside = text[slice(*span)]
    if not _KEY_VALUE.match(inside):
        return span, ()
    label = option(inside, "label")
    for key in ("name", "title", "note"):
        name = option(inside, key)
        if name:
            start = span[0] + inside.index(name)
            return (start, start + len(name)), (label,) if label else ()
    return None, (label,) if label else ()


def _boxed(node: Node, groups: Groups, declared: Theorem) -> BlockHead:
    """tcolorbox: `[options]{title}{label}`; the label is joined to the declared prefix."""
    position = node.content
    bracket = groups.brackets(position)
    title = groups.braces(bracket[1] + 1 if bracket else position)
    if not title:
        return BlockHead("", None, (), "", position)
    key, end = boxed_key(declared, groups, title[1] + 1)
    named = option(groups.text[slice(*bracket)], "label") if bracket else ""
    labels = tuple(filter(None, (key, named)))
    return BlockHead(_title(groups.text, title), title, labels, "", min(end, node.inner_end))


def _restatable(node: Node, groups: Groups, syntax: Syntax) -> BlockHead:
    bracket = _bracket(groups, node.content)
    env = groups.braces(bracket[1] + 1 if bracket else node.content)
    macro = groups.braces(env[1] + 1) if env else None
    if not env:
        return BlockHead("", None, (), "", node.content)
    span, labels = _options(groups.text, bracket) if bracket else (None, ())
    name = groups.text[slice(*env)].strip()
    kind = syntax.kinds.get(syntax.environment(name), name)
    end = min((macro or env)[1] + 1, node.inner_end)
    again = groups.text[slice(*macro)].strip() if macro else ""
    return BlockHead(_title(groups.text, span), span, labels, kind, end, again)


def _at_end(node: Node, groups: Groups, syntax: Syntax) -> BlockHead:
    """`[options]{lemma}[title]`, of the package proof-at-the-end."""
    options = _bracket(groups, node.content)
    env = groups.braces(options[1] + 1 if options else node.content)
    if not env:
        return BlockHead("", None, (), "", node.content)
    bracket = _bracket(groups, env[1] + 1)
    span, labels = _options(groups.text, bracket) if bracket else (None, ())
    name = groups.text[slice(*env)].strip()
    kind = syntax.kinds.get(syntax.environment(name), name)
    end = min((bracket or env)[1] + 1, node.inner_end)
    return BlockHead(_title(groups.text, span), span, labels, kind, end)


def _title(text: str, span: tuple[int, int] | None) -> str:
    return _plain(text[slice(*span)]) if span else ""


def _plain(title: str) -> str:
    return " ".join(_LABEL.sub("", title).split())


def is_name(title: str, kind: str) -> bool:
    """Whether the title of a result is just a name or an attribution.

    A formula could be a hypothesis, and a reference points to something.
    """
    is_result = role_of(kind) in (Role.RESULT, Role.OPEN)
    return is_result and not _FORMULA.search(title) and not labels_in(title)


def with_name(text: str, title: str, kind: str) -> str:
    """A text with the name of the result put before it, because names also use terms."""
    return f"({title}) {text}" if title and is_name(title, kind) else text


_FONT = (
    r"(?:text(?:bf|it|md|normal|rm|sc|sf|sl|tt|up)|(?:bf|md|rm|sf|tt)(?:series|family)"
    r"|(?:it|sc|sl|up)shape|normalfont|emph|em|bf|it|rm|sc|sf|sl|tt|underline|uline|small|large"
    r"|L(?:arge|ARGE)|[hH]uge)"
)
_MUTE = (
    rf"(?:[\s~{{}}()\[\].:,;–—-]|\\[ ,;:!/\\]"
    rf"|\\(?:{_FONT}|proofname|noindent|nopunct|unskip|protect|q?quad)(?![A-Za-z]))"
)
BARE = regex(rf"{_MUTE}*+(?i:(?:{{bare}})(?:{_MUTE}+(?:{{sketch}}))?)?{_MUTE}*+", words_of=__file__)
"""The title of a proof that only says that it is one, in any font.

A formula names a part, `($\\Rightarrow$)`, and an unknown command may mean anything.
"""


def labels_in(title: str) -> tuple[str, ...]:
    """The labels in a title's references, as in `[Proof of \\cref{x}]`."""
    return tuple(REFERENCE.findall(title))


class NumberedTarget(NamedTuple):
    """A result by its kind and number: "theorem", "2.1"."""

    kind: str
    number: str


_GAP = r"(?:[\s~]|\\[ ,;])+"
_NUMBER = r"(?:(?:[A-Z]\.)?\d{1,3}(?:\.\d{1,3}){0,3}|[A-Z]|[IVX]{2,5})['*′]{0,2}(?!\w|\.\d|-\w)"
_JOINT = rf"(?:\s*,(?:{_GAP}(?:{{and}}))?\s*|{_GAP}(?:{{and}}|\\&|{{to}}){_GAP}|\s*(?:--?-?|–)\s*)"
_NAMED = regex(
    rf"(?P<kind>[^\W\d_]{{2,20}}\.?){_GAP}\(?(?P<numbers>{_NUMBER}(?:{_JOINT}{_NUMBER}){{0,9}})\)?",
    words_of=__file__,
)
_REFERRING = r"\\(?:[A-Za-z]*[Rr]ef\*?|hyperref\[[^\[\]\n]{1,80}\])\s?\{[^{}\n]{1,80}\}"
_ITEM = (
    rf"(?:(?:{{of}}){_GAP})?(?:(?:{{the}}){_GAP})?(?:[^\W\d_]{{2,20}}{_GAP})?\(?(?:{_REFERRING}|{_NUMBER})\)?"
    rf"(?:(?:,?{_GAP}(?:{{part}}))?[ ~]?"
    r"\((?:[^(){}\n]|\{[^{}\n]{0,80}\}){1,80}\))?"
)
_BETWEEN = r"(?:[\s~'’(),-]|\\[ ,])"
_OPENS = regex(
    r"\s*(?:\{\s*)?(?:\\[A-Za-z]+(?:\s*\{|\s))?\s*"
    r"(?P<said>(?:{proof})"
    rf"(?:{_BETWEEN}{{1,4}}(?![IVX]+\b|[A-Z]\b)[^\W\d_]+(?![^\W\d_])){{1,9}}?{_BETWEEN}{{1,4}}"
    rf"(?:{_ITEM}(?:{_JOINT}{_ITEM}){{0,9}}+"
    r"|{main_result}))"
    r"[ \t~]*(?:\.(?!\d)|[:}–—]|---?(?=\s)|\\\\|\\(?:par|newline)(?![A-Za-z])|\Z"
    r"|(?:%[^\n]*)?\n(?:[ \t]*\n|\s*(?=[A-ZÀ-Þ]|\\(?:begin|par|noindent)(?![A-Za-z])|\\\[)))",
    words_of=__file__,
)
"""First words of a proof that name what it proves and end there, or with the line."""
_ONE = regex(_NUMBER)
_JOINED = regex(rf"{_JOINT}(?:(?:{{the}}){_GAP})?", words_of=__file__)
_RANGE = regex(r"[\s~]*(?:--?-?|–|\b(?:{to}|{through})\b)[\s~]*", words_of=__file__)
_MOST = 50
_IMPLIES = regex(
    r"\b(?:{implies})\b|\\(?:implies|Rightarrow|Longrightarrow)(?![A-Za-z])|⇒", words_of=__file__
)
_BY = regex(r"\b(?:{means})\b", words_of=__file__)
_BY_AT_END = regex(
    r"\b(?:{means})\b[\s~]*(?:(?:{the})[\s~]+)?(?:[^\W\d_]{2,20}\.?)?[\s~]*\(?\Z",
    words_of=__file__,
)
_ELSEWHERE = regex(r"\\[A-Za-z]*cite|\[")


def proved_labels(title: str) -> tuple[str, ...]:
    """The labels of the results proved, without those of the results used."""
    return labels_in(_aim(title)) if "ef" in title else ()


def means_in(title: str) -> tuple[int, int]:
    """The span of a title's words about what the proof uses, with the leading word; empty if none.

    It ends with the group or the parentheses around it.
    """
    first = _first(title)
    if first is None:
        return 0, 0
    by = _BY_AT_END.search(title[: first.start()])
    implies = None if by else _IMPLIES.search(title, first.end())
    if implies and _first(title[implies.end() :]):
        begin = _TITLE.match(title)
        return begin.end() if begin else 0, implies.end()
    means = by or _BY.search(title, first.end())
    if means is None or not (by or _first(title[means.end() :])):
        return 0, 0
    return means.start(), _closing(title, means.start())


def _closing(title: str, start: int) -> int:
    """Where the first bracket opened before `start` closes; otherwise the end."""
    depth = {"}": 0, ")": 0}
    for position in range(start, len(title)):
        letter = title[position]
        if letter in "{(":
            depth["}" if letter == "{" else ")"] += 1
        elif letter in "})":
            if not depth[letter]:
                return position
            depth[letter] -= 1
    return len(title)


def ranges(title: str) -> tuple[tuple[str, str], ...]:
    """Pairs of labels that are the ends of ranges: `Theorems \\ref{a}--\\ref{c}`."""
    aim = _aim(title) if "ef" in title else ""
    found = list(REFERENCE.finditer(aim))
    return tuple(
        (one[1].rpartition(",")[2].strip(), other[1].partition(",")[0].strip())
        for one, other in itertools.pairwise(found)
        if _RANGE.fullmatch(aim, one.end(), other.start())
    )


def number_in(printed: str, kind: str) -> str:
    """The number at the end of an environment's printed name: "A" of "Theorem A"; else ""."""
    match = _NAMED.fullmatch(printed.strip())
    is_one = match is not None and _ONE.fullmatch(match["numbers"]) is not None
    return match["numbers"] if match and is_one and named_kind(match["kind"]) == kind else ""


def named_results(title: str) -> tuple[NumberedTarget, ...]:
    """The results that are proved, by kind and number; none if another work is named."""
    aim = _aim(with_letters(title))
    if _ELSEWHERE.search(aim) or REFERENCE.search(aim):
        return ()
    found: list[NumberedTarget] = []
    end = -1
    for match in _NAMED.finditer(aim):
        kind = named_kind(match["kind"])
        if kind and (not found or _JOINED.fullmatch(aim, end, match.start())):
            found += [NumberedTarget(kind, number) for number in _listed(match["numbers"])]
            end = match.end()
    return tuple(found)


def _aim(title: str) -> str:
    """A title's part about the results proved: "Theorem B" of "that Lemma N implies Theorem B"."""
    first = _first(title)
    if first is None or _BY_AT_END.search(title[: first.start()]):
        return ""
    implies = _IMPLIES.search(title, first.end())
    if implies and _first(title[implies.end() :]):
        return title[implies.end() :]
    means = _BY.search(title, first.end())
    return title[: means.start()] if means else title


def _first(title: str) -> re.Match[str] | None:
    """The first reference, or else the first kind with a number."""
    found = (match for match in _NAMED.finditer(title) if named_kind(match["kind"]))
    return REFERENCE.search(title) or next(found, None)


def _listed(text: str) -> list[str]:
    """The numbers of a list, including those between the ends of a range."""
    found = list(_ONE.finditer(text))
    numbers = [found[0][0]]
    for one, other in itertools.pairwise(found):
        if _RANGE.fullmatch(text[one.end() : other.start()]):
            numbers += _between(one[0], other[0])
        numbers.append(other[0])
    return numbers


def _between(first: str, last: str) -> list[str]:
    head, dot, end = last.rpartition(".")
    start = first.rpartition(".")
    if start[0] != head or not (start[2].isdigit() and end.isdigit()):
        return []
    count = int(end) - int(start[2])
    return [f"{head}{dot}{int(start[2]) + more}" for more in range(1, min(count, _MOST))]


_TITLE = regex(r"\s*(?:(?i:{the})[\s~]+)?(?:{proof})\b[\s~]*", words_of=__file__)
_MAIN = regex(r"\b(?:{of}|{of_it})\b.*\b(?:{main})\b|\b(?:{main_begin})", words_of=__file__)
_LABELS = regex(r"(?:\s*\\label\s*\{[^{}]*\})*\s*")
BACK_MATTER = regex(
    r"\\(?:bibliography(?:style)?|printbibliography|appendix|backmatter)(?![A-Za-z])"
    r"|\\(?:begin|end)\s*\{(?:thebibliography|document)\}"
)
"""Commands other than headings that end the text of a section."""
_SHAPES = ("statement", "proof")
_SHORTEST = 40  # characters of a section that may be a proof

Shape = Callable[[str], str]
"""Maps an environment's name to its shape."""


def says_so(title: str) -> bool:
    """Whether the title of a section says that the section proves a result, and which."""
    if not _TITLE.match(title):
        return False
    return bool(proved_labels(title) or named_results(title) or _MAIN.search(title))


class SectionProofs(NamedTuple):
    """The results that a section proves, by label or number; `is_all` if it does nothing else."""

    labels: tuple[str, ...]
    results: tuple[NumberedTarget, ...]
    is_all: bool


def proved_in_section(title: str) -> SectionProofs | None:
    """The results that a title says its section proves; None if the title is only about a proof."""
    if _SAYS_PROOF.search(title) is None or _ABOUT.search(title):
        return None
    keys = ",".join(proved_labels(title)).split(",")
    return SectionProofs(tuple(map(str.strip, keys)), named_results(title), says_so(title))


_SAYS_PROOF = regex(r"(?i:{proof})", words_of=__file__)
_ABOUT = regex(r"\b(?i:{about})\b", words_of=__file__)


_CALLED_MAIN = regex(r"\b(?:{called_main})", re.IGNORECASE, words_of=__file__)
_ABOUT_MAIN = regex(r"\b(?:{toward})[\s~]+(?:{called_main})", re.IGNORECASE, words_of=__file__)


def is_called_main(title: str) -> bool:
    """Whether the title of a result says that it is the main one, not a step towards it."""
    return _CALLED_MAIN.search(title) is not None and _ABOUT_MAIN.search(title) is None


def with_section_proofs(
    text: str, listed: Sequence[CommandEvent], shape: Shape
) -> Sequence[CommandEvent]:
    """The events, with begin and end added for each section that is just a proof."""
    headings = [index for index, event in enumerate(listed) if event.kind == "section"]
    made: list[CommandEvent] = []
    for index, following in itertools.pairwise((*headings, len(listed))):
        heading = listed[index]
        if not says_so(heading.note):
            continue
        last = _last(listed, headings, index)
        if _has_own_proof(text, heading.note, listed[index + 1 : last], shape):
            continue
        parts = (listed[inner].note for inner in headings if index < inner < last)
        ends = (following,) if any(map(says_so, parts)) else (last, following)
        proofs = (_proof(text, heading, listed[index + 1 : end + 1], shape) for end in ends)
        made += next(filter(None, proofs), ())
    return sorted((*made, *listed), key=_place) if made else listed


_OPTION = regex(r"\[([^\[\]\n]{1,200})\]")


def _has_own_proof(text: str, title: str, inside: Sequence[CommandEvent], shape: Shape) -> bool:
    """Whether a proof in a section names a result that the section's title names."""
    keys = frozenset(proved_labels(title))
    begun = (event for event in inside if event.kind == "begin" and shape(event.name) == "proof")
    options = (_OPTION.match(text, event.end) for event in begun) if keys else ()
    return any(match and not keys.isdisjoint(proved_labels(match[1])) for match in options)


def _last(listed: Sequence[CommandEvent], headings: Sequence[int], index: int) -> int:
    """The index of the heading after a section and its parts; the number of events if none."""
    depth = HEADINGS.get(listed[index].name, 0)
    later = (other for other in headings if other > index)
    return next((one for one in later if HEADINGS.get(listed[one].name, 0) <= depth), len(listed))


def _place(event: CommandEvent) -> int:
    return event.start


def _proof(
    text: str, heading: CommandEvent, behind: Sequence[CommandEvent], shape: Shape
) -> tuple[CommandEvent, ...]:
    """Begin and end of the proof under a heading; () if there is more than a proof."""
    labels = _LABELS.match(text, heading.end)
    start = labels.end() if labels else heading.end
    following = behind[-1].start if behind and behind[-1].kind == "section" else len(text)
    stop = BACK_MATTER.search(text, start, following)
    end = stop.start() if stop else following
    inner = [event for event in behind if start <= event.start < end]
    depth = 0
    for event in inner:
        depth += {"begin": 1, "end": -1}.get(event.kind, 0)
        if depth < 0 or (event.kind == "begin" and shape(event.name) in _SHAPES):
            return ()
    if depth or len(text[start:end].strip()) < _SHORTEST:
        return ()
    begin = CommandEvent(start, start, "begin", SECTION, (), heading.note.strip())
    return begin, CommandEvent(end, end, "end", SECTION, (), "")
