"""The use case: papers, plan, findings, statuses, and what nothing has read."""

from dataclasses import replace

import pytest

from pfcore.domain.errors import NoPaperError, UsageError
from pfcore.domain.values import Severity, Status
from pfcore.repository.source_files import FolderLimits
from pfcore.review.review import with_answers, without_lesser

LEMMA = r"\begin{lemma}\label{%s} A.\end{lemma}\begin{proof} P.\end{proof}"


def test_nothing_that_was_not_read_is_a_pass(article):
    report = article(LEMMA % "a" + r"\begin{theorem}\label{t} T.\end{theorem}")
    assert set(report.statuses.values()) == {Status.UNREACHED}
    assert [(item.module, item.reason) for item in report.unreached] == [
        ("a", "not read: no model is set"),
        ("t", "without a proof"),
    ]


MARKED = LEMMA.replace(r"\begin{proof}", r"\begin{proof}\leanok")


def test_what_the_authors_proved_formally_is_not_waiting_to_be_read(article):
    body = MARKED % "a" + LEMMA % "b"
    report = article(body, body.replace("P.", "Q."))
    assert report.statuses == {"a": Status.FORMAL, "b": Status.UNREACHED}
    assert [item.module for item in report.unreached] == ["b"]
    assert [(item.id, item.unread) for item in report.plan.affected] == [("a", False), ("b", True)]
    assert article(body).plan.backlog == 1


def test_a_paper_may_be_read_whatever_its_marks_say(reviewed, document):
    body = MARKED % "a"
    files = {"main.tex": document(body), "pf.toml": "[blueprint]\ntrust_leanok = false\n"}
    (report,) = reviewed(files, {"main.tex": document(body.replace("P.", "Q."))}).papers
    assert report.statuses == {"a": Status.UNREACHED}
    assert [(item.id, item.unread) for item in report.plan.affected] == [("a", True)]
    assert reviewed(files).papers[0].plan.backlog == 1


def test_several_papers_are_reviewed_each_by_itself(reviewed, document):
    files = {
        "one/main.tex": document(LEMMA % "a"),
        "two/main.tex": document(LEMMA % "a" + r"\ref{b}"),
    }
    report = reviewed(files)
    assert [(p.state.paper.name, len(p.findings)) for p in report.papers] == [
        ("one/main.tex", 0),
        ("two/main.tex", 1),
    ]


def test_a_paper_whose_root_has_a_new_name_is_compared_with_what_it_was(reviewed, document):
    body = LEMMA % "a" + r"\ref{b}\begin{itemize}"
    longer = body + LEMMA.replace("P", "Q") % "c"
    files = {"new.tex": document(longer), "refs.tex": document(r"\ref{q}")}
    old = {"one.tex": document(body), "cites.tex": document(r"\ref{q}"), "x.tex": document("x")}
    report = reviewed(files, old)
    assert [paper.before.paper.root for paper in report.papers] == ["one.tex", "cites.tex"]
    assert {item.introduced for paper in report.papers for item in paper.findings} == {False}
    assert [item.id for item in report.papers[0].plan.affected] == ["c"]


def test_a_document_that_shared_its_text_is_compared_with_what_it_was(reviewed, document):
    files = {"b.tex": document(r"\input{text}\ref{b}"), "text.tex": LEMMA % "a"}
    then = {**files, "a.tex": document(r"\input{text}")}
    (paper,) = reviewed(files, then).papers
    assert paper.before.paper.root == "b.tex"
    assert [item.introduced for item in paper.findings] == [False]


def test_text_in_another_file_has_the_findings_that_it_had(reviewed, document):
    body = r"\begin{itemize}" + LEMMA % "a" + r"\input{gone}"
    files = {"main.tex": document(r"\input{text}"), "text.tex": body}
    (paper,) = reviewed(files, {"main.tex": document(body)}).papers
    assert {item.rule for item in paper.findings} == {"missing-file", "unbalanced-environment"}
    assert {item.introduced for item in paper.findings} == {False}


def test_slides_and_old_copies_are_listed_and_not_reviewed(reviewed, document):
    files = {
        "main.tex": document(LEMMA % "a"),
        "old/main.tex": document(r"\ref{b}"),
        "talk.tex": r"\documentclass{beamer}\begin{document}\ref{c}\end{document}",
    }
    report = reviewed(files)
    assert [paper.state.paper.name for paper in report.papers] == ["main.tex"]
    assert {item.path: item.reason for item in report.library.asides} == {
        "old/main.tex": "old copy",
        "talk.tex": "slides",
    }


def test_papers_can_be_named_in_the_settings(reviewed, document):
    files = {
        "a.tex": document(LEMMA % "a"),
        "b.tex": document(LEMMA % "b"),
        "pf.toml": '[[paper]]\nname = "second"\nroot = "b.tex"\n',
    }
    assert [paper.state.paper.name for paper in reviewed(files).papers] == ["second"]


def test_a_paper_without_an_earlier_version_has_nothing_affected(article):
    report = article(LEMMA % "a")
    assert (report.plan.affected, report.plan.backlog, report.plan.total) == ((), 1, 1)


def test_affected_and_backlog_add_up(article):
    both = LEMMA % "a" + LEMMA % "b"
    report = article(both.replace("P.", "Q.", 1), both)
    assert [item.id for item in report.plan.affected] == ["a"]
    assert (report.plan.total, report.plan.backlog) == (2, 1)


def test_a_repository_without_latex_is_an_error(reviewed):
    with pytest.raises(NoPaperError, match="no LaTeX file"):
        reviewed({"README.md": "x"})


def test_a_base_without_latex_counts_as_no_base(reviewed, document):
    report = reviewed({"main.tex": document(LEMMA % "a")}, {"README.md": "x"})
    assert report.papers[0].plan.affected == ()


def test_settings_that_were_wrong_are_read_as_they_are_now(reviewed, document):
    paper = {"main.tex": document(LEMMA % "a" + r"\ref{no}")}
    report = reviewed(
        paper | {"pf.toml": '[latex]\nignore = ["old/*"]\n'}, paper | {"pf.toml": "[latxe]\n"}
    ).papers[0]
    assert report.is_change
    assert [(item.rule, item.introduced) for item in report.findings] == [
        ("dangling-reference", False)
    ]


def test_a_base_that_no_settings_fit_counts_as_no_base(reviewed, document):
    settings = {"pf.toml": '[[paper]]\nroot = "main.tex"\n'}
    before = settings | {"other.tex": document("Words.")}
    report = reviewed(settings | {"main.tex": document(LEMMA % "a")}, before).papers[0]
    assert not report.is_change


def test_a_base_in_which_all_is_ignored_counts_as_no_base(reviewed, document):
    before = {"old/a.tex": document("Words."), "pf.toml": '[latex]\nignore = ["old/*"]\n'}
    assert not reviewed({"main.tex": document(LEMMA % "a")}, before).papers[0].is_change


def test_files_without_a_document_are_reviewed_together(reviewed):
    files = {"a.tex": LEMMA % "a", "b.tex": r"\begin{lemma}\label{b} By \ref{a}.\end{lemma}"}
    (paper,) = reviewed(files).papers
    assert set(paper.state.document.modules) == {"a", "b"}


def test_a_name_that_no_paper_has_is_an_error(tmp_path, document):
    from pfcore.papers.parse_cache import MemoryCache, ParseCache
    from pfcore.repository import snapshot
    from pfcore.review.review import review

    (tmp_path / "main.tex").write_text(document("x"))
    with pytest.raises(UsageError, match=r"unknown paper 'nope'. Papers here: main\."):
        review(None, snapshot.from_folder(tmp_path), ParseCache(MemoryCache()), only="nope")


def test_names_of_files_may_be_spelt_with_macros(reviewed, document):
    files = {
        "main.tex": document(
            r"\input{\where/one}", preamble=r"\newcommand{\base}{parts}\newcommand{\where}{parts}"
        ),
        "parts/one.tex": LEMMA % "a",
    }
    (paper,) = reviewed(files).papers
    assert list(paper.state.document.modules) == ["a"]
    assert paper.findings == ()


def test_where_no_file_can_be_read_the_review_is_incomplete(tmp_path, document):
    from pfcore.domain.errors import IncompleteError
    from pfcore.papers.parse_cache import MemoryCache, ParseCache
    from pfcore.repository import snapshot
    from pfcore.review.review import review

    (tmp_path / "main.tex").write_text(document("x" * 2_000))
    small = snapshot.from_folder(tmp_path, limits=FolderLimits(file_bytes=1_000))
    with pytest.raises(IncompleteError, match="no readable LaTeX file here: main"):
        review(None, small, ParseCache(MemoryCache()))


def test_a_file_that_a_macro_spells_and_that_is_not_there_proves_nothing(reviewed, document):
    preamble = r"\newcommand{\piece}[1]{\input{parts/#1}}"
    (paper,) = reviewed({"main.tex": document(r"\piece{one} \ref{x}", preamble=preamble)}).papers
    assert [(f.rule, f.severity.value) for f in paper.findings] == [("dangling-reference", "note")]


DRAFT = r"\begin{theorem}\label{t} T.\end{theorem} \ref{no}"


def _grave(report):
    found = without_lesser(report, Severity.WARNING).papers[0].findings
    return [(item.rule, item.introduced) for item in found]


def test_lesser_findings_can_be_spared(reviewed, document):
    files, before = {"main.tex": document(DRAFT)}, {"main.tex": document("Words.")}
    assert _grave(reviewed(files)) == [("dangling-reference", None)]
    assert _grave(reviewed(files, before)) == [("dangling-reference", True)]
    assert _grave(reviewed(files, files)) == [("dangling-reference", False)]


def test_lesser_findings_are_not_spared_where_the_threshold_wants_them(reviewed, document):
    files = {"main.tex": document(DRAFT), "pf.toml": '[checks]\nthreshold = "note"\n'}
    assert _grave(reviewed(files)) == [("dangling-reference", None), ("no-proof", None)]


def test_lesser_findings_are_not_spared_where_somebody_answers_them(reviewed, document):
    body = DRAFT.replace("T.", "T. % pf: ignore[no-proof] in the next draft\n")
    report = without_lesser(reviewed({"main.tex": document(body)}), Severity.WARNING)
    assert {item.rule for item in report.papers[0].findings} == {"dangling-reference", "no-proof"}


def test_an_answer_from_elsewhere_covers_a_finding_of_a_check_by_its_id(reviewed, document):
    report = reviewed({"main.tex": document(r"\begin{lemma} A.\end{lemma} By \ref{gone}.")})
    (name,) = {item.id for item in report.papers[0].findings if "gone" in item.message}
    (paper,) = with_answers(report, {name: "it is in part two", "aaaaaaaa": "no"}).papers
    assert [item.dismissed for item in paper.findings if item.id == name] == ["it is in part two"]
    assert not [item for item in paper.findings if item.id != name and item.dismissed]


def test_of_many_papers_an_error_names_those_near_by_and_counts_the_rest(tmp_path, document):
    from pfcore.papers.parse_cache import MemoryCache, ParseCache
    from pfcore.repository import snapshot
    from pfcore.review.review import Where, review

    for number in range(9):
        (tmp_path / f"part{number}").mkdir()
        (tmp_path / f"part{number}" / "main.tex").write_text(document(LEMMA % f"x{number}"))
    (tmp_path / "part7" / "odd.tex").write_text("Words.")
    moment, cache = snapshot.from_folder(tmp_path), ParseCache(MemoryCache())
    few = r"papers: part7/main\.tex, part0/main\.tex, part1/main\.tex and 6 more\)"
    with pytest.raises(UsageError, match=f"part7/odd.tex does not belong to a paper.*{few}"):
        review(None, moment, cache, where=Where(folder="part7/odd.tex", is_named=True))
    with pytest.raises(UsageError, match=r"Papers here: part0.*part2/main\.tex and 6 more\."):
        review(None, moment, cache, only="nope")


def test_what_refers_to_nothing_is_told_without_a_look_at_the_base(article):
    body = LEMMA % "a" + r"\ref{lost}"
    paper = article(body, body.replace("P.", "Q."))
    (found,) = paper.lost
    assert (found.subject, found.introduced) == ("lost main.tex", None)
    assert replace(paper, is_guarded=True).lost[0].introduced is False
    known = replace(paper)
    assert known.findings[0].introduced is False
    assert known.lost == known.findings
    many = "".join(rf"\ref{{l{number}:x}} " for number in range(120))
    crowded = article(body + many, body)
    assert {item.introduced for item in crowded.lost} == {True, False}


def test_answers_for_results_are_looked_for_where_there_are_any_by_the_one_check(article):
    body = r"\begin{theorem}\label{t} T.\end{theorem}"
    answered = "% pf: ignore[no-proof] It is folklore.\n" + body
    for text, found in ((body, frozenset()), (answered, frozenset({"t"}))):
        paper = article(text)
        assert paper.answered_for == found
        assert "findings" not in vars(paper)
        known = article(text)
        assert known.findings
        assert known.answered_for == found
