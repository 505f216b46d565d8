"""The App from its installation to a merge, told as it happens."""

import re

import pytest

from bot.domain.forge import PROOFS, STRUCTURE
from bot.jobs.pull_request import SAME
from pfcore.testing import ScriptedLlm
from tests.bot.shop import checks
from tests.pfcore.cli.conftest import ACCEPT, LEMMA, flag, genuine

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

SETTINGS = "[app]\nrequired = true\n"
POSITIVE = LEMMA % ("positive", "Every form is positive", "It is a sum of squares.")
WEAKER = LEMMA % ("positive", "Most forms are positive", "This is clear to the reader.")
MENDED = LEMMA % ("positive", "Most forms are positive", "All but finitely many are squares.")
USE = LEMMA % ("use", "The trace is positive", r"By \ref{positive} and linearity.")
DANGLING = LEMMA % ("use", "The trace is positive", r"By \ref{nowhere}.")
APART = LEMMA % ("apart", "The sky is blue", "Look up.")


def strict(request):
    """A reader who misses an argument, and who sees that most forms are not every form."""
    for quote, objection, needs in (
        ("This is clear to the reader.", "Nothing is shown.", "Most forms"),
        ("and linearity.", "The form at hand may be an exception.", "Most forms"),
    ):
        if quote in request.text and needs in request.text:
            is_audit = "F1\nquote:" in request.text
            return genuine(quote, objection) if is_audit else flag(quote)
    return ACCEPT


@pytest.fixture
def llm():
    return ScriptedLlm(strict)


def paper(document, *lemmas):
    return {"main.tex": document("".join(lemmas)), "pf.toml": SETTINGS}


def remark(repo, words):
    """The comment of the App that says this."""
    (found,) = [item for item in repo.remarks if words in item.body]
    return found


def key_of(item):
    """The id of the finding that a comment is about."""
    (found,) = re.findall(r"id=([a-z2-7]{8})", item.body)
    return found


def test_a_pull_request_from_its_opening_to_its_merge(  # noqa: PLR0915 - it is one story
    github, shop, llm, document
):
    # The App is installed on a paper. Nothing is said about what is there.
    repo = github.repository(
        files=paper(document, POSITIVE, USE, APART), people={"alice": "write", "bob": "read"}
    )
    assert shop.work() == []

    # Bob weakens a lemma, with an argument that is none.
    repo.commit(paper(document, WEAKER, USE, APART), on="weaker")
    pull = github.open(repo, "weaker", author="bob")
    assert shop.work() == [""]

    # Both sites are told of, beside their lines: where the argument is missing, and where the
    # lemma is used; and that the lemma says something else now. One comment sums it up.
    gap, use = remark(repo, "Nothing is shown."), remark(repo, "may be an exception")
    warning = remark(repo, "now says something else")
    assert [item.line for item in (gap, use, warning)] == [9, 11, 8]
    assert len(repo.remarks) == 3 and len(repo.summaries) == 1
    assert checks(repo, pull.head) == {STRUCTURE: "neutral", PROOFS: "failure"}
    assert not any("sky" in request.text for request in llm.requests), "it is as it was"

    # He mends the argument. That comment says so, the others stay, one proof is read.
    asked = len(llm.requests)
    github.push(repo, paper(document, MENDED, USE, APART), branch="weaker", by="bob")
    assert shop.work() == ["checks are not enabled for this branch", ""]
    assert gap.body.startswith(f"**Resolved** in {pull.head[:10]}.")
    assert not any("Resolved" in item.body for item in (use, warning))
    assert len(repo.remarks) == 3 and len(repo.summaries) == 1
    assert len(llm.requests) == asked + 3
    assert checks(repo, pull.head) == {STRUCTURE: "neutral", PROOFS: "neutral"}

    # Bob may not dismiss what is left. Alice, who may write, does, with her reason.
    said = f"/pf dismiss {key_of(use)} the exceptions have no trace"
    refused = github.say(repo, pull, said, by="bob")
    shop.work()
    assert "may be an exception" in use.body and "Answered" not in use.body
    answered = github.say(
        repo, pull, f"{said}\n/pf dismiss {key_of(warning)} on purpose", by="alice"
    )
    assert shop.work() == ["answered", ""]
    assert refused.reactions == [(shop.means.hub.me, "-1")] and answered.reactions == [
        (shop.means.hub.me, "eyes")
    ]
    (answer,) = [item for item in repo.comments if f"answer to={answered.id}" in item.body]
    assert "pf.lock" in answer.body and "ignore[" in answer.body

    # Nothing was read again for it; what she answered says so; the checks are green.
    assert len(llm.requests) == asked + 3
    assert use.body.startswith("**Answered:** the exceptions have no trace")
    assert warning.body.startswith("**Answered:** on purpose")
    assert checks(repo, pull.head) == {STRUCTURE: "success", PROOFS: "success"}

    # It is merged. What was read for it is known on the default branch.
    github.close(repo, pull, by="alice", merge=True)
    shop.work()
    assert len(llm.requests) == asked + 3
    assert len(repo.remarks) == 3 and len(repo.summaries) == 4


def test_the_proofs_of_a_fork_wait_for_a_maintainer_who_has_seen_them(github, shop, llm, document):
    repo = github.repository(files=paper(document, POSITIVE, USE), people={"alice": "write"})
    repo.commit(paper(document, WEAKER, USE), on="theirs")
    pull = github.open(repo, "theirs", author="mallory", fork="mallory/paper")
    assert shop.work() == ["proofs: waiting for a maintainer"]
    assert llm.requests == []
    assert checks(repo, pull.head) == {STRUCTURE: "neutral", PROOFS: "action_required"}

    # Who opened it cannot agree to it.
    github.say(repo, pull, "/pf check", by="mallory")
    shop.work()
    assert llm.requests == []

    # What is pushed after Alice has looked is not what she has agreed to, nor a moment before.
    shop.clock.now += 300
    github.say(repo, pull, "/pf check", by="alice")
    github.push(repo, paper(document, MENDED, USE), branch="theirs", by="mallory")
    hasty = github.say(repo, pull, "/pf check", by="alice")
    shop.work()
    assert llm.requests == []
    assert checks(repo, pull.head)[PROOFS] == "action_required"
    (answer,) = [item for item in repo.comments if f"answer to={hasty.id}" in item.body]
    assert f"`/pf check {pull.head}`" in answer.body

    # Now she looks again, and says so.
    shop.clock.now += 300
    github.say(repo, pull, "/pf check", by="alice")
    shop.work()
    assert llm.requests and checks(repo, pull.head)[PROOFS] == "neutral"

    # Of what is pushed once more she names the commit, and need not wait.
    github.push(repo, paper(document, WEAKER, USE, APART), branch="theirs", by="mallory")
    shop.work()
    assert checks(repo, pull.head)[PROOFS] == "action_required"
    github.say(repo, pull, f"/pf check {pull.head}", by="alice")
    shop.work()
    assert checks(repo, pull.head)[PROOFS] == "failure"


def test_when_the_app_goes_all_that_was_kept_goes(github, shop, document, tmp_path):
    repo = github.repository(files=paper(document, POSITIVE, USE))
    repo.commit(paper(document, WEAKER, USE), on="weaker")
    github.open(repo, "weaker")
    shop.work()
    assert list((tmp_path / "app" / "repositories").iterdir())
    github.uninstall(repo.installation)
    assert shop.work() == ["1 erased"]
    assert shop.records.runs.latest(99) == []
    assert shop.deliveries.repositories(repo.installation) == frozenset()
    for folder in ("repositories", "rooms"):
        kept = [item for item in (tmp_path / "app" / folder).rglob("*") if item.is_file()]
        assert kept == []
    assert not any(b"Most forms" in item.read_bytes() for item in _files(tmp_path / "app"))

    # GitHub remembers for days what it has told; that does not bring any of it back.
    assert shop.intake.fetch(0.0) == 0
    assert shop.work() == [] and shop.records.runs.latest(99) == []


def _files(folder):
    return [item for item in folder.rglob("*") if item.is_file()]


def test_what_did_not_arrive_is_fetched(github, shop, document):
    repo = github.repository(files=paper(document, POSITIVE, USE))
    repo.commit(paper(document, WEAKER, USE), on="weaker")
    pull = github.open(repo, "weaker")
    assert shop.intake.fetch(0.0) >= 1
    shop.receive(*github.sent)
    assert "" in shop.work()
    assert checks(repo, pull.head)[PROOFS] == "failure"
    assert len(repo.summaries) == 1


def test_what_was_said_before_a_push_is_no_word_about_it_however_late_it_arrives(
    github, shop, llm, document
):
    repo = github.repository(files=paper(document, POSITIVE, USE), people={"alice": "write"})
    repo.commit(paper(document, WEAKER, USE), on="theirs")
    github.open(repo, "theirs", author="mallory", fork="mallory/paper")
    shop.work()

    # Alice agrees to what she sees, and that delivery is lost; what Mallory pushes next is not.
    agreed = github.say(repo, repo.pulls[1], "/pf check", by="alice")
    lost = github.sent.pop()
    shop.clock.now += 60
    github.push(repo, paper(document, MENDED, USE), branch="theirs", by="mallory")
    shop.work()
    shop.receive(lost)
    shop.work()
    assert llm.requests == []
    assert any(f"answer to={agreed.id}" in item.body for item in repo.comments)


def test_whoever_presses_re_run_has_it_reviewed_again_and_told_once(github, shop, llm, document):
    repo = github.repository(files=paper(document, POSITIVE, USE))
    repo.commit(paper(document, WEAKER, USE), on="weaker")
    pull = github.open(repo, "weaker")
    shop.work()
    asked, runs = len(llm.requests), len(repo.runs)
    for run in (repo.runs[0].id, None):
        github.rerequest(repo, run, pull.head)
        assert shop.work() == ["1 to review", ""]
    assert (len(llm.requests), len(repo.runs)) == (asked, runs)
    assert len(repo.summaries) == 1


def test_a_draft_waits_until_it_is_none(github, shop, llm, document):
    repo = github.repository(files=paper(document, POSITIVE, USE))
    repo.commit(paper(document, WEAKER, USE), on="weaker")
    pull = github.open(repo, "weaker", is_draft=True)
    assert shop.work() == ["a draft is not reviewed"]
    assert repo.runs == [] and llm.requests == []
    github.make_ready(repo, pull)
    assert shop.work() == [""]
    assert checks(repo, pull.head)[PROOFS] == "failure"


@pytest.fixture
def two(github, document):
    """A repository with a branch `dev` that has an error, and one that came from there."""
    repo = github.repository(files={"main.tex": document(POSITIVE)})
    for branch, body in (("dev", POSITIVE + DANGLING), ("idea", POSITIVE + DANGLING + APART)):
        repo.commit({"main.tex": document(body)}, on=branch)
        repo.point("idea", repo.tip(branch))
    return repo


def test_a_pull_request_whose_base_is_edited_is_reviewed_again_against_the_new_one(
    github, shop, two
):
    pull = github.open(two, "idea", base_ref="dev")
    shop.work()
    assert checks(two, pull.head)[STRUCTURE] == "success", "what is wrong is there already"
    github.retarget(two, pull)
    assert shop.work() == [], "only its title is another"

    github.retarget(two, pull, "main")
    assert shop.work() == [""]
    assert checks(two, pull.head)[STRUCTURE] == "failure"

    github.close(two, pull)
    github.reopen(two, pull)
    assert shop.work() == ["closed", SAME]
    assert checks(two, pull.head)[STRUCTURE] == "failure"

    github.retarget(two, pull, "dev")
    assert shop.work() == [""]
    assert checks(two, pull.head)[STRUCTURE] == "success"


def test_one_that_is_reopened_is_not_what_was_reviewed_against_another_base(github, shop, two):
    pull = github.open(two, "idea", base_ref="dev")
    shop.work()
    github.retarget(two, pull, "main")
    github.sent.pop()
    github.close(two, pull)
    github.reopen(two, pull)
    assert shop.work() == ["closed", ""]
    assert checks(two, pull.head)[STRUCTURE] == "failure"


def test_settings_of_the_new_base_count_where_nothing_else_is_another(github, shop, document):
    repo = github.repository(files={"main.tex": document(POSITIVE)})
    repo.commit({"pf.toml": '[checks]\nthreshold = "note"\n'}, on="strict")
    repo.commit({"main.tex": document(POSITIVE + r"\begin{lemma} B.\end{lemma}")}, on="idea")
    pull = github.open(repo, "idea")
    shop.work()
    assert checks(repo, pull.head)[STRUCTURE] == "success"
    github.retarget(repo, pull, "strict")
    shop.work()
    assert checks(repo, pull.head)[STRUCTURE] == "failure"


def test_a_branch_is_checked_where_the_default_branch_says_so(github, shop, document):
    files = paper(document, POSITIVE, USE)
    files["pf.toml"] = "[app]\nevery_branch = true\n"
    repo = github.repository(files=files)
    head = github.push(repo, {"main.tex": document(WEAKER + USE)}, branch="weaker")
    assert shop.work() == [""]
    assert set(checks(repo, head)) == {STRUCTURE, PROOFS}
    assert repo.comments == []
    (run,) = shop.records.runs.latest(9)
    assert (run.number, run.branch, run.head) == (None, "weaker", head)


def test_the_issue_of_the_default_branch_says_what_readers_object_to(github, shop, llm, document):
    files = paper(document, POSITIVE) | {"pf.toml": SETTINGS + "issue = true\n"}
    repo = github.repository(files=files)
    github.push(repo, {"main.tex": document(WEAKER)})
    shop.work()
    (issue,) = repo.issues.values()
    assert issue.state == "open"
    assert "Nothing is shown." in issue.body and "Wrong? `% pf: ignore[" in issue.body
    for more in ({"README": "Words."}, {"main.tex": document(WEAKER) + "% Later.\n"}):
        github.push(repo, more)
        shop.work()
        assert issue.state == "open" and "Nothing is shown." in issue.body, "no proof is affected"
    github.push(repo, {"main.tex": document(MENDED)})
    shop.work()
    assert issue.state == "closed" and "Nothing is shown." not in issue.body
    assert len(repo.issues) == 1


def test_a_branch_and_its_pull_request_have_one_check_of_a_name(github, shop, llm, document):
    files = paper(document, POSITIVE, USE)
    files["pf.toml"] = "[app]\nevery_branch = true\nrequired = true\n"
    repo = github.repository(files=files, people={"alice": "write"})
    head = github.push(repo, {"main.tex": document(WEAKER + USE)}, branch="weaker")
    assert shop.work() == [""]
    assert checks(repo, head) == {STRUCTURE: "neutral", PROOFS: "failure"}
    asked = len(llm.requests)

    # Whoever presses re-run beside the branch has it reviewed again, and told at the same place.
    for run in (repo.runs[0].id, None):
        github.rerequest(repo, run, head)
        assert shop.work() == ["1 to review", ""]
    assert (len(llm.requests), len(repo.runs)) == (asked, 2)
    assert [run.note for run in shop.records.runs.latest(9)] == ["", "", ""]

    # The pull request that is opened later speaks in the place of the push.
    pull = github.open(repo, "weaker", author="bob")
    shop.work()
    assert [run.external_id for run in repo.runs] == ["pull/1", "pull/1"]
    assert checks(repo, head) == {STRUCTURE: "neutral", PROOFS: "failure"}
    assert len(llm.requests) == asked

    # While it is paused nothing that is pushed is read, and it alone says so.
    github.say(repo, pull, "/pf pause", by="alice")
    shop.work()
    head = github.push(repo, {"main.tex": document(MENDED + USE)}, branch="weaker", by="bob")
    assert "this is the head of #1" in shop.work()
    assert checks(repo, head) == {STRUCTURE: "neutral", PROOFS: "action_required"}
    assert len([run for run in repo.runs if run.head == head]) == 2
    assert len(llm.requests) == asked


def test_a_file_that_cannot_be_read_passes_for_none_that_affects_no_proof(
    github, shop, llm, document
):
    part = {"part.tex": APART}
    repo = github.repository(files=paper(document, POSITIVE, r"\input{part}") | part)
    repo.commit({"part.tex": APART + "\0"}, on="broken")
    pull = github.open(repo, "broken")
    assert shop.work() == [""]
    assert checks(repo, pull.head) == {STRUCTURE: "failure", PROOFS: "action_required"}
    (said,) = [run.output["title"] for run in repo.runs if run.name == PROOFS]
    assert said == "Not everything could be reviewed"


def test_what_affects_no_proof_is_passed_without_a_word(github, shop, llm, document):
    repo = github.repository(files=paper(document, POSITIVE, USE))
    repo.commit({"main.tex": document("% a remark\n" + POSITIVE + USE)}, on="remark")
    pull = github.open(repo, "remark")
    assert shop.work() == [""]
    assert checks(repo, pull.head) == {STRUCTURE: "success", PROOFS: "success"}
    assert repo.comments == [] and repo.remarks == [] and llm.requests == []
