import pytest

from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros.definitions import Definition
from pfcore.latex.macros.group_bounds import GroupBound
from pfcore.latex.macros.macro import Macro
from pfcore.latex.project import declaring_macros
from pfcore.latex.project.declarations import Declarations, declarations
from pfcore.latex.project.declaring_macros import MacroDeclarations, makers, read_declaring_macros
from pfcore.latex.project.survey import survey_file


def made_by(text: str) -> MacroDeclarations:
    found = survey_file(text)
    table = {item.name: item.macro for item in found.macros}
    return read_declaring_macros(text, found.silent, makers(table, found.environments))


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
    assert made_by(text) == MacroDeclarations()
    assert made_by(text + r"\set") == MacroDeclarations()
    assert made_by("") == MacroDeclarations()


def test_a_macro_that_uses_itself_comes_to_an_end() -> None:
    assert len(made_by(r"\newcommand{\s}{\def\x{1}\s\s}\s").macros) < 10_000


def test_what_grows_too_long_makes_nothing() -> None:
    text = r"\newcommand{\s}[1]{\def\x{" + "#1" * 300 + r"}}\s{" + "y" * 300 + "}"
    assert made_by(text) == MacroDeclarations()


def test_what_an_environments_begin_defines_it_defines_where_it_begins() -> None:
    text = (
        r"\newcommand{\set}[1]{\def\x{#1}}\newenvironment{e}[2][d]{\set{#1}\def\y{#2}}{}"
        r"\newenvironment{plain}{\begin{center}}{\end{center}}\begin{plain}\end{plain}"
    )
    use = r"\begin{e}{2}"
    found = made_by(text + use).macros
    assert [(item.start, item.name, item.macro.body) for item in found] == [
        (len(text), "y", "2"),
        (len(text), "x", "d"),
    ]
    assert made_by(text).macros == ()


def test_what_a_body_defines_in_a_group_ends_with_the_use() -> None:
    body = r"{\def\a{1}\gdef\b{2}}\begingroup\def\c{3}\endgroup\def\d{4}\begingroup\def\e{5}"
    text = rf"\newcommand{{\s}}{{{body}}}"
    found = made_by(text + r"\s")
    start, end = len(text), len(text) + 2
    assert found.bounds == (GroupBound(start, "use", False), GroupBound(end, "use", True))
    assert {(item.name, item.start) for item in found.macros} == {
        ("a", start), ("c", start), ("b", end), ("d", end), ("e", end),
    }  # fmt: skip


def test_what_is_used_in_a_group_of_a_body_defines_in_that_group() -> None:
    text = r"\newcommand{\s}{{\t}\t}\newcommand{\t}{\def\a{1}}\newcommand{\u}{{\t\gdef\b{2}}}\u"
    found = made_by(text)
    assert [(item.name, item.start) for item in found.macros] == [
        ("a", len(text) - 2),
        ("b", len(text)),
    ]
    assert [bound.kind for bound in made_by(text.replace(r"\u", r"\s")).bounds] == ["use", "use"]


def test_what_an_environment_that_a_macro_declares_would_define_is_not_defined() -> None:
    text = r"\newcommand{\s}[1]{\newenvironment{#1}{\def\a{1}}{}\def\b{2}}\s{x}"
    assert [item.name for item in made_by(text).macros] == ["b"]


def test_what_latex_asks_an_environment_to_define_is_no_news() -> None:
    text = r"\newenvironment{e}{\def\qedsymbol{x}\renewcommand{\labelenumi}{y}\let\item\z}{}"
    assert made_by(text + r"\begin{e}\end{e}") == MacroDeclarations()
    news = text.replace("qedsymbol", "case")
    assert len(made_by(news + r"\begin{e}\end{e}").macros) == 3


def test_bodies_that_use_themselves_are_followed_only_so_far(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[int] = []

    def counted(text: str, groups: Groups) -> Declarations:
        read.append(len(text))
        return declarations(text, groups)

    monkeypatch.setattr(declaring_macros, "declarations", counted)
    nested = r"\own{" * 900 + r"\newtheorem{a}{A}" + "}" * 900
    made_by(rf"\newcommand{{\own}}[1]{{#1{nested}}}\own{{b}}")
    assert 0 < sum(read) < 1_500_000
