"""Results of other works as leaves of the graph: what the literature is to be trusted for."""

from typing import NamedTuple

from pfcore.domain.values import Location
from pfcore.review.review import PaperReport


class Leaf(NamedTuple):
    """A cited result: its id, what it is, where it is cited first, and the modules that cite it."""

    id: str
    key: str
    locator: str
    location: Location
    users: tuple[str, ...]


def leaves(paper: PaperReport) -> list[Leaf]:
    """The results of other works that a paper cites by their place there, each once, in order."""
    found: dict[str, Leaf] = {}
    for name, module in paper.state.document.modules.items():
        for key, locator, location in module.cites:
            shown = f"{key}[{locator}]"
            known = found.get(shown, Leaf(shown, key, locator, location, ()))
            users = tuple(dict.fromkeys((*known.users, name)))
            found[shown] = known._replace(users=users)
    return list(found.values())
