"""The README's pictures are what the product prints today; their files are of a fair size."""

import shutil
import struct
import zlib
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
    told = pictures.FOLDER / "report.png"
    assert pictures.difference(place, told) < LIKE, "draw it anew: python -m tests.pictures"


LIKE = 0.05
"""What other fonts may change; a report without its map, or with one more line, differs by more."""


def png(place: Path, rows: list[list[tuple[int, int, int]]], kind: int = 0) -> Path:
    """A PNG; its lines have a filter that all have, by its number."""
    packed, above = b"", bytes(3 * len(rows[0]))
    for row in rows:
        line = bytes(value for pixel in row for value in pixel)
        before = {0: bytes(len(line)), 1: bytes(3) + line[:-3], 2: above}[kind]
        packed += bytes([kind]) + bytes((a - b) & 255 for a, b in zip(line, before, strict=True))
        above = line
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(packed)), (b"IEND", b"")]
    chunks = (struct.pack(">I", len(data)) + name + data + bytes(4) for name, data in parts)
    place.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))
    return place


def test_pictures_are_compared_cell_by_cell(tmp_path):
    white, black = (255, 255, 255), (0, 0, 0)
    drawn = [[black if 25 <= x < 75 and y < 25 else white for x in range(100)] for y in range(50)]
    half = [[black if 25 <= x < 50 and y < 25 else white for x in range(100)] for y in range(50)]
    one = png(tmp_path / "one.png", drawn)
    assert pictures.difference(one, png(tmp_path / "same.png", drawn, 1)) == 0
    assert pictures.difference(one, png(tmp_path / "too.png", drawn, 2)) == 0
    assert pictures.difference(one, png(tmp_path / "half.png", half)) == 0.5
    assert pictures.difference(one, png(tmp_path / "small.png", half[:25])) == 1.0


def test_without_a_browser_no_picture_of_the_report_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert not pictures.photographed(tmp_path / "paper", tmp_path / "report.png")
    assert not (tmp_path / "report.png").exists()
