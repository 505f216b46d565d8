"""The JSON contract, schema 1 (DESIGN §9): keys may be added, never renamed."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pfcore.domain.values import Edge, Finding, ModulePart, Passage, Status, Via
from pfcore.graph.argument_shape import ArgumentShape
from pfcore.graph.context import members
from pfcore.impact.reasons import chain
from pfcore.ledger.measurement import MeasuredContract, MeasuredRate
from pfcore.reporters.module_names import (
    Leaf,
    PrintedIds,
    leaves,
    needs_of_affected,
    reasons_told,
)
from pfcore.reporters.objections import failed, measured
from pfcore.reporters.paper_overview import (
    PaperNumbers,
    is_blueprint,
    omitted,
    paper_numbers,
    ready_to_formalise,
    shape_of,
    support_of_gaps,
)
from pfcore.reporters.printing import plural
from pfcore.reporters.review_outcome import readers_words
from pfcore.review.review import PaperReport, Report
from pfcore.review.unseen import unseen

if TYPE_CHECKING:
    from pfcore.checks.lean.lean_table import LeanRow
    from pfcore.graph.needs import DefinitionHub, Need
    from pfcore.llm.engine.action import UsageTally

SCHEMA = 1


def dumps(value: object) -> str:
    """Readable JSON; text that is not valid Unicode is escaped."""
    return json.dumps(value, indent=1, ensure_ascii=True) + "\n"


def check_json(report: Report) -> str:
    """`pf check --format json`."""
    names = PrintedIds(report)
    return dumps(
        {
            "schema": SCHEMA,
            "before": report.before,
            "after": report.after,
            "model": report.model,
            "contract": contract(report),
            "reader": readers_words(report) or None,
            "forms": dict(sorted(forms(report).items())),
            "read": _read(report),
            "measured": _on_record(report, is_simulated=False),
            "simulated": _on_record(report, is_simulated=True),
            "papers": [_summary(paper, names.of(paper)) for paper in report.papers],
            "findings": [
                _finding(finding, names.of(paper))
                for paper in report.papers
                for finding in paper.findings
                if not finding.left
            ],
            "not_shown": [
                {"rule": item.rule, "file": item.location.path, "count": item.left}
                for paper in report.papers
                for item in paper.findings
                if item.left
            ],
            "unreached": [
                {"module": names.of(paper)[item.module], "reason": item.reason}
                for paper in report.papers
                for item in paper.unreached
            ],
            "not_read": [
                {"module": names.of(paper)[name], "reason": reason}
                for paper in report.papers
                for name, reason in failed(paper).items()
                if name in names.of(paper)
            ],
            "statuses": {
                names.of(paper)[name]: status.value
                for paper in report.papers
                for name, status in paper.statuses.items()
                if name in names.of(paper)
            },
            "at_fault": [
                names.of(paper)[name]
                for paper in report.papers
                for name in paper.statuses
                if name in paper.at_fault and name in names.of(paper)
            ],
            "usage": usage(report.spent),
            "not_looked_at": list(_unseen(report)),
            "not_reviewed": [
                {"path": item.path, "reason": item.reason} for item in report.library.asides
            ],
        }
    )


def _unseen(report: Report) -> Iterable[dict[str, Any]]:
    """The parts that the review did not look at; `is_failure`: they make the exit status 3."""
    for item in unseen(report):
        yield {
            "kind": item.kind.value,
            "file": item.path or None,
            "line": item.line or None,
            "what": item.what,
            "reason": item.reason,
            "count": item.number,
            "is_failure": item.is_failure,
        }


def contract(report: Report) -> str | None:
    """The digest of the asking contract, if all papers share one."""
    sheets = [
        paper.sheet for paper in report.papers if paper.sheet and paper.sheet.knowledge.asking
    ]
    found = {sheet.knowledge.contract for sheet in sheets}
    return found.pop() if len(found) == 1 else None


def forms(report: Report) -> Counter[str]:
    """The number of verdicts by the canonical form of the contexts read."""
    sheets = [paper.sheet for paper in report.papers if paper.sheet is not None]
    return Counter(form for sheet in sheets for form in sheet.forms().elements())


def _read(report: Report) -> str:
    sheets = [paper.sheet for paper in report.papers if paper.sheet is not None]
    if not sheets:
        return "structure only: proofs not read"
    left = sum(len(sheet.unread()) for sheet in sheets)
    read = sum(len(sheet.readings) for sheet in sheets) - left
    return f"{plural(read, 'proof')} read, {left:,} not" if read or left else "no proof to read"


def _on_record(report: Report, *, is_simulated: bool) -> list[dict[str, Any]]:
    """The measurements on record of each paper's contract."""
    found = filter(None, map(measured, report.papers))
    return [_measured(*item) for item in found if item[0].simulated is is_simulated]


def _measured(found: MeasuredContract, rate: MeasuredRate) -> dict[str, Any]:
    """What the contract was measured to find; each share is a list of value, low and high."""
    shares = {"recall": rate.recall, "flagged": rate.flagged, "precision": rate.precision}
    return {
        "paper": found.paper,
        "model": found.model,
        "date": found.day,
        "simulated": found.simulated,
        "errors": found.errors,
        "proofs": found.proofs,
        **{
            name: None if share is None else [number / 1000 for number in share]
            for name, share in shares.items()
        },
    }


def usage(spent: "UsageTally | None") -> dict[str, Any]:
    """The usage of a run; `known` counts the replies that were already stored."""
    return {
        "calls": spent.calls if spent else 0,
        "input_tokens": spent.usage.input if spent else 0,
        "cached_tokens": spent.usage.cached if spent else 0,
        "output_tokens": spent.usage.output if spent else 0,
        "cost_usd": round(spent.cost, 6) if spent else 0,
        "known": spent.hits if spent else 0,
    }


NOTHING: Mapping[str, int | float | None] = {
    "calls": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "cost_usd": 0,
}


def plan_json(
    report: Report,
    most: Mapping[str, int | float | None] = NOTHING,
    *,
    is_deep: bool = False,
    why: Iterable[tuple[PaperReport, str]] = (),
) -> str:
    """`pf plan --format json`; `most` bounds the cost of reading, which is zero without a model.

    With `is_deep`, hubs are included, and for papers without a change also unexplained symbols,
    which needs the contexts of all modules. `why` is what `--why` asks about.
    """
    from pfcore.graph.needs import hubs

    names = PrintedIds(report)
    told = [_why(paper, name, names) for paper, name in why]
    needs = [needs_of_affected(paper, is_deep=is_deep) for paper in report.papers]
    is_counted = is_deep or any(paper.is_change for paper in report.papers)
    outcomes = Counter(need.outcome.value for one in needs for two in one.values() for need in two)
    return dumps(
        {
            "schema": SCHEMA,
            "before": report.before,
            "after": report.after,
            "model": report.model,
            "total": sum(paper.plan.total for paper in report.papers),
            "affected": [
                {
                    "id": names.of(paper)[item.id],
                    "reasons": list(reasons_told(item, paper)),
                    "unread": item.unread,
                    "paper": paper.state.paper.name,
                    **_needs(needed[item.id], paper, names.of(paper)),
                }
                for paper, needed in zip(report.papers, needs, strict=True)
                for item in paper.plan.affected
            ],
            "unexplained": outcomes["unexplained"] if is_counted else None,
            "ambiguous": outcomes["ambiguous"] if is_counted else None,
            "beyond": [
                {
                    "id": names.of(paper).get(item.id, item.id),
                    "what": item.what,
                    "modules": [names.of(paper)[name] for name in item.modules],
                    "paper": paper.state.paper.name,
                }
                for paper in report.papers
                for item in paper.plan.beyond
            ],
            "hubs": [
                _hub(paper, hub, names.of(paper))
                for paper in report.papers
                for hub in hubs(paper.state.document)
            ]
            if is_deep
            else None,
            "why": told or None,
            "reopened": _reopened(report, names),
            "backlog": sum(paper.plan.backlog for paper in report.papers),
            **most,
            "not_looked_at": list(_unseen(report)),
        }
    )


def _why(paper: PaperReport, name: str, names: PrintedIds) -> dict[str, Any]:
    """The answer of `pf plan --why` for a module, or for a result of another work."""
    if name not in paper.state.document.modules:
        leaf = next(leaf for leaf in leaves(paper) if name == f"cite:{leaf.id}")
        users = [names.of(paper).get(user, user) for user in leaf.users]
        return {**_leaf(paper, leaf, names, {}), "cited_by": users}
    from pfcore.graph.needs import NeedOutcome, hubs, needs_of, stands_first

    document, mine = paper.state.document, names.of(paper)
    inside = members(document, name)
    listed = needs_of(paper.state, name)
    needs = _needs(listed, paper, mine)
    for need, told in zip(listed, needs["needs"], strict=True):
        is_open = need.outcome is NeedOutcome.UNEXPLAINED
        first = stands_first(paper.state, name, need) if is_open else ""
        told["first"] = _place(paper, first, mine) if first else None
    change = next((item for item in paper.plan.affected if item.id == name), None)
    return {
        **_module(paper, name, mine, {}),
        "affected": change is not None if paper.is_change else None,
        "reasons": list(reasons_told(change, paper)) if change else [],
        "asked": list(paper.sheet.edited_keys(name) if paper.sheet else ()),
        "beyond": [
            {"id": mine.get(item.id, item.id), "what": item.what}
            for item in paper.plan.beyond
            if name in item.modules
        ],
        "depends": list(_depends(paper, name, mine)),
        "cites": [
            {"key": key, "locator": locator, "file": where.path, "line": where.line}
            for key, locator, where in document.modules[name].cites
        ],
        "members": [
            _place(paper, item, mine)
            for item in sorted(inside, key=lambda item: document.modules[item].position)
        ],
        **needs,
        **_in_lean_of(paper, name),
        "hubs": [_hub(paper, hub, mine) for hub in hubs(document) if hub.id in inside],
    }


def _depends(paper: PaperReport, name: str, names: Mapping[str, str]) -> Iterable[dict[str, Any]]:
    """The modules that a module invokes, each with all edges by which, and in which part."""
    ways: dict[str, list[dict[str, str | None]]] = {}
    for edge in chain(paper.state.document, name):
        part = None if edge.via is Via.SCOPE else edge.part.value
        ways.setdefault(edge.target, []).append({"via": edge.via.value, "part": part})
    for target, found in ways.items():
        yield {**_place(paper, target, names), "found": found}


def _hub(paper: PaperReport, hub: "DefinitionHub", names: Mapping[str, str]) -> dict[str, Any]:
    return {**_place(paper, hub.id, names), "held": hub.held, "says": hub.says}


def _needs(
    listed: "Iterable[Need]", paper: PaperReport, names: Mapping[str, str]
) -> dict[str, Any]:
    """What a module uses but does not bind, and how much of it is unexplained or ambiguous."""
    outcomes = Counter(need.outcome.value for need in listed)
    return {
        "needs": [
            {
                "key": need.key,
                "part": need.part.value,
                "file": need.path,
                "line": need.line,
                "supply": need.outcome.value,
                "via": [_place(paper, one, names) for one in need.via],
            }
            for need in listed
        ],
        "unexplained": outcomes["unexplained"],
        "ambiguous": outcomes["ambiguous"],
    }


def _place(paper: PaperReport, name: str, names: Mapping[str, str]) -> dict[str, Any]:
    """A module's place, and its id if it is shown to people."""
    where = paper.state.document.modules[name].statement.location
    return {"id": names.get(name), "file": where.path, "line": where.line}


def graph_json(report: Report) -> str:
    """`pf graph --format json`."""
    names = PrintedIds(report)
    return dumps(
        {
            "schema": SCHEMA,
            "modules": [
                item
                for paper in report.papers
                for item in (*_modules(paper, names.of(paper)), *_leaves(paper, names))
            ],
            "edges": [item for paper in report.papers for item in _edges(paper, names)],
            "not_looked_at": list(_unseen(report)),
        }
    )


def _modules(paper: PaperReport, names: Mapping[str, str]) -> Iterable[dict[str, Any]]:
    from pfcore.checks.lean.lean_table import lean_rows

    document = paper.state.document
    rows = lean_rows(paper.state, names)
    for name in names:
        inside = sorted(members(document, name), key=lambda item: document.modules[item].position)
        context = [names[item] for item in inside if item in names]
        yield {
            **_module(paper, name, names, {"context": context}),
            **(_in_lean(rows[name]) if name in rows else {}),
        }


def _module(
    paper: PaperReport, name: str, names: Mapping[str, str], context: Mapping[str, list[str]]
) -> dict[str, Any]:
    """A module itself: what it is, its place, its status; for the graph with its context."""
    module = paper.state.document.modules[name]
    return {
        "id": names.get(name, name),
        "kind": module.kind,
        "title": module.title or None,
        "label": module.label,
        "number": paper.numbering.of(module),
        **_lines(module.statement),
        "proof": _lines(module.proof) if module.proof else None,
        "guessed": [ModulePart.PROOF.value] if module.is_guessed else [],
        "parent": names.get(module.parent) if module.parent else None,
        **context,
        "status": paper.statuses[name].value,
        "at_fault": name in paper.at_fault,
        "role": module.role.value,
        "paper": paper.state.paper.name,
    }


def _in_lean_of(paper: PaperReport, name: str) -> dict[str, Any]:
    from pfcore.checks.lean.lean_table import lean_rows

    row = lean_rows(paper.state, (name,)).get(name)
    return _in_lean(row) if row else {}


def _in_lean(row: "LeanRow") -> dict[str, Any]:
    """The assumptions in the words, and the Lean declarations with their binders."""
    return {
        "supposes": list(row.supposes),
        "lean": [
            {
                "name": found.name,
                "file": found.path,
                "binders": [{"kind": item.kind.value, "text": item.text} for item in found.binders],
            }
            for found in row.declarations
        ],
    }


def _leaves(paper: PaperReport, names: PrintedIds) -> Iterable[dict[str, Any]]:
    """Results of other works: modules without a text in this paper."""
    return (_leaf(paper, leaf, names, {"context": []}) for leaf in leaves(paper))


def _leaf(
    paper: PaperReport, leaf: Leaf, names: PrintedIds, context: Mapping[str, list[str]]
) -> dict[str, Any]:
    return {
        "id": names.leaf(paper, leaf.id),
        "kind": "citation",
        "title": leaf.locator,
        "label": None,
        "number": None,
        "file": leaf.location.path,
        "start_line": leaf.location.line,
        "end_line": leaf.location.end_line,
        "proof": None,
        "guessed": [],
        "parent": None,
        **context,
        "status": Status.CITED.value,
        "at_fault": False,
        "role": "citation",
        "paper": paper.state.paper.name,
    }


def _edges(paper: PaperReport, names: PrintedIds) -> Iterable[dict[str, Any]]:
    mine = names.of(paper)
    for edge in paper.state.document.edges:
        if edge.source in mine and edge.target in mine:
            yield _edge(edge, mine)
    for leaf in leaves(paper):
        target = names.leaf(paper, leaf.id)
        for user in leaf.users:
            if user in mine:
                yield {"source": mine[user], "target": target, "via": Via.REFERENCE.value}


def _lines(passage: Passage) -> dict[str, Any]:
    where = passage.location
    return {"file": where.path, "start_line": where.line, "end_line": where.end_line}


def _edge(edge: Edge, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "source": names[edge.source],
        "target": names[edge.target],
        "via": edge.via.value,
        "part": edge.part.value,
    }


def _finding(finding: Finding, names: Mapping[str, str]) -> dict[str, Any]:
    where = finding.location
    return {
        "id": finding.id,
        "rule": finding.rule,
        "severity": finding.severity.value,
        "module": names.get(finding.module) if finding.module else None,
        "message": finding.message,
        "quote": finding.quote,
        "likeness": round(finding.likeness, 3),
        "file": where.path,
        "start_line": where.line,
        "start_column": where.column,
        "end_line": where.end_line,
        "end_column": where.end_column,
        "introduced": finding.introduced,
        "votes": finding.votes,
        "rollouts": finding.rollouts,
        "dismissed": finding.dismissed,
        "reopened": finding.reopened,
        "reason": finding.reason,
        "location": None,
        "aliases": sorted(finding.aliases),
        "related": [names.get(item, item) for item in finding.related],
        "alike": finding.alike or None,
    }


def _reopened(report: Report, names: "PrintedIds") -> list[str] | None:
    """The modules whose verdicts a change invalidates; None if the verdicts are not known."""
    known = [paper for paper in report.papers if paper.plan.reopened is not None]
    found = (names.of(paper)[name] for paper in known for name in paper.plan.reopened or ())
    return list(found) if known else None


def _summary(paper: PaperReport, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": paper.state.paper.name,
        "root": paper.state.paper.root,
        "modules": paper.plan.total,
        "affected": [item.id for item in paper.plan.affected],
        "backlog": paper.plan.backlog,
        "reopened": None if paper.plan.reopened is None else list(paper.plan.reopened),
        "bounds": {"length": paper.bounds.length, "depth": paper.bounds.depth},
        "overview": _overview(paper, names),
    }


def _overview(paper: PaperReport, names: Mapping[str, str]) -> dict[str, Any]:
    """The first screen of a paper, with the ids of modules; null for what it does not have."""
    found, shape = paper_numbers(paper), shape_of(paper)
    return {
        "title": found.title,
        "files": found.files,
        "results": found.results,
        "definitions": found.definitions,
        "formalised": found.formal,
        "cited": found.cited,
        "unread": found.unread,
        "without_proof": [names[name] for name in paper.unproved],
        "proof_omitted": [names[name] for name in omitted(paper)],
        "depending_on_gaps": _gaps(paper, shape, names) if shape else None,
        "blueprint": _blueprint(paper, found, shape, names)
        if shape and is_blueprint(found)
        else None,
        "dependencies": shape.dependencies if shape else None,
        "uncited": [names[name] for name in shape.uncited] if shape else None,
        "most_used": {"module": names[shape.most_used], "users": shape.uses}
        if shape and shape.most_used
        else None,
        "main_result": {
            "module": names[shape.main],
            "named": shape.is_main,
            "depends_on": shape.depends_on,
            "chain": [names[name] for name in shape.chain],
        }
        if shape and shape.main
        else None,
    }


def _gaps(
    paper: PaperReport, shape: ArgumentShape, names: Mapping[str, str]
) -> dict[str, list[str]]:
    results, kinds = support_of_gaps(paper, shape)
    gaps = [name for listed in kinds.values() for name in listed]
    return {"results": [names[one] for one in results], "gaps": [names[one] for one in gaps]}


def _blueprint(
    paper: PaperReport, found: PaperNumbers, shape: ArgumentShape, names: Mapping[str, str]
) -> dict[str, Any]:
    ready = ready_to_formalise(paper, shape)
    return {
        "proofs": found.shown,
        "statements": found.stated,
        "definitions": found.defined,
        "ready": [names[name] for name in ready.results],
        "ready_proofs": [names[name] for name in ready.proofs],
        "ready_definitions": [names[name] for name in ready.definitions],
    }
