"""The numbers of items: what LaTeX printed, or nothing."""

from collections.abc import Callable, Mapping

import pytest

from pfcore.latex.numbering.item_labels import PLAIN, UNKNOWN, key_values, list_form
from pfcore.papers.rendered_numbers import Numbers
from tests.idioms import FOLDER, Idiom, idioms

EVERY = idioms(FOLDER.with_name("item_labels.txt"))
"""Documents with the numbers that LaTeX gave the labels of their items."""
SILENT = {
    "settings of all lists, within a group, and in another form": "a",
    "setlist of a depth": "a",
    "settings that are added": "a",
    "items that resume": "b",
    "items in a branch of a condition that is not known": "b",
    "labels by the label of the list around": "b",
}


@pytest.mark.parametrize("idiom", EVERY, ids=[one.name for one in EVERY])
def test_an_item_has_the_number_that_latex_prints_or_none(
    idiom: Idiom, numbering: Callable[[Mapping[str, str]], Numbers]
) -> None:
    made = numbering(idiom.files).labels
    found = {key: made[key].text for key in idiom.numbers if made[key].certain}
    silent = SILENT.get(idiom.name, "")
    assert found == {key: text for key, text in idiom.numbers.items() if key not in silent.split()}


ENUMITEM: Mapping[str, set[str]] = {"enumitem": set()}


def test_keys_are_cut_at_commas_outside_of_braces() -> None:
    assert key_values("label={a, b}, nosep,(i), ref = x") == [
        ("label", "{a, b}"), ("nosep", None), ("(i)", None), ("ref", "x"),
    ]  # fmt: skip
    assert key_values("label={a") == []


@pytest.mark.parametrize(
    "options",
    ["(i)", "resume", "mine", "label*=a", r"label=\fnsymbol*", "before=\\setcounter{enumi}{3}"],
)
def test_options_that_are_not_followed_tell_no_number(options: str) -> None:
    assert list_form(options, (), "enumi", ENUMITEM) == UNKNOWN


def test_options_of_a_package_that_is_not_there_or_of_two_tell_no_number() -> None:
    assert list_form("(i)", (), "enumi", {}) == UNKNOWN
    assert list_form("(i)", (), "enumi", {"enumerate": set(), "enumitem": set()}) == UNKNOWN
    assert list_form("()", (), "enumi", {"enumerate": set()}) == UNKNOWN
    assert list_form("(ii)", (), "enumi", {"enumitem": {"shortlabels"}}) == UNKNOWN


def test_a_list_without_options_is_what_it_was() -> None:
    assert list_form(" ", ("",), "enumi", {}) == PLAIN
    assert list_form(r"before=\small, nosep", (), "enumi", ENUMITEM) == PLAIN


def test_documents_have_names_of_their_own() -> None:
    names = [one.name for one in EVERY]
    assert len(names) == len(set(names)) > 10
    assert set(SILENT) <= set(names)
