"""The installed command reads proofs through a server that is not ours, well and badly behaved."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

PF = Path(sys.executable).with_name("pf")
CHAOS = {"dropRate": 0.2, "malformedRate": 0.1, "disconnectRate": 0.1, "rateLimitRate": 0.1}
RESULT = (
    "\\begin{lemma}\\label{l%d} Every A has %d parts.\\end{lemma}\n\\begin{proof}%s\\end{proof}\n"
)
FLAWED = "Dividing by $x$ it follows that there are %d."
SOUND = "There are %d of them by counting."


def body(count: int, flawed: int) -> str:
    return "".join(
        RESULT % (n, n, (FLAWED if n == flawed else SOUND) % n) for n in range(1, count + 1)
    )


@pytest.fixture(params=["chat", "responses"])
def world(request: pytest.FixtureRequest, double: Any, tmp_path: Path) -> dict[str, str]:
    """The environment of a user who has named a server and a key."""
    folder = tmp_path / "config" / "pf-verify"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(
        f'model = "a-model"\nbase_url = "{double.base_url}"\nkey_env = "DOUBLE_KEY"\n'
        f'endpoint = "{request.param}"\ntimeout = 20\n'
        '[prices."a-model"]\ninput = 0.75\noutput = 4.5\n',
        encoding="utf-8",
    )
    return {
        **os.environ,
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "PF_DATA_DIR": str(tmp_path / "data"),
        "DOUBLE_KEY": "test-key-1",
    }


@pytest.fixture
def paper(tmp_path: Path, repository: Callable[..., str], document: Callable[[str], str]) -> Path:
    repository({"main.tex": document(body(12, flawed=5))})
    return tmp_path / "paper"


def pf(world: Mapping[str, str], paper: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    command = [str(PF), *argv]
    return subprocess.run(
        command, cwd=paper, env=world, capture_output=True, text=True, check=False, timeout=300
    )


def asked(double: Any) -> int:
    return sum(
        1 for entry in double.journal() if "chat" in entry["path"] or "resp" in entry["path"]
    )


def replies(world: dict[str, str]) -> int:
    """How many replies the store has kept."""
    with closing(sqlite3.connect(Path(world["PF_DATA_DIR"]) / "replies.sqlite")) as store:
        (count,) = store.execute("SELECT count(*) FROM replies").fetchone()
    return int(count)


def test_a_planted_gap_is_found_and_the_rest_is_checked(
    world: dict[str, str], paper: Path, double: Any
) -> None:
    done = pf(world, paper, "check", "--all", "--yes", "--format", "json")
    found = json.loads(done.stdout)
    assert done.returncode == 1, done.stderr
    (finding,) = [item for item in found["findings"] if item["rule"] == "gap"]
    assert (finding["module"], finding["votes"], finding["rollouts"]) == ("l5", 3, 3)
    assert finding["quote"] == "Dividing by $x$"
    assert found["statuses"]["l1"] == "checked"
    assert found["statuses"]["l5"] == "flagged"
    assert found["unreached"] == []
    assert found["usage"]["calls"] == 12 * 3 + 3 == asked(double)
    assert found["usage"]["input_tokens"] == 900 * 39
    assert found["usage"]["cost_usd"] == pytest.approx(39 * (900 * 0.75 + 60 * 4.5) / 1e6)


def test_what_was_read_costs_nothing_again(world: dict[str, str], paper: Path, double: Any) -> None:
    pf(world, paper, "check", "--all", "--yes")
    count = asked(double)
    done = pf(world, paper, "check", "--all")
    assert done.returncode == 1
    assert "a-model was not used. 12 proofs of 12 read before." in done.stdout
    assert asked(double) == count


def test_after_chaos_nothing_is_lost_and_nothing_is_believed_that_was_not_said(
    world: dict[str, str], paper: Path, double: Any
) -> None:
    double.misbehave(**CHAOS)
    first = pf(world, paper, "check", "--all", "--yes", "--format", "json")
    found = json.loads(first.stdout)
    assert first.returncode in (1, 3)
    flagged = {item["module"] for item in found["findings"]}
    assert flagged <= {"l5"}
    unread = {item["module"] for item in found["unreached"]}
    # What one reading objects to stays flagged where another reading was lost.
    for name in unread:
        assert found["statuses"][name] == ("flagged" if name in flagged else "unreached")
    kept = replies(world)
    double.reset()
    second = pf(world, paper, "check", "--all", "--yes", "--format", "json")
    assert second.returncode == 1
    assert json.loads(second.stdout)["unreached"] == []
    # What was cut off may have been charged and counts as a call; only what was kept is not asked.
    assert 0 < kept <= found["usage"]["calls"]
    assert asked(double) == replies(world) - kept < 39


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_end_in_the_middle_loses_no_reply_that_had_arrived(
    world: dict[str, str], paper: Path, double: Any, how: signal.Signals
) -> None:
    command = [str(PF), "check", "--all", "--yes"]
    process = subprocess.Popen(
        command, cwd=paper, env=world, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while asked(double) < 6 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(how)
    process.wait(timeout=60)
    before = asked(double)
    done = pf(world, paper, "check", "--all", "--yes", "--format", "json")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert found["unreached"] == []
    kept = 39 - found["usage"]["calls"]
    lost = before - kept
    assert lost <= 16 if how is signal.SIGKILL else lost == 0
