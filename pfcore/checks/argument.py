"""Checks of the argument: circles, statements without proof, proofs without statement."""

import re
from collections.abc import Iterator
from functools import partial

from pfcore.checks.check import Check, CheckInput, block
from pfcore.checks.suppressions import is_answered
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Edge, Finding, Location, Module, Passage, Role, Severity, Status
from pfcore.graph.document import USING, LooseProof
from pfcore.graph.laws import certain_cycles, likely_cycles
from pfcore.latex import parsed_file
from pfcore.latex.lexer.whitespace import ANCHOR
from pfcore.latex.project.kinds import ANSWERS, is_aside, kind_of, role_of, unaccented
from pfcore.latex.structure import unmarked_proofs
from pfcore.latex.structure.headings import STEPS


def cycles(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """One finding for each group of results that are proved from one another.

    A note if a proof is by induction or all proofs are formal, because none of these can rest on
    itself, and if a proof was paired by a guess. Also a note on a proof of its own result: of three
    found in unseen papers one was true.
    """
    is_spared = partial(_is_of_hypotheses, scene)
    told = {
        "circular argument: {}; each proof uses the next result": certain_cycles(scene.document),
        "possibly circular argument: {}; each proof refers to the next result": likely_cycles(
            scene.document, is_spared=is_spared
        ),
    }
    for objection, found in told.items():
        for cycle in found:
            modules = [scene.document.modules[edge.source] for edge in cycle]
            is_sure = not any(one.is_guessed for one in modules)
            is_open = any(one.id in scene.state.open_in_lean for one in modules)
            is_loud = is_sure and (is_open or not all(one.is_formal for one in modules))
            severity = check.severity if is_loud else Severity.NOTE
            yield _cycle(scene, check, cycle, objection, severity)
    for cycle in likely_cycles(scene.document, with_inductions=True, is_spared=is_spared):
        objection = "these proofs use each other: {}; this may be an induction"
        yield _cycle(scene, check, cycle, objection, Severity.NOTE)
    yield from _uses_of_itself(scene, check)


def _uses_of_itself(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """A note where the only proof of a result plainly uses that result, by its own label.

    Skipped if the proof is of several results or was paired with this one by a guess, and if there
    are several proofs: a second one may belong to something that the text before it names.
    """
    for name, module in scene.document.modules.items():
        if module.role is not Role.RESULT or len(module.proofs) != 1 or module.is_guessed:
            continue
        (proof,) = module.proofs
        for number, mention in enumerate(proof.mentions):
            if mention.form != "used" or module.label not in mention.keys:
                continue
            (links,) = scene.document.cited[name]
            is_itself = any(one.module == name and not one.anchor for one in links[number])
            if is_itself and len(block(scene.state, proof).aim) < 2:
                shown = scene.name(name)
                yield check.finding(
                    f"possibly circular argument: the proof of {shown} uses {shown}",
                    subject=f"{name} itself",
                    module=name,
                    place=scene.at(proof.location.path, mention.start, mention.end),
                    severity=Severity.NOTE,
                )
                break


_WHERE = regex(r"\x02(\d+)\x03\)? (?:in|of|from|aus|von|de|du|dans) \x02(\d+)\x03")
"""A reference to a part of a statement, and one to the statement that contains it."""


def _is_of_hypotheses(scene: CheckInput, edge: Edge) -> bool:
    """Whether a result is named only for one of its hypotheses: "condition (2) in Lemma 1"."""
    source, target = (scene.document.modules[name] for name in (edge.source, edge.target))
    supposed = _supposed(scene, target)
    if not supposed:
        return False
    for proof, links in zip(source.proofs, scene.document.cited[source.id], strict=True):
        text = scene.paper.texts(proof.location.path)[proof.block]
        spared = {
            int(whole)
            for part, whole in _WHERE.findall(text)
            if any(one.module == target.id and one.anchor in supposed for one in links[int(part)])
        }
        for index, (mention, targets) in enumerate(zip(proof.mentions, links, strict=True)):
            is_named = any(one.module == target.id and not one.anchor for one in targets)
            if is_named and mention.form in USING and index not in spared:
                return False
    return True


def _supposed(scene: CheckInput, module: Module) -> set[str]:
    """The labels of formulas and items in the hypotheses with which a statement begins."""
    from pfcore.latex.language.hypotheses import end_of_hypothesis  # late: circles are rare

    statement = module.statement
    text = scene.paper.texts(statement.location.path)[statement.block]
    start = re.search(r"(?:\x11.*?\x12|\x04\d+\x05|\s)*", text)
    begin = start.end() if start else 0
    end = begin + end_of_hypothesis(text[begin:])
    marks = (mark for mark in ANCHOR.finditer(text) if begin < mark.start() < end)
    return {statement.anchors[int(mark[1])] for mark in marks}


def _cycle(
    scene: CheckInput, check: Check, cycle: list[Edge], objection: str, severity: Severity
) -> Finding:
    names = [edge.source for edge in cycle]
    shown = [scene.name(name) for name in (*names, names[0])]
    paths = [scene.document.modules[name].statement.location.path for name in names]
    if len({scene.paper.outline.document(path) for path in paths}) > 1:
        shown = [f"{name} ({path})" for name, path in zip(shown, (*paths, paths[0]), strict=True)]
    return check.finding(
        objection.format(" → ".join(shown)),
        subject=" ".join(sorted(names)),
        module=names[0],
        place=_mention(scene, cycle[0]),
        related=tuple(names[1:]),
        severity=severity,
    )


def _mention(scene: CheckInput, edge: Edge) -> tuple[Location, str]:
    """Where a proof names what it uses."""
    module = scene.document.modules[edge.source]
    for passage, links in zip(module.proofs, scene.document.proofs[edge.source], strict=True):
        for mention, targets in zip(passage.mentions, links.mentions, strict=True):
            if any(target.module == edge.target for target in targets):
                return scene.at(passage.location.path, mention.start, mention.end)
    return scene.opening(module.statement)


def no_proof(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Results with neither a proof nor a citation: drafts are unfinished, so this is a note.

    An omitted proof is reported for every kind of module. Open and announced results, and those
    that another check reports, appear only if a comment in the source answers the finding.
    """
    for module in unproved(scene, with_others=True):
        is_omitted = module.stand_in is Status.OMITTED
        name = _called(module)
        objection = f"{name} has no proof or citation{_twin(scene, module)}"
        found = check.finding(
            f"the proof of {name} is omitted" if is_omitted else objection,
            subject="",
            module=module.id,
            place=scene.opening(module.statement),
        )
        is_open = module.role is Role.OPEN or module.is_announced
        is_told = is_omitted or not (is_open or _is_tagged(scene, module))
        if is_told or is_answered(scene, found):
            yield found


def unproved(scene: CheckInput, *, with_others: bool = False) -> Iterator[Module]:
    """The results without a proof or anything in its place, such as a citation.

    Steps are left out: the proof around them proves them. `with_others` adds conjectures, modules
    whose proof is said to be omitted, and results that the paper says it proves elsewhere.
    """
    modules = scene.document.modules.values()
    proved = {module.statement.digest for module in modules if module.proofs}
    for module in modules:
        is_omitted = module.stand_in is Status.OMITTED
        is_other = is_omitted or module.role is Role.OPEN
        is_wanted = module.role is Role.RESULT and module.kind not in STEPS
        if (with_others if is_other else is_wanted) and not (
            module.proofs
            or module.is_cited
            or module.stand_in is Status.CITED
            or scene.state.counts_as_formal(module)
            or (module.is_settled and not (with_others and module.is_announced))
            or module.statement.digest in proved
        ):
            yield module


def _called(module: Module) -> str:
    """The label of a result, or "this lemma" if it has none: a made-up id tells people nothing."""
    return module.id if module.label and "~" not in module.id else f"this {module.kind}"


def _twin(scene: CheckInput, module: Module) -> str:
    """A hint where a result with a proof has the same label up to an ending such as `:intro`."""
    for label in module.labels:
        base = _FOR_A_TWIN.sub("", label)
        for other in scene.document.labels.get(base, ()) if base != label else ():
            twin = scene.document.modules.get(other.module)
            if twin and twin.proofs and twin.role is Role.RESULT:
                title = f"{twin.kind.capitalize()} \\ref{{{base}}}"
                named = scene.name(twin.id)
                return f"; {named} has a proof: if this is the same result, title it [{title}]"
    return ""


_FOR_A_TWIN = regex(
    r"[:\-_.](?:intro(?:duction|d)?|informal|restated|again|copy|main|body|short|full)\Z"
)


def _is_tagged(scene: CheckInput, module: Module) -> bool:
    """Whether a module is in PF markup, where the check of the form reports a missing proof."""
    return parsed_file.is_tagged(block(scene.state, module.statement).env)


_AGAIN = ("second", "another", "alternative", "other", "third", "direct", "different", "sketch",
          "outline", "idea", "first", "short", "elementary", "continu", "proof of", "part", "step",
          "case")  # fmt: skip


_RECOGNISED = 400  # characters of a proof that identify it in the next review


def proof_of_an_aside(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Proofs that directly follow a remark, an example or the like instead of a result."""
    for module in scene.document.modules.values():
        if module.role is not Role.ASIDE or not is_aside(module.kind):
            continue
        for passage in module.proofs:
            found = block(scene.state, passage)
            if found.parent < 0 and not found.aim and found.env not in ANSWERS:
                yield check.finding(
                    f"this proof is attached to the {module.kind} right before it; if it proves "
                    "a result, write \\begin{proof}[Proof of ...]",
                    subject=passage.digest,
                    module=module.id,
                    place=scene.opening(passage),
                )


def two_proofs(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Results with a second proof that is not announced as one, or has the title of another."""
    for module in scene.document.modules.values():
        if len(module.proofs) < 2:
            continue
        titles: dict[str, Location] = {}
        for passage in module.proofs:
            objection = _objection(scene, module, passage, titles)
            if objection:
                yield check.finding(
                    f"{_called(module)} has another proof {objection}",
                    subject=passage.digest,
                    module=module.id,
                    place=scene.opening(passage),
                )


def _objection(
    scene: CheckInput, module: Module, proof: Passage, titles: dict[str, Location]
) -> str:
    """The place of the other proof, "" if the two are distinguishable; `titles` of earlier ones."""
    found = block(scene.state, proof)
    same = titles.setdefault(" ".join(found.title.replace("~", " ").split()), proof.location)
    is_known = found.env == "solution" or parsed_file.is_tagged(found.env)
    is_told = is_known or any(word in found.title.lower() for word in _AGAIN)
    first = module.proofs[0]
    if proof is not first and not is_told:
        has_heading = found.env in (unmarked_proofs.SECTION, unmarked_proofs.NAME)
        told = "name that in its heading: Proof of ..." if has_heading else _NAMED_PROOF
        place = f"at {first.location.path}:{first.location.line}"
        return f"{place}; if this one proves something else, {told}"
    is_again = same is not proof.location and bool(found.aim) and not is_known
    return f"with this title at {same.path}:{same.line}" if is_again else ""


_NAMED_PROOF = "write \\begin{proof}[Proof of ...]"


def proof_of_nothing(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Proofs with no statement before them that they could belong to."""
    for loose in scene.document.loose:
        if loose.aims and not loose.missing:
            continue
        text = scene.paper.source(loose.path)[loose.start : loose.start + _RECOGNISED]
        yield check.finding(
            f"this proof names {loose.missing}, which does not exist"
            if loose.missing
            else _set_by_hand(scene, loose)
            or "no statement precedes this proof; use \\begin{proof}[Proof of ...]",
            subject=text,
            module=None,
            place=scene.first_line(loose.path, loose.start, loose.end),
            # Most of them prove a claim made in the running text before them.
            severity=check.severity if loose.missing else Severity.NOTE,
        )


_FONT = (
    r"(?:\\(?:text(?:bf|it|sc|sl|sf)|emph|underline|uline|(?:sub)*paragraph\*?)\s?\{"
    r"|\{\s?\\(?:bf|it|em|sl|sc|sf|bfseries|itshape|slshape|scshape)(?![A-Za-z])\s?)"
)
_HEADING = regex(
    rf"^[^%\n]*?{_FONT}{{1,2}}(?=[A-ZÀ-Þ])(?P<word>[^\W\d_](?:\\['`^]|[^\W\d_]){{3,14}})"
    r"(?=[\s~.:(\d*,\\-]|\}(?!\w))",
    re.MULTILINE,
)
_END = regex(r"\\(?:(?:sub)*section|chapter|part)\*?\s?\{|\\end\s?\{[^{}]*\}")
_NEAR = 3_000


def _set_by_hand(scene: CheckInput, loose: LooseProof) -> str:
    """A message if the statement is not an environment but has a heading set by hand; else ""."""
    text = scene.paper.source(loose.path)
    start = max(0, loose.start - _NEAR)
    ends = (match.end() for match in _END.finditer(text, start, loose.start))
    start = max((start, *ends))
    for found in reversed(list(_HEADING.finditer(text, start, loose.start))):
        if role_of(kind_of("", unaccented(found["word"]))) in (Role.RESULT, Role.OPEN):
            line = text.count("\n", 0, found.start("word")) + 1
            return (
                f"the {found['word']} before this proof (line {line}) is a heading set by hand and "
                "not counted as a result; put it into an environment"
            )
    return ""


CHECKS = (
    Check(
        id="cycle",
        # Of eleven recorded circles, four were still found when the commits were reviewed again:
        # the only true one consisted of plain uses; the other three did not, and are notes.
        severity=Severity.WARNING,
        rationale="circular argument",
        run=cycles,
    ),
    Check(
        id="no-proof",
        severity=Severity.NOTE,
        rationale="no proof or citation",
        run=no_proof,
    ),
    Check(
        id="proof-of-aside",
        severity=Severity.NOTE,
        rationale="proof attached to a remark",
        run=proof_of_an_aside,
    ),
    Check(
        id="two-proofs",
        severity=Severity.NOTE,
        rationale="two proofs for one result",
        run=two_proofs,
    ),
    Check(
        id="proof-of-nothing",
        severity=Severity.WARNING,
        rationale="proof without a statement",
        run=proof_of_nothing,
    ),
)
