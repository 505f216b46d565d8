"""What one click mends: only where it is certain, and only on a line that the diff shows."""

from dataclasses import replace

import pytest

from bot.domain.comment import CommentCaps, CommentKind, Diff
from bot.publishing.pull_comments import compose
from bot.publishing.suggestions import certain_mend
from pfcore.domain.values import Severity
from pfcore.reporters.formats.publication import Conclusion, publication

OLD = "\\begin{lemma}\\label{old} A.\\end{lemma}\n\\begin{proof} P. \\end{proof}\n"
NEW = OLD.replace("{old}", "{new}")
USE = "\\begin{lemma}\\label{use} B.\\end{lemma}\n\\begin{proof}\n  By %s.\n\\end{proof}\n"
BLUEPRINT = (
    "\\begin{lemma}\\label{b}\\uses{} B.\\end{lemma}\n\\begin{proof} P. \\end{proof}\n"
    "\\begin{lemma}\\label{z}\\uses{} Z.\\end{lemma}\n\\begin{proof} P. \\end{proof}\n"
    "\\begin{lemma}\\label{t}\\uses{%s} T.\\end{lemma}\n"
    "\\begin{proof}%s\n By \\ref{b}%s. \\end{proof}\n"
)


@pytest.fixture
def mends(reviewed, document):
    """The mends of the findings of a rule."""

    def run(now, then=None, rule="dangling-reference"):
        before = {"main.tex": document(then)} if then is not None else None
        made = now if isinstance(now, dict) else {"main.tex": document(now)}
        report = reviewed(made, before)
        (paper,) = report.papers
        found = [item for item in paper.findings if item.rule == rule]
        assert found, "there is such a finding"
        return [mend and mend.text for mend in (certain_mend(item, paper) for item in found)]

    return run


@pytest.mark.parametrize(
    ("said", "mended"),
    [
        (r"\ref{old}", r"\ref{new}"),
        (r"\cref{old}", r"\cref{new}"),
        (r"\ref{ old }", r"\ref{ new }"),
        (r"\cref{use,old}", r"\cref{use,new}"),
    ],
)
def test_a_reference_to_a_renamed_label_gets_the_new_one(mends, said, mended):
    then = OLD + USE % said
    assert mends(NEW + USE % said, then) == [f"  By {mended}."]


def test_of_two_labels_that_are_undefined_the_renamed_one_has_the_mend(mends):
    use = USE % r"\cref{gone,old}"
    assert sorted(mends(NEW + use, OLD + use), key=str) == [r"  By \cref{gone,new}.", None]


def test_the_words_and_the_mend_name_the_same_label(reviewed, document):
    """A label that looks more alike is not the one that the statement has now."""
    alike = OLD.replace("{old}", "{lem:c}").replace(" A.", " C.")
    then = OLD.replace("{old}", "{lem:a}") + alike + USE % r"\ref{lem:a}"
    now = OLD.replace("{old}", "{lem:first}") + alike + USE % r"\ref{lem:a}"
    report = reviewed({"main.tex": document(now)}, {"main.tex": document(then)})
    shown = publication(report, head="a" * 40, status=1, is_private=False, ledgers={})
    words = compose(report, shown, Diff({"main.tex": ((1, 99),)}), CommentCaps())
    (beside,) = [item.body for item in words.comments if "```suggestion" in item.body]
    assert "lem:first" in beside.partition("```suggestion")[0] and "lem:c" not in beside


@pytest.mark.parametrize(
    ("now", "then"),
    [
        (NEW, None),
        (NEW.replace(" A.", " Almost A."), OLD),
        ("", OLD),
    ],
)
def test_where_it_is_not_certain_what_is_meant_there_is_no_mend(mends, now, then):
    use = USE % r"\ref{old}"
    assert mends(now + use, None if then is None else then + use) == [None]


@pytest.mark.parametrize("end", ["% <!-- x", "% ```", "% \u200b"])
def test_a_line_that_a_comment_would_show_otherwise_has_no_mend(mends, end):
    use = USE % r"\ref{old}"
    use = use.replace("}.\n\\end", f"}}.{end}\n\\end")
    assert mends(NEW + use, OLD + use) == [None]


def test_a_file_with_other_ends_of_lines_has_no_mend(mends, document):
    use = USE % r"\ref{old}"
    raw = document(NEW + use).replace("\n", "\r\n")
    assert mends({"main.tex": raw}, OLD + use) == [None]


@pytest.mark.parametrize(
    ("uses", "proof", "more", "mended"),
    [
        ("z", "\\uses{}", "", "\\begin{proof}\\uses{b}"),
        ("z", "\\uses{z}", "", "\\begin{proof}\\uses{z, b}"),
        ("z", "", "", "\\begin{proof}\n \\uses{b}"),
    ],
)
def test_a_uses_gets_what_it_lacks(mends, uses, proof, more, mended):
    assert mends(BLUEPRINT % (uses, proof, more), rule="uses-drift") == [mended]


def test_a_mend_stands_on_its_line_or_not_at_all(reviewed, document):
    use = USE % r"\ref{old}"
    report = reviewed({"main.tex": document(NEW + use)}, {"main.tex": document(OLD + use)})
    (paper,) = report.papers
    shown = publication(report, head="a" * 40, status=1, is_private=False, ledgers={})
    line = next(item for item in paper.findings if item.rule == "dangling-reference").location.line

    def inline(diff):
        words = compose(report, shown, diff, CommentCaps())
        return [it for it in words.comments if it.kind is CommentKind.INLINE]

    (found,) = inline(Diff({"main.tex": ((line, line),)}))
    assert (found.line, found.start_line) == (line, None)
    assert "```suggestion\n  By \\ref{new}.\n```\n\n<sub>Wrong?" in found.body
    assert all("suggestion" not in item.body for item in inline(Diff({"main.tex": ((1, 2),)})))


def composed(report, caps=None, shown=((1, 99),)):
    made = publication(report, head="a" * 40, status=0, is_private=False, ledgers={})
    return made, compose(report, made, Diff({"main.tex": shown}), caps or CommentCaps())


def offered(words):
    return [it for it in words.comments if "```suggestion" in it.body]


def test_a_note_with_a_certain_mend_is_offered_and_nothing_else_of_notes_is(reviewed, document):
    report = reviewed({"main.tex": document(BLUEPRINT % ("z", "\\uses{}", ""))})
    made, words = composed(report)
    (note,) = offered(words)
    assert "note: uses-drift" in note.body
    assert "```suggestion\n\\begin{proof}\\uses{b}\n```" in note.body
    assert made.is_quiet and made.conclusion is Conclusion.STRUCTURE, "it makes nothing red"
    assert words.annotations == ()
    *_, shown = words.comments
    assert (shown.kind, shown.is_optional) == (CommentKind.SUMMARY, False), "words of one review"
    assert "1 comment on the changed lines." in shown.body


def test_what_is_offered_comes_last_and_within_the_number_of_remarks(reviewed, document):
    wrong = USE % r"\ref{gone}"
    report = reviewed({"main.tex": document(BLUEPRINT % ("z", "\\uses{}", "") + wrong)})
    _, words = composed(report)
    grave, note, _ = words.comments
    assert "dangling-reference" in grave.body and [note] == offered(words)
    _, fewer = composed(report, CommentCaps(inline=1))
    assert [it.key for it in fewer.comments] == [grave.key, "summary"]
    assert note.key in fewer.open, "where it was said before, it is not called resolved"


def test_off_the_lines_of_the_diff_nothing_is_offered(reviewed, document):
    _, words = composed(
        reviewed({"main.tex": document(BLUEPRINT % ("z", "\\uses{}", ""))}), shown=((1, 2),)
    )
    (only,) = words.comments
    assert only.kind is CommentKind.SUMMARY and only.is_optional


def test_a_missing_uses_is_offered_where_the_settings_have_it_told(reviewed, document):
    report = reviewed({"main.tex": document(BLUEPRINT % ("z", "\\uses{}", ""))})
    (paper,) = report.papers
    vars(paper)["findings"] = tuple(
        replace(item, severity=Severity.WARNING) for item in paper.findings
    )
    shown = publication(report, head="a" * 40, status=1, is_private=False, ledgers={})
    words = compose(report, shown, Diff({"main.tex": ((1, 99),)}), CommentCaps())
    assert any("```suggestion\n\\begin{proof}\\uses{b}\n```" in it.body for it in words.comments)
