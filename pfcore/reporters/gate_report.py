"""The record of a gate: one page of Markdown that says what was read, how, and what it means.

Also the output of `pf gate`: whether each paper passes, and the reasons if not; and the report on
an upload: what was stripped, what was left out, what it contains.
"""

import json
import re
import shlex
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pfcore.checks import preflight
from pfcore.domain.findings import CYCLE
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Finding, Module, Role, Severity, Status
from pfcore.graph.argument_shape import citations
from pfcore.graph.laws import is_invocation
from pfcore.ledger.ledger import Fields, LedgerEntry
from pfcore.reporters.answer_record import (
    NOBODY,
    AnswerAuthors,
    answered,
    code,
    idle_words,
    prose,
)
from pfcore.reporters.contract_report import field_name, field_value
from pfcore.reporters.formal_proofs import NOT_RUN, formal_modules, formal_words
from pfcore.reporters.formats.json_report import check_json, dumps
from pfcore.reporters.gate_steps import (
    PLAIN_HINTS,
    GateHints,
    GateStep,
    resting_on_open_results,
    rule_of,
    steps_on_a_screen,
    steps_to_a_pass,
)
from pfcore.reporters.module_names import (
    Leaf,
    ShownStatus,
    finding_words,
    leaves,
    module_name,
    standing,
)
from pfcore.reporters.paper_overview import (
    ANSWERED,
    overview_paragraphs,
    paper_overview,
    titled,
    told_paragraphs,
)
from pfcore.reporters.printing import Style, place_of, plural, safe, shortened
from pfcore.reporters.review_outcome import gaps_in_words, listed_gaps
from pfcore.review.contract_comparison import flat
from pfcore.review.gate import (
    Cause,
    GateOutcome,
    Reason,
    left_at_home,
    result_name,
    source_digest,
)
from pfcore.review.known_verdicts import NO_MODEL, NOT_YET
from pfcore.review.review import PaperReport, Report
from pfcore.review.unseen import Gap, Unseen, unseen, unseen_of

WRITTEN = (
    "The dependencies are those that the text names, by a reference, a number or a name. If a "
    "proof uses a result without naming it, that is not shown here."
)
QUIET = "The absence of objections is not a proof."
_UNREAD = "No proof was read, so nothing here says whether a proof is right."
_MOST = 40
_PLAIN = Style()
_STATUSES = (
    (Status.CHECKED, "read without an objection, like everything they depend on"),
    (
        Status.CONDITIONAL,
        "read without an objection, but dependent on results of lesser status, or with a proof "
        "attached by a guess",
    ),
    (Status.FORMAL, "formal (claimed): according to the authors, proved in Lean"),
    (Status.CITED, "cited: taken from the literature"),
    (Status.DISMISSED, "dismissed: objection answered by the authors"),
    (Status.FLAGGED, "flagged: with an objection, or part of a circular argument"),
    (Status.OMITTED, "omitted: without a proof in the paper"),
    (Status.UNREACHED, "without a reading of their proofs"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the record states in addition to the review.

    `date` is the commit's; `lock` says which lines of the ledger count, `upload` what the upload
    contains if one was asked for, or why there is none; `archive` names the archive that was judged
    in place of a repository, `beside` the documents that were not judged, each with the reason.
    `authors` are the authors of answers. `uncompiled` is why the upload was not compiled, "" if it
    was, or if there is none; `undefined` are citation keys without an entry in it.
    """

    commit: str
    date: str
    version: str
    lock: str
    archive: str = ""
    upload: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    authors: AnswerAuthors = NOBODY
    uncompiled: str = ""
    undefined: tuple[str, ...] = ()


def record(report: Report, outcomes: Sequence[GateOutcome], facts: Facts) -> str:
    """The page over all papers."""
    return "\n\n".join(block for block in _blocks(report, outcomes, facts) if block) + "\n"


def _blocks(report: Report, outcomes: Sequence[GateOutcome], facts: Facts) -> Iterator[str]:
    yield f"# {headline(outcomes, facts.undefined)}"
    if facts.uncompiled:
        yield _plain(_uncompiled_words(facts.uncompiled))
    if answers := sum(map(_results_answered, report.papers)):
        results = sum(sum(item.is_result for item in _claims(paper)) for paper in report.papers)
        some = f"{answers:,} of {plural(results, 'result')}"
        yield f"{some} have {ANSWERED}."
    yield _list(
        [
            _plain(f"Archive: {facts.archive}")
            if facts.archive
            else f"Commit: {code(facts.commit)} of {_plain(facts.date[:10])}",
            f"Tool: {_plain(f'pf-verify {facts.version}')}",
            f"Verdicts and answers that count: {_plain(facts.lock)}",
            *([_plain(f"Not judged: {', '.join(facts.beside)}")] if facts.beside else []),
        ]
    )
    for paper, outcome in zip(report.papers, outcomes, strict=True):
        yield from _paper(paper, outcome, report, facts)
    if facts.upload:
        yield "## The upload"
        yield _list([_plain(line) for line in facts.upload])
    yield "## What it means"
    yield f"{WRITTEN}\n\n{QUIET if any(map(_number_read, report.papers)) else _UNREAD}"


def _uncompiled_words(why: str) -> str:
    """Says that an upload was not compiled, and what to do before sending it."""
    return f"The upload was not compiled here: {safe(why)}. Compile it before you upload it."


def _first_capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _results_answered(paper: PaperReport) -> int:
    """The number of results without a proof or citation that the authors have answered."""
    modules = paper.state.document.modules
    return sum(modules[name].is_result for name in paper.answered_for)


def _plain(text: str) -> str:
    """Text of names and of LaTeX, in which no character begins a formula."""
    return prose(text, has_formulas=False)


def _paper(paper: PaperReport, outcome: GateOutcome, report: Report, facts: Facts) -> Iterator[str]:
    own = paper.state.paper
    found = paper_overview(paper, report)
    yield f"## {prose(found.title)}" if found.results else f"## {_plain(own.name)}"
    if found.results:
        yield from map(prose, told_paragraphs(found))
    yield "### What was read"
    yield _read(paper, outcome)
    unlooked = [item for item in unseen_of(paper) if item.kind is not Gap.PROOF]
    gaps = listed_gaps(unlooked, most=None)
    yield from _section("What was not looked at", [prose(gaps)] if gaps else [])
    yield from _reasons(paper, outcome)
    named = own.name if len(report.library.papers) > 1 else ""
    dismiss = "" if facts.archive else PLAIN_HINTS.dismiss
    hints = GateHints(paper=named, dismiss=dismiss, is_away=True)
    yield from _section(_STEPS, list(map(_step, steps_to_a_pass(outcome.reasons, hints))))
    warnings = gate_warnings(paper, outcome)
    yield from _section(_WARNINGS, [_noted(item, paper) for item in warnings])
    yield from _section(_NOTES, [_noted(item, paper) for item in gate_notes(paper)])
    yield from _section("Answered by the authors", answered(paper, facts.authors))
    yield from _section("What the main results depend on", list(_resting(paper, found.main_id)))
    circles = [prose(of_circle(circle, paper)) for circle in outcome.circles]
    yield from _section("Possible circular arguments (uncertain references)", circles)
    yield from _section("Proofs attached to their result by a guess", _guessed(paper))
    told = {reason.module for reason in outcome.reasons if reason.cause is Cause.UNPROVED}
    omitted = [item for item in _with_status(paper, Status.OMITTED) if item.id not in told]
    yield from _section("Omitted", _by_kind(omitted, paper))
    formal = _by_kind(_with_status(paper, Status.FORMAL), paper)
    yield from _section("Formal (claimed)", [*formal, *map(prose, formal_words(paper))])
    cited = [_of_work(leaf) for leaf in leaves(paper)]
    mine = _by_kind(_with_status(paper, Status.CITED), paper)
    yield from _section("Cited", [*mine, *cited])
    contracts = list(_contracts(paper))
    yield "### Contract and settings" if contracts else "### Settings"
    digest = (
        f"Main file {code(own.root)}. SHA-256 over the paths and git objects of the sources that "
        f"were judged: {code(source_digest(own))}."
    )
    yield _list([*contracts, *_settings(paper, is_read=bool(contracts)), digest])


def _step(step: GateStep) -> str:
    """A step as a sentence; its command can be copied from the raw text."""
    words = _plain(f"{step.words}{step.lead}")
    return f"{words} {code(step.command)}" if step.command else words


def _of_work(leaf: Leaf) -> str:
    """A result of another work, by its place there."""
    return f"{prose(leaf.locator)} of {code(leaf.key)}"


_STEPS = "Steps to pass, easiest first"
_WARNINGS = "Open warnings (the gate does not count them)"
_NOTES = "Notes (the gate does not count them)"


def gate_warnings(paper: PaperReport, outcome: GateOutcome) -> list[Finding]:
    """Warnings of checks that nobody has answered and that are no reason against the paper."""
    counted = {reason.finding for reason in outcome.reasons}
    counted.update(item.id for item in (*paper.blocking, *paper.objections))
    home = left_at_home(paper.state.paper)
    return [
        item
        for item in paper.findings
        if item.severity is Severity.WARNING
        and item.dismissed is None
        and item.id not in counted
        and item.location.path not in home
    ]


def gate_notes(paper: PaperReport) -> list[Finding]:
    """Unanswered notes: circles that may be inductions, and possible trouble with an upload.

    The circles come first.
    """
    home = left_at_home(paper.state.paper)
    found = [
        item
        for item in paper.findings
        if item.severity is Severity.NOTE
        and item.dismissed is None
        and (item.rule == CYCLE or item.rule in preflight.RULES)
        and item.location.path not in home
    ]
    return sorted(found, key=lambda item: item.rule != CYCLE)


def _noted(item: Finding, paper: PaperReport) -> str:
    words = _words(item.message, item, paper)
    return f"{words}: {code(place_of(item))} (finding {code(item.id)})"


def _reasons(paper: PaperReport, outcome: GateOutcome) -> Iterator[str]:
    """The reasons against a pass, grouped under titles by kind, and then by check."""
    if outcome.reasons:
        yield "### Reasons"
    known = {item.id: item for item in (*paper.findings, *paper.objections)}
    for cause, title in _GROUPS.items():
        found = [reason for reason in outcome.reasons if reason.cause is cause]
        if not found:
            continue
        if cause is Cause.UNREAD and len({reason.words for reason in found}) == 1:
            modules = paper.state.document.modules
            unread = [modules[name] for reason in found if (name := reason.module)]
            yield f"{title} ({len(found):,}; {_why_unread(found[0])}):"
            yield _list(_by_kind(unread, paper))
            continue
        yield f"{title} ({len(found):,}):"
        for rule, number in Counter(map(rule_of, found)).items():
            mine = [reason for reason in found if rule_of(reason) == rule]
            if rule:
                yield f"{_head(rule)}, {number:,}:"
            yield _list([_against(reason, paper, known) for reason in mine])


def _why_unread(reason: Reason) -> str:
    return prose(reason.words.removeprefix(_NOT_READ))


_NOT_READ = "not read: "
"""The prefix of an unread proof's reason, dropped below a title that says so."""


def _head(rule: str) -> str:
    """What the findings of a check are, and its id."""
    from pfcore.checks.registry import ALL

    words = next((check.rationale for check in ALL if check.id == rule), "finding of a reader")
    return f"{prose(_first_capital(words))} ({code(rule)})"


def _against(reason: Reason, paper: PaperReport, known: Mapping[str, Finding]) -> str:
    """A reason as a sentence, followed by its place and its finding."""
    place = code(f"{reason.path}:{reason.line}" if reason.line else reason.path)
    name = prose(_meant(reason, paper, _PLAIN))
    last = f" (finding {code(reason.finding)})" if reason.finding else ""
    if reason.cause in (Cause.UNPROVED, Cause.UNREAD, Cause.CONDITIONAL, Cause.CIRCLE) and name:
        words = "" if reason.cause is Cause.UNPROVED else f": {prose(reason.words)}"
        return f"{name}, {place}{words}{last}"
    rule = rule_of(reason)
    bare = reason.words.removeprefix(f"[{rule}] ") if rule else reason.words
    words = _words(bare, known.get(reason.finding or ""), paper)
    about = f" in {name}" if name else ""
    return f"{words}: {place}{about}{last}"


_SIGNS = regex(
    r"(?<![^\s(])[^\s;,()]{0,300}(?:[\\_{}^/:](?=[^\s;,():])|\.(?=[a-z]{2}))[^\s;,()]{0,300}"
    r"(?<![?:.!])"
)
"""Names of files, labels and commands, which would be unreadable if escaped."""


def _words(message: str, item: Finding | None, paper: PaperReport) -> str:
    """A check's message with its quote at the end, and the names in it as code."""
    message = message.replace(item.message, finding_words(item, paper)) if item else message
    quote = safe(item.quote)[:_QUOTED] if item else ""
    words = message.removeprefix(f"{quote}: ") if quote else message
    behind = f", {code(quote)}" if words != message else ""
    if "$" in words:
        return prose(words) + behind
    done, pieces = 0, list[str]()
    for match in _names_in(words, paper):
        pieces += [_between(words[done : match.start()]), code(match[0])]
        done = match.end()
    return f"{''.join((*pieces, _between(words[done:])))}{behind}"


def _names_in(words: str, paper: PaperReport) -> Iterator[re.Match[str]]:
    """The parts of a message to show as code: names, and files with blanks in their names."""
    spaced = [path for path in paper.state.paper.snapshot.files if " " in path and path in words]
    if not spaced:
        return _SIGNS.finditer(words)
    listed = "|".join(re.escape(path) for path in sorted(spaced, key=len, reverse=True))
    return re.finditer(rf"(?:{listed})(?::\d+)*|{_SIGNS.pattern}", words)


def _between(words: str) -> str:
    """The words, with the surrounding blanks kept."""
    shown = prose(words)
    before, behind = " " * words.startswith(" "), " " * words.endswith(" ")
    return f"{before}{shown}{behind}" if shown else before


_QUOTED = 120
"""The most characters of a quote at the start of a message."""


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"### {title}"
        yield _list(lines)


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _read(paper: PaperReport, outcome: GateOutcome) -> str:
    """The numbers of results and of proofs read, and the statuses of the rest."""
    claims = _claims(paper)
    counts = Counter(standing(paper, module.id) for module in claims)
    bare = Counter(standing(paper, item.id) for item in claims if _has_nothing_to_read(item, paper))
    known = _number_read(paper)
    unread = len(outcome.unread)
    results = sum(1 for module in claims if module.is_result)
    others = len(claims) - results
    more = f" and {plural(others, 'definition')} with a proof" if others else ""
    lines = [f"{plural(results, 'result')}{more}. {_how_many_read(known, unread)}"]
    readers = _readers([paper])
    lines += [f"Proofs were read by {prose(readers)}"] if readers else []
    for status, words in _STATUSES:
        for own in (ShownStatus(status), ShownStatus(status, is_at_fault=True)):
            number = counts[own] - bare[own]
            is_told = status is Status.UNREACHED and not own.is_at_fault and number == unread
            less = "; but with a structural finding" if own.is_at_fault else ""
            lines += [f"{number:,} {words}{less}"] if number and not is_told else []
    without = sum(bare.values())
    lines += [f"{without:,} without a proof in these files, so nothing to read"] if without else []
    return _list(lines)


def _readers(papers: Iterable[PaperReport]) -> str:
    """The models that have read proofs, each with a remark if needed; "" if there are none."""
    found = (name for paper in papers if paper.sheet for name in paper.sheet.readers())
    return safe(", ".join(dict.fromkeys(found)))


def _number_read(paper: PaperReport) -> int:
    """The number of proofs with a verdict."""
    readings = paper.sheet.readings.values() if paper.sheet else ()
    return sum(isinstance(item, LedgerEntry) for item in readings)


def _how_many_read(known: int, unread: int) -> str:
    """A sentence with the numbers of proofs read and not read."""
    was = "was" if known == 1 else "were"
    if not unread:
        return f"{plural(known, 'proof')} {was} read." if known else "No proof was read."
    left = "1 proof was" if unread == 1 else f"{unread:,} proofs were"
    if not known:
        return f"{left} not read."
    return (
        f"{plural(known, 'proof')} {was} read, {unread:,} {'was' if unread == 1 else 'were'} not."
    )


def _has_nothing_to_read(module: Module, paper: PaperReport) -> bool:
    """Whether a claim has no verdict, and no proof that could get one."""
    return not module.proofs and paper.statuses[module.id] is Status.UNREACHED


def _claims(paper: PaperReport) -> list[Module]:
    modules = paper.state.document.modules.values()
    return [item for item in modules if item.is_asserted and item.role.stands_alone]


def _contracts(paper: PaperReport) -> Iterator[str]:
    """The contracts of the verdicts, each with its fields in words."""
    sheet = paper.sheet
    entries = (
        [item for item in sheet.readings.values() if isinstance(item, LedgerEntry)] if sheet else []
    )
    if sheet is None:
        return
    known: dict[str, Fields] = dict(sheet.knowledge.ledger.contracts)
    ours = map(sheet.knowledge.contract_of, entries)
    known |= {item.digest(): item.fields() for item in ours if item}
    for name, number in sorted(Counter(item.contract for item in entries).items()):
        fields = _fields(known.get(name))
        yield f"{plural(number, 'proof')} under contract {code(name[:12])}: {fields}"


def _fields(fields: Mapping[str, object] | None) -> str:
    if fields is None:
        return "pf.lock has no record of its settings"
    words = (f"{field_name(name)} {field_value(value)}" for name, value in flat(fields).items())
    return prose("; ".join(words))


def _settings(paper: PaperReport, *, is_read: bool) -> Iterator[str]:
    settings, sheet = paper.state.paper.settings, paper.sheet
    if sheet is not None and is_read:
        judging = sheet.knowledge.judging
        times = plural(judging.rollouts, "reading")
        votes = plural(judging.min_votes, "vote")
        yield f"{times} of each proof; an objection needs {votes} to count."
    if sheet is not None and sheet.uncounted:
        yield f"{prose(uncounted_words(sheet.uncounted))}."
    checks = settings.checks
    yield (
        f"Findings of checks count from severity {prose(checks.threshold)} up; those that matter "
        "for an upload, from warning up; a result without a proof or citation always counts."
    )
    if checks.disable:
        yield f"Disabled checks: {prose(', '.join(checks.disable))}."
    if checks.severity:
        chosen = ", ".join(f"{name} is {severity}" for name, severity in checks.severity)
        yield f"Severities set by the authors: {prose(chosen)}."
    if any(item.is_formal for item in paper.state.document.modules.values()):
        is_trusted = settings.blueprint.trust_leanok
        trust = (
            "counts as proved (authors' claim) unless the Lean files here contradict it; a "
            "contradiction counts from severity warning up"
        )
        yield rf"`\leanok` {trust if is_trusted else 'does not count as proved'}."


def _resting(paper: PaperReport, main: str) -> Iterator[str]:
    """The main results with the results that they depend on, by citations or by words.

    A citation in an equation or a step of a proof counts for the result around it.
    """
    document = paper.state.document
    cited = citations(paper.state)
    alone: dict[str, list[Module]] = {}
    for module in _main(paper, main):
        direct = dict.fromkeys(cited.get(module.id, ()))
        direct |= dict.fromkeys(
            edge.target
            for edge in document.edges_of(module.id)
            if is_invocation(edge, document)
            and edge.target != module.id
            and document.modules[edge.target].role.stands_alone
        )
        ordered = sorted((document.modules[name] for name in direct), key=lambda one: one.position)
        is_bare = _has_nothing_to_read(module, paper)
        said = standing(paper, module.id).words.replace(NOT_YET, "not read")
        status = "without a proof here" if is_bare else said
        if not ordered:
            alone.setdefault(status, []).append(module)
            continue
        words = ", ".join(_called(one, paper) for one in ordered[:_MOST])
        yield f"{_called(module, paper)}, {status}, depends on {words}."
    for status, modules in alone.items():
        is_bare = not modules[0].proofs
        head = "no dependencies known" if is_bare else "no dependencies on other results found"
        for line in _by_kind(modules, paper):
            yield f"{line}, {status}: {head}"


_LESSER = frozenset({"lemma", "sublemma", "claim", "fact", "observation", "remark", "example"})
"""Kinds of results that a paper proves for the sake of others."""


def _main(paper: PaperReport, main: str) -> list[Module]:
    """The theorems, and the main result; without theorems, the results that are not lemmas.

    If there are none of these either, the results that no other result depends on.
    """
    results = [item for item in _claims(paper) if item.role is Role.RESULT and item.parent is None]
    theorems = [item for item in results if item.kind == "theorem"]
    chosen = theorems or [item for item in results if item.kind not in _LESSER]
    if not chosen:
        document = paper.state.document
        used = {edge.target for edge in document.edges if is_invocation(edge, document)}
        chosen = [item for item in results if item.id not in used]
    ids = {item.id for item in chosen} | {main}
    return [item for item in results if item.id in ids]


def _called(module: Module, paper: PaperReport) -> str:
    """A result's name; if it has no number, also its label or its place."""
    name = prose(shortened(module_name(module, paper, _PLAIN), 120))
    if _number(module, paper):
        return name
    where = module.statement.location
    return f"{name} {code(module.label or f'{where.path}:{where.line}')}"


def _number(module: Module, paper: PaperReport) -> str:
    return (paper.numbering.of(module) or "") if paper.numbering.is_quick else ""


def _by_kind(modules: Sequence[Module], paper: PaperReport) -> list[str]:
    """Results in a line for each kind, by number, or by name if they are few."""
    kinds: dict[str, list[Module]] = {}
    for item in modules:
        kinds.setdefault(item.kind, []).append(item)
    lines: list[str] = []
    for kind, listed in kinds.items():
        if len(listed) == 1:
            lines += [_called(listed[0], paper)]
            continue
        start = prose(safe(kind).capitalize())
        called = [_called(item, paper) for item in listed]
        if len(listed) > _MOST_TITLES and all(_number(item, paper) for item in listed):
            called = [f"{start} {prose(safe(_number(item, paper)))}" for item in listed]
        if len(listed) <= _MOST_TITLES:
            lines += [", ".join(called)]
            continue
        bare = [name.removeprefix(f"{start} ") for name in called]
        lines += [f"{start} {', '.join(bare)} ({len(listed):,} in all)"]
    return lines


_MOST_TITLES = 8
"""The most results of a kind that are listed with their titles."""


def _guessed(paper: PaperReport) -> list[str]:
    """The results whose proof was attached to them past other statements, without being named."""
    return [_called(item, paper) for item in _claims(paper) if item.is_guessed]


def _with_status(paper: PaperReport, status: Status) -> list[Module]:
    return [item for item in _claims(paper) if paper.statuses[item.id] is status]


_GROUPS = {
    Cause.STRUCTURE: "Unanswered structural findings",
    Cause.CIRCLE: "Circular arguments",
    Cause.FLAGGED: "Unanswered objections to proofs",
    Cause.UNPROVED: "No proof or citation, or an omitted proof",
    Cause.PREFLIGHT: "Problems for an upload to arXiv",
    Cause.CONDITIONAL: "Results that depend on others that failed",
    Cause.UNREAD: "Proofs not read",
    Cause.LEDGER: "Unreadable lines of pf.lock",
    Cause.UNSEEN: "Parts not looked at",
    Cause.NOTHING: "Nothing to judge",
}
_MOST_LISTED = 20


def headline(outcomes: Sequence[GateOutcome], undefined: Collection[str] = ()) -> str:
    """One line, which mentions unread proofs and undefined citations.

    `undefined` are the keys without an entry in an upload that was made.
    """
    is_passed = all(item.is_passed for item in outcomes)
    lost = _undefined_words(outcomes, undefined)
    return f"Gate {'passed' if is_passed else 'failed'}{lost}{_label(outcomes)}"


def _undefined_words(outcomes: Sequence[GateOutcome], undefined: Collection[str]) -> str:
    """How many keys have no entry although the gate passes; "" if it fails."""
    keys = {key.lower() for key in undefined}
    keys |= {key.lower() for item in outcomes for key in item.undefined}
    if not keys or not all(item.is_passed for item in outcomes):
        return ""
    return f"; {plural(len(keys), 'citation is', 'citations are')} undefined"


_ONLY = "structure only"


def _label(outcomes: Sequence[GateOutcome]) -> str:
    """The remark beside the verdict on one paper or on all."""
    unread = sum(len(item.unread) for item in outcomes)
    if not unread:
        return ""
    is_wrong = any(r.cause is Cause.UNREAD for item in outcomes for r in item.reasons)
    only = "" if is_wrong else f"{_ONLY}: "
    return f"; {only}{plural(unread, 'proof was', 'proofs were')} not read"


def verdict(
    report: Report, outcomes: Sequence[GateOutcome], undefined: Collection[str] = ()
) -> tuple[str, ...]:
    """The headline, and the reasons against each paper, for the head of a page."""
    lines = [f"{headline(outcomes, undefined)}."]
    for paper, outcome in zip(report.papers, outcomes, strict=True):
        name = f"{paper.state.paper.name}: " if len(report.papers) > 1 else ""
        for cause, words in _GROUPS.items():
            found = [of_reason(r, paper, _PLAIN) for r in outcome.reasons if r.cause is cause]
            more = f"; and {len(found) - _AT_HEAD:,} more" if len(found) > _AT_HEAD else ""
            if found:
                lines.append(f"{name}{words} ({len(found):,}): {'; '.join(found[:_AT_HEAD])}{more}")
    return tuple(lines)


_AT_HEAD = 3
"""How many reasons of a kind are listed at the head of the report; record.md has all."""


def of_reason(reason: Reason, paper: PaperReport, style: Style) -> str:
    """A reason as one sentence: place, result, words."""
    line = f":{reason.line}" if reason.line else ""
    parts = [f"{safe(reason.path)}{line}"]
    parts += [safe(name)] if (name := _meant(reason, paper, style)) else []
    parts += [f"({reason.finding})"] if reason.finding else []
    return ": ".join(filter(None, (" ".join(parts), safe(reason.words))))


def _meant(reason: Reason, paper: PaperReport, style: Style) -> str:
    """The result of a reason: by kind and number, else by kind alone beside its line."""
    module = paper.state.document.modules.get(reason.module or "")
    if module is None:
        return ""
    if paper.numbering.is_quick and paper.numbering.of(module):
        return shortened(module_name(module, paper, style), 80)
    is_of_passage = reason.cause in (Cause.STRUCTURE, Cause.PREFLIGHT, Cause.FLAGGED, Cause.UNSEEN)
    return "" if is_of_passage else safe(module.kind)


def uncounted_words(number: int) -> str:
    """Says that lines of the ledger do not count, because only the trusted revision's do."""
    lines = plural(number, "line of pf.lock does", "lines of pf.lock do")
    return f"{lines} not count: only those of the trusted revision do"


def of_circle(names: Sequence[str], paper: PaperReport) -> str:
    """Modules that may depend on each other."""
    more = f" and {len(names) - _MOST_LISTED:,} more" if len(names) > _MOST_LISTED else ""
    shown = [result_name(name, paper) for name in names[:_MOST_LISTED]]
    return f"{', '.join(map(safe, shown))}{more} depend on each other"


def gate_text(
    report: Report,
    outcomes: Sequence[GateOutcome],
    style: Style,
    hints: GateHints = PLAIN_HINTS,
    *,
    beside: int = 0,
    facts: Facts | None = None,
) -> str:
    """The text for people, on one screen with `beside` other rows; `hints` are for commands.

    If notes are wanted, everything is listed. `facts` are those known of an upload.
    """
    rows = sys.maxsize if style.notes else _SCREEN - beside
    undefined = facts.undefined if facts else ()
    lost = _undefined_words(outcomes, undefined)
    head = headline(outcomes, undefined)
    only = "; structure only" * (_ONLY in head)  # the numbers are beside the papers
    ends = [f"{head.partition('; ')[0]}{lost}{only}."]
    readers = _readers(report.papers)
    ends += [f"Proofs were read by {readers}."] if readers else []
    if formal := sum(len(formal_modules(paper)) for paper in report.papers):
        proofs = plural(formal, "proof counts", "proofs count")
        ends += [f"{proofs} as formal, according to the authors' marks; {NOT_RUN}."]
    ends += [_uncompiled_words(facts.uncompiled)] if facts and facts.uncompiled else []
    return style.finish(_text(report, outcomes, style, hints, rows, ends))


_SCREEN = 24
"""The rows of a screen; record.md has what is left out there."""


def _text(
    report: Report,
    outcomes: Sequence[GateOutcome],
    style: Style,
    hints: GateHints,
    rows: int,
    ends: Sequence[str],
) -> Iterator[str]:
    is_several = len(report.library.papers) > 1
    screens = [
        _GateScreen(
            paper=paper,
            outcome=outcome,
            style=style,
            hints=replace(hints, paper=paper.state.paper.name if is_several else ""),
            said=_beside(unseen_of(paper) if len(outcomes) > 1 else unseen(report)),
        )
        for paper, outcome in zip(report.papers, outcomes, strict=True)
    ]
    if len(screens) == 1:
        yield from screens[0].alone(report, rows - style.rows(ends))
    else:
        yield from _several(screens, report, style, rows - style.rows(ends))
    yield from ends


def _several(
    screens: Sequence["_GateScreen"], report: Report, style: Style, rows: int
) -> Iterator[str]:
    """All papers with their steps if these fit, else with a line for each.

    Papers that fail come first.
    """
    said = _beside(unseen(report))
    head = f"{plural(len(screens), 'paper')}{f'  ({said})' if said else ''}"
    yield from (shown := [style.cut(head, 2 * style.width - _MARGINS), ""])
    rows -= style.rows(shown)
    ordered = sorted(screens, key=lambda screen: screen.outcome.is_passed)
    least = [style.rows([*(item.head for item in one.listed()), ""]) for one in ordered]
    if (spare := rows - sum(least)) >= 0:
        for number, one in enumerate(ordered):
            mine = least[number] + spare // (len(ordered) - number)
            shown = [*_fitted(one.listed(), mine - 1, style), ""]
            spare -= style.rows(shown) - least[number]
            yield from shown
        return
    lines = [one.line for one in ordered]
    while len(lines) > 1 and style.rows(lines) > rows - 2:
        lines.pop()
    yield from lines
    if rest := ordered[len(lines) :]:
        failed = sum(not one.outcome.is_passed for one in rest)
        passed = len(rest) - failed
        counts = [f"{failed:,} {'does' if failed == 1 else 'do'} not pass"] if failed else []
        counts += [f"{passed:,} {'passes' if passed == 1 else 'pass'}"] if passed else []
        yield f"  … and {plural(len(rest), 'more paper')}: {', '.join(counts)} ({_ALL})"
    yield ""


_ALL = "record.md lists all"


class _ScreenItem(NamedTuple):
    """A line of the screen, and its places, computed only as needed."""

    head: str
    number: int = 0
    places: Iterator[str] = iter(())


def _fitted(listed: Sequence[_ScreenItem], rows: int, style: Style) -> Iterator[str]:
    """All lines, with as many of their places as fit, taken in turn.

    An ellipsis marks lists that continue in record.md.
    """
    left = rows - style.rows(item.head for item in listed)
    shown = [list[str]() for _ in listed]
    going = [number for number, item in enumerate(listed) if item.number]
    while going:
        for number in tuple(going):
            place = next(listed[number].places)
            needed = style.rows([f"{place} …"])
            is_fitting = needed <= left
            if is_fitting:
                left -= needed
                shown[number].append(place)
            if not is_fitting or len(shown[number]) == listed[number].number:
                going.remove(number)
    for item, places in zip(listed, shown, strict=True):
        yield item.head
        yield from places[:-1]
        yield from (f"{last}{' …' * (len(places) < item.number)}" for last in places[-1:])


@dataclass(frozen=True, slots=True, kw_only=True)
class _GateScreen:
    """The screen of one paper: the verdict, the steps to pass, and their places.

    `said` is what was not looked at.
    """

    paper: PaperReport
    outcome: GateOutcome
    style: Style
    hints: GateHints
    said: str

    @property
    def verdict(self) -> str:
        """One sentence, in at most two rows."""
        style = self.style
        is_unread = any(reason.cause is Cause.UNREAD for reason in self.outcome.reasons)
        label = "" if is_unread else _label([self.outcome])
        ended = f"{'passes' if self.outcome.is_passed else 'does not pass'}{label}"
        name = safe(self.paper.state.paper.name)
        more = f"  ({self.said})" if self.said else ""
        room = 2 * style.width - _MARGINS - len(name) - len(ended)
        return f"{style.paint(name, 'bold')}  {ended}{style.cut(more, room)}"

    @property
    def line(self) -> str:
        """The verdict and the number of reasons by kind, the gravest first, in at most two rows."""
        steps, _ = steps_on_a_screen(self.outcome.reasons, self.hints)
        steps = sorted(steps, key=lambda step: step.reasons[0].cause not in _GRAVE)
        found = f": {', '.join(step.head for step in steps)}" if steps else ""
        name = safe(self.paper.state.paper.name)
        ended = f"{'passes' if self.outcome.is_passed else 'does not pass'}{found}"
        return self.style.cut(f"  {name}  {ended}", 2 * self.style.width - _MARGINS)

    def alone(self, report: Report, rows: int) -> Iterator[str]:
        """The paper's own screen, under its overview as far as there is room."""
        style, listed = self.style, self.listed()
        steps = [_ScreenItem(f"{_STEPS}:")] if self.outcome.reasons else []
        if style.rows(item.head for item in listed) + 3 > rows:
            listed = self.listed(most=1)
        if len(listed) > 1:
            listed[1:1] = [_ScreenItem(""), *steps]
        found = paper_overview(self.paper, report, is_brief=True)
        title = [*titled(found, style), ""]
        about = style.wrap("  ".join(overview_paragraphs(found)[0])) if found.results else []
        heads = [[*title[:-1], *about, ""], title, []]
        least = style.rows(item.head for item in listed) + 1
        head = next((one for one in heads if style.rows(one) + least <= rows), [])
        yield from head
        yield from _fitted(listed, rows - 1 - style.rows(head), style)
        yield ""

    def listed(self, most: int = 4) -> list[_ScreenItem]:
        """The verdict, the steps, the results that will pass with them, and the notes.

        `most` limits the checks that have a step of their own.
        """
        paper, outcome = self.paper, self.outcome
        steps, answer = steps_on_a_screen(outcome.reasons, self.hints, most=most)
        listed = [_ScreenItem(self.verdict)]
        for number, step in enumerate(steps, 1):
            reasons = [item for item in step.reasons if item.cause is not Cause.NOTHING]
            listed += [_ScreenItem(f"  {number}. {step}", len(reasons), map(self._reason, reasons))]
        listed += [_ScreenItem(f"  {answer}")] if answer else []
        conditional = sum(reason.cause is Cause.CONDITIONAL for reason in outcome.reasons)
        resting = conditional - resting_on_open_results(outcome.reasons)
        if resting and len(outcome.reasons) > resting:
            words = plural(resting, "result depends only", "results depend only")
            listed += [_ScreenItem(f"  {words} on results listed above, and will pass with them.")]
        for title, noted in (
            (_WARNINGS, gate_warnings(paper, outcome)),
            (_NOTES, gate_notes(paper)),
        ):
            if noted:
                head = f"{title}: {len(noted):,}"
                listed += [_ScreenItem(head, len(noted), map(self._note, noted))]
        uncounted = paper.sheet.uncounted if paper.sheet else 0
        told = [uncounted_words(uncounted) if uncounted else "", idle_words(paper)]
        return [*listed, *map(_ScreenItem, filter(None, told))]

    def _reason(self, reason: Reason) -> str:
        """The place of a step, and what the step's sentence does not say."""
        rule = rule_of(reason)
        words = reason.words.removeprefix(f"[{rule}] ") if rule else reason.words
        found = next((item for item in self.paper.findings if item.id == reason.finding), None)
        words = words.replace(found.message, finding_words(found, self.paper)) if found else words
        is_said = reason.cause is Cause.UNPROVED or words == NO_MODEL
        said = of_reason(replace(reason, words="" if is_said else words), self.paper, self.style)
        return self._place(said)

    def _note(self, item: Finding) -> str:
        return self._place(
            f"{safe(place_of(item))} ({item.id}): {safe(finding_words(item, self.paper))}"
        )

    def _place(self, words: str) -> str:
        return f"      {self.style.cut(words, 2 * self.style.width - _MARGINS)}"


_MARGINS = 16
"""The columns kept free of two rows."""
_GRAVE = (Cause.FLAGGED, Cause.CIRCLE, Cause.UNSEEN)
"""Causes that a shortened line lists first, although they take the most effort."""


def _beside(found: Iterable[Unseen]) -> str:
    """What was not looked at, except for the proofs, which the verdict counts."""
    return gaps_in_words(item for item in found if item.kind is not Gap.PROOF)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stripped:
    """The outcome for the sources: comments and lines removed, files in the upload, others.

    `kept` counts comments that are left: packages and classes are not cleaned, nor are the sources
    `whole`, which would print something else without their comments. `moved` are files with another
    name in the upload, `rewritten` are the references changed for that. `compiler` is what arXiv
    should run, `reason` is why, if figures decide it, `compiled` is the result here. `roots` are
    the main files, and `bibliographies` theirs; `bibliography` is the first of these, `about` are
    remarks on them. `size` is in bytes, for all files; `heavy` are the large files with their
    sizes. `undefined` are the keys without an entry, `uncited` is how many of these make it unready
    for an upload; `readme` says what happened to the paper's own 00README. `errors` are LaTeX's
    errors, both for the paper and for the upload. `uncompiled` is why it was not compiled here,
    `advice` what to do about that. `labels` are files with labels of other documents, which package
    xr reads. `made` are the bibliographies that are not in the commit, `commented` the packages and
    classes whose comments are left.
    """

    comments: int
    lines: int
    kept: int
    files: tuple[str, ...]
    left: tuple[str, ...]
    bibliography: str | None
    moved: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()
    compiler: str = ""
    reason: str = ""
    compiled: str = ""
    roots: tuple[str, ...] = ()
    bibliographies: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    size: int = 0
    heavy: tuple[tuple[str, int], ...] = ()
    uncited: int = 0
    undefined: tuple[str, ...] = ()
    readme: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    uncompiled: str = ""
    advice: str = ""
    made: tuple[str, ...] = ()
    commented: tuple[str, ...] = ()

    @property
    def runs(self) -> str:
        """The commands that compile the unpacked archive, each main file twice, as on arXiv."""
        names = [shlex.quote(name.removesuffix(".tex")) for name in self.roots]
        last = "dvips" if self.compiler == "latex" else ""
        each = [[f"{self.compiler} {name}"] * 2 + [f"{last} {name}"] * bool(last) for name in names]
        return " && ".join(run for listed in each for run in listed)


def gate_json(
    report: Report,
    outcomes: Sequence[GateOutcome],
    facts: Facts,
    stripped: Stripped | None = None,
    refused: str = "",
) -> str:
    """The data of `pf check --format json` for the whole papers, and the gate's own.

    `refused` is why there is no upload although one was asked for.
    """
    found: dict[str, Any] = json.loads(check_json(report))
    gate = {
        "passed": all(item.is_passed for item in outcomes),
        "structure_only": any(item.unread for item in outcomes),
        "commit": facts.commit,
        "archive": facts.archive or None,
        "upload": upload_json(stripped) if stripped else None,
        "no_upload": refused or None,
        "papers": [
            {
                "name": paper.state.paper.name,
                "passed": outcome.is_passed,
                "source_digest": source_digest(paper.state.paper),
                "unread": list(outcome.unread),
                "circles": [list(circle) for circle in outcome.circles],
                "reasons": [_reason(reason) for reason in outcome.reasons],
            }
            for paper, outcome in zip(report.papers, outcomes, strict=True)
        ],
    }
    return dumps(found | {"gate": gate})


def _reason(reason: Reason) -> dict[str, Any]:
    return {
        "cause": reason.cause.value,
        "module": reason.module,
        "finding": reason.finding,
        "message": reason.words,
        "file": reason.path,
        "start_line": reason.line or None,
    }


def sentences(found: Stripped, most: int = sys.maxsize) -> Iterator[str]:
    """Sentences for people; at most `most` names of files, and of files left out, are listed."""
    yield f"{plural(len(found.files), 'file')}: {_names(found.files, most)}"
    yield from _weight(found)
    gone = plural(found.comments, "comment")
    yield f"stripped from the sources: {gone}, {plural(found.lines, 'line')} in all"
    if found.kept and not found.whole:
        files = _names(found.commented, _MOST_COMMENTED)
        yield f"{plural(found.kept, 'comment')} left in {files}: check those that are yours"
    if found.whole:
        files = _names(found.whole)
        yield (
            f"{plural(found.kept, 'comment')} left: packages and classes keep theirs, and "
            f"{files} would have a different text without them; remove those there by hand"
        )
    if found.bibliography:
        yield from _bibliographies(found.bibliographies or (found.bibliography,), found.made)
    yield from map(safe, () if found.uncited else found.about)
    if found.compiler:
        run = f"{found.compiler}, then dvips" if found.compiler == "latex" else found.compiler
        why = f" ({safe(found.reason)})" if found.reason else ""
        done = f"not compiled here{found.advice}" if found.uncompiled else found.compiled
        yield f"compiler set for arXiv: {run}{why}; {safe(done)}"
    if found.errors:
        number = plural(len(found.errors), "error")
        what = "it" if len(found.errors) == 1 else "them"
        yield f"LaTeX reports {number}, also in your source: {_some(found.errors)}; correct {what}"
    yield from map(safe, found.readme)
    if found.labels:
        yield (
            f"labels of other documents, made here for package xr: {_names(found.labels)} "
            "(arXiv deletes the .aux file of each document)"
        )
    if found.moved:
        yield f"moved or renamed: {_names(found.moved)}"
    if found.rewritten:
        yield f"rewritten: {_names(found.rewritten)}"
    if found.left:
        yield f"left out: {_names(found.left, most)}"


def _bibliographies(names: Sequence[str], made: Collection[str]) -> Iterator[str]:
    """Where each bibliography comes from."""
    for name in names:
        where = "made here from the .bib" if name in made else "from the commit"
        yield f"bibliography: {safe(name)}, {where}"


_ARXIV_TAKES = 50_000_000
"""arXiv's approximate limit for a submission in bytes: https://info.arxiv.org/help/sizes.html"""


def _weight(found: Stripped) -> Iterator[str]:
    """The unpacked size of an upload, and its large files."""
    size = f"{found.size / 1e6:,.1f} MB unpacked"
    if found.size > _ARXIV_TAKES:
        yield f"{size}: {_too_much()}"
    else:
        yield f"{size}; arXiv's limit is about {_ARXIV_TAKES / 1e6:.0f} MB"
    if found.heavy:
        yield f"large files: {_sizes(found.heavy)}"


def _sizes(heavy: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{safe(name)} ({size / 1e6:,.1f} MB)" for name, size in heavy)


def weight_ahead(size: int, heavy: Sequence[tuple[str, int]]) -> str:
    """How large an upload would be, if arXiv would refuse it; "" otherwise."""
    if size <= _ARXIV_TAKES:
        return ""
    listed = f"; large files: {_sizes(heavy)}" if heavy else ""
    return f"a bundle would be {size / 1e6:,.1f} MB unpacked: {_too_much()}{listed}"


def _too_much() -> str:
    return f"more than arXiv's limit of about {_ARXIV_TAKES / 1e6:.0f} MB"


def without_citations(found: Stripped, *, is_written: bool) -> str:
    """Why an upload is not ready, and what to do: some citations would print as question marks."""
    number = plural(found.uncited, "citation")
    first = "the bundle is not ready for an upload" if is_written else "no bundle written"
    so = "as it is" if found.bibliography else "without a bibliography"
    more = "" if is_written else f" (--unpassed writes the bundle {so})"
    return f"{first}: {number} would print [?]; {'; '.join(found.about)}{more}"


def upload_json(found: Stripped) -> dict[str, Any]:
    """For programs."""
    return {
        "files": list(found.files),
        "left_out": list(found.left),
        "bibliography": found.bibliography,
        "bibliographies": list(found.bibliographies),
        "roots": list(found.roots),
        "undefined_citations": found.uncited,
        "labels": list(found.labels),
        "latex_errors": list(found.errors),
        "bytes": found.size,
        "large_files": [name for name, _ in found.heavy],
        "compiler": found.compiler,
        "compiler_reason": found.reason,
        "compiled": found.compiled,
        "moved": list(found.moved),
        "rewritten": list(found.rewritten),
        "comments_stripped": found.comments,
        "comments_kept": found.kept,
        "lines_stripped": found.lines,
    }


_MOST_COMMENTED = 3


def _some(lines: tuple[str, ...]) -> str:
    """The first lines, and how many more there are."""
    more = f"; and {len(lines) - 3:,} more" if len(lines) > 3 else ""
    return f"{'; '.join(safe(line).rstrip('.') for line in lines[:3])}{more}"


def _names(names: tuple[str, ...], most: int = sys.maxsize) -> str:
    more = len(names) - most
    shown = names[:most] if more > 1 else names
    return ", ".join(map(safe, shown)) + (f" and {more:,} more" if more > 1 else "")
