"""What is read for one module: the parts of its context, and how many modules depend on it."""

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

    `rests` counts the modules that depend on this one: under a budget, larger ones come first;
    `answer` returns what the paper says when a reader asks for something.
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
        """All parts, as a block verifier sees them."""
        return (*self.given, ("To be checked", f"{self.statement}\n\n{self.proof}"))

    @property
    def text(self) -> str:
        """The authors' own words, which an objection may quote."""
        return f"{self.statement}\n\n{self.proof}"

    def reproduces(self, trace: Trace) -> bool:
        """Whether the paper still gives the answers recorded in the trace of a verdict."""
        return holds(trace, self.answer)

    @property
    def length(self) -> int:
        """The number of characters of the statement with its proof."""
        return len(self.text)


def tasks(state: PaperState, names: Iterable[str]) -> list[ContextTask]:
    """The modules that have a proof, by decreasing number of dependants, then in the given order.

    A module with a part that fails with an internal error is left out, and noted among the faults.
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
    """For each of some modules, how many modules depend on it, directly or indirectly."""
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
