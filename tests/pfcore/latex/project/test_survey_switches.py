"""Which conditions of a document never hold."""

import pytest

from pfcore.latex.lexer.mask import conditions, mask
from pfcore.latex.project.survey import never_set, switches

DRAFT = r"\newif\ifdraft"


def _dead(*texts: str) -> frozenset[str]:
    return never_set(switches(text) for text in texts)


def test_a_switch_that_nothing_sets_is_off():
    assert _dead(DRAFT, r"\ifdraft x\fi \draftfalse \ifother y\fi") == {"ifdraft"}


@pytest.mark.parametrize(
    "setting",
    [
        r"\drafttrue",
        r"\DeclareOption{draft}{\drafttrue}",
        r"\ifdefined\mine\drafttrue\fi",
        r"\setboolean{draft}{true}",
        r"\let\ifdraft\iftrue",
        r"\csname drafttrue\endcsname",
        r"\newcommand{\switch}[1]{\csname #1true\endcsname}",
        r"\newcommand{\begindraft}{\ifdraft}",
        r"\InputIfFileExists{local}{}{}",
    ],
)
def test_what_may_be_set_somewhere_is_not_known_to_be_off(setting):
    assert _dead(DRAFT, setting) == frozenset()


def _hidden(text: str) -> str:
    return " ".join(mask(text, frozenset({"ifdraft"})).text.split())


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (r"a \ifdraft b\fi c", "a c"),
        (r"a \ifdraft b\else c\fi d", r"a c\fi d"),
        (r"a \ifdraft b \ifx c\else d\fi e\fi f", "a f"),
        (r"\newif\ifdraft a \ifdraft b\fi", r"\newif\ifdraft a"),
        (r"\ifdrafty a\fi", r"\ifdrafty a\fi"),
        (r"{\ifdraft a}{b\fi}", r"{\ifdraft a}{b\fi}"),
        (r"\ifdraft a", r"\ifdraft a"),
        (r"\ifdraft a % \ifdraft b", r"\ifdraft a"),
    ],
)
def test_a_branch_that_never_holds_is_blank(text, left):
    assert _hidden(text) == left


def test_conditions_are_found_whole():
    text = r"\newif\ifa \ifb x \ifc y\fi\else z\fi w \ifthenelse{a}{b}{c} \ifd v\fi \fi"
    found = [text[start:end] for start, end in conditions(text)]
    assert found == [r"\ifb x \ifc y\fi\else z\fi", r"\ifd v\fi"]
