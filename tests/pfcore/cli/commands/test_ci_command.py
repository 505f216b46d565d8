"""`pf ci`: what a job of GitHub Actions is left with."""

import json
from contextlib import closing

import pytest

from pfcore.cli.commands import ci_command
from pfcore.cli.github_actions import DO_NOT_READ, WITHHELD
from pfcore.domain.errors import IncompleteError
from pfcore.llm.protocol import Finish, Reply, TokenUsage
from pfcore.llm.store import open_store
from pfcore.reporters.formats.publication import ROOM, Conclusion, unpacked
from tests.conftest import commit, git
from tests.pfcore.cli.commands.conftest import OURS

LEMMA = "\\begin{lemma}\\label{%s} %s.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"
SOUND = LEMMA % ("a", "Every A is positive", "Clear.") + LEMMA % ("b", "B", r"By \ref{a}.")
DANGLING = SOUND.replace(r"\ref{a}", r"\ref{nowhere}")
GAP = SOUND.replace("Clear.", "Divide by x.")
THEIRS = {"id": 2, "full_name": "you/paper"}


@pytest.fixture
def change(tmp_path, document, monkeypatch):
    """Commits a paper with other files."""

    def run(body, **files):
        named = {name.replace("_", "."): text for name, text in files.items()}
        return commit(tmp_path / "paper", {"main.tex": document(body), **named})

    (tmp_path / "paper").mkdir()
    monkeypatch.chdir(tmp_path / "paper")
    return run


def test_a_pull_request_leaves_a_summary_annotations_and_what_is_to_be_published(job, change):
    base, head = change(SOUND), change(DANGLING)
    job.pull_request(base, head)
    assert job.run() == 1
    assert job.outputs == {
        "private": "false",
        "head": head,
        "conclusion": "blocking",
        "proofs": "false",
    }
    assert "1 finding, 1 blocking" in job.summary
    left = job.left()
    assert sorted(left) == ["annotations", "publication", "sarif"]
    assert left["annotations"].startswith("::error file=main.tex,line=11")
    assert job.publication.head == head


def test_what_a_later_job_tells_beside_lines_is_handed_on_and_no_annotation(
    job, change, monkeypatch
):
    monkeypatch.setenv("PF_COMMENTS", "true")
    base, head = change(SOUND), change(DANGLING)
    job.pull_request(base, head)
    assert job.run() == 1
    assert (job.left()["annotations"], job.publication.base) == ("", base)
    said = json.loads(job.publication.remarks)
    (remark,) = said["comments"]
    assert (remark["path"], remark["line"], said["settled"]) == ("main.tex", 11, ["check"])
    assert said["open"] == [remark["key"]]


@pytest.mark.parametrize("count", [60, pytest.param(600, marks=pytest.mark.acceptance)])
def test_of_many_findings_ten_are_remarks_and_ten_annotations(job, change, monkeypatch, count):
    monkeypatch.setenv("PF_COMMENTS", "true")
    wrong = (DANGLING.replace("nowhere", f"gone{n}:x") for n in range(count))
    job.pull_request(change(SOUND), change("".join(wrong)))
    assert job.run() == 1
    comments = json.loads(job.publication.remarks)["comments"]
    lines = job.left()["annotations"].splitlines()
    errors = [line for line in lines if line.startswith("::error ")]
    assert (len(comments), len(errors)) == (10, 10)
    assert not any(f"[{item['key']}]" in line for item in comments for line in errors)
    assert len(job.left()["publication"]) < ROOM
    said = job.publication.summary
    assert not [item["key"] for item in comments if item["key"] in said]
    assert "10 comments on the changed lines." in said
    first, *more = listed(said, "More findings on the changed lines:")
    assert first.startswith("- Lemma ") and "undefined label gone" in first
    left = {60: "27 more results", 600: "68 more results (567 findings)"}
    assert len(more) + 1 == 26 and more[-1] == f"- … and {left[count]}"
    assert "Wrong?" not in said, "nothing else is told in full"


def listed(words, title):
    """The lines of a list below a title, folded ones among them."""
    first, *others = words.partition(f"{title}\n\n")[2].split("\n\n")
    if others and others[0].startswith("<details>"):
        first += f"\n{others[1]}"
    return first.splitlines()


@pytest.mark.parametrize("how", ["a fork", "a push", "the whole"])
def test_where_nothing_is_told_beside_lines_ten_are_told_in_full_and_the_rest_by_result(
    job, change, monkeypatch, how
):
    """The gravest first: a warning above all errors is not among the ten."""
    monkeypatch.setenv("PF_COMMENTS", "true")
    wrong = (LEMMA % (f"w{n}", f"W{n}", r"By \ref{gone} and \ref{lost}.") for n in range(12))
    twice = "".join(LEMMA % ("twice", f"T{n}", "Clear.") for n in range(2))
    base, head = change(SOUND), change(SOUND + twice + "".join(wrong))
    if how == "a fork":
        job.pull_request(base, head, THEIRS)
    else:
        job.push(base if how == "a push" else "0" * 40, head)
    assert job.run() == 1
    said = job.publication.summary
    assert job.summary.startswith(said)
    assert said.count("<sub>Wrong?") == 10 and "Outside the diff" not in said
    lines = listed(said, "More findings:")
    assert len(lines) == len({line.partition(":")[0] for line in lines}), "one for each result"
    assert sum("and 1 more finding)" in line for line in lines) >= 6
    assert any("label twice" in line for line in lines)


def test_findings_outside_of_the_change_are_told_in_full_as_far_as_ten_go(job, change, monkeypatch):
    monkeypatch.setenv("PF_COMMENTS", "true")
    uses = "".join(LEMMA % (f"u{n}", f"U{n}", r"By \ref{old}.") for n in range(14))
    file = {"part_tex": LEMMA % ("old", "O", "Clear.")}
    base = change(uses + "\\input{part}", **file)
    job.pull_request(base, change(uses + "\\input{part}", part_tex=SOUND))
    assert job.run() == 1
    assert json.loads(job.publication.remarks)["comments"] == []
    said = job.publication.summary
    assert said.count("<sub>Wrong?") == 10
    assert len(listed(said, "Outside the diff:")) == 4


def test_where_there_is_no_room_for_remarks_the_summary_speaks_of_none(job, change, monkeypatch):
    monkeypatch.setenv("PF_COMMENTS", "true")
    monkeypatch.setattr(ci_command, "ROOM", 100)
    job.pull_request(change(SOUND), change(DANGLING))
    assert job.run() == 1
    assert job.publication.remarks == ""
    assert "comment on the changed" not in job.publication.summary
    assert job.publication.summary.count("<sub>Wrong?") == 1


@pytest.mark.parametrize("how", ["a fork", "a push", "private", "Dependabot"])
def test_where_no_job_may_tell_them_there_are_no_remarks(job, change, monkeypatch, how):
    monkeypatch.setenv("PF_COMMENTS", "true")
    base, head = change(SOUND), change(DANGLING)
    if how == "a push":
        job.push(base, head)
    else:
        job.pull_request(base, head, THEIRS if how == "a fork" else OURS)
    if how == "Dependabot":
        monkeypatch.setenv("GITHUB_ACTOR", "dependabot[bot]")
    assert job.run(*(["--private"] if how == "private" else [])) == 1
    assert job.publication.remarks == ""
    assert how == "private" or "undefined label nowhere" in job.summary


def test_what_is_marked_as_not_to_be_read_is_not_read_and_passes_nothing(job, change):
    base, head = change(SOUND), change(SOUND + "Words.")
    pull = {"number": 7, "head": {"sha": head, "repo": OURS}, "base": {"sha": base}}
    job.event("pull_request", {"pull_request": {**pull, "labels": [{"name": DO_NOT_READ}]}})
    assert job.run() == 3
    assert job.outputs == {
        "private": "false",
        "head": head,
        "conclusion": "incomplete",
        "proofs": "false",
    }
    assert sorted(job.left()) == ["annotations", "publication"]
    told = job.publication
    assert (told.head, told.title, told.is_read) == (head, WITHHELD, False)
    assert told.conclusion is Conclusion.INCOMPLETE
    assert "Not reviewed" in job.summary


def test_settings_of_the_pull_request_do_not_count(job, change):
    base = change(SOUND)
    job.pull_request(base, change(DANGLING, pf_toml='[checks]\ndisable = ["dangling-reference"]'))
    assert job.run() == 1


OFF = '[checks]\ndisable = ["dangling-reference"]\n'


@pytest.mark.parametrize(
    ("settings", "ref", "status"),
    [(OFF, "main", 0), ('publish = "private"\n', "main", 1), (OFF, "gone", 1), (OFF, None, 1)],
)
def test_the_settings_are_those_that_the_base_has_by_now(
    job, change, tmp_path, settings, ref, status
):
    """GitHub's event names the commit that it was at when somebody last pushed to the head."""
    start = change(SOUND)
    head = change(DANGLING)
    git(tmp_path / "paper", "switch", "--quiet", "--detach", start)
    tip = change(SOUND, pf_toml=settings)
    git(tmp_path / "paper", "update-ref", "refs/remotes/origin/main", tip)
    job.pull_request(start, head, ref=ref)
    assert job.run() == status
    assert job.publication.is_private == ("private" in settings)


def test_what_the_base_gained_meanwhile_is_not_the_change_of_a_pull_request(job, change, tmp_path):
    start = change(SOUND)
    head = change(DANGLING)
    git(tmp_path / "paper", "checkout", "--quiet", start)
    base = change(SOUND + LEMMA % ("c", "C", "P."))
    job.pull_request(base, head)
    assert job.run() == 1
    assert "should be re-read" in job.summary


def test_a_model_that_is_named_means_that_there_are_proofs_to_read(job, change, monkeypatch):
    monkeypatch.setenv("PF_MODEL", "m")
    base, head = change(SOUND), change(GAP)
    job.pull_request(base, head)
    assert job.run() == 0
    assert job.outputs["proofs"] == "true"
    job.pull_request(base, change(GAP + "Words."))
    job.pull_request(head, change(GAP + "Other words."))
    assert job.run() == 0
    assert job.outputs["proofs"] == "false"


def test_a_fork_is_told_that_its_proofs_were_not_read(job, change, monkeypatch):
    monkeypatch.setenv("PF_MODEL", "m")
    base, head = change(SOUND), change(GAP)
    job.pull_request(base, head, THEIRS)
    assert job.run() == 0
    assert job.outputs["proofs"] == "false"
    assert f"Run workflow, with this commit as head: `{head}`" in (job.summary)
    assert "::notice title=The proofs were not read::" in job.left()["annotations"]


def test_a_run_of_a_fork_does_not_read_proofs_even_if_told_to(job, change, monkeypatch, capsys):
    monkeypatch.setenv("PF_MODEL", "m")
    base, head = change(SOUND), change(GAP)
    job.pull_request(base, head, None)
    assert job.run("--proofs") == 2
    assert "do not work for a pull request from a fork" in capsys.readouterr().err


@pytest.mark.parametrize("options", [[], ["--private"]])
def test_a_changed_file_that_cannot_be_read_is_no_review_of_it(job, change, options):
    base, head = change(SOUND, notes_tex="Words."), change(SOUND, notes_tex="Words\0")
    job.pull_request(base, head)
    assert job.run(*options) == 3
    assert job.outputs["conclusion"] == "incomplete"
    said = job.publication.summary
    assert "Not everything could be reviewed" in said and not job.publication.is_quiet
    assert ("notes.tex" in said) is (not options)
    job.pull_request(head, change(SOUND + "Words.", notes_tex="Words\0"))
    assert job.run(*options) == 0


@pytest.mark.parametrize("how", ["base", "option"])
def test_of_private_findings_only_counts_are_left(job, change, capsys, how):
    secret = DANGLING.replace("nowhere", "secret").replace("Every A", "Every secret A")
    files = {"pf_toml": 'publish = "private"'} if how == "base" else {}
    base, head = change(SOUND, **files), change(secret, pf_toml="")
    job.pull_request(base, head)
    assert job.run(*(["--private"] if how == "option" else [])) == 1
    assert job.outputs["private"] == "true"
    left = job.left()
    assert sorted(left) == ["annotations", "publication"]
    said = "".join(
        (unpacked(left["publication"]), left["annotations"], job.summary, *capsys.readouterr())
    )
    assert "1 finding, 1 blocking" in said
    for word in ("secret", "main.tex", "dangling", "Lemma"):
        assert word not in said


def test_settings_of_the_base_that_cannot_be_read_are_no_reason_to_show_anything(job, change):
    base = change(SOUND, pf_toml="publish = 7")
    job.pull_request(base, change(DANGLING))
    assert job.run() == 2
    assert not (job.folder / "outputs").exists()
    assert not (job.folder / "out").exists()


def test_a_push_to_the_default_branch_is_held_against_what_was_there(job, change):
    before, after = change(DANGLING), change(DANGLING + LEMMA % ("c", "C", "P."))
    job.push(before, after)
    assert job.run() == 0
    assert job.publication.is_open
    assert job.publication.is_quiet
    assert "from before this change" in job.publication.summary


def test_a_push_is_held_against_the_last_one_whose_review_was_completed(job, change):
    reviewed, unreviewed, after = map(change, (SOUND, DANGLING, DANGLING + "Words."))
    job.push(unreviewed, after)
    assert job.run() == 0
    assert job.run("--since", reviewed) == 1
    assert job.publication.summary.count("nowhere")
    assert job.run("--since", "") == 0


def test_a_start_that_is_there_no_more_has_the_whole_paper_reviewed(job, change):
    before, after = change(DANGLING), change(DANGLING + "Words.")
    job.push(before, after)
    assert job.run("--since", "d" * 40) == 1


def test_only_a_push_to_the_default_branch_begins_elsewhere(job, change, capsys):
    base, head = change(SOUND), change(DANGLING)
    job.pull_request(base, head)
    assert job.run("--since", base) == 2
    assert "a push to the default branch" in capsys.readouterr().err


def test_a_push_back_to_an_older_commit_is_looked_at(job, change):
    older, newer = change(DANGLING), change(SOUND)
    job.push(newer, older)
    assert job.run() == 1


@pytest.mark.parametrize("before", ["0" * 40, "d" * 40])
def test_a_push_with_nothing_before_it_is_reviewed_whole(job, change, before):
    job.push(before, change(DANGLING))
    assert job.run() == 1


def test_a_maintainer_has_the_commit_of_a_fork_reviewed(job, change, tmp_path, monkeypatch):
    from tests.conftest import git

    here = change(SOUND)
    head = change(DANGLING)
    git(tmp_path / "paper", "checkout", "--quiet", here)
    monkeypatch.setenv("GITHUB_SHA", here)
    job.event("workflow_dispatch", {"inputs": {"head": head}})
    assert job.run() == 1
    assert job.publication.head == head


def tagged(job, head, monkeypatch, name="release"):
    monkeypatch.setenv("GITHUB_SHA", head)
    monkeypatch.setenv("GITHUB_REF", "refs/tags/v1")
    job.event(name, {"ref_type": "tag"})


def origin(folder, commit):
    git(folder, "update-ref", "refs/remotes/origin/main", commit)


@pytest.mark.parametrize("name", ["release", "create"])
def test_at_a_tag_the_whole_paper_is_judged_by_the_settings_of_the_default_branch(
    job, change, tmp_path, monkeypatch, name
):
    change(DANGLING)
    head = change(DANGLING, pf_toml='ignore = ["*.tex"]\n')
    origin(tmp_path / "paper", change(DANGLING, pf_toml=""))
    tagged(job, head, monkeypatch, name)
    assert job.run() == 1
    assert job.publication.head == head and job.outputs["conclusion"] == "blocking"


def test_a_tag_of_a_paper_without_a_fault_passes_and_its_proofs_are_to_be_read(
    job, change, tmp_path, monkeypatch
):
    head = change(SOUND)
    origin(tmp_path / "paper", head)
    monkeypatch.setenv("PF_MODEL", "m")
    tagged(job, head, monkeypatch)
    assert job.run() == 0
    assert (job.outputs["conclusion"], job.outputs["proofs"]) == ("structure", "true")


def test_the_gate_judges_a_release(job, change, tmp_path, monkeypatch):
    head = change(SOUND)
    origin(tmp_path / "paper", head)
    tagged(job, head, monkeypatch)
    assert job.run("--gate") == 3
    assert head[:12] in job.summary


def test_an_event_that_is_not_reviewed_is_no_pass(job, change, capsys):
    change(SOUND)
    job.event("issue_comment", {"action": "created"})
    assert job.run() == 2
    assert "'issue_comment' is not reviewed" in capsys.readouterr().err
    assert not (job.folder / "outputs").exists()


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_proofs_are_read_by_the_model_that_is_named(job, change, referee, monkeypatch):
    monkeypatch.setenv("PF_MODEL", "m")
    referee.objects_to("Divide by x")
    base, head = change(SOUND), change(GAP)
    job.pull_request(base, head)
    assert job.run("--proofs", "--budget", "500k tokens") == 1
    assert job.outputs["conclusion"] == "blocking"
    assert "It may be 0." in job.publication.summary
    assert "It may be 0." in job.left()["annotations"]
    assert job.publication.ledgers == {}
    assert job.outputs["asked"] == "true"


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.parametrize("is_beside", [True, False])
def test_what_a_step_before_annotated_is_not_annotated_again(
    job, change, referee, monkeypatch, is_beside
):
    monkeypatch.setenv("PF_MODEL", "m")
    monkeypatch.setenv("PF_COMMENTS", str(is_beside).lower())
    referee.objects_to("Divide by x")
    job.push(change(SOUND), change(GAP + LEMMA % ("c", "C", r"By \ref{nowhere}.")))
    assert job.run() == 1
    assert "undefined label nowhere" in job.left()["annotations"]
    assert job.run("--proofs", "--budget", "500k tokens") == 1
    said = job.left()["annotations"]
    assert "It may be 0." in said
    assert ("undefined label nowhere" in said) is not is_beside
    assert "undefined label nowhere" in job.publication.summary


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_run_that_had_all_replies_says_so_and_no_copy_of_them_is_to_be_kept(
    job, change, referee, monkeypatch
):
    monkeypatch.setenv("PF_MODEL", "m")
    job.pull_request(change(SOUND), change(GAP))
    for asked in ("true", "false"):
        job.run("--proofs", "--budget", "500k tokens")
        assert job.outputs["asked"] == asked


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.parametrize("is_there", [True, False])
def test_what_a_cache_carries_on_is_bounded_and_no_other_store_is(
    job, change, referee, monkeypatch, is_there
):
    """A store in the runner's folder of one run lives on only in copies of it."""
    place = job.folder / "temp/pf-replies/replies.sqlite"
    monkeypatch.setenv("RUNNER_TEMP", str(job.folder / ("temp" if is_there else "other")))
    monkeypatch.setenv("PF_STORE", str(place))
    monkeypatch.setattr(ci_command, "_KEPT", 2_000)
    monkeypatch.setenv("PF_MODEL", "m")
    old = Reply(text="x" * 3_000, usage=TokenUsage(), finish=Finish.STOP, model="m")
    with closing(open_store(str(place), lambda: 1.0)) as store:
        store.put("old", "verify", old)
    job.pull_request(change(SOUND), change(GAP))
    assert job.run("--proofs", "--budget", "500k tokens") == 0
    with closing(open_store(str(place), lambda: 1.0)) as store:
        assert (store.get("old") is None) is is_there
        assert any(item.replies for item in store.held()), "what was said now is kept"


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_push_to_the_default_branch_leaves_the_lines_of_its_ledger(
    job, change, referee, monkeypatch
):
    monkeypatch.setenv("PF_MODEL", "m")
    before, after = change(SOUND), change(GAP)
    job.push(before, after)
    assert job.run("--proofs", "--budget", "500k tokens") == 0
    assert '"verdict":"accepted"' in job.publication.ledgers["pf.lock"].replace(" ", "")


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_where_nothing_may_be_spent_nothing_is_said_to_be_read(job, change, referee, monkeypatch):
    monkeypatch.setenv("PF_MODEL", "m")
    job.pull_request(change(SOUND), change(GAP))
    assert job.run("--proofs", "--budget", "0 tokens") == 3
    assert not job.publication.is_read
    assert job.publication.conclusion.value == "incomplete"
    assert referee.asked == []


def test_proofs_need_a_model(job, change, capsys):
    job.push(change(SOUND), change(GAP))
    assert job.run("--proofs") == 2
    assert "no model is set, so no proof can be read: set PF_MODEL" in capsys.readouterr().err


def test_the_gate_judges_the_whole_paper_on_the_page_of_the_job(job, change):
    before, after = change(SOUND), change(SOUND + LEMMA % ("c", "C", "P."))
    job.push(before, after)
    assert job.run("--gate") == 3
    assert job.outputs["conclusion"] == "incomplete"
    assert after[:12] in job.summary


def test_the_log_of_a_gate_that_fails_has_the_steps_to_a_pass(job, change, capsys):
    job.push(change(SOUND), change(DANGLING))
    assert job.run("--gate", "--allow-unread") == 1
    said = capsys.readouterr().out
    assert "Steps to pass, easiest first:\n  1. 1 finding of dangling-reference: define the" in said
    assert said.endswith("\nGate failed; structure only.\n")


def test_what_nobody_could_judge_is_said_on_the_page_of_the_job(job, change, tmp_path):
    before = change(SOUND)
    git(tmp_path / "paper", "rm", "--quiet", "main.tex")
    job.push(before, commit(tmp_path / "paper", {"README.md": "Moved."}))
    assert job.run("--gate") == 2
    assert job.summary == "### pf gate\n\nNot judged: no LaTeX file found here\n\n"
    assert job.outputs["conclusion"] == "incomplete"
    assert job.run("--gate", "--private") == 2
    assert job.summary.endswith("### pf gate\n\nNot judged.\n\n")


@pytest.mark.acceptance
def test_the_log_of_a_private_gate_names_nothing_of_the_paper(job, change, capsys):
    job.push(change(SOUND), change(SOUND + LEMMA % ("c", "C", "P.")))
    assert job.run("--gate", "--private", "--allow-unread", "--bundle") == 0
    assert "".join(capsys.readouterr()) == ""
    assert (job.folder / "out/gate/arxiv.tar.gz").is_file()


@pytest.mark.acceptance
def test_the_gate_of_a_job_leaves_the_upload_beside_the_record(job, change, tmp_path):
    job.push(change(SOUND), change(SOUND + LEMMA % ("c", "C", "P.")))
    assert job.run("--gate", "--allow-unread", "--bundle") == 0
    left = {path.name for path in (job.folder / "out/gate").iterdir()}
    assert {"arxiv.tar.gz", "record.md", "result.json"} <= left
    assert job.run("--gate", "--allow-unread", "--bundle") == 0  # again, over what it wrote itself
    assert "## The upload" in job.summary
    assert job.run("--bundle") == 2


@pytest.mark.parametrize("how", [[], ["--private"]])
def test_the_page_of_a_job_says_that_a_paper_passed_whose_upload_was_not_written(
    job, change, monkeypatch, capsys, how
):
    why = IncompleteError("removing comments would change the lemma at main.tex:8")
    monkeypatch.setattr("pfcore.cli.commands.gate_command._bundle", lambda *_: (None, why))
    job.push(change(SOUND), change(SOUND + LEMMA % ("c", "C", "P.")))
    assert job.run("--gate", "--allow-unread", "--bundle", *how) == 3
    assert "Not judged" not in job.summary
    assert job.outputs["conclusion"] == "incomplete"
    if how:
        assert job.summary == "### pf gate\n\nThe gate passed. The upload was not written.\n\n"
        assert "main.tex" not in "".join(capsys.readouterr())
    else:
        assert job.summary.startswith("# Gate passed; structure only")
        assert f"arxiv.tar.gz was not written: {why.message}" in job.summary


def test_the_gate_of_a_private_paper_says_one_sentence(job, change, capsys):
    job.push(change(SOUND), change(DANGLING))
    assert job.run("--gate", "--private") == 1
    assert job.summary == "### pf gate\n\nThe gate failed.\n\n"
    assert "nowhere" not in "".join(capsys.readouterr())


def test_the_gate_reads_nothing_for_a_fork(job, change):
    job.pull_request(change(SOUND), change(GAP), None)
    assert job.run("--gate") == 2


@pytest.mark.parametrize("name", [".git", ".git/hooks", "-"])
def test_a_job_writes_nothing_into_the_folder_of_git(job, name):
    assert job.run(f"--out={name}") == 2
    assert not (job.folder / "outputs").exists()
