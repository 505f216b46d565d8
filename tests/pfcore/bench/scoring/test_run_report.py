"""Reports on saved runs: every number has its run, every run says who was asked, and if anybody."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from pfcore.bench.runs.saved_run import Benchmark, Judge, Method, SavedRun
from pfcore.bench.scoring.figures import ORANGE, Picture, shade
from pfcore.bench.scoring.run_report import ReportSection, all_tables, run_page, sections
from pfcore.bench.scoring.scaling import Sampling
from pfcore.bench.scoring.scores import Rules, curves, groups, identity
from tests.pfcore.bench.scoring.conftest import make

pytestmark = pytest.mark.acceptance

QUICK = Sampling(resamples=10)
ARXIV = Benchmark.ARXIV


@pytest.fixture(scope="module")
def pair() -> list[SavedRun]:
    """Both methods on proofs, by two models."""
    return [
        make(Method.DIRECT, rows=12, k=2, rates=(0.5, 0.2)),
        make(Method.PF, rows=12, k=2, rates=(0.6, 0.05), model="b-model", self_repair=False),
    ]


@pytest.fixture(scope="module")
def section(pair) -> ReportSection:
    """What is told of the pair; drawing it takes a while."""
    (one,) = sections(pair, QUICK)
    return one


@pytest.fixture
def paper_run(simulated: Callable[..., SavedRun]) -> SavedRun:
    return simulated(Method.PF, ARXIV, rows=8, k=2, rates=(0.5, 0.1))


def tables(runs):
    return {
        table.title: table
        for marked in groups(runs).values()
        for table in all_tables(marked, curves(marked, how=QUICK), QUICK)
    }


def test_runs_are_marked_in_their_order_and_grouped_by_benchmark(pair, paper_run) -> None:
    found = groups([pair[0], paper_run, pair[1]])
    assert {name: list(marked) for name, marked in found.items()} == {
        Benchmark.HARD2VERIFY: ["A", "C"],
        ARXIV: ["B"],
    }


def test_a_run_says_who_was_asked_with_what_on_how_much_and_when(pair, paper_run) -> None:
    direct, bare = curves({"A": pair[0], "B": pair[1]}, how=QUICK)
    assert identity(direct) == (
        f"A: direct judge; model a-model; contract {direct.header.asked.contract[:8]}; "
        "n = 12; k = 2; 2026-11-21; simulated, no model was used"
    )
    assert "PF + block verification, no self-repair; model b-model" in identity(bare)
    (paper,) = curves({"C": paper_run}, judge=Judge.STRICT, how=QUICK)
    assert identity(paper).endswith("; locations judged by a-model, strict")
    header = replace(pair[0].header, simulated=False)
    (real,) = curves({"A": replace(pair[0], header=header)}, how=QUICK)
    assert identity(real).endswith("; not simulated")
    assert "model a-model-2026-10; " in identity(real)
    assert "simulated" not in real.label


def test_every_table_names_its_runs_in_full(pair, paper_run) -> None:
    for table in tables([*pair, paper_run]).values():
        assert table.about
        for line in table.about:
            assert all(word in line for word in ("model ", "contract ", "n = ", "k = ", "2026-"))
            assert line.endswith(("used", "inclusive", "strict"))
            assert "simulated" in line


def test_dollars_that_nobody_paid_are_called_simulated(pair) -> None:
    words = "Tokens and dollars of simulated runs are simulated too."
    costs = ("Calls, tokens and money by stage", "One rollout of one row, on average")
    for title in costs:
        assert words in tables(pair)[title].notes
    real = [replace(run, header=replace(run.header, simulated=False)) for run in pair]
    for title in costs:
        assert words not in tables(real)[title].notes


def test_measures_of_proofs_stand_at_every_k_with_intervals(pair) -> None:
    found = tables(pair)
    steps = found["Steps"]
    assert steps.head == ("run", "k", "precision", "recall", "coverage", "false errors per proof")
    assert [row[:2] for row in steps.rows] == [("A", "1"), ("A", "2"), ("B", "1"), ("B", "2")]
    assert all("(" in cell for row in steps.rows for cell in row[2:])
    assert {"Balanced, and the first error", "Proofs"} <= set(found)


def test_false_errors_of_papers_are_called_an_upper_bound(paper_run) -> None:
    named = [table for title, table in tables([paper_run]).items() if title.startswith("Papers")]
    assert [table.title for table in named] == [
        f"Papers: {judge} judge, {rules} rules"
        for rules in Rules
        for judge in (Judge.INCLUSIVE, Judge.STRICT)
    ]
    for table in named:
        assert table.head[-1] == "false errors per paper (upper bound)"
        assert any("upper bound" in note for note in table.notes)


def test_how_often_a_judge_was_overruled_by_labels_is_told(paper_run) -> None:
    first = next(item for item in paper_run.rollouts if item.predictions)
    wrong = replace(first.predictions[0], overruled=(Judge.STRICT,))
    changed = replace(first, predictions=(wrong, *first.predictions[1:]))
    rollouts = tuple(changed if item is first else item for item in paper_run.rollouts)
    found = tables([replace(paper_run, rollouts=rollouts)])
    words = "Where labels leave no doubt they count: the judge said the contrary 1 times."
    assert words in found["Papers: strict judge, own rules"].notes
    assert words not in found["Papers: inclusive judge, own rules"].notes


def test_calls_tokens_and_money_are_summed_by_stage_and_per_rollout(pair) -> None:
    found = tables(pair)
    rows = {row[:2]: row[2:] for row in found["Calls, tokens and money by stage"].rows}
    assert [stage for mark, stage in rows if mark == "B"] == [
        "translate", "faithfulness", "verify", "all",
    ]  # fmt: skip
    assert rows["A", "direct"] == rows["A", "all"]
    assert rows["B", "all"][:2] == ("216", "144")
    averages = found["One rollout of one row, on average"].rows
    assert averages[1][1:3] == ("12 × 2", "9.0")
    dollars = sum(float(rows["B", stage][-1]) for stage in ("translate", "faithfulness", "verify"))
    assert float(rows["B", "all"][-1]) == pytest.approx(dollars, abs=0.02)


def test_money_that_nobody_knows_is_not_called_nothing(pair) -> None:
    rollouts = tuple(
        replace(item, used=tuple(replace(used, dollars=None) for used in item.used))
        for item in pair[0].rollouts
    )
    found = tables([replace(pair[0], rollouts=rollouts)])
    assert {row[-1] for row in found["Calls, tokens and money by stage"].rows} == {"not known"}
    assert found["One rollout of one row, on average"].rows[0][-1] == "not known"


def test_rows_without_a_verdict_are_named_and_do_not_count(pair) -> None:
    lost = replace(pair[0].rollouts[0], steps=(), first=None, unreached=("it was cut off",))
    run = replace(pair[0], rollouts=(lost, *pair[0].rollouts[1:]))
    found = tables([run])
    missing = found["Rows that do not count, for want of a verdict"]
    assert missing.rows == (("A", lost.row, "rollout 1: it was cut off"),)
    assert "n = 11 of 12, 1 without a verdict" in found["Steps"].about[0]


def test_a_run_without_any_verdict_has_no_picture_and_no_measure(pair) -> None:
    rollouts = tuple(replace(item, unreached=("no",)) for item in pair[0].rollouts)
    (section,) = sections([replace(pair[0], rollouts=rollouts)], QUICK)
    assert section.pictures == []
    assert "Steps" not in {table.title for table in section.tables}


@pytest.mark.acceptance
def test_runs_of_other_rows_are_not_compared_without_a_word(pair, section) -> None:
    assert section.warnings == ["Simulated runs used no model and say nothing about one."]
    header = replace(pair[1].header, data_digest="ab" * 32, simulated=False)
    (mixed,) = sections([pair[0], replace(pair[1], header=header)], QUICK)
    assert any("cannot be compared" in words for words in mixed.warnings)


@pytest.mark.acceptance
def test_pictures_are_png_and_svg_and_the_same_for_the_same_runs(pair, section) -> None:
    (other,) = sections(pair, QUICK)
    names = [picture.name for picture in section.pictures]
    assert names == ["precision-recall", "panels", "precision-recall-proofs", "models"]
    for a, b in zip(section.pictures, other.pictures, strict=True):
        assert a.data["png"].startswith(b"\x89PNG")
        assert a.data["svg"] == b.data["svg"]
        assert b"<svg" in a.data["svg"]


def drawn(picture: Picture) -> str:
    return picture.data["svg"].decode()


@pytest.mark.acceptance
def test_pictures_of_simulated_runs_say_so_above_all_else_and_in_their_words(pair, section) -> None:
    words = "SIMULATED: no model was used"
    for picture in section.pictures:
        assert picture.words.startswith(f"{words}. Hard2Verify: ")
        assert f"<!-- {words} -->" in drawn(picture)
        assert drawn(picture).count("(simulated)") == len(pair)
    real = replace(pair[1], header=replace(pair[1].header, simulated=False))
    (mixed,) = sections([pair[0], real], QUICK)
    assert all(f"<!-- {words} in A -->" in drawn(item) for item in mixed.pictures)
    (bare,) = sections([real], QUICK)
    assert not any("simulated" in drawn(item).lower() for item in bare.pictures)


def test_pictures_of_papers_name_the_judge_and_the_rules(section, paper_run) -> None:
    words = "locations: inclusive judge (a-model), own rules for what is one place"
    (papers,) = sections([paper_run], QUICK)
    for picture in papers.pictures:
        assert f"<!-- {words} -->" in drawn(picture)
        assert picture.words.endswith(f" L{words[1:]}.")
    assert not any("judge (" in drawn(item) for item in section.pictures)


@pytest.mark.acceptance
def test_two_models_of_one_method_have_colours_of_their_own(simulated) -> None:
    runs = [simulated(Method.DIRECT, rows=6, k=1, model=name) for name in ("one", "two")]
    (section,) = sections(runs, QUICK)
    (picture, *_) = section.pictures
    for number in range(2):
        assert shade(ORANGE, number).lower() in drawn(picture)
    assert len({shade(ORANGE, number) for number in range(4)}) == 4
    assert shade(ORANGE, 0) == ORANGE


def test_one_model_is_not_compared_with_itself(simulated) -> None:
    runs = [simulated(Method.DIRECT, rows=6, k=1), simulated(Method.PF, rows=6, k=1)]
    (section,) = sections(runs, QUICK)
    assert "models" not in {picture.name for picture in section.pictures}


def test_the_page_needs_no_other_file_and_takes_no_word_for_markup(pair) -> None:
    asked = replace(pair[0].header.asked, served=("<script>alert(1)</script>",))
    run = replace(pair[0], header=replace(pair[0].header, asked=asked, simulated=False))
    text = run_page("A & B", sections([run], QUICK))
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "<title>A &amp; B</title>" in text
    assert text.count("data:image/svg+xml;base64,") == 3
    assert "http" not in text.replace("http-equiv", "")


def test_whole_proofs_have_a_section_of_their_own(simulated) -> None:
    runs = [simulated(Method.PF, Benchmark.PROOFS, rows=12, k=2)]
    runs.append(simulated(Method.DIRECT, Benchmark.PROOFS, rows=12, k=2, model="b-model"))
    (one,) = sections(runs, QUICK)
    assert one.title == "Whole proofs with one grade"
    assert [picture.name for picture in one.pictures] == ["precision-recall", "panels", "models"]
    assert "wrong proofs" in one.pictures[0].words
    assert "false alarms" in one.pictures[1].words
    heads = {table.title: table.head for table in one.tables}
    assert heads["Proofs"] == (
        "run", "k", "accuracy, proofs", "recall, proofs", "false alarms, right proofs",
        "balanced accuracy, proofs",
    )  # fmt: skip
    assert not any("Steps" in title for title in heads)
    assert any("block verification" in words for words in one.runs)
