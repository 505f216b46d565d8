"""Checks of a change: who is left standing on words that are no longer there."""

from collections import Counter
from collections.abc import Iterator

from pfcore.checks.check import Check, CheckInput, says_the_same
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Finding, Location, ModulePart, Passage, Role, Severity, Via
from pfcore.graph.paper_state import PaperState

_WORD = regex(r"%[^\n]*|(?:\\.|[^\s%\\])+")
_CITES = frozenset({Via.REFERENCE, Via.USES, Via.NUMBER, Via.NAME, Via.PHRASE})
_SHOWN = 5


def restated(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Results that now say something else, while proofs that cite them were not touched."""
    if scene.before is None or scene.plan is None:
        return
    document = scene.document
    for name in scene.plan.restated:
        module = document.modules[name]
        other = scene.before.document.modules[scene.plan.pairs[name]]
        if module.role not in (Role.RESULT, Role.OPEN) or says_the_same(
            scene.state, module, scene.before, other
        ):
            continue
        readers = scene.state.readers.citing(name)
        users = (
            edge.source
            for user in readers
            for edge in document.edges_of(user)
            if edge.target == name and edge.part is ModulePart.PROOF and edge.via in _CITES
        )
        untouched = [user for user in dict.fromkeys(users) if _is_untouched(scene, user)]
        if untouched:
            shown = [scene.name(user) for user in untouched[:_SHOWN]]
            yield check.finding(
                f"{scene.name(name)} now says something else; "
                f"{_proofs(shown, len(untouched))} it and "
                f"{'was' if len(untouched) == 1 else 'were'} not touched",
                subject=module.statement.digest,
                module=name,
                place=_turn(scene, module.statement, scene.before, other.statement),
                related=tuple(untouched),
            )


def _turn(
    scene: CheckInput, now: Passage, before: PaperState, then: Passage
) -> tuple[Location, str]:
    """The line with the first word that differs; the first line of all where only macros do.

    Where words are missing at the end, it is the last line that is left.
    """
    others = (word for _, word in _words(before, then))
    last = now.location.start
    for offset, word in _words(scene.state, now):
        if word != next(others, None):
            return scene.line(now, last if word.startswith(r"\end{") else offset)
        last = offset
    return scene.opening(now)


def _words(state: PaperState, passage: Passage) -> list[tuple[int, str]]:
    """The words of a passage with their offsets in the file, comments left out."""
    path, start, end = passage.location[:3]
    found = _WORD.finditer(state.paper.source(path), start, end)
    return [(match.start(), match[0]) for match in found if not match[0].startswith("%")]


def _proofs(names: list[str], number: int) -> str:
    """The proofs of some results, of which there are more where `number` says so."""
    if number == 1:
        return f"the proof of {names[0]} cites"
    *most, last = names if number == len(names) else (*names, f"{number - len(names)} more")
    return f"the proofs of {', '.join(most)} and {last} cite"


def _is_untouched(scene: CheckInput, name: str) -> bool:
    """Whether the proofs of a module stand as they stood, word for word."""
    if scene.before is None or scene.plan is None or name not in scene.plan.pairs:
        return False
    now = scene.document.modules[name]
    then = scene.before.document.modules[scene.plan.pairs[name]]
    return [proof.digest for proof in now.proofs] == [proof.digest for proof in then.proofs]


def orphaned(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Proofs whose statement is gone, and which therefore stand after another one."""
    if scene.before is None or scene.plan is None or not scene.plan.removed:
        return
    then = scene.before.document.modules
    counts = Counter(proof.digest for module in then.values() for proof in module.proofs)
    owners = {
        proof.digest: name
        for name in scene.plan.removed
        for proof in then[name].proofs
        if counts[proof.digest] == 1
    }
    for name in scene.plan.pairs:
        proofs = scene.document.modules[name].proofs
        for proof in proofs:
            owner = owners.get(proof.digest)
            if owner is not None:
                yield check.finding(
                    f"this proof belonged to {owner}, which this change removes; "
                    f"it is now attached to {scene.name(name)}"
                    + (" as a second proof" if len(proofs) > 1 else ""),
                    subject=f"{owner} {proof.digest}",
                    module=name,
                    place=scene.opening(proof),
                )


CHECKS = (
    Check(
        id="statement-changed",
        severity=Severity.WARNING,
        rationale="cited statement changed",
        run=restated,
    ),
    Check(
        id="orphaned-proof",
        severity=Severity.WARNING,
        rationale="proof left without its statement",
        run=orphaned,
    ),
)
