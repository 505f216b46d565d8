"""Answers of the ledger to findings of checks: which are meant, which are refused, how long."""

from dataclasses import replace

import pytest

from pfcore.checks.registry import ALL
from pfcore.domain.errors import UsageError
from pfcore.review.bulk_answers import (
    REFUSED,
    BulkScope,
    answers_in_force,
    bulk_dismissals,
    is_bulk,
    require_bulk,
)
from pfcore.review.review import every_finding
from tests.conftest import article_text

KNOWN = {check.id for check in ALL}
OPEN = "\\begin{lemma}\\label{%s} %s.\\end{lemma}\n"
FILES = {
    "main.tex": article_text(
        "\\section{One}\n"
        + OPEN % ("a", "A")
        + "\\subsection{Inner}\n"
        + OPEN % ("b", "B")
        + "\\section{Two}\n\\input{sec/c}\nBy \\ref{gone}.\n"
    ),
    "sec/c.tex": OPEN % ("c", "C") + "\\subsection{Deep}\n" + OPEN % ("d", "D"),
}


@pytest.fixture
def meant(reviewed):
    """The modules, or the rules where there is none, that a scope answers."""

    def run(*rules, **scope):
        paper = reviewed(FILES).papers[0]
        found = bulk_dismissals(
            paper.state,
            every_finding(paper),
            BulkScope(rules=rules or ("no-proof",), **scope),
            reason="as is known",
            who=None,
        )
        return sorted(item.ground.module or item.rule for item in found)

    return run


def test_every_refused_rule_is_a_check():
    assert REFUSED.keys() <= KNOWN
    assert is_bulk("no-proof")


@pytest.mark.parametrize(
    ("scope", "modules"),
    [
        ({}, ["a", "b", "c", "d"]),
        ({"file": "sec/c.tex"}, ["c", "d"]),
        ({"file": "c.tex"}, ["c", "d"]),
        ({"file": "./main.tex"}, ["a", "b"]),
        ({"section": "One"}, ["a", "b"]),
        ({"section": "  inner "}, ["b"]),
        ({"section": "Two"}, ["c", "d"]),
        ({"section": "Deep"}, ["d"]),
        ({"section": "Two", "file": "main.tex"}, []),
    ],
)
def test_a_scope_is_a_check_a_file_or_a_section(meant, scope, modules):
    assert meant(**scope) == modules


def test_several_checks_are_answered_together_also_what_is_in_no_module(meant):
    assert meant("no-proof", "dangling-reference")[-1] == "dangling-reference"


@pytest.mark.parametrize("rule", sorted(REFUSED))
def test_what_may_not_be_waved_through_is_refused_with_its_reason(rule):
    with pytest.raises(UsageError, match=f"{rule} cannot be (?:answered in bulk|dismissed): "):
        require_bulk(BulkScope(rules=("no-proof", rule)), KNOWN)


def test_a_check_that_does_not_exist_is_named():
    with pytest.raises(
        UsageError, match=r"unknown check 'gap'; checks that can be answered in bulk: .* no-proof"
    ):
        require_bulk(BulkScope(rules=("gap",)), KNOWN)


def test_an_answer_counts_while_the_statement_is_the_same(reviewed):
    paper = reviewed(FILES).papers[0]
    scope = BulkScope(rules=("no-proof",))
    made = bulk_dismissals(paper.state, every_finding(paper), scope, reason="known", who="Ada")
    assert set(answers_in_force(paper.state, made).values()) == {"known (Ada)"}
    changed = {**FILES, "sec/c.tex": FILES["sec/c.tex"].replace(" C.", " C and more.")}
    left = answers_in_force(reviewed(changed).papers[0].state, made)
    assert len(left) == len(made) - 1


def test_a_line_that_answers_what_is_refused_does_not_count_whoever_wrote_it(reviewed):
    paper = reviewed(FILES).papers[0]
    scope = BulkScope(rules=("no-proof",))
    (first, *_) = bulk_dismissals(paper.state, every_finding(paper), scope, reason="k", who=None)
    assert answers_in_force(paper.state, [replace(first, rule="unread-file")]) == {}


def test_headings_are_those_of_the_files_around_too(reviewed):
    paper = reviewed(FILES).papers[0].state.paper
    inside = paper.headings_over("sec/c.tex", len(FILES["sec/c.tex"]))
    assert [item.title for item in inside] == ["Two", "Deep"]
