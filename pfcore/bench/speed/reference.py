"""What the reference implementation of the paper takes, by a formula.

It makes 2n + 2 calls for n modules (https://github.com/Slim205/pseudo-formalization), one after the
other. With S the source, s_i and p_i the statement and the proof of module i, and I_x the
instructions of a stage (here: as long as ours), one rollout sends

    rewriting      I_t + S
    faithfulness   sum over i of (I_f + S + s_i + p_i)     (it sends the PDF each time)
    blocks         sum over i of (I_v + s_1 + … + s_i + p_i)
    calibration    I_c + S

Flags are left out, and the statements of definitions: both would make it more. Its output is that
of the paper's table of stage costs for each call, but for the rewriting, which says all of S again.
"""

from collections.abc import Mapping, Sequence

from pfcore.graph.paper_state import PaperState
from pfcore.llm.protocol import TokenUsage
from pfcore.verification import calibrate, faithful, stages_translate, stages_verify
from pfcore.verification.estimate import OUTPUT, USUAL
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.task import ContextTask

REFERENCE_STAGES = (
    stages_translate.TRANSLATE,
    faithful.FAITHFUL,
    stages_verify.STAGE,
    calibrate.STAGE,
)


def calls(modules: int) -> Mapping[str, int]:
    """The calls of one rollout, by stage: 2n + 2."""
    return dict(zip(REFERENCE_STAGES, (1, modules, modules, 1), strict=True))


def usages(
    now: PaperState, listed: Sequence[ContextTask], asking: ActionFactory
) -> Mapping[str, TokenUsage]:
    """The tokens of one rollout, by stage."""
    place = {name: number for number, name in enumerate(now.document.modules)}
    fixed = {
        stage: len(asking.action(stage, (), rollout=1).request.instructions)
        for stage in REFERENCE_STAGES
    }
    source = sum(len(now.paper.source(path)) for path in now.paper.outline.order)
    into = {stage: fixed[stage] + source for stage in (stages_translate.TRANSLATE, calibrate.STAGE)}
    into |= {faithful.FAITHFUL: 0, stages_verify.STAGE: 0}
    before = 0
    for task in sorted(listed, key=lambda task: place[task.module]):
        before += len(task.statement)
        into[faithful.FAITHFUL] += fixed[faithful.FAITHFUL] + source + task.length
        into[stages_verify.STAGE] += fixed[stages_verify.STAGE] + before + len(task.proof)
    made = calls(len(listed))
    out = {stage: made[stage] * OUTPUT[stage] for stage in REFERENCE_STAGES}
    out[stages_translate.TRANSLATE] = max(out[stages_translate.TRANSLATE], round(source / USUAL))
    return {
        stage: TokenUsage(input=round(into[stage] / USUAL), output=out[stage])
        for stage in REFERENCE_STAGES
    }
