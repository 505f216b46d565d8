"""`pf gate --bundle` is killed at many moments, with TeX at work: no half is taken for whole.

Forty times where PF_KILLS=all, else twelve times.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(sys.platform != "linux", reason="/proc says which processes are left"),
]

PF = Path(sys.executable).with_name("pf")
KILLS = 40 if os.environ.get("PF_KILLS") == "all" else 12
BODY = r"""\begin{lemma}\label{a} A. \end{lemma} % a note
\begin{proof} Clear, by \cite{gauss}. \end{proof}
\newcount\n \loop\ifnum\n<60000 \advance\n by 1 \setbox0\hbox{x}\repeat
\bibliographystyle{plain}\bibliography{refs}
"""
BIB = "@article{gauss, author={C. F. Gauss}, title={Disquisitiones}, journal={J}, year={1801}}\n"


def processes_in(folder: Path) -> list[str]:
    """The processes that work below a folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if (place / "cwd").readlink().is_relative_to(folder):
                found.append((place / "cmdline").read_bytes().decode("utf-8", "replace"))
        except OSError:  # it is gone meanwhile, or another user's
            continue
    return found


def test_a_bundle_is_whole_or_absent_and_nothing_lives_on(
    repository, document, tmp_path: Path
) -> None:
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is absent: there is nothing to be killed at work")
    repository({"main.tex": document(BODY), "refs.bib": BIB})
    paper, scratch, target = tmp_path / "paper", tmp_path / "scratch", tmp_path / "up.tar.gz"
    scratch.mkdir()
    environment = {
        **os.environ,
        "PF_CACHE_DIR": str(tmp_path / "cache"),
        "TMPDIR": str(scratch),
        "TZ": "UTC",
    }
    command = [str(PF), "gate", "--allow-unread", "--force", "--bundle", str(target)]

    def begun() -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            command,
            cwd=paper,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    start = time.monotonic()
    assert begun().wait() == 0
    longest = time.monotonic() - start
    whole = target.read_bytes()
    with tarfile.open(target) as tar:
        assert sorted(tar.getnames()) == ["00README.json", "main.bbl", "main.tex"]
    draw = random.Random(7)
    killed = at_work = 0
    for _ in range(KILLS):
        target.unlink(missing_ok=True)
        process = begun()
        time.sleep(draw.random() * longest * 0.9)
        at_work += any("pdflatex" in words for words in processes_in(scratch))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() < 0
        for _ in range(100):
            if not processes_in(scratch):
                break
            time.sleep(0.05)
        assert processes_in(scratch) == []
        assert not target.exists() or target.read_bytes() == whole
    assert killed >= KILLS * 3 // 4
    assert at_work
    assert begun().wait() == 0
    assert target.read_bytes() == whole
    assert list(scratch.iterdir()) == []
    assert sorted(item.name for item in (paper / "pf-gate").iterdir()) == [
        ".gitignore",
        "findings.sarif",
        "record.md",
        "report.html",
        "result.json",
    ]
