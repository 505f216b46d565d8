"""`pf explain RULE` knows every check, and says what to do."""

import re

import pytest

from pfcore.checks.registry import ALL
from pfcore.checks.suppressions import NEVER
from pfcore.cli.commands.explain_rule import rule_guides
from pfcore.cli.main import main


def test_every_check_has_a_guide_and_every_guide_a_check():
    assert set(rule_guides()) == {check.id for check in ALL}


@pytest.mark.parametrize("check", ALL, ids=lambda check: check.id)
def test_a_rule_is_explained_without_a_paper(check, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["explain", check.id]) == 0
    out = capsys.readouterr().out
    guide = rule_guides()[check.id]
    assert out.startswith(f"{check.id} ({check.severity.value} ")
    for title, text in (("Why", guide.why), ("Example", guide.example), ("Fix it", guide.mend)):
        assert f"\n{title}:\n  {text}\n" in out
        assert text
    is_never = check.id in NEVER
    assert ("cannot be dismissed" in out) is is_never
    assert (f"\nSilence it:\n  % pf: ignore[{check.id}] reason\n" in out) is not is_never


def test_a_rule_that_few_commands_look_for_says_which(run):
    assert "\nLooked for:\n  By pf gate alone.\n" in run("explain", "moving-date")[1]
    assert "by pf check and the hook if a change" in run("explain", "missing-figure")[1]
    assert "Looked for" not in run("explain", "cycle")[1]


def test_the_sentences_are_short():
    for guide in rule_guides().values():
        for sentence in re.split(r"(?<=[.:;])\s", guide.why):
            assert len(sentence.split()) <= 24, sentence


def test_the_silence_that_is_printed_silences(paper, edit, capsys):
    comment = " % pf: ignore[dangling-reference] reason\n"
    edit(r"By \ref{a}.", f"By \\ref{{no}}.{comment}")
    assert main(["check", "--all"]) == 0
    capsys.readouterr()
    (paper / "pf.toml").write_text('[checks]\ndisable = ["dangling-reference"]\n')
    edit(comment, "")
    assert main(["check", "--all"]) == 0
