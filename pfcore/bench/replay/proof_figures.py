"""Figures from recorded objections to whole proofs and a verifier's grades: our quotes and votes.

A person's verdict is on a whole proof: finding a quoted place does not mean that it is wrong.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pfcore.bench.replay.recorded_answers import (
    JudgedProof,
    RatedProof,
    RecordedAnswers,
    RecordedIssue,
    RecordedSet,
)
from pfcore.bench.replay.replay_tables import ReplayTable, number, share
from pfcore.domain.digest import text_digest
from pfcore.domain.values import Severity
from pfcore.verification.calibrate import Judged
from pfcore.verification.contract import Judging
from pfcore.verification.quotes import QuoteSpan, align_quote, find_quote
from pfcore.verification.rollouts import ballot
from pfcore.verification.verify import Accepted, Flagged, Verdict

UNNAMED = "a model that the files do not name"
_ONCE = Judging(rollouts=1, min_votes=1, blocking_votes=1)
_BANDS = ((0.0, 0.5), (0.5, 0.9), (0.9, 1.0))
"""Bands of a verifier's mean, each without its upper end; 1 is a band of its own."""


def proof_tables(found: RecordedAnswers) -> Iterator[ReplayTable]:
    """All tables for the recorded judgements of whole proofs."""
    for name, proofs in (("solved", found.solved), ("test.parquet", found.proofs)):
        if not proofs:
            continue
        yield proofs_on_record(name, proofs)
        sought = [(half_of(proof.problem), quote_counts(proof)) for proof in proofs]
        yield quotes_found(f"{name}, all", [count for _, count in sought])
        for half in (0, 1):
            part = [count for there, count in sought if there == half]
            yield quotes_found(f"{name}, half {'AB'[half]} of the problems", part)
    if found.proofs:
        yield any_objection(found.proofs)
        yield raised_on_right(found.proofs)
    if found.rated:
        yield rated_on_record(found.rated)
        yield calibration(found.rated)
        yield by_competition(found.rated)


def proofs_on_record(name: str, proofs: Sequence[JudgedProof]) -> ReplayTable:
    """The amount of data in one part of the set."""
    issues = [issue for proof in proofs for issue in proof.issues]
    quoting = [issue for issue in issues if issue.quote]
    return ReplayTable(
        key="proofs-on-record",
        question=f"What is on record of proofs? ({name})",
        source=RecordedSet.PROOFS,
        unit="proofs with a model's judgement, their problems, issues and quotations",
        figures=(
            number("proofs", None, len(proofs)),
            number("problems", None, len({proof.problem for proof in proofs})),
            number("issues", None, len(issues)),
            share("quotations whose place is on record",
                  sum(issue.place is not None for issue in quoting), len(quoting)),
        ),
    )  # fmt: skip


def rated_on_record(proofs: Sequence[RatedProof]) -> ReplayTable:
    """How many proofs of each competition have a grade."""
    count = Counter(proof.competition for proof in proofs)
    return ReplayTable(
        key="rated-on-record",
        question="What is on record of graded proofs?",
        source=RecordedSet.RATED,
        unit="proofs",
        figures=tuple(number(name, None, count[name]) for name in sorted(count)),
    )


def half_of(problem: str) -> int:
    """The half of the problems that a problem is in: 0 or 1, by the digest of its name."""
    return int(text_digest(problem)[-1], 16) % 2


def quote_counts(proof: JudgedProof) -> Counter[str]:
    """How many of a proof's quotations we find, by method, and how many at the right place."""
    count: Counter[str] = Counter()
    for issue in proof.issues:
        if not issue.quote:
            continue
        count["all"] += 1
        count["letters"] += issue.quote in proof.text
        way, span = _found(issue.quote, proof.text)
        count[way] += 1
        if span and issue.place:
            count[f"{way}, placed"] += 1
            count[f"{way}, right"] += _overlap(span, issue.place)
    return count


def quotes_found(name: str, counts: Iterable[Counter[str]]) -> ReplayTable:
    """How many quotations we find, how, and whether at the places given in the files."""
    count = sum(counts, Counter[str]())
    near, same, whole = count["near"], count["same"], count["all"]
    return ReplayTable(
        key="quotes",
        question=f"Are quotations found? ({name})",
        source=RecordedSet.PROOFS,
        judge=UNNAMED,
        unit="quotations; of places, those found for which the files have offsets",
        figures=(
            share("to the letter", count["letters"], whole),
            share("as written, or written otherwise", same, whole),
            share("near copies", near, whole),
            share("found, all ways", same + near, whole),
            share("place right: written otherwise", count["same, right"], count["same, placed"]),
            share("place right: near copies", count["near, right"], count["near, placed"]),
        ),
        note="A place is right where it overlaps the recorded one, which a program found later.",
    )


def _found(quote: str, text: str) -> tuple[str, QuoteSpan | None]:
    span = find_quote(quote, text)
    if span is not None:
        return "same", span
    alike = align_quote(quote, text)
    return ("near", alike.span) if alike else ("nowhere", None)


def _overlap(span: QuoteSpan, place: tuple[int, int]) -> bool:
    start, end = place
    return span.start < end and start < span.end


def any_objection(proofs: Sequence[JudgedProof]) -> ReplayTable:
    """Our ballot on one reading, with one vote, compared with a person's verdict on the proof."""
    count: Counter[tuple[bool, bool]] = Counter()
    objections = joined = 0
    for proof in proofs:
        counted = ballot({1: verdict_of(proof.issues)}, proof.text, _ONCE)
        count[counted.is_flagged, proof.is_right is False] += 1
        objections += len(proof.issues)
        joined += sum(len(item.votes) - 1 for item in counted.reported)
    flagged, wrong = count[True, True] + count[True, False], count[True, True] + count[False, True]
    return ReplayTable(
        key="any-objection",
        question="Does any objection mean that a proof is wrong?",
        source=RecordedSet.PROOFS,
        judge=f"a person; objections of {UNNAMED}",
        unit="wrong proofs; right ones; those objected to; objections",
        figures=(
            share("recall: wrong proofs objected to", count[True, True], wrong),
            share("false alarms: right ones objected to", count[True, False], len(proofs) - wrong),
            share("precision: wrong among those objected to", count[True, True], flagged),
            share("objections that our clusters join to another", joined, objections),
        ),
        note="One reading and one vote, as our ballot counts them.",
    )


def verdict_of(issues: Sequence[RecordedIssue]) -> Verdict:
    """The verdict of a reading with these objections."""
    if not issues:
        return Accepted()
    return Flagged(
        objections=tuple(
            Judged(
                flags=(f"F{index}",),
                rule=issue.rule,
                severity=Severity.ERROR,
                quote=issue.quote,
                objection="",
                reason="",
            )
            for index, issue in enumerate(issues, start=1)
        )
    )


def raised_on_right(proofs: Sequence[JudgedProof]) -> ReplayTable:
    """By class, the share of objections to proofs that a person calls right."""
    count: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for proof in proofs:
        for issue in proof.issues:
            count[issue.rule] += 1
            right[issue.rule] += proof.is_right is True
    return ReplayTable(
        key="raised-on-right",
        question="What share of the objections of a class are raised on right proofs?",
        source=RecordedSet.PROOFS,
        judge=f"a person; objections of {UNNAMED}",
        unit="objections of the class",
        figures=tuple(
            share(rule or "no class", right[rule], count[rule])
            for rule in sorted(count, key=lambda rule: (right[rule] / count[rule], rule))
        ),
        note="A right proof may hold a slip that an objection meets.",
    )


def calibration(proofs: Sequence[RatedProof]) -> ReplayTable:
    """The share of full marks by a person, by the mean of the verifier's grades."""
    figures = []
    for name, inside in (
        *((f"mean from {low:g} to below {high:g}", (low, high)) for low, high in _BANDS),
        ("mean 1", (1.0, 2.0)),
    ):
        grades = [proof.grade for proof in proofs if inside[0] <= proof.mean < inside[1]]
        figures.append(share(f"{name}: full marks", sum(map(_is_full, grades)), len(grades)))
        average = sum(grades) / len(grades) if grades else None
        figures.append(number(f"{name}: average part of full marks", average, len(grades)))
    return ReplayTable(
        key="calibration",
        question="Does a verifier's mean say what a person's grade will be?",
        source=RecordedSet.RATED,
        judge="a person; means of the set's own verifier",
        unit="proofs",
        figures=tuple(figures),
        note="The proofs are by the model that was trained on this verifier. Averages are parts "
        "of full marks, which differ by competition, and no shares of n.",
    )


def by_competition(proofs: Sequence[RatedProof]) -> ReplayTable:
    """Full marks by a person, by competition, for proofs whose mean is 1 and for the others."""
    count: Counter[tuple[str, bool]] = Counter()
    full: Counter[tuple[str, bool]] = Counter()
    for proof in proofs:
        cell = (proof.competition, proof.mean >= 1)
        count[cell] += 1
        full[cell] += _is_full(proof.grade)
    return ReplayTable(
        key="calibration-by-competition",
        question="The same by competition: which proofs have full marks?",
        source=RecordedSet.RATED,
        judge="a person; means of the set's own verifier",
        unit="proofs",
        figures=tuple(
            share(f"{name}, mean {'1' if is_one else 'below 1'}", full[cell], count[cell])
            for cell in sorted(count)
            for name, is_one in (cell,)
        ),
    )


def _is_full(grade: float) -> bool:
    return grade >= 1
