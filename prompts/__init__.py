"""The prompts of the stages as package data, one file for each released version."""

from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

SETS = {
    "v1": {"translate": "v1", "faithfulness": "v1", "verify": "v1", "calibrate": "v1"},
    "v2": {"translate": "v2", "faithfulness": "v2", "verify": "v2", "calibrate": "v2"},
}
"""Sets of matching versions of the prompts, by their names in the settings."""

CURRENT = SETS["v2"]
"""The version of each stage's prompt that is used by default."""

WHOLE = {
    "translate-paper": "v1",
    "faithfulness-paper": "v1",
    "verify": "v1",
    "calibrate-paper": "v1",
}
"""The same for the stages that read a paper from its PDF; no ledger depends on them."""

BENCH = {
    "direct-steps": "v1",
    "direct-paper": "v1",
    "translate-solution": "v1",
    "faithfulness-solution": "v1",
    "calibrate-steps": "v1",
    "judge-inclusive": "v1",
    "judge-strict": "v1",
}
"""The same for the stages that only benchmarks use."""

ERRATA = {"judge-defect": "v1"}
"""The same for the stage that judges objections to results that have been corrected."""

COLLECTING = {"classify-comment": "v1"}
"""The same for the stages that collect data sets of papers."""

RELEASED = CURRENT | WHOLE | BENCH | ERRATA | COLLECTING
"""The same for all stages."""


def prompt(stage: str, version: str, folder: Path | None = None) -> str:
    """The text of a prompt; `folder` has replacements to experiment with; or FileNotFoundError.

    A released version never changes, because verdicts are stored under its name. Files in a folder
    may change, and are read each time.
    """
    if folder is not None:
        return (folder / stage / f"{version}.md").read_text(encoding="utf-8")
    return _released(stage, version)


@lru_cache(maxsize=64)
def _released(stage: str, version: str) -> str:
    return files("prompts").joinpath(stage, f"{version}.md").read_text(encoding="utf-8")


def stages() -> Iterable[str]:
    """The stages that have a prompt."""
    return RELEASED.keys()
