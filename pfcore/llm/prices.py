"""What known models cost; a user's own table comes first.

What a call costs at most, and what it did cost.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pfcore.domain.lazy_regex import regex
from pfcore.llm.connection import is_local
from pfcore.llm.protocol import Request, TokenUsage


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


PRICES: Mapping[str, Price] = {
    "gpt-5.5": Price(input=5.0, cached=0.5, output=30.0),
    "gpt-5.4": Price(input=2.5, cached=0.25, output=15.0),
    "gpt-5.4-mini": Price(input=0.75, cached=0.075, output=4.5),
}
"""Dollars per million tokens at OpenAI's standard tier, as published in June 2026."""

_DATED = regex(r"-\d{4}-\d{2}-\d{2}$")


def price_of(model: str, base_url: str, own: Mapping[str, Price] | None = None) -> Price | None:
    """What a model costs where it is asked; None where nobody has said.

    A dated name costs what the plain one does; what runs in one's own network costs nothing.
    """
    names = (model, _DATED.sub("", model))
    for table in (own or {}, {} if is_local(base_url) else PRICES):
        for name in names:
            if name in table:
                return table[name]
    return Price() if is_local(base_url) else None


def is_listed(model: str) -> bool:
    """Whether a model is one of those whose price is known here, dated or not."""
    return _DATED.sub("", model) in PRICES


_CHARACTERS = 2.5
"""Characters per token, at the least: LaTeX has short tokens, and an estimate must not be low."""

_PDF_TOKENS = 0.05
"""Tokens per byte of a PDF, at the most."""

_ROOM = 2_000
"""Output tokens that a reply needs at the least: with fewer it is cut off before its verdict."""


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
