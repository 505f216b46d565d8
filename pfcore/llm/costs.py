"""What a call costs at most, and what it did cost."""

from dataclasses import dataclass, replace

from pfcore.llm.protocol import Request, TokenUsage

_CHARACTERS = 2.5
"""Characters per token, at the least: LaTeX has short tokens, and an estimate must not be low."""

_PDF_TOKENS = 0.05
"""Tokens per byte of a PDF, at the most."""


_ROOM = 2_000
"""Output tokens that a reply needs at the least: with fewer it is cut off before its verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Dollars per million tokens."""

    input: float = 0.0
    cached: float = 0.0
    output: float = 0.0

    def of(self, usage: TokenUsage) -> float:
        """What a call cost, in dollars."""
        fresh = usage.input - usage.cached
        total = fresh * self.input + usage.cached * self.cached + usage.output * self.output
        return total / 1_000_000


def most(request: Request) -> TokenUsage:
    """The most tokens that a request can use."""
    characters = len(request.instructions) + len(request.text)
    document = len(request.document.content) * _PDF_TOKENS if request.document else 0
    return TokenUsage(input=tokens_at_most(characters) + int(document), output=request.limit)


def tokens_at_most(characters: int) -> int:
    """The most tokens of a request with so many characters."""
    return int(characters / _CHARACTERS) + 50


def least(request: Request) -> int:
    """The fewest output tokens that have to remain for a reply."""
    return min(request.limit, _ROOM)


def fitted(request: Request, window: int) -> Request | None:
    """A request whose text and reply fit a window of so many tokens; None for too long a text.

    Only the limit is lowered. The key keeps the contract's limit: a reply that ends by itself
    under a lower one is a reply under the higher one, and one that is cut off is never kept. So
    the window, which differs between machines, makes nothing unread.
    """
    left = window - most(request).input
    return replace(request, limit=min(request.limit, left)) if left >= least(request) else None


def spent(request: Request, text: str) -> TokenUsage:
    """What a call has used where the server did not count: rather too much than too little."""
    return TokenUsage(input=most(request).input, output=int(len(text) / _CHARACTERS) + 1)
