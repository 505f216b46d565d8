"""What known models cost; a user's own table comes first."""

import re
from collections.abc import Mapping

from pfcore.llm.connection import is_local
from pfcore.llm.costs import Price

PRICES: Mapping[str, Price] = {
    "gpt-5.5": Price(input=5.0, cached=0.5, output=30.0),
    "gpt-5.4": Price(input=2.5, cached=0.25, output=15.0),
    "gpt-5.4-mini": Price(input=0.75, cached=0.075, output=4.5),
}
"""Dollars per million tokens at OpenAI's standard tier, as published in June 2026."""

_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


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
