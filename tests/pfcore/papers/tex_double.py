"""A program in the place of TeX: it says what a test wants, and remembers what it was given."""

import sys
from pathlib import Path

import pytest

LOG = r"""This is a log
@pf-verify@|R|0|section|section|1
@pf-verify@|B|1|0|5|lem|main.tex
@pf-verify@|R|1|thmt@dummyctr|lem|
@pf-verify@|R|1|lem|lem|7.1
@pf-verify@|R|1|lem|lem|9.9
@pf-verify@|B|2|0|5|lem|main.tex
@pf-verify@|R|2|equation|equation|3
@pf-verify@|R|2|lem|lem|\textbf {7.2}
./main.tex:6: Undefined control sequence.
l.6 \foo
@pf-verify@|B|3|0|6|rem|main.tex
@pf-verify@|R|3|footnote|rem|2
@pf-verify@|R|3|enumi|enumerate|4
@pf-verify@|B|4|0|1|lem|part.tex
@pf-verify@|R|4|lem|lem|7.3
@pf-verify@|E
"""
AUX = r"""\relax
\newlabel{a}{{7.1}{1}}
\newlabel{b}{{7.3}{1}}
"""

# What it is called with is kept, and what it is given.
ENGINE = """#!{python} -I
import os, pathlib, shutil, sys
own = pathlib.Path(__file__).resolve().parent
if sys.argv[1:] == ["--version"]:
    print((own / "version").read_text())
    raise SystemExit
job = next(word for word in sys.argv if word.startswith("-jobname=")).partition("=")[2]
with (own / "calls").open("a") as calls:
    print(sys.argv[0].rpartition("/")[2], *sys.argv[1:], file=calls)
for kind in ("log", "aux", "fls"):
    shutil.copy(own / kind, f"{{job}}.{{kind}}")
top = pathlib.Path(os.environ["HOME"]).parent / "paper"
shutil.copytree(top, own / "given", dirs_exist_ok=True)
raise SystemExit(1)
"""


class Engine:
    """A program that answers as an engine does, and may write down what it was given."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        patch.setenv("PATH", f"{folder}:/usr/bin:/bin")
        patch.setattr("pfcore.papers.tex_process._confine", lambda rules: None)
        self.folder = folder
        folder.mkdir()
        self.says("log", LOG)
        self.says("aux", AUX)
        self.says("fls", "PWD /x\nINPUT /usr/share/x.sty\nINPUT ./main.tex\nOUTPUT /y\n")
        self.says("version", "pdfTeX 1")
        for name in ("pdflatex", "xelatex"):
            (folder / name).write_text(ENGINE.format(python=sys.executable))
            (folder / name).chmod(0o755)

    def says(self, kind: str, text: str) -> None:
        (self.folder / kind).write_text(text)

    @property
    def calls(self) -> list[str]:
        place = self.folder / "calls"
        return place.read_text().splitlines() if place.exists() else []

    def given(self) -> dict[str, str]:
        top = self.folder / "given"
        return {
            path.relative_to(top).as_posix(): path.read_text()
            for path in top.rglob("*")
            if path.is_file() and path.suffix not in (".log", ".aux", ".fls")
        }
