"""What is to be read of one module: the parts of its context, as the rendering gives them."""

from dataclasses import dataclass

from pfcore.verification.fence import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextTask:
    """A context in parts: what is given, in order, then the statement and its proofs.

    `rests` counts the modules that rest on this one: under a budget, more comes first.
    """

    module: str
    context: str
    given: tuple[Part, ...]
    statement: str
    proof: str
    rests: int = 0

    @property
    def parts(self) -> tuple[Part, ...]:
        """All parts as a block verifier sees them."""
        return (*self.given, ("To be checked", f"{self.statement}\n\n{self.proof}"))

    @property
    def text(self) -> str:
        """The authors' own words that an objection may quote."""
        return f"{self.statement}\n\n{self.proof}"

    @property
    def length(self) -> int:
        """Characters of the statement with its proof."""
        return len(self.text)
