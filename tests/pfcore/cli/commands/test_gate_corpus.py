"""The gate on real papers: it passes when every reader accepts, and fails for each reason."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pfcore.cli.main import main
from tests.conftest import commit
from tests.pfcore.cli.conftest import ACCEPT, flag, genuine

pytestmark = [pytest.mark.corpus, pytest.mark.allow_hosts(["127.0.0.1"])]

PAPERS = ("flt3", "sphere-eversion")
ONCE = "\n[reading]\nrollouts = 1\ngranularity = 'author'\n"

Gate = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture(params=PAPERS)
def gate(
    request: pytest.FixtureRequest,
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Gate:
    """A real paper under git, whose structure and open statements are answered, and its gate."""
    folder = tmp_path / "paper"
    ignored = shutil.ignore_patterns("_truth", ".git", "pf.toml")
    shutil.copytree(corpus / request.param, folder, ignore=ignored)
    settings = "[blueprint]\ntrust_leanok = false\n" + ONCE
    commit(folder, {"pf.toml": settings})
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PF_DATA_DIR", str(tmp_path / "data"))

    def run(*argv: str) -> tuple[int, dict[str, Any]]:
        status = main(["gate", "--format", "json", *argv])
        found = json.loads(capsys.readouterr().out)
        return status, found["gate"]

    _, found = run("--allow-unread")
    _answer(folder, found)
    return run


def _answer(folder: Path, found: dict[str, Any]) -> None:
    """Answer, beside it, all that stands against the structure."""
    wanted: dict[str, dict[int, set[str]]] = {}
    for paper in found["papers"]:
        for item in paper["reasons"]:
            if item["cause"] in ("structure", "unproved"):
                rule = "no-proof" if item["cause"] == "unproved" else item["finding"]
                lines = wanted.setdefault(item["file"], {})
                lines.setdefault(item["start_line"], set()).add(rule)
    for name, lines in wanted.items():
        text = (folder / name).read_text(encoding="utf-8").split("\n")
        for line in sorted(lines, reverse=True):
            text[line - 1 : line - 1] = [f"% pf: ignore[{r}] as we know" for r in lines[line]]
        (folder / name).write_text("\n".join(text), encoding="utf-8")
    commit(folder, {})


def causes(found: dict[str, Any]) -> set[str]:
    return {item["cause"] for paper in found["papers"] for item in paper["reasons"]}


def test_a_real_paper_passes_when_all_accept_and_fails_for_each_reason(
    gate: Gate, referee: Any
) -> None:
    status, found = gate()
    assert (status, causes(found) >= {"unread"}) == (3, True)
    assert gate("--allow-unread") == (0, gate("--allow-unread")[1])
    status, found = gate("--model", "m", "--yes", "--budget", "100")
    assert (status, causes(found)) == (0, set())
    read = len(referee.asked)
    assert read > 20
    assert gate("--model", "m")[0] == 0
    assert len(referee.asked) == read

    victim = _objecting(referee)
    status, found = gate("--model", "other", "--yes", "--budget", "100")
    assert status == 1
    assert causes(found) <= {"flagged", "conditional"}
    flagged = [item for p in found["papers"] for item in p["reasons"] if item["cause"] == "flagged"]
    assert len(flagged) == len(victim) == 1

    referee.say = lambda stage, text: 400
    status, found = gate("--model", "mute", "--yes", "--budget", "100")
    assert (status, causes(found) - {"conditional"}) == (3, {"unread"})

    commit(Path(), {"pf.lock": "half a line\n"})
    status, found = gate("--model", "m")
    assert (status, causes(found)) == (3, {"ledger"})


def _objecting(referee: Any) -> set[str]:
    """Let the referee object to the first proof that comes, and to no other."""
    victim: set[str] = set()

    def say(stage: str, text: str) -> str:
        part = text.rpartition("begin: To be checked\n")[2].partition("\n----- ")[0]
        if stage == "verify":
            victim.update({part} if not victim else set())
            return flag(_quote(part)) if part in victim else ACCEPT
        return genuine(_quote(next(iter(victim))))

    referee.say = say
    return victim


def _quote(part: str) -> str:
    return max(part.split("\n"), key=len)[:60]
