"""What `pf bench hard2verify` and `pf bench arxiv` are to read, and who is asked."""

import argparse
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pfcore.bench.runs import arxiv, hard2verify
from pfcore.bench.runs.benchmark_run import Item, PaperItem, ProofItem
from pfcore.bench.runs.published_prompts import Published
from pfcore.bench.runs.saved_run import Benchmark, Method
from pfcore.bench.runs.simulated_reader import NAME, SimulatedModel, SimulatedRates
from pfcore.bench.runs.trials import (
    JUDGING,
    BenchmarkTrial,
    contract,
    judge_contract,
    method_stages,
    rows_digest,
)
from pfcore.cli.ask_model import Opening, server
from pfcore.cli.commands.pdf_file import load_pdf
from pfcore.cli.environment import chosen
from pfcore.cli.local_data import asker
from pfcore.domain.errors import UsageError
from pfcore.domain.paper_settings import PaperSettings
from pfcore.llm.connection import Connection
from pfcore.llm.model_settings import PROPOSED, ModelChoice
from pfcore.llm.opening import require_key
from pfcore.llm.prices import PRICES
from pfcore.llm.protocol import Endpoint, LlmClient
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.whole_paper import document


@dataclass(frozen=True, kw_only=True)
class BenchmarkSetup:
    """A trial, who reads, who judges locations (None: nobody), and how they are reached.

    `doubts` are sentences about rows that contradict themselves.
    """

    trial: BenchmarkTrial
    choice: ModelChoice
    judge: ModelChoice | None
    opening: Opening
    is_simulated: bool
    doubts: Sequence[str] = ()


def setup(arguments: argparse.Namespace, benchmark: Benchmark) -> BenchmarkSetup:
    """All of it from a command line; UsageError for what cannot be read or asked."""
    choice = _choice(arguments)
    method = Method(arguments.method)
    _require_pdfs(choice, benchmark)
    prompt, versions = asker(arguments, method_stages(benchmark, method))
    plain = PaperSettings.default()
    kind = Published if arguments.prompts else ActionFactory
    asking = kind(
        contract=contract(choice, plain, benchmark, versions, self_repair=arguments.self_repair),
        prompt=prompt,
    )
    if benchmark is Benchmark.HARD2VERIFY:
        rows = hard2verify.load_proofs(arguments.rows)[: arguments.limit]
        proofs = [ProofItem(row=row, method=method, asking=asking) for row in rows]
        trial = _trial(arguments, benchmark, asking, None, proofs)
        return _made(arguments, trial, choice, None, hard2verify.doubts(rows))
    judge = _judge(arguments, choice)
    prompt, versions = asker(arguments, dict.fromkeys(JUDGING, "v1"))
    judging = kind(contract=judge_contract(judge, plain, versions), prompt=prompt)
    papers = [
        PaperItem(
            row=paper,
            pdf=document(load_pdf(paper.pdf)),
            method=method,
            asking=asking,
            judge=judging,
        )
        for paper in arxiv.load_papers(arguments.rows, arguments.pdfs)[: arguments.limit]
    ]
    trial = _trial(arguments, benchmark, asking, judging, papers)
    return _made(arguments, trial, choice, judge, ())


def _choice(arguments: argparse.Namespace) -> ModelChoice:
    if arguments.simulate:
        require_nobody(arguments)
        return _nobody(*arguments.simulate)
    choice = chosen(arguments)
    if choice is None:
        raise UsageError("a benchmark measures a model: name one with --model, or say --simulate")
    return choice


def require_nobody(arguments: argparse.Namespace) -> None:
    """UsageError where a model is named beside a simulated reader: one of them is not meant."""
    named = [name for name in ("model", "judge_model") if getattr(arguments, name, None)]
    if named:
        option = f"--{named[0].replace('_', '-')}"
        raise UsageError(f"--simulate asks nobody: leave it out, or {option}")


def require_key_or_price(choice: ModelChoice, plan: Callable[[], str]) -> None:
    """UsageError where a key is wanted and missing; the price is said to whoever has none yet."""
    try:
        require_key(choice.connection)
    except UsageError:
        sys.stderr.write(plan())
        raise


def _nobody(recall: float, alarms: float) -> ModelChoice:
    """Nobody, under a name that says the chances: replies of two such readers are never mixed.

    What it would cost is at the price of the model that the documentation names.
    """
    return ModelChoice(
        model=f"{NAME}-{recall:g}-{alarms:g}",
        named_by="--simulate",
        connection=Connection(base_url="http://localhost", endpoint=Endpoint.RESPONSES),
        price=PRICES[PROPOSED],
    )


def _judge(arguments: argparse.Namespace, choice: ModelChoice) -> ModelChoice:
    """Who judges locations: the reader, unless another one is named."""
    if arguments.simulate or not arguments.judge_model:
        return choice
    named = argparse.Namespace(model=arguments.judge_model, offline=False)
    return chosen(named) or choice


def _require_pdfs(choice: ModelChoice, benchmark: Benchmark) -> None:
    is_chat = choice.connection.endpoint is Endpoint.CHAT
    if benchmark is Benchmark.ARXIV and is_chat:
        raise UsageError(
            f"this server takes no PDF: {choice.connection.host} is asked by chat completions, and "
            "only the Responses interface takes files; if it speaks that, say "
            'endpoint = "responses" in your configuration'
        )


def _trial(
    arguments: argparse.Namespace,
    benchmark: Benchmark,
    asking: ActionFactory,
    judging: ActionFactory | None,
    items: Sequence[Item],
) -> BenchmarkTrial:
    return BenchmarkTrial(
        benchmark=benchmark,
        method=Method(arguments.method),
        self_repair=arguments.self_repair and arguments.method == Method.PF,
        k=arguments.k,
        contract=asking.contract,
        judge=judging.contract if judging else None,
        items=items,
        data=Path(arguments.rows).name,
        data_digest=rows_digest(items),
    )


def _made(
    arguments: argparse.Namespace,
    trial: BenchmarkTrial,
    choice: ModelChoice,
    judge: ModelChoice | None,
    doubts: Sequence[str],
) -> BenchmarkSetup:
    """With a reader of known chances in the place of a server, if that is wanted."""
    is_simulated = bool(arguments.simulate)
    opening = _simulated(*arguments.simulate) if is_simulated else server
    return BenchmarkSetup(
        trial=trial,
        choice=choice,
        judge=judge,
        opening=opening,
        is_simulated=is_simulated,
        doubts=doubts,
    )


def _simulated(recall: float, alarms: float) -> Opening:
    rates = SimulatedRates(
        block_found=recall,
        block_false=alarms,
        kept=1.0,
        let_pass=1.0,
        direct_found=recall,
        direct_false=alarms,
    )

    @asynccontextmanager
    async def opened(choice: ModelChoice) -> AsyncIterator[LlmClient]:
        yield SimulatedModel(rates)

    return opened
