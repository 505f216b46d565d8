import pytest

from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros.definitions import definitions, looped_definitions
from pfcore.latex.macros.macro import PRIMITIVE, Macro


@pytest.mark.parametrize(
    ("text", "name", "macro"),
    [
        (r"\newcommand{\R}{\mathbb{R}}", "R", Macro((), r"\mathbb{R}")),
        (r"\newcommand\R{\mathbb R}", "R", Macro((), r"\mathbb R")),
        (r"\newcommand*{\f}[2]{#1,#2}", "f", Macro(("m", "m"), "#1,#2")),
        (r"\newcommand{\f}[2][x]{#1,#2}", "f", Macro(("Ox", "m"), "#1,#2")),
        (r"\newcommandx{\f}[2][1=a]{#1#2}", "f", Macro(("Oa", "m"), "#1#2")),
        (r"\newcommandx*\f[3][2=b, 3={x,y}]{#1}", "f", Macro(("m", "Ob", "Ox,y"), "#1")),
        (r"\renewcommandx\f[2][1=a,usedefault]{#1}", "f", Macro(("Ua", "m"), "#1")),
        (r"\newcommandx\f{y}", "f", Macro((), "y")),
        (r"\@namedef{f}#1{(#1)}", "f", Macro(("m",), "(#1)")),
        (r"\xdef\f{\noexpand\mathcal{A}}", "f", Macro((), r"\mathcal{A}")),
        (r"\renewcommand{\f}{y}", "f", Macro((), "y")),
        (r"\DeclareRobustCommand{\f}{y}", "f", Macro((), "y")),
        (r"\newrobustcmd\f{y}", "f", Macro((), "y")),
        (r"\def\f{y}", "f", Macro((), "y")),
        (r"\newcommand{\1}{\mathbf 1}", "1", Macro((), r"\mathbf 1")),
        (r"\def\0{y}", "0", Macro((), "y")),
        (r"\gdef\f#1#2{#2#1}", "f", Macro(("m", "m"), "#2#1")),
        (r"\def\f(#1,#2){#1}", "f", Macro(("l(", "m", "l,", "m", "l)"), "#1")),
        (r"\def\f#1 {#1}", "f", Macro(("m",), "#1")),
        (r"\NewDocumentCommand{\f}{s o O{d} m}{#4}", "f", Macro(("s", "o", "Od", "m"), "#4")),
        (r"\DeclareDocumentCommand \f { +m !o }{#1}", "f", Macro(("m", "o"), "#1")),
        (r"\NewDocumentCommand\f{t/ t{!} m}{#3}", "f", Macro(("t/", "t!", "m"), "#3")),
        (r"\DeclareDocumentCommand\f{g +G{d}}{#2}", "f", Macro(("g", "Gd"), "#2")),
        (r'\mathchardef\f="2D', "f", Macro((), "-")),
        (r'\mathchardef\f "203A', "f", Macro((), ":")),
        (r"\chardef\f=45", "f", Macro((), "-")),
        (r"\let\a\b", "a", Macro(PRIMITIVE, r"\b")),
        (r"\let\a=x", "a", Macro(PRIMITIVE, "x")),
        (r"\let\a\@gobble", "a", Macro(("m",), "")),
        (r"\let\a=\@firstofone", "a", Macro(("m",), "#1")),
        (r"\DeclareMathOperator{\Hom}{Hom}", "Hom", Macro((), r"\operatorname{Hom}")),
        (r"\DeclareMathOperator*{\colim}{colim}", "colim", Macro((), r"\operatorname*{colim}")),
        (
            r"\DeclarePairedDelimiter\abs{\lvert}{\rvert}",
            "abs",
            Macro(("s", "O", "m"), r"\lvert #3 \rvert"),
        ),
        (r"\DeclarePairedDelimiter{\abs}||", "abs", Macro(("s", "O", "m"), "| #3 |")),
        (
            r"\DeclarePairedDelimiterX\ip[2]\langle\rangle{#1\,\delimsize\vert#2}",
            "ip",
            Macro(("s", "O", "m", "m"), r"\langle #3\,\vert#4 \rangle"),
        ),
        (
            r"\DeclarePairedDelimiterXPP{\E}[1]{\mathbb{E}}{[}{]}{_n}{#1}",
            "E",
            Macro(("s", "O", "m"), r"\mathbb{E} [ #3 ] _n"),
        ),
        ("\\newcommand{\\f}{%\n  a% b\n  c}", "f", Macro((), "ac")),
    ],
)
def test_every_form_of_definition_is_read(text: str, name: str, macro: Macro) -> None:
    (found,) = definitions(text, Groups(text))
    assert (found.name, found.macro) == (name, macro)
    assert (found.start, found.end) == (0, len(text))


@pytest.mark.parametrize(
    "text",
    [
        r"\newcommand",
        r"\newcommand{\f}",
        r"\newcommand{f}{x}",
        r"\newcommand{\f}[2]{",
        r"\def\f#1",
        r"\def\csname a\endcsname{x}",
        r"\def\f" + "0" * 300 + "{x}",
        r"\let\a",
        r"\let\csname x",
        r"\DeclareMathOperator{\Hom}",
        r"\DeclareMathOperator",
        r"\DeclarePairedDelimiter\abs",
        r"\DeclarePairedDelimiter\abs{|}",
        r"\DeclarePairedDelimiterX\abs[1]||",
        r"\NewDocumentCommand{\f}",
        r"\NewDocumentCommand{\f}{m}",
        r"\NewDocumentCommand{\f}{v}{x}",
        r"\NewDocumentCommand{\f}{t\x}{x}",
        r"\mathchardef\f=\x",
        r'\mathchardef\f="3262',
        r"\mathchardef\f",
        r"\chardef\f=37",
        r"\define x",
        r"\defn{x}",
        r"\letter",
    ],
)
def test_a_broken_definition_defines_nothing(text: str) -> None:
    assert definitions(text, Groups(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        r"\renewcommand{\sum}{\mathop{\mysign}\slimits@}",
        r"\RenewDocumentCommand{\int}{}{\vcenter{\hbox{I}}}",
        r"\let\prod\mysign",
    ],
)
def test_another_sign_for_a_large_operator_is_still_that_operator(text: str) -> None:
    assert definitions(text, Groups(text)) == []


def test_definitions_inside_of_a_body_are_not_seen() -> None:
    text = r"\newcommand{\a}{\def\b{x}}\def\c{y}"
    assert [item.name for item in definitions(text, Groups(text))] == ["a", "c"]


def test_what_a_pair_renews_for_its_argument_has_that_meaning() -> None:
    text = r"\DeclarePairedDelimiterX\set[1]\{\}{\renewcommand\given{\nonscript\:\vert}#1}"
    pair, given = definitions(text, Groups(text))
    assert (pair.name, pair.macro.body) == ("set", r"\{ #3 \}")
    assert (given.name, given.macro) == ("given", Macro((), r"\:\vert"))


def test_what_only_provides_is_marked() -> None:
    text = r"\providecommand{\a}{x}\ProvideDocumentCommand{\b}{}{y}\newcommand{\c}{}"
    assert [item.provides for item in definitions(text, Groups(text))] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        (r"a\long\def\x{}", r"\long\def\x{}"),
        (r"\protected \global\long\def\x{}", r"\protected \global\long\def\x{}"),
        (r"\global\let\x=y", r"\global\let\x=y"),
        (r"\longest\def\x{}", r"\def\x{}"),
    ],
)
def test_what_stands_before_a_definition_belongs_to_it(text: str, span: str) -> None:
    (found,) = definitions(text, Groups(text))
    assert text[slice(*found.whole(text))] == span
    assert found.is_global == ("global" in span)


@pytest.mark.parametrize(
    ("text", "is_global"),
    [
        (r"\gdef\x{}", True),
        (r"\xdef\x{}", True),
        (r"\global\edef\x{}", True),
        (r"\edef\x{}", False),
        (r"\global\y\def\x{}", False),
        (r"\newcommand{\x}{}", False),
        (r"\global\newcommand{\x}{}", False),
    ],
)
def test_some_definitions_outlive_their_group(text: str, is_global: bool) -> None:
    (found,) = definitions(text, Groups(text))
    assert found.is_global is is_global


@pytest.mark.parametrize(
    "define", [r"\def\csname f\endcsname#1", r"\newcommand\csname f\endcsname[1]"]
)
def test_a_name_may_be_put_together(define: str) -> None:
    text = rf"\expandafter{define}{{(#1)}}"
    (found,) = definitions(text, Groups(text))
    assert (found.name, found.macro) == ("f", Macro(("m",), "(#1)"))
    assert found.whole(text) == (0, len(text))


CALLED = r"\def\do#1{\expandafter\def\csname c#1\endcsname{\mathcal{#1}}}"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (
            r"\foreach \x in {A, B} "
            r"{\expandafter\xdef\csname c\x\endcsname{\noexpand\mathcal{\x}}}",
            {"cA": r"\mathcal{A}", "cB": r"\mathcal{B}"},
        ),
        (r"\foreach\x in {a,...,c}{\expandafter\gdef\csname b\x\endcsname{\x}}", "abc"),
        (r"\@for\x:=a,b\do{\expandafter\def\csname b\x\endcsname{\x}}", "ab"),
        (CALLED + r"\docsvlist{A,B}", {"cA": r"\mathcal{A}", "cB": r"\mathcal{B}"}),
        (CALLED.replace("do", "set") + r"\forcsvlist{\set}{A}", {"cA": r"\mathcal{A}"}),
        (CALLED.replace("do", "set") + r"\forcsvlist\set{A}", {"cA": r"\mathcal{A}"}),
        (r"\foreach \x in {A,B} {\def\f{\x}}", {}),
        (r"\foreach \x in {\list} {\gdef\f{\x}}", {}),
        (r"\foreach \x in {1,...,10} {\gdef\f{\x}}", {}),
        (r"\docsvlist{A,B}", {}),
        (r"\newcommand{\all}{\foreach \x in {A} {\gdef\f{\x}}}", {}),
        (r"\foreach \x in {1,2} {\draw (\x,0);}", {}),
    ],
)
def test_loops_define_what_can_be_followed(text: str, made: dict[str, str] | str) -> None:
    if isinstance(made, str):
        made = {f"b{letter}": letter for letter in made}
    groups = Groups(text)
    found = looped_definitions(text, groups, definitions(text, groups))
    assert {item.name: item.macro.body for item in found} == made
    start = max(text.find(r"\foreach"), text.find(r"\@for"), text.find("csvlist"))
    assert all(text[item.start] == "\\" and item.start <= start for item in found)
    assert all(item.end == len(text) for item in found)
