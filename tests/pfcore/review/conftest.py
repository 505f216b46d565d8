"""A task and a contract; papers with a ledger: all is accepted, but for what a test says."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import pytest

import prompts
from pfcore.domain.values import Severity
from pfcore.ledger.ledger import LedgerEntry, LedgerVerdict, Recorded, ledger
from pfcore.ledger.lock_lines import ledger_text
from pfcore.llm.protocol import Endpoint
from pfcore.review.review import PaperReport
from pfcore.verification.contract import Contract
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.task import ContextTask, tasks
from tests.conftest import Reviewed, article_text

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
def task() -> ContextTask:
    return ContextTask(
        module="lem:a",
        context="c" * 64,
        given=(("What may be used", "Result 1. R."),),
        statement="Lemma. For all $x$ we have $x > 0$.",
        proof="Proof. By Result 1, $x \\ge 0$.\nHence $x > 0$.",
    )


@pytest.fixture
def asking() -> ActionFactory:
    contract = Contract(
        endpoint=Endpoint.CHAT, model="a-model", prompts=tuple(prompts.CURRENT.items())
    )
    return ActionFactory(contract=contract, prompt=prompts.prompt)


CONTRACT = "c" * 64
LEMMA = "\\begin{lemma}\\label{%s} %s.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"
PAIR = LEMMA % ("a", "Every A is positive", "Clear.") + LEMMA % ("b", "B", r"By \ref{a}.")


def objection(message: str = "It may be 0.", **changes: Any) -> Recorded:
    values: dict[str, Any] = {
        "id": "abcdefgh",
        "rule": "gap",
        "severity": Severity.ERROR,
        "message": message,
        "quote": "",
        "votes": 3,
        "rollouts": 3,
    }
    return Recorded(**(values | changes))


@pytest.fixture
def read(reviewed: Reviewed) -> Callable[..., PaperReport]:
    """A review of a paper that a ledger knows."""

    def make(
        body: str,
        *,
        unread: Collection[str] = (),
        flagged: Mapping[str, Recorded] | None = None,
        rollouts: int = 3,
        settings: str = "",
        more: Callable[[Mapping[str, str]], str] = lambda contexts: "",
    ) -> PaperReport:
        files = {"main.tex": article_text(body), "pf.toml": settings}
        state = reviewed(files).papers[0].state
        listed = {task.module: task.context for task in tasks(state, state.document.modules)}
        entries = []
        for name, context in listed.items():
            found = (flagged or {}).get(name)
            if name not in unread:
                entries.append(
                    LedgerEntry(
                        context=context,
                        contract=CONTRACT,
                        verdict=LedgerVerdict.FLAGGED if found else LedgerVerdict.ACCEPTED,
                        rollouts=rollouts,
                        findings=(found,) if found else (),
                    )
                )
        lines = ledger_text(ledger(entries=entries)) + more(listed)
        return reviewed({**files, "pf.lock": lines}).papers[0]

    return make
