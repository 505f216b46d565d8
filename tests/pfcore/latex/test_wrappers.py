from pfcore.latex.macros import Definition, Macro
from pfcore.latex.survey import survey
from pfcore.latex.wrappers import Made, made, wrappers


def made_by(text: str) -> Made:
    found = survey(text)
    table = {item.name: item.macro for item in found.macros}
    return made(text, found.silent, table, wrappers(table))


def test_a_macro_that_wraps_a_declaration_declares_where_it_is_used() -> None:
    text = (
        r"\newcommand{\defthm}[2]{\newtheorem{#1}[thm]{#2}}\defthm{lem}{Lemma}\defthm{rem}{Remark}"
    )
    assert [(item.env, item.printed) for item in made_by(text).theorems] == [
        ("lem", "Lemma"),
        ("rem", "Remark"),
    ]


def test_wrappers_may_use_each_other() -> None:
    text = (
        r"\newcommand{\one}[1]{\newenvironment{#1}{\begin{lemma}}{\end{lemma}}}"
        r"\newcommand{\two}[1]{\one{#1}\one{#1x}}\two{a}"
    )
    assert [item.name for item in made_by(text).environments] == ["a", "ax"]


def test_a_macro_that_defines_macros_defines_them_where_it_is_used() -> None:
    text = r"\newcommand{\set}[1]{\renewcommand{\cur}{#1}\sub}\newcommand{\sub}{\def\b##1{(##1)}}"
    use = r"\set{x}"
    assert made_by(text + use).macros == (
        Definition(len(text), len(text + use), "cur", Macro((), "x"), False),
        Definition(len(text), len(text + use), "b", Macro(("m",), "(#1)"), False),
    )


def test_of_the_branches_of_a_condition_the_first_one_holds() -> None:
    text = r"\newcommand{\set}[1]{\def\cur{#1}}\iftag{A}{ \set{x} }{ \set{y} } \set{z}"
    assert [item.macro.body for item in made_by(text).macros] == ["x", "z"]


def test_macros_that_are_not_used_or_lack_arguments_make_nothing() -> None:
    text = r"\newcommand{\set}[1]{\def\cur{#1}}\let\also\set "
    assert made_by(text) == Made()
    assert made_by(text + r"\set") == Made()
    assert made_by("") == Made()


def test_a_macro_that_uses_itself_comes_to_an_end() -> None:
    assert len(made_by(r"\newcommand{\s}{\def\x{1}\s\s}\s").macros) < 10_000


def test_what_grows_too_long_makes_nothing() -> None:
    text = r"\newcommand{\s}[1]{\def\x{" + "#1" * 300 + r"}}\s{" + "y" * 300 + "}"
    assert made_by(text) == Made()
