import pytest

from pfcore.latex.lexer.commands import alternatives, pattern


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        (r"\begin{a b}", ("a b", None, None, None)),
        (r"\end {a}", (None, "a", None, None)),
        (r"\ref", (None, None, "ref", "")),
        (r"\ref*{x}", (None, None, "ref", "*")),
        (r"\reff", (None, None, "reff", "")),
    ],
)
def test_the_longest_name_is_found(text: str, groups: tuple[str | None, ...]) -> None:
    match = pattern(frozenset({"ref", "reff", "r", "begin"})).match(text)
    assert match is not None
    assert match.groups() == groups


@pytest.mark.parametrize("text", [r"\refx", "ref", r"\rex", r"\begin"])
def test_other_names_are_not_found(text: str) -> None:
    assert pattern(frozenset({"ref", "reff", "r"})).search(text) is None


def test_no_names_match_nothing() -> None:
    assert alternatives([]) == "(?!)"
    assert alternatives(["a"]) == "a"
