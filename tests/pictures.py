"""Draws the README's pictures from the demo's paper: python -m tests.pictures

`check.svg` is what `pf check` prints, as plain text in an SVG: equal output makes equal bytes.
`report.png` is the top of `pf report` in Chromium, which another version draws a little otherwise.
"""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path
from xml.sax.saxutils import escape

from pfcore.cli.commands.demo_command import write_demo

REPO = Path(__file__).resolve().parents[1]
FOLDER = REPO / ".github" / "docs" / "pictures"
COMMAND = "pf check --base HEAD~1"
WIDTH, HEIGHT = 1200, 750
MOST = 150_000
"""Bytes that the picture of the report may have."""

_CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
_LETTER, _LINE, _MARGIN = 8.4, 20, 16
_COLUMNS = 100
_COLOURS = {"error": "#ff8f8f", "warning": "#f2c55c", "note": "#8fb8ff"}
_SEVERITY = re.compile(r"^ *(error|warning|note)\b")


def main() -> int:
    """Draw both."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        paper = demo(Path(folder) / "paper")
        (FOLDER / "check.svg").write_text(drawn(check_output(paper)), encoding="utf-8")
        place = FOLDER / "report.png"
        if not photographed(paper, place):
            sys.stderr.write("there is no Chromium here: report.png is left as it is\n")
    return 0


def demo(folder: Path) -> Path:
    """The demo's paper, in its last commit."""
    write_demo(folder)
    return folder


def check_output(paper: Path) -> str:
    """What `pf check` prints there, compared with the commit before."""
    return _pf(paper, *COMMAND.split()[1:])


def drawn(output: str) -> str:
    """A terminal's text as an SVG; letters keep their columns whatever font is there."""
    lines = [f"$ {COMMAND}", *output.rstrip("\n").split("\n")]
    columns = max(_COLUMNS, *map(len, lines))
    width = round(columns * _LETTER + 2 * _MARGIN)
    height = len(lines) * _LINE + 2 * _MARGIN
    rows = [_row(line, number) for number, line in enumerate(lines, 1) if line.strip()]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="What pf check prints">'
    )
    style = "text{font:14px ui-monospace,Menlo,Consolas,monospace;fill:#e6e6e6;white-space:pre}"
    ground = '<rect width="100%" height="100%" rx="8" fill="#1e1e24"/>'
    return "\n".join([head, f"<style>{style}</style>", ground, *rows, "</svg>", ""])


def _row(line: str, number: int) -> str:
    """One line; what begins it is left out, and the rest stands in its column."""
    text = line.lstrip(" ")
    start = round(_MARGIN + (len(line) - len(text)) * _LETTER, 1)
    length = round(len(text) * _LETTER, 1)
    severity = _SEVERITY.match(line)
    colour = f' style="fill:{_COLOURS[severity[1]]}"' if severity else ""
    below = _MARGIN + number * _LINE - 5
    return (
        f'<text x="{start}" y="{below}" textLength="{length}" xml:space="preserve"{colour}>'
        f"{escape(text)}</text>"
    )


def photographed(paper: Path, place: Path) -> bool:
    """The top of the report as a PNG; False where there is no Chromium."""
    program = next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if program is None:
        return False
    page = paper.parent / "report.html"
    _pf(paper, "report", "--out", str(page))
    flags = ["--headless", "--disable-gpu", "--hide-scrollbars", f"--window-size={WIDTH},{HEIGHT}"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    profile = f"--user-data-dir={paper.parent / 'profile'}"
    subprocess.run(
        [program, *flags, profile, f"--screenshot={place}", page.as_uri()],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    return True


def difference(one: Path, other: Path) -> float:
    """Of the cells of two pictures in which either has something the share that differ.

    Cells, and not pixels: fonts and the ways to smooth them differ from machine to machine.
    """
    cells, others = _cells(one), _cells(other)
    if len(cells) != len(others):
        return 1.0
    ground = max(cells, key=cells.count)
    pairs = [pair for pair in zip(cells, others, strict=True) if pair != (ground, ground)]
    return sum(abs(here - there) > _DARKER for here, there in pairs) / max(1, len(pairs))


_CELL, _DARKER = 25, 12
"""Pixels of a side of a cell; by how much of 255 two cells may differ."""
_CHANNELS = {2: 3, 6: 4}


def _cells(place: Path) -> list[float]:
    """How light the cells of a PNG of eight bits are, line by line."""
    data = place.read_bytes()
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    if depth != 8 or kind not in _CHANNELS:
        raise ValueError(f"{place}: not a PNG in colours of eight bits")
    rows = _rows(_packed(data), width * _CHANNELS[kind], height, _CHANNELS[kind])
    greens = [row[1 :: _CHANNELS[kind]] for row in rows]
    return [
        sum(sum(row[left : left + _CELL]) for row in greens[top : top + _CELL]) / _CELL**2
        for top in range(0, height - _CELL + 1, _CELL)
        for left in range(0, width - _CELL + 1, _CELL)
    ]


def _packed(data: bytes) -> bytes:
    """The pixels of a PNG as they are packed, each line behind the number of its filter."""
    found, position = [], 8
    while position < len(data):
        (length,) = struct.unpack(">I", data[position : position + 4])
        if data[position + 4 : position + 8] == b"IDAT":
            found.append(data[position + 8 : position + 8 + length])
        position += length + 12
    return zlib.decompress(b"".join(found))


def _rows(packed: bytes, length: int, height: int, step: int) -> list[bytes]:
    """The lines of a PNG without their filters: https://www.w3.org/TR/png-3/#9Filters."""
    found: list[bytes] = []
    above = bytes(length)
    for number in range(height):
        start = number * (length + 1)
        kind, line = packed[start], bytearray(packed[start + 1 : start + 1 + length])
        for index in range(length if kind else 0):
            left = line[index - step] if index >= step else 0
            corner = above[index - step] if index >= step else 0
            before = (0, left, above[index], (left + above[index]) // 2)
            guess = before[kind] if kind < 4 else _nearest(left, above[index], corner)
            line[index] = (line[index] + guess) & 255
        above = bytes(line)
        found.append(above)
    return found


def _nearest(left: int, above: int, corner: int) -> int:
    """Paeth's guess."""
    guess = left + above - corner
    return min((left, above, corner), key=lambda value: abs(guess - value))


def _pf(paper: Path, *words: str) -> str:
    """What pf prints in the paper's folder; a status of 1 says that it found something."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PF_", "CI"))}
    cache = {"PF_CACHE_DIR": str(paper.parent / "cache"), "PYTHONIOENCODING": "utf-8"}
    # Installed, pf is on the path, and is told to be called by its name alone.
    own["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), own.get("PATH", "")))
    code = "from pfcore.cli.main import script; script()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *words], cwd=paper, capture_output=True,
        env=own | cache | {"COLUMNS": str(_COLUMNS)}, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
