"""Options of lists in the packages enumitem and enumerate: how items are labelled."""

from dataclasses import dataclass

from pfcore.domain.lazy_regex import regex
from pfcore.latex.numbering.item_labels import STYLES, key_values

_COUNTED = regex(r"\\(arabic|alph|Alph|roman|Roman)\s*(?:\*|\{[a-zA-Z]{1,20}\})")
_PLAIN = regex(r"(?:\\[A-Za-z]+|\{[^{}]*\}|[^A-Za-z0-9{}\\])*([AaIi1])(?![A-Za-z0-9])")
"""The first letter of a label that counts, by the rules of the package enumerate."""
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MOST = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    r"""How the items of a list are labelled: LaTeX in which `\alph*` and the like are the number.

    `template` is "" for the default labels; `start` is 0 if none is given.
    """

    template: str = ""
    start: int = 0
    is_resumed: bool = False

    def label(self, number: int) -> str:
        """The label of an item; "" for the default one."""
        return _COUNTED.sub(lambda match: _counted(match[1], number), self.template)


def list_options(text: str) -> ListOptions:
    """The meaning of a list's options, given without brackets."""
    found = {key.removesuffix("*"): value or "" for key, value in key_values(text)}
    plain = _PLAIN.match(text) if "=" not in text and "label" not in found else None
    if plain:
        counter = f"\\{STYLES[plain[1]]}*"
        return ListOptions(template=text[: plain.start(1)] + counter + text[plain.end(1) :])
    start = found.get("start", "")
    label = found.get("label", "")
    inner = label[1:-1] if label.startswith("{") and label.endswith("}") else label
    return ListOptions(
        template=inner,
        start=int(start) if start.isascii() and start.isdigit() and len(start) < 5 else 0,
        is_resumed="resume" in found,
    )


def _counted(style: str, number: int) -> str:
    if style.lower() == "alph" and 0 < number < _MOST:
        letters = ""
        while number:
            number, rest = divmod(number - 1, 26)
            letters = chr(ord("a") + rest) + letters
        return letters if style == "alph" else letters.upper()
    if style.lower() == "roman" and 0 < number < _MOST:
        letters = ""
        for value, letter in _ROMAN:
            letters += letter * (number // value)
            number %= value
        return letters if style == "roman" else letters.upper()
    return str(number)
