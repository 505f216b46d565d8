"""`pf serve`: the GitHub App as one process, or its web side and its workers separately."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pfcore.cli.exit_status import say
from pfcore.domain.errors import UsageError
from pfcore.domain.installation import install_command

if TYPE_CHECKING:
    from types import FrameType

    from bot.app_settings import AppSettings

_log = logging.getLogger(__name__)
_EXTRA = "the App's server is not installed here (no {name}): {install}"
_READ = 20.0
"""How many seconds the page that confirms the registration stays up before the App is served."""
_POLL = 15.0
"""The seconds between two looks for deliveries, if GitHub cannot reach this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """The options of `pf serve`.

    `part` is the part to serve, None: all; `is_polling`: deliveries are fetched; `config` is the
    file of the App's settings, if one is named.
    """

    part: str | None
    is_polling: bool
    host: str
    port: int
    config: Path | None


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    serve = commands.add_parser("serve", help="run the GitHub App, which reviews pull requests")
    serve.add_argument(
        "part",
        nargs="?",
        choices=("web", "worker"),
        help="run only one part, to use several machines (default: both)",
    )
    serve.add_argument(
        "--poll", action="store_true", help="fetch deliveries, if GitHub cannot reach this machine"
    )
    serve.add_argument("--host", default="127.0.0.1", help="host to listen on (%(default)s)")
    serve.add_argument(
        "--port", type=int, default=8080, help="port; 0 for any free one (%(default)s)"
    )
    serve.add_argument("--config", type=Path, metavar="FILE", help="settings file of the App")
    serve.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    try:
        from bot import compose  # noqa: F401 - to see whether it is all there
    except ImportError as error:
        said = _EXTRA.format(name=error.name, install=install_command("bot", "llm"))
        raise UsageError(said) from error
    from bot import app_settings

    wanted = ServeOptions(
        part=arguments.part,
        is_polling=arguments.poll,
        host=arguments.host,
        port=arguments.port,
        config=arguments.config,
    )
    path = wanted.config or app_settings.file_path(os.environ)
    if not path.exists() and app_settings.APP_ID not in os.environ and wanted.part != "worker":
        is_registered = set_up(wanted, path, os.environ)
        if not is_registered:
            return 0  # a stop is no failure; another status would make systemd restart it
    serve(wanted, app_settings.load_app_settings(os.environ, path), os.environ)
    return 0


def set_up(wanted: ServeOptions, path: Path, environment: Mapping[str, str]) -> bool:
    """Let a person register the App in a browser; True if that was done without an interruption."""
    from bot import app_settings, compose
    from bot.web.registration import GithubExchange
    from bot.web.setup_site import SetupTarget, create_app, new_code

    server, api = app_settings.addresses(environment)
    done, stop, code = threading.Event(), threading.Event(), new_code()
    setup = SetupTarget(
        path=path,
        server_url=server,
        api_url=api,
        is_polling=wanted.is_polling,
        code=code,
        exchange=GithubExchange(server_url=server, api_url=api),
        done=done.set,
    )
    with _told_to(stop), compose.listening(create_app(setup), wanted.host, wanted.port) as on:
        say(f"Open http://{wanted.host}:{on}/setup and enter the code {code}\n")
        sys.stdout.flush()  # otherwise a log that is not a terminal would show it only at the end
        while not (stop.wait(0.2) or done.is_set()):
            pass
        stop.wait(_READ if done.is_set() else 0.0)
    return not stop.is_set()


def serve(wanted: ServeOptions, settings: AppSettings, environment: Mapping[str, str]) -> None:
    """Serve until told to stop."""
    from bot import app_settings, compose, observability

    if wanted.is_polling and wanted.part == "web":
        raise UsageError("--poll works only with pf serve or pf serve worker")
    gc.enable()  # other commands run without it, but a server runs for months
    observability.start(sys.stderr)
    if not settings.server_url.startswith("https://"):
        _log.error(app_settings.PLAIN.format(settings.server_url))
    stop = threading.Event()
    with ExitStack() as opened:
        opened.enter_context(_told_to(stop))
        found = opened.enter_context(compose.kept(settings))
        if wanted.part == "worker":
            compose.give_way()
        if wanted.part != "web":
            pace = (
                compose.ServerIntervals(fetch=_POLL)
                if wanted.is_polling
                else compose.ServerIntervals()
            )
            hub, reviewer = compose.hub_of(settings), compose.reviewer_of(settings, environment)
            opened.enter_context(
                compose.working(settings, found, hub=hub, reviewer=reviewer, pace=pace)
            )
        if wanted.part != "worker":
            app = opened.enter_context(compose.web(settings, found))
            on = opened.enter_context(compose.listening(app, wanted.host, wanted.port))
            _log.info(f"listening at http://{wanted.host}:{on}")
        stop.wait()


@contextmanager
def _told_to(stop: threading.Event) -> Iterator[None]:
    """Set the event on SIGTERM or SIGINT, for an orderly stop."""

    def told(number: int, frame: FrameType | None) -> None:
        stop.set()

    before = {each: signal.signal(each, told) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
