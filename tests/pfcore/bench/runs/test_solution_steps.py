"""A solution read by pieces: translated, verified, and its own steps graded."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import prompts
from pfcore.bench.runs.solution_steps import (
    Grades,
    Solution,
    SolutionRead,
    SolutionVerdict,
    direct,
    read_solution,
)
from pfcore.llm.protocol import CallError, Endpoint
from pfcore.verification.contract import Contract
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.verify import ModuleVerifier, Unread

Desk = Callable[..., Any]

CONTRACT = Contract(
    endpoint=Endpoint.CHAT, model="m", prompts=tuple(prompts.RELEASED.items()), attempts=0
)
SOLUTION = Solution(problem="Show that $x > 0$.", steps=("First, $x \\ge 0$.", "So $x > 0$."))
GOOD = """<THEOREM_STATEMENT>
For all $x$ we have $x > 0$.
</THEOREM_STATEMENT>
<PROPOSITION_STATEMENT id="1">
$x \\ge 0$.
</PROPOSITION_STATEMENT>
<PROPOSITION_PROOF id="1">
Clear.
</PROPOSITION_PROOF>
<THEOREM_PROOF>
By Proposition 1, $x \\ge 0$. So $x > 0$.
</THEOREM_PROOF>
"""
ACCEPT = '```json\n{"verdict": "accept"}\n```'
FLAG = (
    "<objections><objection><quote>So $x > 0$</quote><problem>zero</problem></objection>"
    '</objections>\n```json\n{"verdict": "flag"}\n```'
)
SECOND = (
    '<defect id="F1">Zero.</defect>\n```json\n{"flags": [{"id": "F1", "status": "genuine", '
    '"step": 1}], "own": [], "steps": ["right", "wrong"], "first": 1}\n```'
)
QUIET = '```json\n{"flags": [], "own": [], "steps": ["right", "right"], "first": null}\n```'
UNFAITHFUL = (
    "<difference><original>a</original><rewriting>b</rewriting><effect>it is weaker</effect>"
    '</difference>\n```json\n{"verdict": "unfaithful"}\n```'
)


def heard(made: Any, how: Any = read_solution, contract: Contract = CONTRACT) -> SolutionVerdict:
    asking = ActionFactory(contract=contract, prompt=prompts.prompt)
    verdict: SolutionVerdict = asyncio.run(
        how(ModuleVerifier(run=made.engine.run, asking=asking), SOLUTION, 1)
    )
    return verdict


def text_of(made: Any, stage: str) -> Any:
    pairs = zip(made.client.requests, made.asked, strict=True)
    return next(request.text for request, asked in pairs if asked == stage)


def test_what_nobody_objects_to_is_right_in_all_steps(desk: Desk) -> None:
    made = desk(**{"translate-solution": [GOOD], "verify": [ACCEPT]})
    assert heard(made) == SolutionRead(grades=Grades(wrong=()), pieces=2)
    assert made.asked == ["translate-solution", "verify", "verify"]


def test_an_objection_is_held_against_the_steps(desk: Desk) -> None:
    made = desk(
        **{"translate-solution": [GOOD], "verify": [FLAG, ACCEPT], "calibrate-steps": [SECOND]}
    )
    found = heard(made)
    assert isinstance(found, SolutionRead)
    assert (found.grades, found.pieces) == (Grades(wrong=(1,)), 2)
    assert [item.words for item in found.defects] == ["Zero."]
    asked = text_of(made, "calibrate-steps")
    assert "begin: Step 1\nSo $x > 0$." in asked
    assert "Proposition 1. $x \\ge 0$." in asked
    assert "[Theorem] zero" in asked
    places = [asked.index(f"begin: {title}") for title in ("Problem", "Step 0", "Rewriting")]
    assert places == sorted(places)


def test_who_takes_a_solution_apart_does_not_see_its_steps(desk: Desk) -> None:
    made = desk(**{"translate-solution": [GOOD], "verify": [ACCEPT]})
    heard(made)
    assert "Step 0" not in text_of(made, "translate-solution")
    assert "First, $x \\ge 0$.\n\nSo $x > 0$." in text_of(made, "translate-solution")


def test_a_rewriting_that_stays_unfaithful_is_no_acceptance(desk: Desk) -> None:
    made = desk(
        **{
            "translate-solution": [GOOD],
            "faithfulness-solution": [UNFAITHFUL],
            "verify": [ACCEPT],
            "calibrate-steps": [QUIET],
        }
    )
    found = heard(made, contract=replace(CONTRACT, attempts=1))
    assert isinstance(found, SolutionRead)
    assert found.unfaithful == ("Theorem", "Proposition 1")
    assert "was not faithful in these pieces" in text_of(made, "calibrate-steps")
    assert "There are none." in text_of(made, "calibrate-steps")
    assert "a problem, and a solution" in prompts.prompt("faithfulness-solution", "v1")


def test_without_a_verdict_on_a_piece_there_is_none_and_nobody_calibrates(desk: Desk) -> None:
    made = desk(**{"translate-solution": [GOOD], "verify": [FLAG, CallError("down")]})
    assert heard(made) == Unread(reason="Proposition 1: down")
    assert "calibrate-steps" not in made.asked


def test_a_failure_is_no_pass(desk: Desk) -> None:
    for answers in (
        {"translate-solution": [CallError("down")]},
        {"translate-solution": ["I cannot."]},
        {"translate-solution": [GOOD], "verify": [FLAG], "calibrate-steps": ["Fine."]},
        {"translate-solution": [GOOD], "verify": [FLAG], "calibrate-steps": [CallError("down")]},
    ):
        assert isinstance(heard(desk(**answers)), Unread)


def test_the_direct_question_is_one_call(desk: Desk) -> None:
    said = '<wrong id="1">Zero.</wrong>\n```json\n{"steps": ["right", "wrong"], "first": 1}\n```'
    made = desk(**{"direct-steps": [said]})
    assert heard(made, direct) == SolutionRead(grades=Grades(wrong=(1,)))
    assert made.asked == ["direct-steps"]


def test_a_direct_reply_that_does_not_count_is_asked_for_once_more(desk: Desk) -> None:
    made = desk(**{"direct-steps": ["Hm."]})
    assert heard(made, direct) == Unread(reason="the reply has no JSON block")
    assert made.asked == ["direct-steps", "direct-steps"]
