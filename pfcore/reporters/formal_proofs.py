"""What the status formal means in a paper: who claims it, and what was looked at in Lean."""

from collections import Counter
from collections.abc import Iterator

from pfcore.checks.check import block
from pfcore.domain.values import Module, Status
from pfcore.reporters.printing import plural
from pfcore.review.review import PaperReport

NOT_RUN = "Lean was not run"
_IN_MATHLIB, _UNNAMED, _DECLARED, _ELSEWHERE = "mathlib", "unnamed", "declared", "elsewhere"
_UNSEEN = "unseen"
_WORDS = {
    _DECLARED: (
        "{} with a name that the Lean files here declare; a text search found no sorry, admit or "
        "axiom that it is known to contain or use"
    ),
    _ELSEWHERE: "{} with a Lean name that no Lean file here declares",
    _UNSEEN: "{} with a Lean name; not all Lean files here could be read",
    _UNNAMED: "{} without a Lean name",
    _IN_MATHLIB: "{} marked \\mathlibok; Mathlib was not looked at",
}


def formal_modules(paper: PaperReport) -> list[Module]:
    """The claims that count as formally proved."""
    modules = paper.state.document.modules.values()
    return [
        item
        for item in modules
        if item.is_asserted and item.role.stands_alone and paper.statuses[item.id] is Status.FORMAL
    ]


def formal_words(paper: PaperReport) -> list[str]:
    """Says that Lean was not run, and what was looked at instead; [] if no proof is formal."""
    listed = formal_modules(paper)
    return list(_words(paper, listed)) if listed else []


def _words(paper: PaperReport, listed: list[Module]) -> Iterator[str]:
    from pfcore.checks.lean.lean_links import lean_names_of, lean_paths, repository_names

    number = plural(len(listed), "proof is", "proofs are")
    has_lean = bool(lean_paths(paper.state.paper.snapshot))
    end = "" if has_lean else ", and the repository has no Lean file"
    yield f"{number} formal according to the authors' marks alone: {NOT_RUN}{end}"
    known = repository_names(paper.state.paper) if has_lean else None

    def kind(module: Module) -> str:
        names = lean_names_of(paper.state, module)
        if any("mathlibok" in block(paper.state, item).marks for item in module.passages):
            return _IN_MATHLIB
        if not names:
            return _UNNAMED
        if known is None:
            return _UNSEEN
        return _DECLARED if all(map(known.declares, names)) else _ELSEWHERE

    counted = Counter(map(kind, listed))
    for name, words in _WORDS.items():
        if counted[name] and (has_lean or name == _IN_MATHLIB):
            yield words.format(f"{counted[name]:,}")
