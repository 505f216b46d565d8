"""MathML as browsers draw it: words in one piece, alphabets by letters, arrows that stretch."""

import html
from itertools import pairwise, zip_longest
from xml.etree.ElementTree import Element

from pfcore.reporters.html.letters import lettered

_WORDS = {
    "normal": "",
    "bold": "bold",
    "sans-serif": "sans",
    "monospace": "mono",
    "italic": "slanted",
}
"""Fonts in which several letters are a word, by the class that a style sheet knows."""
_ROWS = frozenset({"math", "mrow", "mtd", "mstyle"})
_EQUAL = frozenset("=≡≔")
_SPACE = {"width": "0.4em"}


def settle(element: Element) -> None:
    """Change all that is inside of an element."""
    for child in element:
        child.text = html.unescape(child.text or "")
        settle(child)
        _one(child)
    if element.tag in _ROWS:
        element[:] = [child for child in element if child.tag != "mrow" or len(child)]
    element[:] = _joined(_named(list(element)))
    _relations(list(element))


def _one(element: Element) -> None:
    """Change one element, whose inside is settled."""
    if element.tag == "mi" and element.text in (":", "~"):
        element.tag, element.text = "mo", {"~": "∼"}.get(element.text, element.text)
    elif element.tag == "mpadded" and element.get("width", "").startswith("+"):
        # Widths that add to others are no more: what stands on an arrow gets its room by spaces.
        element.tag, element.attrib = "mrow", {}
        element[:] = [Element("mspace", _SPACE), *element, Element("mspace", _SPACE)]
    elif element.tag == "mstyle" and len(element) == 1 and element[0].tag == "mo":
        element.tag, element.text, element.attrib = "mo", element[0].text, {"stretchy": "true"}
        element[:] = []


def _named(elements: list[Element]) -> list[Element]:
    r"""Commands whose name is a digit, as `\1`, in one piece."""
    for element, following in pairwise(elements):
        if element.text == "\\" and following.tag == "mn" and following.text:
            element.text = f"\\{following.text[0]}"
            following.text = following.text[1:]
    return [element for element in elements if element.tag != "mn" or element.text]


def _joined(elements: list[Element]) -> list[Element]:
    """Letters of one font, side by side, as one word; a minus between them is a hyphen."""
    made: list[Element] = []
    for element, following in zip_longest(elements, elements[1:]):
        last = made[-1] if made else None
        if last is not None and _is_of_one_word(last, element):
            last.text = f"{last.text}{element.text}"
        elif last is not None and element.text == "−" and _is_hyphen(last, following):
            last.text = f"{last.text}‐"
        else:
            made.append(element)
    for element in made:
        _dressed(element)
    return made


def _is_of_one_word(one: Element, other: Element | None) -> bool:
    if other is None or not one.tag == other.tag == "mi" or len(one) or len(other):
        return False
    return one.get("mathvariant") in _WORDS and one.get("mathvariant") == other.get("mathvariant")


def _is_hyphen(last: Element, following: Element | None) -> bool:
    return len(last.text or "") > 1 and _is_of_one_word(last, following)


def _dressed(element: Element) -> None:
    """Say a font by letters or by a class."""
    variant = element.attrib.pop("mathvariant", None)
    if variant is None or len(element):
        return
    text = element.text or ""
    if element.tag == "mtext" or (variant in _WORDS and len(text) > 1 and element.tag == "mi"):
        name = _WORDS.get(variant, "")
        element.attrib.update({"class": name} if name else {})
    elif variant == "normal":
        element.set("mathvariant", "normal")
    else:
        element.text = lettered(text, variant)


def _relations(elements: list[Element]) -> None:
    """Colons as relations, which browsers take for marks of punctuation."""
    for number, element in enumerate(elements):
        if element.tag != "mo" or element.text != ":":
            continue
        following = elements[number + 1] if number + 1 < len(elements) else None
        if following is not None and following.tag == "mo" and following.text in _EQUAL:
            element.attrib = {"lspace": "0.28em", "rspace": "0"}
            following.set("lspace", "0")
        else:
            element.attrib = {"lspace": "0.2em", "rspace": "0.2em"}
