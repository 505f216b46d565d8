"""Options of lists are options: how items are labelled, where the count begins."""

import pytest

from pfcore.reporters.html.list_options import ListOptions, list_options


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        ("(a)", ["(a)", "(b)"]),
        ("a)", ["a)", "b)"]),
        ("(A)", ["(A)", "(B)"]),
        ("i.", ["i.", "ii."]),
        ("(I)", ["(I)", "(II)"]),
        ("1.", ["1.", "2."]),
        (r"\bf(i)", [r"\bf(i)", r"\bf(ii)"]),
        ("{Step} 1:", ["{Step} 1:", "{Step} 2:"]),
        (r"label=(\roman*)", ["(i)", "(ii)"]),
        (r"itemsep=0pt, label=\textup{(\Alph*)}, ref=x", [r"\textup{(A)}", r"\textup{(B)}"]),
        (r"label={[\arabic*, x]}, start=3", ["[3, x]", "[4, x]"]),
        (r"label*=\arabic*.", ["1.", "2."]),
        (r"label={\arabic{enumi})}", ["1)", "2)"]),
        ("start=5", ["", ""]),
        ("resume", ["", ""]),
        ("noitemsep, nolistsep", ["", ""]),
        ("left=0mm", ["", ""]),
        ("", ["", ""]),
        ("(no counter)", ["", ""]),
        (r"label=\ding{51}", [r"\ding{51}", r"\ding{51}"]),
        ("label={unclosed", ["", ""]),
    ],
)
def test_items_are_labelled_as_the_options_say(options, labels):
    found = list_options(options)
    start = found.start or 1
    assert [found.label(start), found.label(start + 1)] == labels


@pytest.mark.parametrize(
    ("options", "start", "is_resumed"),
    [("start=5", 5, False), ("resume", 0, True), ("resume*", 0, True), ("start=x", 0, False),
     ("start=99999999", 0, False), ("label=(a), resume", 0, True)],
)  # fmt: skip
def test_counts_begin_where_the_options_say(options, start, is_resumed):
    found = list_options(options)
    assert (found.start, found.is_resumed) == (start, is_resumed)


def test_numbers_go_on_behind_z():
    found = ListOptions(template=r"\alph*")
    assert [found.label(number) for number in (26, 27, 53)] == ["z", "aa", "ba"]
    assert ListOptions(template=r"\roman*").label(94) == "xciv"
    assert ListOptions(template=r"\roman*").label(5_000) == "5000"
