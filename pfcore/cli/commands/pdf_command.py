"""`pf check paper.pdf`: a whole paper read from its PDF; the verdicts are never recorded.

Also loads the PDF, and the settings that apply where it is.
"""

import asyncio
import math
import time
from dataclasses import dataclass, replace
from pathlib import Path

import prompts
from pfcore.cli.commands.check_command import Limit, agree
from pfcore.cli.environment import chosen
from pfcore.cli.local_data import asker, open_replies
from pfcore.cli.options import CheckOptions, ReviewOptions
from pfcore.cli.pricing import Cap, bounds_json, budget, price_words, run_cap
from pfcore.cli.progress import Progress
from pfcore.domain.errors import ConfigError, UsageError
from pfcore.domain.paper_settings import FILE_NAME, PaperSettings, parse_paper_settings
from pfcore.llm.engine.action import UsageTally
from pfcore.llm.engine.budget import Budget
from pfcore.llm.model_settings import ModelChoice, require_key
from pfcore.llm.protocol import Document, Endpoint
from pfcore.llm.store.reply_store import FallbackReplyStore, ReplyStore
from pfcore.reporters.formats.json_report import SCHEMA, dumps
from pfcore.reporters.pdf_report import PdfReport, pdf_json, pdf_text
from pfcore.reporters.printing import safe
from pfcore.repository.git import find_repository
from pfcore.review.known_verdicts import Memo
from pfcore.review.pdf_review import (
    is_open,
    likely_pdf_reading,
    pdf_reading_at_most,
    verdicts,
    whole,
)
from pfcore.review.reading_session import carried_out, engines
from pfcore.review.verification_setup import contract_of_pdf, judging_of
from pfcore.verification.contract import Judging
from pfcore.verification.estimate import CostEstimate
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.verify import ModuleVerifier, Unread
from pfcore.verification.whole_paper import PaperRead, PaperVerdict, document, sighted


@dataclass(frozen=True, kw_only=True)
class _Case:
    """One PDF, the model that is asked about it, and how its replies are judged."""

    name: str
    pdf: Document
    settings: PaperSettings
    choice: ModelChoice
    asking: ActionFactory
    judging: Judging


@dataclass(frozen=True, slots=True, kw_only=True)
class _PdfOffer:
    """A reading of a PDF, with its price, to which the user has to agree."""

    case: _Case
    rollouts: int
    cap: Cap

    @property
    def _most(self) -> CostEstimate:
        case = self.case
        return pdf_reading_at_most(case.asking, case.pdf, self.rollouts, case.choice.price)

    @property
    def _about(self) -> CostEstimate:
        return likely_pdf_reading(self.rollouts, self.case.choice.price)

    @property
    def likely_dollars(self) -> float | None:
        """What it would cost with the averages that the paper has published; None: no price."""
        return self._about.dollars

    def sentence(self) -> str:
        """What leaves the machine, and what it costs."""
        case = self.case
        times = "once" if self.rollouts == 1 else f"{self.rollouts} times"
        size = f"{math.ceil(len(case.pdf.content) / 1000):,} kB"
        where = f"{safe(case.choice.model)} at {safe(case.choice.connection.host)}"
        words = price_words(self._most, self._about)
        is_free = self.cap.dollars is None or not self.likely_dollars
        stop = "" if is_free else f" The run stops at ${self.cap.dollars:,.2f}."
        return f"{safe(case.name)} ({size}) goes to {where}, to be read {times}: {words}{stop}"

    def plan(self) -> str:
        """The upper bounds as JSON, printed if there is no terminal for a question."""
        return dumps({"schema": SCHEMA, "model": self.case.choice.model, **bounds_json(self._most)})


def check_pdf(wanted: CheckOptions) -> tuple[str, int]:
    """The report and the exit status: 1 for blocking findings, 3 if a reading is incomplete."""
    _refuse(wanted)
    review, output = wanted.review, wanted.review.output
    case = _case(review)
    with open_replies() as store:
        found = asyncio.run(_known(case, store))
        spent = None
        if any(is_open(item) for item in found.values()):
            found, spent = _asked(review, case, found, store)
    made = whole(case.name, found, case.judging)
    told = PdfReport(
        whole=made,
        model=case.choice.model,
        contract=case.asking.contract.digest(),
        spent=spent,
    )
    is_json = output.format == "json"
    text = pdf_json(told) if is_json else pdf_text(told, output.style)
    return text, 1 if made.blocking else 3 if made.unreached else 0


def _refuse(wanted: CheckOptions) -> None:
    """UsageError for options that do not work with a PDF."""
    revisions = wanted.review.revisions
    if wanted.review.output.format not in ("text", "json"):
        raise UsageError("a PDF has no line numbers: use --format text or json")
    if wanted.is_recorded or wanted.is_locked:
        raise UsageError("--update-lock and --locked do not work with a PDF")
    if revisions.base or revisions.head or revisions.staged:
        raise UsageError("a PDF has no revisions: --base, --head and --staged cannot be used")


def _case(wanted: ReviewOptions) -> _Case:
    path, reader = wanted.revisions.path, wanted.reader
    content, found = load_pdf(path), settings(path)
    choice = chosen(reader)
    if choice is None:
        raise UsageError("only a model can read a PDF: add --model NAME, without --offline")
    if choice.connection.endpoint is Endpoint.CHAT:
        raise UsageError(
            f"{choice.connection.host} is used through chat completions, which accept no PDF; "
            'if it supports the Responses interface, set endpoint = "responses" '
            "in your configuration"
        )
    prompt, versions = asker(reader.prompts, prompts.WHOLE)
    contract = contract_of_pdf(choice, found, path.stem, versions)
    return _Case(
        name=path.name,
        pdf=document(content),
        settings=found,
        choice=choice,
        asking=ActionFactory(contract=contract, prompt=prompt),
        judging=_judging(found, reader.rollouts),
    )


def _judging(found: PaperSettings, rollouts: int | None) -> Judging:
    """Never progressive: findings are merged over all readings, so all are made."""
    if rollouts is not None:
        reading = replace(found.reading, rollouts=rollouts, blocking_votes=None)
        found = replace(found, reading=reading)
    return replace(judging_of(found), progressive=False)


async def _known(case: _Case, store: ReplyStore) -> dict[int, PaperVerdict]:
    """The stored verdict of each reading; no model is asked."""
    run = sighted(Memo(store).run, case.pdf)
    numbers = range(1, case.judging.rollouts + 1)
    return await verdicts(ModuleVerifier(run=run, asking=case.asking), numbers, lambda *_: None)


def _asked(
    review: ReviewOptions, case: _Case, known: dict[int, PaperVerdict], store: ReplyStore
) -> tuple[dict[int, PaperVerdict], UsageTally]:
    """All readings, after making those that lack a stored reply."""
    wanted = [number for number, item in known.items() if is_open(item)]
    own, choice, style = case.settings, case.choice, review.output.style
    cap = run_cap(review.reader.budget, choice, own, Path(case.name).stem)
    require_key(choice.connection)
    offer = _PdfOffer(case=case, rollouts=len(wanted), cap=cap)
    plan = offer.plan if review.output.format == "json" else str
    most = math.inf if cap.dollars is None else cap.dollars
    agree(review.reader, Limit(own.reading.ask_above, most), offer, style, plan)
    progress = Progress(
        total=len(wanted), noun="reading", style=style, is_shown=review.output.format == "text"
    )
    limit = budget(cap, choice, own, store, time.time())
    made = carried_out(_ask(case, wanted, limit, FallbackReplyStore(store), progress), progress)
    return known | made, progress.tally


async def _ask(
    case: _Case, wanted: list[int], limit: Budget, kept: FallbackReplyStore, progress: Progress
) -> dict[int, PaperVerdict]:
    def tell(number: int, found: PaperVerdict) -> None:
        name = f"reading {number}"
        match found:
            case Unread(reason=reason):
                progress.failed(name, reason)
            case PaperRead(defects=defects):
                objections = [f"{item.location}: {item.judged.objection}" for item in defects]
                progress.heard(name, objections)

    async with engines(case.choice, kept, progress) as make:
        engine = make(limit)
        run = sighted(engine.run, case.pdf)
        try:
            return await verdicts(ModuleVerifier(run=run, asking=case.asking), wanted, tell)
        finally:
            await engine.finish()


LIMIT = 32_000_000
"""The most bytes of a PDF: servers refuse requests that are much larger."""

_HEAD = 1024
"""The header must begin within so many bytes (ISO 32000-1, annex H, note 13)."""


def load_pdf(path: Path) -> bytes:
    """The bytes of a PDF; UsageError if the file is not a PDF, or cannot be sent."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder, not a PDF: change to it to review its papers")
    if not path.is_file():
        raise UsageError(f"file not found: {path}")
    try:
        size = path.stat().st_size
        content = path.read_bytes() if size <= LIMIT else b""
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    if size > LIMIT:
        message = f"{path} is {size / 1e6:,.0f} MB; the limit is {LIMIT / 1e6:,.0f} MB"
        raise UsageError(message)
    if not content:
        raise UsageError(f"{path} is empty")
    if b"%PDF-" not in content[:_HEAD]:
        raise UsageError(f"{path} is not a PDF")
    return content


def settings(path: Path) -> PaperSettings:
    """The settings of the nearest pf.toml, from the PDF's folder up to its repository's top."""
    folder = path.resolve().parent
    repository = find_repository(folder)
    top = repository.root if repository and repository.root else folder
    above = [folder, *folder.parents]
    for place in above[: above.index(top) + 1] if top in above else [folder]:
        found = place / FILE_NAME
        if found.is_file():
            return parse_paper_settings(_text(found), path=str(found))
    return PaperSettings.default()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"it cannot be read: {error}", path=str(path)) from error
