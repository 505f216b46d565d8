"""`pf remove`: erases what pf keeps outside of papers, after it has said what would be lost.

A paper, its `pf.toml` and its `pf.lock` are never touched.
"""

import argparse
from collections.abc import Callable

from pfcore.cli.holdings import parse_cache, simulated, stored_replies, to_go
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.reporters.holdings import erased, listed
from pfcore.reporters.style import Style

Show = Callable[[str], None]
Ask = Callable[[str], bool | None]
"""A yes or no to a question; None where nobody is there to answer."""


def remove(arguments: argparse.Namespace, style: Style, show: Show, ask: Ask) -> int:
    """Erase the cache, the replies, or both; 3 where something that was meant is left alone."""
    is_all = not (arguments.cache or arguments.replies)
    kept = [*parse_cache(), *simulated()] if arguments.cache or is_all else []
    kept += stored_replies(is_meant=arguments.replies) if arguments.replies or is_all else []
    show(listed([item.holding for item in kept], style) if kept else "")
    going = to_go(kept)
    if going:
        _agree(ask, is_agreed=arguments.yes)
        for item in going:
            item.require_free()
        for item in going:
            item.erase()
        show(erased([item.holding for item in going], style))
    else:
        show(style.finish(["There is nothing to erase."]))
    return 3 if any(item.holding.is_trouble for item in kept) else 0


def _agree(ask: Ask, *, is_agreed: bool) -> None:
    answer = True if is_agreed else ask("Erase this for good?")
    if answer is None:
        raise UsageError("nothing was erased: say --yes, since nobody can be asked here")
    if not answer:
        raise IncompleteError("nothing was erased: you said no")
