"""Folders that go with their process: gone at the end, and swept where nobody holds them."""

import os
import subprocess
import sys
import tempfile

import pytest

from pfcore.repository.scratch_folder import PREFIX, scratch_folder
from tests.conftest import REPO

pytestmark = pytest.mark.skipif(os.name != "posix", reason="locks of folders are POSIX's")
KILLED = """
import os, signal
from pfcore.repository.scratch_folder import scratch_folder
with scratch_folder("test") as folder:
    (folder / "secret").write_text("x")
    print(folder, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def top(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def names(top):
    return sorted(item.name for item in top.iterdir())


def test_it_is_empty_and_gone_afterwards(top):
    with scratch_folder("test") as folder:
        assert list(folder.iterdir()) == []
        assert [folder.name] == names(top)
    assert names(top) == []


def test_what_a_killed_process_left_is_removed_by_the_next(top):
    environment = {**os.environ, "TMPDIR": str(top), "PYTHONPATH": str(REPO)}
    command = [sys.executable, "-c", KILLED]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode < 0
    assert [done.stdout.strip().rpartition("/")[2]] == names(top)
    with scratch_folder("test") as folder:
        assert names(top) == [folder.name]


def test_what_is_held_what_is_a_link_and_what_is_not_called_so_stays(top, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").write_text("x")
    (top / f"{PREFIX}link").symlink_to(elsewhere)
    (top / f"{PREFIX}file").write_text("x")
    with scratch_folder("one") as first, scratch_folder("two") as second:
        assert first.is_dir() and second.is_dir()
    assert names(top) == ["elsewhere", f"{PREFIX}file", f"{PREFIX}link"]
    assert (elsewhere / "file").is_file()
