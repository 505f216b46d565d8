import pytest

from pfcore.latex.macros.group_bounds import is_passed


@pytest.mark.parametrize(
    "before",
    [
        r"\AtBeginDocument",
        r"\AtEndOfPackage  ",
        r"\@ifundefined{x} ",
        r"\@ifundefined{x}{y}",
        r"\IfFileExists{x}{a{b}c}",
        r"\ifthenelse{\equal{a}{b}}",
        "\\AddToHook{x}[a{]}b]\n",
        r"\mine",
        r"\mine*",
        r"\mine[a]{b}",
        r"\g@addto@macro\x",
    ],
)
def test_arguments_are_handed_on(before: str) -> None:
    assert is_passed(before + "{", len(before))


@pytest.mark.parametrize(
    "before",
    [
        "",
        "a",
        "a ",
        r"\par",
        r"\noindent ",
        r"\bfseries",
        r"\mine ",
        r"\mine{a} ",
        r"\end{lemma}",
        r"\begin{proof}",
        r"\fi",
        r"\text",
        r"\mbox",
        r"\footnote",
        "}",
        "a]",
        r"\mine" + "{a}" * 20,
        r"\mine{" + "a" * 3_000 + "}",
        "{" * 3 + "}" * 3,
    ],
)
def test_groups_are_groups(before: str) -> None:
    assert not is_passed(before + "{", len(before))


def test_what_ends_before_the_floor_is_no_command_with_arguments() -> None:
    text = r"\AtBeginDocument{a}{"
    assert is_passed(text, len(text) - 1)
    assert not is_passed(text, len(text) - 1, floor=len(text) - 1)
