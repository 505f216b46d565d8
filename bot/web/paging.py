"""Lists of runs in pages: a page leads to the one beside it by the run that it ends with."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from bot.domain import addresses
from bot.domain.run_records import ReviewRun, RunCursor, Runs, RunState


@dataclass(frozen=True, slots=True, kw_only=True)
class RunQuery:
    """Which runs, as the address of a page says; of which repository."""

    path: str
    state: RunState | None = None
    repository_id: int | None = None
    before: RunCursor | None = None
    after: RunCursor | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """Some runs, the newest first; the addresses of what is beside them, "" where nothing is."""

    runs: list[ReviewRun]
    newer: str = ""
    older: str = ""


def wanted_page(path: str, asked: Mapping[str, str], repository_id: int | None = None) -> RunQuery:
    """What an address asks for; whatever in it means nothing is passed over."""
    state = asked.get("state", "")
    return RunQuery(
        path=path,
        state=RunState(state) if state in set(RunState) else None,
        repository_id=repository_id,
        before=_edge(asked.get("older", "")),
        after=_edge(asked.get("newer", "")),
    )


def page_of_runs(runs: Runs, which: RunQuery, most: int) -> RunPage:
    """The page that is asked for; where too few are newer for one, that of the newest."""
    if which.after is not None:
        found = _found(runs, which, most + 1, after=which.after)
        if len(found) > most:
            kept = found[1:]
            return RunPage(runs=kept, newer=_beside(which, newer=kept[0]), older=_next(which, kept))
    before = which.before if which.after is None else None
    found = _found(runs, which, most + 1, before=before)
    kept = found[:most]
    newer = ""
    if before is not None:
        newer = _beside(which, newer=kept[0]) if kept else _beside(which)
    return RunPage(runs=kept, newer=newer, older=_next(which, kept) if len(found) > most else "")


def _found(
    runs: Runs,
    which: RunQuery,
    most: int,
    *,
    before: RunCursor | None = None,
    after: RunCursor | None = None,
) -> list[ReviewRun]:
    return runs.latest(
        most, repository_id=which.repository_id, state=which.state, before=before, after=after
    )


def _next(which: RunQuery, kept: list[ReviewRun]) -> str:
    return _beside(which, older=kept[-1])


def _beside(which: RunQuery, **ends: ReviewRun) -> str:
    """The address of the page before or behind a run; without one, that of the newest."""
    asked = {"state": which.state.value} if which.state else {}
    asked |= {name: f"{run.created!r}~{addresses.word(run.id)}" for name, run in ends.items()}
    return f"{which.path}?{urlencode(asked)}" if asked else which.path


def _edge(text: str) -> RunCursor | None:
    moment, _, word = text.partition("~")
    try:
        created = float(moment)
    except ValueError:
        return None
    name = addresses.run_id(word)
    return RunCursor(created, name) if name is not None and math.isfinite(created) else None
