"""What a reader objects to in a proof that nobody touched, because something beneath it changed."""

from pfcore.domain.values import Finding, Role
from pfcore.reporters.formats.markdown import titled
from pfcore.reporters.github import code
from pfcore.reporters.printing import safe
from pfcore.review.review import PaperReport

_MOST = 3


def causes(found: Finding, paper: PaperReport) -> list[str]:
    """The modules whose words changed beneath a proof that stands as it stood, if any.

    Those that the objection names come before the others that the proof or its statement uses.
    """
    name = found.module
    affected = {item.id for item in paper.plan.affected}
    if name is None or name not in affected or name in paper.plan.edited:
        return []
    document = paper.state.document
    used = [edge.target for edge in document.edges_of(name)]
    changed = dict.fromkeys((*paper.plan.restated, *_definitions(paper)))
    named = [item for item in found.related if item in changed]
    return list(dict.fromkeys((*named, *(item for item in used if item in changed))))[:_MOST]


def _definitions(paper: PaperReport) -> list[str]:
    """What has no proof and other words than before."""
    modules = paper.state.document.modules
    given = (Role.DEFINITION, Role.ASSUMPTION, Role.CONVENTION)
    return [name for name in paper.plan.edited if modules[name].role in given]


def ripple_paragraph(found: Finding, paper: PaperReport) -> str:
    """A paragraph that says what changed, and that the proof itself did not; else ""."""
    changed = causes(found, paper)
    if not changed:
        return ""
    modules = paper.state.document.modules
    listed = ", ".join(_named(name, paper) for name in changed)
    name = titled(modules[found.module or ""], paper)
    return (
        f"**This pull request changes what {listed} says.** The proof of {name} is as it was; "
        "it was read again only because of that."
    )


def _named(name: str, paper: PaperReport) -> str:
    module = paper.state.document.modules[name]
    where = module.statement.location
    return f"{titled(module, paper)} ({code(f'{safe(where.path)}:{where.line}')})"
