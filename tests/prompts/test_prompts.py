"""Prompts as data: there is one for each stage."""

from pathlib import Path

import pytest

import prompts


@pytest.mark.parametrize("stage", list(prompts.stages()))
def test_every_stage_has_its_prompt(stage: str) -> None:
    text = prompts.prompt(stage, prompts.CURRENT[stage])
    assert text.strip()
    assert "boundary" in text
    assert "data" in text


def test_another_folder_may_replace_the_prompts(tmp_path: Path) -> None:
    (tmp_path / "verify").mkdir()
    (tmp_path / "verify" / "v1.md").write_text("Only this.", encoding="utf-8")
    assert prompts.prompt("verify", "v1", tmp_path) == "Only this."
    with pytest.raises(FileNotFoundError):
        prompts.prompt("calibrate", "v1", tmp_path)
