"""`pf check --format sarif`: SARIF 2.1.0, as code scanning services read it.

Also the names and reasons of all findings: the checks, and the classes of objections.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pfcore.checks.registry import ALL
from pfcore.checks.suppressions import NEVER, unanswerable
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Finding, Location, Severity
from pfcore.reporters.formats.json_report import dumps
from pfcore.reporters.module_names import PrintedIds
from pfcore.reporters.objections import NOT_READ
from pfcore.reporters.printing import plural, safe
from pfcore.reporters.review_outcome import not_looked_at
from pfcore.review.review import PaperReport, Report
from pfcore.review.unseen import is_incomplete

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
# To SARIF, a digit in braces is a placeholder, and words in brackets before a parenthesis are a
# link; to LaTeX, the added space means nothing.
_PLACEHOLDER = regex(r"\{(?=\d)")
_LINK = regex(r"\](?=\()")


def check_sarif(report: Report, version: str) -> str:
    """One run with the findings of all papers; `version` is that of pf-verify."""
    listed = rules()
    places = {rule.id: place for place, rule in enumerate(listed)}
    names = PrintedIds(report)
    results = [
        _result(item, paper, names, places) for paper in report.papers for item in paper.findings
    ]
    if any("baselineState" not in result for result in results):
        for result in results:  # in a run, either all results have it or none has
            result.pop("baselineState", None)
    driver = {"name": "pf-verify", "version": version, "rules": [_rule(rule) for rule in listed]}
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": "pf-verify/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "the root of the repository"}}},
        "invocations": [
            {
                "executionSuccessful": not is_incomplete(report),
                "toolExecutionNotifications": list(_unreached(report)),
            }
        ],
        "results": results,
    }
    return dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def uri(path: str) -> str:
    """A path as a relative URI reference; letters, digits and a few characters stay as they are."""
    return "".join(
        chr(byte) if byte in _UNRESERVED else f"%{byte:02X}"
        for byte in path.encode("utf-8", "surrogateescape")
    )


class Rule(NamedTuple):
    """A kind of finding; `is_read` says that it is a judgement on a proof."""

    id: str
    rationale: str
    severity: Severity
    is_read: bool


def _rule(rule: Rule) -> dict[str, Any]:
    kind = "reading" if rule.is_read else "structure"
    words = f"{rule.rationale[0].upper()}{rule.rationale[1:]}."
    answer = (
        f"{unanswerable(rule.id)}."
        if rule.id in NEVER
        else f"To silence a finding, write on its line: % pf: ignore[{rule.id}] reason"
    )
    return {
        "id": rule.id,
        "shortDescription": {"text": words},
        "fullDescription": {"text": words},
        "help": {"text": f"{words} {answer}"},
        "defaultConfiguration": {"level": rule.severity.value},
        "properties": {"tags": [kind], "precision": "medium" if rule.is_read else "high"},
    }


def _result(
    finding: Finding, paper: PaperReport, names: PrintedIds, places: dict[str, int]
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": finding.severity.value,
        "message": {"text": _message(finding)},
        "locations": [_location(finding, names.of(paper))],
        "partialFingerprints": {"pfFinding/v1": finding.id},
        "properties": {
            "id": finding.id,
            "paper": paper.state.paper.name,
            "introduced": finding.introduced,
            "votes": finding.votes,
            "rollouts": finding.rollouts,
        },
    }
    if finding.rule in places:
        result["ruleIndex"] = places[finding.rule]
    if finding.introduced is not None:
        result["baselineState"] = "new" if finding.introduced else "unchanged"
    if finding.dismissed is not None:
        result["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": safe(finding.dismissed)}
        ]
    return result


def _message(finding: Finding) -> str:
    votes = f" ({finding.votes} of {plural(finding.rollouts, 'reading')})"
    text = safe(finding.message) + (votes if finding.rollouts > 1 else "")
    return _LINK.sub("] ", _PLACEHOLDER.sub("{ ", text)) or finding.rule


def _location(finding: Finding, names: Mapping[str, str]) -> dict[str, Any]:
    where = finding.location
    artifact = {"uri": uri(where.path), "uriBaseId": _ROOT}
    place: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": artifact, "region": _region(where)}
    }
    if finding.module is not None and finding.module in names:
        place["logicalLocations"] = [{"fullyQualifiedName": names[finding.module]}]
    return place


def _region(where: Location) -> dict[str, int]:
    return {
        "startLine": where.line,
        "startColumn": where.column,
        "endLine": where.end_line,
        "endColumn": where.end_column,
    }


def _unreached(report: Report) -> Iterator[dict[str, Any]]:
    """Parts not looked at, and proofs without a verdict: leaving them out would suggest a pass."""
    said = not_looked_at(report)
    if said:
        yield _notification(f"{said[0].upper()}{said[1:]}")
    if all(paper.sheet is None for paper in report.papers):
        yield _notification(NOT_READ)
        return
    reasons = Counter(item.reason for paper in report.papers for item in paper.unreached)
    for reason, number in reasons.most_common():
        yield _notification(f"{plural(number, 'result')} without a verdict: {safe(reason)}")


def _notification(text: str) -> dict[str, Any]:
    return {"level": Severity.WARNING.value, "message": {"text": text}}


CLASSES = {
    "false-claim": "false statement or step",
    "gap": "step that does not follow",
    "misuse": "result or definition used beyond its statement",
    "computation": "wrong sign, constant, index or estimate",
    "missing-case": "missing case",
    "quantifier": "wrong order or dependence of quantifiers",
    "circular": "proof uses its own conclusion",
    "wrong-target": "proves something else",
    "ambiguity": "symbol or term with two meanings",
}
"""The classes of objections to proofs, in the readers' words."""


def rules() -> list[Rule]:
    """All kinds of findings, each id once: the checks, then the classes."""
    found = {
        check.id: Rule(check.id, check.rationale, check.severity, is_read=False) for check in ALL
    }
    for name, words in CLASSES.items():
        found.setdefault(name, Rule(name, words, Severity.ERROR, is_read=True))
    return list(found.values())
