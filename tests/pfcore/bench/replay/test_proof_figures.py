"""Figures from objections to whole proofs and from grades, on made-up rows with known answers."""

import pytest

from pfcore.bench.replay.proof_figures import half_of, proof_tables, verdict_of
from pfcore.bench.replay.recorded_answers import RecordedAnswers, WithdrawnPapers, read_answers
from pfcore.verification.verify import Accepted
from tests.pfcore.bench.replay.conftest import attempt, issue, proof

TEXT = "Let $n$ be an even number greater than two. Then \\(n = 2k\\) for some integer $k$."


def _tables(published):
    return {table.question: table for table in proof_tables(read_answers(published.root))}


def parts(table):
    return {figure.name: (figure.part, figure.n) for figure in table.figures}


def test_quotations_are_told_apart_by_the_way_in_which_they_are_found(published):
    published.solved(
        "X/1",
        "x-1",
        attempt(
            TEXT,
            issue("an even number", at=(11, 25)),
            issue("Then $n=2k$ for some integer k", at=(0, 3)),
            issue("Let n be an even integer greater than two", at=(0, 42)),
            issue("nothing of this kind is anywhere here", at=(0, 42)),
            issue(None),
        ),
    )
    tables = _tables(published)
    assert parts(tables["Are quotations found? (solved, all)"]) == {
        "to the letter": (1, 4),
        "as written, or written otherwise": (2, 4),
        "near copies": (1, 4),
        "found, all ways": (3, 4),
        "place right: written otherwise": (1, 2),
        "place right: near copies": (1, 1),
    }
    assert parts(tables["What is on record of proofs? (solved)"]) == {
        "proofs": (None, 1),
        "problems": (None, 1),
        "issues": (None, 5),
        "quotations whose place is on record": (4, 4),
    }


def test_problems_are_halved_by_their_names_with_all_that_belongs_to_them(published):
    names = [f"problem-{number}" for number in range(20)]
    for number, name in enumerate(names):
        published.solved(f"X/{number}", name, attempt(TEXT, issue("an even number")))
    tables = _tables(published)
    halves = [
        tables[f"Are quotations found? (solved, half {half} of the problems)"] for half in "AB"
    ]
    counts = [parts(table)["found, all ways"][1] for table in halves]
    assert sum(counts) == 20
    assert counts[0] == sum(half_of(name) == 0 for name in names)
    assert 0 < counts[0] < 20


def test_any_objection_is_set_against_the_verdict_of_a_person(published):
    published.proofs(
        proof("a", TEXT, "incorrect", issue("an even number"), issue("even number greater")),
        proof("b", TEXT, "incorrect"),
        proof("c", TEXT, "correct", issue("an even number")),
        proof("d", TEXT, "correct"),
    )
    tables = _tables(published)
    assert parts(tables["Does any objection mean that a proof is wrong?"]) == {
        "recall: wrong proofs objected to": (1, 2),
        "false alarms: right ones objected to": (1, 2),
        "precision: wrong among those objected to": (1, 2),
        "objections that our clusters join to another": (1, 3),
    }


def test_classes_differ_in_how_often_they_are_raised_on_right_proofs(published):
    published.proofs(
        proof("a", TEXT, "incorrect", issue("even", "Gap"), issue("two", "Answer")),
        proof("b", TEXT, "correct", issue("even", "Gap"), issue("even", "")),
    )
    question = "What share of the objections of a class are raised on right proofs?"
    assert parts(_tables(published)[question]) == {
        "Answer": (0, 1),
        "Gap": (1, 2),
        "no class": (1, 1),
    }


def test_a_mean_is_held_against_grades_as_parts_of_full_marks(published):
    published.rated("IMO2025", (7, 1.0), (0, 1.0), (0, 0.25))
    published.rated("CMO2024", (21, 1.0), (7, 0.95))
    tables = _tables(published)
    found = tables["Does a verifier's mean say what a person's grade will be?"]
    full = {name: part for name, part in parts(found).items() if name.endswith("full marks")}
    assert full["mean 1: full marks"] == (2, 3)
    assert full["mean from 0 to below 0.5: full marks"] == (0, 1)
    assert full["mean from 0.5 to below 0.9: full marks"] == (0, 0)
    averages = {figure.name: figure.value for figure in found.figures}
    assert averages["mean 1: average part of full marks"] == pytest.approx(2 / 3)
    assert averages["mean from 0.9 to below 1: average part of full marks"] == pytest.approx(1 / 3)
    assert averages["mean from 0.5 to below 0.9: average part of full marks"] is None
    assert parts(tables["The same by competition: which proofs have full marks?"]) == {
        "CMO2024, mean below 1": (0, 1),
        "CMO2024, mean 1": (1, 1),
        "IMO2025, mean below 1": (0, 1),
        "IMO2025, mean 1": (1, 2),
    }


def test_of_nothing_there_are_no_tables():
    assert list(proof_tables(RecordedAnswers(present=(), withdrawn=WithdrawnPapers()))) == []


def test_a_reading_without_objections_accepts():
    assert verdict_of(()) == Accepted()


@pytest.mark.corpus
def test_the_published_proofs_give_the_published_figures(evidence):
    pytest.importorskip("pyarrow")
    tables = {table.question: table for table in proof_tables(read_answers(evidence))}
    quotes = parts(tables["Are quotations found? (solved, all)"])
    assert quotes["to the letter"] == (241, 2_230)
    assert quotes["as written, or written otherwise"][0] >= 0.52 * 2_230
    assert quotes["found, all ways"][0] >= 0.8 * 2_230
    for way in ("written otherwise", "near copies"):
        right, found = quotes[f"place right: {way}"]
        assert right >= 0.95 * found
    for listed in ("solved", "test.parquet"):
        quotes = parts(tables[f"Are quotations found? ({listed}, all)"])
        found, of = quotes["found, all ways"]
        assert found >= 0.75 * of
        pairs = [quotes[f"place right: {way}"] for way in ("written otherwise", "near copies")]
        assert sum(right for right, _ in pairs) >= 0.97 * sum(placed for _, placed in pairs)
    people = parts(tables["Does any objection mean that a proof is wrong?"])
    assert people["recall: wrong proofs objected to"] == (209, 210)
    assert people["false alarms: right ones objected to"] == (71, 101)
    assert people["precision: wrong among those objected to"] == (209, 280)
    raised = tables["What share of the objections of a class are raised on right proofs?"]
    shares = {figure.name: figure.value for figure in raised.figures}
    wanted = {"Wrong Final Answer": 0, "Overgeneralization": 0.13, "Missing Edge Cases": 0.21}
    wanted |= {"Skipping Computation Steps": 0.33, "Oversimplification": 0.33}
    assert {name: shares[name] for name in wanted} == pytest.approx(wanted, abs=0.006)
    means = parts(tables["Does a verifier's mean say what a person's grade will be?"])
    full = {name: part for name, part in means.items() if name.endswith(": full marks")}
    assert full.pop("mean 1: full marks") == (65, 72)
    assert [sum(column) for column in zip(*full.values(), strict=True)] == [0, 12]
