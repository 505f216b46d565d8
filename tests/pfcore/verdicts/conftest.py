"""A task, a contract, and what a model says of it."""

import pytest

import prompts
from pfcore.llm.protocol import Endpoint
from pfcore.stages.asking import Asking
from pfcore.stages.contract import Contract
from pfcore.stages.task import Task

ACCEPT = '<objections>\n</objections>\n\n```json\n{"verdict": "accept"}\n```'
FLAG = (
    "<objections><objection><quote>Hence $x > 0$</quote><problem>It may be 0.</problem>"
    '</objection></objections>\n```json\n{"verdict": "flag"}\n```'
)
GENUINE = (
    '<finding id="F1"><quote>Hence $x > 0$</quote><objection>By Result 1, it may be 0.</objection>'
    "<reason>Take 0.</reason></finding>\n"
    '```json\n{"flags": [{"id": "F1", "status": "genuine", "class": "gap", "severity": "error"}]}'
    "\n```"
)


@pytest.fixture
def task() -> Task:
    return Task(
        module="lem:a",
        context="c" * 64,
        given=(("What may be used", "Result 1. R."),),
        statement="Lemma. For all $x$ we have $x > 0$.",
        proof="Proof. By Result 1, $x \\ge 0$.\nHence $x > 0$.",
    )


@pytest.fixture
def asking() -> Asking:
    contract = Contract(
        endpoint=Endpoint.CHAT, model="a-model", prompts=tuple(prompts.CURRENT.items())
    )
    return Asking(contract=contract, prompt=prompts.prompt)
