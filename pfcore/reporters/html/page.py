"""The whole page: one file, which may run and show only what it has itself."""

import base64
import hashlib
from bisect import bisect_right
from html import escape
from typing import NamedTuple

from pfcore.reporters.html.bands import band_of_numbers, bands, facts
from pfcore.reporters.html.canvas import canvas
from pfcore.reporters.html.network import network
from pfcore.reporters.html.page_entries import entry
from pfcore.reporters.html.place import PaperOnPage
from pfcore.reporters.html.typeset import Maths
from pfcore.reporters.ids import PrintedIds
from pfcore.reporters.printing import safe
from pfcore.reporters.review_outcome import not_looked_at
from pfcore.review.review import Report

MARK = '<meta name="generator" content="pf-verify report">'
"""By this a page is known as ours."""


class Assets(NamedTuple):
    """What a page has that no paper gives: its style sheet and its script."""

    style: str
    script: str


def report_page(report: Report, assets: Assets, maths: Maths) -> str:
    """The report of a review; equal reports give equal pages."""
    names = PrintedIds(report)
    places = [PaperOnPage(paper=paper, ids=names.of(paper), maths=maths) for paper in report.papers]
    title = escape(", ".join(safe(paper.state.paper.name) for paper in report.papers) or "no paper")
    # What was not looked at stands first, and some of it shows only when all has been asked for.
    rest = "".join(
        [
            band_of_numbers(report),
            f'<p class="facts">{" · ".join(facts(report))}</p></header>',
            f'<div class="columns"><nav aria-label="Contents">{_contents(places)}</nav><main>',
            bands(places),
            canvas(),
            '<section id="results" aria-label="Results">',
            *(entry(at, name) for at in places for name in at.shown),
            "</section></main></div>",
            f'<script type="application/json" id="network">{network(places)}</script>',
        ]
    )
    skip = '<a class="skip" href="#results">Skip to the results</a>'
    body = f"{skip}<header><h1>{title}</h1>{_unlooked(report)}{rest}"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{_policy(assets)}{MARK}'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}: pf-verify</title><style>{assets.style}</style></head>"
        f"<body>{body}<script>{assets.script}</script></body></html>\n"
    )


def _unlooked(report: Report) -> str:
    """What was not looked at, right behind the title."""
    said = not_looked_at(report)
    return f'<p class="unlooked">{escape(said[0].upper() + said[1:])}.</p>' if said else ""


def _policy(assets: Assets) -> str:
    """Nothing is fetched, and only our own style and script count."""
    rules = (
        f"default-src 'none'; style-src {_digest(assets.style)}; "
        f"script-src {_digest(assets.script)}; base-uri 'none'; form-action 'none'"
    )
    return f'<meta http-equiv="Content-Security-Policy" content="{rules}">'


def _digest(text: str) -> str:
    raw = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(raw).decode()}'"


def _contents(places: list[PaperOnPage]) -> str:
    """The results in the order of the paper, under the headings of its sections."""
    parts = [
        '<h2>Contents</h2><label>Filter <input type="search" id="filter"></label>',
        '<p><a href="#structure">Structure</a> · <a href="#reading">Reading</a> · '
        '<a href="#lean">Lean</a> · <a href="#graph">Graph</a></p>',
    ]
    for at in places:
        if len(places) > 1:
            parts.append(f"<h3>{escape(safe(at.paper.state.paper.name))}</h3>")
        parts.append(f"<ul>{_listed(at)}</ul>")
    return "".join(parts)


def _listed(at: PaperOnPage) -> str:
    headings = [item for item in at.paper.state.document.headings if item.title]
    begins = [item.first for item in headings]
    rows, last = [], -1
    for name in at.shown:
        number = bisect_right(begins, at.modules[name].position) - 1
        if number not in (-1, last):
            title = escape(at.plain(headings[number].title))
            rows.append(f'<li class="section">{title}</li>')
            last = number
        rows.append(f"<li>{at.link(name)}</li>")
    return "".join(rows)
