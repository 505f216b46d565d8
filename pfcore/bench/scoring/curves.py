"""From saved runs to curves over k: which runs belong together, what each is called."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pfcore.bench.runs.saved_run import Benchmark, Header, Judge, Method, RunAsked, SavedRun
from pfcore.bench.scoring.measures import PAPERS, STEPS
from pfcore.bench.scoring.scaling import IntervalEstimate, Sampling, curve
from pfcore.bench.scoring.scores import Rules, scored

USUAL = Sampling(resamples=200)
"""Fewer resamples than elsewhere: a curve over eight rollouts has 255 subsets to be drawn for."""

_METHODS = {Method.DIRECT: "direct judge", Method.PF: "PF + block verification"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The measures of one run at each k, under one judge and one set of rules.

    `counted` rows had all their verdicts; `left_out` says why the others do not count. `judge` is
    None for proofs, whose steps need none.
    """

    mark: str
    run: SavedRun
    judge: Judge | None
    rules: Rules
    points: Mapping[int, Mapping[str, IntervalEstimate]]
    counted: int
    left_out: Mapping[str, str]

    @property
    def header(self) -> Header:
        """What the run says of itself."""
        return self.run.header

    @property
    def model(self) -> str:
        """The model, as the server named it."""
        return _named(self.header.asked, self.header)

    @property
    def judge_model(self) -> str:
        """Who judged locations, by the name that the server gave; "" where nobody did."""
        header = self.header
        return _named(header.judge, header) if header.judge else ""

    @property
    def method(self) -> str:
        """The method in words."""
        words = _METHODS[self.header.method]
        is_bare = self.header.method is Method.PF and not self.header.self_repair
        return f"{words}, no self-repair" if is_bare else words

    @property
    def label(self) -> str:
        """What a legend says: method, model, and whether anybody was asked."""
        simulated = " (simulated)" if self.header.simulated else ""
        return f"{self.mark}  {self.method}, {self.model}{simulated}"


def curves(
    runs: Mapping[str, SavedRun],
    *,
    judge: Judge = Judge.INCLUSIVE,
    rules: Rules = Rules.OWN,
    how: Sampling = USUAL,
) -> list[Curve]:
    """A curve for each run, by their marks."""
    return [_curve(mark, run, judge, rules, how) for mark, run in runs.items()]


def groups(runs: Sequence[SavedRun]) -> dict[Benchmark, dict[str, SavedRun]]:
    """The runs by benchmark, marked A, B, … in their order."""
    found: dict[Benchmark, dict[str, SavedRun]] = {}
    for number, run in enumerate(runs):
        found.setdefault(run.header.benchmark, {})[_mark(number)] = run
    return found


def is_one_data_set(listed: Sequence[Curve]) -> bool:
    """Whether curves are of the same rows, so that they can be compared."""
    return len({item.header.data_digest for item in listed}) <= 1


def identity(item: Curve, *, judges: str = "") -> str:
    """All that a table has to say of a run; `judges` where it is about more than the curve's."""
    header = item.header
    n = f"n = {item.counted}"
    if item.left_out:
        n += f" of {header.n}, {len(item.left_out)} without a verdict"
    parts = [
        f"{item.mark}: {item.method}",
        f"model {item.model}",
        f"contract {header.asked.contract[:8]}",
        n,
        f"k = {header.k}",
        header.date[:10],
        "simulated, no model was asked" if header.simulated else "not simulated",
    ]
    if header.judge is not None:
        parts.append(f"locations judged by {item.judge_model}, {judges or item.judge}")
    return "; ".join(parts)


def _named(asked: RunAsked, header: Header) -> str:
    """The name that a server gave; the one that was asked for where none answered, or is none."""
    served = () if header.simulated else asked.served
    return ", ".join(served) or asked.model


def _curve(mark: str, run: SavedRun, judge: Judge, rules: Rules, how: Sampling) -> Curve:
    is_paper = run.header.benchmark is Benchmark.ARXIV
    found = scored(run, judge=judge, rules=rules)
    measures = PAPERS if is_paper else STEPS
    return Curve(
        mark=mark,
        run=run,
        judge=judge if is_paper else None,
        rules=rules,
        points=curve(found.rows, measures, how) if found.rows else {},
        counted=len(found.rows),
        left_out=found.left_out,
    )


def _mark(number: int) -> str:
    return chr(ord("A") + number) if number < 26 else f"R{number + 1}"
