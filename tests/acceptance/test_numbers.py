"""`pf numbers --latex` with a real TeX: the numbers that it prints, and papers that are hostile."""

import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from pfcore.domain.errors import IncompleteError
from pfcore.papers.discover import discover_papers
from pfcore.papers.latex_numbers import LatexWord, ask_latex
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.papers.tex_process import TexLimits
from pfcore.repository import snapshot
from tests.conftest import commit, write

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex is installed"),
]

ENGINES = [
    pytest.param("pdflatex"),
    pytest.param(
        "xelatex",
        marks=pytest.mark.skipif(shutil.which("xelatex") is None, reason="no xelatex is installed"),
    ),
]
STYLES = {
    "plain": "",
    "amsthm": "\\usepackage{amsthm}",
    "amsthm, hyperref, cleveref": "\\usepackage{amsthm,hyperref,cleveref}",
    "thmtools": "\\usepackage{amsthm,thmtools,hyperref}",
    "ntheorem": "\\usepackage{ntheorem}",
    "ntheorem, hyperref": "\\usepackage{hyperref}\\usepackage[hyperref]{ntheorem}",
}
BODY = r"""\begin{document}
\section{A}
\begin{lem}[Name]\label{a} x \end{lem}
\begin{equation}\label{e} x \end{equation}
\begin{lem} x
\begin{enumerate}\item\label{i} x \begin{thm} x \end{thm} \end{enumerate}
\end{lem}
\begin{thm}\label{t}
x \end{thm}
\end{document}
"""
EXPECTED = {4: "1.1", 6: "1.2", 7: "1.3", 9: "1.4"}


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., LatexWord]:
    """What LaTeX says of a paper, as it stands in the folder `paper`."""

    def run(text: str, limits: TexLimits | None = None) -> LatexWord:
        folder = write(tmp_path / "paper", {"main.tex": text})
        found = discover_papers(snapshot.from_folder(folder), ParseCache(MemoryCache())).papers[0]
        return ask_latex(found, limits or TexLimits())

    return run


def lines(word: LatexWord) -> dict[int, str]:
    return {line: number for (_, line, _), (number,) in word.statements.items()}


@pytest.mark.parametrize("packages", STYLES.values(), ids=STYLES)
def test_numbers_are_those_that_latex_prints(ask, packages) -> None:
    head = "\\newtheorem{lem}{Lemma}[section]\\newtheorem{thm}[lem]{Theorem}"
    word = ask(f"\\documentclass{{article}}{packages}{head}\n{BODY}")
    assert (word.errors, word.first) == (0, "")
    assert lines(word) == EXPECTED
    assert word.labels == {"a": "1.1", "e": "1", "i": "1", "t": "1.4"}


def test_llncs_counts_in_its_own_way(ask) -> None:
    if not subprocess.run(["kpsewhich", "llncs.cls"], capture_output=True, check=False).stdout:
        pytest.skip("this TeX has no llncs.cls")
    word = ask(
        "\\documentclass{llncs}\\begin{document}\n\\begin{lemma}\\label{a} x \\end{lemma}\n"
        "\\begin{remark} x \\end{remark}\n\\end{document}"
    )
    assert lines(word) == {2: "1", 3: "1"}


def test_restatable_results_and_unnumbered_ones(ask) -> None:
    word = ask(
        r"""\documentclass{article}\usepackage{amsthm,thm-restate}
\newtheorem{lem}{Lemma}\newtheorem*{rem}{Remark}\begin{document}
\begin{restatable}{lem}{again}\label{r}
x \end{restatable}
\begin{rem} x \begin{equation} x \end{equation} \end{rem}
\again*
\begin{lem} x \end{lem}
\end{document}"""
    )
    assert lines(word) == {3: "1", 5: "", 7: "2"}


def test_statements_that_share_the_counter_of_equations(ask) -> None:
    word = ask(
        r"""\documentclass{article}\newtheorem{lem}[equation]{Lemma}\begin{document}
\begin{lem} x \end{lem}
\begin{lem} x \begin{equation} x \end{equation} \end{lem}
\begin{lem} x \end{lem}
\end{document}"""
    )
    assert lines(word) == {2: "1", 3: "2", 4: "4"}


def test_the_installed_command_prints_them(tmp_path, monkeypatch) -> None:
    commit(
        tmp_path / "paper",
        {
            "main.tex": f"\\documentclass{{article}}\n\\newtheorem{{lem}}"
            f"{{L}}[section]\\newtheorem{{thm}}[lem]{{T}}{BODY}"
        },
    )
    monkeypatch.setenv("PF_CACHE_DIR", str(tmp_path / "cache"))
    command = [str(Path(sys.executable).with_name("pf")), "numbers", "--latex", "--format", "json"]
    done = subprocess.run(command, cwd=tmp_path / "paper", capture_output=True, check=True)
    (paper,) = json.loads(done.stdout)["papers"]
    assert paper["latex"] | {"errors": 0} == paper["latex"]
    assert {item["line"]: item["latex"] for item in paper["statements"]} == EXPECTED
    assert not list((tmp_path / "paper").glob("main.*x[!t]*"))


def hostile(engine: str, words: str) -> str:
    return f"""% !TeX program = {engine}
\\documentclass{{article}}\\newtheorem{{lem}}{{Lemma}}
\\begin{{document}}
{words}
\\begin{{lem}}\\label{{a}} x \\end{{lem}}
\\end{{document}}
"""


OPENED = r"""\newread\own\openin\own=%s \ifeof\own\else\setcounter{lem}{41}\fi
\IfFileExists{%s}{\setcounter{lem}{41}}{}"""


@pytest.fixture
def secret(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "secret.tex"
    place.write_text("\\setcounter{lem}{41}\n")
    yield place
    assert place.read_text() == "\\setcounter{lem}{41}\n"


@pytest.mark.parametrize("engine", ENGINES)
def test_no_file_outside_is_read(ask, engine, secret) -> None:
    size = "\\pdffilesize" if engine == "pdflatex" else "\\filesize"
    dump = f"\\edef\\x{{{size}{{{secret}}}}}\\ifx\\x\\empty\\else\\setcounter{{lem}}{{41}}\\fi"
    upwards = (
        "\\newread\\up\\openin\\up=../../../secret.tex \\ifeof\\up\\else\\setcounter{lem}{41}\\fi"
    )
    for words in (
        OPENED % (secret, secret),
        dump,
        upwards,
        OPENED % ("/etc/passwd", "/etc/passwd"),
    ):
        assert ask(hostile(engine, words)).labels["a"] == "1"
    with pytest.raises(IncompleteError):
        ask(hostile(engine, f"\\input{{{secret}}}"))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("confined", [True, False], ids=["confined", "not confined"])
def test_no_file_of_another_users_home_is_read(
    ask, engine, confined, tmp_path, monkeypatch
) -> None:
    """TeX's own guard lets ~user/file pass (TeX Live 2022)."""
    user = pwd.getpwuid(os.getuid())
    own = Path(tempfile.mkstemp(prefix="pf-verify-test-", suffix=".tex", dir=user.pw_dir)[1])
    try:
        own.write_text("\\setcounter{lem}{41}\n")
        if not confined:
            monkeypatch.setattr("pfcore.papers.tex_process._confine", lambda rules: None)
        words = "\\catcode`\\~=12 " + OPENED % ((f"~{user.pw_name}/{own.name}",) * 2)
        with nullcontext() if confined else pytest.raises(IncompleteError, match="outside"):
            assert ask(hostile(engine, words)).labels["a"] == "1"
    finally:
        own.unlink()


@pytest.mark.parametrize("engine", ENGINES)
def test_no_file_outside_is_written(ask, engine, tmp_path) -> None:
    for name in ("../x", "../../x", str(tmp_path / "x"), ".hidden", "~/x"):
        words = f"\\newwrite\\own\\immediate\\openout\\own={name} \\immediate\\write\\own{{x}}"
        with suppress(IncompleteError):  # it may be a fatal error to TeX, or none
            ask(hostile(engine, words))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["main.tex", "paper"]


@pytest.mark.parametrize("engine", ENGINES)
def test_no_command_is_run(ask, engine, tmp_path) -> None:
    place = tmp_path / "ran"
    shell = f"\\immediate\\write18{{touch {place}}}"
    assert ask(hostile(engine, shell)).labels["a"] == "1"
    for pipe in (f'\\input{{|"touch {place}"}}', f'\\input|"touch {place}" '):
        with suppress(IncompleteError):
            ask(hostile(engine, pipe))
    assert not place.exists()


def test_a_loop_without_end_is_stopped(ask) -> None:
    begun = time.monotonic()
    with pytest.raises(IncompleteError, match="stopped on main"):
        ask(hostile("pdflatex", "\\def\\x{\\x}\\x"), replace(TexLimits(), cpu_seconds=2))
    assert time.monotonic() - begun < 60


def test_a_file_of_a_gigabyte_is_stopped(ask, tmp_path) -> None:
    line = "x" * 500
    words = f"""\\newwrite\\own\\immediate\\openout\\own=big
\\newcount\\n\\loop\\immediate\\write\\own{{{line}}}\\advance\\n by 1 \\ifnum\\n<2000000 \\repeat"""
    with pytest.raises(IncompleteError, match="stopped on main"):
        ask(hostile("pdflatex", words), replace(TexLimits(), file_bytes=5_000_000))


def test_what_it_wrote_is_gone(ask, tmp_path, monkeypatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    ask(hostile("pdflatex", ""))
    with pytest.raises(IncompleteError):
        ask(hostile("pdflatex", "\\input{nowhere}"))
    assert not list((tmp_path / "tmp").iterdir())
