"""What the fake answers to the App itself: who it is, where it is, and what was sent to it."""

import json
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tests.bot.fake_github import views
from tests.bot.fake_github.calls import Answer, Call, Refusal, Routes
from tests.bot.fake_github.description import shaped
from tests.bot.fake_github.state import Installation, Token

if TYPE_CHECKING:
    from tests.bot.fake_github.server import GitHub

routes = Routes()
HOUR = 3600.0
_RANK = ("read", "write", "admin")


@routes.on("GET", "/app", "app")
def app(hub: "GitHub", call: Call) -> Answer:
    known = {"id": hub.app, "slug": hub.slug, "name": "pf-verify", "events": hub.events}
    owner = views.user("us")
    return Answer(200, shaped("integration", **known, owner=owner, permissions=hub.permissions))


@routes.on("GET", "/app/installations", "app")
def installations(hub: "GitHub", call: Call) -> Answer:
    return Answer(200, [views.installation(it, hub.app) for it in hub.installations.values()])


@routes.on("GET", "/app/installations/{installation_id}", "app")
def installation(hub: "GitHub", call: Call) -> Answer:
    return Answer(200, views.installation(_installation(hub, call), hub.app))


@routes.on("GET", "/repos/{owner}/{repo}/installation", "app")
def installation_of(hub: "GitHub", call: Call) -> Answer:
    repo = hub.repositories.get(f"{call.named['owner']}/{call.named['repo']}")
    if repo is None or repo.installation not in hub.installations:
        raise Refusal(404, "Not Found")
    return Answer(200, views.installation(hub.installations[repo.installation], hub.app))


@routes.on("POST", "/app/installations/{installation_id}/access_tokens", "app")
def token(hub: "GitHub", call: Call) -> Answer:
    """A token for an hour, for some repositories and permissions if these are named."""
    item = _installation(hub, call)
    if item.is_suspended:
        raise Refusal(403, "This installation has been suspended")
    asked = call.body.get("permissions") or dict(item.permissions)
    for name, level in asked.items():
        if name not in item.permissions or _rank(level) > _rank(item.permissions[name]):
            raise Refusal(422, "The permissions requested are not granted to this installation.")
    named = call.body.get("repositories")
    own = {repo.name for repo in hub.repositories.values() if repo.installation == item.id}
    wanted = None if named is None else frozenset(f"{item.account}/{name}" for name in named)
    ids = call.body.get("repository_ids")
    if ids is not None:
        wanted = frozenset(name for name in own if hub.repositories[name].id in ids)
        if len(wanted) != len(ids):
            raise Refusal(422, "There is at least one repository that does not exist")
    if wanted is not None and not wanted <= own:
        raise Refusal(422, "There is at least one repository that does not exist")
    expires = float(int(hub.clock() + HOUR))
    made = f"ghs_{secrets.token_hex(18)}"
    hub.tokens[made] = Token(item.id, {"metadata": "read", **asked}, wanted, expires)
    until = datetime.fromtimestamp(expires, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    shown = shaped("installation-token", token=made, expires_at=until, permissions=asked)
    if wanted is not None:
        opened = [hub.repositories[name] for name in sorted(wanted)]
        shown["repositories"] = [views.repository(repo, "repository") for repo in opened]
    return Answer(201, shown)


@routes.on("GET", "/installation/repositories", "")
def repositories(hub: "GitHub", call: Call) -> Answer:
    assert call.token is not None
    found = [
        views.repository(repo, "repository")
        for repo in hub.repositories.values()
        if repo.installation == call.token.installation
        and (call.token.repositories is None or repo.name in call.token.repositories)
    ]
    return Answer(200, {"total_count": len(found), "repositories": found})


@routes.on("GET", "/app/hook/config", "app")
def hook(hub: "GitHub", call: Call) -> Answer:
    config = {"url": hub.hook or "", "content_type": "json", "insecure_ssl": "0"}
    return Answer(200, shaped("webhook-config", **config))


@routes.on("PATCH", "/app/hook/config", "app")
def change_hook(hub: "GitHub", call: Call) -> Answer:
    hub.hook = call.body.get("url", hub.hook)
    if call.body.get("secret"):
        hub.secret = call.body["secret"].encode()
    return hook(hub, call)


@routes.on("GET", "/app/hook/deliveries", "app")
def deliveries(hub: "GitHub", call: Call) -> Answer:
    """The newest first; a page after the first one is asked for by the cursor in a link."""
    size = int(call.query.get("per_page", 30))
    cursor = call.query.get("cursor")
    found = [
        item
        for item in sorted(hub.sent, key=lambda item: -item.id)
        if cursor is None or item.id < int(cursor.removeprefix("v1_"))
    ]
    page = found[:size]
    headers = {}
    if len(found) > size:
        address = f"{hub.url}/app/hook/deliveries?per_page={size}&cursor=v1_{page[-1].id}"
        headers["Link"] = f'<{address}>; rel="next"'
    shown = [views.delivery(item, is_whole=False) for item in page]
    return Answer(200, shown, headers | {"X-Whole": "1"})


@routes.on("GET", "/app/hook/deliveries/{delivery_id}", "app")
def delivery(hub: "GitHub", call: Call) -> Answer:
    found = next((it for it in hub.sent if it.id == call.number("delivery_id")), None)
    if found is None:
        raise Refusal(404, "Not Found")
    return Answer(200, views.delivery(found, is_whole=True))


@routes.on("POST", "/app/hook/deliveries/{delivery_id}/attempts", "app")
def again(hub: "GitHub", call: Call) -> Answer:
    found = next((it for it in hub.sent if it.id == call.number("delivery_id")), None)
    if found is None:
        raise Refusal(404, "Not Found")
    hub.send_again(found)
    return Answer(202, {})


@routes.on("POST", "/app-manifests/{code}/conversions", "nobody")
def conversion(hub: "GitHub", call: Call) -> Answer:
    """The App that a manifest made; a code is good for one use."""
    manifest = hub.manifests.pop(call.named["code"], None)
    if manifest is None:
        raise Refusal(404, "Not Found")
    made = {
        "client_id": "Iv1.0123456789abcdef",
        "client_secret": secrets.token_hex(20),
        "webhook_secret": hub.secret.decode(),
        "pem": hub.private_key,
        "html_url": f"{hub.url}/apps/{hub.slug}",
        "permissions": manifest.get("default_permissions", {}),
        "events": manifest.get("default_events", []),
    }
    known = {"id": hub.app, "slug": hub.slug, "owner": views.user("us")}
    return Answer(201, json.loads(json.dumps(shaped("integration", **known, **made))))


def _installation(hub: "GitHub", call: Call) -> Installation:
    found = hub.installations.get(call.number("installation_id"))
    if found is None:
        raise Refusal(404, "Not Found")
    return found


def _rank(level: str) -> int:
    return _RANK.index(level)
