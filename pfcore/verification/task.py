"""What is to be read of one module: the parts of its context, as the rendering gives them.

From a paper's modules to what is read of them: contexts in parts, and how much rests on each.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from pfcore.domain.containment import Failure, Fault, attempt
from pfcore.domain.digest import text_digest
from pfcore.graph.document import ProofDocument
from pfcore.graph.laws import is_invocation
from pfcore.graph.paper_state import PaperState
from pfcore.graph.rendering import rendered_context
from pfcore.graph.supplied import supplied
from pfcore.verification.prompt import Part
from pfcore.verification.second_question import Answer, Trace, holds, nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextTask:
    """A context in parts: what is given, in order, then the statement and its proofs.

    `rests` counts the modules that rest on this one: under a budget, more comes first; `answer` is
    what the paper says of what a reader asks for.
    """

    module: str
    context: str
    given: tuple[Part, ...]
    statement: str
    proof: str
    rests: int = 0
    answer: Answer = field(default=nothing, compare=False, repr=False)

    @property
    def parts(self) -> tuple[Part, ...]:
        """All parts as a block verifier sees them."""
        return (*self.given, ("To be checked", f"{self.statement}\n\n{self.proof}"))

    @property
    def text(self) -> str:
        """The authors' own words that an objection may quote."""
        return f"{self.statement}\n\n{self.proof}"

    def reproduces(self, trace: Trace) -> bool:
        """Whether the paper still answers as it did when a verdict with this trace was given."""
        return holds(trace, self.answer)

    @property
    def length(self) -> int:
        """Characters of the statement with its proof."""
        return len(self.text)


def tasks(state: PaperState, names: Iterable[str]) -> list[ContextTask]:
    """The modules that have a proof, those first on which most others rest; then in their order.

    Those of which a part could not be read for a fault of ours are left out, and among the faults.
    """
    document, texts = state.document, state.paper.texts
    broken = state.broken()
    wanted = [name for name in names if document.modules[name].proofs and name not in broken]
    leaning = dependants(document, wanted)
    made = []
    for name in wanted:
        parts = attempt(partial(rendered_context, document, name, texts))
        if isinstance(parts, Failure):
            where = document.modules[name].statement.location
            kind = document.modules[name].kind
            state.paper.faults.add(Fault(where.path, where.line, kind, parts.cause))
            continue
        made.append(
            ContextTask(
                module=name,
                context=text_digest(f"{document.form}\n{parts.text()}"),
                given=parts.given,
                statement=parts.statement,
                proof="\n\n".join(parts.proofs),
                rests=leaning[name],
                answer=partial(supplied, state, name),
            )
        )
    return sorted(made, key=lambda task: -task.rests)


def dependants(document: ProofDocument, names: Iterable[str]) -> dict[str, int]:
    """How many modules rest on each of some modules, directly or through others."""
    users: dict[str, set[str]] = {}
    for edge in document.edges:
        if is_invocation(edge, document) and edge.source != edge.target:
            users.setdefault(edge.target, set()).add(edge.source)
    return {name: len(_reached(name, users)) for name in names}


def _reached(name: str, users: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    pending = [name]
    while pending:
        for user in users.get(pending.pop(), ()):
            if user not in found:
                found.add(user)
                pending.append(user)
    return found - {name}
