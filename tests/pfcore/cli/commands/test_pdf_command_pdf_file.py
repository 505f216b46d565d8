"""Which files are PDFs that can be read, and which settings hold for them."""

from pathlib import Path

import pytest

from pfcore.cli.commands import pdf_command
from pfcore.cli.commands.pdf_command import LIMIT, load_pdf, settings
from pfcore.domain.errors import ConfigError, UsageError


def test_a_pdf_is_read_to_the_letter(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"\n%PDF-1.7 \xff")
    assert load_pdf(path) == b"\n%PDF-1.7 \xff"


BAD = {
    "file not found": None,
    "is empty": b"",
    "is not a PDF": b"\\documentclass{article}",
    "is 33 MB; the limit is 32 MB": b"%PDF-1.7" + b" " * (LIMIT + 900_000),
}


@pytest.mark.parametrize("words", BAD)
def test_what_is_no_pdf_is_wrong_usage(words: str, tmp_path: Path) -> None:
    path, content = tmp_path / "a.pdf", BAD[words]
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=words):
        load_pdf(path)


def test_a_folder_is_no_pdf_whatever_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").mkdir()
    with pytest.raises(UsageError, match="is a folder, not a PDF"):
        load_pdf(tmp_path / "a.pdf")


def test_the_nearest_settings_hold_up_to_the_top_of_the_repository(repository, tmp_path) -> None:
    (tmp_path / "pf.toml").write_text("[reading]\nrollouts = 9\n")
    repository({"pf.toml": "[reading]\nrollouts = 5\n", "out/deep/x.txt": "x"})
    path = tmp_path / "paper" / "out" / "deep" / "a.pdf"
    assert settings(path).reading.rollouts == 5
    (path.parent.parent / "pf.toml").write_text("[reading]\nrollouts = 4\n")
    assert settings(path).reading.rollouts == 4


def test_outside_of_repositories_only_the_folder_itself_counts(tmp_path: Path) -> None:
    (tmp_path / "pf.toml").write_text("[reading]\nrollouts = 9\n")
    (tmp_path / "a").mkdir()
    assert settings(tmp_path / "a" / "a.pdf").reading.rollouts == 3
    assert settings(tmp_path / "a.pdf").reading.rollouts == 9


def test_settings_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "pf.toml").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match=r"pf\.toml"):
        settings(tmp_path / "a.pdf")


def test_the_limit_is_the_one_that_is_stated() -> None:
    assert pdf_command.LIMIT == 32_000_000
