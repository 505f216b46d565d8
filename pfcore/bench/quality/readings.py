"""Scores recorded readings again: their replies under today's parsers, votes and quotes.

Called as `python -m pfcore.bench.quality.readings FILE`. FILE is JSON, possibly as .gz, with
`provenance` in words, `rows`, and `replies` by name. A row is a text that was read: whether it is
`faulty`, its statement and proof, the `conditions` under which it was read, the names of the
replies in the order of the questions, and which keys were answered (`told`). If a text was read in
several versions or several times, a row names the `text` and the `version`, and says whether the
objections mean the known defect (`meant`, by two judges). Words of other people's texts are left
out, and a row whose reading cannot be reconstructed without them has its `outcome`. With or without
rows there may be: `deletions`, contexts with one entry removed, and the reply to each; `alarms`,
objections to versions that are believed right, with the grades by two judges; `comparisons` of
rewritings, some of them with a sentence `deleted`. If a reader asked and was answered, `second` has
the input and output tokens of the second question; `other` says that the key asked for was not the
deleted entry; `helped` that the entry was named only as helpful, so that no review asks for it.
`readings` are first answers alone, each with its `reply`. FILE may also be a store of replies, in
which verifiers' answers are counted. No model is used: a recording can be scored again, but not
repeated.

The causes of misses and false alarms are in `causes.json` next to FILE, by the names of file and
item: one word of `ReadingCause` and one sentence. They are opinions of people who read the replies
afterwards, knowing the truth; no outcome depends on them.
"""

import asyncio
import gzip
import json
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import prompts
from pfcore.bench.scoring.scaling import wilson
from pfcore.domain.errors import UsageError
from pfcore.domain.values import Severity
from pfcore.llm.engine.action import Action
from pfcore.llm.engine.run import NoReply, Outcome
from pfcore.llm.protocol import Endpoint, Finish, Reply, TokenUsage
from pfcore.verification.contract import Contract
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.task import ContextTask
from pfcore.verification.translate import FaithfulnessReply, parse_faithfulness
from pfcore.verification.verify import (
    Checked,
    Flagged,
    ModuleVerifier,
    Unread,
    Verdict,
    parse_verdict,
)

CAUSES = "causes.json"


class ScoredReading(NamedTuple):
    """The result of a reading ("flagged", "accepted" or "unread"), and its number of questions."""

    row: Mapping[str, Any]
    outcome: str
    questions: int
    verdict: Verdict

    @property
    def is_second(self) -> bool:
        """Whether the reader asked for something, was answered, and read again."""
        stages = [stage for stage, _ in self.row["replies"]]
        return bool(self.row["told"]) and stages.count("verify") > 1


def load(path: Path) -> Mapping[str, Any]:
    """The readings in a file; UsageError if it has none."""
    try:
        data = path.read_bytes()
        text = gzip.decompress(data) if path.suffix == ".gz" else data
        found = _of_store(text) if text.startswith(_STORE) else json.loads(text)
    except (OSError, ValueError, EOFError, sqlite3.Error) as error:
        raise UsageError(f"{path} holds no readings: {error}") from error
    keys = found.keys() if isinstance(found, dict) else frozenset[str]()
    kinds = {"rows", "readings", "deletions", "alarms", "comparisons"}
    if "replies" not in keys or keys.isdisjoint(kinds):
        raise UsageError(f"{path} holds no readings: it needs replies, and rows or deletions")
    readings: Mapping[str, Any] = found
    return readings


_STORE = b"SQLite format 3"


def _of_store(data: bytes) -> dict[str, Any]:
    """The verifiers' replies in a store, separately: nothing says which text each is about."""
    with closing(sqlite3.connect(":memory:")) as store:
        store.deserialize(data[:18] + b"\1\1" + data[20:])  # as without a write-ahead log
        replies = dict(store.execute("SELECT key, text FROM replies WHERE stage = 'verify'"))
    told = "A store of replies, second answers among them; the record beside it says of what."
    return {"provenance": told, "readings": [{"reply": key} for key in replies], "replies": replies}


def scored(readings: Mapping[str, Any]) -> Iterator[ScoredReading]:
    """The result of each reading."""
    for row in readings.get("rows", ()):
        verdict = asyncio.run(_verdict(row, readings["replies"]))
        name = "unread" if isinstance(verdict, Unread) else "accepted"
        outcome = row.get("outcome") or ("flagged" if isinstance(verdict, Flagged) else name)
        yield ScoredReading(row, outcome, len(row["replies"]), verdict)


async def _verdict(row: Mapping[str, Any], replies: Mapping[str, str]) -> Verdict:
    """The verdict of one reading, given its replies in order."""
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
    """The numbers of outcomes for faulty texts and for right ones, under the same conditions."""

    conditions: Mapping[str, Any]
    faulty: Counter[str]
    right: Counter[str]
    asked: int
    questions: int


def tables(found: Sequence[ScoredReading]) -> list[ReadingTable]:
    """One table for each set of conditions under which texts were read."""
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


class PairedConditions(NamedTuple):
    """The same texts under two conditions, each compared with itself.

    `gained` and `lost` count faulty texts with an objection only after, or only before; `alarms`
    the same for right ones; `chance` is the probability of a difference at least as large if
    conditions change nothing; `dearer` is the relative increase in tokens.
    """

    before: Mapping[str, Any]
    after: Mapping[str, Any]
    gained: int
    lost: int
    alarms: tuple[int, int]
    chance: float
    dearer: float


def pairs(found: Sequence[ScoredReading]) -> list[PairedConditions]:
    """All pairs of conditions with the same texts, those with a single difference first.

    Nothing in the second one is older than in the first.
    """
    groups: dict[str, dict[str, ScoredReading]] = {}
    for item in found:
        if "text" not in item.row:
            key = json.dumps(item.row["conditions"], sort_keys=True)
            groups.setdefault(key, {})[item.row["id"]] = item
    made = [
        _paired(json.loads(one), json.loads(other), groups[one], groups[other])
        for one, other in combinations(sorted(groups), 2)
        if groups[one].keys() == groups[other].keys()
    ]
    later = [one for one in made if all(one.before[key] <= one.after[key] for key in one.before)]
    return sorted(later, key=_differences)


def _differences(pair: PairedConditions) -> int:
    return sum(pair.before[key] != pair.after[key] for key in pair.before)


def _paired(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    earlier: Mapping[str, ScoredReading],
    later: Mapping[str, ScoredReading],
) -> PairedConditions:
    changed = Counter(
        (item.row["faulty"], later[name].outcome == "flagged")
        for name, item in earlier.items()
        if (item.outcome == "flagged") != (later[name].outcome == "flagged")
    )
    gained, lost = changed[True, True], changed[True, False]
    then, now = (sum(sum(item.row.get("tokens", ())) for item in one.values())
                 for one in (earlier, later))  # fmt: skip
    return PairedConditions(
        before=before,
        after=after,
        gained=gained,
        lost=lost,
        alarms=(changed[False, True], changed[False, False]),
        chance=chance(gained, lost),
        dearer=now / then - 1 if then else 0.0,
    )


def chance(gained: int, lost: int) -> float:
    """The two-sided sign test: the probability that a fair coin splits them as unevenly."""
    total = gained + lost
    tail = sum(comb(total, count) for count in range(min(gained, lost) + 1))
    return min(1.0, 2.0 * tail / 2.0**total)


class VersionTable(NamedTuple):
    """The results for one version of some texts, with all readings of a text combined.

    A text is flagged if some reading objects, else unread if some reached no verdict. `errors`
    counts texts with an objection that is called an error; `meant` those where both judges say that
    an objection means the known defect, None without judges; `each` counts readings. `shared`
    counts texts equal to an earlier version, which were not read again; `asking` those for which a
    reader asked for more; `dearer` is what that cost in tokens, relative to everything else, None
    if unknown.
    """

    conditions: Mapping[str, Any]
    version: str
    texts: Counter[str]
    each: Counter[str]
    errors: int
    meant: int | None
    asked: int
    shared: int
    asking: int
    dearer: float | None


def versions(found: Sequence[ScoredReading]) -> list[VersionTable]:
    """One table for each version and set of conditions, for rows that name their texts."""
    groups: dict[tuple[str, str], dict[str, list[ScoredReading]]] = {}
    for item in found:
        if "text" in item.row:
            key = json.dumps(item.row["conditions"], sort_keys=True), item.row["version"]
            groups.setdefault(key, {}).setdefault(item.row["text"], []).append(item)
    made: list[VersionTable] = []
    known: dict[str, set[str]] = {}
    for key, texts in sorted(groups.items()):
        answers = {name: set(map(_answer, listed)) for name, listed in texts.items()}
        shared = sum(given <= known.get(name, set()) for name, given in answers.items())
        made.append(_version(key, texts, shared))
        for name, given in answers.items():
            known.setdefault(name, set()).update(given)
    return made


def _answer(item: ScoredReading) -> str:
    """The name of the verifier's first answer."""
    return next(str(name) for stage, name in item.row["replies"] if stage == "verify")


def dearer(found: Iterable[ScoredReading]) -> float | None:
    """The tokens of second questions relative to all others; None if unknown."""
    listed = list(found)
    if any(item.is_second and "second" not in item.row for item in listed):
        return None
    second = sum(sum(item.row.get("second", ())) for item in listed)
    rest = sum(sum(item.row.get("tokens", ())) for item in listed) - second
    return second / rest if rest else None


def _version(
    key: tuple[str, str], texts: Mapping[str, list[ScoredReading]], shared: int
) -> VersionTable:
    everything = [item for listed in texts.values() for item in listed]
    is_judged = any("meant" in item.row for item in everything)
    return VersionTable(
        conditions=json.loads(key[0]),
        version=key[1],
        texts=Counter(_together(listed) for listed in texts.values()),
        each=Counter(item.outcome for item in everything),
        errors=sum(any(map(_is_error, listed)) for listed in texts.values()),
        meant=sum(any(item.row.get("meant") for item in listed) for listed in texts.values())
        if is_judged
        else None,
        asked=sum(item.is_second for item in everything),
        shared=shared,
        asking=sum(any(item.is_second for item in listed) for listed in texts.values()),
        dearer=dearer(everything),
    )


def _together(listed: Iterable[ScoredReading]) -> str:
    outcomes = {item.outcome for item in listed}
    return next(name for name in ("flagged", "unread", "accepted") if name in outcomes)


def _is_error(item: ScoredReading) -> bool:
    if "outcome" in item.row:
        return bool(item.row.get("is_error"))
    found = item.verdict.objections if isinstance(item.verdict, Flagged) else ()
    return any(one.severity is Severity.ERROR for one in found)


class RepeatedReadings(NamedTuple):
    """How several readings of the same texts vary, each reading alone.

    `votes` counts texts by how many of their readings object; of the `pairs` of readings of one
    text, `flips` counts those in which only one objects.
    """

    version: str
    votes: Counter[int]
    pairs: int
    flips: int


def repeated(found: Iterable[ScoredReading]) -> list[RepeatedReadings]:
    """One line for each version that was read several times.

    An answer counts once for each text, and two answers are compared once, even if several versions
    share them.
    """
    groups: dict[str, dict[str, dict[str, bool]]] = {}
    for item in found:
        if "text" in item.row:
            texts = groups.setdefault(item.row["version"], {})
            texts.setdefault(item.row["text"], {})[_answer(item)] = item.outcome == "flagged"
    made: list[RepeatedReadings] = []
    known: set[frozenset[str]] = set()
    for version, texts in sorted(groups.items()):
        compared = {
            frozenset((one, other)): given[one] != given[other]
            for given in texts.values()
            for one, other in combinations(given, 2)
        }
        flips = [differ for pair, differ in compared.items() if pair not in known]
        known |= compared.keys()
        votes = Counter(sum(given.values()) for given in texts.values())
        made.append(RepeatedReadings(version, votes, len(flips), sum(flips)))
    return [one for one in made if one.pairs]


class AlarmTable(NamedTuple):
    """How two judges see objections to one version: both call them right, both wrong, or neither.

    An objection is right if a judge calls it an error or a slip.
    """

    version: str
    right: int
    wrong: int
    objections: int


_RIGHT = frozenset({"E", "S"})


def alarms(readings: Mapping[str, Any]) -> list[AlarmTable]:
    """The judgements of objections to texts that are believed right, by versions."""
    groups: dict[str, list[list[bool]]] = {}
    for row in readings.get("alarms", ()):
        said = [letter in _RIGHT for letter in row["letters"]]
        groups.setdefault(row["version"], []).append(said)
    return [
        AlarmTable(version, sum(map(all, listed)), len(listed) - sum(map(any, listed)), len(listed))
        for version, listed in sorted(groups.items())
    ]


def comparisons(readings: Mapping[str, Any]) -> dict[bool, Counter[str]]:
    """How often comparisons called rewritings faithful, by whether a sentence was deleted."""
    found: dict[bool, Counter[str]] = {}
    for row in readings.get("comparisons", ()):
        found.setdefault(row["deleted"], Counter())[comparison(readings, row)] += 1
    return dict(sorted(found.items()))


def comparison(readings: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """The result of one comparison: faithful, unfaithful, or none."""
    reply = parse_faithfulness(readings["replies"][row["reply"]])
    if not isinstance(reply, FaithfulnessReply):
        return "no comparison"
    return "unfaithful" if reply.differences else "faithful"


class DeletionTable(NamedTuple):
    """What readers said when an entry was missing.

    They asked for it, asked for something else, objected, or neither; `helped` counts how often it
    was named as only helpful, with any outcome.
    """

    essential: bool
    outcomes: Counter[str]
    helped: int


def deletions(readings: Mapping[str, Any]) -> list[DeletionTable]:
    """How often a missing entry was asked for, by whether the proof depends on it."""
    found: dict[bool, Counter[str]] = {}
    helped: Counter[bool] = Counter()
    for row in readings.get("deletions", ()):
        found.setdefault(row["essential"], Counter())[deletion(readings, row)] += 1
        helped[row["essential"]] += bool(row.get("helped"))
    return [DeletionTable(one, found[one], helped[one]) for one in sorted(found)]


def deletion(readings: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """What one reader said when an entry was missing."""
    reply = parse_verdict(readings["replies"][row["reply"]])
    if not isinstance(reply, Checked):
        return "no reading"
    if reply.missed.wanted:
        return "asked for something else" if row.get("other") else "asked"
    return "objected" if reply.objections else "accepted"


def first_answers(readings: Mapping[str, Any]) -> Counter[str]:
    """How many first answers object, lack something without an objection, or accept."""
    return Counter(_first(readings["replies"][row["reply"]]) for row in readings["readings"])


def _first(text: str) -> str:
    reply = parse_verdict(text)
    if not isinstance(reply, Checked):
        return "no reading"
    if reply.objections:
        return "flagged"
    return "left open" if reply.missed.wanted else "accepted"


def misses_and_alarms(readings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The names of the items that somebody has to look at, and the kind of each.

    A miss is a faulty text that is accepted, or in which nobody means the known defect; an alarm is
    a right one with an objection. Open cases are separate, and so are removed entries that were not
    asked for.
    """
    texts: dict[str, list[ScoredReading]] = {}
    for item in scored(readings):
        texts.setdefault(_name(item.row), []).append(item)
    for name, listed in texts.items():
        if kind := _kind(listed):
            yield name, kind
    for row in readings.get("deletions", ()):
        if row["essential"] and deletion(readings, row) != "asked":
            yield f"{row['id']}, an entry deleted", "not asked for"
    for row in readings.get("comparisons", ()):
        if row["deleted"] and comparison(readings, row) == "faithful":
            yield f"{row['text']}, a sentence deleted", "missed"


def _name(row: Mapping[str, Any]) -> str:
    if "text" in row:
        return f"{row['text']}, {row['version']}"
    conditions = (row["conditions"].get(key) for key in ("contexts", "wording"))
    return ", ".join([row["id"], *filter(None, conditions)])


def _kind(listed: list[ScoredReading]) -> str:
    outcomes = {item.outcome for item in listed}
    if not listed[0].row["faulty"]:
        if "flagged" in outcomes:
            return "alarm"
        return "left open" if "unread" in outcomes else ""
    is_judged = any("meant" in item.row for item in listed)
    is_met = any(item.row.get("meant") for item in listed) if is_judged else "flagged" in outcomes
    if is_met:
        return ""
    return "left open" if "accepted" not in outcomes and "flagged" not in outcomes else "missed"


class ReadingCause(StrEnum):
    """The cause of a miss or an alarm."""

    CONTEXT = "context"
    PROMPT = "prompt"
    READER = "reader"
    TEXT = "text"
    HARMLESS = "harmless"

    @property
    def words(self) -> str:
        """Its meaning in one line."""
        return _WORDS[self]


_WORDS = {
    ReadingCause.CONTEXT: "the context lacks what the verdict hangs on, asked for or not",
    ReadingCause.PROMPT: "the wording has it so: a short gap, or a usage of the field, is taken",
    ReadingCause.READER: "the text has it, and the reader overlooked it",
    ReadingCause.TEXT: "the objection meets something that is there",
    ReadingCause.HARMLESS: "what was changed or taken away makes no difference to the proof",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedItem:
    """A miss or an alarm (`kind`), with its cause if somebody has looked at it."""

    name: str
    kind: str
    cause: ReadingCause | None = None
    why: str = ""


def explained(path: Path, items: Iterable[tuple[str, str]]) -> list[ExplainedItem]:
    """Misses and alarms by name and kind, with the causes from next to the file of readings."""
    known = causes_beside(path)
    return [
        ExplainedItem(name=name, kind=kind, cause=ReadingCause(known[name][0]), why=known[name][1])
        if name in known
        else ExplainedItem(name=name, kind=kind)
        for name, kind in items
    ]


def causes_beside(path: Path) -> Mapping[str, list[str]]:
    """The causes for one file of readings, by the names of items; empty if there are none."""
    place = path.parent / CAUSES
    if not place.is_file():
        return {}
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{place} holds no causes: {error}") from error
    causes: Mapping[str, list[str]] = found["items"].get(path.name.partition(".")[0], {})
    return causes


def cause_lines(path: Path, items: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The numbers of misses and alarms, in all and by cause."""
    found = explained(path, items)
    for kind in dict.fromkeys(item.kind for item in found):
        causes = Counter(item.cause for item in found if item.kind == kind)
        parts = (f"{cause or 'nobody has read why'} {causes[cause]}" for cause in _order(causes))
        yield f"{kind}: {causes.total()}, by cause: {', '.join(parts)}"
    for cause in _order(Counter(item.cause for item in found)):
        if cause is not None:
            yield f"  {cause}: {cause.words}"


def _order(causes: Counter[ReadingCause | None]) -> list[ReadingCause | None]:
    return [cause for cause in (*ReadingCause, None) if causes[cause]]


def share(count: int, of: int) -> str:
    """A share with its Wilson interval at 95 %: `59 of 72 (72–89 %)`."""
    if not of:
        return "0 of 0"
    low, high = wilson(count / of, of)
    return f"{count} of {of} ({low * 100:.0f}–{high * 100:.0f} %)"


def told(readings: Mapping[str, Any]) -> Iterator[str]:
    """The lines that are printed."""
    yield str(readings.get("provenance", "Nobody has said where these readings are from."))
    found = list(scored(readings))
    for version in versions(found):
        yield from _version_lines(version)
    for again in repeated(found):
        votes = ", ".join(f"{votes} in {texts}" for votes, texts in sorted(again.votes.items()))
        yield f"{again.version}: so many readings of a text object, in so many texts: {votes}"
        yield f"  pairs of readings of which only one objects {share(again.flips, again.pairs)}"
    for table in tables([item for item in found if "text" not in item.row]):
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
    for pair in pairs(found):
        named = ", ".join(f"{key} {_change(pair, key)}" for key in pair.before)
        yield f"{named}: of the same faulty texts {pair.gained} more flagged, {pair.lost} no more"
        yield f"  chance {pair.chance:.2f}; {pair.dearer * 100:+.0f} % tokens"
    for deleted in deletions(readings):
        kind = "essential" if deleted.essential else "not known to be essential"
        parts = (
            f"{outcome} {share(deleted.outcomes[outcome], deleted.outcomes.total())}"
            for outcome in ("asked", "asked for something else", "objected", "accepted")
        )
        yield f"an entry deleted, {kind}: {'; '.join(parts)}"
        named = share(deleted.helped, deleted.outcomes.total())
        yield f"  called what would only help {named}"
    if "readings" in readings:
        first = first_answers(readings)
        outcomes = ("flagged", "left open", "accepted")
        parts = (f"{outcome} {share(first[outcome], first.total())}" for outcome in outcomes)
        yield f"answers: {'; '.join(parts)}"
    for alarm in alarms(readings):
        right, wrong = share(alarm.right, alarm.objections), share(alarm.wrong, alarm.objections)
        yield f"objections to {alarm.version}: both judges call {right} right, {wrong} not right"
    for is_deleted, counted in comparisons(readings).items():
        kind = "a sentence deleted" if is_deleted else "as it was made"
        unfaithful = share(counted["unfaithful"], counted.total())
        yield f"rewriting, {kind}: called unfaithful {unfaithful}"


def _version_lines(table: VersionTable) -> Iterator[str]:
    named = ", ".join(f"{key} {value}" for key, value in table.conditions.items())
    texts, readings = table.texts.total(), table.each.total()
    yield f"{named}, {table.version}: {texts} texts, {readings} readings"
    if table.shared:
        yield f"  {table.shared} of the texts say what an earlier version says, not read again"
    yield f"  objected to in some reading {share(table.texts['flagged'], texts)}"
    yield f"  with an error among the objections {share(table.errors, texts)}"
    if table.meant is not None:
        yield f"  an objection means the known defect {share(table.meant, texts)}"
    yield f"  left open {share(table.texts['unread'], texts)}"
    yield f"  readings that object {share(table.each['flagged'], readings)}"
    yield f"  told what they asked for {share(table.asked, readings)}"
    if table.dearer:
        more = f"{table.dearer * 100:.0f} % more tokens"
        yield f"  texts about which they asked {share(table.asking, texts)}: {more}"


def page_table(readings: Mapping[str, Any]) -> Iterator[str]:
    """The rows of the table on the page about quality, one for each set of conditions."""
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


def page_pairs(readings: Mapping[str, Any]) -> Iterator[str]:
    """The rows of that page's table of conditions: the effect of one change on the same texts."""
    for pair in pairs(list(scored(readings))):
        cells = (
            *(_change(pair, key) for key in pair.before),
            f"{pair.gained}",
            f"{pair.lost}",
            f"{pair.chance:.2f}",
            f"{pair.alarms[0]}",
            f"{pair.alarms[1]}",
            f"{pair.dearer * 100:+.0f} %".replace("-", "−"),
        )
        yield f"| {' | '.join(cells)} |"


def _change(pair: PairedConditions, key: str) -> str:
    before, after = pair.before[key], pair.after[key]
    return f"{before}" if before == after else f"{before} → {after}"


_PRINTED = {"as they stand": "unchanged"}
"""The page's names for versions, where the files have others."""


def page_versions(readings: Mapping[str, Any]) -> Iterator[str]:
    """The rows of that page's table of versions: texts, objected, meant, called right."""
    judged = {table.version: table for table in alarms(readings)}
    for table in versions(list(scored(readings))):
        texts = table.texts.total()
        times = table.each.total() // texts
        alarm = judged.get(table.version)
        again = f"; {table.shared} shared" if table.shared else ""
        cells = (
            f"{table.conditions['texts']}, {_PRINTED.get(table.version, table.version)}",
            f"{texts}{again}" if times == 1 else f"{texts}, {times} times each{again}",
            share(table.texts["flagged"], texts),
            "–" if table.meant is None else share(table.meant, texts),
            f"{table.texts['unread']}",
            f"{alarm.right} of {alarm.objections}" if alarm else "–",
        )
        yield f"| {' | '.join(cells)} |"


def main(argv: Sequence[str]) -> int:
    """Print the results of the readings in a file."""
    if len(argv) != 1:
        sys.stderr.write("usage: python -m pfcore.bench.quality.readings FILE\n")
        return 2
    try:
        place = Path(argv[0])
        found = load(place)
        sys.stdout.write(
            "\n".join((*told(found), *cause_lines(place, misses_and_alarms(found)))) + "\n"
        )
    except UsageError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
