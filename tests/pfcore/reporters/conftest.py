"""Findings of reading without a reader: renderers get them as a review would give them."""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import pytest

from pfcore.domain.values import Finding
from pfcore.review.review import PaperReport, Report

HOSTILE = "</script><img src=x onerror=alert(1)> @user #12 `x` [y](javascript:z) \u202e|\x1b[31m"
LEMMA = "\\begin{lemma}[%s]\\label{%s} %s\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"


@pytest.fixture
def found(reviewed: Callable[..., Report], document: Callable[..., str]) -> Callable[..., Report]:
    """A review of one article with more of some finding's fields than a check would say."""

    def run(
        body: str, before: str | None = None, *, name: str = "main.tex", **changes: Any
    ) -> Report:
        then = {name: document(before)} if before is not None else None
        report = reviewed({name: document(body)}, then)
        return replace(report, papers=tuple(_changed(paper, changes) for paper in report.papers))

    return run


def _changed(paper: PaperReport, changes: dict[str, Any]) -> PaperReport:
    class Changed(PaperReport):
        @cached_property
        def findings(self) -> tuple[Finding, ...]:
            return tuple(replace(item, **changes) for item in paper.findings)

    values = {name: getattr(paper, name) for name in PaperReport.__dataclass_fields__}
    return Changed(**values)
