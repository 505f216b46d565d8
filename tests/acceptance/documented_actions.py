"""Runs of the Action on the GitHub that was written from its documentation.

A run of a pull request has the jobs of `review.yml`, each as the program that it calls, on a
checkout of its own; GitHub makes their checks. What is started again has the event that it had.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.acceptance.documented_github import ACTIONS, Hosted, Json, now
from tests.acceptance.documented_rest import DocumentedServer

BIN = Path(sys.executable).parent
WORKFLOW = ".github/workflows/proofs.yml"
_RIGHTS = {"actions": "write", "checks": "write", "issues": "write", "pull_requests": "write"}


class DocumentedActions:
    """The runner of one repository; `status` of the last program is kept, and what it said."""

    def __init__(self, github: DocumentedServer, here: Hosted, folder: Path) -> None:
        self.github, self.here, self.folder = github, here, folder
        self.said, self.count = list[str](), 0
        folder.mkdir(parents=True, exist_ok=True)

    def pull_request(self, *, is_whole: bool = True) -> Json:
        """Run what the last delivery of a pull request starts; halfway only, if not the whole."""
        made = next(it for it in self.github.deliveries if it["event"] == "pull_request")
        payload, pull = made["body"], made["body"]["pull_request"]
        run: Json = {
            "id": made["id"],
            "path": WORKFLOW,
            "event": "pull_request",
            "head_sha": pull["head"]["sha"],
            "head_branch": pull["head"]["ref"],
            "head_repository": pull["head"]["repo"],
            "status": "in_progress",
            "conclusion": None,
            "run_attempt": 1,
            "run_started_at": now(),
            "jobs": [],
            "payload": payload,
        }
        self.here.runs.append(run)
        if is_whole:
            self.work(run)
        return run

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
        if payload["action"] == "closed":
            self._closing(run)
            return
        self.job(run, "review / comparison", "success")
        out = self._program(run, "pf-since", PF_CHECK="since")
        paper = self._checkout(head)
        place = self.folder / f"out-{self.count}"
        options = ("ci", "--out", str(place), "--", str(paper))
        found = self._program(run, "pf", *options, PF_COMMENTS="true")
        status = {0: "success", 1: "failure"}[found["status"]]
        self.job(run, f"review / {out['structure']}", status)
        source = payload["pull_request"]["head"]["repo"] or {}
        if source.get("full_name") == self.here.full_name:
            publication = (place / "publication").read_text().strip()
            more = {"PF_PUBLICATION": publication, "PF_TELL": "review", "PF_EXPECTED": "false"}
            self._program(run, "pf-publish", **more)
            self.job(run, "review / publish", "success")
        run |= {"status": "completed", "conclusion": status}

    def push(self, *, part: str = "base") -> str:
        """The job `base` of the last push; what it says."""
        made = next(it for it in self.github.deliveries if it["event"] == "push")
        body = made["body"]
        run = {"payload": body, "event": "push", "id": made["id"], "head_sha": body["after"]}
        paper = self._checkout(body["after"])
        self._program(run, "pf-publish", PF_TELL=part, PF_PATH=str(paper), GITHUB_REF=body["ref"])
        return self.said[-1]

    def _closing(self, run: Json) -> None:
        self._program(run, "pf-publish", PF_TELL="closing")
        run["jobs"] = [
            {"name": "review", "conclusion": "skipped"},
            {"name": "closing / closing", "conclusion": "success"},
        ]
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
        environ: dict[str, Any] = {
            **{key: value for key, value in os.environ.items() if not key.startswith("PF_")},
            "GITHUB_API_URL": self.github.url,
            "GITHUB_SERVER_URL": self.github.server_url,
            "GITHUB_REPOSITORY": self.here.full_name,
            "GITHUB_EVENT_NAME": run["event"],
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_RUN_ID": str(run["id"]),
            "GITHUB_SHA": run["head_sha"],
            "GITHUB_WORKFLOW_REF": f"{self.here.full_name}/{WORKFLOW}@refs/heads/main",
            "PF_TOKEN": self._token(),
            "PF_PAUSE": "0",
            "PF_ADVISORY": "true",
            **values,
        }
        done = subprocess.run(
            (str(BIN / name), *words), env=environ, capture_output=True, text=True, check=False
        )
        self.said.append(done.stdout.strip())
        is_known = done.returncode in ((0, 1) if name == "pf" else (0,))
        assert is_known, (name, done.stdout, done.stderr)
        lines = output.read_text().splitlines()
        return {"status": done.returncode, **dict(line.split("=", 1) for line in lines)}

    def _token(self) -> str:
        word = self.github.token(self.here.installation, [self.here.id], _RIGHTS)
        self.github.tokens[word]["app"] = ACTIONS
        return word
