"""A job of GitHub Actions that runs `pf ci`."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from pfcore.cli.main import main
from pfcore.reporters.formats.publication import Publication, unpacked

OURS = {"id": 1, "full_name": "us/paper", "default_branch": "main"}


@dataclass
class Job:
    """A job whose steps leave things in a folder."""

    folder: Path
    environ: pytest.MonkeyPatch

    def event(self, name, payload):
        path = self.folder / "event.json"
        path.write_text(json.dumps({"repository": OURS, **payload}), encoding="utf-8")
        self.environ.setenv("GITHUB_EVENT_NAME", name)
        self.environ.setenv("GITHUB_EVENT_PATH", str(path))

    def pull_request(self, base, head, repo=OURS, ref="main"):
        pull = {"number": 7, "head": {"sha": head, "repo": repo}, "base": {"sha": base, "ref": ref}}
        self.event("pull_request", {"pull_request": pull})

    def push(self, before, after, branch="main"):
        self.event("push", {"ref": f"refs/heads/{branch}", "before": before, "after": after})

    def run(self, *argv):
        return main(["ci", "--out", str(self.folder / "out"), *argv])

    @property
    def outputs(self):
        text = (self.folder / "outputs").read_text()
        return dict(line.split("=", 1) for line in text.splitlines())

    @property
    def summary(self):
        return (self.folder / "summary").read_text()

    def left(self):
        return {path.name: path.read_text() for path in (self.folder / "out").iterdir()}

    @property
    def publication(self):
        return Publication.model_validate_json(unpacked(self.left()["publication"]))


@pytest.fixture
def job(tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "job/outputs"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "job/summary"))
    monkeypatch.setenv("PF_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("CI", "true")
    (tmp_path / "job").mkdir()
    return Job(folder=tmp_path / "job", environ=monkeypatch)
