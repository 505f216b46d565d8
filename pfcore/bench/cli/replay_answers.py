"""`pf bench replay`: answers recorded by others, run through our own parsers and votes."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pfcore.bench.replay.place_figures import place_tables
from pfcore.bench.replay.proof_figures import proof_tables
from pfcore.bench.replay.recorded_answers import read_answers
from pfcore.bench.replay.replay_tables import replay_json, replay_text
from pfcore.reporters.printing import Style


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOptions:
    """The options of `pf bench replay`: the folder of the sets, and how the figures are shown."""

    folder: Path
    is_json: bool
    style: Style


def replay(wanted: ReplayOptions, echo: Callable[[str], None]) -> int:
    """Read, compute and print, without calls; 3 if no row could be used."""
    found = read_answers(wanted.folder)
    tables = [
        table
        for table in (*place_tables(found.withdrawn), *proof_tables(found))
        if any(figure.n for figure in table.figures) or table.key == "flips"
    ]
    if wanted.is_json:
        echo(replay_json(found, tables))
    else:
        echo(replay_text(found, tables, wanted.style))
    return 0 if tables else 3
