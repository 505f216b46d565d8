"""The App before the fake GitHub: nobody waits, and what would be waited for is written down."""

from collections.abc import Callable

import pytest

from bot.domain import forge as forges
from bot.github.github_app import GitHubHub, Manner
from tests.bot.fake_github.server import GitHub
from tests.bot.fake_github.state import Pull, Repository

PAPER = "".join(f"line {number}\n" for number in range(1, 41))
CHANGED = PAPER.replace("line 20\n", "another line 20\n")


@pytest.fixture
def waits() -> list[float]:
    """The seconds that would have been waited for."""
    return []


MakeHub = Callable[..., GitHubHub]


@pytest.fixture
def hub_of(github: GitHub, waits: list[float]) -> MakeHub:
    """Makes the App; its time goes on only while it waits."""
    start = float(int(github.clock()))

    def make(between: float = 0.0, is_resolving: bool = False, skew: float = 0.0) -> GitHubHub:
        def clock() -> float:
            return start + sum(waits)

        github.clock = clock
        return GitHubHub(
            github.url,
            github.server_url,
            github.app,
            github.private_key,
            manner=Manner(between=between, is_resolving=is_resolving),
            clock=lambda: clock() + skew,
            sleep=waits.append,
        )

    return make


@pytest.fixture
def hub(hub_of: MakeHub) -> forges.Hub:
    return hub_of()


@pytest.fixture
def paper(github: GitHub) -> Repository:
    return github.repository(files={"main.tex": PAPER}, people={"alice": "write"})


@pytest.fixture
def pull(github: GitHub, paper: Repository) -> Pull:
    """Its diff shows the lines 17 to 23 of main.tex."""
    paper.commit({"main.tex": CHANGED}, on="change")
    return github.open(paper)


@pytest.fixture
def forge(hub: forges.Hub, paper: Repository, pull: Pull) -> forges.Forge:
    assert paper.installation is not None
    return hub.forge(paper.installation, paper.name)
