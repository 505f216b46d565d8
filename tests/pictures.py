"""Draws the README's pictures from the demo's paper: python -m tests.pictures

`check.svg` is what `pf check` prints, as plain text in an SVG: equal output makes equal bytes.
`report.png` is the top of `pf report` in Chromium, which another version draws a little otherwise.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
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
