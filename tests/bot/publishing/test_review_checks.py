"""What is told of a review that was kept: two checks, few comments, and never a pass unread."""

import re
from dataclasses import replace

import pytest

from bot.domain import comment
from bot.domain.comment import CommentKind, CommentState, Diff, ObjectionSource, ReviewComments
from bot.domain.forge import PROOFS, STRUCTURE
from bot.domain.reconcile import Existing
from bot.domain.review_result import (
    Manuscript,
    PublishedReview,
    Reach,
    ReviewFault,
    ReviewPart,
    ReviewResult,
)
from bot.publishing.review_checks import (
    checks,
    comment_changes,
    issue_words,
    result_conclusion,
    wanted_comments,
)
from bot.reviewing.pull_review import review_proofs, review_structure
from pfcore.reporters.formats.publication import Conclusion
from pfcore.testing import ScriptedLlm
from tests.bot.readers import ALL, DANGLING, OBJECTION, WEAK, A, B, objecting, subject
from tests.pfcore.cli.conftest import ACCEPT, LEMMA

HEAD, BASE = "a" * 40, "b" * 40
PASSES = ("success", "neutral", "skipped")


def saved(part=ReviewPart.STRUCTURE, **changed):
    values = {
        "schema": 1,
        "part": part,
        "head": HEAD,
        "base": BASE,
        "trusted": BASE,
        "conclusion": Conclusion.CLEAN,
        "title": "t",
        "summary": "s",
        "words": ReviewComments(comments=()),
        "is_read": True,
    }
    return ReviewResult(**(values | changed))


@pytest.mark.parametrize("part", ReviewPart)
@pytest.mark.parametrize("is_required", [True, False])
@pytest.mark.parametrize("conclusion", Conclusion)
@pytest.mark.parametrize("is_read", [True, False])
@pytest.mark.parametrize("fault", ReviewFault)
def test_what_could_not_be_reviewed_never_passes(part, is_required, conclusion, is_read, fault):
    known = saved(
        part,
        is_required=is_required,
        conclusion=conclusion,
        is_read=is_read,
        failure="it burns" if fault else "",
        fault=fault,
    )
    is_unread = part is ReviewPart.PROOFS and not is_read
    if fault or conclusion is Conclusion.INCOMPLETE or is_unread:
        assert result_conclusion(known) in ("failure", "action_required")
    elif conclusion is Conclusion.BLOCKING:
        is_advisory = part is ReviewPart.PROOFS and not is_required
        assert result_conclusion(known) == ("neutral" if is_advisory else "failure")
    else:
        wanted = "neutral" if conclusion is Conclusion.FINDINGS else "success"
        assert result_conclusion(known) == wanted


def test_people_can_mend_their_fault_and_not_ours():
    theirs = saved(failure="x", fault=ReviewFault.THEIRS, conclusion=Conclusion.INCOMPLETE)
    ours = theirs.model_copy(update={"fault": ReviewFault.OURS})
    assert (result_conclusion(theirs), result_conclusion(ours)) == ("action_required", "failure")


@pytest.mark.parametrize(
    ("reach", "conclusion", "word"),
    [
        (Reach.PENDING, None, "being read"),
        (Reach.FORK, "action_required", "aaaaaaaaaa"),
        (Reach.PAUSED, "action_required", "/pf resume"),
        (Reach.DRAFT, "action_required", "ready for review"),
        (Reach.DONE, "action_required", "The proofs have not been read"),
    ],
)
def test_proofs_that_are_not_read_yet_do_not_pass(reach, conclusion, word):
    found = checks(PublishedReview(structure=saved(), reach=reach, key="k", details="https://pf"))
    assert [item.name for item in found] == [STRUCTURE, PROOFS]
    assert (found[1].conclusion, found[1].key, found[1].head) == (conclusion, "k", HEAD)
    assert word in found[1].summary and found[1].details == "https://pf"


@pytest.mark.parametrize("is_read", [True, False])
def test_where_some_proofs_were_not_read_it_is_said_what_has_them_read(is_read):
    proofs = saved(ReviewPart.PROOFS, is_read=is_read)
    found = checks(PublishedReview(structure=saved(), proofs=proofs, again="Ask again."))
    assert ("Not everything was read. Ask again." in found[1].summary) is not is_read


@pytest.mark.parametrize(("reach", "word"), [(Reach.PAUSED, "/pf resume"), (Reach.DRAFT, "draft")])
def test_what_is_known_of_a_pull_request_that_waits_says_what_it_waits_for(reach, word):
    known = saved(ReviewPart.PROOFS, is_read=False)
    found = checks(PublishedReview(structure=saved(), proofs=known, reach=reach))
    assert word in found[1].summary and found[1].conclusion == "action_required"


@pytest.mark.parametrize("reach", [Reach.FORK, Reach.PENDING, Reach.PAUSED])
def test_where_no_proof_is_affected_there_is_nothing_to_wait_for(reach):
    found = checks(PublishedReview(structure=saved(is_touched=False), reach=reach))
    assert (found[1].conclusion, found[1].title) == ("success", "No proof is affected")


def test_what_is_affected_and_has_no_proof_is_said_so():
    paper = Manuscript(name="p", root="p.tex", modules=9, affected=2, backlog=0, statuses={})
    one = paper.model_copy(update={"affected": 1})
    for papers, sentence in [
        ((), "affects no proof"),
        ((paper,), "2 results are affected. None of them has a proof to read."),
        ((one,), "1 result is affected. It has no proof to read."),
    ]:
        known = saved(is_touched=False, papers=papers)
        (_, check) = checks(PublishedReview(structure=known))
        assert sentence in check.summary and check.conclusion == "success"


def test_without_a_model_there_is_no_check_of_proofs():
    (only,) = checks(PublishedReview(structure=saved(), reach=Reach.NONE))
    assert only.name == STRUCTURE


def test_where_nothing_could_be_looked_at_the_proofs_do_not_pass_either():
    broken = saved(failure="x", fault=ReviewFault.THEIRS, conclusion=Conclusion.INCOMPLETE)
    for reach in (Reach.PENDING, Reach.FORK, Reach.DONE):
        found = checks(PublishedReview(structure=broken, reach=reach))
        assert [item.conclusion for item in found] == ["action_required"] * 2


def test_a_gap_is_advice_until_the_repository_opts_in(commits, bare, kit):
    base, head = commits(A + B), commits(WEAK + B)
    llm = kit(objecting("and symmetry", OBJECTION))
    told = PublishedReview(
        structure=review_structure(bare, subject(base, head), llm, ALL),
        proofs=review_proofs(bare, subject(base, head), llm, ALL),
    )
    found = {item.name: item for item in checks(told)}
    assert found[PROOFS].conclusion == "neutral" and "required = true" in found[PROOFS].summary
    assert found[PROOFS].title == "1 finding in proofs (advisory)"
    assert found[STRUCTURE].conclusion == "neutral"  # the statement changed, its users did not
    trusted = commits(WEAK + B, pf_toml="[app]\nrequired = true")
    again = review_proofs(bare, subject(base, head, trusted), llm, ALL)
    (_, check) = checks(PublishedReview(structure=told.structure, proofs=again))
    assert check.conclusion == "failure" and "advisory" not in check.summary


def mark(item):
    """The mark of a comment."""
    found = comment.read_mark(item.body)
    assert found is not None
    return found


def existing(told, first=1, replied=()):
    """The comments as they stand once they were posted."""
    return [
        Existing(
            id=number,
            kind=item.kind,
            body=item.body,
            is_ours=True,
            has_replies=item.key in replied,
        )
        for number, item in enumerate(told.comments, first)
    ]


def test_a_review_is_told_at_both_sites_and_ends_when_it_is_mended(commits, bare, kit):
    base, head = commits(A + B), commits(WEAK + B)
    llm = kit(objecting("and symmetry", OBJECTION))

    def told(base, head):
        return wanted_comments(
            PublishedReview(
                structure=review_structure(bare, subject(base, head), llm, ALL),
                proofs=review_proofs(bare, subject(base, head), llm, ALL),
            )
        )

    first = told(base, head)
    sites = [item for item in first.comments if item.kind is CommentKind.INLINE]
    assert [mark(item).source for item in sites] == [ObjectionSource.READING, ObjectionSource.CHECK]
    (ripple,) = [item for item in sites if "does not say so" in item.body]
    assert "**This pull request changes what Lemma 1 " in ripple.body
    assert "The proof of Lemma 2 did not change" in ripple.body
    mended = commits(A + B)
    later = comment_changes(told(base, mended), existing(first), head=mended)
    assert later.create == () and len(later.close) == 2
    assert all(mark(item).state is CommentState.RESOLVED for item in later.close)
    (summary,) = later.edit
    resolved, foot = (summary.body.index(it) for it in ("Resolved by this push: ", "<sub>"))
    assert resolved < foot == summary.body.rindex("<sub>")
    assert all(item.key in summary.body for item in sites)


def test_a_change_that_is_taken_back_ends_what_readers_said_without_a_reading(commits, bare, kit):
    base, head = commits(A + B), commits(WEAK + B)
    llm = kit(objecting("and symmetry", OBJECTION))
    made = review_structure(bare, subject(base, head), kit(), ALL)
    first = wanted_comments(
        PublishedReview(structure=made, proofs=review_proofs(bare, subject(base, head), llm, ALL))
    )
    back = commits(A + B)
    again = PublishedReview(structure=review_structure(bare, subject(base, back), kit(), ALL))
    later = comment_changes(wanted_comments(again), existing(first), head=back)
    assert len(later.close) == 2 and later.create == ()


def test_what_this_push_resolved_is_said_the_same_when_it_is_told_again(commits, bare, kit):
    base = commits(A)
    bad, good = commits(A + DANGLING), commits(A + LEMMA % ("b", "B", "Clear."))
    first = wanted_comments(
        PublishedReview(structure=review_structure(bare, subject(base, bad), kit(), ALL))
    )
    second = wanted_comments(
        PublishedReview(structure=review_structure(bare, subject(base, good), kit(), ALL))
    )
    there = existing(first)
    done = comment_changes(second, there, head=good)
    bodies = {item.id: item.body for item in (*done.edit, *done.close)}
    now = [replace(item, body=bodies.get(item.id, item.body)) for item in there]
    again = comment_changes(second, now, head=good)
    assert not (again.create or again.edit or again.close or again.delete)


def test_nothing_is_said_where_nothing_is_affected_and_nothing_stands(commits, bare, kit):
    base, head = commits(A + B), commits("% a remark\n" + A + B)
    told = PublishedReview(
        structure=review_structure(bare, subject(base, head), kit(), ALL),
        proofs=review_proofs(bare, subject(base, head), kit(ScriptedLlm(ACCEPT)), ALL),
    )
    found = comment_changes(wanted_comments(told), [], head=head)
    assert not (found.create or found.edit or found.close)
    assert [item.conclusion for item in checks(told)] == ["success", "success"]


def test_a_reading_that_failed_ends_no_matter_and_is_said_where_a_summary_stands(
    commits, bare, kit
):
    base, head = commits(A + B), commits(WEAK + B)
    llm = kit(objecting("and symmetry", OBJECTION))
    made = review_structure(bare, subject(base, head), llm, ALL)
    first = wanted_comments(
        PublishedReview(structure=made, proofs=review_proofs(bare, subject(base, head), llm, ALL))
    )
    broken = saved(
        ReviewPart.PROOFS,
        failure="no *model*",
        fault=ReviewFault.OURS,
        conclusion=Conclusion.INCOMPLETE,
    )
    later = comment_changes(
        wanted_comments(PublishedReview(structure=made, proofs=broken)), existing(first), head=HEAD
    )
    assert later.close == ()
    (summary,) = later.edit
    assert "could not be read.** no &#42;model&#42;" in summary.body
    private = broken.model_copy(update={"is_private": True})
    hidden = wanted_comments(PublishedReview(structure=made, proofs=private))
    (closing,) = [item for item in hidden.comments if item.kind is CommentKind.SUMMARY]
    assert "model*" not in closing.body and "&#42;model" not in closing.body


def test_a_failure_of_both_leaves_what_stands_and_says_so():
    broken = saved(
        failure="x",
        fault=ReviewFault.THEIRS,
        conclusion=Conclusion.INCOMPLETE,
        words=ReviewComments(comments=()),
    )
    told = PublishedReview(
        structure=broken, proofs=broken.model_copy(update={"part": ReviewPart.PROOFS})
    )
    assert wanted_comments(told) == broken.words


def test_an_annotation_is_shown_by_one_check_only(commits, bare, kit):
    base, head = commits(A), commits(A + DANGLING)
    far, llm = Diff({}), kit(ScriptedLlm(ACCEPT))
    told = PublishedReview(
        structure=review_structure(bare, subject(base, head), llm, far),
        proofs=review_proofs(bare, subject(base, head), llm, far),
    )
    found = checks(told)
    assert [len(item.annotations) for item in found] == [1, 0]


def test_an_objection_in_a_file_that_did_not_change_stands_beside_what_did(
    repository, document, bare, kit
):
    files = {"b.tex": B, "main.tex": document(A + "\\input{b}")}
    base = repository(files)
    head = repository(files | {"main.tex": document(WEAK + "\\input{b}")})
    llm = kit(objecting("and symmetry", OBJECTION))
    diff = Diff({"main.tex": ((1, 99),)})
    found = review_proofs(bare, subject(base, head), llm, diff)
    (item,) = [one for one in found.words.comments if "does not say so" in one.body]
    assert (item.kind, item.path) == (CommentKind.INLINE, "main.tex")
    assert "b.tex:" in item.body and "This pull request changes what Lemma 1" in item.body


def test_the_summary_has_what_was_read_kept_and_not_reached(commits, bare, kit):
    body = A + B + LEMMA % ("c", "C", "Also clear.")
    base, head = commits(body), commits(body.replace("Clear.", "So."))
    found = review_proofs(bare, subject(base, head), kit(ScriptedLlm(ACCEPT)), ALL).summary
    assert f"1 of 3 results affected; 2 unchanged since <code>{base[:10]}</code>." in found
    assert "1 of 1 proof read." in found and "2 unrelated proofs never read" in found
    assert "| ✓ | Lemma 1 | checked | proof changed |" in found
    assert "strictness standard, 3 readings · 3 calls, $0.00" in found and "mermaid" not in found
    unread = review_proofs(
        bare, subject(base, commits(body.replace("Clear.", "No."))), kit(ScriptedLlm("?")), ALL
    )
    assert re.search(r"\*\*Not read:\*\* 1 proof \([^0-9]", unread.summary)


def test_the_graph_has_what_changed_and_what_rests_on_a_gap(commits, bare, kit):
    base = commits(A + B + LEMMA % ("c", "C", r"By \ref{b}."))
    head = commits(WEAK + B + LEMMA % ("c", "C", r"By \ref{b}."))
    llm = kit(objecting("and symmetry", OBJECTION))
    found = review_proofs(bare, subject(base, head), llm, ALL).summary
    drawn = found.partition("```mermaid\n")[2].partition("```")[0]
    assert drawn.startswith("graph BT\n")
    assert [f"p0n{n}(" in drawn for n in range(4)] == [True, True, True, False]
    assert "p0n1 --> p0n0" in drawn and "p0n2 --> p0n1" in drawn
    assert '("#33; Lemma 2")' in drawn and '("#10003; Lemma 1")' in drawn


def test_a_simulation_says_so(commits, bare, kit):
    base, head = commits(A), commits(WEAK)
    found = review_proofs(
        bare, subject(base, head), kit(ScriptedLlm(ACCEPT), is_simulated=True), ALL
    )
    assert found.is_simulated and "**Simulation:**" in found.summary


def test_what_readers_said_is_resolved_by_no_review_of_another_comparison():
    both = ReviewComments(comments=(), settled=frozenset(ObjectionSource))
    for half in (None, saved(ReviewPart.PROOFS, words=both)):
        told = PublishedReview(structure=saved(words=both, is_touched=False), proofs=half)
        assert wanted_comments(told).settled == set(ObjectionSource)
        other = replace(told, is_rebased=True)
        assert wanted_comments(other).settled == {ObjectionSource.CHECK}


@pytest.mark.parametrize(
    ("structure", "proofs", "has_reader", "is_open", "words"),
    [
        ({}, None, False, False, "s"),
        ({}, {}, True, False, "s"),
        ({"is_open": True, "whole": "One finding."}, None, False, True, "One finding."),
        ({}, {"is_open": True, "whole": "One objection."}, True, True, "One objection."),
        ({}, {"is_read": False}, True, True, "s"),
        ({}, None, True, True, "s"),
        ({"is_touched": False}, None, True, False, "s"),
        ({"conclusion": Conclusion.INCOMPLETE}, None, False, True, "s"),
        ({}, {"failure": "it burns", "summary": "x"}, True, True, "could not be read.** it burns"),
        ({"is_absent": True, "conclusion": Conclusion.INCOMPLETE}, None, False, False, "s"),
    ],
)
def test_the_issue_is_open_as_long_as_something_is_to_be_answered(
    structure, proofs, has_reader, is_open, words
):
    told = PublishedReview(
        structure=saved(**structure),
        proofs=None if proofs is None else saved(ReviewPart.PROOFS, **proofs),
    )
    body, found = issue_words(told, has_reader=has_reader)
    assert (found, words in body) == (is_open, True)
    assert "Commit `aaaaaaaaaaaa` against `bbbbbbbbbbbb`" in body
