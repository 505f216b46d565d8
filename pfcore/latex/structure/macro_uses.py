"""Uses of macros that stand for whole statements or proofs: `\\Thm{x}{Let …}`.

What such a macro stands for is read in its place, so that the words in its arguments count.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from pfcore.latex.lexer.event import CommandEvent
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.project.splice import Inset, Joined, SplicedSource
from pfcore.latex.structure.scanner import CommandScanner

_BLOCKS = ("statement", "proof")
_DEEPEST = 40

Shape = Callable[[str], str]
"""From an environment's name to its shape."""
Span = tuple[int, int]


def uses(listed: Iterable[CommandEvent], flat: Iterable[CommandEvent], shape: Shape) -> set[int]:
    """Where the uses begin; `flat` has what active macros make at the places of these."""
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
    """The source with what the uses stand for in their place; `joined` is its text till now."""
    groups = Groups(joined.text)
    insets = list(source.insets)
    for (start, end), body in _bodies(groups, listed, starts, scanner, None):
        own = joined.back(start), joined.back(end, is_end=True)
        if joined.is_own(start) and own[1] - own[0] == end - start:
            text = _expanded(body, scanner, shape, own[0], 1)
            insets.append(Inset(*own, SplicedSource(text, is_use=True)))
    return source._replace(insets=insets)


def _bodies(
    groups: Groups,
    listed: Sequence[CommandEvent],
    starts: Collection[int],
    scanner: CommandScanner,
    at: int | None,
) -> Iterator[tuple[Span, str]]:
    """What each use stands for, with its span."""
    for event in listed:
        if event.kind == "active" and event.start in starts:
            made = scanner.expand(groups, event, at)
            if made is not None:
                yield (event.start, made[1]), made[0]


def _expanded(body: str, scanner: CommandScanner, shape: Shape, at: int, depth: int) -> str:
    """A body with what the uses in it stand for in their place."""
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
