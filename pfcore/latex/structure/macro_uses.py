r"""Uses of macros that stand for whole statements or proofs: `\Thm{x}{Let …}`.

Such a macro is replaced by its expansion, so that the words in its arguments count.

Arguments that a macro of the paper drops are blanked: `\hide{…}`, if its body is empty. LaTeX
prints nothing of them, so they are not in the paper. If such an argument has only references, it is
taken as a note of what is used, and kept.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.latex.lexer.commands import CommandEvent
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import mask
from pfcore.latex.macros import macro
from pfcore.latex.macros.macro import Macro
from pfcore.latex.macros.macro_table import MacroChange
from pfcore.latex.project.kinds import is_known, kind_of, named_kind, unaccented
from pfcore.latex.project.recipes import Inset, Joined, KeptWords, SplicedSource
from pfcore.latex.project.syntax import Syntax
from pfcore.latex.structure.scanner import CommandScanner

_BLOCKS = ("statement", "proof")
_DEEPEST = 40

Shape = Callable[[str], str]
"""Maps an environment's name to its shape."""
Span = tuple[int, int]


def uses(listed: Iterable[CommandEvent], flat: Iterable[CommandEvent], shape: Shape) -> set[int]:
    """The offsets of such uses; `flat` has the events of active macros, at the macros' places."""
    active = {event.start for event in listed if event.kind == "active"}
    if not active:
        return active
    begun: set[tuple[int, int, str]] = set()
    found: set[int] = set()
    for event in flat:
        if event.start not in active:
            continue
        key = event.start, event.end, event.name
        if event.kind == "begin" and shape(event.name) in _BLOCKS:
            begun.add(key)
        elif event.kind == "end" and key in begun:
            found.add(event.start)
    return found


def put_in(
    source: SplicedSource,
    joined: Joined,
    listed: Sequence[CommandEvent],
    starts: Collection[int],
    scanner: CommandScanner,
    shape: Shape,
) -> SplicedSource:
    """The source with the uses replaced by their expansions; `joined` is its text so far."""
    groups = Groups(joined.text)
    insets = list(source.insets)
    for (start, end), body in _bodies(groups, listed, starts, scanner, None):
        own = joined.back(start), joined.back(end, is_end=True)
        if joined.is_own(start) and joined.is_as_written(start, end):
            text = _expanded(body, scanner, shape, own[0], 1)
            changes = _defined_within(source, own)
            made = SplicedSource(text, changes=changes, is_use=True)
            insets.append(Inset(*own, made, tuple(_kept(text, joined, (start, end), groups))))
    return source._replace(insets=insets)


_LINES = regex(r"[^\s\n](?:[^\n]*[^\s\n])?")
_OPENING = regex(r"(?<!\\)[{\[]")
_LEAST = 8
"""The fewest characters of a line that is searched in an expansion; a shorter one says little."""


def _kept(text: str, joined: Joined, use: Span, groups: Groups) -> Iterator[KeptWords]:
    """The lines of a use's arguments that occur in its expansion, exactly once and in order."""
    done = 0
    lines = (line for one in _groups_in(groups, use) for line in _LINES.finditer(joined.text, *one))
    for start, end in (line.span() for line in lines):
        found = text.find(joined.text[start:end], done) if end - start >= _LEAST else -1
        own = joined.back(start)
        is_whole = joined.back(end, is_end=True) - own == end - start
        if found >= 0 and is_whole and text.find(joined.text[start:end], found + 1) < 0:
            done = found + end - start
            yield KeptWords(found, done, own)


def _groups_in(groups: Groups, use: Span) -> Iterator[Span]:
    """The spans in outermost braces or brackets in a use."""
    position, last = use
    while opened := _OPENING.search(groups.text, position, last):
        at = opened.start()
        span = groups.braces(at) if opened[0] == "{" else groups.brackets(at)
        if span:
            yield span
        position = span[1] + 1 if span else at + 1


def _defined_within(source: SplicedSource, use: Span) -> tuple[MacroChange, ...]:
    """The macros that the arguments of a use define, as changes at the start of its text."""
    found: dict[str, MacroChange] = {}
    for change in source.changes:
        if use[0] <= change.offset < use[1] and change.macro is not None:
            found.setdefault(change.name, change._replace(offset=0))
    return tuple(found.values())


def _bodies(
    groups: Groups,
    listed: Sequence[CommandEvent],
    starts: Collection[int],
    scanner: CommandScanner,
    at: int | None,
) -> Iterator[tuple[Span, str]]:
    """The expansion of each use, with its span."""
    for event in listed:
        if event.kind == "active" and event.start in starts:
            made = scanner.expand(groups, event, at)
            if made is not None:
                yield (event.start, made[1]), made[0]


def _expanded(body: str, scanner: CommandScanner, shape: Shape, at: int, depth: int) -> str:
    """A body with the uses in it replaced by their expansions."""
    groups, listed = scanner.body(body, at)
    starts = uses(listed, scanner.flatten(groups, listed, at), shape)
    if not starts or depth >= _DEEPEST:
        return body
    pieces: list[str] = []
    done = 0
    for (start, end), inner in _bodies(groups, listed, starts, scanner, at):
        pieces += (body[done:start], _expanded(inner, scanner, shape, at, depth + 1))
        done = end
    return "".join((*pieces, body[done:]))


_BEGUN = regex(r"\\(?P<which>begin|end)\s*\{\s*(?P<name>[^{}\n]{1,80}?)\s*\}")


def with_sayings(source: SplicedSource, syntax: Syntax) -> SplicedSource:
    """The source with the text that the paper's environments add at their beginning and end.

    This text is words, labels, and statements that an argument names.
    """
    names = {*syntax.sayings, *syntax.openers, *syntax.labellers}
    if not names:
        return source
    insets = [inset._replace(source=with_sayings(inset.source, syntax)) for inset in source.insets]
    if any(f"{{{name}}}" in source.text for name in names):
        insets += _said(source, syntax, names)
    return source._replace(insets=insets)


class _OwnBegin(NamedTuple):
    """The begin of a paper's environment: name, offset, end of the arguments, their values."""

    name: str
    start: int
    place: int
    values: list[str]


def _said(source: SplicedSource, syntax: Syntax, names: Collection[str]) -> Iterator[Inset]:
    """The insets of a file's own environments; words replace the commands of a non-block."""
    text = mask(source.text, syntax.dead).text
    groups, silent = Groups(text), Spans(source.silent)
    taken = Spans((inset.start, inset.end) for inset in source.insets)
    opened: list[_OwnBegin] = []
    for match in _BEGUN.finditer(text):
        name = match["name"]
        if name not in names or silent.covers(match.start()) or taken.covers(match.end()):
            continue
        if match["which"] == "begin":
            begun = _begun(match, groups, syntax)
            opened.append(begun)
            if name in syntax.labellers and begun.place < len(text):
                labels = _labels(begun, syntax.labellers[name])
                yield Inset(begun.place, begun.place, SplicedSource(labels, is_use=True))
        elif opened and opened[-1].name == name:
            yield from _pair(opened.pop(), match, syntax)


def _begun(match: re.Match[str], groups: Groups, syntax: Syntax) -> _OwnBegin:
    """Read the arguments after an environment's begin."""
    name = match["name"]
    pair = syntax.openers.get(name) or syntax.sayings.get(name)
    begin = pair[0] if pair else syntax.labellers[name]
    found = macro.arguments(begin, groups, match.end())
    spans = found[0] if found else ()
    values = [macro.NO_VALUE if one is None else groups.text[slice(*one)] for one in spans]
    return _OwnBegin(name, match.start(), found[1] if found else match.end(), values)


_LABEL = regex(r"\\label\s*(?:\[[^\[\]{}]{0,60}\]\s*)?(?=\{)")


def _labels(begun: _OwnBegin, labels: Macro) -> str:
    """The labels of an environment's begin; none if all arguments are empty or missing."""
    given = [value for value in begun.values if value != macro.NO_VALUE]
    if not any(map(str.strip, given)):
        return ""
    groups = Groups(macro.compared(macro.substitute(labels, begun.values)))
    spans = [(match.start(), groups.braces(match.end())) for match in _LABEL.finditer(groups.text)]
    return "".join(groups.text[start : span[1] + 1] for start, span in spans if span)


def _pair(begun: _OwnBegin, end: re.Match[str], syntax: Syntax) -> Iterator[Inset]:
    """The insets that replace an environment's begin and end, or are added inside them."""
    name = begun.name
    if name in syntax.openers:
        begin, close = syntax.openers[name]
        opening = macro.decided(macro.substitute(begin, begun.values))
        closing = macro.substitute(close, begun.values)
        has_title = _BRACKET.match(end.string, begun.place) is not None
        if opening is not None and (worded := _worded(opening, syntax, has_title=has_title)):
            opening, closing = worded
        elif opening is not None:
            opening, closing = (_of_kind(code, syntax) for code in (opening, closing))
        if opening is not None and _is_block(opening, syntax):
            opening = opening.replace(macro.NO_VALUE, "")
            yield Inset(begun.start, begun.place, SplicedSource(opening, is_use=True))
            yield Inset(end.start(), end.end(), SplicedSource(closing, is_use=True))
    elif name in syntax.sayings:
        is_frame = name in syntax.aliases or name in syntax.kinds or name in syntax.proofs
        start, stop = (begun.place, end.start()) if is_frame else (begun.start, end.end())
        places = (start, begun.place), (end.start(), stop)
        for span, said in zip(places, syntax.sayings[name], strict=True):
            words = macro.substitute(syntax.sayings[name][0], begun.values, said.body)
            words = words.replace(macro.NO_VALUE, "")
            if words.strip() or not is_frame:
                yield Inset(*span, SplicedSource(words, is_use=True))


_LETTER = 3
_MOST_WORDS = 2
"""The most words of a kind in words; a letter or number of `_LETTER` characters may follow."""


_REFERENCE = regex(r"\\[A-Za-z@]+\*?\s*\{[^{}]*\}")
_BRACKET = regex(r"\s{0,20}\[")


def _worded(opening: str, syntax: Syntax, *, has_title: bool) -> tuple[str, str] | None:
    """Begin and end of a statement whose printed word is given, `\\begin{Main Lemma}[Main Lemma]`.

    Its kind is the last one that the word names, or else theorem; a longer word is also its title,
    unless a title follows.
    """
    name = Groups(opening).braces(len("\\begin"))
    word = opening[slice(*name)] if name else ""
    if not name or not opening.startswith(f"[{word}]", name[1] + 1):
        return None
    kind = kind_of("", unaccented(_REFERENCE.sub(" ", word)))
    kind = kind if is_known(kind) and kind in syntax.kinds else "theorem"
    plain = unaccented(word).strip()
    is_only_kind = plain.isalpha() and named_kind(plain)
    title = f"{{{word}}}" if "]" in word else word
    title = "" if has_title or is_only_kind or not word.strip() else f"[{title}]"
    return f"\\begin{{{kind}}}{title}{opening[name[1] + len(word) + 3 :]}", f"\\end{{{kind}}}"


def _of_kind(code: str, syntax: Syntax) -> str:
    """Code in which an environment's name in words, "Main Theorem", is replaced by the kind.

    A name with more words is a title, and is kept.
    """
    match = _BEGUN.search(code)
    if match is None or match["name"] in syntax.kinds or match["name"] in syntax.proofs:
        return code
    words = unaccented(match["name"]).replace("~", " ").split()
    if len(words) > 1 and len(words[-1]) <= _LETTER:
        words.pop()
    kind = named_kind(words[-1]) if 0 < len(words) <= _MOST_WORDS else ""
    return f"{code[: match.start('name')]}{kind}{code[match.end('name') :]}" if kind else code


def _is_block(code: str, syntax: Syntax) -> bool:
    """Whether code begins a single environment, which is a statement or proof."""
    opened = [match["name"] for match in _BEGUN.finditer(code) if match["which"] == "begin"]
    return len(opened) == 1 and (opened[0] in syntax.kinds or opened[0] in syntax.proofs)


_NOTE = regex(r"\s*(?:\\[A-Za-z]*[Rr]ef\*?\s*\{[^{}]*\}[\s,;]*)+")
_VISIBLE = regex(r"[^\n]")


def without(text: str, syntax: Syntax) -> str:
    """The text with dropped arguments blanked, with the same offsets."""
    if not syntax.dropping or not any(f"\\{name}" in text for name in syntax.dropping):
        return text
    names = "|".join(sorted(map(re.escape, syntax.dropping), key=len, reverse=True))
    pieces: list[str] = []
    done = 0
    for start, end in sorted(_spans(text, syntax, names)):
        if start >= done:
            pieces += (text[done:start], _VISIBLE.sub(" ", text[start:end]))
            done = end
    return "".join((*pieces, text[done:]))


def _spans(text: str, syntax: Syntax, names: str) -> Iterator[tuple[int, int]]:
    dropped = _dropped(text, syntax, names)
    return (span for span in dropped if not _NOTE.fullmatch(text, *span))


def _dropped(text: str, syntax: Syntax, names: str) -> Iterator[tuple[int, int]]:
    """The arguments in braces that macros of the paper drop."""
    groups = Groups(text)
    for match in re.finditer(rf"(?<!\\)\\({names})(?![A-Za-z@])", text):
        found = macro.arguments(syntax.macros[match[1]], groups, match.end())
        gone = syntax.dropping[match[1]]
        for index, span in enumerate(found[0]) if found else ():
            if index in gone and span and text[span[0] - 1] == "{":
                yield span
