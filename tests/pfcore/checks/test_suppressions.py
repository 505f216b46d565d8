"""Objections that the authors have answered in the source."""

LEMMA = "\\begin{lemma}\\label{a} A.\n%s\n\\end{lemma}\n"


def _state(report):
    return [(finding.rule, finding.dismissed) for finding in report.findings]


def test_an_ignore_inside_a_result_answers_that_checks_findings_on_it(article):
    report = article(LEMMA % "% pf: ignore[no-proof] it is folklore")
    assert _state(report) == [("no-proof", "it is folklore")]


def test_an_ignore_on_the_line_or_the_line_before_answers(article):
    for text in (
        "\\ref{x} % pf: ignore[dangling-reference] soon",
        "% pf: ignore[dangling-reference] soon\n\\ref{x}",
    ):
        assert _state(article(text)) == [("dangling-reference", "soon")]


def test_an_ignore_of_a_findings_id_answers_wherever_it_stands(article):
    (finding,) = article(LEMMA % "").findings
    report = article(f"% pf: ignore[{finding.id}] known\n\n\n" + LEMMA % "")
    assert _state(report) == [("no-proof", "known")]


def test_an_ignore_elsewhere_does_not_answer_and_is_reported_as_unused(article):
    report = article("% pf: ignore[no-proof] why\n\n\n\n\n" + LEMMA % "")
    assert _state(report) == [("unused-ignore", None), ("no-proof", None)]


def test_an_ignore_without_reason_does_not_count_and_says_so(article):
    report = article(LEMMA % "% pf: ignore[no-proof]")
    assert _state(report) == [("unused-ignore", None), ("no-proof", None)]
    assert "needs a reason" in report.findings[0].message


def test_a_name_that_no_finding_can_have_is_told_whatever_is_unread(article):
    for name, is_told in (("zzzz", True), ("zzzzzzzz", False), ("Zzzzzzz1", True)):
        report = article(f"% pf: ignore[{name}] why\n\n\n\n" + LEMMA % "")
        assert ("unused-ignore" in [item.rule for item in report.findings]) is is_told, name


def test_a_name_that_is_almost_that_of_a_check_is_told(article):
    report = article(r"By \ref{no}. % pf: ignore[dangling-referense] to come")
    (told,) = (item for item in report.findings if item.rule == "unused-ignore")
    assert told.message.endswith("remove it (or did you mean dangling-reference?)")


def test_an_old_unused_ignore_is_not_new(article):
    text = "% pf: ignore[cycle] why\n"
    assert [f.introduced for f in article(text + "More.", text).findings] == [False]
    assert [f.introduced for f in article(text, "Less.").findings] == [True]


def test_no_comment_answers_a_merge_conflict_and_it_is_said_why(article):
    text = "<<<<<<< ours\nA.\n=======\nB.\n>>>>>>> theirs\n"
    for name in ("merge-conflict", article(text).findings[0].id):
        report = article(f"% pf: ignore[{name}] both are right\n" + text)
        found = {item.rule: item for item in report.findings}
        assert found["merge-conflict"].dismissed is None
        assert found["merge-conflict"] in report.blocking
        words = "cannot be dismissed: choose one of the two versions and delete the markers"
        assert found["unused-ignore"].message == f"merge-conflict {words}"
