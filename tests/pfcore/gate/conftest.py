"""Papers with a ledger: everything in it is accepted, but for what a test says."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import pytest

from pfcore.ledger.lines import write
from pfcore.ledger.values import Entry, Recorded, Verdict, ledger
from pfcore.model import Severity
from pfcore.review import PaperReport
from pfcore.stages.tasks import tasks
from tests.conftest import Reviewed, article_text

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
                    Entry(
                        context=context,
                        contract=CONTRACT,
                        verdict=Verdict.FLAGGED if found else Verdict.ACCEPTED,
                        rollouts=rollouts,
                        findings=(found,) if found else (),
                    )
                )
        lines = write(ledger(entries=entries)) + more(listed)
        return reviewed({**files, "pf.lock": lines}).papers[0]

    return make
