"""A part of the App in a process of its own, with a GitHub and a model on this machine.

Called with a file of JSON: `part` (web, worker or all), `settings`, `github`, `ready` (written with
the port when it listens), `port`. The model is named in the environment.
"""

import json
import os
import signal
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

from bot import compose, observability
from bot.app_settings import AppSettings, SpendingCaps
from bot.github.github_app import GitHubHub, Manner
from bot.reviewing.git_cache import Repositories
from bot.reviewing.repository_data import Rooms
from bot.reviewing.reviewer import PaperReviewer
from pfcore.llm.model_settings import choose

PACE = compose.ServerIntervals(
    beat=0.5, watch=1.0, hand_on=1.0, fetch=1.5, forget=3600.0, dead_after=5.0, grace=1
)


def main(path: str) -> None:
    """Serve until told to stop."""
    given = json.loads(Path(path).read_text())
    settings = _settings(given["settings"])
    observability.start()
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    with ExitStack() as opened:
        kept = opened.enter_context(compose.kept(settings))
        if given["part"] == "worker":
            compose.give_way()
        if given["part"] != "web":
            hub, reviewer = _hub(given["github"], settings), _reviewer(settings)
            opened.enter_context(
                compose.working(settings, kept, hub=hub, reviewer=reviewer, pace=PACE)
            )
        port = 0
        if given["part"] != "worker":
            app = opened.enter_context(compose.web(settings, kept))
            port = opened.enter_context(compose.listening(app, "127.0.0.1", given["port"]))
        Path(given["ready"]).write_text(str(port))
        stop.wait()
    os._exit(0)


def _settings(given: dict[str, str]) -> AppSettings:
    folder = Path(given["data"])
    return AppSettings(
        app_id=int(given["app_id"]),
        private_key=folder / "key.pem",
        webhook_secret=given["secret"].encode(),
        accounts=frozenset("*"),
        api_url=given["api_url"],
        database_url=given["database_url"],
        data=folder,
        caps=SpendingCaps(repository=1e6, month=1e6),
    )


def _hub(given: dict[str, str], settings: AppSettings) -> GitHubHub:
    key = settings.private_key.read_text()
    manner = Manner(between=0.0)
    return GitHubHub(settings.api_url, given["server_url"], settings.app_id, key, manner=manner)


def _reviewer(settings: AppSettings) -> PaperReviewer:
    prices = '[prices."m"]\ninput = 0.01\noutput = 0.01\n'
    is_file = settings.database_url.startswith("sqlite")
    rooms = Rooms(settings.data / "rooms", None if is_file else settings.database_url, lambda: 1.0)
    repositories = Repositories(settings.data / "repositories", is_local=True)
    choice = choose("m", os.environ, prices)
    return PaperReviewer(repositories, rooms, choice, is_simulated=True)


if __name__ == "__main__":
    main(sys.argv[1])
