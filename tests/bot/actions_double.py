"""GitHub's side of the Action: pull requests of a few commits, and the runs of the workflow.

Written from what GitHub documents: a job's check has the commit of its event, begins when all that
the job needs is over, and is changed by nobody else; a run that comes later cancels one of the same
pull request; a fork's token reads. A rule on a name sees the newest check of it, or all.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot import publish_command, push_start_command
from pfcore.reporters.formats.publication import Conclusion, handed
from tests.bot.conftest import ACTIONS, World, made, moment

US = {"id": 1, "full_name": "us/paper", "default_branch": "main"}
NAME = "review / structure"
RAW = "review / ${{ needs.comparison.outputs.structure || 'structure (not started)' }}"
"""What GitHub shows of a job that it skips: the name of the workflow, as it stands there."""


@dataclass
class Pull:
    """A pull request; `who` is own, known (a fork of a member) or stranger."""

    number: int
    who: str
    head: str
    base: str
    is_open: bool = True
    changed: int = 0

    def shown(self) -> dict[str, Any]:
        """What a list and an event say of it."""
        repo = US if self.who == "own" else {"id": 2, "full_name": "them/paper"}
        return {
            "number": self.number,
            "head": {"sha": self.head, "repo": repo},
            "base": {"sha": self.base * 40, "ref": self.base, "repo": US},
            "author_association": "NONE" if self.who == "stranger" else "MEMBER",
            "updated_at": moment(self.changed),
            "closed_at": None if self.is_open else moment(self.changed),
        }


@dataclass
class ActionsRun:
    """A run for an event; `done` counts the jobs that are over."""

    id: int
    pull: Pull
    payload: dict[str, Any]
    base: str
    head: str
    kind: str = "review"
    done: int = 0
    is_killed: bool = False
    is_superseded: bool = False
    name: str = ""
    check: dict[str, Any] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether nothing of it is left to be done."""
        return self.done >= (1 if self.kind == "closing" else 3)


@dataclass
class Actions:
    """All of it; `red` are the commits that have an error against a base.

    `is_required`: runs have the job that lets no earlier check of the proofs pass.
    """

    world: World
    ask: Callable[[str, Mapping[str, Any], Mapping[str, str]], dict[str, str]]
    red: frozenset[tuple[str, str]]
    pulls: dict[int, Pull] = field(default_factory=dict)
    runs: list[ActionsRun] = field(default_factory=list)
    is_required: bool = False

    def event(self, pull: Pull, action: str, **more: Any) -> None:
        """Something happens to a pull request."""
        self.world.now += 1
        pull.changed = self.world.now
        self.pulls[pull.number] = pull
        self.world.pulls = [item.shown() for item in self.pulls.values() if item.is_open]
        payload = {"action": action, "repository": US, "pull_request": pull.shown(), **more}
        kinds = ["closing"] if action == "closed" else ["review"]
        if action == "synchronize":
            kinds.append("closing")
        for kind in kinds:
            if kind == "closing" and pull.who != "own":
                continue
            made = ActionsRun(len(self.runs) + 1, pull, payload, pull.base, pull.head, kind)
            if kind == "review":
                self._cancel(pull)
            self.runs.append(made)

    def _cancel(self, pull: Pull) -> None:
        for run in self.runs:
            if run.pull is pull and run.kind == "review":
                run.is_superseded = True
                if not run.is_over and not run.is_killed:
                    self.kill(run)

    def kill(self, run: ActionsRun) -> None:
        """A runner dies, or a run is cancelled: what has not begun is skipped."""
        run.is_killed = True
        if run.check and run.check["status"] != "completed":
            run.check |= {"status": "completed", "conclusion": "cancelled"}
        elif run.kind == "review" and run.done == 0:
            self._job(run, "review / comparison", "cancelled")
            self._job(run, RAW, "skipped")

    def again(self, run: ActionsRun) -> None:
        """Somebody re-runs all jobs of a run."""
        run.is_killed, run.done, run.check = False, 0, {}

    def step(self, run: ActionsRun, dies_at: int = 0) -> None:
        """One job of a run; `dies_at` is the request at which its runner dies, if it does."""
        self.world.now += 1
        count = [0]

        def before(method: str, path: str) -> int | None:
            count[0] += 1
            return 422 if dies_at and count[0] >= dies_at else None

        self.world.before = before
        try:
            self._do(run)
        finally:
            self.world.before = lambda method, path: None
        if dies_at and count[0] >= dies_at:
            self.kill(run)
        else:
            run.done += 1

    def _do(self, run: ActionsRun) -> None:
        own = run.pull.who == "own"
        if run.kind == "closing":
            self.ask("publish", run.payload, {"PF_TELL": "closing", "GITHUB_RUN_ID": str(run.id)})
        elif run.done == 0:
            if own and self.is_required:
                values = {"PF_TELL": "renewal", "GITHUB_RUN_ID": str(run.id)}
                self.ask("publish", run.payload, values)
            found = self.ask("since", run.payload, {})
            if "structure" in found:
                self._job(run, "review / comparison", "success")
                run.name = found["structure"]
                run.check = self._job(run, f"review / {run.name}", None)
        elif run.done == 1:
            run.check |= {"status": "completed", "conclusion": self.verdict(run)}
        elif own:
            ended = Conclusion.CLEAN
            if self.verdict(run) == "failure":
                ended = Conclusion.BLOCKING
            told = handed(made(head=run.head, base=run.base * 40, conclusion=ended, title=ended))
            values = {"PF_PUBLICATION": told, "PF_PROOFS": told, "PF_TELL": "review"}
            self.ask("publish", run.payload, values | {"GITHUB_RUN_ID": str(run.id)})

    def verdict(self, run: ActionsRun) -> str:
        """What a review of a run's comparison comes to."""
        return "failure" if (run.head, run.base) in self.red else "success"

    def _job(self, run: ActionsRun, name: str, conclusion: str | None) -> dict[str, Any]:
        number = 900 + len(self.world.runs)
        check = {
            "id": number,
            "url": f"{self.world.api}/repos/us/paper/check-runs/{number}",
            "name": name,
            "head_sha": run.head,
            "external_id": f"job-{number}",
            "status": "completed" if conclusion else "in_progress",
            "conclusion": conclusion,
            "started_at": moment(self.world.now),
            "output": {"title": None, "summary": None},
            "app": ACTIONS,
        }
        self.world.runs.append(check)
        return check

    def named(self, head: str, name: str) -> list[dict[str, Any]]:
        """The checks of a name at a commit, the oldest first."""
        return [run for run in self.world.runs if (run["head_sha"], run["name"]) == (head, name)]

    def first(self, head: str) -> Pull | None:
        """Whose the names that rules require are by the rule of the page."""
        order = ("own", "known", "stranger")
        at = [pull for pull in self.pulls.values() if pull.is_open and pull.head == head]
        return min(at, key=lambda pull: (order.index(pull.who), pull.number), default=None)


@pytest.fixture
def ask(
    world: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., dict[str, str]]:
    """Runs `pf-since` or `pf-publish` for an event; what it puts out."""
    mains = {"since": push_start_command.main, "publish": publish_command.main}
    fixed = {
        "GITHUB_API_URL": world.api,
        "GITHUB_REPOSITORY": "us/paper",
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_OUTPUT": str(tmp_path / "outputs"),
        "GITHUB_SHA": "0" * 40,
        "PF_TOKEN": "a-token",
        "PF_PAUSE": "0",
        "PF_EXPECTED": "true",
        "PF_ADVISORY": "false",
    }
    for name, value in fixed.items():
        monkeypatch.setenv(name, value)

    def run(command: str, payload: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, str]:
        (tmp_path / "event.json").write_text(json.dumps(payload))
        (tmp_path / "outputs").write_text("")
        with monkeypatch.context() as here:
            for name, value in values.items():
                here.setenv(name, value)
            status = mains[command]()
        said = capsys.readouterr().out
        lines = (tmp_path / "outputs").read_text().splitlines()
        return {"status": str(status), "said": said} | dict(it.split("=", 1) for it in lines)

    return run
