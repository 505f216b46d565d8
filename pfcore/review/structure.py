"""Accepted results whose structure is at fault: a reader's word says nothing of what checks find.

By DESIGN §3 a status follows verdicts alone, so this stands beside it.
"""

from collections.abc import Iterable, Iterator, Mapping

from pfcore.domain.values import Finding, Location, Role, Severity, Status
from pfcore.graph.document import ProofDocument

_AIMED = "aimed-text"
"""Words for the model that reads: they make its own word doubtful, however grave they are."""
_ACCEPTED = frozenset({Status.CHECKED, Status.CONDITIONAL})


def at_fault(
    document: ProofDocument,
    found: Iterable[Finding],
    statuses: Mapping[str, Status],
    threshold: Severity,
) -> frozenset[str]:
    """The accepted modules in which a check found what counts, old or new, and not answered.

    `found` are the findings of checks alone.
    """
    grave = [item for item in found if item.dismissed is None and _counts(item, threshold)]
    named = {name for item in grave for name in _modules(document, item)}
    return frozenset(name for name in named if statuses.get(name) in _ACCEPTED)


def _counts(item: Finding, threshold: Severity) -> bool:
    return item.severity.rank >= threshold.rank or item.rule == _AIMED


def _modules(document: ProofDocument, item: Finding) -> Iterator[str]:
    """The module of a finding, or that around it; of an equation also the result it stands in."""
    name = item.module or _around(document, item.location)
    seen: set[str] = set()
    while name is not None and name not in seen and name in document.modules:
        yield name
        seen.add(name)
        module = document.modules[name]
        name = module.parent if module.role is Role.FRAGMENT else None


def _around(document: ProofDocument, place: Location) -> str | None:
    """The module with the smallest passage around a place."""
    sizes = [
        (where.end - where.start, module.id)
        for module in document.modules.values()
        for where in (module.statement.location, *(proof.location for proof in module.proofs))
        if where.path == place.path and where.start <= place.start < where.end
    ]
    return min(sizes)[1] if sizes else None
