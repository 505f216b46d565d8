import pytest

from pfcore.latex.lexer.groups import Groups


def inside(text: str, span: tuple[int, int] | None) -> str | None:
    return None if span is None else text[slice(*span)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{a}", "a"),
        ("  \n {a}", "a"),
        ("{a{b}c}d}", "a{b}c"),
        (r"{a\}b}", r"a\}b"),
        (r"{\{}", r"\{"),
        ("{}", ""),
        ("{a", None),
        ("a{b}", None),
        ("", None),
    ],
)
def test_braces_are_found_with_what_they_nest(text: str, found: str | None) -> None:
    assert inside(text, Groups(text).braces(0)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[a]", "a"),
        (" [a]", "a"),
        ("[{]}]", "{]}"),
        (r"[\]]", r"\]"),
        ("[a", None),
        ("[a}]", None),
        ("(a]", None),
    ],
)
def test_brackets_are_found_with_their_braces_balanced(text: str, found: str | None) -> None:
    assert inside(text, Groups(text).brackets(0)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [("ab", "a"), ("{ab}", "ab"), (r" \foo b", r"\foo"), (r"\%", r"\%"), ("}", None), ("", None)],
)
def test_an_undelimited_argument_is_a_group_a_command_or_a_letter(
    text: str, found: str | None
) -> None:
    assert inside(text, Groups(text).token(0)) == found


@pytest.mark.parametrize(("text", "rest"), [("{ab}c", "c"), (r"\foo c", " c"), ("ab", "b")])
def test_reading_goes_on_behind_an_argument(text: str, rest: str) -> None:
    groups = Groups(text)
    span = groups.token(0)
    assert span is not None
    assert text[groups.after(span) :] == rest


def test_a_lone_backslash_at_the_end_is_no_argument() -> None:
    assert Groups("\\").token(0) is None


def test_twenty_thousand_nested_braces_need_no_recursion() -> None:
    text = "{" * 20_000 + "}" * 20_000
    assert Groups(text).braces(0) == (1, len(text) - 1)


def test_after_many_brackets_that_nothing_closes_only_a_short_way_is_looked() -> None:
    text = "[}" * 60 + "[" + "a" * 300 + "]"
    groups = Groups(text)
    assert Groups(text).brackets(120) == (121, 421)
    assert all(groups.brackets(2 * place) is None for place in range(60))
    assert groups.brackets(120) is None


def test_a_bracket_is_not_looked_for_without_end() -> None:
    assert Groups("[" + "a" * 5_000 + "]").brackets(0) is None
