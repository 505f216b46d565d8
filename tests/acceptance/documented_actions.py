"""Runs of the Action on the GitHub that was written from its documentation.

A run has the jobs of the workflow on the page, each as the program that it calls, on a checkout of
its own; GitHub makes their checks. What is started again has the event that it had. A run of a pull
request cancels the one before it, and of pushes to a branch one waits: the newest.
"""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from bot import publish_command, push_start_command
from pfcore.cli import main as pf
from pfcore.cli.github_actions import DO_NOT_READ, WITHHELD
from tests.acceptance.documented_github import ACTIONS, DocumentedGitHub, Hosted, Json, now

BIN = Path(sys.executable).parent
WORKFLOW = ".github/workflows/proofs.yml"
MAINS: dict[str, Callable[[list[str]], int]] = {
    "pf": pf.main,
    "pf-since": lambda words: push_start_command.main(),
    "pf-publish": lambda words: publish_command.main(),
}
NOT_STARTED = "review / ${{ needs.comparison.outputs.structure || 'structure (not started)' }}"
TYPES = "opened synchronize reopened edited ready_for_review labeled unlabeled closed".split()
"""The types of `pull_request` in the workflow on the page."""
_RIGHTS = {"actions": "write", "checks": "write", "issues": "write", "pull_requests": "write"}


class DocumentedActions:
    """The runner of one repository; what programs said is kept, the last one's last.

    `is_apart`: each program is a process of its own. `failed` are the runs whose last job could not
    tell what was found: a person re-runs them. `tell` is what that job is to tell, and `model` the
    one that the workflow names; "": none is. `reader` is the address where that one is asked, "" if
    no proof is to be read; with `is_required` what it finds fails. `cut` is the job at which the
    next run is cancelled, "" for none; `called` is the name that runs know the repository by, ""
    for the one that it has.
    """

    def __init__(
        self,
        github: DocumentedGitHub,
        here: Hosted,
        folder: Path,
        *,
        is_apart: bool = False,
        model: str = "",
        reader: str = "",
        is_required: bool = False,
    ) -> None:
        self.github, self.here, self.folder = github, here, folder
        self.said, self.failed, self.count = list[str](), list[Json](), 0
        self.tell, self.cut, self.called = "review", "", ""
        self._reader, self._is_required = reader, is_required
        self._is_apart, self._model, self._seen = is_apart, model, set[int]()
        folder.mkdir(parents=True, exist_ok=True)

    def pull_request(self, *, is_whole: bool = True) -> Json:
        """Run what the last delivery of a pull request starts; halfway only, if not the whole."""
        made = next(it for it in self.github.deliveries if it["event"] == "pull_request")
        run = self._begun(made)
        if is_whole:
            self.work(run)
        return run

    def _begun(self, made: Json) -> Json:
        """The run that a delivery starts; a run of the same pull request under way is cancelled."""
        self._seen.add(made["id"])
        pull = made["body"].get("pull_request")
        group = made["body"].get("merge_group")
        head = pull["head"] if pull else {"sha": made["body"].get("after"), "ref": "", "repo": None}
        run: Json = {
            "id": made["id"],
            "path": WORKFLOW,
            "event": made["event"],
            "head_sha": group["head_sha"] if group else made.get("commit") or head["sha"],
            "head_branch": head["ref"],
            "head_repository": head["repo"],
            "status": "in_progress",
            "conclusion": None,
            "run_attempt": 1,
            "run_started_at": now(),
            "jobs": [],
            "payload": made["body"],
        }
        for other in self.here.runs:
            is_same = (
                pull and other["payload"].get("pull_request", {}).get("number") == (pull["number"])
            )
            if is_same and other["status"] == "in_progress":
                self.cancel(other)
        self.here.runs.append(run)
        return run

    def cancel(self, run: Json) -> None:
        """A run ends where it is: what has not begun is skipped."""
        if not run["jobs"]:
            self.job(run, "review / comparison", "cancelled")
            self.job(run, NOT_STARTED, "skipped")
        run |= {"status": "completed", "conclusion": "cancelled"}

    def settle(self, *, dropped: int = 0) -> None:
        """Run what all new deliveries start, in their order; the first so many are cancelled."""
        new = [made for made in reversed(self.github.deliveries) if made["id"] not in self._seen]
        self._seen |= {made["id"] for made in new}
        started = [made for made in new if self._is_wanted(made)]
        for place, made in enumerate(started):
            run = self._begun(made)
            if place < dropped:
                self.cancel(run)
                continue
            if made["event"] == "push" and made["body"]["before"].strip("0"):
                self._base(made)
            self.work(run)
        self.again()

    def mend(self) -> int:
        """Re-run what failed, as a person does who sees it, and what asks to be; how much."""
        count = 0
        for _ in range(4):
            again, self.failed = self.failed + self._unseen(), []
            if not again:
                break
            count += len(again)
            for run in again:
                self._base(run) if "body" in run else self.work(run)
            self.again()
        return count

    def _unseen(self) -> list[Json]:
        """The last runs of the pull requests of which a check says that nobody looked."""
        newest = {(it["head_sha"], it["name"]): it for it in self.here.checks}
        asked = {
            head
            for (head, _), it in newest.items()
            if it["conclusion"] == "action_required" and it["output"]["title"] != WITHHELD
        }
        last = {
            run["payload"]["pull_request"]["number"]: run
            for run in self.here.runs
            if run["event"] == "pull_request" and run["payload"]["action"] != "closed"
        }
        is_open = {number for number, pull in self.here.pulls.items() if pull["state"] == "open"}
        return [it for at, it in last.items() if at in is_open and it["head_sha"] in asked]

    def _is_wanted(self, made: Json) -> bool:
        """Whether the workflow on the page has a run for an event."""
        body = made["body"]
        if made["event"] == "push":
            return bool(body["ref"] == f"refs/heads/{self.here.default}")
        is_pull = made["event"] == "pull_request" and body["action"] in TYPES
        is_pull = is_pull and body.get("label", {}).get("name", DO_NOT_READ) == DO_NOT_READ
        return is_pull or made["event"] in ("merge_group", "release")

    def again(self) -> int:
        """Run what was started again; how much."""
        wanted, self.github.rerun = self.github.rerun, []
        for run in self.here.runs:
            if run["id"] in wanted:
                self.work(run)
        return len(wanted)

    def work(self, run: Json) -> None:
        """Do the jobs of a run."""
        payload, head = run["payload"], run["head_sha"]
        run |= {"status": "in_progress", "run_started_at": now(), "jobs": []}
        if payload.get("action") == "closed":
            self._closing(run)
            return
        self.job(run, "review / comparison", "success")
        is_pull = run["event"] == "pull_request" and self._may_write(payload)
        if self._is_required and is_pull and not self._renew(run):
            self.failed.append(run)
        paper = self._checkout(head)
        out = self._program(run, "pf-since", PF_CHECK="since", PF_PATH=str(paper))
        place = self.folder / f"out-{self.count}"
        since = out.get("since", "")
        compared = [f"--since={since}"] if since else []
        if self._is_cut(run, "structure", f"review / {out['structure']}"):
            return
        options = ("--out", str(place), *compared, "--", str(paper))
        model = {"PF_MODEL": self._model} if self._reader else {}
        found = self._program(run, "pf", "ci", *options, PF_COMMENTS="true", **model)
        status = "failure" if found["status"] else "success"
        self.job(run, f"review / {out['structure']}", status)
        proofs = ""
        if found.get("proofs") == "true":
            if self._is_cut(run, "proofs", "review / proofs"):
                return
            proofs = self._read(run, place.with_name(f"{place.name}-proofs"), *options[2:])
        if self._is_cut(run, "publish", "review / publish"):
            return
        if self._may_write(payload) and (place / "publication").exists():
            told = {
                "PF_PUBLICATION": (place / "publication").read_text().strip(),
                "PF_PROOFS": proofs,
                "PF_TELL": self.tell,
                "PF_EXPECTED": found["proofs"],
            }
            done = self._program(run, "pf-publish", PF_MODEL=self._model, PF_SINCE=since, **told)
            self.job(run, "review / publish", "failure" if done["status"] else "success")
            if done["status"]:
                self.failed.append(run)
                status = "failure"
        if payload.get("action") == "synchronize" and self._may_write(payload):
            self._hand_on(run)
        run |= {"status": "completed", "conclusion": status}

    def _renew(self, run: Json) -> bool:
        """The job that lets no earlier check pass; whether it came to its end."""
        done = self._program(run, "pf-publish", PF_TELL="renewal")
        self.job(run, "review / renewal", "failure" if done["status"] else "success")
        return not done["status"]

    @property
    def scopes(self) -> int:
        """For how many (a pull request, the default branch, queues) replies are kept."""
        return len(list(self.folder.glob("replies-*.sqlite")))

    def _is_cut(self, run: Json, job: str, name: str) -> bool:
        """Whether a person cancels the run at a job, which has begun; those behind it are none."""
        if self.cut != job:
            return False
        self.cut = ""
        self.job(run, name, "cancelled")
        run |= {"status": "completed", "conclusion": "cancelled"}
        return True

    def _read(self, run: Json, place: Path, *options: str) -> str:
        """The job that has proofs read, with the replies that it may restore; what it tells."""
        pull = run["payload"].get("pull_request", {})
        scope = f"pull-{pull['number']}" if pull else "base" if run["event"] == "push" else "branch"
        base, store = (self.folder / f"replies-{name}.sqlite" for name in ("base", scope))
        if not store.exists() and base.exists():
            shutil.copy(base, store)
        values = {"PF_MODEL": self._model, "PF_BASE_URL": self._reader, "PF_STORE": str(store)}
        words = ("ci", "--out", str(place), "--proofs", "--budget=500k tokens", *options)
        done = self._program(run, "pf", *words, PF_COMMENTS="true", **values)
        is_bad = done["status"] and (self._is_required or done["status"] not in (1, 3))
        self.job(run, "review / proofs", "failure" if is_bad else "success")
        told = place / "publication"
        return told.read_text().strip() if told.exists() else ""

    def _hand_on(self, run: Json) -> None:
        done = self._program(run, "pf-publish", PF_TELL="closing")
        self.job(run, "closing / closing", "failure" if done["status"] else "success")
        if done["status"] and run not in self.failed:
            self.failed.append(run)

    def _may_write(self, payload: Json) -> bool:
        """Whether the token of a run may: not that of a fork's pull request."""
        source = (payload.get("pull_request") or {}).get("head", {}).get("repo")
        is_pull = "pull_request" in payload
        return not is_pull or bool(source and source["id"] == self.here.id)

    def _base(self, made: Json) -> None:
        body = made["body"]
        run = {"payload": body, "event": "push", "id": made["id"], "head_sha": body["after"]}
        paper = self._checkout(body["after"])
        more = {"PF_PATH": str(paper), "GITHUB_REF": body["ref"]}
        done = self._program(run, "pf-publish", PF_TELL="base", **more)
        if done["status"]:
            self.failed.append(made)

    def push(self) -> str:
        """The job `base` of the last push; what it says."""
        self._base(next(it for it in self.github.deliveries if it["event"] == "push"))
        return self.said[-1]

    def _closing(self, run: Json) -> None:
        run["jobs"] = [{"name": "review", "conclusion": "skipped"}]
        if self._may_write(run["payload"]):
            self._hand_on(run)
        run |= {"status": "completed", "conclusion": "success"}

    def job(self, run: Json, name: str, conclusion: str) -> None:
        """The check that GitHub makes of a job."""
        run["jobs"].append({"name": name, "conclusion": conclusion})
        asked = {"name": name, "head_sha": run["head_sha"], "conclusion": conclusion}
        self.github.add_check(self.here, asked, ACTIONS)

    def _checkout(self, commit: str) -> Path:
        self.count += 1
        place = self.folder / f"paper-{self.count}"
        subprocess.run(("git", "clone", "-q", str(self.here.git), str(place)), check=True)
        # As actions/checkout does: a fork's commit is fetched by its name.
        subprocess.run(("git", "-C", str(place), "fetch", "-q", "origin", commit), check=True)
        subprocess.run(("git", "-C", str(place), "checkout", "-q", commit), check=True)
        return place

    def _program(self, run: Json, name: str, *words: str, **values: str) -> Json:
        event, output = self.folder / "event.json", self.folder / "output"
        event.write_text(json.dumps(run["payload"]))
        output.write_text("")
        environ: dict[str, str] = {
            **{key: value for key, value in os.environ.items() if not key.startswith("PF_")},
            "GITHUB_API_URL": self.github.url,
            "GITHUB_SERVER_URL": self.github.server_url,
            "GITHUB_REPOSITORY": self.called or self.here.full_name,
            "GITHUB_EVENT_NAME": run["event"],
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_RUN_ID": str(run["id"]),
            "GITHUB_SHA": run["head_sha"],
            "GITHUB_REF": run["payload"].get("ref") or "",
            "GITHUB_WORKFLOW_REF": f"{self.here.full_name}/{WORKFLOW}@refs/heads/main",
            "PF_TOKEN": self._token(),
            "PF_PAUSE": "0",
            "PF_CACHE_DIR": str(self.folder / "cache"),
            "PF_ADVISORY": "false" if self._is_required else "true",
            **values,
        }
        status, said = (_apart if self._is_apart else _here)(name, list(words), environ)
        self.said.append(said.strip())
        is_known = status in (0, 1, 2, 3) if name == "pf" else status == 0 or self.github.faults
        assert is_known, (name, status, said)
        lines = output.read_text().splitlines()
        return {"status": status, **dict(line.split("=", 1) for line in lines)}

    def _token(self) -> str:
        word = self.github.token(self.here.installation, [self.here.id], _RIGHTS)
        self.github.tokens[word]["app"] = ACTIONS
        return word


def _apart(name: str, words: list[str], environ: dict[str, str]) -> tuple[int, str]:
    """A program as a process: its status, and what it said."""
    done = subprocess.run(
        (str(BIN / name), *words), env=environ, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout if done.returncode in (0, 1) else done.stderr


def _here(name: str, words: list[str], environ: dict[str, str]) -> tuple[int, str]:
    """The same in this process, which is quicker."""
    said, errors = io.StringIO(), io.StringIO()
    with (
        mock.patch.dict(os.environ, environ, clear=True),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(errors),
    ):
        status = MAINS[name](words)
    return status, said.getvalue() if status in (0, 1) else errors.getvalue()
