"""Prompts as data: there is one for each stage."""

from pathlib import Path

import pytest

import prompts
from pfcore.domain.paper_settings import WORDINGS


@pytest.mark.parametrize("stage", list(prompts.stages()))
def test_every_stage_has_its_prompt(stage: str) -> None:
    text = prompts.prompt(stage, prompts.RELEASED[stage])
    assert text.strip()
    assert "boundary" in text
    assert "data" in text


def test_another_folder_may_replace_the_prompts(tmp_path: Path) -> None:
    (tmp_path / "verify").mkdir()
    (tmp_path / "verify" / "v1.md").write_text("Only this.", encoding="utf-8")
    assert prompts.prompt("verify", "v1", tmp_path) == "Only this."
    with pytest.raises(FileNotFoundError):
        prompts.prompt("calibrate", "v1", tmp_path)


def test_a_prompt_of_another_folder_is_read_anew_wherever_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "mine" / "verify").mkdir(parents=True)
        (tmp_path / name / "mine" / "verify" / "v1.md").write_text(name, encoding="utf-8")
        monkeypatch.chdir(tmp_path / name)
        assert prompts.prompt("verify", "v1", Path("mine")) == name
    Path("mine/verify/v1.md").write_text("changed", encoding="utf-8")
    assert prompts.prompt("verify", "v1", Path("mine")) == "changed"


def test_what_reads_pdfs_changes_no_contract_of_reading_latex() -> None:
    assert set(prompts.CURRENT) == {"translate", "faithfulness", "verify", "calibrate"}
    assert all(set(listed) == set(prompts.CURRENT) for listed in prompts.SETS.values())
    assert prompts.WHOLE["verify"] in {listed["verify"] for listed in prompts.SETS.values()}


def test_the_sets_that_settings_name_are_those_that_are_there() -> None:
    assert tuple(prompts.SETS) == WORDINGS
    assert prompts.SETS[WORDINGS[-1]] == prompts.CURRENT


def test_prompts_can_be_told_apart_by_their_first_words() -> None:
    versions = prompts.RELEASED.items()
    assert len({prompts.prompt(*item)[:60] for item in versions}) == len(versions)
