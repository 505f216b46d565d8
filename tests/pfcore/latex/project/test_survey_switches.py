"""Which conditions of a document never hold."""

import pytest

from pfcore.latex.lexer.mask import conditions, mask
from pfcore.latex.project.survey import (
    constant_switches,
    constant_toggles,
    draft_switches,
    never_set,
    switches,
    untaken,
)

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


SHORT = r"\newtoggle{short}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (SHORT, {"short": False}),
        (SHORT + r"\toggletrue{short}", {"short": True}),
        (SHORT + r"\settoggle{short}{true}", {"short": True}),
        (r"\newbool{short}\setbool{short}{false}", {"short": False}),
        (r"\newboolean{short}\setboolean{short}{true}", {"short": True}),
        (SHORT + r"\toggletrue{short}\togglefalse{short}", {}),
        (SHORT + r"\settoggle{short}{\mine}", {}),
        (SHORT + r"\newcommand{\on}[1]{\toggletrue{#1}}", {}),
        (r"\toggletrue{short}", {}),
    ],
)
def test_a_toggle_that_gets_one_value_has_it(text, found):
    assert constant_toggles([switches(text)]) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"\newif\ifshort", {"short": False}),
        (r"\newif\ifshort\shorttrue", {"short": True}),
        (r"\newif\ifshort\shorttrue\boolfalse{short}", {}),
        (r"\newif\ifshort\shorttrue\settoggle{#1}{true}", {}),
        (r"\newif\ifshort\shorttrue\shortfalse", {}),
        (r"\shorttrue", {}),
        (r"\newif\ifshort\ifbool{x}{A}{B}\shorttrue", {"short": True}),
        (r"\newif\ifshort\ifx A B\shorttrue\fi", {}),
    ],
)
def test_a_switch_that_gets_one_value_has_it_as_a_toggle_has(text, found):
    assert constant_switches([switches(text)], ()) == found


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        (r"\iftoggle{short}{A}{B}", ["B"]),
        (r"\iftoggle{long}{A}{B}", ["A"]),
        (r"\nottoggle{short}{A}{B}", ["A"]),
        (r"\ifthenelse{\boolean{short}}{A}{B}", ["B"]),
        (r"\ifthenelse{\not\boolean{short}}{A}{B}", ["A"]),
        (r"\iftoggle{long}{A \iftoggle{short}{C}{D}}{B}", [r"A \iftoggle{short}{C}{D}"]),
        (r"\iftoggle{other}{A}{B}", []),
        (r"\iftoggle{short}{A}", []),
        (r"\newtoggle{short}{A}{B}", []),
    ],
)
def test_a_branch_that_a_toggle_leaves_out_is_found(text, gone):
    spans = untaken(text, {"short": True, "long": False})
    assert [text[start:end] for start, end in spans] == gone


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ("", "b d f"),
        ("12pt, draft", "a c f"),
        ("final", "b d e"),
        ("draft,final", "b c e"),
    ],
)
def test_draft_code_is_left_out_by_the_options_of_the_class(options, left):
    text = r"\ifdraft{a}{b} \ifoptiondraft{c}{d} \ifoptionfinal{e}{f}"
    gone = sorted(untaken(text, draft_switches(options)))
    kept = "".join(c for at, c in enumerate(text) if not any(s <= at < e for s, e in gone))
    for word in ("\\ifdraft", "\\ifoptiondraft", "\\ifoptionfinal", "{", "}"):
        kept = kept.replace(word, "")
    assert kept.split() == left.split()
