r"""What `\ref` prints for list items: options of enumitem, enumerate and paralist.

Source: .aux files written by these packages; see https://ctan.org/pkg/enumitem, and so on.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.groups import Groups

STYLES = {"A": "Alph", "a": "alph", "I": "Roman", "i": "roman", "1": "arabic"}
"""The command that prints a number, by the letter that stands for it in an option."""
_STARRED = regex(r"\\(arabic|alph|Alph|roman|Roman)\s*\*")
_UNKNOWN_COUNTER = regex(r"\\(?!arabic|alph|Alph|roman|Roman)[A-Za-z@]+\s*\*")
_KEY = regex(r"\s*([A-Za-z]+\*?)\s*(?:=\s*(.*?)\s*)?", re.DOTALL)
_PIECE = regex(r"\\(?:[A-Za-z@]+|.)|\{(?:[^{}]|\{[^{}]*\})*\}|.", re.DOTALL)
_RUNS = regex(r"def(?![A-Za-z])|let(?![A-Za-z])|command|counter|item")
"""Found in code of an option that may count, or print counters differently."""
_IDLE = frozenset(
    """topsep itemsep parsep partopsep leftmargin rightmargin itemindent listparindent labelwidth
    labelindent labelindent* labelsep labelsep* left align font format style widest widest* wide
    nosep noitemsep nolistsep beginpenalty midpenalty endpenalty itemjoin itemjoin* afterlabel mode
    after after*""".split()
)
"""Keys of enumitem that affect neither counting nor labels."""
_RUNNING = frozenset({"before", "before*", "first", "first*"})
LEVELS = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii")
"""The suffixes of the names of list counters, by depth."""
SHORT = "shortlabels"
"""The option of enumitem that lets lists take `[(i)]`."""


class ListForm(NamedTuple):
    r"""How the items of a list are referred to.

    `body` is the new body of their counter's `\the…`, "" if unchanged; `is_whole` says that no
    outer list is named before it; `start` is the first number; nothing is known unless `is_known`.
    """

    body: str = ""
    is_whole: bool = False
    start: int = 1
    is_known: bool = True


PLAIN = ListForm()
UNKNOWN = ListForm(is_known=False)


def list_form(
    options: str, settings: Iterable[str], counter: str, given: Mapping[str, set[str]]
) -> ListForm:
    """The form of a list with options (or "") in a document; `given` are packages with options.

    `settings` are the settings for such lists, the most general first.
    """
    settings = [text for text in settings if text.strip()]
    loaded = {"enumitem", "enumerate", "paralist"} & given.keys()
    if not options.strip() and not settings:
        return PLAIN
    if loaded == {"enumitem"}:
        is_short = SHORT in given["enumitem"]
        found = PLAIN
        for text in [*settings, options]:
            found = _with_keys(found, text, counter, is_short=is_short)
        return found
    if len(loaded) == 1 and not settings:
        return _with_letter(options, counter)
    return UNKNOWN


def key_values(text: str) -> list[tuple[str, str | None]]:
    """Keys and their values, None without one; a piece that is not a key stands for itself."""
    found: list[tuple[str, str | None]] = []
    for piece in split_options(text):
        match = _KEY.fullmatch(piece)
        if match:
            found.append((match[1], match[2]))
        elif piece.strip():
            found.append((piece.strip(), None))
    return found


def split_options(text: str) -> Iterator[str]:
    """The pieces between commas outside braces; nothing if the braces do not match."""
    depth, start, pieces = 0, 0, []
    for index, letter in enumerate(text):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            pieces.append(text[start:index])
            start = index + 1
    if depth == 0:
        yield from (*pieces, text[start:])


def names_and_levels(text: str) -> tuple[list[str], list[str]]:
    r"""The names and the depths of the lists that `\setlist[steps,1]` is about."""
    listed = [item.strip() for item in text.split(",") if item.strip()]
    return [item for item in listed if not item.isdigit()], [i for i in listed if i.isdigit()]


def is_about_labels(text: str) -> bool:
    """Whether settings may change how items are counted or labelled."""
    return any(key not in _IDLE for key, _ in key_values(text))


def _with_keys(found: ListForm, text: str, counter: str, *, is_short: bool) -> ListForm:
    """A form as changed by keys of enumitem; in one set of keys `ref` overrides `label`."""
    own = ""
    for place, (key, value) in enumerate(key_values(text)):
        if key in _IDLE or (key in _RUNNING and not _RUNS.search(value or "")):
            continue
        inner = _unbraced(value or "")
        if key == "label" and value:
            found = _labelled(found, inner, counter)
        elif key == "ref" and value:
            own = inner
        elif key == "start" and inner.isascii() and inner.isdigit() and len(inner) < 5:
            found = found._replace(start=int(inner))
        elif value is None and is_short and not place and "=" not in key:
            short = _short(key)
            found = _labelled(found, short, counter) if short else UNKNOWN
        else:
            return UNKNOWN
    return _labelled(found, own, counter) if own else found


def _unbraced(value: str) -> str:
    span = Groups(value).braces(0)
    return value[slice(*span)] if span and span[1] + 1 == len(value) else value


def _labelled(found: ListForm, label: str, counter: str) -> ListForm:
    if _UNKNOWN_COUNTER.search(label):
        return UNKNOWN
    body = _STARRED.sub(lambda match: f"\\{match[1]}{{{counter}}}", label)
    return found._replace(body=f"{{{body}}}", is_whole=True)


def _short(text: str) -> str:
    r"""`(i)` as `(\roman*)`; "" if a counting letter occurs twice, which is an error."""
    pieces = _PIECE.findall(text)
    letters = [one for one in pieces if one in STYLES]
    if len(letters) > len(set(letters)):
        return ""
    return "".join(f"\\{STYLES[one]}*" if one in STYLES else one for one in pieces)


def _with_letter(text: str, counter: str) -> ListForm:
    """The form that `[(i)]` gives to a list of enumerate or paralist: `\\ref` has no brackets."""
    found = [one for one in _PIECE.findall(text) if one in STYLES]
    if not found:
        return UNKNOWN
    return ListForm(body=f"\\{STYLES[found[-1]]}{{{counter}}}")
