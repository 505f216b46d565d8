"""`pf bench errata`: how a model reads results before and after their real corrections.

Rebuilds the results from the user's clones, prices the readings, reads and scores; or proposes rows
from a history.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import prompts
from pfcore.bench.cli.plant_errors import Questions, asked, run_budget
from pfcore.bench.cli.run_benchmark import UNNAMED
from pfcore.bench.errata.clones import find_clone
from pfcore.bench.errata.correction_candidates import MinedHistory, mined
from pfcore.bench.errata.corrections import (
    SHIPPED,
    joined_rows,
    load_corrections,
    row_line,
)
from pfcore.bench.errata.defect_judge import (
    DefectQuestion,
    defect_questions,
    judged_defects,
    with_judge,
)
from pfcore.bench.errata.errata_report import (
    ErrataOverview,
    ErrataResult,
    errata_json,
    errata_text,
)
from pfcore.bench.errata.paired_scores import PairedReading, paired_reading
from pfcore.bench.errata.rebuilt_corrections import RebuiltCorrection, rebuilt
from pfcore.bench.planted.planting import PlantedTrial, heard, judging
from pfcore.bench.runs.simulated_reader import is_simulated
from pfcore.cli.environment import ReaderOptions, cache_path, chosen, jobs
from pfcore.cli.local_data import asker, open_replies
from pfcore.cli.options import OutputOptions
from pfcore.cli.pricing import price_words, priced
from pfcore.cli.progress import Progress
from pfcore.domain.errors import UsageError
from pfcore.domain.paper_settings import PaperSettings
from pfcore.llm.engine.budget import Budget
from pfcore.llm.model_settings import ModelChoice
from pfcore.llm.store.reply_store import FallbackReplyStore
from pfcore.papers.parse_cache import DiskCache, ParseCache
from pfcore.papers.processes import ProcessPool
from pfcore.reporters.printing import plural, safe
from pfcore.repository.git import GitRepository, find_repository
from pfcore.review.known_verdicts import KnownVerdicts
from pfcore.review.reading_session import ReadJob, carried_out, engines
from pfcore.review.verification_setup import contract_of
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import ModuleVerifier, Unread

_MOST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrataOptions:
    """The options of `pf bench errata`: `clones` is a folder of clones, `mine` a repository.

    `rows` is a file of confirmed rows, read in place of the shipped ones or, with `is_beside`,
    in addition to them. `limit` is the most rows that are read; `since` is where mining stops;
    `judge` names the model that judges which objections mean a defect.
    """

    clones: Path | None
    mine: Path | None
    since: str | None
    rows: Path | None
    is_beside: bool
    limit: int | None
    judge: str | None
    reader: ReaderOptions
    output: OutputOptions


def errata(wanted: ErrataOptions, echo: Callable[[str], None]) -> int:
    """Mine, or rebuild and read; 3 if a row whose clone exists was not read."""
    if wanted.judge and not wanted.reader.model:
        raise UsageError("--judge-model needs --model")
    cache = DiskCache(cache_path())
    try:
        parsed = ParseCache(cache, ProcessPool(jobs()))
        if wanted.mine is not None:
            return _mine(wanted, wanted.mine, parsed, echo)
        if wanted.since is not None:
            raise UsageError("--since needs --mine")
        return _read(wanted, wanted.clones or Path(), parsed, echo)
    finally:
        cache.close()


def _mine(
    wanted: ErrataOptions, place: Path, cache: ParseCache, echo: Callable[[str], None]
) -> int:
    """Print the candidates as lines of JSON, and on stderr what to do with them."""
    if wanted.rows or wanted.reader.model:
        option = "--rows" if wanted.rows else "--model"
        raise UsageError(
            f"--mine uses no model and no rows, so these options cannot be used: {option}"
        )
    clone = find_repository(place)
    if clone is None:
        raise UsageError(f"not a git repository: {place}")
    found = mined(clone, _name_of(clone), wanted.since, cache)
    for row in found.rows[: wanted.limit]:
        echo(f"{row_line(row)}\n")
    sys.stderr.write(wanted.output.style.finish(_mined_words(found, wanted.limit)))
    return 0


def _name_of(clone: GitRepository) -> str:
    """The name of a repository in rows: owner/name, from the name of its folder."""
    name = (clone.root or clone.git_dir).name.removesuffix(".git")
    owner, mark, rest = name.partition("+")
    return f"{owner}/{rest}" if mark else name


def _mined_words(found: MinedHistory, limit: int | None) -> Iterator[str]:
    rows, commits = plural(len(found.rows), "candidate"), plural(found.commits, "commit")
    yield f"{rows} in {commits}"
    for commit, reason in found.unread[:_MOST]:
        yield f"Not read: {commit[:12]}: {safe(reason)}"
    if len(found.unread) > _MOST:
        yield f"… and {len(found.unread) - _MOST} more commits not read"
    if limit is not None and len(found.rows) > limit:
        yield f"Printed: the latest {limit}"
    if found.rows:
        yield "Words and line counts chose these; look at each commit. To use a row, write in"
        yield "'wrong' what was wrong, set 'confirmed' to true, and pass the file with --rows."


def _read(
    wanted: ErrataOptions, folder: Path, cache: ParseCache, echo: Callable[[str], None]
) -> int:
    if not folder.is_dir():
        raise UsageError(f"folder not found: {folder}")
    is_shipped = wanted.rows is None or wanted.is_beside
    own = [load_corrections(wanted.rows)] if wanted.rows else []
    shipped = [load_corrections(SHIPPED)] if is_shipped else []
    rows = joined_rows([*own, *shipped])[: wanted.limit]
    clones = {repo: find_clone(folder, repo) for repo in dict.fromkeys(row.repo for row in rows)}
    items = [rebuilt(row, clone, cache) for row in rows if (clone := clones[row.repo]) is not None]
    shown = ErrataOverview(
        folder=folder,
        rows=rows,
        rebuilt=items,
        missing=[repo for repo, clone in clones.items() if clone is None],
        is_shipped=is_shipped,
        price=_price(wanted, items),
    )
    choice = chosen(wanted.reader) if wanted.reader.model else None
    result = _result(wanted, choice, shown.found) if choice and shown.found else None
    is_json = wanted.output.format == "json"
    echo(errata_json(shown, result) if is_json else errata_text(shown, result, wanted.output.style))
    unread = any(item.lacking or item.unjudged for item in result.readings) if result else False
    return 3 if shown.lost or unread or not shown.found else 0


def _tasks(items: Sequence[RebuiltCorrection]) -> list[ContextTask]:
    """The tasks, each context once: a result unchanged since then is its own control."""
    found = {task.context: task for item in items for task in item.tasks.values()}
    return list(found.values())


def _asking(wanted: ErrataOptions, choice: ModelChoice) -> ActionFactory:
    """The contract for reading results: that of a paper without settings."""
    prompt, versions = asker(wanted.reader.prompts, prompts.CURRENT)
    own = versions if wanted.reader.prompts else None
    contract = contract_of(choice, PaperSettings.default(), "", own)
    return ActionFactory(contract=contract, prompt=prompt)


def _rollouts(wanted: ErrataOptions) -> int:
    return wanted.reader.rollouts or PaperSettings.default().reading.rollouts


def _price(wanted: ErrataOptions, items: Sequence[RebuiltCorrection]) -> str:
    """The cost of reading everything with the named model, or else with the suggested one."""
    choice = chosen(wanted.reader) if wanted.reader.model else None
    choice = choice or UNNAMED
    rollouts = _rollouts(wanted)
    known = KnownVerdicts(asking=_asking(wanted, choice), judging=judging(rollouts))
    listed = [ReadJob(task=task, knowledge=known) for task in _tasks(items)]
    if not listed:
        return "Nothing to read."
    price = priced(listed, choice)
    times = "once" if rollouts == 1 else f"{rollouts} times each"
    versions = plural(len(listed), "different version")
    return f"{versions}, {times}, by {choice.model}: {price_words(price.most, price.about)}"


def _result(
    wanted: ErrataOptions, choice: ModelChoice, items: Sequence[RebuiltCorrection]
) -> ErrataResult:
    asking, rollouts = _asking(wanted, choice), _rollouts(wanted)
    listed = _tasks(items)
    trials = [PlantedTrial(original=task, planted=()) for task in listed]
    settings = PaperSettings.default()
    judge = chosen(ReaderOptions(model=wanted.judge)) if wanted.judge else None
    with open_replies() as store:
        spend = run_budget(wanted.reader, choice, settings, store, "")
        if judge is not None and judge.price is not None:
            spend.others = {judge.model: judge.price}
        questions = Questions(
            reader=wanted.reader,
            output=wanted.output,
            choice=choice,
            settings=settings,
            store=store,
            spend=spend,
        )
        fresh = asked(questions, trials, [asking], rollouts, "")
        found = heard(fresh.store, asking, listed, rollouts, fresh.failures)
        known = {task.context: item for task, item in zip(listed, found, strict=True)}
        readings = [paired_reading(item, known) for item in items]
        if judge is not None:
            readings = _judged(replace(questions, choice=judge), items, readings, spend)
    served = sorted(frozenset[str]().union(*(item.served for item in found)))
    return ErrataResult(
        readings=readings,
        model=choice.model,
        judge=judge.model if judge else "",
        served=served,
        is_simulated=is_simulated(served),
        rollouts=rollouts,
        contract=asking.contract.digest(),
        day=datetime.now(UTC).date().isoformat(),
    )


def _judged(
    how: Questions,
    items: Sequence[RebuiltCorrection],
    readings: Sequence[PairedReading],
    spend: Budget,
) -> list[PairedReading]:
    """The readings with a judge's answers on the objections to the earlier versions."""
    listed = defect_questions(items, readings)
    if not listed:
        return with_judge(readings, {})
    style = how.output.style
    is_shown = how.output.format == "text"
    progress = Progress(total=len(listed), style=style, noun="judgement", is_shown=is_shown)
    said = carried_out(_judge(how, listed, spend, progress), progress)
    return with_judge(readings, said)


async def _judge(
    how: Questions, listed: Sequence[DefectQuestion], spend: Budget, progress: Progress
) -> dict[str, frozenset[int] | Unread]:
    contract = contract_of(how.choice, how.settings, "", prompts.ERRATA)
    asking = ActionFactory(contract=contract, prompt=prompts.prompt)
    kept = FallbackReplyStore(how.store)
    async with engines(how.choice, kept, progress) as engine:
        reading = ModuleVerifier(run=engine(spend).run, asking=asking)
        return await judged_defects(reading, listed)
