"""Checks of a change: what still depends on words that it changed or removed.

Also citations and figures whose entries or files it removed.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pfcore.checks import argument, figure_files, preflight
from pfcore.checks.check import Check, CheckInput, block, says_the_same
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import (
    Finding,
    Location,
    Module,
    ModulePart,
    Passage,
    Role,
    Severity,
    Via,
)
from pfcore.graph.document import LinkTarget, Mentioned, ProofDocument
from pfcore.graph.paper_state import PaperState
from pfcore.latex.language.worded_references import NUMBER
from pfcore.latex.lexer.mask import mask
from pfcore.latex.lexer.normal_form import normal_form
from pfcore.latex.lexer.whitespace import ANCHOR, bare
from pfcore.papers.paper import Paper
from pfcore.repository.source_files import FIGURES

_WORD = regex(r"%[^\n]*|(?:\\.|[^\s%\\])+")
_CITES = frozenset({Via.REFERENCE, Via.USES, Via.NUMBER, Via.NAME, Via.PHRASE})
_SHOWN = 5


def restated(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Statements that now say something else, while proofs that cite them were not touched.

    Covers results, definitions, assumptions, and displays with a label. If no such proof cites a
    definition, a note says how many results use its words.
    """
    if scene.before is None or scene.plan is None:
        return
    document = scene.document
    for name in scene.plan.restated:
        module = document.modules[name]
        other = scene.before.document.modules[scene.plan.pairs[name]]
        if module.role not in _STATED or says_the_same(scene.state, module, scene.before, other):
            continue
        named = [
            edge
            for user in scene.state.readers.citing(name, is_anywhere=module.role is Role.DEFINITION)
            for edge in document.edges_of(user)
            if edge.target == name
        ]
        users = (e.source for e in named if e.part is ModulePart.PROOF and e.via in _CITES)
        place = _turn(scene, module.statement, scene.before, other.statement)
        found = _told_of_proofs(scene, check, module, users, place)
        if found is None and module.role is Role.DEFINITION:
            found = _told_of_words(scene, check, module, (edge.source for edge in named), place)
        yield from [found] if found else []
    yield from _rewritten_displays(scene, check, scene.before)


_STATED = frozenset({Role.RESULT, Role.OPEN, Role.DEFINITION, Role.ASSUMPTION})


def _told_of_proofs(
    scene: CheckInput,
    check: Check,
    module: Module,
    users: Iterable[str],
    place: tuple[Location, str],
) -> Finding | None:
    """A finding if some proofs that cite a changed module were not touched."""
    untouched = [user for user in dict.fromkeys(users) if _is_untouched(scene, user)]
    if not untouched:
        return None
    shown = [scene.name(user) for user in untouched[:_SHOWN]]
    return check.finding(
        f"{scene.name(module.id)} now says something else; "
        f"{_proofs(shown, len(untouched))} it and "
        f"{'was' if len(untouched) == 1 else 'were'} not touched",
        subject=module.statement.digest,
        module=module.id,
        place=place,
        related=tuple(untouched),
    )


def _told_of_words(
    scene: CheckInput,
    check: Check,
    module: Module,
    users: Iterable[str],
    place: tuple[Location, str],
) -> Finding | None:
    """A note that counts the results with untouched proofs that use a definition's words."""
    modules = scene.document.modules
    proved = (name for name in dict.fromkeys(users) if modules[name].proofs)
    untouched = [name for name in proved if _is_untouched(scene, name)]
    number = len(untouched)
    if not untouched:
        return None
    return check.finding(
        f"{scene.name(module.id)} now says something else; "
        + (
            "1 result uses its terms, and the proof was not touched"
            if number == 1
            else f"{number} results use its terms, and their proofs were not touched"
        ),
        subject=module.statement.digest,
        module=module.id,
        place=place,
        severity=Severity.NOTE,
        related=tuple(untouched),
    )


def _rewritten_displays(scene: CheckInput, check: Check, before: PaperState) -> Iterator[Finding]:
    """Labelled displays outside of statements, if untouched proofs cite a changed row."""
    pairs = scene.plan.pairs if scene.plan else {}
    modules, then = scene.document.modules, before.document.modules
    changed: dict[str, set[str]] = {}
    for name, old in pairs.items():
        module = modules[name]
        if module.role is Role.FRAGMENT and module.statement.digest != then[old].statement.digest:
            rows, others = _rows(scene.state, module), _rows(before, then[old])
            changed[name] = {key for key, row in rows.items() if others.get(key, row) != row}
    holders = {key: name for name, keys in changed.items() for key in keys}
    users: dict[str, list[str]] = {}
    for name, module in modules.items() if holders else ():
        for number, proof in enumerate(module.proofs):
            for order, mention in enumerate(proof.mentions):
                for key in holders.keys() & set(mention.keys):
                    targets = scene.document.cited[name][number][order]
                    if any(one.module == holders[key] or one.anchor == key for one in targets):
                        users.setdefault(holders[key], []).append(name)
    for name, listed in users.items():
        module, other = modules[name], then[pairs[name]]
        place = _turn(scene, module.statement, before, other.statement)
        found = _told_of_proofs(scene, check, module, listed, place)
        yield from [found] if found else []


_LAYOUT = regex(r"\\(?:begin|end)\{[^{}]*\}|&")
"""Layout commands of a display."""


def _rows(state: PaperState, module: Module) -> dict[str, str]:
    """The words of each labelled row of a display, with the unlabelled rows before it, by label."""
    passage = module.statement
    text = _LAYOUT.sub("", state.paper.texts(passage.location.path)[passage.block])
    found: dict[str, str] = {}
    words = ""
    for row in text.split(r"\\") if len(passage.anchors) > 1 else [text]:
        words += row
        marks = ANCHOR.findall(row)
        found |= {passage.anchors[int(mark)]: normal_form(bare(words)) for mark in marks}
        words = "" if marks else words
    return found


def _turn(
    scene: CheckInput, now: Passage, before: PaperState, then: Passage
) -> tuple[Location, str]:
    """The line with the first word that differs; the first line if only macros differ.

    If words are missing at the end, it is the last line that remains.
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
    """Words for the proofs of `number` results, of which `names` are the first."""
    if number == 1:
        return f"the proof of {names[0]} cites"
    *most, last = names if number == len(names) else (*names, f"{number - len(names)} more")
    return f"the proofs of {', '.join(most)} and {last} cite"


def _is_untouched(scene: CheckInput, name: str) -> bool:
    """Whether the proofs of a module are the same as before, word for word."""
    if scene.before is None or scene.plan is None or name not in scene.plan.pairs:
        return False
    now = scene.document.modules[name]
    then = scene.before.document.modules[scene.plan.pairs[name]]
    return [proof.digest for proof in now.proofs] == [proof.digest for proof in then.proofs]


def orphaned(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Proofs that now follow a different statement, without saying what they prove.

    Their own statement was removed or has another proof; if it has none, `lost_proofs` reports it.
    """
    if scene.before is None or scene.plan is None:
        return
    removed = frozenset(scene.plan.removed)
    for proof, owner, name in _handed_on(scene):
        is_removed = owner in removed
        if not (is_removed or _is_proved(scene, owner)):
            continue
        proofs = scene.document.modules[name].proofs
        which = f"{_former_name(scene, owner)}{', which this change removes' if is_removed else ''}"
        yield check.finding(
            f"this proof belonged to {which}; it is now attached to {scene.name(name)}"
            + (" as a second proof" if len(proofs) > 1 else ""),
            subject=f"{owner} {proof.digest}",
            module=name,
            place=scene.opening(proof),
        )
    for owner, loose in _left_behind(scene):
        yield check.finding(
            f"this proof belonged to {_former_name(scene, owner)}, which this change removes; "
            "no statement precedes it",
            subject=f"{owner} {loose.digest}",
            module=None,
            place=scene.first_line(loose.path, loose.start, loose.end),
        )


def lost_proofs(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Results that had a proof before a change, and now have neither one nor a citation."""
    if scene.before is None or scene.plan is None:
        return
    then = scene.before.document.modules
    wanting = [
        (module, other)
        for module in argument.unproved(scene)
        if (other := scene.plan.pairs.get(module.id)) and then[other].proofs
    ]
    owners = {owner: name for _, owner, name in _handed_on(scene)} if wanting else {}
    loose = _loose_proofs(scene) if wanting else {}
    for module, other in wanting:
        user = owners.get(other)
        left = [loose[proof.digest] for proof in then[other].proofs if proof.digest in loose]
        where = f", which is now attached to {scene.name(user)}" if user else ""
        where = where or (f", which is now at {left[0].line}, without a statement" if left else "")
        yield check.finding(
            f"{scene.name(module.id)} has lost its proof{where}",
            subject="",
            module=module.id,
            place=scene.opening(module.statement),
            related=(user,) if user else (),
        )


def _handed_on(scene: CheckInput) -> Iterator[tuple[Passage, str, str]]:
    """The proofs attached to a different result than before, with the earlier result's id and its.

    Skips proofs that occur several times or say what they prove. A copy of the earlier result, or a
    result with one of its labels, does not count as different.
    """
    if scene.before is None or scene.plan is None:
        return
    then, modules = scene.before.document.modules, scene.document.modules
    known = Counter(proof.digest for module in then.values() for proof in module.proofs)
    owners = {proof.digest: module for module in then.values() for proof in module.proofs}
    kept = Counter(proof.digest for module in modules.values() for proof in module.proofs)
    for name, old in scene.plan.pairs.items():
        module = modules[name]
        for proof in module.proofs:
            owner = owners.get(proof.digest)
            if owner is None or owner.id == old or known[proof.digest] + kept[proof.digest] > 2:
                continue
            is_copy = owner.statement.digest == module.statement.digest
            if not (
                is_copy or set(owner.labels) & set(module.labels) or block(scene.state, proof).aim
            ):
                yield proof, owner.id, name


class _LeftProof(NamedTuple):
    """A proof without a result; `line` is path:line, `aims` says that it names a result."""

    digest: str
    path: str
    start: int
    end: int
    line: str
    aims: bool


def _left_behind(scene: CheckInput) -> Iterator[tuple[str, _LeftProof]]:
    """The proofs whose statement a change removed, each after the id of that result.

    Not those that say what they prove, because the missing label or number is reported by itself,
    nor those whose words several proofs had.
    """
    if scene.before is None or scene.plan is None or not scene.plan.removed:
        return
    then = scene.before.document.modules
    had = Counter(proof.digest for module in then.values() for proof in module.proofs)
    kept = {proof.digest for one in scene.document.modules.values() for proof in one.proofs}
    loose = _loose_proofs(scene)
    for name in scene.plan.removed if loose else ():
        for proof in then[name].proofs:
            found = loose.get(proof.digest)
            is_only = had[proof.digest] == 1 and proof.digest not in kept
            if found and is_only and not found.aims:
                yield name, found


def _loose_proofs(scene: CheckInput) -> dict[str, _LeftProof]:
    """The proofs without a result, by their digests."""
    places = {(one.path, one.start): one for one in scene.document.loose}
    found: dict[str, _LeftProof] = {}
    for path in {path for path, _ in places}:
        for one in scene.paper.readings[path].blocks:
            start, end = one.place[:2]
            loose = places.get((path, start)) if one.shape == "proof" else None
            if loose:
                line = f"{path}:{one.place.line}"
                found[one.digest] = _LeftProof(one.digest, path, start, end, line, loose.aims)
    return found


def _is_proved(scene: CheckInput, old: str) -> bool:
    """Whether the present version of an earlier result has a proof."""
    pairs = scene.plan.pairs if scene.plan else {}
    names = (name for name, other in pairs.items() if other == old)
    return any(scene.document.modules[name].proofs for name in names)


def _former_name(scene: CheckInput, old: str) -> str:
    """The name of a module of the earlier version, for people."""
    return scene.name(old) if scene.before is None else replace(scene, state=scene.before).name(old)


_THEOREM = r"\\newtheorem\*?\s{0,9}\{\s{0,9}(?P<env>[A-Za-z]{1,40}\*?)\s{0,9}\}"
_NEW_THEOREM = regex(_THEOREM)
_ONE_THEOREM = regex(
    rf"{_THEOREM}(?:\[[^\[\]]{{0,99}}\])?\{{[^{{}}]{{0,99}}\}}(?:\[[^\[\]]{{0,99}}\])?"
)
_MAY_DECLARE = ("package", "class", "input", "include", "heorem", "nviron", "csname")
"""Words in a preamble line that may declare an environment, or load something that does."""


def lost_environments(scene: CheckInput, check: Check) -> Iterator[Finding]:
    r"""Environments that are in use and whose declaration a change removes.

    Only if LaTeX certainly stops: the earlier `\newtheorem` proves that neither the class nor a
    package declares the environment, and no new line can declare it.
    """
    if scene.before is None or not (scene.is_complete and scene.before.paper.outline.is_complete):
        return
    then, now = scene.before.paper, scene.paper
    for env in sorted(then.syntax.theorems.keys() - now.syntax.theorems.keys()):
        users = [path for path in now.readings if env in now.surveys[path].begun]
        if not users or not _was_declared(then, env) or _may_be_declared(now, then, env):
            continue
        begins = re.compile(rf"\\begin\s{{0,9}}\{{{re.escape(env)}\}}")
        for path in users:
            body = max(now.surveys[path].body, 0)
            if match := begins.search(scene.printed(path), body):
                yield check.finding(
                    f"environment {env} is no longer defined, so LaTeX stops here",
                    subject=env,
                    module=scene.around(path, match.start()),
                    place=scene.at(path, match.start(), match.end()),
                )
                break


def _was_declared(then: Paper, env: str) -> bool:
    r"""Whether a paper declared an environment with `\newtheorem`, unconditionally."""
    command = re.compile(rf"\\(?:end)?{re.escape(env)}(?![A-Za-z])")
    is_found = False
    for path in then.outline.order:
        text = mask(then.source(path), then.syntax.dead).text
        head = text[: then.surveys[path].body] if then.surveys[path].body >= 0 else text
        if command.search(head):
            return False
        for match in _NEW_THEOREM.finditer(head):
            if match["env"] == env:
                line = head[head.rfind("\n", 0, match.start()) + 1 : match.start()]
                if line.strip():
                    return False
                is_found = True
    return is_found


def _may_be_declared(now: Paper, then: Paper, env: str) -> bool:
    """Whether some line that a change adds may declare an environment."""
    used = re.compile(rf"\\(?:begin|end)\s{{0,9}}\{{{re.escape(env)}\}}")
    known = {line.strip() for path in then.outline.order for line in _lines(then, path)}
    for path in now.outline.order:
        body = now.surveys[path].body
        is_text = path in now.readings and path != now.root
        for line in _lines(now, path, body if body >= 0 else None):
            if line.strip() in known:
                continue
            other = _ONE_THEOREM.fullmatch(line.strip())
            if other is not None and other["env"] != env:
                continue
            left = used.sub("", line)
            if env in left or (not is_text and any(word in left for word in _MAY_DECLARE)):
                return True
    return False


def _lines(paper: Paper, path: str, end: int | None = None) -> list[str]:
    """The lines of a file up to an offset, without the text that LaTeX never reads."""
    return mask(paper.source(path), paper.syntax.dead).text[:end].splitlines()


def lost_citations(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Cited keys that are undefined, and were in a bibliography before a change."""
    from pfcore.checks.bibliography import Bibliography

    if scene.before is None:
        return
    now, then = (Bibliography(one) for one in (scene.paper, scene.before.paper))
    if now.missing or not then.is_known:
        return
    for item in preflight.cited_without(scene, check, now.keys):
        if _counted(item).lower() in then.keys:
            yield replace(item, message=item.message.replace("lists it", "lists it any more", 1))


def lost_bibliographies(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Bibliographies that are named but missing, and existed before a change."""
    from pfcore.checks.bibliography import Bibliography

    then = Bibliography(scene.before.paper).here if scene.before else set()
    found = preflight.missing_bibliographies(scene, check)
    yield from (item for item in found if item.subject in then)


def lost_figures(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Included figures that are missing, and whose file existed before a change."""
    was_there = figure_files.figure_finder(scene.before.paper) if scene.before else bool
    for item in figure_files.missing_figures(scene, check):
        if was_there(posixpath.basename(_counted(item)).lower()):
            yield item


def _counted(item: Finding) -> str:
    """The subject of a finding without its running number."""
    return item.subject.rpartition(" ")[0]


BESIDE_THE_TEXT = {
    "undefined-citation": lost_citations,
    "missing-bibliography": lost_bibliographies,
    "missing-figure": lost_figures,
}
"""Variants for a change of checks that otherwise run only before an upload, by check id."""


def beside_the_text(now: Paper, then: Paper) -> Iterator[Check]:
    """The checks of bibliographies and figures that a change may break.

    None for those that it leaves as they were.
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


def moved(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Numbers typed in unchanged text that now belong to other results.

    The result that had the number still exists, under a different one.
    """
    if scene.before is None or scene.plan is None:
        return
    if not (scene.is_complete and scene.before.paper.outline.is_complete):
        return  # a missing file may step counters
    now = {other: name for name, other in scene.plan.pairs.items()}
    for name, passage, (then, earlier), links in _left_alone(scene, scene.before, now):
        told: set[str] = set()
        for mention, same, before, targets in zip(
            passage.mentions, then.mentions, earlier, links, strict=False
        ):
            typed = " ".join(mention.keys)
            if mention.note != NUMBER or mention.keys != same.keys or typed in told:
                continue
            found = [
                one
                for one, target in zip(_names(before, now), targets, strict=False)
                if one and target.module and one != target.module
            ]
            if found:
                told.add(typed)
                yield check.finding(
                    f"{typed} used to be another result, now "
                    f"{' and '.join(map(scene.name, found))}",
                    subject=f"{typed} {passage.digest}",
                    module=name,
                    place=scene.at(passage.location.path, mention.start, mention.end),
                    related=tuple(found),
                )


def _left_alone(
    scene: CheckInput, before: PaperState, now: Mapping[str, str]
) -> Iterator[tuple[str, Passage, tuple[Passage, Mentioned], Mentioned]]:
    """The unchanged passages with typed numbers, as they are and as they were.

    Each comes with its module, and with the targets of its references now and before.
    """
    for other, name in now.items():
        module, was = scene.document.modules[name], before.document.modules[other]
        passages = zip(
            (module.statement, *module.proofs), (was.statement, *was.proofs), strict=False
        )
        for number, (passage, then) in enumerate(passages):
            if then.digest == passage.digest and _speaks_of_numbers(passage):
                earlier = _links(before.document, other, number)
                yield name, passage, (then, earlier), _links(scene.document, name, number)


def _names(targets: Sequence[LinkTarget], now: Mapping[str, str]) -> list[str]:
    """The present ids of targets in the earlier paper; "" for those that are gone."""
    return [now.get(target.module, "") for target in targets]


def _speaks_of_numbers(passage: Passage) -> bool:
    return any(mention.note == NUMBER for mention in passage.mentions)


def _links(document: ProofDocument, name: str, number: int) -> Mentioned:
    """The targets of a passage's references; `number` 0 is the statement, 1 the first proof."""
    return document.cited[name][number - 1] if number else document.statements[name].mentions


CHECKS = (
    Check(
        id="undefined-environment",
        severity=Severity.ERROR,
        rationale="environment no longer defined",
        run=lost_environments,
    ),
    Check(
        id="typed-number-moved",
        severity=Severity.WARNING,
        rationale="typed number now names another result",
        run=moved,
    ),
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
    Check(
        id="lost-proof",
        severity=Severity.WARNING,
        rationale="statement left without its proof",
        run=lost_proofs,
    ),
)
