"""What is said on a pull request: each finding once, where it can best be read, and never more."""

import re
from dataclasses import replace

import pytest

from bot.domain import comment
from bot.domain.comment import CommentCaps, CommentKind, Diff, ObjectionSource
from bot.domain.reconcile import Existing, reconcile
from bot.publishing.pull_comments import compose
from bot.publishing.summary import SummaryOptions
from pfcore.domain.values import Severity
from pfcore.reporters.formats.publication import Conclusion, publication

HEAD = "a" * 40
LEMMA = "\\begin{lemma}[%s]\\label{%s} A%s.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"
BOUND = LEMMA % ("A bound of $x<y$", "a", "", "By\n\\ref{gone-a}.")
SUM = LEMMA % ("A sum", "b", "b", r"By \ref{gone-b}.")
SOUND = LEMMA % ("A bound", "a", "", "P.")
ALL = Diff({"main.tex": ((1, 99),)})
NOTHING = Diff({})


@pytest.fixture
def said(reviewed, document):
    """What is said of an article, or of files."""

    def run(files, diff=ALL, caps=None, *, status=1, is_private=False, change=None, before=None):
        made = files if isinstance(files, dict) else {"main.tex": document(files)}
        then = {"main.tex": document(before)} if before is not None else None
        report = reviewed(made, then)
        for paper in report.papers:
            if change is not None:
                vars(paper)["findings"] = tuple(change(item) for item in paper.findings)
        shown = publication(report, head=HEAD, status=status, is_private=is_private, ledgers={})
        return compose(report, shown, diff, caps or CommentCaps())

    return run


def of(words, kind):
    return [item for item in words.comments if item.kind is kind]


def summary(words):
    (found,) = of(words, CommentKind.SUMMARY)
    return found


def test_a_finding_on_shown_lines_stands_beside_them(said):
    (found,) = of(said(BOUND), CommentKind.INLINE)
    assert (found.path, found.start_line) == ("main.tex", None)
    assert "$`x<y`$" in found.body and f"/pf dismiss {found.key} …" in found.body


def test_what_stands_beside_its_line_is_not_said_again(said):
    words = said(BOUND + SUM)
    assert len(of(words, CommentKind.INLINE)) == 2 and words.annotations == ()
    text = summary(words).body
    assert "2 comments on the changed" in text and "Wrong?" not in text
    assert all(item.key not in text for item in of(words, CommentKind.INLINE))


def test_a_finding_of_several_lines_names_the_first_only_where_it_is_another(said):
    def long(item):
        return replace(item, location=item.location._replace(line=8, end_line=12, end_column=1))

    (found,) = of(said(BOUND, change=long), CommentKind.INLINE)
    assert (found.start_line, found.line) == (8, 11)
    (found,) = of(said(BOUND, Diff({"main.tex": ((11, 20),)}), change=long), CommentKind.INLINE)
    assert (found.start_line, found.line) == (None, 11)


def test_off_the_lines_of_the_diff_it_is_an_annotation_and_no_comment_on_the_file(said):
    words = said(BOUND, Diff({"main.tex": ((1, 2),)}))
    assert [item.kind for item in words.comments] == [CommentKind.SUMMARY]
    assert len(words.annotations) == 1


def test_the_gravest_come_first_and_ten_at_most_stand_beside_their_lines(said):
    body = "".join(LEMMA % (f"R {n}", f"l{n}", n, rf"By \ref{{gone{n}:x}}.") for n in range(30))

    def weak(item):
        number = int("".join(sign for sign in item.message if sign.isdigit())[:2] or 0)
        return item if number >= 20 else replace(item, severity=Severity.WARNING)

    words = said(body, change=weak)
    beside = of(words, CommentKind.INLINE)
    assert len(beside) == 10
    assert all(f"gone{n}" in item.body for n, item in zip(range(20, 30), beside, strict=True))


def test_what_breaks_the_text_comes_first_and_no_rule_takes_all_places(said):
    """Fourteen references that lead nowhere say less than a conflict that hides a theorem."""
    body = "".join(LEMMA % (f"R {n}", f"l{n}", n, rf"By \ref{{gone{n}:x}}.") for n in range(14))
    body += (
        LEMMA % ("T", "l0", "t", r"By \ref{l0}.") + "<<<<<<< ours\nA\n=======\nB\n>>>>>>> theirs\n"
    )
    body += "\\begin{lemma}\\label{open} Never closed.\n"
    beside = [
        item.body for item in of(said(body, Diff({"main.tex": ((1, 999),)})), CommentKind.INLINE)
    ]
    assert len(beside) == 10 and "merge-conflict" in beside[0]
    assert any("unbalanced-environment" in text for text in beside[:3])
    places = [n for n, text in enumerate(beside) if "duplicate-label" in text]
    assert places and places[0] < 5


def test_what_stands_on_changed_lines_is_not_said_to_be_outside_of_them(said):
    body = "".join(LEMMA % (f"R {n}", f"l{n}", n, rf"By \ref{{gone{n}:x}}.") for n in range(14))
    text = summary(said(body)).body
    assert "More findings on the changed lines:" in text and "Outside the diff" not in text


def test_all_findings_of_a_file_are_counted_also_those_that_are_not_shown(said):
    proof = " ".join(rf"\ref{{gone{n}:x}}" for n in range(130))
    text = summary(said(LEMMA % ("R", "l", "", proof))).body
    assert text.startswith("### pf-verify: 130 findings, 130 blocking")


def test_what_does_not_fit_is_listed_by_result_and_no_result_twice(said):
    proof = " ".join(rf"By \ref{{gone{n}:x}}." for n in range(40))
    words = said((LEMMA % ("R", "l", "", proof)) + SUM, NOTHING)
    text = summary(words).body
    assert "(and 39 more findings)" in text
    listed = text.partition("Outside the diff")[2].partition("<details>")[0]
    assert len([line for line in listed.split("\n") if line.startswith("- ")]) == 2


def test_what_is_listed_names_its_result_once_and_its_place_behind_its_words(said):
    before = LEMMA % ("A bound", "a", "", "P.") + LEMMA % ("A sum", "b", "b", r"By \ref{a}.")
    text = summary(said(before.replace(" A.", " B."), NOTHING, before=before)).body
    (line,) = [it for it in text.split("\n") if it.startswith("- ")]
    words = r"- Lemma 1 \(A bound\) now says something else; the proof of .* was not touched"
    assert re.fullmatch(rf"{words} · `[a-z2-7]{{8}}` · <code>main\.tex:\d+:\d+</code>", line)


def test_in_a_file_that_did_not_change_it_is_an_annotation_with_a_sentence(said):
    words = said(BOUND, NOTHING)
    (note,) = words.annotations
    assert (note.path, note.level, note.end_line - note.start_line) == ("main.tex", "failure", 0)
    assert "gone-a" in note.message and "gone" in summary(words).body
    assert len(words.comments) == 1


def test_beyond_its_caps_it_goes_on_to_the_next_place(said):
    body = "".join(LEMMA % (f"R {n}", f"l{n}", n, rf"By \ref{{gone{n}:x}}.") for n in range(5))
    words = said(body, caps=CommentCaps(inline=1, annotations=1))
    assert [len(of(words, kind)) for kind in CommentKind] == [1, 0, 1, 0]
    assert len(words.annotations) == 1
    text = summary(words).body
    assert text.count("Wrong?") == 3 and "5 findings" in text


def test_of_very_many_findings_fifty_are_annotations_the_gravest_first(said, document):
    """More than GitHub takes in one request; the summary counts the others."""

    def weak(item):
        is_first = item.location.path == "a.tex"
        return replace(item, severity=Severity.WARNING if is_first else item.severity)

    parts = {
        f"{name}.tex": "".join(
            LEMMA % (f"R {n}", f"{name}{n}", n, rf"By \ref{{{name}gone{n}:x}}.") for n in range(25)
        )
        for name in "abc"
    }
    body = "".join(f"\\input{{{name}}}\n" for name in parts)
    words = said({"main.tex": document(body), **parts}, NOTHING, change=weak)
    levels = [item.level for item in words.annotations]
    assert levels == ["failure"] * 50
    assert "75 findings" in summary(words).body


def test_a_review_never_has_more_comments_than_github_takes():
    with pytest.raises(ValueError, match="30"):
        CommentCaps(inline=31)


def test_private_findings_are_numbers_and_nothing_else(said):
    words = said(BOUND, is_private=True)
    (only,) = words.comments
    assert only.kind is CommentKind.SUMMARY and words.annotations == ()
    assert "1 finding" in only.body and "gone" not in only.body and "bound" not in only.body


def test_private_numbers_say_no_more_of_what_blocks_than_the_checks_do(reviewed, document):
    report = reviewed({"main.tex": document(BOUND)}, None)
    made = publication(report, head=HEAD, status=1, is_private=True, ledgers={})
    words = compose(report, made, ALL, CommentCaps(), SummaryOptions(heading="1 finding"))
    assert summary(words).body.startswith("### pf-verify: 1 finding\n")


def test_of_many_results_most_have_to_be_unfolded(said):
    many = "".join(SUM.replace("{b}", f"{{b{n}}}").replace("gone", f"gone{n}") for n in range(40))
    text = summary(said(many, NOTHING, before=SOUND)).body
    shown, *folded = text.split("<details>")
    assert len(re.findall(r"^\| . \| ", shown, re.MULTILINE)) == 10
    assert "<summary>30 more results</summary>" in folded[0] and "… and 15 more." in folded[0]
    assert sum(part.count("</details>") for part in folded) == len(folded) > 1
    assert [len(re.findall("^- Lemma", part, re.MULTILINE)) for part in folded] == [10, 15]


def test_an_id_beside_a_status_is_not_taken_for_what_the_status_is_about(said):
    words = said(BOUND, NOTHING, before=SOUND)
    (key,) = [item for item in words.open if f"<code>{item}</code> |" in summary(words).body]
    assert f"| not read yet; open: <code>{key}</code> |" in summary(words).body


def test_with_nothing_to_say_the_summary_is_optional(said):
    words = said(SOUND, status=0)
    assert summary(words).is_optional and len(words.comments) == 1
    assert not summary(said(BOUND)).is_optional
    assert not summary(said(SOUND, status=3)).is_optional


def test_what_is_older_or_answered_is_not_told_and_not_forgotten(said):
    old = said(BOUND, change=lambda item: replace(item, introduced=False))
    assert of(old, CommentKind.INLINE) == [] and len(old.open) == 1
    done = said(BOUND, change=lambda item: replace(item, dismissed="we know"))
    assert of(done, CommentKind.INLINE) == [] and not done.open
    assert list(done.answered.values()) == ["we know"]


def test_only_a_complete_reading_settles_what_readers_said(reviewed, document):
    report = reviewed({"main.tex": document(BOUND)})
    made = publication(report, head=HEAD, status=1, is_private=False, ledgers={})
    for is_read, conclusion, settled in [
        (False, Conclusion.BLOCKING, {ObjectionSource.CHECK}),
        (False, Conclusion.STRUCTURE, {ObjectionSource.CHECK}),
        (True, Conclusion.INCOMPLETE, {ObjectionSource.CHECK}),
        (True, Conclusion.FINDINGS, set(ObjectionSource)),
        (True, Conclusion.CLEAN, set(ObjectionSource)),
    ]:
        shown = made.model_copy(update={"is_read": is_read, "conclusion": conclusion})
        assert compose(report, shown, ALL, CommentCaps()).settled == settled


def test_who_objects_is_kept_in_the_mark(reviewed, document):
    report = reviewed({"main.tex": document(BOUND)})
    (paper,) = report.papers
    vars(paper)["objections"] = paper.findings
    made = publication(report, head=HEAD, status=1, is_private=False, ledgers={})
    mark = comment.read_mark(compose(report, made, ALL, CommentCaps()).comments[0].body)
    assert mark is not None and mark.source is ObjectionSource.READING


def test_a_paper_that_forges_marks_and_mentions_says_words(said):
    evil = "-->@mallory <!-- pf-verify:finding id=aaaaaaaa --> closes \\#1"
    text = LEMMA % (evil, "a", "", r"By \ref{gone}.")
    for item in said(text).comments:
        assert item.body.count("<!--") == 1 and "@mallory" not in item.body
        mark = comment.read_mark(item.body)
        assert mark is not None and mark.key == item.key


def test_a_very_long_finding_is_cut_to_what_a_comment_holds(said):
    words = said(BOUND, change=lambda item: replace(item, reason="x\n\n" * 50_000))
    assert all(len(item.body) < 65_000 for item in words.comments)
    assert all(comment.read_mark(item.body) for item in words.comments)


def posted(words):
    return [
        Existing(id=number, kind=item.kind, body=item.body, is_ours=True)
        for number, item in enumerate(words.comments)
    ]


def test_a_push_that_mends_one_of_two_ends_that_one_and_edits_the_summary(said):
    first = posted(said(BOUND + SUM))
    changes = reconcile(first, said(SOUND + SUM), head=HEAD)
    assert (changes.create, changes.delete) == ((), ())
    (closed,) = changes.close
    assert "gone-a" in closed.body and "**Resolved** in aaaaaaaaaa." in closed.body
    (edited,) = changes.edit
    assert edited.kind is CommentKind.SUMMARY and "1 finding" in edited.body


def test_lines_that_move_are_no_reason_to_speak(said):
    first = posted(said(BOUND))
    moved = reconcile(first, said("More prose.\n\n" + BOUND), head=HEAD)
    assert not (moved.create or moved.edit or moved.close or moved.delete)


def test_the_same_review_again_says_nothing(said):
    words = said(BOUND + SUM)
    again = reconcile(posted(words), said(BOUND + SUM), head="b" * 40)
    assert not (again.create or again.edit or again.close or again.delete)
