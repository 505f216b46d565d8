"""What the App asks of GitHub when it is registered: the least that its work needs, and why."""

import json
import re
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

NOWHERE = "https://pf-verify.invalid"
"""Where deliveries go that are fetched instead: no name that ends so leads anywhere (RFC 2606)."""

_ORGANISATION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,99})")


class ManifestPermission(NamedTuple):
    """A permission, and what it is for."""

    name: str
    access: str
    purpose: str


PERMISSIONS = (
    ManifestPermission("contents", "read", "reading the LaTeX of both sides of a pull request"),
    ManifestPermission("pull_requests", "write", "comments beside the lines of a change"),
    ManifestPermission("checks", "write", "the checks of a commit, and hearing of “re-run”"),
    ManifestPermission(
        "issues",
        "write",
        "comments and commands in the conversation, which GitHub keeps among issues",
    ),
    ManifestPermission("metadata", "read", "who may write; GitHub gives this to every App"),
)
RESOLVING = ManifestPermission(
    "contents", "write", "reading LaTeX; resolving threads, which GitHub allows with this alone"
)

EVENTS = ("issue_comment", "pull_request", "pull_request_review_comment", "push")
"""Requests to run checks again and changes of installations come to every App by themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a person says of the App; `public_url` None: deliveries are fetched."""

    organisation: str | None = None
    public_url: str | None = None
    may_resolve: bool = False


def is_organisation(name: str) -> bool:
    """Whether a name could be one of an organisation."""
    return _ORGANISATION.fullmatch(name) is not None


def permissions(*, may_resolve: bool) -> tuple[ManifestPermission, ...]:
    """All that are asked for."""
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
        "description": "Re-reads the proofs of a LaTeX paper that a change affects.",
        "public": False,
        "redirect_url": redirect_url,
        "hook_attributes": {"url": f"{place}/webhook", "active": True},
        "default_permissions": {item.name: item.access for item in asked},
        "default_events": list(EVENTS),
    }
    return json.dumps(value)


def form_url(server: str, wish: Wish, state: str) -> str:
    """Where on GitHub a form with the manifest goes."""
    place = f"organizations/{quote(wish.organisation)}/" if wish.organisation else ""
    return f"{server}/{place}settings/apps/new?state={quote(state, safe='')}"
