"""Prompts of others: filled where they have fields, their replies read in both forms.

The prompts here are made up; they have the fields of those that the paper publishes.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pfcore.bench.runs import benchmark_rows, synthetic
from pfcore.bench.runs.benchmark_rows import HardRow
from pfcore.bench.runs.benchmark_run import JUDGING, PaperItem, ProofItem, method_stages
from pfcore.bench.runs.published_prompts import Published, PublishedReading, published_reader
from pfcore.bench.runs.saved_run import Benchmark, Judge, Method, Rollout
from pfcore.llm.protocol import Endpoint, Request
from pfcore.testing import MemoryStore, ScriptedLlm
from pfcore.verification.contract import Contract
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.verify import ModuleVerifier
from pfcore.verification.whole_paper import document
from tests.pfcore.bench.conftest import Desk

ROW = HardRow(
    name="r",
    problem="Show that $x^{y_{1}}$ is closed.",
    steps=("First.", "So it is."),
    labels=(True, False),
    first_error=1,
)
TREE = """<THEOREM_STATEMENT>
Statement : it is closed.
</THEOREM_STATEMENT>
<PROPOSITION_STATEMENT id="1">
It holds.
</PROPOSITION_STATEMENT>
<PROPOSITION_PROOF id="1">
First.
</PROPOSITION_PROOF>
<THEOREM_PROOF>
By Proposition 1.
</THEOREM_PROOF>
"""
GOOD = '```json\n{"verdict": "CORRECT", "error_description": null}\n```'
BAD = (
    '```json\n{"verdict": "INCORRECT", '
    '"error_description": "As \\frac{1}{2} \\"is\\" \\beta."}\n```'
)
STEPS = """<calibration>
<flag_audit><flag><source>Theorem</source><status>genuine</status>
<original_step>1</original_step><explanation>Because.</explanation></flag>
<flag><source>x</source><status>false_alarm</status><original_step>-1</original_step></flag>
</flag_audit>
<additional_errors><error><original_step>x</original_step><description>More.</description></error>
</additional_errors>
<step_verdicts>yes,no</step_verdicts><first_incorrect_step>1</first_incorrect_step>
</calibration>"""
PROMPTS = {
    "direct-steps": "Grade.\n{problem}\n{steps}\nVerdict: ...",
    "translate-solution": "Rewrite, in {{braces}}:\n[PASTE THEOREM AND PROOF HERE]",
    "faithfulness-solution": "Compare.\n{contexts}\n{established_results}\n{assertion}\n{proof}",
    "verify": (
        'Check. {{"verdict": ...}}\n{contexts}\n{established_results}\n{assertion}\n|{proof}|'
    ),
    "calibrate-steps": "Grade {num_steps}.\n{problem}\n{steps}\n{rewritten_proof}\n{errors}",
    "direct-paper": "Referee the attached paper.",
    "translate-paper": "Rewrite the attached paper.",
    "faithfulness-paper": "Compare.\n{contexts}\n{assertion}\n{proof}",
    "calibrate-paper": "Finally.\n{rewritten_paper}\n{errors}",
    "judge-inclusive": "Match {title}.\n{gt_list}\n{pred_loc}\n{pred_desc}",
    "judge-strict": "Strictly match {title}.\n{gt_list}\n{pred_loc}",
}


def read(item: Any, said: Callable[[Request], str]) -> tuple[Rollout, list[Request]]:
    """One reading with a scripted model, and what it was asked."""
    client = ScriptedLlm(said)
    made = Desk(client, MemoryStore())
    return asyncio.run(item.read(made.engine.run, 1)), client.requests


def asking(method: Method, benchmark: Benchmark = Benchmark.HARD2VERIFY, **more: Any) -> Published:
    contract = Contract(
        endpoint=Endpoint.RESPONSES,
        model="m",
        prompts=tuple({**method_stages(benchmark, method), **dict.fromkeys(JUDGING, "v1")}.items()),
        **{"attempts": 1, **more},
    )
    return Published(contract=contract, prompt=lambda stage, version: PROMPTS[stage])


def item(method: Method, **more: Any) -> ProofItem:
    return ProofItem(row=ROW, method=method, asking=asking(method, **more))


def test_fields_are_filled_and_the_prompt_is_one_message() -> None:
    found, (request,) = read(item(Method.DIRECT), lambda _: "Reasoning: x\nVerdict: yes, no")
    assert found.steps == (1,)
    assert request.instructions == ""
    assert request.text == (
        "Grade.\nShow that $x^{y_{1}}$ is closed.\n<step>[0] First.</step>\n<step>[1] So it is."
        "</step>\nVerdict: ...\n"
    )


def test_the_whole_pipeline_runs_on_published_prompts() -> None:
    def said(request: Request) -> str:
        text = request.text
        if text.startswith("Rewrite"):
            return TREE
        if text.startswith("Compare"):
            return '{"verdict": "FAITHFUL", "error_description": null}'
        if text.startswith("Check"):
            return BAD if "|By Proposition 1.|" in text else GOOD
        return STEPS

    found, requests = read(item(Method.PF), said)
    assert found.steps == (1,)
    assert (found.pieces, found.false_alarms, found.unreached) == (2, 1, ())
    texts = [request.text for request in requests]
    assert texts[0].startswith("Rewrite, in {braces}:\nShow that $x^{y_{1}}$ is closed.\n\nFirst.")
    (check,) = [text for text in texts if "|By Proposition 1.|" in text]
    assert check.startswith('Check. {"verdict": ...}\n(none)\nProposition 1. It holds.\nTheorem. ')
    (grade,) = [text for text in texts if text.startswith("Grade 2.")]
    assert 'As \\frac{1}{2} "is" \\beta.' in grade


def test_what_no_field_asks_for_comes_behind() -> None:
    told = iter(["No tags.", TREE])

    def said(request: Request) -> str:
        return next(told) if request.text.startswith("Rewrite") else GOOD

    _, requests = read(item(Method.PF, attempts=0), said)
    assert "begin: What was wrong with the last attempt" in requests[1].text
    assert "begin: Problem" not in requests[1].text


def test_our_own_forms_count_as_well() -> None:
    ours = '```json\n{"steps": ["wrong", "right"], "first": 0}\n```'
    assert read(item(Method.DIRECT), lambda _: ours)[0].steps == (0,)


@pytest.mark.parametrize(
    "text",
    [
        "Verdict: yes",
        "Verdict: yes, maybe",
        "yes, no",
        '```json\n{"steps": ["right"], "first": null}\n```',
    ],
)
def test_what_counts_in_neither_form_is_no_verdict(text: str) -> None:
    assert read(item(Method.DIRECT), lambda _: text)[0].unreached


@pytest.mark.parametrize(
    "text",
    [
        STEPS.replace("yes,no", "yes"),
        STEPS.replace("<first_incorrect_step>1", "<first_incorrect_step>0"),
        "None.",
    ],
)
def test_a_calibration_that_contradicts_itself_is_no_verdict(text: str) -> None:
    def said(request: Request) -> str:
        if request.text.startswith("Rewrite"):
            return TREE
        return BAD if request.text.startswith("Check") else text

    assert read(item(Method.PF, attempts=0), said)[0].unreached


@pytest.mark.parametrize(
    "text",
    [
        f"{GOOD} and more",
        '{"verdict": "CORRECT", "error_description": "But."}',
        '{"verdict": "INCORRECT", "error_description": null}',
        '{"verdict": "PERHAPS"}',
        "Correct.",
    ],
)
def test_a_verdict_that_contradicts_itself_is_none(text: str) -> None:
    found, _ = read(
        item(Method.PF, attempts=0), lambda r: TREE if r.text.startswith("Rewrite") else text
    )
    assert found.unreached


def test_the_last_verdict_counts() -> None:
    found, _ = read(
        item(Method.PF, attempts=0),
        lambda r: TREE if r.text.startswith("Rewrite") else f"{BAD} is what I feared.\n{GOOD}",
    )
    assert (found.unreached, found.steps) == ((), ())


def paper(tmp_path: Path, method: Method) -> PaperItem:
    synthetic.write_rows(tmp_path, 1)
    (row,) = benchmark_rows.load_papers(tmp_path / synthetic.PAPERS, tmp_path / synthetic.PDFS)
    asks = asking(method, Benchmark.ARXIV)
    pdf = document(row.pdf.read_bytes())
    return PaperItem(row=row, pdf=pdf, method=method, asking=asks, judge=asks)


LIST = (
    "<errors><error><location>Section 2</location><description>Wrong.</description></error>"
    "</errors>"
)


def test_papers_are_read_and_judged_with_published_prompts(tmp_path: Path) -> None:
    def said(request: Request) -> str:
        if "atch" not in request.text:
            return LIST
        return '{"matched_gt_indices": [0]}' if request.text.startswith("Match") else "[0]"

    found, requests = read(paper(tmp_path, Method.DIRECT), said)
    (prediction,) = found.predictions
    assert prediction.matches[Judge.INCLUSIVE] == (0,)
    assert prediction.matches[Judge.STRICT] is None
    assert found.unjudged == ("strict: the reply has no JSON block",)
    assert requests[0].instructions == "Referee the attached paper."
    assert any("Match Made-up paper 1.\n0. " in request.text for request in requests)


PAPER = TREE.replace("THEOREM_STATEMENT>\nSt", 'THEOREM_STATEMENT id="1">\nSt').replace(
    "<THEOREM_PROOF>", '<THEOREM_PROOF id="1">'
)


def test_a_published_calibrator_of_papers_sees_the_whole_rewriting(tmp_path: Path) -> None:
    def said(request: Request) -> str:
        if request.instructions == "Rewrite the attached paper.":
            return PAPER
        if request.text.startswith("Compare"):
            return '{"verdict": "FAITHFUL", "error_description": null}'
        if request.text.startswith("Check"):
            return BAD if "|First.|" in request.text else GOOD
        return LIST if request.text.startswith("Finally") else '{"matched_gt_indices": []}'

    found, requests = read(paper(tmp_path, Method.PF), said)
    assert (found.unreached, found.unjudged) == ((), ())
    assert [item.location for item in found.predictions] == ["Section 2"]
    (finally_,) = [item for item in requests if item.text.startswith("Finally")]
    assert '<PROPOSITION_PROOF id="1">\nFirst.' in finally_.text
    assert "[Proposition 1] As \\frac{1}{2}" in finally_.text
    assert "begin: " not in finally_.text
    assert finally_.document is not None


def test_a_list_that_does_not_close_the_reply_is_none(tmp_path: Path) -> None:
    item = paper(tmp_path, Method.DIRECT)
    assert read(item, lambda _: f"{LIST} Or not.")[0].unreached
    assert read(item, lambda _: "Nothing.")[0].unreached


def test_our_prompts_are_read_in_our_forms_alone() -> None:
    asks = asking(Method.DIRECT)
    plain = ActionFactory(contract=asks.contract, prompt=lambda stage, version: "{problem}")

    async def nobody(action: Any) -> Any:
        raise AssertionError

    assert type(published_reader(nobody, plain)) is ModuleVerifier
    assert type(published_reader(nobody, asks)) is PublishedReading
    made = plain.action("direct-steps", (("Problem", "P"),), rollout=1)
    assert made.request.instructions == "{problem}"
