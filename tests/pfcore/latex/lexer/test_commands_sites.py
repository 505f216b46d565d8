"""Where a text may declare, define, read in or set something."""

import re

from pfcore.latex.lexer.commands import INPUTS, matches, sites
from pfcore.latex.project.declaring_macros import DECLARERS, DEFINERS

_MORE = """usepackage RequirePackage documentclass LoadClass externaldocument zexternaldocument
    Opensolutionfile
    newif setboolean booltrue toggletrue global chardef mathchardef DeclarePairedDelimiter
    newaliascnt NewTcbTheorem DeclareTColorBoxTheorem NewDocumentEnvironment loadglsentries"""


def test_each_command_that_a_survey_looks_for_is_a_site() -> None:
    names = sorted(DECLARERS | DEFINERS | INPUTS | {*_MORE.split()})
    found = {name: sites(rf"a \\ b \\\{name}{{c}} \{name}") for name in names}
    assert found == {name: [9, 14 + len(name)] for name in names}


def test_the_begin_of_the_document_is_a_site_and_no_other_begin_is_one() -> None:
    assert sites(r"\begin{lemma}\begin {document}\end{document}") == [13]


def test_what_begins_inside_of_a_match_is_no_match_of_its_own() -> None:
    text = r"\def\let \let \def\let"
    pattern = re.compile(r"\\(?:def\\let|let)")
    found = [match.start() for match in matches(pattern, text)]
    assert found == [match.start() for match in pattern.finditer(text)] == [0, 9, 14]
    assert [match.start() for match in matches(pattern, text, [9, 14])] == [9, 14]
