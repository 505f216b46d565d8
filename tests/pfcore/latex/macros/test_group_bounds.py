import re

import pytest

from pfcore.latex.macros.group_bounds import GroupBound, bounds_around, confined, unbalanced_macros


def shown(text: str, **options: object) -> list[str]:
    """What the bounds of a text look like, in order; the places in it are marked by `!`."""
    text = text.replace("!", r"\!")
    places = [match.start() for match in re.finditer(r"\\!", text)]
    found = bounds_around(text, places, **options)  # type: ignore[arg-type]
    assert list(found) == sorted(found, key=lambda bound: bound.offset)
    return [f"{'/' * bound.is_end}{bound.kind}" for bound in found]


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("{a!}", ["{", "/{"]),
        (r"\bgroup ! \egroup", ["{", "/{"]),
        (r"\bgroup ! }", ["{", "/{"]),
        (r"\begingroup ! \endgroup", ["\\", "/\\"]),
        (r"\begin{a} ! \end {a}", ["env a", "/env a"]),
        (r"\[ ! \] \( ! \)", ["[", "/[", "(", "/("]),
        (r"{{!}} {}", ["{", "{", "/{", "/{"]),
        (r"{a}{\b{c}}!{d}", []),
        (r"\{ ! \} \\[ ! \\]", []),
        (r"\begin{document} ! \end{document}", []),
        (r"\begin{#1} ! \end{#1}", []),
        (r"\begins{a} \ends{a} \begingroupx ! \endgroupx", []),
        ("!", []),
        ("", []),
    ],
)
def test_the_groups_around_a_place_are_found(text: str, listed: list[str]) -> None:
    assert shown(text) == listed


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        (r"\begin{a}\begin{b} ! \end{a}\end{b}!", ["env a", "env b", "/env b", "/env a", "/env b"]),
        (r"{\begin{b} ! } !", ["{", "env b", "/env b", "/{"]),
        (r"\begin{a} ! } \end{a} !", ["env a", "/{", "/env a"]),
        (r"{ ! ", ["{"]),
        (r"} ! ", ["/{"]),
    ],
)
def test_an_end_that_fits_only_further_out_ends_what_lies_between(
    text: str, listed: list[str]
) -> None:
    assert shown(text) == listed


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        (r"\AtBeginDocument{!}", []),
        (r"\ifthenelse{a} {!} {!}", []),
        (r"\newthing[a]{b}{!}", []),
        (r"\text{!}", ["{", "/{"]),
        (r"\small{!}", ["{", "/{"]),
    ],
)
def test_an_argument_that_is_handed_on_is_no_group(text: str, listed: list[str]) -> None:
    assert shown(text) == listed


def test_definitions_are_looked_past() -> None:
    text = r"\newcommand{\x}{\begin{a}}{!}"
    assert shown(text, hidden=[(0, text.index("{!"))]) == ["{", "/{"]
    assert shown("{" + text + "}", hidden=[(1, text.index("{!") + 1)]) == ["{", "{", "/{", "/{"]


def test_behind_the_last_place_only_its_groups_are_looked_for() -> None:
    text = r"{!} \begin{a} } \end{b} {"
    assert shown(text) == ["{", "/{"]
    assert shown(text, is_whole=True) == ["{", "/{", "env a", "/{", "/env b", "{"]


def test_what_the_papers_macros_begin_and_end_counts() -> None:
    own = unbalanced_macros(
        {"bp": r"\begin{proof}\x", "ep": r"\end{proof}", "two": r"\bp\begingroup"}
    )
    assert own == {
        "bp": (("env proof", False),),
        "ep": (("env proof", True),),
        "two": (("env proof", False), ("\\", False)),
    }
    assert shown(r"\bp ! \ep \bpx !", own=own) == ["env proof", "/env proof"]
    assert shown(r"\two ! \end{proof}", own=own) == ["env proof", "\\", "/\\", "/env proof"]


@pytest.mark.parametrize(
    "body",
    [
        r"\begin{a}#1\end{a}",
        r"\def\y{\begin{a}}",
        r"{\begin{a}}",
        r"\begin{#1}",
        r"\begingroup" * 20,
        "group",
    ],
)
def test_what_ends_itself_or_comes_to_no_end_opens_nothing(body: str) -> None:
    assert unbalanced_macros({"x": body}) == {}


def test_the_spans_of_whole_groups() -> None:
    found = [
        GroupBound(0, "{", False), GroupBound(1, "\\", False), GroupBound(4, "\\", True),
        GroupBound(6, "{", True),
        GroupBound(7, "{", True), GroupBound(8, "{", False), GroupBound(9, "\\", True),
    ]  # fmt: skip
    assert confined(found) == [(1, 4), (0, 6)]


def test_thousands_of_open_groups_take_linear_time() -> None:
    text = "{" * 50_000 + "!" + r"\end{a}\endgroup" * 10_000
    assert len(shown(text)) == 70_000


def test_a_macro_that_uses_itself_opens_at_most_a_few() -> None:
    assert len(unbalanced_macros({"x": r"\x\x\begingroup"}).get("x", ())) <= 8
