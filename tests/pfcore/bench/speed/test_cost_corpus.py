"""Numbers that must not fall: what real papers take beside the reference, and how calls grow.

A call for one module has the instructions in it: the second wording, which is longer by half, took
the least ratio of the three papers from above 20 to 19.6.
"""

import math
from collections.abc import Iterable

import pytest

from pfcore.bench.speed.contexts import exponent, points
from pfcore.bench.speed.cost import compared
from pfcore.graph.paper_state import PaperState
from pfcore.latex.language.leads import LED
from tests.conftest import CorpusPapers

pytestmark = pytest.mark.corpus


def largest(papers: Iterable[PaperState]) -> PaperState:
    return max(papers, key=lambda found: len(found.document.modules))


@pytest.mark.parametrize("name", ["pfr", "carleson", "brownian-motion"])
def test_a_paper_takes_at_most_a_third_of_the_input_of_the_reference(
    corpus_papers: CorpusPapers, name: str
) -> None:
    reference, *ways = compared(largest(corpus_papers(name)))
    assert len(ways) == 3
    for way in ways:
        assert 3 * way.total.usage.input <= reference.total.usage.input, way.way


@pytest.mark.parametrize("name", ["pfr", "carleson", "brownian-motion"])
def test_a_call_for_one_module_hardly_grows_where_judging_the_whole_does(
    corpus_papers: CorpusPapers, name: str
) -> None:
    found = points(largest(corpus_papers(name)))
    block = exponent([(point.modules, point.median) for point in found])
    whole = exponent([(point.modules, float(point.whole)) for point in found])
    assert block is not None
    assert whole is not None
    assert block <= 0.2
    assert whole >= 0.85
    assert found[-1].whole > 15 * found[-1].median


def led_across(state: PaperState, count: int) -> int:
    """How many of the first modules only lead to a claim behind them: to none of the first ones."""
    ordered = sorted(state.document.modules.values(), key=lambda module: module.position)[:count]
    entries = state.assembly.draft.order.entries
    last = max((one.position for one in ordered if one.is_claim and not one.parent), default=-1)
    return sum(
        module.position > last
        and entries[module.position].block.introduces != ()
        and all(key.startswith(LED) for key in entries[module.position].block.introduces)
        for module in ordered
    )


def cut_short(state: PaperState, count: int) -> int:
    """How many of the first modules go on behind the beginning of a later one: sentences may."""
    ordered = sorted(state.document.modules.values(), key=lambda module: module.position)
    kept = {module.id for module in ordered[:count]}
    begins = {
        (module.statement.location.path, module.statement.location.start)
        for module in ordered[count:]
        if module.parent not in kept
    }
    spans = [module.statement.location for module in ordered[:count]]
    return sum(
        any(path == here.path and here.start <= start < here.end for path, start in begins)
        for here in spans
    )


def test_in_the_largest_paper_each_prefix_has_its_modules_and_no_later_file(
    corpus_papers: CorpusPapers,
) -> None:
    state = largest(corpus_papers("openlogic"))
    found = points(state)
    total = found[-1].modules
    assert total > 600
    for step, point in enumerate(reversed(found)):
        size = math.ceil(total * 1.5**-step)
        left = led_across(state, size) + cut_short(state, size)
        assert size - left <= point.modules <= size
    assert len(found) == 8
    assert found[0].whole < found[-1].whole / 5
