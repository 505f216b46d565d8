"""Checks can be switched off and made graver or milder in pf.toml."""

import pytest

from pfcore.domain.errors import ConfigError


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
