"""Labels that are made of arguments of the paper's own environments and commands."""

import pytest

from pfcore.latex.project.label_arguments import LabelArguments

HANDED = (
    r"\NewDocumentEnvironment{said}{o}{\IfNoValueTF{#1}{\bare}{\marked{#1}}}{}"
    r"\NewEnviron{marked}[1]{\begin{equation}\label{#1}\parbox{3in}{\BODY}\end{equation}}"
)
BEGUN = r"\newenvironment{rule}[1]{\begin{inner}[#1]}{}\newenvironment{inner}[1][x]{\label{r:#1}}{}"
CALLED = r"\newenvironment{task}[1]{\ifx&#1&\else\label{#1}\fi}{}"
LIKE = (
    r"\NewDocumentCommand{\theoremlike}{m g o}{\textbf{#1}\IfNoValueTF{#3}{}{\label{#3}}}"
    r"\newcommand*{\lemma}{\theoremlike{Lemma}}"
)
BOXED = (
    r"\DeclareTColorBox[auto counter]{box}{g o t\label g}"
    r"{title={#1},IfBooleanTF={#3}{}{label={b:#4}}}"
)


@pytest.mark.parametrize(
    ("code", "text", "key"),
    [
        (HANDED, r"\begin{said}[one] x \end{said}", "one"),
        (BEGUN, r"\begin{rule}{one} x \end{rule}", "r:one"),
        (CALLED, r"\task{one} x \endtask", "one"),
        (CALLED, r"\begin{task}{one} x \end{task}", "one"),
        (LIKE, r"\lemma{A name.}[one] x", "one"),
        (LIKE, r"\lemma[one] x", "one"),
        (BOXED, r"\begin{box}{A name of $\mathbb{R}$}{one} x \end{box}", "b:one"),
    ],
)
def test_a_label_comes_of_an_argument_that_is_given(code, text, key):
    assert LabelArguments([code, text]).makes(key)
    assert not LabelArguments([code, f"% {text}"]).makes(key)
    assert not LabelArguments([code, text]).makes("two")
    assert not LabelArguments([text]).makes(key)


OWN = r"\newcommand{\own}[1]{\label{l:#1}}\newenvironment{env}[1]{\label{l:#1}}{}"


@pytest.mark.parametrize(
    ("text", "follows"),
    [
        (r"\own{a}\begin{env}{b}\end{env}", True),
        (r"\newcommand{\both}[1]{\own{#1}}\both{a}", True),
        (r"\forcsvlist{\own}{a,b}", False),
        (r"\newcommand\begun{\begin{env}}\begun{a}", False),
        (r"\own a", False),
        (r"\foreach \x in {a,b} {\own{\x}}", False),
        (r"\label{l:#1}", False),
    ],
)
def test_a_form_is_followed_where_each_use_has_its_argument(text, follows):
    assert LabelArguments([OWN + text]).follows("l:#1") is follows


def test_a_form_is_not_followed_where_its_argument_may_be_in_no_braces():
    own = r"\newcommand{\own}[2]{#1\label{l:#2}}"
    assert LabelArguments([own + r"\own{A}{a}"]).follows("l:#2")
    assert not LabelArguments([own + r"\own{A}\name"]).follows("l:#2")


def test_an_argument_that_is_only_printed_makes_no_label():
    code = r"\newenvironment{task}[2]{\label{#1}\textbf{#2}\other{#2}}{}\newcommand{\other}[1]{#1}"
    assert not LabelArguments([code, r"\other{one}"]).makes("one")


def test_definitions_that_call_each_other_end():
    code = r"\newcommand{\one}[1]{\two{#1}}\newcommand{\two}[1]{\one{#1}\label{#1}}"
    assert LabelArguments([code, r"\one{here}"]).makes("here")
