"""Papers of small results, and what simulated readers say of errors planted in them."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

import prompts
from pfcore.bench.planted.outcomes import Study, study
from pfcore.bench.planted.planted_simulation import reader
from pfcore.bench.planted.planting import PlantedTrial, Planting, mutants, questions, trials
from pfcore.bench.scoring.scaling import Sampling
from pfcore.graph.paper_state import PaperState
from pfcore.llm.protocol import Endpoint
from pfcore.review.reading_session import read_modules
from pfcore.testing import KnownReader, MemoryStore
from pfcore.verification.contract import Contract, Granularity
from pfcore.verification.prompt import ActionFactory

RESULT = r"""
\begin{lemma}\label{lem:%(n)d}
Let $n_{%(n)d}$ be an odd number. Then $n_{%(n)d} \neq 2$.
\end{lemma}
\begin{proof}
By Lemma~\ref{lem:%(last)d} there is a number $k$ with $k \leq %(n)d$ that is of some use here.
If $n_{%(n)d} = 2m + 1$ with $m \geq 0$, then for every $m$ there is a $j$ such that $j = m$.

Case 1: $m$ is small. This is clear from the definition of a small number in this paper.

Case 2: $m$ is large. Then $\sum_{i=1}^{m+1} i$ is large by the definition of a large number.
\end{proof}
"""
QUICK = Sampling(resamples=50)


def body(results: int) -> str:
    """Lemmas that each cite the one before; the first one cites nothing."""
    first = RESULT.replace("By Lemma~\\ref{lem:%(last)d} there", "There")
    listed = [first % {"n": 1}]
    listed += [RESULT % {"n": n, "last": n - 1} for n in range(2, results + 1)]
    return "".join(listed)


@dataclass
class Bench:
    """Trials of one paper, and a simulated reader of known rates."""

    trials: Sequence[PlantedTrial]
    recall: float = 1.0
    alarms: float = 0.0
    store: MemoryStore = field(default_factory=MemoryStore)

    def asking(self, granularity: Granularity = Granularity.AUTHOR, **how: Any) -> ActionFactory:
        contract = Contract(
            endpoint=Endpoint.CHAT,
            model="m",
            prompts=tuple(prompts.SETS["v1"].items()),  # which takes short proofs apart, too
            granularity=granularity,
            **how,
        )
        return ActionFactory(contract=contract, prompt=prompts.prompt)

    def read(self, *askings: ActionFactory, rollouts: int = 1) -> KnownReader:
        found = reader(self.trials, self.store, recall=self.recall, alarms=self.alarms)
        jobs = questions(self.trials, askings, self.store, rollouts)
        asyncio.run(read_modules(jobs, found, at_once=1, observe=lambda done: None))
        return found

    def study(self, asking: ActionFactory | None = None, rollouts: int = 1) -> Study:
        asking = asking or self.asking()
        self.read(asking, rollouts=rollouts)
        return study(self.trials, asking, self.store, rollouts, QUICK)


@pytest.fixture
def bench(paper: Callable[..., PaperState]) -> Callable[..., Bench]:
    """From a number of results, and rates, to a bench."""

    def make(results: int = 4, *, most: int = 2, seed: int = 0, **rates: Any) -> Bench:
        found = paper(body(results))
        planted = mutants(found, Planting(seed=seed, most=most))
        return Bench(trials=trials(found, planted), **rates)

    return make
