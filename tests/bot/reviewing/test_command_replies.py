"""What commands are answered: a finding explained, dismissed for good, the graph of a change."""

import subprocess

import pytest

from bot.domain.chat_commands import Verb
from bot.domain.review_result import ReviewPart
from bot.reviewing.command_replies import (
    HELP,
    PRIVATE,
    confirmed,
    dismissed,
    explained,
    graph_reply,
    lock_patch,
)
from bot.reviewing.pull_review import (
    review_from_replies,
    review_keyless,
    review_proofs,
    review_structure,
)
from pfcore.domain.errors import UsageError
from pfcore.domain.values import Status
from pfcore.ledger.lock_lines import read_ledger
from pfcore.reporters.formats.publication import AGAIN, Conclusion
from pfcore.repository.snapshot import from_revision
from pfcore.testing import ScriptedLlm
from tests.bot.readers import ALL, DANGLING, OBJECTION, WEAK, A, B, asking, objecting, subject
from tests.bot.reviewing.test_pull_review import TOLD, wanting
from tests.conftest import git
from tests.pfcore.cli.conftest import ACCEPT, LEMMA, flag, genuine


@pytest.fixture
def flagged(commits, bare, kit):
    """A change that a reader objects to: subject, kit, the finding's id, the review."""
    base, head = commits(A + B), commits(WEAK + B)
    own = kit(objecting("and symmetry", OBJECTION))
    found = review_proofs(bare, subject(base, head), own, ALL)
    (name,) = [item.id for item in found.objections if item.source == "reading"]
    return subject(base, head), own, name, review_from_replies(bare, subject(base, head), own)


def test_a_finding_is_explained_with_all_that_readers_saw(flagged):
    _, _, name, report = flagged
    text = explained(report, name, is_private=False)
    assert "Lemma 1 does not say so." in text and f"`/pf dismiss {name} …`" in text
    assert "What the readers saw" in text and "and symmetry" in text
    assert "Introduced here." in text or "is not known" in text
    assert explained(report, name, is_private=True) == f"{PRIVATE} {AGAIN}\n"


def test_a_finding_is_explained_with_what_readers_asked_for_and_used(commits, bare, kit):
    once = "[reading]\nrollouts = 1\n"
    base, head = commits(B, pf_toml=once), commits(A + B + TOLD, pf_toml=once)
    own = kit(ScriptedLlm(objecting_when_told))
    found = review_proofs(bare, subject(base, head), own, ALL)
    (name,) = [item.id for item in found.objections if item.source == "reading"]
    report = review_from_replies(bare, subject(base, head), own)
    text = explained(report, name, is_private=False)
    asked = text.partition("What they asked for, and what their verdicts depend on")[2]
    assert "layer of the cake" in asked.partition("$Q_j$")[2]
    assert "Notation 2  1 of 1" in asked


def objecting_when_told(request):
    """Who knows what a layer is objects to the first lemma, by a notation."""
    said = wanting(request)
    if "layer of the" not in request.text:
        return said
    if "Objections" in request.text:
        return genuine("Clear")
    return flag("Clear").replace("```json", "<used>Notation 2</used>\n```json")


def test_a_finding_that_is_not_there_is_said_to_be_not_there(flagged):
    for ask in (explained,):
        with pytest.raises(UsageError, match="unknown finding 'aaaaaaaa"):
            ask(flagged[3], "aaaaaaaa", is_private=False)


def test_the_graph_of_a_change_is_drawn_where_it_can_be_read(flagged, commits, bare, kit):
    text = graph_reply(flagged[3], is_private=False)
    assert text.startswith("2 results affected") and "```mermaid\ngraph BT\n" in text
    assert "mermaid" not in graph_reply(flagged[3], is_private=True)
    base = commits(A)
    same = review_keyless(bare, subject(base, base), kit())
    assert "affects no result" in graph_reply(same, is_private=False)
    many = "".join(LEMMA % (f"l{n}", f"C {n}", "Clear.") for n in range(40))
    large = review_keyless(bare, subject(base, commits(A + many)), kit())
    assert "too many to draw" in graph_reply(large, is_private=False)


def test_where_no_result_leads_to_another_the_graph_is_said_in_words(commits, bare, kit):
    base = commits(A)
    for body, words in (
        (A + LEMMA % ("c", "C is flat", "Clear."), "1 result affected: Lemma 2."),
        (
            A + "".join(LEMMA % (f"l{n}", f"C {n}", "Clear.") for n in range(3)),
            "3 results affected: Lemma 2, Lemma 3, Lemma 4. None of them uses another.",
        ),
    ):
        alone = review_keyless(bare, subject(base, commits(body)), kit())
        assert graph_reply(alone, is_private=False) == f"{words}\n"


def test_a_dismissal_answers_an_objection_from_then_on(flagged, bare):
    change, own, name, report = flagged
    answer = dismissed(report, asking(name, "by symmetry of B"))
    assert read_ledger(answer.lines).ledger.dismissals and answer.finding == name
    again = subject(change.base, change.head, answers=(answer,))
    found = review_proofs(bare, again, own, ALL)
    assert found.part is ReviewPart.PROOFS and found.conclusion is Conclusion.CLEAN
    assert found.title == "No open objection in 2 proofs, 1 answered"
    assert found.statuses["b"] is Status.DISMISSED
    assert found.words.answered[name] == "by symmetry of B (ada)"
    assert "by symmetry of B" in found.summary


def test_a_dismissal_reopens_when_what_it_rests_on_changes(flagged, commits, bare):
    change, own, name, report = flagged
    answer = dismissed(report, asking(name, "by symmetry of B"))
    weaker = commits(WEAK.replace("Most", "Some") + B)
    found = review_proofs(bare, subject(change.base, weaker, answers=(answer,)), own, ALL)
    (item,) = [one for one in found.objections if one.source == "reading"]
    assert item.dismissed is None and item.reopened == "by symmetry of B (ada)"


def test_the_patch_for_the_ledger_applies_and_then_counts_everywhere(flagged, bare, kit, tmp_path):
    change, own, name, report = flagged
    answer = dismissed(report, asking(name, "by <!-- symmetry"))
    text = confirmed(answer, report, trusted(bare, change.trusted), is_private=False)
    assert "is answered on this pull request" in text and "<!--" not in text
    applied(tmp_path / "paper", text)
    ledger = (tmp_path / "paper" / "pf.lock").read_text()
    assert "by <!-- symmetry" in {item.reason for item in read_ledger(ledger).ledger.dismissals}
    git(tmp_path / "paper", "add", "pf.lock")
    git(tmp_path / "paper", "commit", "-qm", "answer")
    now = git(tmp_path / "paper", "rev-parse", "HEAD")
    found = review_proofs(bare, subject(change.base, change.head, trusted=now), own, ALL)
    assert found.statuses["b"] is Status.DISMISSED
    assert lock_patch("pf.lock", trusted(bare, now), [answer]) == ""


@pytest.mark.parametrize("end", ["\n", ""])
def test_the_patch_adds_behind_what_a_ledger_has(flagged, repository, bare, tmp_path, end):
    _, _, name, report = flagged
    line = '{"schema":1,"kind":"contract","contract":"x","asks":{}}'
    now = repository({"pf.lock": f"{line}\n{line}{end}"})
    answer = dismissed(report, asking(name, "no"))
    applied(tmp_path / "paper", confirmed(answer, report, trusted(bare, now), is_private=False))
    lines = (tmp_path / "paper" / "pf.lock").read_text().splitlines()
    assert lines[:2] == [line, line] and len(lines) == 3


def test_a_finding_of_a_check_is_kept_answered_in_the_source(commits, bare, kit):
    base, head = commits(A), commits(A + DANGLING)
    change = subject(base, head)
    (name,) = [
        item.id
        for item in review_structure(bare, change, kit(), ALL).objections
        if item.is_blocking
    ]
    report = review_keyless(bare, change, kit())
    answer = dismissed(report, asking(name, "in part two\n```"))
    assert answer.lines == ""
    text = confirmed(answer, report, trusted(bare, base), is_private=False)
    assert f"% pf: ignore[{name}] in part two ```" in text and "````\n" in text
    private = confirmed(answer, report, trusted(bare, base), is_private=True)
    assert "part two" not in private


def test_no_comment_is_said_to_keep_an_answer_to_a_note_that_stands_for_many(commits, bare, kit):
    many = "".join(rf"By \ref{{def:{number}}}. " for number in range(7))
    old = A + LEMMA % ("m", "M", many)
    base, head = commits(old), commits(old + B)
    report = review_keyless(bare, subject(base, head), kit())
    (name,) = [item.id for paper in report.papers for item in paper.findings if item.alike]
    answer = dismissed(report, asking(name, "the class sets them"))
    text = confirmed(answer, report, trusted(bare, base), is_private=False)
    assert text == f"`{name}` is answered on this pull request.\n"


def test_a_clean_reading_has_nothing_to_dismiss(commits, bare, kit):
    base, head = commits(A), commits(WEAK)
    own = kit(ScriptedLlm(ACCEPT))
    review_proofs(bare, subject(base, head), own, ALL)
    with pytest.raises(UsageError):
        dismissed(review_from_replies(bare, subject(base, head), own), asking("aaaaaaaa", "x"))


def test_the_help_names_every_command():
    assert all(f"/pf {verb}" in HELP for verb in Verb if verb is not Verb.HELP)


def trusted(bare, commit):
    return from_revision(bare, commit)


def applied(folder, text):
    """Apply the patch of an answer, as a person would who copies it."""
    patch = text.partition("```diff\n")[2].partition("\n```")[0] + "\n"
    command = ["git", "-C", str(folder), "apply", "-"]
    subprocess.run(command, input=patch, text=True, check=True)
