"""Recorded readings scored again: what replies come to by today's parsers, votes and quotes.

Called as `python -m pfcore.bench.quality.readings FILE`. FILE is JSON, also as .gz: `provenance` in
words, `rows` and `replies` by name. A row is a text that was read: whether it is `faulty`, its
statement and proof, under which `conditions` it was read, the names of the replies in the order of
the questions, and which keys were answered (`told`). In place of rows there may be `deletions`:
contexts from which one entry was taken, and the reply to each. Nobody is asked; who reads it cannot
repeat the readings, only score them.
"""

import asyncio
import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import prompts
from pfcore.bench.scoring.scaling import wilson
from pfcore.domain.errors import UsageError
from pfcore.llm.engine.action import Action
from pfcore.llm.engine.run import NoReply, Outcome
from pfcore.llm.protocol import Endpoint, Finish, Reply, TokenUsage
from pfcore.verification.contract import Contract
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import (
    Checked,
    Flagged,
    ModuleVerifier,
    Unread,
    Verdict,
    parse_verdict,
)


class ScoredReading(NamedTuple):
    """What a reading came to: "flagged", "accepted" or "unread"; how many questions it took."""

    row: Mapping[str, Any]
    outcome: str
    questions: int
    verdict: Verdict

    @property
    def is_second(self) -> bool:
        """Whether the reader had asked for something and was told."""
        stages = [stage for stage, _ in self.row["replies"]]
        return stages.count("verify") > 1


def load(path: Path) -> Mapping[str, Any]:
    """The readings of a file; UsageError where it is none."""
    try:
        data = path.read_bytes()
        text = gzip.decompress(data) if path.suffix == ".gz" else data
        found = json.loads(text)
    except (OSError, ValueError, EOFError) as error:
        raise UsageError(f"{path} holds no readings: {error}") from error
    keys = found.keys() if isinstance(found, dict) else frozenset[str]()
    if "replies" not in keys or keys.isdisjoint({"rows", "deletions"}):
        raise UsageError(f"{path} holds no readings: it needs replies, and rows or deletions")
    readings: Mapping[str, Any] = found
    return readings


def scored(readings: Mapping[str, Any]) -> Iterator[ScoredReading]:
    """What each reading comes to."""
    for row in readings.get("rows", ()):
        verdict = asyncio.run(_verdict(row, readings["replies"]))
        name = "unread" if isinstance(verdict, Unread) else "accepted"
        outcome = "flagged" if isinstance(verdict, Flagged) else name
        yield ScoredReading(row, outcome, len(row["replies"]), verdict)


async def _verdict(row: Mapping[str, Any], replies: Mapping[str, str]) -> Verdict:
    """The verdict of one reading, its replies given in their order."""
    left = [replies[name] for _, name in row["replies"]]
    told = frozenset(row["told"])

    async def run(_: Action) -> Outcome:
        if not left:
            return NoReply(reason="no reply is on record")
        return Reply(text=left.pop(0), usage=TokenUsage(), finish=Finish.STOP, model="recorded")

    contract = Contract(
        endpoint=Endpoint.CHAT,
        model="recorded",
        prompts=tuple(prompts.SETS[row["conditions"]["wording"]].items()),
    )
    task = ContextTask(
        module=row["id"],
        context="",
        given=(),
        statement=row["statement"],
        proof=row["proof"],
        answer=lambda key: "told" if key in told else "",
    )
    asking = ActionFactory(contract=contract, prompt=prompts.prompt)
    return await ModuleVerifier(run=run, asking=asking).block(task, 1)


class ReadingTable(NamedTuple):
    """How often each outcome was, of faulty texts and of right ones, under the same conditions."""

    conditions: Mapping[str, Any]
    faulty: Counter[str]
    right: Counter[str]
    asked: int
    questions: int


def tables(found: Sequence[ScoredReading]) -> list[ReadingTable]:
    """One table for all conditions under which texts were read."""
    groups: dict[str, list[ScoredReading]] = {}
    for item in found:
        groups.setdefault(json.dumps(item.row["conditions"], sort_keys=True), []).append(item)
    return [
        ReadingTable(
            conditions=json.loads(key),
            faulty=Counter(item.outcome for item in listed if item.row["faulty"]),
            right=Counter(item.outcome for item in listed if not item.row["faulty"]),
            asked=sum(item.is_second for item in listed),
            questions=sum(item.questions for item in listed),
        )
        for key, listed in sorted(groups.items())
    ]


class DeletionTable(NamedTuple):
    """What readers said where an entry was missing: it was asked for, objected to, or neither."""

    essential: bool
    outcomes: Counter[str]


def deletions(readings: Mapping[str, Any]) -> list[DeletionTable]:
    """How often an entry that is missing was asked for, by whether the proof hangs on it."""
    found: dict[bool, Counter[str]] = {}
    for row in readings.get("deletions", ()):
        reply = parse_verdict(readings["replies"][row["reply"]])
        outcome = "no reading"
        if isinstance(reply, Checked):
            outcome = "objected" if reply.objections else "accepted"
            outcome = "asked" if reply.missed.wanted else outcome
        found.setdefault(row["essential"], Counter())[outcome] += 1
    return [DeletionTable(essential, found[essential]) for essential in sorted(found)]


def share(count: int, of: int) -> str:
    """A share with its Wilson interval of 95 %: `59 of 72 (72–89 %)`."""
    if not of:
        return "0 of 0"
    low, high = wilson(count / of, of)
    return f"{count} of {of} ({low * 100:.0f}–{high * 100:.0f} %)"


def told(readings: Mapping[str, Any]) -> Iterator[str]:
    """The lines that are printed."""
    yield str(readings.get("provenance", "Nobody has said where these readings are from."))
    for table in tables(list(scored(readings))):
        named = ", ".join(f"{key} {value}" for key, value in table.conditions.items())
        yield f"{named}:"
        for name, counts in (("faulty", table.faulty), ("right", table.right)):
            total = counts.total()
            outcomes = ("flagged", "unread", "accepted")
            parts = (f"{outcome} {share(counts[outcome], total)}" for outcome in outcomes)
            yield f"  {name}: {'; '.join(parts)}"
        readings_of = table.faulty.total() + table.right.total()
        yield f"  told what they asked for: {share(table.asked, readings_of)}"
        yield f"  questions: {table.questions}"
    for deleted in deletions(readings):
        kind = "essential" if deleted.essential else "not known to be essential"
        parts = (
            f"{outcome} {share(deleted.outcomes[outcome], deleted.outcomes.total())}"
            for outcome in ("asked", "objected", "accepted")
        )
        yield f"an entry deleted, {kind}: {'; '.join(parts)}"


def readme_table(readings: Mapping[str, Any]) -> Iterator[str]:
    """The rows of the table in the README, one for all conditions under which texts were read."""
    for table in tables(list(scored(readings))):
        faulty, right = table.faulty, table.right
        cells = (
            *(str(value) for value in table.conditions.values()),
            share(faulty["flagged"], faulty.total()),
            f"{faulty['unread']} of {faulty.total()}",
            share(faulty["accepted"], faulty.total()),
            share(right["flagged"], right.total()),
            f"{right['unread']} of {right.total()}",
        )
        yield f"| {' | '.join(cells)} |"


def main(argv: Sequence[str]) -> int:
    """Print what the readings of a file come to."""
    if len(argv) != 1:
        sys.stderr.write("usage: python -m pfcore.bench.quality.readings FILE\n")
        return 2
    try:
        sys.stdout.write("\n".join(told(load(Path(argv[0])))) + "\n")
    except UsageError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
