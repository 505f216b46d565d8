"""The upload of a paper that passes is unpacked somewhere else and compiled by LaTeX itself."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.acceptance

PF = Path(sys.executable).with_name("pf")
MAIN = r"""% a comment before everything
\documentclass{article}
\usepackage{amsmath,amsthm,graphicx,own,url}
\newtheorem{lemma}{Lemma}
\graphicspath{{fig/}}
\begin{document}
Some prose, \verb|100%|. % TODO: say more
\input{sec/first}% no space here
\iffalse a secret \fi
\begin{figure}\includegraphics[width=1cm]{dot}\caption{A dot.}\end{figure}
\cite{gauss}
\bibliographystyle{plain}
\bibliography{refs}
\end{document}
and notes to ourselves
"""
FIRST = r"""\begin{lemma}\label{a} For all $x$, $\own{x} = x$. % is this true?
\end{lemma}
\begin{proof} Clear, as \url{http://a.example/%7Eb} and
\begin{verbatim}
% x = x
\end{verbatim}
say. \end{proof}
\begin{lemma}\label{b} So is \ref{a}. \end{lemma}
% a note
\begin{proof} By Lemma~\ref{a}. \end{proof}
"""
BBL = "\\begin{thebibliography}{1}\n\\bibitem{gauss} C. F. Gau{\\ss}.\n\\end{thebibliography}\n"
OWN = "\\newcommand{\\own}[1]{#1}\n"


def compiled(folder: Path) -> str:
    """The text of the log of two runs."""
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main.tex"]
    for _ in range(2):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:]
    return (folder / "main.log").read_text(encoding="latin-1")


def dot(folder: Path) -> None:
    """A figure, made by LaTeX."""
    (folder / "dot.tex").write_text(
        "\\documentclass{minimal}\\begin{document}.\\end{document}", encoding="utf-8"
    )
    command = ["pdflatex", "-interaction=batchmode", "dot.tex"]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)


def labels(folder: Path) -> list[str]:
    """What LaTeX makes of the labels: numbers and pages."""
    text = (folder / "main.aux").read_text(encoding="latin-1")
    return re.findall(r"\\newlabel\{.*", text)


def test_the_upload_compiles_alone_to_the_same_numbers(repository, tmp_path: Path) -> None:
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is absent: the upload cannot be compiled")
    here = tmp_path / "here"
    here.mkdir()
    dot(here)
    files = {
        "paper/main.tex": MAIN,
        "paper/sec/first.tex": FIRST,
        "paper/own.sty": OWN,
        "paper/main.bbl": BBL,
        "paper/refs.bib": "@misc{gauss, note = {what we really think}}\n",
        "paper/letter.tex": "Dear editor,",
        "README.md": "# a paper",
    }
    figure = tmp_path / "paper/paper/fig/dot.pdf"
    figure.parent.mkdir(parents=True)
    shutil.copy(here / "dot.pdf", figure)
    repository(files)
    command = [str(PF), "gate", "--allow-unread", "--bundle", str(tmp_path / "up.tar.gz")]
    environment = {**os.environ, "PF_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        command,
        cwd=tmp_path / "paper",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with tarfile.open(tmp_path / "up.tar.gz") as tar:
        tar.extractall(tmp_path / "up", filter="data")
    found = sorted(
        str(path.relative_to(tmp_path / "up"))
        for path in (tmp_path / "up").rglob("*")
        if path.is_file()
    )
    assert found == [
        "00README.json",
        "fig/dot.pdf",
        "main.bbl",
        "main.tex",
        "own.sty",
        "sec/first.tex",
    ]
    text = "".join((tmp_path / "up" / name).read_text() for name in found if name[-3:] == "tex")
    for secret in ("TODO", "secret", "is this true", "ourselves", "a note", "a comment before"):
        assert secret not in text
    log = compiled(tmp_path / "up")
    assert "undefined" not in log
    compiled(tmp_path / "paper/paper")
    assert labels(tmp_path / "up") == labels(tmp_path / "paper/paper") != []
