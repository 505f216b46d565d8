"""Whether LaTeX reads what stands in code with conditions."""

import re

import pytest

from pfcore.checks.conditional_code import (
    ConditionalCode,
    KnownValues,
    Standing,
    label_of,
    reference_to,
)
from pfcore.latex.macros.macro import PRIMITIVE, Macro

READ, DOUBTFUL, UNREAD = Standing.READ, Standing.DOUBTFUL, Standing.UNREAD
_MACROS = {
    "word": Macro((), "short"),
    "other": Macro((), "long"),
    "level": Macro((), "2"),
    "empty": Macro((), ""),
    "pick": Macro(("m", "m"), r"\iflong#1\else#2\fi"),
    "choose": Macro(("m", "m"), r"\ifarxiv#1\else#2\fi"),
    "both": Macro(("m",), r"\ifarxiv a #1\else b #1\fi"),
    "hide": Macro(("m",), ""),
    "outer": Macro(("m",), r"\hide{#1}"),
    "same": Macro(PRIMITIVE, r"\pick"),
    "endless": Macro(("m",), r"\endless{#1}"),
    "code": Macro(("m",), r"\texttt{\detokenize{#1}}"),
}
CODE = ConditionalCode(
    KnownValues(
        switches={"long": True, "draft": False, "ifdraft": False},
        macros=_MACROS,
        packages=frozenset({"hyperref"}),
        versions=frozenset({"mode"}),
    )
)


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        (r"\emph{X}", READ),
        (r"{\bf X}", READ),
        (r"\pick{X}{y}", READ),
        (r"\pick{y}{X}", UNREAD),
        (r"\same{y}{X}", UNREAD),
        (r"\choose{y}{X}", DOUBTFUL),
        (r"\both{X}", READ),
        (r"\outer{X}", UNREAD),
        (r"\emph{\outer{X}}", UNREAD),
        (r"\outer{\emph{X}}", UNREAD),
        (r"\endless{X}", READ),
        (r"\code{X}", UNREAD),
        (r"\ifbool{draft}{X}{y}", UNREAD),
        (r"\notbool{draft}{X}{y}", READ),
        (r"\ifbool{who}{X}{y}", DOUBTFUL),
        (r"\ifdefstring{\word}{short}{X}{y}", READ),
        (r"\ifdefstring{\word}{long}{X}{y}", UNREAD),
        (r"\ifdefstring{\word}{#1}{X}{y}", DOUBTFUL),
        (r"\ifthenelse{\equal{\word}{long}}{X}{y}", UNREAD),
        (r"\ifthenelse{\not\equal{\word}{long}}{X}{y}", READ),
        (r"\ifthenelse{\level>2}{X}{y}", UNREAD),
        (r"\ifthenelse{\boolean{draft}}{X}{y}", UNREAD),
        (r"\ifthenelse{\isodd{\level}}{X}{y}", DOUBTFUL),
        (r"\ifnumgreater{\level}{1}{X}{y}", READ),
        (r"\ifblank{}{y}{X}", UNREAD),
        (r"\notblank{}{y}{X}", READ),
        (r"\@ifpackageloaded{hyperref}{y}{X}", UNREAD),
        (r"\@ifpackageloaded{cleveref}{y}{X}", DOUBTFUL),
        (r"\IfFileExists{a.tex}{X}{}", DOUBTFUL),
        (r"\IfBooleanT{#1}{X}", DOUBTFUL),
        (r"\bool_if:NTF \g_a_bool {X}{y}", READ),
        (r"\tl_if_eq:nnTF{a}{b}{X}{y}", DOUBTFUL),
        (r"\ifsomething{a}{X}{y}", DOUBTFUL),
        (r"\@gobble{X}", UNREAD),
        (r"\@firstoftwo{X}{y}", READ),
        (r"\@secondoftwo{X}{y}", UNREAD),
        (r"\texorpdfstring{X}{y}", READ),
        (r"\texorpdfstring{y}{X}", UNREAD),
        (r"\mode<article>{X}", DOUBTFUL),
        (r"\mode<article>{y} {X}", READ),
        (r"{\ifnum\level>2 y\fi \pick{X}{}}", READ),
        (r"\loop\ifnum\n<3 X\repeat", DOUBTFUL),
        (r"\loop\ifnum\n<3 y\repeat X", READ),
        (r"\newif\ifarxiv \emph{X}", READ),
    ],
)  # fmt: skip
def test_a_place_is_read_or_not_by_what_it_is_an_argument_of(text, standing):
    place = text.index("X")
    assert CODE.around(text, place, place + 1) is standing


@pytest.mark.parametrize(
    ("code", "standing"),
    [
        (r"\ref{a}", READ),
        (r"\ref{b}", None),
        (r"\cref{b,a}", READ),
        (r"\hyperref[a]{there}", READ),
        (r"\pick{\ref{b}}{\ref{a}}", UNREAD),
        (r"\ifarxiv\ref{a}\else\ref{a}\fi", READ),
        (r"\ifarxiv\ref{a}\fi", DOUBTFUL),
        (r"\ifnum\level=2 \ref{a}\fi", READ),
        (r"\ifnum\level=1 \ref{a}\fi", UNREAD),
        (r"\ifodd\level \ref{a}\fi", UNREAD),
        (r"\ifx\word\other \ref{a}\else\fi", UNREAD),
        (r"\if\word l\ref{a}\fi", UNREAD),
        (r"\ifcase\level\ref{a}\or x\or\ref{b}\fi", UNREAD),
        (r"\ifcase\level x\or x\or\ref{a}\fi", READ),
        (r"\ifcase\who x\or\ref{a}\fi", DOUBTFUL),
        (r"\@ifundefined{r@a}{none}{\ref{a}}", UNREAD),
        (r"\@ifundefined{r@a}{\ref{a}}{}", READ),
        (r"\ifcsname r@a\endcsname\ref{a}\fi", UNREAD),
        (r"\expandafter\ifx\csname r@a\endcsname\relax none\else\ref{a}\fi", UNREAD),
        (r"\IfRefUndefinedExpandable{a}{none}{\ref{a}}", UNREAD),
        (r"\cs_if_exist:cTF{r@a}{\ref{a}}{none}", UNREAD),
        (r"\string\ref{a}", UNREAD),
        (r"\iftrue\ref{a}", READ),
    ],
)
def test_what_code_becomes_is_read_or_not(code, standing):
    assert CODE.within(code, reference_to("a", {"ref", "cref"})) is standing


def test_a_label_is_found_by_all_of_its_key():
    wanted = label_of("a", {"label"})
    assert wanted.search(r"\label{ a }")
    assert wanted.search(r"\label[x]{a}")
    assert not wanted.search(r"\label{ab}")
    assert not wanted.search(r"\labels{a}")


def test_the_length_of_code_is_no_matter():
    r"""Many conditions, each in the one before: the number of steps is bounded."""
    deep = 3_000 * r"\pick{" + r"\ref{a}" + 3_000 * "}{}"
    assert CODE.within(deep, re.compile(r"\\ref\{a\}")) in (READ, None)
