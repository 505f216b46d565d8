"""A push to the base of open pull requests, in the Action: whose comparison does it change?

A comparison consists of a head, its merge base, and the settings and ledgers of the base. If none
of these changes, all checks remain true. Otherwise the run of the pull request is started again,
against the current base; if GitHub refuses, its check says that it was not reviewed.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.domain.forge import ActionForge, BasedPull, RunForge, WorkflowRun
from bot.publishing.action_checks import JOB, doubt, doubt_by_hand

MOST_RUNS = 20
"""How many runs a push starts again; the others wait for a push or a re-run."""
_TRIED = 10
"""How many runs of a pull request are searched; those of closing and of labels review nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BasePush:
    """A push to a branch; `before` None: the branch is new, or its earlier tip is unknown.

    `is_setting_moved`: a `pf.toml` or `pf.lock` changed. `workflow` is the name of the workflow's
    file, and `at` the time of the push in seconds since 1970.
    """

    branch: str
    before: str | None
    after: str
    is_setting_moved: bool
    workflow: str
    at: float


def tell_base(push: BasePush, key: str, runs: RunForge, forge: ActionForge, *, paper: str) -> str:
    """Have pull requests reviewed again whose comparison has changed; a sentence."""
    pulls = runs.pulls(push.branch)
    moved = [pull for pull in pulls if is_moved(push, pull, runs)]
    said = []
    for place, pull in enumerate(moved):
        if place < MOST_RUNS and _is_run_again(push, pull, pulls, runs):
            more = doubt_by_hand(pull, key, forge)
            said.append(f"#{pull.number}: reviewed again{more}")
        else:
            said.append(f"#{pull.number}: {doubt(pull, key, forge, paper=paper)}")
    said.append(f"{len(pulls) - len(moved)} not affected")
    return "; ".join(said)


def is_moved(push: BasePush, pull: BasedPull, runs: RunForge) -> bool:
    """Whether a push changes the base of a pull request's comparison, or its settings."""
    if push.is_setting_moved or push.before is None:
        return True
    before = runs.merge_base(push.before, pull.head)
    return before is None or before != runs.merge_base(push.after, pull.head)


def _is_run_again(
    push: BasePush, pull: BasedPull, pulls: Iterable[BasedPull], runs: RunForge
) -> bool:
    """Whether the newest run of a pull request was started again, or began after the push."""
    alike = [it for it in pulls if (it.branch, it.source) == (pull.branch, pull.source)]
    own = [
        run
        for run in runs.runs(push.workflow, pull.head)
        if (run.branch, run.source) == (pull.branch, pull.source)
    ]
    for run in own[:_TRIED]:
        if not run.is_over and run.began > push.at and len(alike) == 1:
            return True
        if _is_its(run, pull, alike, runs):
            return runs.again(run)
    return False


def _is_its(run: WorkflowRun, pull: BasedPull, alike: Iterable[BasedPull], runs: RunForge) -> bool:
    """Whether a run reviews this pull request, by the name of its structure job.

    The oldest of the pull requests from one branch has the required name.
    """
    names = [name.rpartition(" / ")[2] for name in runs.jobs(run.id)]
    if f"{JOB} (#{pull.number})" in names:
        return True
    is_first = pull.number == min(it.number for it in alike)
    return is_first and (JOB in names or (not run.is_over and len(list(alike)) == 1))
