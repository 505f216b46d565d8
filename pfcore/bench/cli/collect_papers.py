"""`pf bench collect-arxiv`: papers with known errors, from authors' comments on new versions.

A model classifies what the comments say was corrected: the price, the calls, the classes.
"""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from math import inf
from pathlib import Path

import prompts
from pfcore.bench.runs import collected_papers
from pfcore.bench.runs.collected_papers import (
    PDFS,
    Archive,
    Arxiv,
    ArxivEntry,
    Classified,
    CollectedRow,
    CollectionFolder,
    Correction,
    candidate_entries,
    classified,
    days,
    is_permissive,
)
from pfcore.cli.commands.check_command import Limit, agree
from pfcore.cli.environment import ReaderOptions, chosen, require_writable
from pfcore.cli.local_data import asker, open_replies
from pfcore.cli.pricing import budget, price_words, run_cap
from pfcore.cli.progress import Progress
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.paper_settings import PaperSettings
from pfcore.llm.engine.action import Action
from pfcore.llm.engine.budget import Budget
from pfcore.llm.model_settings import ModelChoice, require_key
from pfcore.llm.prices import most
from pfcore.llm.protocol import TokenUsage
from pfcore.llm.store.reply_store import FallbackReplyStore, ReplyStore
from pfcore.reporters.printing import Style, plural, safe
from pfcore.review.known_verdicts import Memo
from pfcore.review.reading_session import carried_out, engines
from pfcore.review.verification_setup import contract_of
from pfcore.verification.estimate import CostEstimate
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.verify import ModuleVerifier, Unread

_AGAIN = "collected papers are kept: run the command again"
_BY_HAND = (
    "Read the rows before they are used: a comment may be misread, and what is no error of the "
    "version before is to be struck out by hand, as the paper's authors did."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectOptions:
    """The options of `pf bench collect-arxiv`: days from the first to the last, and a folder."""

    first: date
    last: date
    out: Path
    reader: ReaderOptions
    style: Style


def collect(
    wanted: CollectOptions, echo: Callable[[str], None], archive: Archive | None = None
) -> int:
    """Three stages, each of which resumes where it stopped; 3 if something is missing."""
    reader, style = wanted.reader, wanted.style
    if wanted.last < wanted.first:
        raise UsageError("the last day is before the first")
    require_writable(wanted.out)
    choice = chosen(reader)
    asked = archive or Arxiv()
    kept = CollectionFolder(wanted.out)
    found = _candidates(days(wanted.first, wanted.last), kept, asked)
    echo(style.finish(_stage_one(found)))
    if choice is None:
        echo(style.finish(["No model was used to classify corrections: add --model NAME."]))
        return 0
    listed = [entry for _, entry in found.candidates]
    with open_replies() as store:
        classes = CommentClassifier(reader, choice, style, store).classes(listed)
    echo(style.finish(_stage_two(listed, classes)))
    rows, refused = _rows(listed, classes, kept, asked)
    path = kept.rows(rows)
    echo(style.finish([*_stage_three(rows, refused), f"Written: {path}", _BY_HAND]))
    return 3 if any(isinstance(item, Unread) for item in classes.values()) else 0


@dataclass(frozen=True, kw_only=True)
class _ArxivCounts:
    """How many papers arXiv names, and which may have been corrected, with their days."""

    seen: int = 0
    candidates: Sequence[tuple[str, ArxivEntry]] = field(default_factory=list)


def _candidates(listed: Iterable[date], kept: CollectionFolder, archive: Archive) -> _ArxivCounts:
    seen, found = 0, []
    for day in listed:
        try:
            known = kept.day(day, archive)
        except IncompleteError as error:
            raise IncompleteError(f"{error.message}; {_AGAIN}") from error
        seen += known.seen
        found += [(str(day), entry) for entry in candidate_entries(known)]
        sys.stderr.write(f"{day}: {len(known.candidates):,} of {plural(known.seen, 'paper')}\n")
    return _ArxivCounts(seen=seen, candidates=found)


def _stage_one(found: _ArxivCounts) -> Iterator[str]:
    yield (
        f"{plural(len(found.candidates), 'paper')} of {found.seen:,} with a comment that speaks of "
        "a correction and of a result."
    )


Classes = Mapping[str, Classified | Unread]
"""The classes of comments, by the ids of their papers."""


def _stage_two(listed: Sequence[ArxivEntry], classes: Classes) -> Iterator[str]:
    counts = Counter(
        "not read" if isinstance(item, Unread) else item.correction.value
        for item in classes.values()
    )
    words = ", ".join(f"{number:,} {name}" for name, number in sorted(counts.items()))
    yield f"Corrections: {words or 'none'}."
    for entry in listed:
        found = classes[entry.id]
        if isinstance(found, Unread):
            yield f"  not read: {entry.id} ({safe(found.reason)})"


def _stage_three(
    rows: Sequence[CollectedRow], refused: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    yield f"{plural(len(rows), 'row')}, with PDFs of the versions before in {PDFS}/."
    for reason, names in refused.items():
        yield f"  left out, {reason}: {', '.join(names)}"


def _rows(
    listed: Sequence[ArxivEntry], classes: Classes, kept: CollectionFolder, archive: Archive
) -> tuple[list[CollectedRow], dict[str, list[str]]]:
    """The papers with a correction of a named result, under a licence, with a PDF."""
    rows: list[CollectedRow] = []
    refused: dict[str, list[str]] = {}
    for entry in listed:
        found = classes[entry.id]
        if isinstance(found, Unread) or found.correction is Correction.NONE:
            continue
        try:
            reason, row = _row(entry, found, kept, archive)
        except IncompleteError as error:
            raise IncompleteError(f"{error.message}; {_AGAIN}") from error
        if reason:
            refused.setdefault(reason, []).append(entry.id)
        else:
            rows.append(row)
    return rows, refused


def _row(
    entry: ArxivEntry, found: Classified, kept: CollectionFolder, archive: Archive
) -> tuple[str, CollectedRow]:
    """A row, and why it is unusable or ""; nothing is fetched that will not be used."""
    row = CollectedRow(entry=entry, found=found, licence="")
    if not found.places:
        return "no result is named", row
    row = CollectedRow(entry=entry, found=found, licence=kept.licence(entry.id, archive))
    if not is_permissive(row.licence):
        return "no permissive licence", row
    return ("no PDF", row) if kept.pdf(entry, archive) else ("", row)


_USUAL_OUTPUT = 150
"""Output tokens of one classification; a guess."""


@dataclass(frozen=True, kw_only=True)
class _ClassificationPrice:
    """The cost of classifying some comments."""

    questions: int
    choice: ModelChoice
    most: CostEstimate
    about: CostEstimate

    @property
    def likely_dollars(self) -> float | None:
        """The cost with replies of a guessed length."""
        return self.about.dollars

    def sentence(self) -> str:
        """The sentence shown before the user agrees."""
        where = f"{safe(self.choice.model)} at {safe(self.choice.connection.host)}"
        go = "goes" if self.questions == 1 else "go"
        words = price_words(self.most, self.about).replace(" by the averages of the paper", "")
        return f"{plural(self.questions, 'comment')} {go} to {where}: {words}"


class CommentClassifier:
    """Asks what comments mean, after saying what that costs."""

    def __init__(
        self, reader: ReaderOptions, choice: ModelChoice, style: Style, store: ReplyStore
    ) -> None:
        self._reader = reader
        self._choice = choice
        self._style = style
        self._store = store
        prompt, versions = asker(reader.prompts, prompts.COLLECTING)
        contract = contract_of(choice, PaperSettings.default(), "", versions)
        self._asking = ActionFactory(contract=contract, prompt=prompt)

    def classes(self, listed: Sequence[ArxivEntry]) -> Classes:
        """The class of each comment; replies are stored, so that none is requested twice."""
        kept = FallbackReplyStore(self._store)
        known = ModuleVerifier(run=Memo(kept).run, asking=self._asking)
        actions = {entry.id: self._action(entry) for entry in listed}
        fresh = [entry for entry in listed if kept.get(actions[entry.id].key()) is None]
        if fresh:
            require_key(self._choice.connection)
            spend = self._agreed([actions[entry.id] for entry in fresh])
            progress = Progress(total=len(fresh), style=self._style, noun="comment", is_shown=False)
            return carried_out(self._ask(listed, spend, kept, progress), progress)
        return asyncio.run(self._all(listed, known))

    def _action(self, entry: ArxivEntry) -> Action:
        return self._asking.action(
            collected_papers.STAGE, [("The comment", entry.comment)], rollout=1
        )

    def _agreed(self, actions: Sequence[Action]) -> Budget:
        settings = PaperSettings.default()
        cap = run_cap(self._reader.budget, self._choice, settings, "")
        spend = budget(cap, self._choice, settings, self._store, time.time())
        price = self._price(actions)
        limit = Limit(settings.reading.ask_above, inf if spend.dollars is None else spend.dollars)
        plan = partial(self._style.finish, [price.sentence()])
        agree(self._reader, limit, price, self._style, plan)
        return spend

    def _price(self, actions: Sequence[Action]) -> _ClassificationPrice:
        bound = sum((most(action.request) for action in actions), TokenUsage())
        about = TokenUsage(input=bound.input, output=_USUAL_OUTPUT * len(actions))
        price = self._choice.price
        both = [
            CostEstimate(
                calls=times * len(actions),
                input=times * usage.input,
                output=times * usage.output,
                dollars=None if price is None else times * price.of(usage),
            )
            for times, usage in ((2, bound), (1, about))
        ]
        return _ClassificationPrice(
            questions=len(actions), choice=self._choice, most=both[0], about=both[1]
        )

    async def _ask(
        self,
        listed: Sequence[ArxivEntry],
        spend: Budget,
        kept: FallbackReplyStore,
        progress: Progress,
    ) -> Classes:
        async with engines(self._choice, kept, progress) as engine:
            own = engine(spend)
            try:
                return await self._all(listed, ModuleVerifier(run=own.run, asking=self._asking))
            finally:
                await own.finish()

    async def _all(self, listed: Sequence[ArxivEntry], reading: ModuleVerifier) -> Classes:
        found = await asyncio.gather(*(classified(reading, entry.comment) for entry in listed))
        return {entry.id: item for entry, item in zip(listed, found, strict=True)}
