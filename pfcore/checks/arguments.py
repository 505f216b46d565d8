"""Checks of the argument's structure: circles, statements without proof, proofs without statement."""

from collections.abc import Iterator

from pfcore.checks.scene import Check, Scene
from pfcore.graph.laws import certain_cycles
from pfcore.model import Edge, Finding, Location, Module, Role, Severity


def cycles(scene: Scene, check: Check) -> Iterator[Finding]:
    """One finding for each knot of results that are proved from one another."""
    for cycle in certain_cycles(scene.document):
        names = [edge.source for edge in cycle]
        steps = " → ".join((*names, names[0]))
        yield check.finding(
            f"the argument is circular: {steps}; each proof uses the next result",
            subject=" ".join(sorted(names)),
            module=names[0],
            place=_mention(scene, cycle[0]),
            related=tuple(names[1:]),
        )


def _mention(scene: Scene, edge: Edge) -> tuple[Location, str]:
    """Where a proof names what it uses."""
    module = scene.document.modules[edge.source]
    for passage, links in zip(module.proofs, scene.document.proofs[edge.source], strict=True):
        for mention, targets in zip(passage.mentions, links.mentions, strict=True):
            if any(target.module == edge.target for target in targets):
                return scene.at(passage.location.path, mention.start, mention.end)
    return scene.opening(module.statement)


def no_proof(scene: Scene, check: Check) -> Iterator[Finding]:
    """Results with neither a proof nor a citation: drafts are unfinished, so this is a note."""
    for module in scene.document.modules.values():
        if module.role is Role.RESULT and not module.proofs and not module.is_cited:
            if _is_stated_again(scene, module) or module.is_formal:
                continue
            yield check.finding(
                f"{module.id} has neither a proof nor a citation",
                subject="",
                module=module.id,
                place=scene.opening(module.statement),
            )


def _is_stated_again(scene: Scene, module: Module) -> bool:
    """Whether the same words stand with a proof elsewhere, as in an introduction."""
    return any(
        other.proofs and other.statement.digest == module.statement.digest
        for other in scene.document.modules.values()
        if other.id != module.id and other.role is Role.RESULT
    )


_AGAIN = ("second", "another", "alternative", "other", "third", "direct", "different", "sketch",
          "outline", "idea", "first", "short", "elementary", "continu", "proof of", "part", "step",
          "case")  # fmt: skip


def two_proofs(scene: Scene, check: Check) -> Iterator[Finding]:
    """Results with a second proof that is not announced as one."""
    document = scene.document
    for module in document.modules.values():
        for passage in module.proofs[1:]:
            block = scene.paper.readings[passage.location.path].blocks[passage.block]
            if block.env == "solution" or any(word in block.title.lower() for word in _AGAIN):
                continue
            first = module.proofs[0].location
            yield check.finding(
                f"{module.id} has another proof at {first.path}:{first.line}; if this one proves "
                "something else, name it: \\begin{proof}[Proof of …]",
                subject=passage.digest,
                module=module.id,
                place=scene.opening(passage),
            )


def proof_of_nothing(scene: Scene, check: Check) -> Iterator[Finding]:
    """Proofs with no statement before them that they could belong to."""
    for loose in scene.document.loose:
        if loose.aims:
            continue
        source = scene.paper.source(loose.path)
        line = source.find("\n", loose.start)
        end = loose.end if line < 0 else min(loose.end, line)
        location, quote = scene.at(loose.path, loose.start, end)
        yield check.finding(
            "this proof follows no statement, and does not say what it proves",
            subject=source[loose.start : loose.start + 400],
            module=None,
            place=(location, quote),
        )


CHECKS = (
    Check(
        id="cycle",
        severity=Severity.ERROR,
        rationale="results whose proofs rest on one another prove nothing",
        run=cycles,
    ),
    Check(
        id="no-proof",
        severity=Severity.NOTE,
        rationale="a result that is neither proved nor cited is still open",
        run=no_proof,
    ),
    Check(
        id="two-proofs",
        severity=Severity.NOTE,
        rationale="a proof that stands under the wrong result proves it for nobody",
        run=two_proofs,
    ),
    Check(
        id="proof-of-nothing",
        severity=Severity.WARNING,
        rationale="a proof without a statement cannot be checked",
        run=proof_of_nothing,
    ),
)
