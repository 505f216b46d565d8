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
