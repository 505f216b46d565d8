"""How the fake tells the App what happened: signed deliveries, kept and sent."""

import json
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from bot.web import app
from tests.bot.fake_github import views
from tests.bot.fake_github.description import delivered
from tests.bot.fake_github.state import Pull, Repository, Sent, numbers, written
from tests.bot.fake_github.validation import Judge


class Sender:
    """The part of the fake that makes deliveries; without `hook` they are kept as failed."""

    secret: bytes
    hook: str | None
    clock: Callable[[], float]
    sent: list[Sent]
    judge: Judge

    def tell(
        self,
        event: str,
        payload: dict[str, Any],
        repo: Repository | None = None,
        sender: str = "us",
    ) -> Sent:
        """Send a delivery about a repository or an installation, and keep it."""
        whole = {**payload, "sender": views.user(sender)}
        if repo is not None:
            whole |= {"repository": views.repository(repo, "repository-webhooks")}
            whole |= {"installation": {"id": repo.installation, "node_id": "x"}}
        name = f"{event}-{payload['action']}" if "action" in payload else event
        whole = delivered(name.replace("_", "-"), whole)
        self.judge.delivery(name.replace("_", "-"), whole)
        return self._send(event, whole, str(uuid.uuid4()), is_again=False)

    def send_again(self, sent: Sent) -> Sent:
        """Deliver once more what was delivered: the same id, another attempt."""
        return self._send(sent.event, sent.payload, sent.guid, is_again=True)

    def tell_pull(self, repo: Repository, pull: Pull, action: str, by: str, **more: Any) -> Sent:
        """Tell the App what happened to a pull request."""
        shown = views.pull(repo, pull) | {"updated_at": written(self.clock())}
        payload = {"action": action, "number": pull.number, "pull_request": shown, **more}
        return self.tell("pull_request", payload, repo, by)

    def _send(self, event: str, payload: dict[str, Any], guid: str, *, is_again: bool) -> Sent:
        body = json.dumps(payload, separators=(",", ":")).encode()
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": guid,
            "X-Hub-Signature-256": app.sign(body, self.secret),
        }
        sent = Sent(next(numbers), guid, event, payload, body, headers, self.clock())
        sent.is_again = is_again
        self.sent.append(sent)
        if self.hook is not None:
            sent.status = _posted(self.hook, body, headers)
        return sent


def _posted(address: str, body: bytes, headers: Mapping[str, str]) -> int:
    """The status that an address answers with; 0 where nothing answers."""
    request = urllib.request.Request(address, body, dict(headers), method="POST")
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0
