"""The one place of these tests that knows where things stand inside of the product.

All else here runs commands and reads what they print, write and publish. When a file, a class or a
function moves, this file follows; what it hands out stays as it is.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pfcore.llm.protocol import Reply, Request
from pfcore.papers.parse_cache import DiskCache
from pfcore.repository.git import find_repository

__all__ = ["Reply", "Request"]

Command = Callable[[Sequence[str]], int]


def command(name: str) -> Command:
    """What a console script runs, by the script's name."""
    from bot import publish_command, push_start_command
    from hooks import offline, online
    from pfcore.cli import main

    found: dict[str, Command] = {
        "pf": main.main,
        "pf-verify": offline.main,
        "pf-verify-online": online.main,
        "pf-publish": lambda argv: publish_command.main(),
        "pf-since": lambda argv: push_start_command.main(),
    }
    return found[name]


def contexts(
    folder: Path, cache: Path, revision: str | None = None
) -> dict[str, dict[str, tuple[str, str]]]:
    """Digest and rendered context of every module of every paper of a folder, or of a commit."""
    from pfcore.graph.paper_state import build_paper_state
    from pfcore.graph.rendering import context_digest, render
    from pfcore.papers import discover
    from pfcore.papers.parse_cache import ParseCache
    from pfcore.repository import snapshot

    if revision is None:
        moment = snapshot.from_folder(folder)
    else:
        repository = find_repository(folder)
        assert repository is not None
        moment = snapshot.from_revision(repository, revision)
    parse_cache = ParseCache(DiskCache(cache))
    return {
        now.paper.name: {
            name: (
                context_digest(now.document, name, now.paper.texts),
                render(now.document, name, now.paper.texts),
            )
            for name in now.document.modules
        }
        for now in map(build_paper_state, discover.discover_papers(moment, parse_cache).papers)
    }


def said(stage: str, request: Request, chance: int) -> str:
    """What the simulated reader of `pfcore.testing` says in a stage; `chance` decides."""
    from pfcore.llm.engine.action import Action
    from pfcore.testing import Oracle

    action = Action(stage=stage, prompt=stage, request=request)
    return Oracle(objections=3)._said(action, chance)


def answered(text: str, request: Request) -> Reply:
    """A text as the reply to a request, with tokens that are counted by its length."""
    from pfcore.testing import reply

    return reply(text, request)


def clients(client: Callable[..., Any]) -> Iterator[tuple[object, str, object]]:
    """What is to be patched so that this is opened in the place of every client of a model."""
    from pfcore.llm import openai_client

    yield openai_client, "OpenAiClient", client


def pages(settings: Any, records: Any, clock: Callable[[], float]) -> Any:
    """The App's pages over what it keeps."""
    from flask import Flask

    from bot.web.views import install_pages

    app = Flask("pages", static_folder=None)
    install_pages(app, settings=settings, records=records, clock=clock)
    return app


def records(place: Path) -> Any:
    """What the App keeps in a file."""
    from bot.storage.records import open_records

    return open_records(f"sqlite:///{place}", lambda: 0.0)


def deliveries(place: Path) -> Any:
    """The deliveries that the App keeps in a file."""
    from bot.storage.sql_deliveries import SqlDeliveries

    return SqlDeliveries(f"sqlite:///{place}")


def unpacked(line: str) -> str:
    """What one job of the Action hands on to another."""
    from pfcore.reporters.formats import publication

    return publication.unpacked(line)


def plant_word() -> None:
    """Take one word from the phrases before a reference; before anything else is imported."""
    from pfcore.latex.language import phrases

    likeness: Any = phrases.word_tables("reference_phrases")["before"]["likeness"]
    told = likeness["english"]
    less = {phrase.replace("argument|arguments", "arguments"): told[phrase] for phrase in told}
    assert less.keys() != told.keys()
    likeness["english"] = less


def plant_severity() -> None:
    """Make the findings of one check graver than they are."""
    from pfcore.checks import registry
    from pfcore.domain.values import Severity

    (check,) = (item for item in registry.ALL if item.id == "no-proof")
    assert check.severity is not Severity.ERROR
    object.__setattr__(check, "severity", Severity.ERROR)
