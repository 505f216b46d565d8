"""Exchanges GitHub's code for the secrets of the App, and writes these to private files.

Also the App's permissions and events, the fewest that its work needs, and why.
"""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, NamedTuple
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.app_settings import FILE_NAME, write_private
from bot.domain.webhook_payloads import Id, Login
from pfcore.domain.errors import ConfigError, IncompleteError

KEY_NAME = "pf-verify.pem"
_CODE = re.compile(r"[0-9A-Za-z_-]{1,200}")
_LARGEST = 1 << 20
_PATIENCE = 30.0
_PLAIN = r"^[\x21\x23-\x5b\x5d-\x7e]+\z"
"""Characters that a TOML string holds unescaped: no blanks, quotes or backslashes."""

Text = Annotated[str, Field(pattern=_PLAIN, max_length=500)]


class RegistrationError(IncompleteError):
    """GitHub did not return the App's secrets."""


class _RegisteredOwner(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, hide_input_in_errors=True)

    login: Login


class _ManifestResponse(BaseModel):
    """GitHub's answer about an App that was created from a manifest."""

    model_config = ConfigDict(extra="ignore", strict=True, hide_input_in_errors=True)

    id: Id
    html_url: Text
    name: str = Field(max_length=200)
    owner: _RegisteredOwner
    pem: str = Field(pattern=r"^-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END [A-Z ]")
    webhook_secret: Annotated[Text, Field(min_length=16)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewApp:
    """A new App; `webhook_secret` None: GitHub returned none."""

    app_id: int
    name: str
    owner: str
    html_url: str
    private_key: str = field(repr=False)
    webhook_secret: str | None = field(repr=False)


Exchange = Callable[[str], NewApp]
"""Exchanges a code for an App; RegistrationError if GitHub refuses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GithubExchange:
    """Asks GitHub once, because a code is valid for one answer."""

    server_url: str
    api_url: str

    def __call__(self, code: str) -> NewApp:
        """The App for a code."""
        if not _CODE.fullmatch(code):
            raise RegistrationError("GitHub returned an invalid code")
        return registered(self._asked(code), server_url=self.server_url)

    def _asked(self, code: str) -> bytes:
        # The address starts with https://, or leads to this machine; the settings check that.
        request = urllib.request.Request(  # noqa: S310
            f"{self.api_url}/app-manifests/{code}/conversions",
            method="POST",
            data=b"",
            headers={"Accept": "application/vnd.github+json", "User-Agent": "pf-verify"},
        )
        opener = urllib.request.build_opener(_Straight)
        try:
            with opener.open(request, timeout=_PATIENCE) as answer:
                found: bytes = answer.read(_LARGEST)
                return found
        except urllib.error.HTTPError as error:
            error.close()
            raise RegistrationError(
                f"GitHub rejected the code ({error.code}); it is valid once, for an hour"
            ) from None
        except OSError as error:
            name = type(error).__name__
            raise RegistrationError(f"GitHub could not be reached ({name})") from None


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, which could lead elsewhere with a code."""

    def redirect_request(self, *_: object) -> None:
        """Refuse."""


def registered(answer: bytes, *, server_url: str) -> NewApp:
    """GitHub's answer as a value; RegistrationError if it has another form."""
    try:
        found = _ManifestResponse.model_validate_json(answer)
    except ValidationError:
        raise RegistrationError("unexpected answer from GitHub") from None
    if not found.html_url.startswith(f"{server_url}/"):
        raise RegistrationError("GitHub's answer is about another App")
    return NewApp(
        app_id=found.id,
        name=found.name,
        owner=found.owner.login,
        html_url=found.html_url,
        private_key=found.pem,
        webhook_secret=found.webhook_secret,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRegistration:
    """The settings stored in addition to GitHub's; the addresses only if not the default."""

    pages_token: str = field(repr=False)
    webhook_secret: str = field(repr=False)
    server_url: str
    api_url: str
    public_url: str | None
    may_resolve: bool = False


def require_new(path: Path) -> None:
    """Raise ConfigError if there is an App already, because its secrets are never overwritten."""
    for place in (path, path.with_name(KEY_NAME)):
        if place.exists() or place.is_symlink():
            raise ConfigError("already exists: an App is set up", path=str(place))


def keep(app: NewApp, kept: SavedRegistration, path: Path) -> None:
    """Write key and settings; the settings last, because their file means that setup is done."""
    require_new(path)
    try:
        write_private(path.with_name(KEY_NAME), app.private_key)
        write_private(path, _settings(app, kept))
    except OSError as error:
        for made in (path, path.with_name(KEY_NAME)):  # both files are new
            with suppress(OSError):
                made.unlink()
        reason = error.strerror or "it cannot be created"
        raise ConfigError(f"cannot be written ({reason})", path=str(path)) from error


def _settings(app: NewApp, kept: SavedRegistration) -> str:
    lines: dict[str, object] = {
        "app_id": app.app_id,
        "private_key": KEY_NAME,
        "webhook_secret": app.webhook_secret or kept.webhook_secret,
        "pages_token": kept.pages_token,
        "accounts": [app.owner],
        "slug": app.html_url.rpartition("/")[2],
    }
    if kept.server_url != "https://github.com":
        lines |= {"server_url": kept.server_url, "api_url": kept.api_url}
    if kept.public_url is not None:
        lines["public_url"] = kept.public_url
    if kept.may_resolve:
        lines["resolve_threads"] = True
    # For these values, which are plain ASCII, JSON and TOML agree.
    body = "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items())
    return f"# {FILE_NAME} of pf-verify: It holds secrets; only its owner may read it.\n{body}"


NOWHERE = "https://pf-verify.invalid"
"""The webhook's address if deliveries are fetched instead; `.invalid` never resolves (RFC 2606)."""

_ORGANISATION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,99})")


class ManifestPermission(NamedTuple):
    """A permission and its purpose."""

    name: str
    access: str
    purpose: str


PERMISSIONS = (
    ManifestPermission("contents", "read", "reading the LaTeX of both sides of a pull request"),
    ManifestPermission("pull_requests", "write", "comments on changed lines"),
    ManifestPermission("checks", "write", "the checks of a commit, and “re-run”"),
    ManifestPermission(
        "issues",
        "write",
        "comments and commands in a pull request's conversation, which GitHub treats as an "
        "issue; the issue about the default branch, if a paper's settings ask for one",
    ),
    ManifestPermission("merge_queues", "read", "checks of merge queues"),
    ManifestPermission("metadata", "read", "who may write; granted to every App"),
)
RESOLVING = ManifestPermission(
    "contents", "write", "reading LaTeX; resolving threads, which needs this permission"
)

EVENTS = (
    "issue_comment",
    "merge_group",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "push",
    "repository",
)
"""Re-run requests and changes of installations are sent to every App anyway.

Renamed accounts (`installation_target`) are not among them: waiting jobs go by ids, the next
delivery has the new name, and the operator decides whether it is served.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The person's wishes for the App; `public_url` None: deliveries are fetched."""

    organisation: str | None = None
    public_url: str | None = None
    may_resolve: bool = False


def is_organisation(name: str) -> bool:
    """Whether a name has the form of an organisation's."""
    return _ORGANISATION.fullmatch(name) is not None


def permissions(*, may_resolve: bool) -> tuple[ManifestPermission, ...]:
    """All permissions to ask for."""
    if not may_resolve:
        return PERMISSIONS
    return (RESOLVING, *PERMISSIONS[1:])


def manifest(wish: Wish, *, redirect_url: str) -> str:
    """The manifest as JSON; GitHub sends the person back to `redirect_url`."""
    asked = permissions(may_resolve=wish.may_resolve)
    place = wish.public_url or NOWHERE
    value = {
        "name": "pf-verify" if wish.organisation is None else f"pf-verify {wish.organisation}"[:34],
        "url": place,
        "description": (
            "Checks the structure of a LaTeX paper, and re-reads the proofs that a change affects."
        ),
        "public": False,
        "redirect_url": redirect_url,
        "hook_attributes": {"url": f"{place}/webhook", "active": True},
        "default_permissions": {item.name: item.access for item in asked},
        "default_events": list(EVENTS),
    }
    return json.dumps(value)


def form_url(server: str, wish: Wish, state: str) -> str:
    """The address on GitHub to which the form with the manifest is sent."""
    place = f"organizations/{quote(wish.organisation)}/" if wish.organisation else ""
    return f"{server}/{place}settings/apps/new?state={quote(state, safe='')}"
