"""The entries of a page: each result with its proof, its findings, and its neighbours."""

from collections.abc import Iterator
from html import escape

from pfcore.domain.values import Finding, Module
from pfcore.reporters.html.place import PaperOnPage, where
from pfcore.reporters.html.states import PageLook, StatusLook
from pfcore.reporters.html.typeset import typeset
from pfcore.reporters.printing import place_of, plural, safe

_MOST = 12
"""Neighbours that are listed at once."""


def entry(at: PaperOnPage, name: str) -> str:
    """The article of one result."""
    module, state = at.modules[name], at.states[name].value
    anchor = escape(at.anchor(name))
    found = at.findings.get(name, [])
    beside = f'<div class="beside">{"".join(_cards(at, found))}</div>' if found else ""
    return (
        f'<article id="{anchor}" class="entry {state.name}" aria-labelledby="h-{anchor}">'
        f'<h3 id="h-{anchor}">{_heading(at, name)}</h3>'
        f'<p class="facts"><span class="state">{escape(state.words)}</span> '
        f"<code>{escape(where(module.statement))}</code> {_focus(at, name)}</p>"
        f'<div class="pair"><div class="text">{"".join(_texts(at, module, found))}</div>'
        f"{beside}</div>{_neighbours(at, name)}</article>"
    )


def _heading(at: PaperOnPage, name: str) -> str:
    state = at.states[name].value
    module = at.modules[name]
    title = "" if at.is_numbered(name) else typeset(at.expanded(module.title), at.maths)
    return (
        f'<span class="glyph" aria-hidden="true">{state.glyph}</span> {escape(at.name(name))}'
        + (f' <span class="title">({title})</span>' if title else "")
    )


def _focus(at: PaperOnPage, name: str) -> str:
    words = escape(at.name(name))
    return (
        f'<a class="in-graph" href="#focus={fragment(at.ids[name])}&amp;dir=up&amp;depth=2" '
        f'aria-label="{words} in the graph">in the graph</a>'
    )


def fragment(name: str) -> str:
    """An id as a value in a URL's fragment."""
    return "".join(
        chr(byte) if chr(byte).isalnum() and byte < 128 else f"%{byte:02X}"
        for byte in name.encode("utf-8", "replace")
    )


def _texts(at: PaperOnPage, module: Module, found: list[Finding]) -> Iterator[str]:
    quotes = [item.quote for item in found if item.quote and item.dismissed is None]
    yield f'<div class="statement">{at.text(module.id, 0, quotes)}</div>'
    for number in range(1, len(module.proofs) + 1):
        title = "Proof" if number == 1 else f"Proof {number}"
        text = at.text(module.id, number, quotes)
        yield f'<details class="proof" open><summary>{title}</summary><div>{text}</div></details>'


def _cards(at: PaperOnPage, found: list[Finding]) -> Iterator[str]:
    for item in found:
        yield card(at, item)


def card(at: PaperOnPage, finding: Finding) -> str:
    """A finding with its votes, its reason, and the way to answer it."""
    is_read = finding in at.paper.objections
    look = _look(at, finding)
    votes = f" · {finding.votes} of {plural(finding.rollouts, 'reading')}" if is_read else ""
    blocks = " · blocks" if finding in at.paper.blocking else ""
    parts = [
        f'<section class="finding {look.name}" aria-label="Finding {escape(finding.id)}">',
        f"<h4>{look.glyph} {escape(safe(finding.rule))}{blocks}{votes} · {escape(finding.id)}</h4>",
        f"<p>{typeset(finding.message, at.maths)}</p>",
        f"<blockquote>{typeset(finding.quote, at.maths)}</blockquote>" if finding.quote else "",
    ]
    if finding.reason:
        reason = typeset(finding.reason, at.maths)
        parts.append(f"<details><summary>Why</summary><p>{reason}</p></details>")
    if finding.reopened is not None:
        told = "Answered before, and what it rests on has changed: "
        parts.append(f"<p>{told}{escape(safe(finding.reopened))}</p>")
    parts.append(f'<p class="facts"><code>{escape(place_of(finding))}</code></p>')
    parts.append(_answer(finding, is_read=is_read))
    return "".join([*parts, "</section>"])


def _answer(finding: Finding, *, is_read: bool) -> str:
    if finding.dismissed is not None:
        return f'<p class="facts">Answered: {escape(safe(finding.dismissed))}</p>'
    way = f"pf dismiss {finding.id} --reason '…'" if is_read else f"% pf: ignore[{finding.id}] …"
    return f'<p class="facts">Not so? <code>{escape(way)}</code></p>'


def _look(at: PaperOnPage, finding: Finding) -> PageLook:
    if finding.dismissed is not None:
        return StatusLook.ANSWERED.value
    if finding not in at.paper.objections and finding not in at.paper.blocking:
        return PageLook(finding.severity.value, "·", "")
    state = StatusLook.GAP if finding in at.paper.blocking else StatusLook.POSSIBLE
    found: PageLook = state.value
    return found


def _neighbours(at: PaperOnPage, name: str) -> str:
    both = (("Rests on", at.rests_on.get(name, [])), ("Used by", at.used_by.get(name, [])))
    cited = [
        f"{escape(safe(item.locator))} of {escape(safe(item.key))}"
        for item in dict.fromkeys(at.modules[name].cites)
    ]
    rows = [
        f"<div><dt>{title}</dt><dd>{_links(at, names)}</dd></div>" for title, names in both if names
    ]
    rows += (
        [f"<div><dt>Cites</dt><dd>{', '.join(dict.fromkeys(cited))}</dd></div>"] if cited else []
    )
    return f'<dl class="near">{"".join(rows)}</dl>' if rows else ""


def _links(at: PaperOnPage, names: list[str]) -> str:
    few, rest = names[:_MOST], names[_MOST:]
    text = ", ".join(at.link(name) for name in few)
    if not rest:
        return text
    more = ", ".join(at.link(name) for name in rest)
    return f"{text} <details><summary>and {len(rest):,} more</summary>{more}</details>"
