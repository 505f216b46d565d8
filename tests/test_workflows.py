"""The workflows of the repository itself: who may do what, and what a release is made of."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import commit, git

REPO = Path(__file__).resolve().parents[1]
FOLDER = REPO / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))
PINNED = re.compile(r"(?:actions|pypa)/[\w/-]+@[0-9a-f]{40}")
OWN = "$/.github/actions/pf-gate"
RELEASE: dict[str | bool, Any] = yaml.safe_load((FOLDER / "release.yml").read_text("utf-8"))
BUILD, PUBLISH = RELEASE["jobs"]["build"], RELEASE["jobs"]["publish"]


def steps(path: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(path.read_text("utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_what_others_wrote_is_pinned_by_commit_with_its_version(path: Path) -> None:
    used = [step["uses"] for step in steps(path) if "uses" in step]
    assert used
    assert [one for one in used if one != OWN and not PINNED.fullmatch(one)] == []
    lines = [line for line in path.read_text("utf-8").splitlines() if re.search(r"uses: \w", line)]
    assert [line for line in lines if not re.search(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line)] == []


def test_that_older_servers_do_not_know_how_the_workflow_calls_its_action_is_said() -> None:
    assert any(step.get("uses") == OWN for step in steps(FOLDER / "review.yml"))
    page = " ".join((REPO / ".github/docs/together.md").read_text("utf-8").split())
    assert "Enterprise Server**: the workflow needs runners that know `$/`" in page
    action = yaml.safe_load((REPO / ".github/actions/pf-gate/action.yml").read_text("utf-8"))
    assert all(not step.get("uses", "").startswith("$/") for step in action["runs"]["steps"])


def test_one_version_of_what_others_wrote_is_used_everywhere() -> None:
    used = {step["uses"] for path in WORKFLOWS for step in steps(path) if "uses" in step} - {OWN}
    assert len({one.partition("@")[0].split("/")[1] for one in used}) == len(
        {one.split("/")[1].partition("@")[0] + one.partition("@")[2] for one in used}
    )


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_scripts_hold_no_expression(path: Path) -> None:
    assert [step for step in steps(path) if "${{" in step.get("run", "")] == []


def test_the_tests_run_on_other_systems_and_stop_nothing_there() -> None:
    jobs = yaml.safe_load((FOLDER / "ci.yml").read_text("utf-8"))["jobs"]
    assert jobs["systems"]["strategy"]["matrix"] == {"os": ["windows-2025", "macos-15"]}
    assert jobs["systems"]["continue-on-error"] is True
    assert "continue-on-error" not in jobs["run"]
    command = jobs["systems"]["steps"][-1]["run"].split()
    assert all((REPO / room).is_dir() for room in command if room.startswith("tests/"))
    assert "tests/pfcore" in command


def test_a_release_is_built_in_one_job_and_published_by_another() -> None:
    assert list(RELEASE["jobs"]) == ["build", "publish"]
    assert PUBLISH["needs"] == "build"
    assert PUBLISH["environment"] == "release"
    assert RELEASE["permissions"] == {}
    assert BUILD["permissions"] == {"contents": "read"}
    assert PUBLISH["permissions"] == {"id-token": "write"}


def test_what_publishes_runs_nothing_of_the_repository_and_has_no_secret() -> None:
    assert all("run" not in step for step in PUBLISH["steps"])
    taken, published = (step["uses"].partition("@")[0] for step in PUBLISH["steps"])
    assert (taken, published) == ("actions/download-artifact", "pypa/gh-action-pypi-publish")
    assert PUBLISH["steps"][1]["with"] == {"attestations": True}
    assert "secrets." not in (FOLDER / "release.yml").read_text("utf-8")


def test_nothing_that_another_run_kept_gets_into_a_release() -> None:
    text = (FOLDER / "release.yml").read_text("utf-8")
    assert "actions/cache" not in text
    assert all("cache" not in step.get("with", {}) for step in BUILD["steps"])


def test_a_version_is_published_and_a_major_tag_is_not() -> None:
    (pattern,) = RELEASE[True]["push"]["tags"]  # YAML reads "on" as a truth value
    assert set(RELEASE[True]) == {"push"}
    matching = re.compile(re.escape(pattern).replace(r"\*", "[^/]*"))
    tags = ["v0.1.0", "v12.0.1rc1", "v1", "v1-old", "0.1.0", "arxiv-1"]
    assert [tag for tag in tags if matching.fullmatch(tag)] == ["v0.1.0", "v12.0.1rc1"]


@pytest.mark.skipif(os.name == "nt", reason="the runner's steps are for bash")
@pytest.mark.parametrize(
    ("tag", "is_merged", "said"),
    [
        ("v1.2.3", True, ""),
        ("v1.2.4", True, "The tag is v1.2.4, and pyproject.toml has version 1.2.3."),
        ("v1.2.3", False, "The commit of v1.2.3 is not on main."),
    ],
)
def test_a_tag_that_is_not_the_version_or_not_on_the_branch_is_refused(
    tmp_path: Path, tag: str, is_merged: bool, said: str
) -> None:
    folder = tmp_path / "clone"
    version = '[project]\nversion = "1.2.3"\n'
    first = commit(folder, {"pyproject.toml": "# nothing\n" + version})
    head = commit(folder, {"pyproject.toml": version})
    git(folder, "update-ref", "refs/remotes/origin/main", head if is_merged else first)
    (script,) = (step["run"] for step in BUILD["steps"] if "merge-base" in step.get("run", ""))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, "GITHUB_REF_NAME": tag, "BRANCH": "main"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode == 0) is (not said)
    assert done.stdout.strip() == (f"::error::{said}" if said else "")


def test_who_may_release_and_move_a_major_tag_is_said() -> None:
    text = " ".join((REPO / ".github" / "CONTRIBUTING.md").read_text("utf-8").split())
    assert "environment `release`" in text
    assert "A version's tag is never moved" in text
    assert "major tag" in text
