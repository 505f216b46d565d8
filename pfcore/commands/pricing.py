"""What reading some modules costs, in words: at most, and about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pfcore.estimate import Estimate, at_most, likely
from pfcore.llm.settings import Choice
from pfcore.report.plain import count, safe
from pfcore.verdicts.session import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """Some modules to be read, and what that takes."""

    modules: int
    model: str
    host: str
    rollouts: int = 0
    most: Estimate = field(default_factory=Estimate)
    about: Estimate = field(default_factory=Estimate)

    @property
    def likely_dollars(self) -> float | None:
        """What it would cost with the averages that the paper has published; None: no price."""
        return self.about.dollars

    def sentence(self) -> str:
        """For whoever is asked whether to go on: what leaves the machine, and what it costs."""
        if not self.modules:
            return f"Nothing is left to ask {safe(self.model)}."
        proofs = count(self.modules, "proof")
        times = "once" if self.rollouts == 1 else f"{self.rollouts} times"
        return (
            f"{proofs} with their contexts go to {safe(self.model)} at {safe(self.host)}, "
            f"{times} each: {self._price()}"
        )

    def _price(self) -> str:
        most, about = self.most, self.about
        tokens = f"{most.input:,} tokens in and {most.output:,} out"
        if most.dollars is None or about.dollars is None:
            return f"at most {most.calls:,} calls, {tokens}; its price is not known."
        if most.dollars == 0:
            return f"at most {most.calls:,} calls, {tokens}; it costs nothing but time."
        return (
            f"about ${about.dollars:.2f} by the averages of the paper, "
            f"at most {most.calls:,} calls, {tokens}, ${most.dollars:,.2f}."
        )

    def numbers(self) -> Mapping[str, int | float | None]:
        """The upper bounds, for JSON."""
        most = self.most
        return {
            "calls": most.calls,
            "input_tokens": most.input,
            "output_tokens": most.output,
            "cost_usd": most.dollars,
        }


def priced(jobs: Sequence[Job], choice: Choice) -> Priced:
    """The price of some jobs, which may be of several papers."""
    groups: dict[int, list[Job]] = {}
    for job in jobs:
        groups.setdefault(id(job.knowledge), []).append(job)
    most, about, rollouts = Estimate(), Estimate(), 0
    for group in groups.values():
        knowledge = group[0].knowledge
        if knowledge.asking is None:
            continue
        tasks = [job.task for job in group]
        known = (tasks, knowledge.asking, knowledge.judging, choice.price)
        most, about = _sum(most, at_most(*known)), _sum(about, likely(*known))
        rollouts = max(rollouts, knowledge.judging.rollouts)
    return Priced(
        modules=len(jobs),
        model=choice.model,
        host=choice.connection.host,
        rollouts=rollouts,
        most=most,
        about=about,
    )


def _sum(one: Estimate, other: Estimate) -> Estimate:
    is_known = one.dollars is not None and other.dollars is not None
    return Estimate(
        calls=one.calls + other.calls,
        input=one.input + other.input,
        output=one.output + other.output,
        dollars=(one.dollars or 0) + (other.dollars or 0) if is_known else None,
    )
