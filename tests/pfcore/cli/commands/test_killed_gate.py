"""`pf gate --bundle`, killed at each change of a file: no half counts, the next run works."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPO

pytestmark = pytest.mark.acceptance

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes can be forked here")


@needs_fork
def test_whenever_it_is_killed_no_half_is_taken_for_whole_and_the_next_run_works(paper, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    programs = tmp_path / "programs"  # git, and no TeX: that is killed elsewhere
    programs.mkdir()
    (programs / "git").symlink_to(shutil.which("git") or "")
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("killed_gate.py"))],
        cwd=paper,
        env={**os.environ, "TMPDIR": str(scratch), "PATH": str(programs), "PYTHONPATH": str(REPO)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    events = " ".join(item["event"] for item in found)
    assert all(name in events for name in ("up.tar.gz", "result.json", "record.md"))
    assert [item for item in found if item["bundle"] == "broken" or item["record"] == "part"] == []
    assert {item["bundle"] for item in found} == {"none", "whole"}
    wrong = [
        item
        for item in found
        if item["again"]
        or item["left"]
        or item["then bundle"] != "whole"
        or item["then record"] != "all"
    ]
    assert wrong == []
