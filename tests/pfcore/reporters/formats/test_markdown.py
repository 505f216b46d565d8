"""The summary for pull requests."""

import re

from pfcore.reporters.formats import markdown
from tests.pfcore.reporters.conftest import HOSTILE, LEMMA

DANGLING = LEMMA % ("of $x|y$", "a", "A.", r"By \ref{nowhere}.")


def test_a_finding_has_its_result_its_place_and_a_way_out(found):
    text = markdown.check_markdown(found(DANGLING))
    assert text.startswith("### pf-verify: 1 finding, 1 blocking\n")
    assert "**Lemma 1 (of $`x\\vert y`$)** · error: dangling-reference" in text
    assert "main.tex:9:18</code>" in text
    assert "% pf: ignore[" in text
    assert "Only the structure was checked" in text


def test_a_change_is_a_table_of_what_it_affects(found):
    text = markdown.check_markdown(found(DANGLING, DANGLING.replace("By", "Now")))
    assert "| ? | Lemma 1 (of $`x\\vert y`$) | not read yet | proof changed |" in text
    assert "<details><summary>1 finding from before this change</summary>" in text


def test_an_answer_stays_visible(found):
    assert "answered by the authors" in markdown.check_markdown(
        found(DANGLING, dismissed="we know")
    )


def test_nothing_of_a_paper_is_markup(found):
    body = DANGLING.replace("of $x|y$", "Title <b> @user").replace("{a}", "{a|`b}")
    report = found(body, message=HOSTILE, quote=HOSTILE, reason=HOSTILE, name="a`|<b>.tex")
    text = markdown.check_markdown(report)
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert set(re.findall(r"</?[a-z]+", text)) <= {
        "<details", "</details", "<summary", "</summary", "<sub", "</sub", "<code", "</code"
    }  # fmt: skip
    assert "@user" not in text
    assert "](" not in text


def test_a_long_list_is_cut(found):
    text = markdown.check_markdown(
        found("".join(LEMMA % ("t", f"l{n}", "A.", r"\ref{no}") for n in range(99)))
    )
    assert "… and 74 more findings." in text
    assert len(text) < 65_536


def test_what_is_told_elsewhere_is_counted_and_not_repeated(found):
    report = found(DANGLING)
    (item,) = markdown_findings(report)
    text = markdown.check_markdown(report, markdown.Telling(elsewhere=frozenset({item.id})))
    assert "1 finding, 1 blocking" in text and item.id not in text


def test_a_finding_by_itself_names_its_line_only_where_it_stands_elsewhere(found):
    report = found(DANGLING)
    (item,) = markdown_findings(report)
    alone = markdown.finding(item, report.papers[0])
    beside = markdown.Telling(is_beside=True, way="say {id}")
    assert f"`% pf: ignore[{item.id}] …`" in alone and "main" in alone
    told = markdown.finding(item, report.papers[0], beside)
    assert f"Wrong? `say {item.id}`" in told and "main" not in told


def markdown_findings(report):
    return [item for paper in report.papers for item in paper.findings if item.severity != "note"]


ALIKE = "".join(LEMMA % (f"t{n}", f"a{n}", "A.", rf"By \ref{{def:{n}}}.") for n in range(7))


def test_many_of_one_shape_are_told_without_an_answer_that_would_not_count(found):
    text = markdown.check_markdown(found(ALIKE))
    assert "7 references (def:) lead to no label" in text
    assert "Wrong?" not in text
    told = markdown.Telling(way="/pf dismiss {id} …")
    assert "Wrong? `/pf dismiss " in markdown.check_markdown(found(ALIKE), told)
