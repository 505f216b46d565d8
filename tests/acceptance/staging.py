"""A paper that has changed, the event that tells of it, and the run of a workflow for it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.calling import RefusedError, call
from tests.acceptance.runner import Run, plain_environment, token_of, workflow
from tests.bot.conftest import World
from tests.conftest import commit, git

HOSTILE = (
    "$(touch pwned) `touch pwned` ${{ github.token }} '; touch pwned; ' "
    "\n::set-output name=private::false"
)
LEMMA = "\\begin{lemma}\\label{%s} %s.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"
SOUND = LEMMA % ("a", "A", "P.") + LEMMA % ("b", "B", r"By \ref{a}.")
DANGLING = SOUND.replace(r"\ref{a}", r"\ref{secret-target}")
FLAWED = SOUND.replace("P.", "Dividing by $x$ it follows.")
RELEASE = f"OWNER/pf-verify/.github/workflows/review.yml@v{version('pf-verify')}"
"""The workflow that is run, as others call that of this release."""
TAG = "arxiv-1"
REPOSITORY = {"id": 1, "full_name": "us/paper", "default_branch": "main"}


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a run of a workflow takes place; `folder` has the paper and the run's own folders."""

    folder: Path
    document: Callable[..., str]
    world: World

    def change(
        self, kind: str, before: str, after: str, files: dict[str, str] | None = None
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """Change the paper; the run's context `github`, and its environment."""
        paper = self.folder / "paper"
        base = commit(paper, {"main.tex": self.document(before), **(files or {})})
        head = commit(paper, {"main.tex": self.document(after)})
        if kind == "tag":
            git(paper, "tag", "--annotate", "--message", "For arXiv", TAG)
        elif kind not in ("push", "release"):
            git(paper, "branch", "idea")
            git(paper, "reset", "--quiet", "--hard", base)
        tip = "f" * 40 if kind == "queue" else head  # a queue makes a commit of its own
        repo = {"id": 2, "full_name": "you/paper"} if kind in ("fork", "dispatch") else REPOSITORY
        pull = {"number": 7, "head": {"sha": tip, "repo": repo}}
        is_pushed = kind in ("push", "tag", "release")
        self.world.pulls = [] if is_pushed else [pull]
        name, event = _event(kind, base, head)
        if kind == "tag":
            event["after"] = git(paper, "rev-parse", TAG)
        path = self.folder / "event.json"
        path.write_text(json.dumps(event), encoding="utf-8")
        sha = head if is_pushed or kind == "queue" else base
        github: dict[str, Any] = {
            "event": event, "event_name": name, "repository": "us/paper", "sha": sha,
            "ref": "refs/pull/7/merge" if "pull_request" in event else "refs/heads/main",
            "run_id": "12", "run_attempt": "1", "workflow": "proofs",
        }  # fmt: skip
        if kind == "queue":
            github["ref"] = event["merge_group"]["head_ref"]
        if kind in ("tag", "release"):
            github["ref"] = f"refs/tags/{TAG}"
        environ = plain_environment() | {
            "GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path), "GITHUB_SHA": sha,
            "GITHUB_REF": github["ref"], "GITHUB_REPOSITORY": "us/paper", "GITHUB_RUN_ID": "12",
            "GITHUB_API_URL": self.world.api, "GITHUB_SERVER_URL": "https://git.example.edu",
            "PF_PAUSE": "0", "XDG_CONFIG_HOME": str(self.folder / "config"),
        }  # fmt: skip
        return github, environ

    def run(
        self,
        github: dict[str, Any],
        environ: dict[str, str],
        inputs: Mapping[str, Any],
        secrets: Mapping[str, str],
        name: str = "review",
        text: dict[Any, Any] | None = None,
    ) -> Run:
        """Run the workflow, or one that others have written."""
        (self.folder / "runs").mkdir(exist_ok=True)
        found = Run(
            self.folder / "runs", github, dict(inputs), dict(secrets), environ, self._checkout,
            workflow=workflow(name) if text is None else text,
        )  # fmt: skip
        return found.go()

    def again(self, run: Run, name: str = "review") -> Run:
        """The same once more."""
        (self.folder / "runs").rename(self.folder / "runs before")
        return self.run(run.github, run.environ, run.inputs, run.secrets, name=name)

    def more(self, run: Run, name: str, text: str) -> Run:
        """Run a job of a caller's text that comes behind the review."""
        needs = {"review": {"outputs": run.outputs}}
        called = workflow(name)
        made = call(text, called, run.github, {}, name=name, needs=needs)
        assert made is not None
        if made.uses != RELEASE.replace("review.yml", f"{name}.yml"):
            raise RefusedError(f"there is no workflow {made.uses}")
        self.world.rights = {token_of(job): rights for job, rights in made.grants.items()}
        return self.run(run.github, run.environ, made.inputs, {}, name=name)

    def _checkout(self, ref: str, folder: Path) -> None:
        paper = str(self.folder / "paper")
        git(self.folder, "clone", "--quiet", "--no-checkout", paper, str(folder))
        git(folder, "checkout", "--quiet", "--detach", ref)


def _event(kind: str, base: str, head: str) -> tuple[str, dict[str, Any]]:
    if kind == "push":
        return "push", {
            "repository": REPOSITORY,
            "ref": "refs/heads/main",
            "before": base,
            "after": head,
        }
    if kind == "tag":
        return "push", {
            "repository": REPOSITORY,
            "ref": f"refs/tags/{TAG}",
            "before": "0" * 40,
            "head_commit": {"id": head},
        }
    if kind == "release":
        named = {"tag_name": TAG, "target_commitish": "main"}
        return "release", {"repository": REPOSITORY, "action": "published", "release": named}
    if kind == "dispatch":
        return "workflow_dispatch", {"repository": REPOSITORY, "inputs": {"head": head}}
    if kind == "queue":
        group = {"head_sha": head, "base_sha": base, "base_ref": "refs/heads/main"}
        group["head_ref"] = f"refs/heads/gh-readonly-queue/main/pr-7-{base}"
        event = {"action": "checks_requested", "repository": REPOSITORY, "merge_group": group}
        return "merge_group", event
    theirs = {"id": 2, "full_name": "you/paper"} if kind == "fork" else REPOSITORY
    pull = {
        "number": 7, "title": HOSTILE, "body": HOSTILE, "base": {"sha": base, "ref": "main"},
        "head": {"sha": head, "ref": HOSTILE, "repo": theirs},
    }  # fmt: skip
    action = kind if kind in ("edited", "closed") else "opened"
    return "pull_request", {"action": action, "repository": REPOSITORY, "pull_request": pull}


@pytest.fixture
def stage(tmp_path: Path, document: Callable[..., str], world: World) -> Stage:
    """A place for a run."""
    return Stage(tmp_path, document, world)


@pytest.fixture
def start(stage: Stage) -> Callable[..., Run]:
    """A run for a paper that has changed; `kind` is what started it."""

    def run(
        kind: str, before: str, after: str, *, files: dict[str, str] | None = None, **inputs: Any
    ) -> Run:
        secrets = {"key": inputs.pop("key", "test-key-1")}
        return stage.run(*stage.change(kind, before, after, files), inputs, secrets)

    return run


@pytest.fixture
def paste(stage: Stage) -> Callable[..., Run | None]:
    """The run of a caller's text; None where the event starts nothing.

    `job` is the one of the text. The server knows what each job's token may. `reader` is where the
    runner's own settings lead, as a runner of one's own may have them; the text names no server.
    """

    def run(
        text: str,
        kind: str,
        before: str,
        after: str,
        *,
        reader: str = "",
        prices: str = "",
        job: str = "review",
    ) -> Run | None:
        github, environ = stage.change(kind, before, after)
        if reader:
            config = Path(environ["XDG_CONFIG_HOME"]) / "pf-verify/config.toml"
            config.parent.mkdir(parents=True)
            config.write_text(f'base_url = "{reader}"\n{prices}', encoding="utf-8")
        made = call(text, workflow(job), github, {"OPENAI_API_KEY": "test-key-1"}, name=job)
        if made is None:
            return None
        if made.uses != RELEASE.replace("review.yml", f"{job}.yml"):
            raise RefusedError(f"there is no workflow {made.uses}")
        stage.world.rights = {token_of(name): rights for name, rights in made.grants.items()}
        return stage.run(github, environ, made.inputs, made.secrets, name=job)

    return run
