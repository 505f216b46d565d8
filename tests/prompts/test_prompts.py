"""Prompts as data: there is one for each stage."""

from hashlib import sha256
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


AS_RELEASED = {
    "calibrate-paper/v1": "36741b56609eb08c",
    "calibrate-steps/v1": "b54ffe939c18f0fa",
    "calibrate/v1": "ab16c92ebabcb9f7",
    "calibrate/v2": "8a09875e4dd3c56c",
    "classify-comment/v1": "f5a16fff9f824ccc",
    "direct-paper/v1": "a3f99b549d717944",
    "direct-steps/v1": "6275591d9a7740f5",
    "faithfulness-paper/v1": "b98d42d4fe6a7f11",
    "faithfulness-solution/v1": "009ed77b4a8cd007",
    "faithfulness/v1": "ded0a4ab0a392d81",
    "faithfulness/v2": "88ec4f4e13823a38",
    "judge-defect/v1": "f3c390c0919eeb5f",
    "judge-inclusive/v1": "458c0fe2a13fb20b",
    "judge-strict/v1": "cadc09504af80014",
    "translate-paper/v1": "2eeacc918e9336fb",
    "translate-solution/v1": "00d88b46f265aad1",
    "translate/v1": "aba6b37ec29eb829",
    "translate/v2": "5ba90be430a9b1c6",
    "verify/v1": "24436062ebad51cf",
    "verify/v2": "2e602c98d41fd829",
}
"""What each wording begins with as SHA-256: verdicts are kept under its name, so it stays."""


def test_a_released_wording_is_never_edited() -> None:
    places = Path(prompts.__file__).parent.glob("*/v*.md")
    found = {
        f"{place.parent.name}/{place.stem}": sha256(place.read_bytes()).hexdigest()[:16]
        for place in places
    }
    assert found == AS_RELEASED
