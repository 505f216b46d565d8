"""What a call costs at most, and what it did cost."""

from dataclasses import dataclass

from pfcore.llm.protocol import Request, Usage

_CHARACTERS = 2.5
"""Characters per token, at the least: LaTeX has short tokens, and an estimate must not be low."""

_PDF_TOKENS = 0.05
"""Tokens per byte of a PDF, at the most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Dollars per million tokens."""

    input: float = 0.0
    cached: float = 0.0
    output: float = 0.0

    def of(self, usage: Usage) -> float:
        """What a call cost, in dollars."""
        fresh = usage.input - usage.cached
        total = fresh * self.input + usage.cached * self.cached + usage.output * self.output
        return total / 1_000_000


def most(request: Request) -> Usage:
    """The most tokens that a request can use."""
    characters = len(request.instructions) + len(request.text)
    document = len(request.document.content) * _PDF_TOKENS if request.document else 0
    return Usage(input=int(characters / _CHARACTERS + document) + 50, output=request.limit)


def spent(request: Request, text: str) -> Usage:
    """What a call has used where the server did not count: rather too much than too little."""
    return Usage(input=most(request).input, output=int(len(text) / _CHARACTERS) + 1)
