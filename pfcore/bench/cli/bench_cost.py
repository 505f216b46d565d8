"""`pf bench cost`: what reading a paper takes, beside the reference and against its size."""

import argparse
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from textwrap import wrap

from pfcore.bench.speed import contexts, cost
from pfcore.bench.speed.context_figure import context_growth
from pfcore.bench.speed.contexts import PrefixTokens
from pfcore.bench.terminal_table import table_lines
from pfcore.cli.environment import run_review
from pfcore.cli.outputs import require_writable
from pfcore.domain.errors import IncompleteError
from pfcore.graph.paper_state import PaperState
from pfcore.reporters.printing import safe
from pfcore.reporters.style import Style
from pfcore.review.verification_setup import VerificationSetup
from pfcore.verification.contract import Granularity

_WAYS = (
    "One rollout; k of them cost k times as much. Prompts are real, replies are simulated: input "
    "tokens are characters, 3.5 to each, output tokens the averages of the paper's table of stage "
    "costs, dollars at the price of the model that the documentation names. The simulated reader "
    "rewrites a proof in two pieces, where a model makes more. $ by length is an "
    "estimate: that table's rewritings are of whole solutions, and where a module is shorter its "
    f"rewriting is counted with {cost.PER_TOKEN} tokens for each token of the module, the ratio of "
    "the paper's rewritings to what they rewrite; the reference is left as it is."
)
_CALLS = (
    "Input tokens of each call that verifies a module as it is written, on the paper cut off "
    "behind its first modules, and of one call that judges all of it."
)


def measure(arguments: argparse.Namespace, style: Style, echo: Callable[[str], None]) -> int:
    """Count, compare, draw where a folder is named; nobody is asked."""
    if arguments.out is not None:
        require_writable(arguments.out)
    with run_review(arguments, VerificationSetup()) as report:
        states = [paper.state for paper in report.papers]
        every = {now.paper.name: contexts.points(now) for now in states}
        points = {name: listed for name, listed in every.items() if listed}
        if not points:
            raise IncompleteError("no proof here can be read, so that there is nothing to count")
        echo(style.finish(_cost_lines(states, points, style)))
        if arguments.out is not None:
            _draw(arguments.out, points, echo)
    return 0


def _cost_lines(
    states: list[PaperState], points: dict[str, list[PrefixTokens]], style: Style
) -> Iterator[str]:
    found = {safe(now.paper.name): cost.compared(now) for now in states}
    known = {name: costs for name, costs in found.items() if costs}
    day = datetime.now(UTC).date().isoformat()
    yield f"{cost.FIRST.capitalize()}. {day}, k = 1 rollout of n modules."
    for granularity in Granularity:
        contract = cost.CountingReader(granularity).asking.contract
        digest = contract.digest()[:8]
        yield f"  {granularity.value}: contract {digest}, as {contract.model} would be asked"
    yield ""
    yield style.paint("Beside the reference implementation, by its formula", "bold")
    yield from table_lines(
        cost.TOTALS, [row for item in known.items() for row in cost.totals(*item)]
    )
    yield ""
    yield style.paint("By stage", "bold")
    yield from table_lines(
        cost.STAGES, [row for item in known.items() for row in cost.by_stage(*item)]
    )
    yield from wrap(_WAYS, style.width)
    yield ""
    yield style.paint("One call, against the number of modules", "bold")
    rows = [
        row for name, listed in points.items() for row in contexts.prefix_rows(safe(name), listed)
    ]
    yield from table_lines(contexts.HEAD, rows)
    yield from wrap(_CALLS, style.width)


def _draw(folder: Path, points: dict[str, list[PrefixTokens]], echo: Callable[[str], None]) -> None:
    made = context_growth({safe(name): listed for name, listed in points.items()})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for kind, data in made.data.items():
            path = folder / f"{made.name}.{kind}"
            path.write_bytes(data)
            echo(f"Written: {path}\n")
    except OSError as error:
        raise IncompleteError(f"{folder} cannot be written: {error.strerror}") from error
