"""Checks of a change: who is left standing on words that are no longer there.

Citations and figures, too, where it takes entries or files away.
"""

import posixpath
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from pfcore.checks import preflight
from pfcore.checks.check import Check, CheckInput, says_the_same
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Finding, Location, ModulePart, Passage, Role, Severity, Via
from pfcore.graph.paper_state import PaperState
from pfcore.papers.paper import Paper
from pfcore.repository.source_files import FIGURES

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


def lost_citations(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Keys that are cited, and that a bibliography had before a change."""
    if scene.before is None:
        return
    now, then = (preflight.Bibliography(one) for one in (scene.paper, scene.before.paper))
    if now.missing or not then.is_known:
        return
    for item in preflight.cited_without(scene, check, now.keys):
        if _counted(item).lower() in then.keys:
            yield replace(item, message=item.message.replace("lists it", "lists it any more", 1))


def lost_bibliographies(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Bibliographies that are named, and were there before a change."""
    then = preflight.Bibliography(scene.before.paper).here if scene.before else set()
    found = preflight.missing_bibliographies(scene, check)
    yield from (item for item in found if item.subject in then)


def lost_figures(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Figures that are included, and whose file was there before a change."""
    was_there = preflight.figure_finder(scene.before.paper) if scene.before else bool
    for item in preflight.missing_figures(scene, check):
        if was_there(posixpath.basename(_counted(item)).lower()):
            yield item


def _counted(item: Finding) -> str:
    """What a finding is about that is one of several."""
    return item.subject.rpartition(" ")[0]


BESIDE_THE_TEXT = {
    "undefined-citation": lost_citations,
    "missing-bibliography": lost_bibliographies,
    "missing-figure": lost_figures,
}
"""What else is looked at before an upload alone, by the ids of these checks."""


def beside_the_text(now: Paper, then: Paper) -> Iterator[Check]:
    """The checks of what a change may break beside a text: its bibliographies and figures.

    None where it leaves these as they were.
    """
    bib, other = (
        {(path, item.oid) for path, item in paper.snapshot.files.items() if path.endswith(".bib")}
        for paper in (now, then)
    )
    edited = [path for path, key in now.keys.items() if then.keys.get(path) != key]
    is_listed_anew = bib != other or any("\\bibitem" in now.source(path) for path in edited)
    gone = then.snapshot.paths - now.snapshot.paths
    is_figure_gone = any(path.lower().endswith(FIGURES) for path in gone)
    for check in preflight.BEFORE_AN_UPLOAD:
        if check.id in BESIDE_THE_TEXT and (
            is_figure_gone if check.id == "missing-figure" else is_listed_anew
        ):
            yield replace(check, run=BESIDE_THE_TEXT[check.id])


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
