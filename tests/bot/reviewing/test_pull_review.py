"""From commits of a bare repository to what is kept of their review."""

import json
from dataclasses import replace

import pytest
from pydantic import ValidationError

from bot.domain import review_result as kept
from bot.domain.comment import CommentKind, Diff, ObjectionSource
from bot.domain.review_result import ReviewFault, ReviewPart
from bot.domain.worker_context import ReaderUsage, SpendingTerms
from bot.reviewing.pull_review import (
    review_from_replies,
    review_keyless,
    review_proofs,
    review_structure,
)
from pfcore.domain.errors import GitError
from pfcore.domain.values import Status
from pfcore.llm.model_settings import AccountLimits, choose
from pfcore.llm.store.reply_store import StoreError
from pfcore.reporters.formats.publication import Conclusion
from pfcore.reporters.review_outcome import APART
from pfcore.repository.source_files import FolderLimits
from pfcore.review.reading_session import server
from pfcore.testing import ScriptedLlm
from tests.bot.readers import ALL, DANGLING, OBJECTION, WEAK, A, B, asking, objecting, subject
from tests.conftest import git
from tests.pfcore.cli.conftest import ACCEPT, LEMMA

PAPER = "\\documentclass{article}\n\\begin{document}\nx\n\\end{document}\n"


def test_structure_is_known_without_a_model(commits, bare, kit):
    base = commits(A)
    head = commits(A + LEMMA % ("b", "B", r"By \ref{gone}."))
    found = review_structure(bare, subject(base, head), kit(), ALL)
    assert (found.part, found.conclusion, found.head) == (
        ReviewPart.STRUCTURE,
        Conclusion.BLOCKING,
        head,
    )
    assert found.title == "1 finding, 1 blocking" and found.failure == ""
    (item,) = [item for item in found.objections if item.is_blocking]
    assert (item.source, item.path, item.introduced) == (ObjectionSource.CHECK, "main.tex", True)
    assert [item.kind for item in found.words.comments] == [CommentKind.INLINE, CommentKind.SUMMARY]
    assert [item.module for item in found.reached] == ["b"]
    assert found.model is None and found.cone == ""


def test_a_check_that_notes_fail_says_which(commits, bare, kit):
    strict = {"pf.toml": '[checks]\nthreshold = "note"\n'}
    base = commits(A, **strict)
    head = commits(A + "\\begin{lemma}\\label{b} B.\\end{lemma}\n", **strict)
    found = review_structure(bare, subject(base, head), kit(), ALL)
    assert (found.conclusion, found.title) == (Conclusion.BLOCKING, "1 finding, 1 blocking")
    assert not found.is_quiet
    beside, shown = found.words.comments
    assert (beside.kind, shown.kind) == (CommentKind.INLINE, CommentKind.SUMMARY)
    assert "no-proof" in beside.body and "1 finding, 1 blocking" in shown.body
    assert beside.key in found.summary

    nowhere = review_structure(bare, subject(base, head), kit(), Diff({}))
    (remark,) = nowhere.words.annotations
    assert "no-proof" in remark.title and remark.level == "notice"


def test_what_is_kept_comes_back_as_it_was(commits, bare, kit):
    base = commits(A)
    found = review_structure(bare, subject(base, commits(WEAK + B)), kit(), ALL)
    assert kept.load_result(found.text()) == found
    assert json.loads(found.text())["schema"] == 1
    for text in ("", "{}", found.text().replace('"schema":1', '"schema":2')):
        with pytest.raises(ValidationError):
            kept.load_result(text)


def test_readers_are_asked_about_what_the_change_affects_alone(commits, bare, kit):
    base = commits(A + B)
    head = commits(A.replace("Clear.", "It is clear.") + B)
    llm = ScriptedLlm(ACCEPT)
    found = review_proofs(bare, subject(base, head), kit(llm), ALL)
    assert (found.conclusion, found.is_read, found.is_quiet) == (Conclusion.CLEAN, True, True)
    assert len(llm.requests) == 3 == found.cost.calls
    assert found.title == "No objection in 1 proof"
    assert found.statuses["a"] is Status.CHECKED and found.statuses["b"] is Status.UNREACHED
    again = review_proofs(bare, subject(base, head), kit(llm), ALL)
    assert len(llm.requests) == 3 and again.cost.calls == 0


TWO = "".join(f'[[paper]]\nname = "{n}"\nroot = "{n}.tex"\n' for n in ("main", "other"))


def test_a_paper_that_settings_of_the_base_name_may_move_or_go(
    commits, bare, kit, document, tmp_path
):
    """By git's own commands, as the settings that count still name the file of before."""
    other = document(LEMMA % ("c", "Every C is a field", "Look at it."))
    base = commits(A, other_tex=other, pf_toml=TWO)
    git(tmp_path / "paper", "mv", "other.tex", "moved.tex")
    head = commits(A)
    found = review_structure(bare, subject(base, head), kit(), ALL)
    assert not found.failure and not found.words.open
    assert sorted(paper.root for paper in found.papers) == ["main.tex", "moved.tex"]
    git(tmp_path / "paper", "rm", "--quiet", "moved.tex")
    found = review_structure(bare, subject(base, commits(A)), kit(), ALL)
    assert [paper.root for paper in found.papers] == ["main.tex"] and not found.failure


def test_what_is_advice_is_not_called_blocking(commits, bare, kit):
    base, head = commits(A + B), commits(WEAK + B)
    llm = objecting("and symmetry", OBJECTION)
    first = review_proofs(bare, subject(base, head), kit(llm), ALL)
    assert first.title == "1 finding in proofs (advisory)"
    heading = first.words.comments[-1].body.partition("\n")[0]
    assert "finding" in heading and "blocking" not in heading


PLAIN = A.replace("Clear", "Plain")
OTHER = LEMMA % ("o", "O", r"By \ref{elsewhere}.")
LOST = " ".join(rf"\ref{{gone:{letter}}}" for letter in "abcdefgh")
ANSWERED = DANGLING.replace("By", "% pf: ignore[dangling-reference] it is to come\nBy")


def test_the_page_of_the_proofs_leaves_to_the_structure_what_is_its(commits, bare, kit):
    base = commits(A)
    head = commits(A + LEMMA % ("b", "B", r"By \ref{gone}."))
    found = review_proofs(bare, subject(base, head), kit(ScriptedLlm(ACCEPT)), ALL)
    assert "1 finding in `pf / structure`." in found.summary
    assert "undefined label" not in found.summary
    assert "Read by a model" in found.summary
    keyless = review_structure(bare, subject(base, head), kit(), ALL)
    assert "proofs were not read" in keyless.summary and "Read by" not in keyless.summary


@pytest.mark.parametrize(
    ("before", "after", "title"),
    [
        (A, A + B, "No structural check found an error or a warning"),
        (A + DANGLING, PLAIN + DANGLING, "found a new error or warning"),
        (
            A + ANSWERED,
            PLAIN + ANSWERED,
            "No structural check found an open error or warning, 1 answered",
        ),
        (
            A + ANSWERED + OTHER,
            PLAIN + ANSWERED + OTHER,
            "No structural check found a new error or warning",
        ),
        (
            A + LOST,
            PLAIN + LOST,
            "No structural check found a new error or warning",
        ),
        (
            A + LOST,
            PLAIN + LOST + r"\ref{gone:i}",
            "9 possible problems (note); no structural check found an error or a warning",
        ),
    ],
)
def test_the_structure_s_title_says_no_more_than_what_was_seen(
    commits, bare, kit, before, after, title
):
    base = commits(before)
    found = review_structure(bare, subject(base, commits(after)), kit(), ALL)
    assert found.title.endswith(title)


DISMISSED = (
    '{"schema":1,"kind":"dismissal","finding":"wck7q3se","aliases":[],"rule":"gap","quote":"and",'
    f'"module":"z","statement":"{"0" * 64}","rests":[],"reason":"no","who":"ada"}}\n'
)


@pytest.mark.parametrize("has_reader", [True, False])
def test_beside_a_ledger_the_structure_says_nothing_of_who_reads(commits, bare, kit, has_reader):
    """The check of the proofs does; where there is none, it is nobody."""
    base = commits(A + B, pf_lock=DISMISSED)
    found = review_structure(
        bare, subject(base, commits(WEAK + B)), kit(has_reader=has_reader), ALL
    )
    assert "Only the structure was checked; the proofs were not read." in found.summary
    assert "Read by" not in found.summary
    assert ("no model is set" in found.summary) is not has_reader
    assert "(not read" not in found.summary
    assert ("0 of 2 proofs read" in found.summary) is not has_reader
    assert found.words.settled == {ObjectionSource.CHECK}


def test_a_statement_that_is_weakened_makes_the_proof_that_uses_it_be_read(commits, bare, kit):
    base, head = commits(A + B), commits(WEAK + B)
    found = review_proofs(bare, subject(base, head), kit(objecting("and symmetry", OBJECTION)), ALL)
    assert found.conclusion is Conclusion.BLOCKING
    (item,) = [item for item in found.objections if item.source is ObjectionSource.READING]
    assert (item.module, item.votes, item.is_blocking) == ("b", 3, True)
    assert found.words.settled == set(ObjectionSource)
    assert found.contract is not None and len(found.contract) == 64


def test_an_accepted_proof_that_cites_nothing_is_kept_as_at_fault(commits, bare, kit):
    base, head = commits(A), commits(A + DANGLING)
    found = review_proofs(bare, subject(base, head), kit(ScriptedLlm(ACCEPT)), ALL)
    assert (found.statuses["b"], found.is_read) == (Status.CHECKED, True)
    assert [(item.module, item.is_at_fault) for item in found.reached] == [("b", True)]
    assert found.papers[0].at_fault == {Status.CHECKED: 1}
    assert "checked, with a structural finding" in found.summary


def test_a_change_that_affects_nothing_asks_nobody_and_is_quiet(commits, bare, kit):
    base = commits(A + B)
    head = commits("% a remark\n" + A + B)
    llm = ScriptedLlm(ACCEPT)
    found = review_proofs(bare, subject(base, head), kit(llm), ALL)
    assert (found.conclusion, found.title) == (Conclusion.CLEAN, "No proof is affected")
    assert not found.is_touched and found.is_quiet and llm.requests == []
    assert found.cone == ""


def test_what_was_not_read_is_no_pass(commits, bare, kit):
    body = A + LEMMA % ("z", "Z", "Also clear.")
    base, head = commits(body), commits(body.replace("Clear.", "Plain."))
    found = review_proofs(bare, subject(base, head), kit(ScriptedLlm("no verdict")), ALL)
    assert (found.conclusion, found.is_read) == (Conclusion.INCOMPLETE, False)
    assert found.title == "1 proof not read"
    assert found.words.settled == {ObjectionSource.CHECK}
    assert "no JSON block" in found.reached[0].unread
    assert list(found.unreached) == ["a"] and "no JSON block" in found.unreached["a"]


def test_without_a_model_proofs_cannot_be_read(commits, bare, kit):
    base = commits(A)
    found = review_proofs(bare, subject(base, base), kit(), ALL)
    assert (found.conclusion, found.fault) == (Conclusion.INCOMPLETE, ReviewFault.OURS)
    assert "no model is set, so no proof can be read" in found.failure


def test_settings_and_ledger_are_those_of_the_base(commits, bare, kit):
    base = commits(A)
    off = '[checks]\ndisable = ["dangling-reference"]'
    head = commits(A + LEMMA % ("b", "B", r"By \ref{gone}."), pf_toml=off)
    found = review_structure(bare, subject(base, head), kit(), ALL)
    assert found.conclusion is Conclusion.BLOCKING
    found = review_structure(bare, subject(base, head, trusted=head), kit(), ALL)
    assert found.conclusion is Conclusion.STRUCTURE


def test_a_change_does_not_answer_what_it_brings(commits, bare, kit):
    base = commits(A)
    hidden = LEMMA % ("b", "B", "By \\ref{gone}. % pf: ignore[dangling-reference] trust me\n")
    found = review_structure(bare, subject(base, commits(A + hidden)), kit(), ALL)
    assert found.conclusion is Conclusion.BLOCKING


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"pf_toml": "not even toml"}, "pf.toml"),
        ({"pf_toml": 'model = "gpt"'}, "cannot be set in a repository"),
    ],
)
def test_settings_that_cannot_be_read_are_said_and_no_pass(commits, bare, kit, files, words):
    base = commits(A, **files)
    for half in (review_structure, review_proofs):
        found = half(bare, subject(base, commits(A + B)), kit(ScriptedLlm(ACCEPT)), ALL)
        assert (found.conclusion, found.fault) == (Conclusion.INCOMPLETE, ReviewFault.THEIRS)
        assert words in found.failure and words in found.summary
        (summary,) = found.words.comments
        assert summary.is_optional and not found.words.settled


def test_a_repository_without_a_paper_is_no_pass(repository, bare, kit):
    base = repository({"README.md": "x"})
    found = review_structure(bare, subject(base, base), kit(), ALL)
    assert (found.conclusion, found.fault) == (Conclusion.INCOMPLETE, ReviewFault.THEIRS)
    assert "no LaTeX file" in found.summary
    assert found.is_absent


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"main.tex": PAPER, "README.md": "x"}, {"README.md": "x"}),
        ({"pf.toml": "", "README.md": "x"}, {"README.md": "x"}),
        ({"README.md": "x"}, {"README.md": "x", "pf.toml": ""}),
        ({"README.md": "x"}, {"README.md": "x", "main.tex": PAPER}),
    ],
)
def test_a_paper_that_one_side_has_or_that_somebody_expects_is_not_absent(
    repository, bare, kit, before, after
):
    base, head = repository(before), repository(after)
    assert not review_structure(bare, subject(base, head), kit(), ALL).is_absent


def test_a_paper_reads_nothing_beside_its_commit(commits, bare, kit, tmp_path):
    (tmp_path / "secret.tex").write_text(LEMMA % ("s", "The secret", "hush"))
    wide = "".join(
        f"\\input{{{path}}}\n"
        for path in ("../secret", f"{tmp_path}/secret", "../../secret", ".git/config", "link")
    )
    base = commits(A)
    (tmp_path / "paper" / "link.tex").symlink_to(tmp_path / "secret.tex")
    found = review_structure(bare, subject(base, commits(A + wide)), kit(), ALL)
    assert found.papers and "The secret" not in found.text() and "hush" not in found.text()


def test_a_file_that_is_too_large_is_said_and_no_pass(commits, bare, kit):
    base = commits(A, part_tex="p")
    head = commits(A, part_tex="p" * 5_000)
    small = FolderLimits(file_bytes=2_000)
    diff = Diff({"part.tex": ((1, 1),)})
    found = review_structure(bare, subject(base, head), kit(limits=small), diff)
    assert found.conclusion is Conclusion.INCOMPLETE
    assert found.title == "Not everything could be reviewed"
    assert "part.tex was not read: larger" in found.notes[0]
    later = commits(A.replace("Clear.", "Plain."), part_tex="p" * 5_000)
    other = review_structure(bare, subject(head, later), kit(limits=small), ALL)
    assert other.conclusion is not Conclusion.INCOMPLETE


def test_of_private_findings_only_counts_are_said(commits, bare, kit):
    base = commits(A, pf_toml='publish = "private"\n')
    head = commits(A + LEMMA % ("b", "B", r"By \ref{gone}."), pf_toml="")
    found = review_structure(bare, subject(base, head), kit(), ALL)
    assert found.is_private and found.conclusion is Conclusion.BLOCKING
    assert found.summary.startswith(f"### pf-verify: {found.title}\n")
    assert "gone" not in found.summary and "gone" not in found.words.comments[0].body
    assert "gone" in found.check


def test_the_page_of_private_proofs_is_headed_as_its_check(commits, bare, kit):
    base = commits(A + B, pf_toml='publish = "private"\n[app]\nrequired = true\n')
    change = subject(base, commits(WEAK + B + DANGLING.replace("{b}", "{c}")))
    found = review_proofs(bare, change, kit(objecting("and symmetry", OBJECTION)), ALL)
    assert found.title == "1 finding in proofs, 1 blocking"
    assert found.summary.startswith(f"### pf-verify: {found.title}\n")


def test_why_a_private_paper_could_not_be_reviewed_is_for_the_pages(commits, bare, kit):
    base = commits(A, pf_toml='publish = "private"\n')
    found = review_proofs(bare, subject(base, base), kit(), ALL)
    assert "no model" not in found.summary and "pages" in found.summary
    assert "no model" in found.failure


def test_a_repository_opts_in_to_being_stopped(commits, bare, kit):
    base = commits(A, pf_toml="[app]\nrequired = true\n")
    found = review_structure(bare, subject(base, base), kit(), ALL)
    assert found.is_required


def test_a_statement_without_a_proof_is_nothing_for_a_reader(commits, bare, kit):
    base = commits(A)
    head = commits(A + "\\begin{lemma}\\label{c} C.\\end{lemma}\n")
    found = review_structure(bare, subject(base, head), kit(), ALL)
    assert [item.module for item in found.reached] == ["c"] and not found.is_touched


def test_several_papers_are_reviewed_each_by_itself(repository, document, bare, kit):
    base = repository({"one.tex": document(A), "two/two.tex": document(B)})
    head = repository({"one.tex": document(WEAK), "two/two.tex": document(B + A)})
    found = review_structure(bare, subject(base, head), kit(), ALL)
    assert [item.root for item in found.papers] == ["one.tex", "two/two.tex"]
    assert {item.paper for item in found.reached} == {item.name for item in found.papers}


def test_a_dismissal_by_command_answers_a_finding_of_a_check(commits, bare, kit):
    base, head = commits(A), commits(A + LEMMA % ("b", "B", r"By \ref{gone}."))
    (name,) = [
        item.id
        for item in review_structure(bare, subject(base, head), kit(), ALL).objections
        if item.is_blocking
    ]
    answer = asking(name, "in part two")
    found = review_structure(bare, subject(base, head, answers=(answer,)), kit(), ALL)
    assert found.conclusion is Conclusion.STRUCTURE
    assert found.words.answered[name] == "in part two (ada)"


def test_a_run_ends_asking_when_it_is_over(commits, bare, kit):
    base, head = commits(A), commits(A.replace("Clear.", "So it is.") + B)
    used: list[ReaderUsage] = []
    terms = SpendingTerms(note=used.append, is_over=lambda: True)
    llm = ScriptedLlm(ACCEPT)
    own = kit(llm)
    found = review_proofs(bare, subject(base, head), own, ALL, terms)
    assert not found.is_read and found.conclusion is Conclusion.INCOMPLETE
    assert used and len(found.reached) == 2


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        (SpendingTerms(today=lambda: 5.0), "$5.00 for this day"),
        (SpendingTerms(left=lambda: 0.01), "$0.01 left for this month"),
        (SpendingTerms(spent=2.0), "$2.00 for this run"),
    ],
)
def test_every_purse_can_be_empty(commits, bare, kit, terms, words):
    base, head = commits(A), commits(A.replace("Clear.", "So."))
    llm = ScriptedLlm(ACCEPT)
    found = review_proofs(bare, subject(base, head), kit(llm, price=10), ALL, terms)
    assert llm.requests == [] and words in found.reached[0].unread
    assert found.conclusion is Conclusion.INCOMPLETE


def test_a_recheck_reads_the_module_of_a_finding_again(commits, bare, kit):
    base, head = commits(A), commits(A.replace("Clear.", "Dividing by $x$."))
    own = kit(objecting("Dividing by $x$"))
    first = review_proofs(bare, subject(base, head), own, ALL)
    (name,) = [item.id for item in first.objections]
    calm = kit(ScriptedLlm(ACCEPT))
    again = review_proofs(bare, subject(base, head, anew=(name,)), calm, ALL)
    assert again.conclusion is Conclusion.CLEAN and again.cost.calls == 3
    gone = review_proofs(bare, subject(base, head, anew=(name,)), calm, ALL)
    assert gone.conclusion is Conclusion.CLEAN and gone.cost.calls == 0


def test_several_findings_are_read_again_at_once(commits, bare, kit):
    both = "Dividing by $x$."
    other = LEMMA % ("c", "C", both)
    base, head = commits(A), commits(A.replace("Clear.", both) + other + B)
    first = review_proofs(bare, subject(base, head), kit(objecting(both)), ALL)
    names = {item.id: item.module for item in first.objections}
    assert set(names.values()) == {"a", "c"}
    calm = kit(ScriptedLlm(ACCEPT))
    again = review_proofs(bare, subject(base, head, anew=tuple(names)), calm, ALL)
    assert again.conclusion is Conclusion.CLEAN and again.cost.calls == 6


def test_a_recheck_that_was_cut_short_goes_on(commits, bare, kit):
    base, head = commits(A), commits(A.replace("Clear.", "Dividing by $x$."))
    change = subject(base, head)
    first = review_proofs(bare, change, kit(objecting("Dividing by $x$")), ALL)
    (name,) = [item.id for item in first.objections]
    calm = ScriptedLlm(ACCEPT)
    used: list[ReaderUsage] = []
    terms = SpendingTerms(note=used.append, is_over=lambda: len(used) >= 1)
    again = replace(change, anew=(name,))
    own = kit(calm)
    slow = replace(own, choice=replace(own.choice, rates=AccountLimits(in_flight=1)))
    review_proofs(bare, again, slow, ALL, terms)
    assert 0 < len(calm.requests) < 3
    found = review_proofs(bare, again, kit(calm), ALL)
    assert found.conclusion is Conclusion.CLEAN and len(calm.requests) == 3


def test_without_a_key_it_is_said_and_nothing_is_asked(commits, bare, kit):
    base, head = commits(A), commits(A.replace("Clear.", "So."))
    own = replace(kit(ScriptedLlm(ACCEPT)), choice=choose("gpt-5.4-mini", {}), who=server)
    found = review_proofs(bare, subject(base, head), own, ALL)
    assert (found.conclusion, found.fault) == (Conclusion.INCOMPLETE, ReviewFault.OURS)
    assert "OPENAI_API_KEY is not set" in found.failure
    unknown = replace(own, choice=choose("a-model", {}))
    assert (
        "no price is known for a-model"
        in review_proofs(bare, subject(base, head), unknown, ALL).failure
    )


def test_a_change_that_touches_no_paper_passes_beside_one_that_cannot_be_read(commits, bare, kit):
    broken = {"pf_toml": "[[paper\n"}
    base, head = commits(A, README_md="One.", **broken), commits(A, README_md="Two.", **broken)
    found = review_structure(bare, subject(base, head), kit(), ALL)
    assert (found.conclusion, found.title, found.failure) == (Conclusion.STRUCTURE, APART, "")
    assert (found.words.comments, found.words.settled, found.is_touched) == ((), frozenset(), False)
    touched = review_structure(bare, subject(base, commits(B, **broken)), kit(), ALL)
    assert touched.conclusion is Conclusion.INCOMPLETE and touched.failure


def test_what_may_be_over_the_next_time_is_raised(commits, bare, kit, tmp_path):
    base = commits(A)
    gone = replace(bare, git_dir=tmp_path / "gone", common_dir=tmp_path / "gone")
    for half in (review_structure, review_proofs):
        for place, head in [(gone, base), (bare, "b" * 40)]:
            with pytest.raises(GitError):
                half(place, subject(base, head), kit(ScriptedLlm(ACCEPT)), ALL)


def test_a_store_that_does_not_answer_is_raised(commits, bare, kit):
    class Silent:
        def get(self, key):
            raise StoreError("the database is locked")

    base, head = commits(A), commits(WEAK)
    own = replace(kit(ScriptedLlm(ACCEPT)), store=Silent())
    with pytest.raises(StoreError):
        review_proofs(bare, subject(base, head), own, ALL)


def test_nobody_is_asked_while_no_reply_could_be_kept(commits, bare, kit):
    base, head = commits(A), commits(WEAK)
    llm = ScriptedLlm(ACCEPT)
    own = kit(llm)

    def full() -> None:
        raise StoreError("no space left")

    own.store.require_writable = full
    with pytest.raises(StoreError):
        review_proofs(bare, subject(base, head), own, ALL)
    assert not llm.requests


TOLD = "\n\\section{Cakes}\nLet $Q_j$ be the $j$-th layer of the cake.\n"
WANTS = (
    "<objections></objections><missing><wanted>$Q_j$</wanted></missing>\n"
    '```json\n{"verdict": "open"}\n```'
)


def wanting(request):
    """Everything is right, but of the first lemma one has to know what a layer is."""
    is_first = "Every A is positive" in request.text.rpartition("begin: To be checked")[2]
    return WANTS if is_first and "layer of the" not in request.text else ACCEPT


def test_a_change_of_what_a_reader_was_told_reopens_the_module_and_no_other_does(
    commits, bare, kit
):
    once = "[reading]\nrollouts = 1\n"
    before, base = commits(B, pf_toml=once), commits(A + B + TOLD, pf_toml=once)
    llm = ScriptedLlm(wanting)
    own = kit(llm)
    first = review_proofs(bare, subject(before, base), own, ALL)
    assert first.statuses["a"] is Status.CHECKED
    (told,) = [item.text for item in llm.requests if "Supplied on request" in item.text]
    assert "layer of the cake" in told
    count = len(llm.requests)
    head = commits(A + B + TOLD.replace("{Cakes}", "{More cakes}"), pf_toml=once)
    found = review_proofs(bare, subject(base, head), own, ALL)
    assert found.is_quiet and len(llm.requests) == count
    head = commits(A + B + TOLD.replace("cake.", "onion."), pf_toml=once)
    found = review_proofs(bare, subject(base, head), own, ALL)
    assert found.statuses["a"] is Status.CHECKED
    (again,) = llm.requests[count:]
    assert "layer of the onion" in again.text


def test_what_a_reader_wants_and_the_paper_does_not_say_is_no_pass(commits, bare, kit):
    base = commits(B)
    found = review_proofs(bare, subject(base, commits(A + B)), kit(ScriptedLlm(wanting)), ALL)
    assert found.statuses["a"] is Status.UNREACHED
    assert (found.is_read, found.is_quiet) == (False, False)
    assert "lacks $Q_j$" in found.unreached["a"]


def test_what_was_replied_before_is_known_without_asking(commits, bare, kit):
    base, head = commits(A), commits(A.replace("Clear.", "Dividing by $x$."))
    own = kit(objecting("Dividing by $x$"))
    review_proofs(bare, subject(base, head), own, ALL)
    assert len(review_from_replies(bare, subject(base, head), own).papers[0].objections) == 1
    assert review_keyless(bare, subject(base, head), own).papers[0].objections == ()
