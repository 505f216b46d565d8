"""What `pf doctor` says of the App: nothing if it is not set up, else whether it can work.

Found through the entry points `pf_verify.probes`. GitHub is asked who the App is; nothing is
changed, and no secret is shown.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from bot import app_settings
from bot.app_settings import AppSettings, private_key
from bot.domain.forge import Identity
from bot.web.registration import EVENTS, NOWHERE, PERMISSIONS
from pfcore.domain.errors import PfError
from pfcore.domain.installation import install_command
from pfcore.reporters.printing import plural
from pfcore.reporters.setup_report import Probe, Word, ok, unknown, warning, wrong

Identify = Callable[[AppSettings], Identity]
"""Asks GitHub who the App is."""

_RANK = ("", "read", "write", "admin")
_SQLITE = "sqlite:///"
_SLOW, _WRONG = 10.0, 60.0
"""The clock errors in seconds above which we warn, and above which GitHub rejects signatures."""
_SILENT = 120.0


def probes() -> list[Probe]:
    """The entry point."""
    return list(probe_app(os.environ, identify=_asked, clock=time.time))


def probe_app(
    environment: Mapping[str, str], *, identify: Identify, clock: Callable[[], float]
) -> Iterator[Probe]:
    """Probe the App piece by piece, as far as each piece allows the next one."""
    try:
        path = app_settings.file_path(environment)
        if not path.exists() and app_settings.APP_ID not in environment:
            return
        found = app_settings.load_app_settings(environment, path)
    except PfError as error:
        yield wrong("App settings", error.message)
        return
    yield _settings(path)
    if not found.server_url.startswith("https://"):
        advice = "set server_url to an https:// address"
        yield wrong("App server", app_settings.PLAIN.format(found.server_url), advice)
    yield _accounts(found)
    yield _pages(found)
    yield _database(found, clock)
    key = _key(found.private_key)
    yield key
    if key.word is Word.OK:
        yield from _github(found, identify)


def _settings(path: Path) -> Probe:
    if not path.exists():
        return ok("App settings", "set in the environment")
    if os.name == "posix" and path.stat().st_uid != os.geteuid():
        says = f"{path} belongs to another user"
        return warning("App settings", says, "run pf doctor as that user")
    return ok("App settings", f"only you can read {path}")


def _accounts(found: AppSettings) -> Probe:
    if not found.accounts:
        return wrong("App accounts", "no account is enabled", "list accounts in the App's settings")
    if "*" in found.accounts:
        return warning(
            "App accounts",
            "anyone who installs the App is served, at your expense",
            "list accounts in the App's settings",
        )
    return ok("App accounts", f"it serves {', '.join(sorted(found.accounts))}")


def _pages(found: AppSettings) -> Probe:
    if found.pages_token is None:
        return ok("App pages", "disabled; set a pages_token in the App's settings to open them")
    if found.public_url is None:
        says = "open with the token; checks do not link to them"
        return ok("App pages", f"{says}: public_url is not set")
    return ok("App pages", f"open with the token at {found.public_url}")


def _database(found: AppSettings, clock: Callable[[], float]) -> Probe:
    """Probe the database; never shows its address, which may hold a password, nor makes a file."""
    is_file = found.database_url.startswith(_SQLITE)
    name = found.database_url.removeprefix(_SQLITE) if is_file else "PostgreSQL"
    if is_file and not Path(name).exists():
        return ok("App database", f"{name} is created when pf serve starts")
    try:
        from bot.storage.records import open_records

        records = open_records(found.database_url, clock)
        try:
            beats = records.workers.beats()
        finally:
            records.close()
    except ImportError as error:
        return wrong(
            "App database", f"{error.name} is not installed", install_command("bot", "llm")
        )
    except PfError as error:
        return wrong("App database", error.message, "see database_url in the App's settings")
    alive = sum(1 for beat in beats.values() if clock() - beat < _SILENT)
    return ok("App database", f"{name} answers; {plural(alive, 'worker')} running")


def _key(path: Path) -> Probe:
    try:
        private_key(path)
    except PfError as error:
        return wrong("App key", error.message)
    return ok("App key", f"{path} is a key that only you can read")


def _github(found: AppSettings, identify: Identify) -> Iterator[Probe]:
    try:
        identity = identify(found)
    except ImportError as error:
        yield wrong(
            "App on GitHub", f"{error.name} is not installed", install_command("bot", "llm")
        )
        return
    except PfError as error:
        advice = "check the App's key, app_id, and the connection to GitHub"
        yield wrong("App on GitHub", error.message, advice)
        return
    yield ok("App on GitHub", f"{identity.slug} of {identity.owner}, at {found.server_url}")
    yield _clock(identity)
    yield _rights(identity, found)
    yield _events(identity)
    yield _hook(identity, found)


def _clock(identity: Identity) -> Probe:
    if identity.ahead is None:
        return unknown("App clock", "GitHub sent no time")
    seconds = abs(identity.ahead)
    side = "ahead of" if identity.ahead > 0 else "behind"
    says = f"it is {seconds:,.0f} s {side} GitHub's"
    if seconds >= _WRONG:
        return wrong("App clock", says, "GitHub will reject signatures: synchronise the clock")
    if seconds >= _SLOW:
        return warning("App clock", says, "synchronise the clock")
    return ok("App clock", "agrees with GitHub's")


def _rights(identity: Identity, found: AppSettings) -> Probe:
    wanted = {item.name: item.access for item in PERMISSIONS}
    if found.resolve_threads:
        wanted["contents"] = "write"
    has = identity.permissions
    missing = [f"{n}: {a}" for n, a in wanted.items() if _rank(has.get(n, "")) < _rank(a)]
    if missing:
        return wrong(
            "App rights", f"missing: {', '.join(missing)}", _SETTINGS.format(identity.slug)
        )
    more = [f"{n}: {a}" for n, a in has.items() if _rank(a) > _rank(wanted.get(n, ""))]
    if more:
        says = f"more than needed: {', '.join(sorted(more))}"
        return warning("App rights", says, _SETTINGS.format(identity.slug))
    return ok("App rights", "exactly those needed")


def _rank(access: str) -> int:
    return _RANK.index(access) if access in _RANK else len(_RANK)


def _events(identity: Identity) -> Probe:
    missing = [name for name in EVENTS if name not in identity.events]
    if missing:
        says = f"not subscribed to: {', '.join(missing)}"
        return wrong("App events", says, _SETTINGS.format(identity.slug))
    return ok("App events", "subscribed to all events needed")


def _hook(identity: Identity, found: AppSettings) -> Probe:
    if identity.hook.startswith(NOWHERE):
        return ok("App webhook", "deliveries are fetched by pf serve --poll")
    if not identity.hook:
        return wrong("App webhook", "no webhook is set", _SETTINGS.format(identity.slug))
    if found.public_url is not None and identity.hook != f"{found.public_url}/webhook":
        says = f"deliveries go to {identity.hook}, not to public_url"
        return warning("App webhook", says, _SETTINGS.format(identity.slug))
    return ok("App webhook", f"deliveries go to {identity.hook}; the secret is set")


def _asked(found: AppSettings) -> Identity:
    from bot.github.github_app import GitHubHub

    key = private_key(found.private_key)
    return GitHubHub(found.api_url, found.server_url, found.app_id, key).identity()


_SETTINGS = "change this in the settings of the App {} on GitHub"
