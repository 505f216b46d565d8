"""One commit gives one bundle, wherever and by whomever it is made; all of it compiles."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is absent"),
]

PF = Path(sys.executable).with_name("pf")
LEMMA = "\\begin{lemma}\\label{%s} A. \\end{lemma} %% why\n\\begin{proof} Clear. \\end{proof}\n"
CITED = "\\input{macros}By \\cite{gauss}.\\bibliographystyle{plain}\\bibliography{refs}\n"
BIB = "@article{gauss, author={C. F. Gauss}, title={Disquisitiones}, journal={J}, year={1801}}\n"
BOTH = ("--root", "main.tex", "--root", "supplement.tex")
WORLDS = (
    (0o022, {"TZ": "UTC", "PYTHONHASHSEED": "1", "LC_ALL": "C"}),
    (0o077, {"TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "2", "LC_ALL": "C.UTF-8"}),
)


@pytest.fixture
def paper(repository, document, tmp_path: Path) -> Path:
    repository(
        {
            "main.tex": document(LEMMA % "a" + CITED),
            "supplement.tex": document(LEMMA % "s" + CITED),
            "macros.tex": "\\newcommand{\\own}{x}\n",
            "refs.bib": BIB,
        }
    )
    return tmp_path / "paper"


def test_two_runs_in_different_worlds_give_the_same_bytes(paper: Path, tmp_path: Path) -> None:
    made = []
    for number, (umask, world) in enumerate(WORLDS):
        own = tmp_path / f"world {number}"
        copy = own / ("deeper/" * number) / "paper"
        shutil.copytree(paper, copy)
        target = own / "up.tar.gz"
        written = ["--bundle", str(target), "--out", str(own / "gate")]
        subprocess.run(
            [str(PF), "gate", str(copy), "--allow-unread", *BOTH, *written],
            cwd=copy if number else own,
            env={**os.environ, **world, "PF_CACHE_DIR": str(own / "cache")},
            umask=umask,
            capture_output=True,
            check=True,
        )
        made.append(target.read_bytes())
    assert made[0] == made[1]


def test_both_main_files_compile_from_the_bundle(paper: Path, tmp_path: Path) -> None:
    target = tmp_path / "up.tar.gz"
    command = [str(PF), "gate", "--allow-unread", *BOTH, "--bundle", str(target)]
    environment = {**os.environ, "PF_CACHE_DIR": str(tmp_path / "cache")}
    subprocess.run(command, cwd=paper, env=environment, capture_output=True, check=True)
    with tarfile.open(target) as tar:
        tar.extractall(tmp_path / "up", filter="data")
    said = json.loads((tmp_path / "up/00README.json").read_text(encoding="utf-8"))
    roots = [item["filename"] for item in said["sources"] if item["usage"] == "toplevel"]
    assert roots == ["main.tex", "supplement.tex"]
    for root in roots:
        for _ in range(2):
            tex = ["pdflatex", "-interaction=batchmode", "-halt-on-error", root]
            subprocess.run(tex, cwd=tmp_path / "up", capture_output=True, check=True)
        log = (tmp_path / "up" / root).with_suffix(".log").read_text(encoding="latin-1")
        assert "undefined" not in log
