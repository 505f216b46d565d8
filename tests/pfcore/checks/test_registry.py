"""Checks can be switched off and made graver or milder in pf.toml."""

import pytest

from pfcore.domain.errors import ConfigError
from pfcore.domain.findings import is_told


def _review(reviewed, document, toml):
    text = document(r"\ref{no} \begin{theorem} T. \end{theorem}")
    return reviewed({"main.tex": text, "pf.toml": toml}).papers[0]


def test_a_check_that_is_switched_off_says_nothing(reviewed, document):
    report = _review(reviewed, document, '[checks]\ndisable = ["no-proof"]\n')
    assert [finding.rule for finding in report.findings] == ["dangling-reference"]


def test_a_severity_can_be_chosen(reviewed, document):
    report = _review(reviewed, document, '[checks.severity]\nno-proof = "error"\n')
    assert {(f.rule, f.severity.value) for f in report.findings} == {
        ("dangling-reference", "error"),
        ("no-proof", "error"),
    }


@pytest.mark.parametrize("kind", ["banana", "theorm", "Satz"])
def test_a_kind_of_theorem_that_nobody_knows_is_a_configuration_error(reviewed, document, kind):
    words = rf"pf.toml: 'satz' in \[latex.theorems\] has the unknown kind '{kind}'; expected one of"
    with pytest.raises(ConfigError, match=words):
        _review(reviewed, document, f'[latex]\ntheorems = {{satz = "{kind}"}}\n')


@pytest.mark.parametrize("kind", ["theorem", "satz", "exercise", "\u5b9a\u7406"])
def test_a_kind_may_be_written_in_any_of_the_languages(reviewed, document, kind):
    _review(reviewed, document, f'[latex]\ntheorems = {{satz = "{kind}"}}\n')


@pytest.mark.parametrize(
    "toml", ['[checks]\ndisable = ["no-prof"]\n', '[checks.severity]\nno-prof = "error"\n']
)
def test_a_check_that_does_not_exist_is_a_configuration_error(reviewed, document, toml):
    with pytest.raises(ConfigError, match=r"pf.toml: unknown check 'no-prof'; expected one of:"):
        _review(reviewed, document, toml)


_LEMMAS = (
    r"\begin{{lemma}}\label{{a}} A.\end{{lemma}}\begin{{proof}}{}\end{{proof}}"
    r"\begin{{lemma}}\label{{b}} B.\end{{lemma}}\begin{{proof}} By \ref{{a}}.\end{{proof}}"
)


@pytest.mark.parametrize(
    ("text", "rule", "severity"),
    [
        (_LEMMAS.format(r"By \ref{b}."), "cycle", "warning"),
        (_LEMMAS.format(r"\emph{By \ref{b}.}"), "cycle", "warning"),
        (_LEMMAS.format(r"\ifdef{\full}{By \ref{b}.}{Clear.}"), "cycle", "note"),
        (r"\emph{\input{gone}}", "missing-file", "error"),
        (r"\ifdef{\full}{\input{gone}}{}", "missing-file", "note"),
        (r"\ifthenelse{1=2}{\input{gone}}{}", "missing-file", "note"),
        (r"\ifthenelse{1=2}{}{\input{gone}}", "missing-file", "error"),
    ],
)
def test_nothing_that_blocks_rests_on_one_branch_of_a_condition(article, text, rule, severity):
    found = [item for item in article(text).findings if item.rule == rule]
    assert [item.severity.value for item in found] == [severity]


_LOST = " ".join(rf"\ref{{def:{letter}}}" for letter in "abcdefgh")


_KNOWN = "".join(
    rf"\begin{{lemma}}\label{{lem:{n}}} L.\end{{lemma}} \ref{{lem:{n}}} " for n in "abcdefgh"
)


def _loud(report):
    return [one for one in report.findings if one.severity.value != "note"]


def _alike(report):
    return [one for one in report.findings if one.alike]


def test_references_of_one_shape_that_all_lead_nowhere_are_one_note(article):
    report = article(rf"\begin{{lemma}}\label{{lem:x}} L.\end{{lemma}} \ref{{lem:x}} {_LOST}")
    (one,) = _alike(report)
    assert (one.rule, one.severity.value, one.alike) == ("dangling-reference", "note", 8)
    assert one.message.startswith("8 references (def:) lead to no label that pf-verify")
    assert _loud(report) == []


@pytest.mark.parametrize(
    ("lines", "also"),
    [
        ((8,), ""),
        ((4, 4), " (also main.tex:9)"),
        ((4, 1, 1, 1, 1), " (also main.tex:9, main.tex:10, main.tex:11, and 1 more line)"),
        ((3, 1, 1, 1, 1, 1), " (also main.tex:9, main.tex:10, main.tex:11, and 2 more lines)"),
    ],
)
def test_the_other_lines_of_what_is_alike_are_told(article, lines, also):
    keys = iter("abcdefgh")
    rows = (" ".join(rf"\ref{{def:{next(keys)}}}" for _ in range(many)) for many in lines)
    (one,) = _alike(article("\n".join(rows)))
    assert one.location.line == 8
    assert one.message.endswith(f"how this paper defines labels{also}")


def test_keys_without_a_prefix_have_the_command_as_their_shape(article):
    keys = " ".join(rf"\ref{{{chapter}.{number}}}" for chapter in "123" for number in "45")
    report = article(rf"{keys} \section{{A}}\label{{here}} \ref{{here}}")
    assert [one.alike for one in _alike(report)] == [6]
    assert "6 references (\\ref) lead to no label" in _alike(report)[0].message


def test_a_reference_that_does_not_share_the_shape_stays_an_error(article):
    known = " ".join(
        rf"\begin{{lemma}}\label{{lem:{n}}} L.\end{{lemma}} \ref{{lem:{n}}}" for n in "xyz"
    )
    report = article(rf"{known} \ref{{lem:gone}} {_LOST}")
    assert [one.alike for one in _alike(report)] == [8]
    assert [one.message.partition(";")[0] for one in _loud(report)] == ["undefined label lem:gone"]


@pytest.mark.parametrize(
    "text",
    [
        " ".join(rf"\ref{{def:{letter}}}" for letter in "abcde"),
        r"\ref{def:a} " * 9,
        _LOST
        + "".join(
            rf"\begin{{lemma}}\label{{def:{n}}} L.\end{{lemma}} \ref{{def:{n}}}" for n in "xyz"
        ),
    ],
    ids=["few", "one label", "others of that shape are found"],
)
def test_what_an_author_may_have_done_stays_an_error(article, text):
    report = article(text)
    assert _alike(report) == []
    assert {one.severity.value for one in _loud(report)} == {"error"}


def test_labels_that_a_change_removes_are_told_one_by_one(article):
    made = "".join(rf"\begin{{lemma}}\label{{def:{n}}} L.\end{{lemma}}" for n in "abcdefgh")
    report = article(_LOST, made + _LOST)
    assert _alike(report) == []
    assert len([one for one in _loud(report) if one.introduced]) == 8


_CLAIMS = r"\begin{claim} C.\end{claim} " * 8
_FIGURES = "".join(rf"\newcommand{{\F{n}}}{{\label{{fig:{n}}} x}}" for n in "abcdef")
_SHOWN = "".join(rf"\F{n} \ref{{fig:{n}}} " for n in "abcdef")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (_KNOWN, _KNOWN.replace(r"\ref{lem:", r"\ref{lemma:")),
        (_KNOWN + r"\ref{lemma:x}", _KNOWN.replace(r"\ref{lem:", r"\ref{lemma:")),
        (_CLAIMS, _CLAIMS.replace(r"\end{claim}", "")),
        (_FIGURES + _SHOWN, _FIGURES + _SHOWN + _SHOWN),
        ("", "".join(rf"\input{{fig/{n}.tkz.tex}} " for n in range(6))),
    ],
    ids=["renamed", "one was lost before", "ends deleted", "copied", "not committed"],
)
def test_what_was_no_habit_before_a_change_is_told_one_by_one(article, before, after):
    report = article(after, before)
    assert _alike(report) == []
    assert len([one for one in _loud(report) if one.introduced]) >= 6


def test_a_habit_from_before_a_change_is_one_note_with_what_is_new(article):
    report = article(rf"{_LOST} \ref{{def:new}}", _LOST)
    assert [(one.alike, one.introduced) for one in _alike(report)] == [(9, True)]
    assert _loud(report) == []


def test_labels_that_are_known_to_be_elsewhere_are_told_one_by_one(reviewed, document):
    made = "".join(rf"\begin{{lemma}}\label{{def:{n}}} L.\end{{lemma}}" for n in "abcdefgh")
    report = reviewed({"main.tex": document(_LOST), "chapter.tex": made}).papers[0]
    assert _alike(report) == []
    assert len(_loud(report)) == 8


def test_who_says_how_grave_a_check_is_gets_each_of_its_findings(reviewed, document):
    toml = '[checks.severity]\ndangling-reference = "error"\n'
    report = reviewed({"main.tex": document(_LOST), "pf.toml": toml}).papers[0]
    assert len(_loud(report)) == 8


def test_labels_that_macros_set_twice_are_one_note_and_written_ones_are_not(article):
    macros = "".join(rf"\newcommand{{\F{n}}}{{\label{{fig:{n}}} x}}" for n in "abcdef")
    uses = "".join(rf"\F{n} \ref{{fig:{n}}} " for n in "abcdef")
    written = r"\section{A}\label{s} \section{B}\label{s} \ref{s}"
    report = article(f"{macros}{uses} text {uses}{written}")
    assert [(one.rule, one.alike) for one in _alike(report)] == [("duplicate-label", 6)]
    assert [one.subject for one in _loud(report)] == ["s"]


def test_files_with_an_ending_that_programs_give_are_one_note(article):
    made = "".join(rf"\input{{fig/x_0.{n}-a.tkz.tex}} " for n in range(6))
    report = article(rf"{made}\input{{gone}}")
    assert [(one.rule, one.alike) for one in _alike(report)] == [("missing-file", 6)]
    assert _alike(report)[0].message.startswith("6 included files *.tkz.tex are missing;")
    assert [one.quote for one in _loud(report)] == [r"\input{gone}"]


def test_environments_that_seem_not_closed_in_the_same_way_are_one_note(article):
    report = article("\n\n".join(r"\begin{claim} C." for _ in range(6)))
    assert [(one.rule, one.alike) for one in _alike(report)] == [("unbalanced-environment", 6)]


def test_one_note_of_many_is_shown_unasked_and_blocks_nothing(article):
    report = article(_LOST)
    (one,) = _alike(report)
    assert is_told(one)
    assert not report.blocking


def test_answers_to_some_of_what_is_alike_leave_the_others_one_note(reviewed, document):
    rows = [rf"\ref{{def:{letter}}}" for letter in "abcdefgh"]
    named = {
        "main.tex": document("\n".join(rows)),
        "pf.toml": '[checks.severity]\ndangling-reference = "error"\n',
    }
    ids = [one.id for one in reviewed(named).papers[0].findings][:3]
    answers = [
        f"{row} % pf: ignore[{name}] printed elsewhere"
        for row, name in zip(rows[:3], ids, strict=True)
    ]
    answered = {"main.tex": document("\n".join((*answers, *rows[3:]))), "pf.toml": ""}
    report = reviewed(answered).papers[0]
    assert [one.alike for one in _alike(report)] == [5]
    assert [one.id for one in _loud(report) if one.dismissed is not None] == ids
    assert len(_loud(report)) == 3
