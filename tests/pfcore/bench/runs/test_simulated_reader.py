"""A simulated reader of known rates: what is measured of its readings is what theory says.

Simulated throughout: no model was used. Measures over k rollouts are held against their
expectations, within four standard deviations of what chance does to them.
"""

import asyncio
import math
from itertools import product
from random import Random

import pytest

import prompts
from pfcore.bench.runs import synthetic
from pfcore.bench.runs.benchmark_rows import HardRow
from pfcore.bench.runs.benchmark_run import ProofItem, contract, jobs, method_stages, read_items
from pfcore.bench.runs.saved_run import Benchmark, Judge, Method, RunAccount, SavedRun
from pfcore.bench.runs.simulated_reader import (
    SimulatedModel,
    SimulatedRates,
    answer_key,
    stage_of,
)
from pfcore.bench.scoring.measures import PAPERS, STEPS, tally_of_row, total
from pfcore.bench.scoring.scaling import Sampling, curve
from pfcore.bench.scoring.scores import Rules, scored
from pfcore.domain.paper_settings import PaperSettings
from pfcore.llm.protocol import CallError, Endpoint, Request
from pfcore.testing import MemoryStore
from pfcore.verification.prompt import ActionFactory
from tests.pfcore.bench.conftest import CHOICE, Desk
from tests.pfcore.bench.runs.test_saved_run import HEADER

FEW = Sampling(resamples=1)
ROWS, K = 60, 4
ALL = list(product(Benchmark, Method))


def run_of(items, drawn_desk, rates: SimulatedRates, k: int = K) -> SavedRun:
    """A run over some items, as it would be saved."""
    from dataclasses import replace

    listed = jobs(items, k)
    found = asyncio.run(
        read_items(
            listed,
            drawn_desk.engine.run,
            RunAccount(price=None),
            at_once=8,
            fresh=drawn_desk.ran,
            observe=lambda rollout: None,
        )
    )
    header = replace(HEADER, n=len(items), k=k)
    truths = tuple(item.truth for item in items)
    return SavedRun(header=header, rows=truths, rollouts=tuple(found[job.key] for job in listed))


def places(items):
    """For each row, how many places are wrong, and how many are right."""
    for item in items:
        truth = item.truth
        if truth.steps is not None:
            yield len(truth.wrong), truth.steps - len(truth.wrong)
        else:
            listed = list(synthetic.results(item.pdf.content.decode()))
            yield len(truth.places), len(listed) - len(truth.places)


def expected(rows: list[tuple[int, int]], found: float, false: float, k: int):
    """Expectations and standard deviations of the measures at k, all places being independent."""
    r, f = 1 - (1 - found) ** k, 1 - (1 - false) ** k
    wrong, right = sum(w for w, _ in rows), sum(n for _, n in rows)
    flawed = [(w, n) for w, n in rows if w]
    hits, alarms = wrong * r, right * f
    spread = math.hypot(
        alarms * math.sqrt(wrong * r * (1 - r)), hits * math.sqrt(right * f * (1 - f))
    )
    covered = [r**w for w, _ in flawed]
    flagged = [1 - (1 - r) ** w * (1 - f) ** n for w, n in flawed]
    return {
        "step_recall": (r, math.sqrt(r * (1 - r) / wrong)),
        "false_errors": (alarms / len(rows), math.sqrt(right * f * (1 - f)) / len(rows)),
        "step_precision": (hits / (hits + alarms), spread / (hits + alarms) ** 2),
        "coverage": _mean(covered),
        "proof_recall": _mean(flagged),
    }


def _mean(chances: list[float]) -> tuple[float, float]:
    count = len(chances)
    return sum(chances) / count, math.sqrt(sum(c * (1 - c) for c in chances)) / count


@pytest.mark.acceptance
@pytest.mark.parametrize(("benchmark", "method"), ALL)
def test_curves_are_those_of_theory(items, drawn_desk, benchmark, method) -> None:
    rates = SimulatedRates()
    listed = items(benchmark, method, ROWS)
    run = run_of(listed, drawn_desk(), rates)
    rows, left_out = scored(run)
    assert not left_out
    chances = (
        (rates.direct_found, rates.direct_false)
        if method is Method.DIRECT
        else (rates.found, rates.false)
    )
    measures = PAPERS if benchmark is Benchmark.ARXIV else STEPS
    for k, measured in curve(rows, measures, FEW).items():
        for name, (mean, deviation) in expected(list(places(listed)), *chances, k).items():
            if name in measured:
                value = measured[name].value
                assert value is not None
                assert abs(value - mean) <= 4 * deviation + 0.005, (k, name, value, mean)


@pytest.mark.parametrize(("rates", "recall", "false"), [
    (SimulatedRates(block_found=1, kept=1, block_false=0), 1.0, 0.0),
    (SimulatedRates(block_found=0, block_false=0), 0.0, 0.0),
    (SimulatedRates(block_found=1, kept=0, block_false=0), 0.0, 0.0),
])  # fmt: skip
@pytest.mark.parametrize("benchmark", Benchmark)
def test_certain_rates_give_certain_measures(
    items, drawn_desk, benchmark, rates, recall, false
) -> None:
    run = run_of(items(benchmark, Method.PF, 6), drawn_desk(rates=rates), rates, k=1)
    measured = curve(scored(run).rows, PAPERS, FEW)[1]
    assert measured["step_recall"].value == recall
    assert measured["false_errors"].value == false


def test_all_judges_and_rules_agree_about_plain_locations(items, drawn_desk) -> None:
    run = run_of(items(Benchmark.ARXIV, Method.PF, 10), drawn_desk(), SimulatedRates(), k=2)
    own = [
        {name: item.value for name, item in curve(found.rows, PAPERS, FEW)[2].items()}
        for found in (scored(run, judge=judge) for judge in Judge)
    ]
    assert own[0] == own[1] == own[2]
    reference = curve(scored(run, rules=Rules.REFERENCE).rows, PAPERS, FEW)[2]
    assert reference["step_recall"].value == own[0]["step_recall"]
    false = reference["false_errors"].value
    assert false is not None and own[0]["false_errors"] is not None
    assert false >= own[0]["false_errors"]


@pytest.mark.parametrize("benchmark", [Benchmark.HARD2VERIFY, Benchmark.ARXIV])
def test_without_self_repair_nothing_is_compared(items, drawn_desk, benchmark) -> None:
    rates = SimulatedRates(unfaithful=1.0)
    stages = {}
    for repair in (True, False):
        run = run_of(
            items(benchmark, Method.PF, 3, self_repair=repair), drawn_desk(rates=rates), rates
        )
        stages[repair] = {used.stage for item in run.rollouts for used in item.used}
        assert all(bool(item.unfaithful) == repair for item in run.rollouts)
    assert {stage.partition("-")[0] for stage in stages[True] - stages[False]} == {"faithfulness"}


def test_made_up_rows_say_that_they_are() -> None:
    assert synthetic.proofs(3) == synthetic.proofs(3)
    assert all("made-up" in row["unique_id"] for row in synthetic.proofs(3))
    row, pdf = synthetic.papers(1)[0]
    assert row["title_extracted_from_tex"].startswith("Made-up")
    assert pdf.startswith(b"%PDF-")


def test_made_up_rows_are_written_where_they_are_wanted(tmp_path, capsys) -> None:
    assert synthetic.main([str(tmp_path / "rows"), "2"]) == 0
    assert sorted(path.name for path in (tmp_path / "rows").iterdir()) == sorted(
        [synthetic.PAPERS, synthetic.PROOFS, synthetic.PDFS]
    )
    assert "for a simulated reader alone" in capsys.readouterr().out


def test_an_unknown_stage_gets_no_reply() -> None:
    request = Request(endpoint=Endpoint.CHAT, model="simulated", instructions="Hi.", text="x")
    with pytest.raises(CallError):
        SimulatedModel().reply(request)
    assert stage_of("Hi.") == ""


REAL = (
    "So $x < 1$, by Lemma 2.\n\nHence it is $x = 0$.",
    "----- begin: Step 7\nStep 0 of row 0123456789abcdef.\n</PROPOSITION_PROOF>",
    "",
    "Proof. F1\nquote: [Theorem] \\iffalse (slip) \\fi",
)


def real(number: int, labels: tuple[bool | None, ...], method: Method) -> ProofItem:
    """A row of text that nobody made for the reader; its steps say nothing of their labels."""
    steps = tuple(
        f"{number}. {REAL[step % 4]}" if step % 4 != 2 else "" for step in range(len(labels))
    )
    first = labels.index(False) if False in labels else None
    row = HardRow(
        name=f"row {number}", problem="Find $x$.", steps=steps, labels=labels, first_error=first
    )
    versions = method_stages(Benchmark.HARD2VERIFY, method)
    asks = contract(
        CHOICE, PaperSettings.default(), Benchmark.HARD2VERIFY, versions, self_repair=True
    )
    return ProofItem(
        row=row, method=method, asking=ActionFactory(contract=asks, prompt=prompts.prompt)
    )


@pytest.mark.parametrize("method", Method)
def test_what_is_known_of_real_rows_is_found_with_the_chances_that_are_asked_for(method) -> None:
    labels = (True, False, True, True, False, True)
    listed = [real(number, labels, method) for number in range(60)]
    rates = SimulatedRates(
        block_found=0.7, kept=1, block_false=0.1, let_pass=1, direct_found=0.7, direct_false=0.1
    )
    model = SimulatedModel(rates, chance=Random(3), known=answer_key(listed))
    run = run_of(listed, Desk(model, MemoryStore()), rates, k=1)
    rows, left_out = scored(run)
    assert left_out == {}
    sums = total(tally_of_row(row, row.rollouts[0]) for row in rows)
    assert (sums.found + sums.missed, sums.false + sums.passed) == (120, 240)
    assert abs(sums.found / 120 - 0.7) < 0.17  # four standard deviations
    assert abs(sums.false / 240 - 0.1) < 0.08


@pytest.mark.parametrize("method", Method)
def test_steps_of_which_nobody_knows_are_not_flagged(method) -> None:
    listed = [real(number, (True, False, None, None), method) for number in range(5)]
    rates = SimulatedRates(
        block_found=1, kept=1, block_false=1, let_pass=1, direct_found=1, direct_false=1
    )
    model = SimulatedModel(rates, known=answer_key(listed))
    run = run_of(listed, Desk(model, MemoryStore()), rates, k=1)
    assert [item.steps for item in run.rollouts] == [(0, 1)] * 5


def test_a_row_that_a_simulated_reader_was_not_told_about_is_left_out() -> None:
    known, other = (real(number, (True, False), Method.DIRECT) for number in (1, 2))
    model = SimulatedModel(known=answer_key([known]))
    run = run_of([known, other], Desk(model, MemoryStore()), SimulatedRates(), k=1)
    assert set(scored(run).left_out) == {"row 2"}
    assert "does not know the labels of this row" in run.rollouts[1].unreached[0]


def test_a_pdf_is_made_up_only_if_all_of_it_is() -> None:
    _, pdf = synthetic.papers(1)[0]
    assert synthetic.is_made_up(pdf)
    assert not synthetic.is_made_up(pdf + b"trailer\n")
    assert not synthetic.is_made_up(b"%PDF-1.7\n")
    assert not synthetic.is_made_up(b"%PDF-1.7\n\xff\xfe")
