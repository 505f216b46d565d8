"""The README's pictures are what the product prints today; their files are of a fair size."""

import shutil
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests import pictures

SVG = "{http://www.w3.org/2000/svg}"


def size(place: Path) -> tuple[int, int]:
    """Width and height of a PNG."""
    data = place.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def test_the_picture_of_the_terminal_is_what_check_prints(tmp_path):
    paper = pictures.demo(tmp_path / "paper")
    drawn = pictures.drawn(pictures.check_output(paper))
    place = pictures.FOLDER / "check.svg"
    assert drawn == place.read_text(encoding="utf-8"), "draw it anew: python -m tests.pictures"


def test_a_terminals_text_stands_in_the_picture_as_text():
    drawn = pictures.drawn("a < b\n\n  error  main.tex:1  [cycle] & more\n")
    rows = list(ElementTree.fromstring(drawn).iter(f"{SVG}text"))
    assert [row.text for row in rows] == [
        f"$ {pictures.COMMAND}", "a < b", "error  main.tex:1  [cycle] & more",
    ]  # fmt: skip
    assert float(rows[2].attrib["x"]) > float(rows[1].attrib["x"])
    assert [("style" in row.attrib) for row in rows] == [False, False, True]
    assert "font-face" not in drawn and "href" not in drawn


def test_the_picture_of_the_report_is_small_and_of_its_size():
    place = pictures.FOLDER / "report.png"
    assert size(place) == (pictures.WIDTH, pictures.HEIGHT)
    assert place.stat().st_size < pictures.MOST


@pytest.mark.acceptance
def test_the_picture_of_the_report_can_be_made(tmp_path):
    place = tmp_path / "report.png"
    if not pictures.photographed(pictures.demo(tmp_path / "paper"), place):
        pytest.skip("there is no Chromium here: apt-get install chromium")
    assert size(place) == (pictures.WIDTH, pictures.HEIGHT)
    assert 10_000 < place.stat().st_size < pictures.MOST


def test_without_a_browser_no_picture_of_the_report_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert not pictures.photographed(tmp_path / "paper", tmp_path / "report.png")
    assert not (tmp_path / "report.png").exists()
