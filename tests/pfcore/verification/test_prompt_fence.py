"""Paper text as data: what a text can do, it cannot leave its fence."""

import re

from hypothesis import given
from hypothesis import strategies as st

from pfcore.latex.lexer.mask import visible
from pfcore.verification.prompt import fenced


def test_each_part_stands_between_boundaries_that_name_it() -> None:
    text = fenced([("Setting", "All is well."), ("Nothing", "  "), ("To be checked", "A.")])
    (boundary,) = set(re.findall(r"^----- ([0-9a-f]{16}) ", text, re.MULTILINE))
    assert text == (
        f"----- {boundary} begin: Setting\nAll is well.\n----- {boundary} end: Setting\n\n"
        f"----- {boundary} begin: To be checked\nA.\n----- {boundary} end: To be checked\n"
    )


def test_equal_texts_have_equal_fences_and_others_do_not() -> None:
    assert fenced([("A", "x")]) == fenced([("A", "x")])
    assert fenced([("A", "x")]).split()[1] != fenced([("A", "y")]).split()[1]


@given(st.lists(st.text(max_size=80), min_size=1, max_size=4))
def test_no_text_holds_its_own_boundary(texts: list[str]) -> None:
    text = fenced([("Part", part) for part in texts])
    kept = [part for part in texts if visible(part).strip()]
    if kept:
        boundary = text.split()[1]
        assert text.count(boundary) == 2 * len(kept)
