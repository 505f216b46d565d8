"""Findings as workflow commands."""

import re

from pfcore.reporters.formats.publication import annotations, command, notice
from tests.pfcore.reporters.conftest import LEMMA

DANGLING = LEMMA % ("of $x|y$", "a", "A.", r"By \ref{nowhere}.")


def test_a_finding_stands_beside_its_line(found):
    (line,) = annotations(found(DANGLING))
    assert re.fullmatch(
        r"::error file=main\.tex,line=9,endLine=9,"
        r"title=Lemma 1 \(of \$x\|y\$\)%3A dangling-reference \[\w{8}\],"
        r"col=18,endColumn=31::.*nowhere.*",
        line,
    )


def test_no_sign_of_a_value_ends_it():
    text = command("error", "100%\r\n::set-output name=a::b", file="a,b:c%\n.tex", title="t")
    assert text == ("::error file=a%2Cb%3Ac%25%0A.tex,title=t::100%25 ::set-output name=a::b")
    assert notice("well\u202e") == "::notice title=pf-verify::well"


def test_what_is_hostile_stays_on_its_line(found):
    report = found(
        DANGLING,
        name="a,line=1::b%0A##[set-output].tex",
        message="x\n::set-output name=private::false\n::add-mask::a",
    )
    (line,) = annotations(report)
    assert line.count("\n") == 0
    assert line.startswith("::error file=a%2Cline=1%3A%3Ab%250A##[set-output].tex,line=9,")


def test_older_findings_answers_and_notes_are_no_annotations(found):
    assert list(annotations(found(DANGLING, introduced=False))) == []
    assert list(annotations(found(DANGLING, dismissed="we know"))) == []
    assert list(annotations(found(LEMMA.split("\\begin{proof}")[0] % ("t", "a", "A.")))) == []


def test_ten_of_a_level_are_shown_and_the_others_counted(found):
    report = found("".join(LEMMA % ("t", f"l{n}", "A.", r"\ref{no}") for n in range(12)))
    *shown, last = annotations(report)
    assert len(shown) == 10
    assert last == "::notice title=pf-verify::2 more findings are in the summary of this job"
