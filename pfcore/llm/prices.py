"""What known models cost; a user's own price table takes precedence.

Also bounds the tokens of a call before it is made.
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
        """The cost of a call in dollars."""
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
    """The price of a model at an address; None if unknown.

    A dated name has the price of the plain one; a server in the local network is free.
    """
    names = (model, _DATED.sub("", model))
    for table in (own or {}, {} if is_local(base_url) else PRICES):
        for name in names:
            if name in table:
                return table[name]
    return Price() if is_local(base_url) else None


def is_listed(model: str) -> bool:
    """Whether the price of a model, dated or not, is in our table."""
    return _DATED.sub("", model) in PRICES


_CHARACTERS = 2.5
"""Lower bound on characters per token: LaTeX has short tokens, and estimates must not be low."""

_PDF_TOKENS = 0.05
"""Upper bound on tokens per byte of a PDF."""

_ROOM = 2_000
"""The least output tokens for a reply: with fewer it would be cut off before its verdict."""


def most(request: Request) -> TokenUsage:
    """An upper bound on the tokens that a request can use."""
    characters = len(request.instructions) + len(request.text)
    document = len(request.document.content) * _PDF_TOKENS if request.document else 0
    return TokenUsage(input=tokens_at_most(characters) + int(document), output=request.limit)


def tokens_at_most(characters: int) -> int:
    """An upper bound on the tokens of a request with this many characters."""
    return int(characters / _CHARACTERS) + 50


def least(request: Request) -> int:
    """The fewest output tokens that must remain for a reply."""
    return min(request.limit, _ROOM)


def fitted(request: Request, window: int) -> Request | None:
    """The request with its limit lowered to fit a window in tokens; None if the text is too long.

    The key keeps the contract's limit: a reply that ends by itself under a lower limit would be the
    same under the higher one, and a reply that is cut off is never stored. So the window, which
    differs between machines, invalidates nothing.
    """
    left = window - most(request).input
    return replace(request, limit=min(request.limit, left)) if left >= least(request) else None


def spent(request: Request, text: str) -> TokenUsage:
    """The tokens used by a call if the server did not count them; rather too many than too few."""
    return TokenUsage(input=most(request).input, output=int(len(text) / _CHARACTERS) + 1)
