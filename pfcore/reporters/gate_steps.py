"""The steps to a pass of the gate: each kind of reason with what to do about it.

A printed command works as printed, once its reason is filled in; no two kinds of reasons share one.
What arXiv surely refuses, and what is an error wherever it occurs, must not be dismissed: for that
the correction is named, and no answer.
"""

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pfcore.reporters.objections import IN_SOURCE
from pfcore.reporters.printing import plural
from pfcore.review.bulk_answers import is_bulk
from pfcore.review.gate import OPEN, Cause, Reason
from pfcore.review.review import NO_PROOF


@dataclass(frozen=True, slots=True, kw_only=True)
class GateHints:
    """How to type commands about what is judged.

    `gate` runs the gate again, `dismiss` begins an answer and `place` ends it; `dismiss` is "" if
    answers are impossible, as for an archive. `paper` is the name of the paper to answer for, if
    there are several. `bundle` is the option of an upload that was asked for. `is_away`: the reader
    may have no `pf` that knows what the model readers have said.
    """

    gate: str = "pf gate"
    dismiss: str = "pf dismiss"
    place: str = ""
    paper: str = ""
    bundle: str = ""
    is_away: bool = False

    @property
    def again(self) -> str:
        """The command that judges only this paper again."""
        named = f" --paper {shlex.quote(self.paper)}" if self.paper else ""
        return f"{self.gate}{named}{self.bundle}"

    def answer(self, *named: str) -> str:
        """The command that answers the named findings, in this paper only."""
        confined = ["--paper", shlex.quote(self.paper)] if self.paper else []
        words = [self.dismiss, *named, *confined]
        return f"{' '.join(words)}{self.place} --reason '…'"


PLAIN_HINTS = GateHints()
_CORRECTIONS: Mapping[str, str] = {
    "missing-figure": "add the file to the commit, or delete its \\includegraphics",
    "missing-source": "add the file to the commit, or do without it",
    "missing-bibliography": "add the .bib or the .bbl to the commit",
    "stale-bibliography": "run LaTeX and BibTeX again, and commit the .bbl",
    "refused-by-arxiv": "change the source as each line says",
    "unfit-figure": "convert the figure as each line says, and commit it",
    "missing-file": "add the file to the commit, or delete the line that reads it",
    "dangling-reference": "define the label, or correct the reference",
    "duplicate-label": "rename one of the two labels",
    "undefined-citation": "give each key an entry, or correct it",
    "lost-reference": "write the reference",
}
"""How to correct findings that must be corrected; no answer to them is offered.

Some would stop arXiv or leave out the bibliography; others print question marks.
"""
_MENDS: Mapping[str, str] = {
    **_CORRECTIONS,
    "draft-mark": "delete it",
    "placeholder": "fill it in or delete it",
    "model-debris": "delete it",
    "broken-character": "retype it",
    "broken-entry": "complete it",
    "unknown-declaration": "correct the name",
    "leanok-added": "finish in Lean, or delete \\leanok",
}
"""The same, with findings that may be intended."""

_STEPS = (
    (
        Cause.UNPROVED,
        ("result has no proof", "results have no proof"),
        "prove or cite it",
    ),
    (Cause.STRUCTURE, ("", ""), ""),
    (
        Cause.LEDGER,
        ("line of pf.lock cannot be read", "lines of pf.lock cannot be read"),
        "correct or delete it",
    ),
    (
        Cause.UNREAD,
        ("proof to read", "proofs to read"),
        "add --model NAME",
    ),
    (
        Cause.FLAGGED,
        ("objection", "objections"),
        "correct the proof",
    ),
    (Cause.CIRCLE, ("circular argument", "circular arguments"), "break it"),
    (Cause.UNSEEN, ("part not looked at", "parts not looked at"), "let pf-verify read it"),
    (
        Cause.NOTHING,
        ("paper has no theorem", "papers have no theorem"),
        "if theorems were not recognised, name their environments in pf.toml: theorems = {NAME = "
        '"theorem"} under [latex]; otherwise, nothing else is left to correct',
    ),
)
"""The steps, the least effort first, for one and for many; for many, "it" becomes "them"."""


class GateStep(NamedTuple):
    """What to do about some reasons; the sentence ends with `lead` and the command.

    `command` is "" if there is nothing to type; `rules` are the checks whose findings it answers.
    """

    words: str
    lead: str = ""
    command: str = ""
    reasons: tuple[Reason, ...] = ()
    rules: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.words}{self.lead}{self.command}"

    @property
    def head(self) -> str:
        """What was found, without what to do about it."""
        return self.words.partition(": ")[0]


def steps_to_a_pass(
    reasons: Sequence[Reason], hints: GateHints = PLAIN_HINTS
) -> Iterator[GateStep]:
    """A sentence for each kind of step, the least effort first."""
    count = Counter(reason.cause for reason in reasons)
    for cause, (one, many), what in _STEPS:
        if cause is Cause.STRUCTURE:
            yield from _structure_steps(reasons, hints)
        elif count[cause]:
            is_last = cause is Cause.NOTHING and len(count) > 1
            then = f"{what} except the points above" if is_last else _of(what, count[cause])
            mine = tuple(reason for reason in reasons if reason.cause is cause)
            step = _command(cause, mine, hints)
            words = f"{plural(count[cause], one, many)}: {then}{step.words}"
            yield step._replace(words=words, reasons=mine)
    resting = tuple(filter(_is_on_an_open_result, reasons))
    if resting:
        some = plural(len(resting), "result depends", "results depend")
        where = "its statement" if len(resting) == 1 else "their statements"
        step = _command(Cause.UNPROVED, resting, hints)
        said = f"{some} on an open result: mention it in {where}, or prove it"
        yield step._replace(words=f"{said}{step.words}", reasons=resting)


def steps_on_a_screen(
    reasons: Sequence[Reason], hints: GateHints = PLAIN_HINTS, *, most: int = 4
) -> tuple[list[GateStep], str]:
    """The same steps in fewer rows, and a sentence with the commands that answer one or all.

    At most `most` checks have a step of their own, both among those whose findings may be answered
    and among the others; the rest is one step, without a command.
    """
    steps = [step for step in steps_to_a_pass(reasons, hints) if step.reasons]
    for is_answered in (True, False):
        steps = _joined(steps, most, is_answered=is_answered)
    rules = list(dict.fromkeys(rule for step in steps for rule in step.rules))
    if len(rules) < 2 or not hints.dismiss:
        return steps, ""
    answered = [step for step in steps if step.rules]
    first = next(reason.finding for reason in answered[0].reasons)
    many = next((step for step in answered if len(step.rules) == 1 < len(step.reasons)), None)
    answer = f"or answer one: {hints.answer(first)}" if first else ""
    if many:
        start = "; all of a check: " if answer else "or answer all of a check: "
        answer += f"{start}{hints.answer(*_named(many.rules))}"
    steps = [step._replace(lead="", command="") if step.rules else step for step in steps]
    return steps, answer


def _joined(steps: Sequence[GateStep], most: int, *, is_answered: bool) -> list[GateStep]:
    """The steps, with those of all checks beyond the limit joined into one."""
    many = [
        step
        for step in steps
        if step.reasons[0].cause in _BY_RULE and bool(step.rules) is is_answered
    ]
    rest = many[most - 1 :] if len(many) > most else []
    if not rest:
        return list(steps)
    found = tuple(reason for step in rest for reason in step.reasons)
    checks = f"{len(rest)} {'other ' * (len(rest) < len(many))}checks"
    words = f"{plural(len(found), 'finding')} of {checks}: correct them"
    joined = GateStep(words, reasons=found)
    return [joined if step is rest[0] else step for step in steps if step not in rest[1:]]


def _of(what: str, number: int) -> str:
    """The instruction for one thing, or for many."""
    is_many = number > 1 and what.endswith(" it")
    return (
        " ".join("them" if word == "it" else word for word in what.split(" ")) if is_many else what
    )


def _command(cause: Cause, reasons: Sequence[Reason], hints: GateHints) -> GateStep:
    """The command for a kind of reason, put after the instruction; "" if there is none."""
    if cause is Cause.UNREAD:
        return GateStep("", "; to skip them: ", f"{hints.again} --allow-unread")
    if cause is Cause.NOTHING:
        own = hints.bundle or " --bundle=arxiv.tar.gz"
        place = next(word for word in shlex.split(own) if word.startswith("--bundle="))
        name = shlex.quote(str(unpassed(Path(place.removeprefix("--bundle=")))))
        if "--unpassed" in shlex.split(own):
            return GateStep(f": rename {name}")
        again = hints.again.removesuffix(hints.bundle)
        written = f": rename {name}, which this command writes"
        return GateStep(written, ": ", f"{again}{own} --unpassed")
    if hints.dismiss and cause is Cause.UNPROVED:
        return GateStep("", *_answer(NO_PROOF, reasons, hints), rules=(NO_PROOF,))
    first = next((item.finding for item in reasons if item.finding), None)
    if hints.dismiss and cause is Cause.FLAGGED and first:
        way = IN_SOURCE.format(id=first) if hints.is_away else hints.answer(first)
        return GateStep("", ", or answer one by one: ", way)
    return GateStep("")


def _answer(rule: str, reasons: Sequence[Reason], hints: GateHints) -> tuple[str, str]:
    """The lead to an answer, and its command: by id for one finding, by check for many."""
    found = {reason.finding for reason in reasons if reason.finding}
    if len(found) == 1 and len(reasons) == 1:
        return ", or answer: ", hints.answer(*found)
    return f", or answer{' all' * (len(reasons) > 1)}: ", hints.answer(*_named([rule]))


def unpassed(place: Path) -> Path:
    """The path for the bundle of a paper that fails, marked in its name."""
    stem, dot, suffixes = place.name.partition(".")
    return place.with_name(f"{stem}-NOT-PASSED{dot}{suffixes}")


def _is_on_an_open_result(reason: Reason) -> bool:
    return reason.cause is Cause.CONDITIONAL and OPEN in reason.words


def resting_on_open_results(reasons: Sequence[Reason]) -> int:
    """How many results depend on an open result without saying so."""
    return sum(map(_is_on_an_open_result, reasons))


_BY_RULE = (Cause.STRUCTURE, Cause.PREFLIGHT)


def _named(rules: Sequence[str]) -> list[str]:
    return [f"--rule {rule}" for rule in rules]


def _is_answered(rule: str) -> bool:
    """Whether an answer to a check's findings is offered, since they may be wrong or intended."""
    return is_bulk(rule) and rule not in _CORRECTIONS


def _rules(reasons: Sequence[Reason]) -> dict[str, tuple[Reason, ...]]:
    """The findings of each check: first those that can be answered in bulk, the fewest first."""
    found: dict[str, list[Reason]] = {}
    for reason in reasons:
        if reason.cause in _BY_RULE:
            found.setdefault(rule_of(reason), []).append(reason)
    order = sorted(found, key=lambda rule: (not _is_answered(rule), len(found[rule]), rule))
    return {rule: tuple(found[rule]) for rule in order}


def _structure_steps(reasons: Sequence[Reason], hints: GateHints) -> Iterator[GateStep]:
    for rule, mine in _rules(reasons).items():
        mend = _of(_MENDS.get(rule, "correct it"), len(mine))
        where = f" ({_places(mine)})" if hints.is_away else ""
        done = f"{plural(len(mine), 'finding')} of {rule}{where}: {mend}"
        if _is_answered(rule) and hints.dismiss:
            lead, answer = _answer(rule, mine, hints)
            yield GateStep(done, lead, answer, reasons=mine, rules=(rule,))
        else:
            yield GateStep(done, reasons=mine)


_MOST_PLACES = 3


def _places(reasons: Sequence[Reason]) -> str:
    """The places of the findings, for a page that lists them elsewhere."""
    found = [f"{item.path}:{item.line}" if item.line else item.path for item in reasons]
    found = list(dict.fromkeys(found))
    more = len(found) - _MOST_PLACES
    return f"{', '.join(found[:_MOST_PLACES])}{f' and {more:,} more' if more > 0 else ''}"


def rule_of(reason: Reason) -> str:
    """The check that found it; "" if it is not a check's."""
    rule, end, _ = reason.words.partition("] ")
    return rule.removeprefix("[") if end and rule.startswith("[") else ""
