"""The formula of what the reference implementation takes, on a paper counted by hand."""

from collections.abc import Callable

import pytest

from pfcore.bench.speed.cost import REFERENCE_STAGES, CountingReader, calls, usages
from pfcore.graph.paper_state import PaperState
from pfcore.verification import calibrate, translate, verify
from pfcore.verification.contract import Granularity
from pfcore.verification.estimate import OUTPUT, USUAL
from pfcore.verification.task import tasks

BODY = "".join(
    f"\\begin{{lemma}}\\label{{l{n}}} Fact {n} holds of all numbers. \\end{{lemma}}\n"
    f"\\begin{{proof}} {'It is so. ' * n} \\end{{proof}}\n"
    for n in (1, 2, 3)
)


def test_there_are_two_calls_for_each_module_and_two_more() -> None:
    assert calls(5) == {
        translate.TRANSLATE: 1,
        translate.FAITHFUL: 5,
        verify.STAGE: 5,
        calibrate.STAGE: 1,
    }
    assert sum(calls(188).values()) == 2 * 188 + 2


def test_all_is_sent_to_compare_each_module_and_all_statements_before_it_to_verify_it(
    paper: Callable[..., PaperState],
) -> None:
    now = paper(BODY)
    asking = CountingReader(Granularity.AUTHOR).asking
    listed = list(reversed(tasks(now, now.document.modules)))  # the order does not matter
    found = usages(now, listed, asking)
    rules = {
        stage: len(asking.action(stage, (), rollout=1).request.instructions)
        for stage in REFERENCE_STAGES
    }
    source = len(now.paper.source("main.tex"))
    third, second, first = ((len(task.statement), len(task.proof)) for task in listed)
    own = sum(map(sum, (first, second, third)))
    blocks = 3 * first[0] + 2 * second[0] + third[0] + first[1] + second[1] + third[1]
    assert {stage: usage.input for stage, usage in found.items()} == pytest.approx(
        {
            translate.TRANSLATE: (rules[translate.TRANSLATE] + source) / USUAL,
            translate.FAITHFUL: (3 * (rules[translate.FAITHFUL] + source) + own) / USUAL,
            verify.STAGE: (3 * rules[verify.STAGE] + blocks) / USUAL,
            calibrate.STAGE: (rules[calibrate.STAGE] + source) / USUAL,
        },
        abs=3,  # what joins a statement and its proof counts, too
    )
    assert {stage: usage.output for stage, usage in found.items()} == {
        translate.TRANSLATE: OUTPUT[translate.TRANSLATE],
        translate.FAITHFUL: 3 * OUTPUT[translate.FAITHFUL],
        verify.STAGE: 3 * OUTPUT[verify.STAGE],
        calibrate.STAGE: OUTPUT[calibrate.STAGE],
    }
