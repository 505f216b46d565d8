"""What the set-up consists of, looked at piece by piece; nobody is asked anything."""

import argparse
import os
import time
from importlib.util import find_spec
from pathlib import Path

from pfcore.cli.environment import cache_path, chosen, own_configuration
from pfcore.cli.local_data import store_name, store_place
from pfcore.domain.errors import PfError
from pfcore.domain.installation import install_command
from pfcore.llm.connection import Connection
from pfcore.llm.costs import Price
from pfcore.llm.model_settings import MODEL, ModelChoice, choose, config_path
from pfcore.llm.opening import require_key
from pfcore.llm.protocol import Endpoint
from pfcore.llm.store.opening import open_store
from pfcore.papers.parse_cache import DiskCache
from pfcore.reporters.setup_report import Probe, ok, unknown, wrong
from pfcore.repository import git

_KINDS = {Endpoint.CHAT: "chat completions", Endpoint.RESPONSES: "the Responses interface"}
_ASKING = ("openai", "httpx2")
"""The packages that asking a model needs beyond those of the core."""


def probes() -> list[Probe]:
    """What every command needs."""
    return [_git(), _cache(), _store(), _configuration()]


def choice_probes(arguments: argparse.Namespace) -> tuple[ModelChoice | None, list[Probe]]:
    """The model that the user has named, and whether it could be asked."""
    try:
        choice = chosen(arguments)
    except PfError as error:
        return None, [wrong("model", error.message)]
    if choice is None:
        says = "none is named, so proofs are not read and nothing leaves this machine"
        return None, [ok("model", f"{says} (--model or {MODEL} names one)")]
    connection = choice.connection
    named = ok("model", f"{choice.model}, named by {choice.named_by}")
    server = ok("server", f"{connection.host}, by {_KINDS[connection.endpoint]}")
    return choice, [named, _packages(), server, _key(connection), _price_probe(choice)]


def _git() -> Probe:
    try:
        number = git.version()
    except PfError as error:
        return wrong("git", error.message)
    words = ".".join(map(str, number))
    if number < git.OLDEST:
        oldest = ".".join(map(str, git.OLDEST))
        return wrong("git", f"{words} is too old", f"install {oldest} or later")
    return ok("git", words)


def _cache() -> Probe:
    path = cache_path()
    cache = DiskCache(path)
    try:
        is_writable = cache.is_writable()
    finally:
        cache.close()
    if is_writable:
        return ok("parse cache", f"{path} can be written")
    advice = "every run reads the paper anew; name another folder by PF_CACHE_DIR"
    return wrong("parse cache", f"{path} cannot be written", advice)


def _store() -> Probe:
    name = store_name()
    try:
        store = open_store(store_place(), time.time)
        try:
            store.require_writable()
        finally:
            store.close()
    except PfError as error:
        advice = "replies that are paid for would be lost; set PF_STORE or PF_DATA_DIR"
        return wrong("store", f"{name} cannot be used: {error.message}", advice)
    return ok("store", f"{name} can be written")


def _configuration() -> Probe:
    path = config_path(os.environ)
    if path is None:
        return unknown("configuration", "no folder of your own is known", "set HOME")
    try:
        text = own_configuration()
        choose(None, {}, text, path=str(path))
    except PfError as error:
        return wrong("configuration", error.message)
    if not Path(path).is_file():
        return ok("configuration", f"{path} is not there; none is needed")
    return ok("configuration", f"{path} is read")


def _packages() -> Probe:
    missing = [name for name in _ASKING if find_spec(name) is None]
    if missing:
        says = f"{' and '.join(missing)} cannot be found"
        return wrong("packages", says, install_command("llm"))
    return ok("packages", "those that asking needs are here")


def _key(connection: Connection) -> Probe:
    """Never any part of a key: only the name of its variable."""
    try:
        require_key(connection)
    except PfError as error:
        return wrong("key", error.message)
    if connection.key is None:
        return ok("key", "none is sent; PF_KEY_ENV names the variable of one")
    return ok("key", f"{connection.key_name} is set")


def _price_probe(choice: ModelChoice) -> Probe:
    price = choice.price
    if price is None:
        says = f"nobody has told what {choice.model} costs"
        advice = f'say it in your configuration, [prices."{choice.model}"], or use --budget tokens'
        return unknown("price", says, advice)
    if price == Price():
        return ok("price", "it costs nothing but time")
    parts = f"${price.input:g} in, ${price.output:g} out, ${price.cached:g} in from its cache"
    return ok("price", f"{parts}, per million tokens")
