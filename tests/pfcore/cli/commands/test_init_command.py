"""`pf init` writes what it has shown, overwrites nothing, and takes back only what is its own."""

from pathlib import Path

import pytest
import yaml

from pfcore.cli import environment
from pfcore.cli.commands import init_command
from pfcore.cli.commands.init_command import PLACES, InitOptions, init
from pfcore.cli.main import main
from pfcore.domain import installation
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.installation import Origin
from pfcore.domain.paper_settings import parse_paper_settings
from tests.conftest import git

REPO = Path(__file__).resolve().parents[4]
FROM = Origin("https://github.com/someone/pf-verify", "v0.1.0")


@pytest.fixture
def started(paper):
    """Run `pf init`: what it says, and what it asks; answers are given in turn, then None."""

    def run(*wanted, answers=(), yes=False, undo=False, origin=FROM):
        said: list[str] = []
        asked: list[str] = []
        given = list(answers)

        def ask(question):
            asked.append(question)
            return given.pop(0) if given else None

        options = InitOptions(
            path=paper, wanted=wanted, is_agreed=yes, is_undone=undo, origin=origin
        )
        init(options, said.append, ask)
        return "".join(said), asked

    return run


def there(paper):
    return {name for name in PLACES.values() if (paper / name).exists()}


def test_all_is_written_and_taken_back(started, paper):
    started(yes=True)
    assert there(paper) == set(PLACES.values())
    hook = yaml.safe_load((paper / ".pre-commit-config.yaml").read_text())
    assert hook["repos"][0]["repo"] == FROM.url and hook["repos"][0]["rev"] == FROM.revision
    assert [one["id"] for one in hook["repos"][0]["hooks"]] == ["pf-verify"]
    flow = yaml.safe_load((paper / PLACES["workflow"]).read_text())
    called = flow["jobs"]["review"]
    assert called["uses"] == "someone/pf-verify/.github/workflows/review.yml@v0.1.0"
    assert not {"with", "secrets"} & called.keys()
    parse_paper_settings((paper / "pf.toml").read_text(), path="pf.toml")
    assert (paper / ".gitattributes").read_text().endswith("\npf.lock merge=union\n")
    started(undo=True)
    assert there(paper) == set()
    assert not (paper / ".github").exists()
    assert started(undo=True)[0] == "Nothing to remove.\n"


def test_the_workflow_grants_what_the_one_that_it_calls_asks_for(started, paper):
    started("workflow", yes=True)
    own = yaml.safe_load((paper / PLACES["workflow"]).read_text())["jobs"]["review"]["permissions"]
    called = yaml.safe_load((REPO / ".github/workflows/review.yml").read_text())
    rank = {"read": 1, "write": 2}
    asked = [item for job in called["jobs"].values() for item in job["permissions"].items()]
    lacking = {name for name, level in asked if rank[level] > rank.get(own.get(name), 0)}
    assert asked and lacking == set(), "GitHub starts no workflow that asks for more"


def test_the_workflow_is_that_of_the_page_without_a_model(started, paper):
    started("workflow", yes=True)
    own = yaml.safe_load((paper / PLACES["workflow"]).read_text())
    page = (REPO / ".github/docs/together.md").read_text(encoding="utf-8")
    block = page.partition("<!-- action -->\n```yaml\n")[2].partition("\n```")[0]
    shown = yaml.safe_load(block.replace("OWNER/", "someone/"))
    del shown[True]["workflow_dispatch"]  # to have a fork's proofs read
    for name in ("with", "secrets"):
        del shown["jobs"]["review"][name]
    assert own == shown


def test_what_is_written_is_of_this_repository_and_what_has_to_follow_is_said(started, paper):
    git(paper, "branch", "-m", "master")
    said, _ = started("hook", "workflow", yes=True)
    assert "branches: [master]" in (paper / PLACES["workflow"]).read_text()
    hook = yaml.safe_load((paper / PLACES["hook"]).read_text())
    assert "pre-merge-commit" in hook["default_install_hook_types"]
    assert "To turn the hook on: pip install pre-commit && pre-commit install\n" in said
    assert "To turn the workflow on, commit and push it" in said


def test_undo_leaves_folders_in_which_others_have_files(started, paper):
    started("workflow", yes=True)
    (paper / ".github" / "CODEOWNERS").write_text("* @a\n")
    started(undo=True)
    assert [item.name for item in (paper / ".github").iterdir()] == ["CODEOWNERS"]


def test_what_cannot_be_written_is_not_asked_for(started, paper):
    said, asked = started(answers=[True, True, True], origin=None)
    assert [one.rpartition("(")[2] for one in asked[:2]] == ["pf.toml)", ".gitattributes)"]
    assert said.startswith(
        "Cannot write .pre-commit-config.yaml: the repository and version of this installation are "
        "unknown. Add --from URL@REVISION; in the clone that you installed from, "
        "git remote get-url origin and git rev-parse HEAD print them.\n"
    )
    assert there(paper) == {"pf.toml", ".gitattributes"}
    said, asked = started(answers=[False] * 3, origin=Origin("https://git.example.org/x", "v1"))
    assert (
        "Cannot write .github/workflows/proofs.yml: --workflow needs a repository on GitHub" in said
    )


def test_each_thing_is_asked_for_then_shown_then_confirmed(started, paper):
    said, asked = started(answers=[False, False, True, True, True])
    assert len(asked) == 5 and asked[-1] == "Write these 2 files?"
    assert there(paper) == {"pf.toml", ".gitattributes"}
    assert said.index("  pf.lock merge=union") < said.index("Wrote pf.toml.")


def test_nothing_is_written_without_agreement(started, paper):
    with pytest.raises(IncompleteError, match="nothing was written"):
        started("config", answers=[False])
    with pytest.raises(UsageError, match="confirm with --yes"):
        started("config")
    with pytest.raises(UsageError, match="not a terminal: choose what to write"):
        started()
    assert there(paper) == set()


def test_a_full_disk_leaves_no_empty_file(started, paper, full_disk):
    full_disk(after=1)
    with pytest.raises(IncompleteError, match="No space left"):
        started("hook", "workflow", yes=True)
    assert there(paper) == set()
    assert not (paper / ".github").exists()
    full_disk(after=9)
    said, _ = started("workflow", yes=True)
    assert "Wrote .github/workflows/proofs.yml." in said


def test_what_is_there_stays(started, paper):
    (paper / "pf.toml").write_text("[checks]\n")
    said, _ = started("config", "merge", yes=True)
    assert "pf.toml already exists and was left unchanged. To add by hand:\n  # Sett" in said
    assert "digest" not in said.partition(".gitattributes:")[0]
    assert (paper / "pf.toml").read_text() == "[checks]\n"


@pytest.mark.parametrize("link", ["pf.toml", ".github", ".github/workflows"])
def test_nothing_is_written_through_a_link(started, paper, tmp_path, link):
    outside = tmp_path / "outside"
    outside.mkdir()
    (paper / link).parent.mkdir(exist_ok=True)
    (paper / link).symlink_to(outside / "new" if link == "pf.toml" else outside)
    if link == "pf.toml":
        started("config", yes=True)
    else:
        with pytest.raises(UsageError, match="symbolic link"):
            started("workflow", yes=True)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("is_link", [True, False])
def test_one_place_that_cannot_be_written_leaves_all_unwritten(started, paper, tmp_path, is_link):
    (tmp_path / "elsewhere").mkdir()
    place = paper / ".github"
    if is_link:
        place.symlink_to(tmp_path / "elsewhere")
    else:
        place.write_text("a file")
    why = "is a symbolic link; nothing written" if is_link else "is not a folder; nothing written"
    with pytest.raises(UsageError, match=why):
        started("hook", "workflow", "merge", yes=True)
    assert there(paper) == set()
    assert not list((tmp_path / "elsewhere").iterdir())


def test_what_was_written_before_a_place_failed_is_taken_back(started, paper, monkeypatch):
    whole, left = environment.replace, ["hook", "workflow"]

    def replace(place, data):
        if not left:
            raise OSError(28, "No space left on device")
        left.pop()
        whole(place, data)

    monkeypatch.setattr(init_command, "replace", replace)
    with pytest.raises(IncompleteError, match="No space left"):
        started("hook", "workflow", "merge", yes=True)
    assert there(paper) == set()
    assert not (paper / ".github").exists()


def test_undo_leaves_what_was_edited_or_is_of_others(started, paper):
    started("config", "merge", yes=True)
    with (paper / "pf.toml").open("a") as file:
        file.write("# mine\n")
    (paper / ".pre-commit-config.yaml").write_text("repos: []\n")
    said, _ = started(undo=True)
    assert there(paper) == {"pf.toml", ".pre-commit-config.yaml"}
    assert "Removed .gitattributes." in said and "pf.toml was changed, or" in said


def test_undo_follows_no_link(started, paper, tmp_path):
    started("config", yes=True)
    (tmp_path / "kept.toml").write_bytes((paper / "pf.toml").read_bytes())
    (paper / "pf.toml").unlink()
    (paper / "pf.toml").symlink_to(tmp_path / "kept.toml")
    started(undo=True)
    assert (tmp_path / "kept.toml").exists() and (paper / "pf.toml").is_symlink()


@pytest.mark.parametrize(
    "origin",
    [None, Origin("file:///here", "abc"), Origin(FROM.url, "v1\n  evil: 1"), Origin("", "")],
)
def test_a_hook_needs_to_know_where_pf_verify_is(started, paper, origin):
    with pytest.raises(
        UsageError, match=r"Add --from .* print them. Or leave out --hook. Nothing was written"
    ):
        started("hook", yes=True, origin=origin)
    assert there(paper) == set()


def test_what_can_be_written_is_written_though_the_hook_cannot(started, paper):
    with pytest.raises(IncompleteError, match=r"not written: \.pre-commit-config\.yaml"):
        started("hook", "config", yes=True, origin=None)
    assert there(paper) == {"pf.toml"}
    with pytest.raises(UsageError, match="Nothing was written"):
        started("hook", "workflow", yes=True, origin=None)


def test_of_a_hook_that_is_there_nobody_asks_where_pf_verify_is(started, paper):
    (paper / ".pre-commit-config.yaml").write_text("repos: [{hooks: [{id: pf-verify}]}]\n")
    said, _ = started("hook", yes=True, origin=None)
    assert said == ".pre-commit-config.yaml already exists and was left unchanged.\n"


def test_a_hook_that_cannot_be_shown_beside_what_is_there_leaves_the_job_undone(
    paper, capsys, monkeypatch
):
    monkeypatch.setattr(installation, "recorded_origin", lambda: None)
    (paper / ".pre-commit-config.yaml").write_text("")
    assert main(["init", "--hook", "--yes"]) == 3
    said = capsys.readouterr()
    assert said.out.startswith(
        ".pre-commit-config.yaml already exists and was left unchanged. Cannot show the lines to "
        "add by hand: the repository and version of this installation are unknown. Add --from "
    )
    assert "not written: .pre-commit-config.yaml" in said.err
    assert (paper / ".pre-commit-config.yaml").read_text() == ""


@pytest.mark.parametrize(
    ("name", "flag", "mine", "done"),
    [
        (".pre-commit-config.yaml", "--hook", "repos: []\n", "- id: pf-verify"),
        (".gitattributes", "--merge", "*.tex text\n", "pf.lock merge=union"),
    ],
)
def test_lines_that_are_left_to_add_by_hand_leave_the_job_undone(
    paper, capsys, name, flag, mine, done
):
    command = ["init", flag, "--yes", f"--from={FROM.url}@v2"]
    (paper / name).write_text(mine)
    assert main(command) == 3
    said = capsys.readouterr()
    assert said.out.startswith(f"{name} already exists and was left unchanged. To add by hand:\n")
    assert "Nothing to write" not in said.out
    assert f"not written: {name}" in said.err
    (paper / name).write_text(f"{mine}{done}\n")
    assert main(command) == 0


def test_a_workflow_needs_github(started):
    with pytest.raises(UsageError, match="on GitHub"):
        started("workflow", yes=True, origin=Origin("https://git.example.org/pf-verify", "v1"))


def test_the_command_takes_the_options(paper, capsys):
    assert main(["init", "--config", "--hook", "--yes", f"--from={FROM.url}@v2"]) == 0
    assert "rev: v2" in (paper / ".pre-commit-config.yaml").read_text()
    assert main(["init", "--undo"]) == 0
    assert there(paper) == set()


@pytest.mark.parametrize("value", ["foo", "https://github.com/a/b", "@v1", "git@github.com:a/b@v1"])
def test_an_origin_that_is_none_is_called_invalid(paper, capsys, value):
    assert main(["init", "--hook", "--yes", f"--from={value}"]) == 2
    assert f"invalid --from '{value}': expected URL@REVISION" in capsys.readouterr().err
    assert there(paper) == set()


def test_a_folder_without_git_is_no_place(tmp_path):
    with pytest.raises(UsageError, match="not a git repository"):
        init(
            InitOptions(path=tmp_path, wanted=(), is_agreed=True, is_undone=False, origin=FROM),
            print,
            lambda _: True,
        )
    assert init_command.PLACES["merge"] == ".gitattributes"
