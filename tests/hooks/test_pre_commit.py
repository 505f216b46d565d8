"""The hooks of `.pre-commit-hooks.yaml` under the real pre-commit, without its environments."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pre_commit.clientlib import load_manifest

pytestmark = pytest.mark.acceptance

MANIFEST = Path(__file__).resolve().parents[2] / ".pre-commit-hooks.yaml"
BROKEN = (r"By \ref{a}", r"By \ref{c}")
QUIET = "main.tex: no new errors or warnings"
# A paper may have packages that are called like ours.
STRANGERS = {
    f"{name}/__init__.py": "raise SystemExit('the paper was run')\n"
    for name in ("hooks", "prompts", "pfcore")
}


@pytest.fixture
def pre_commit(paper, repository, script, without_network, tmp_path):
    """Runs pre-commit in the paper's repository, in which its hooks are installed."""
    hooks = load_manifest(MANIFEST)
    for hook in hooks:
        hook |= {
            "entry": f"{sys.executable} {script(hook['id'])}",
            "language": "system",
            "verbose": True,
            "additional_dependencies": [],
        }
    config = {"repos": [{"repo": "local", "hooks": hooks}]}
    repository({".pre-commit-config.yaml": json.dumps(config), **STRANGERS})
    environment = without_network | {"PRE_COMMIT_HOME": str(tmp_path / "pre-commit")}

    def run(*argv, status, program=(sys.executable, "-P", "-m", "pre_commit")):
        done = subprocess.run(
            [*program, *argv],
            cwd=paper,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        out = done.stdout + done.stderr
        assert done.returncode == status, out
        assert "the paper was run" not in out
        return out

    run("install", status=0)
    return run


@pytest.fixture
def git(pre_commit):
    """Runs git, with its hooks."""
    return lambda *argv, status=0: pre_commit(*argv, status=status, program=("git",))


def test_the_manifest_has_the_two_hooks_at_their_stages():
    found = {hook["id"]: hook["stages"] for hook in load_manifest(MANIFEST)}
    assert found == {
        "pf-verify": ["pre-commit", "pre-merge-commit", "pre-push"],
        "pf-verify-online": ["pre-push", "manual"],
    }


def test_commits_are_blocked_and_allowed(git, stage):
    stage("P.", "Q.")
    assert QUIET in git("commit", "-m", "sound")
    stage(*BROKEN)
    assert "main.tex:11:18: error [" in git("commit", "-m", "broken", status=1)
    stage(BROKEN[1], BROKEN[0])
    stage(r"\begin{proof} Q. \end{proof}", "")
    assert "warning [lost-proof" in git("commit", "-m", "draft")


@pytest.mark.acceptance
def test_what_is_committed_counts_however_it_is_named(git, paper):
    text = (paper / "main.tex").read_text()
    (paper / "main.tex").write_text(text.replace(*BROKEN))
    (paper / "README").write_text("Words")
    git("add", "README")
    assert ": error [" not in git("commit", "-m", "words")
    assert ": error [" in git("commit", "-a", "-m", "all", status=1)
    assert ": error [" in git("commit", "-m", "one file", "main.tex", status=1)
    (paper / "main.tex").write_text(text.replace("P.", "Q."))
    git("add", "main.tex")
    (paper / "main.tex").write_text(text.replace(*BROKEN))
    assert QUIET in git("commit", "-m", "a part")
    assert BROKEN[1] in (paper / "main.tex").read_text()


@pytest.mark.acceptance
def test_a_deleted_file_that_is_read_in_blocks(git, paper, repository, document):
    repository({"main.tex": document("\\input{part}\n"), "part.tex": "Words.\n"})
    git("rm", "-q", "part.tex")
    assert ": error [" in git("commit", "-m", "without", status=1)


def test_all_files_mean_the_paper_as_it_stands(pre_commit, stage, git):
    assert QUIET.replace("new ", "") in pre_commit("run", "pf-verify", "--all-files", status=0)
    assert QUIET not in pre_commit("run", "pf-verify", status=0)
    stage(*BROKEN)
    git("commit", "--no-verify", "-m", "broken")
    assert ": error [" in pre_commit("run", "pf-verify", "--all-files", status=1)


@pytest.mark.acceptance
def test_a_range_is_what_its_commits_bring(pre_commit, stage, git):
    stage(*BROKEN)
    git("commit", "--no-verify", "-m", "broken")
    stage("P.", "Q.")
    git("commit", "-m", "sound")
    refs = ("run", "pf-verify", "--to-ref", "HEAD", "--from-ref")
    assert ": error [" in pre_commit(*refs, "HEAD~2", status=1)
    assert QUIET in pre_commit(*refs, "HEAD~1", status=0)


def test_a_merge_with_conflicts_is_held_against_both_sides(git, paper, stage):
    git("switch", "--quiet", "--create", "side")
    stage(*BROKEN)
    stage("P.", "R.")
    git("commit", "--no-verify", "-m", "broken")
    git("switch", "--quiet", "main")
    stage("P.", "Q.")
    git("commit", "-m", "sound")
    git("merge", "side", status=1)
    text = (paper / "main.tex").read_text()
    head, _, rest = text.partition("<<<<<<< HEAD\n")
    _, _, rest = rest.partition("=======\n")
    theirs, _, end = rest.partition(">>>>>>> side\n")
    (paper / "main.tex").write_text(head + theirs + end)
    git("add", "main.tex")
    assert ": error [" in git("commit", "-m", "merged")  # told, and let pass: side has it


@pytest.mark.acceptance
def test_a_first_commit_is_reviewed(git, paper):
    git("checkout", "--quiet", "--orphan", "new")
    said = git("commit", "-m", "first")  # there is nothing that a finding could be new against
    assert QUIET.replace("new ", "") in said


@pytest.fixture
def far(pre_commit, git, tmp_path):
    """The repository that is pushed to, with all that is committed; pushes run the hooks."""
    pre_commit("install", "--hook-type", "pre-push", status=0)
    git("init", "--quiet", "--bare", str(tmp_path / "far"))
    git("remote", "add", "origin", str(tmp_path / "far"))
    git("push", "--no-verify", "-u", "origin", "main")
    return tmp_path / "far"


def test_a_push_is_blocked_by_what_no_hook_has_seen(far, git, stage):
    stage(*BROKEN)
    git("commit", "--no-verify", "-m", "broken")
    said = git("push", status=1)
    assert "main.tex: 1 error" in said
    assert "blocked by 1 finding: fix it" in said
    git("switch", "--quiet", "--create", "side")
    assert "main.tex: 1 error" in git("push", "origin", "side", status=1)


@pytest.mark.acceptance
def test_a_push_that_nobody_reads_is_no_pass(far, git, stage):
    stage("P.", "Q.")
    git("commit", "-m", "sound")
    assert "no model is set, so no proof was read" in git("push", status=1)
