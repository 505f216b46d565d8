import pytest

from pfcore.latex.lexer.groups import Groups
from pfcore.latex.project.declarations import Environment, Theorem, by_name, declarations, option


@pytest.mark.parametrize(
    ("text", "theorems"),
    [
        (r"\newtheorem{lem}{Lemma}", [("lem", "Lemma")]),
        (r"\newtheorem*{lem}{Lemma}", [("lem", "Lemma")]),
        (r"\newtheorem{lem}[thm]{Lemma}", [("lem", "Lemma")]),
        (r"\newtheorem{lem}{Lemma}[section]", [("lem", "Lemma")]),
        (r"\spnewtheorem{lem}{Lemma}{\bfseries}{\itshape}", [("lem", "Lemma")]),
        (r"\declaretheorem{lemma}", [("lemma", "lemma")]),
        (r"\declaretheorem[name=Lemma,sibling=thm]{lem}", [("lem", "Lemma")]),
        (r"\declaretheorem{lem}[title={My Lemma}]", [("lem", "My Lemma")]),
        (r"\declaretheorem[numbered=no]{a, b}", [("a", "a"), ("b", "b")]),
        (r"\newmdtheoremenv[style=x]{lem}[thm]{Lemma}", [("lem", "Lemma")]),
        (r"\newmdtheoremenv{lem}{Lemma}", [("lem", "Lemma")]),
        (r"\newtcbtheorem[number within=section]{lem}{Lemma}{colback=red}{l}", [("lem", "Lemma")]),
        (r"\newaliascnt{lem}{thm}", []),
        (r"\newtheorem{lem}", []),
        (r"\declaretheorem", []),
        (r"\newmdtheoremenv{lem}", []),
        (r"\newtcbtheorem{lem}", []),
    ],
)
def test_theorem_like_environments_are_found(text: str, theorems: list[tuple[str, str]]) -> None:
    found = declarations(text, Groups(text)).theorems
    assert [(item.env, item.printed) for item in found] == theorems


def test_a_box_takes_its_title_in_braces_and_prefixes_its_label() -> None:
    text = r"\newtcbtheorem{lem}{Lemma}{}{l}\newtcbtheorem{thm}{Theorem}"
    assert declarations(text, Groups(text)).theorems == (
        Theorem("lem", "Lemma", "braces", "l:"),
        Theorem("thm", "Theorem", "braces", ""),
    )


@pytest.mark.parametrize(
    ("text", "arguments", "default"),
    [
        (r"\newenvironment{e}{a}{b}", 0, None),
        (r"\renewenvironment{e}[2]{a}{b}", 2, None),
        (r"\newenvironment{e}[2][x]{a}{b}", 2, "x"),
        (r"\newenvironment{e}[²]{a}{b}", 0, None),
        (r"\NewDocumentEnvironment{e}{O{} m}{a}{b}", 2, ""),
        (r"\NewDocumentEnvironment{e}{O{x} m}{a}{b}", 2, "x"),
        (r"\NewDocumentEnvironment{e}{O{x} m +b}{a}{b}", 2, "x"),
    ],
)
def test_other_environments_are_found(text: str, arguments: int, default: str | None) -> None:
    found = declarations(text, Groups(text))
    made = Environment("e", "a", "b", arguments, default is not None, default or "")
    assert found.environments == (made,)
    assert found.silent == ((0, len(text)),)


@pytest.mark.parametrize(
    ("letters", "parameters"),
    [
        ("m o O{x}", ("m", "o", "Ox")),
        ("o m", ("o", "m")),
        ("s m +b", ("s", "m")),
        ("o+mb", ("o", "m")),
    ],
)
def test_any_argument_may_be_optional_or_a_star(letters: str, parameters: tuple[str, ...]) -> None:
    text = rf"\NewDocumentEnvironment{{e}}{{{letters}}}{{a}}{{b}}"
    (found,) = declarations(text, Groups(text)).environments
    assert found.parameters == parameters


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        (r"\newenvironmentx{e}[2][1=,2=]{a}{b}", ("O", "O")),
        (r"\renewenvironmentx{e}[3][2={x y}, usedefault]{a}{b}", ("m", "Ox y", "m")),
        (r"\newenvironmentx{e}[1]{a}{b}", ("m",)),
        (r"\newenvironmentx{e}{a}{b}", ()),
        (r"\newenvironmentx{e}[1][7=x]{a}{b}", ("m",)),
    ],
)
def test_any_argument_of_an_environment_may_be_optional(
    text: str, parameters: tuple[str, ...]
) -> None:
    (found,) = declarations(text, Groups(text)).environments
    assert (found.name, found.begin, found.end) == ("e", "a", "b")
    assert found.parameters == parameters


def test_an_environment_that_a_group_ends_counts_where_nothing_else_defines_it() -> None:
    first, second = Environment("e", "1", "", 0, False), Environment("e", "2", "", 0, False)
    local = Environment("e", "3", "", 0, False, is_local=True)
    assert by_name([first, second, local]) == {"e": second}
    assert by_name([local]) == {"e": local}


@pytest.mark.parametrize(
    "text", [r"\newenvironment{e}{a}", r"\newenvironment{e}", r"\NewDocumentEnvironment{e}"]
)
def test_a_broken_environment_declares_nothing(text: str) -> None:
    assert declarations(text, Groups(text)).environments == ()


def test_a_proof_environment_is_declared() -> None:
    text = r"\newproof{pf}{Proof}"
    assert declarations(text, Groups(text)).proofs == ("pf",)


@pytest.mark.parametrize(
    ("text", "value"), [("name=A", "A"), ("x, name = {A, B}", "A, B"), ("rename=A", ""), ("", "")]
)
def test_an_option_is_found_by_its_name(text: str, value: str) -> None:
    assert option(text, "name") == value


@pytest.mark.parametrize(
    ("settings", "style", "prefix"),
    [
        ("", "", "l:"),
        ("", "label separator=-", "l-"),
        ("", "label separator={-}", "l-"),
        ("", "label separator={}, colback=red", "l"),
        ("\\tcbset{base/.style={sharp corners,\n label separator=\n }}", "base=red", "l"),
        ("\\tcbset{base/.style={label separator=}}", "other", "l:"),
        ("\\tcbset{label separator=/}", "other", "l/"),
    ],
)
def test_a_box_parts_prefix_and_key_as_its_style_says(
    settings: str, style: str, prefix: str
) -> None:
    text = f"{settings}\\newtcbtheorem{{lem}}{{Lemma}}{{{style}}}{{l}}"
    (found,) = declarations(text, Groups(text)).theorems
    assert found.prefix == prefix
