"""Figures from recorded objections to withdrawn papers: places and judges, by vote and reader.

An author's reason for withdrawing is one error of a paper; an objection that is not this reason may
still be true.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb

from pfcore.bench.replay.recorded_answers import (
    Judgements,
    ObjectionKey,
    RecordedReading,
    RecordedSet,
    WithdrawnPapers,
)
from pfcore.bench.replay.replay_tables import (
    ReplayFigure,
    ReplayTable,
    mean_share,
    number,
    share,
)
from pfcore.bench.runs.location_judges import Relation, place_keys, relation
from pfcore.bench.scoring.measures import Votes, flip_rate
from pfcore.verification.locations import is_labelled, is_result, leading, printed_place, singular

_SET = RecordedSet.WITHDRAWN
_COUNTS = (1, 2, 3, 5, 8, 10)
"""The numbers of readings in tables, as far as there are that many."""
_WORD = re.compile(r"(?<!\w)[A-Za-z]")
_WIDE = ("section", "appendix")

PlaceReader = Callable[[str], frozenset[str]]
"""Returns the keys of the places that words name."""


def place_tables(papers: WithdrawnPapers) -> Iterator[ReplayTable]:
    """All tables for the recorded objections."""
    if not papers.places:
        return
    yield papers_on_record(papers)
    yield places_named(papers)
    for judge in papers.hits:
        yield votes_and_hits(papers, judge)
    for judge in papers.truths:
        yield votes_and_truth(papers, judge)
    yield same_again(papers)
    for judge in papers.hits:
        yield recall_by_readings(papers, judge)
        if papers.mathematics:
            yield recall_by_readings(papers, judge, among=papers.mathematics)
        yield two_readings(papers, judge)
        yield papers_hit(papers, judge)
    for one, other in combinations(papers.hits, 2):
        yield two_judges(papers, one, other)
    for judge in papers.hits:
        yield label_judge(papers, judge)
    yield flips(papers)


def results_of(words: str) -> frozenset[str]:
    """The labelled results that the words of a place name."""
    return frozenset(key for key in place_keys(words) if is_result(key))


def places_in(comment: str) -> frozenset[str]:
    """The numbered places in running text, except sections, which contain too many others."""
    said = (leading(singular(comment[word.start() :])) for word in _WORD.finditer(comment))
    return frozenset(
        printed_place(label).key
        for label in said
        if any(letter.isdigit() for letter in label) and not label.lower().startswith(_WIDE)
    )


def papers_on_record(papers: WithdrawnPapers) -> ReplayTable:
    """The amount of data."""
    comments = papers.comments.values()
    objections = sum(
        len(listed) for reading in papers.readings for listed in papers.places[reading].values()
    )
    return ReplayTable(
        key="papers-on-record",
        question="What is on record of withdrawn papers?",
        source=_SET,
        unit="papers; of the last lines, readings of each paper, and objections",
        figures=(
            share("of mathematics", len(papers.mathematics), len(papers.comments)),
            share("the author names a numbered place", sum(map(bool, map(places_in, comments))),
                  len(papers.comments)),
            number("readings of each paper", None, len(papers.readings)),
            number("objections of all readings", None, objections),
        ),
    )  # fmt: skip


def places_named(papers: WithdrawnPapers) -> ReplayTable:
    """The results of our parser of places on the words of all objections."""
    count: Counter[str] = Counter()
    for reading in papers.readings:
        for listed in papers.places[reading].values():
            for words in listed:
                keys = place_keys(words)
                count["all"] += 1
                count["result"] += any(map(is_result, keys))
                count["wide"] += any(key.startswith(_WIDE) for key in keys if is_labelled(key))
                count["none"] += not any(map(is_labelled, keys))
    return ReplayTable(
        key="places",
        question="What do objections name as their place?",
        source=_SET,
        unit="objections of all readings",
        figures=(
            share("a labelled result", count["result"], count["all"]),
            share("a section or appendix alone", count["wide"], count["all"]),
            share("no label that is understood", count["none"], count["all"]),
        ),
    )


def votes_and_hits(papers: WithdrawnPapers, judge: str) -> ReplayTable:
    """Whether an objection is the author's reason, by how many models name the same result."""
    readings = _of_pdfs(papers, papers.hits[judge])
    return ReplayTable(
        key="votes-and-hits",
        question="Does agreement on a labelled result mean that it is the author's reason?",
        source=_SET,
        judge=judge,
        unit="judged objections that name a result",
        figures=_by_votes(papers, papers.hits[judge], readings, results_of),
        note="Readings of the PDF. An objection counts under the most models that name a result "
        f"that it names. {_models(readings)}",
    )


def votes_and_truth(
    papers: WithdrawnPapers, judge: str, without: Collection[str] = ()
) -> ReplayTable:
    """Whether an objection is true, by how many models name the same place."""
    said = papers.truths[judge]
    readings = [item for item in _of_pdfs(papers, said) if item.model not in without]
    return ReplayTable(
        key="votes-and-truth",
        question="Does agreement on any place mean that an objection is true?",
        source=_SET,
        judge=judge,
        unit="judged objections",
        figures=_by_votes(papers, said, readings, place_keys),
        note="Readings of the PDF. An objection counts under the most models that name a place "
        f"that it names. {_models(readings)}",
    )


def _of_pdfs(papers: WithdrawnPapers, said: Judgements) -> list[RecordedReading]:
    return [item for item in papers.readings if not item.is_tex and item in said]


def _models(readings: Sequence[RecordedReading]) -> str:
    return "Models: " + "; ".join(item.model for item in readings) + "."


def _by_votes(
    papers: WithdrawnPapers,
    said: Judgements,
    readings: Sequence[RecordedReading],
    read: PlaceReader,
) -> tuple[ReplayFigure, ...]:
    """The share of objections that hold, by how many of the readings name one of their places."""
    keys = {
        (reading, ObjectionKey(paper, index)): read(words)
        for reading in readings
        for paper, listed in papers.places[reading].items()
        for index, words in enumerate(listed)
    }
    voters: dict[tuple[str, str], set[RecordedReading]] = defaultdict(set)
    for (reading, objection), named in keys.items():
        for key in named:
            voters[objection.paper, key].add(reading)
    holds: Counter[int] = Counter()
    count: Counter[int] = Counter()
    for (reading, objection), named in keys.items():
        verdict = said[reading].get(objection)
        if named and verdict is not None:
            votes = max(len(voters[objection.paper, key]) for key in named)
            count[votes] += 1
            holds[votes] += verdict
    return tuple(
        share(f"named by {votes} of {len(readings)}", holds[votes], count[votes])
        for votes in sorted(count)
    )


def same_again(papers: WithdrawnPapers) -> ReplayTable:
    """Whether a model names in the TeX the result that it objects to in the PDF."""
    figures = []
    for reading in papers.readings:
        other = reading._replace(is_tex=True)
        if reading.is_tex or other not in papers.places:
            continue
        again = count = 0
        for paper, listed in papers.places[reading].items():
            second = papers.places[other].get(paper)
            if second is None:
                continue
            there = frozenset[str]().union(*map(results_of, second))
            named = [keys for keys in map(results_of, listed) if keys]
            count += len(named)
            again += sum(not keys.isdisjoint(there) for keys in named)
        figures.append(share(reading.model, again, count))
    return ReplayTable(
        key="same-again",
        question="Does a model object again where it did?",
        source=_SET,
        unit="objections to the PDF that name a labelled result",
        figures=tuple(figures),
        note="Again: an objection of the same model to the TeX of the paper names the same result.",
    )


def _hit_papers(papers: WithdrawnPapers, judge: str) -> dict[RecordedReading, set[str]]:
    """The papers for which a reading has the author's reason, according to a judge."""
    said = papers.hits[judge]
    return {
        reading: {key.paper for key, is_hit in said[reading].items() if is_hit}
        for reading in papers.readings
        if reading in said
    }


def recall_by_readings(
    papers: WithdrawnPapers, judge: str, *, among: frozenset[str] | None = None
) -> ReplayTable:
    """The papers whose reason is found by n of the readings, over all choices of n.

    `among` are the papers that count; None: all.
    """
    hit = _hit_papers(papers, judge)
    wanted = [paper for paper in papers.papers if among is None or paper in among]
    found = [sum(paper in one for one in hit.values()) for paper in wanted]
    objections = [len(papers.places[item][paper]) for item in hit for paper in wanted]
    mean = sum(objections) / len(objections) if objections else None
    return ReplayTable(
        key="recall-by-readings",
        question="What share of the authors' reasons do so many readings find?",
        source=_SET,
        judge=judge,
        unit="papers" if among is None else "papers of mathematics",
        figures=(
            *(
                mean_share(
                    f"{k} of {len(hit)} readings",
                    [1 - comb(len(hit) - m, k) / comb(len(hit), k) for m in found],
                    len(found),
                )
                for k in _COUNTS
                if k <= len(hit)
            ),
            number("objections a reading", mean, len(objections)),
        ),
        note="The mean over all choices of readings, of PDF and TeX. The last line is no share; "
        "its n is readings of a paper.",
    )


def two_readings(papers: WithdrawnPapers, judge: str) -> ReplayTable:
    """Two readings by two models compared with two by one (PDF and TeX): what both find."""
    shared = set(papers.papers)
    hit = {item: found & shared for item, found in _hit_papers(papers, judge).items()}
    whole = len(shared)
    figures: list[ReplayFigure] = []
    for name, is_same in (("two models", False), ("one model twice", True)):
        pairs = [
            (hit[one], hit[other])
            for one, other in combinations(hit, 2)
            if (one.model == other.model) is is_same
        ]
        if not pairs or not whole:
            continue
        both = [len(one | other) / whole for one, other in pairs]
        gains = [
            len(one | other) / whole - max(len(one), len(other)) / whole for one, other in pairs
        ]
        figures += (
            mean_share(f"{name}: found", both, whole),
            number(f"{name}: gain over the better one", sum(gains) / len(gains), len(pairs)),
        )
    return ReplayTable(
        key="two-readings",
        question="Do two models find more than one model twice?",
        source=_SET,
        judge=judge,
        unit="papers; of gains, pairs of readings",
        figures=tuple(figures),
        note="Means over all pairs of readings. A gain is a difference of shares.",
    )


def papers_hit(papers: WithdrawnPapers, judge: str) -> ReplayTable:
    """The papers for which each reading has the author's reason, according to a judge."""
    return ReplayTable(
        key="papers-hit",
        question="Of how many papers does each reading have the author's reason?",
        source=_SET,
        judge=judge,
        unit="papers",
        figures=tuple(
            share(reading.shown, len(found), len(papers.places[reading]))
            for reading, found in _hit_papers(papers, judge).items()
        ),
    )


def two_judges(papers: WithdrawnPapers, one: str, other: str) -> ReplayTable:
    """How far two judges agree on the objections that both have judged."""
    both: Counter[tuple[bool, bool]] = Counter()
    for reading in papers.readings:
        first = papers.hits[one].get(reading, {})
        second = papers.hits[other].get(reading, {})
        both.update((first[key], second[key]) for key in first.keys() & second.keys())
    count = both.total()
    return ReplayTable(
        key="two-judges",
        question="Do two judges agree on what the author's reason is?",
        source=_SET,
        judge=f"{one}; {other}",
        unit="objections that both have judged",
        figures=(
            share("agree", both[True, True] + both[False, False], count),
            number("Cohen's kappa", kappa(both), count),
            share(f"a hit for {one}", both[True, True] + both[True, False], count),
            share(f"a hit for {other}", both[True, True] + both[False, True], count),
        ),
        note="Each judge stops at its first hit in a paper, so that both have judged what stands "
        "before either stops. Papers without an objection are not judged and not counted.",
    )


def kappa(both: Mapping[tuple[bool, bool], int]) -> float | None:
    """Cohen's kappa of two judges, from their joint counts; None if chance explains everything."""
    cells = {(a, b): both.get((a, b), 0) for a in (True, False) for b in (True, False)}
    n = sum(cells.values())
    if not n:
        return None
    agree = (cells[True, True] + cells[False, False]) / n
    one, other = ((cells[True, True] + cells[cell]) / n for cell in ((True, False), (False, True)))
    chance = one * other + (1 - one) * (1 - other)
    return (agree - chance) / (1 - chance) if chance < 1 else None


def label_judge(papers: WithdrawnPapers, judge: str) -> ReplayTable:
    """Our matcher of labels compared with a model, if the author names a numbered place."""
    named = {paper: places_in(comment) for paper, comment in papers.comments.items()}
    count: Counter[tuple[bool, bool]] = Counter()
    seen: set[str] = set()
    for reading in papers.readings:
        for key, is_hit in papers.hits[judge].get(reading, {}).items():
            known = named.get(key.paper)
            if not known:
                continue
            words = papers.places[reading][key.paper][key.number]
            is_named = any(relation(place, words) is not Relation.OTHER for place in known)
            count[is_named, is_hit] += 1
            seen.add(key.paper)
    both = count[True, True]
    return ReplayTable(
        key="label-judge",
        question="Does the place alone tell whether an objection is the author's reason?",
        source=_SET,
        judge=judge,
        unit="judged objections that our labels call a hit; that the judge calls one",
        figures=(
            share("precision of our labels", both, both + count[True, False]),
            share("recall of our labels", both, both + count[False, True]),
        ),
        note=f"{len(seen):,} papers whose author names a numbered place, and {count.total():,} "
        "judged objections to them. Truth is the judge's word.",
    )


def flips(papers: WithdrawnPapers) -> ReplayTable:
    """How often a model changes its verdict on a paper that it reads again in the same form."""
    votes: dict[tuple[str, bool, str], list[bool]] = defaultdict(list)
    for reading, listed in papers.places.items():
        for paper, places in listed.items():
            votes[reading.model, reading.is_tex, paper].append(bool(places))
    repeated = [Votes(sum(said), len(said)) for said in votes.values() if len(said) > 1]
    rate = flip_rate(repeated)
    note = "The share of pairs of readings of the same text by the same model that disagree."
    nothing = "Each model reads each text once: these files cannot tell how often a verdict flips."
    return ReplayTable(
        key="flips",
        question="Does a model change its verdict on the same text?",
        source=_SET,
        unit="texts that a model has read more than once",
        figures=(number("pairs that disagree", rate, len(repeated)),),
        note=note if repeated else nothing,
    )
