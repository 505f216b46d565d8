"""The formats of `pf check`, and the published schemas of the JSON ones."""

from collections.abc import Callable
from importlib.metadata import version
from importlib.resources import files

from pfcore.reporters.formats import json_report, line_formats, markdown, sarif
from pfcore.reporters.review_outcome import CALLER, Caller
from pfcore.review.review import Report


def rendered_report(report: Report, name: str, caller: Caller = CALLER) -> str:
    """A review in one of the formats of `pf check` for other programs."""
    ways: dict[str, Callable[[], str]] = {
        "json": lambda: json_report.check_json(report),
        "sarif": lambda: sarif.check_sarif(report, version("pf-verify")),
        "rdjsonl": lambda: line_formats.check_rdjsonl(report),
        "markdown": lambda: markdown.check_markdown(report, caller=caller),
    }
    return ways[name]()


def schema(name: str) -> str:
    """The JSON Schema of what a command prints with `--format json`."""
    return (files("pfcore.reporters.formats") / "schemas" / f"{name}.json").read_text(
        encoding="utf-8"
    )
