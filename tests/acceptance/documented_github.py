"""GitHub as its documentation describes it, written anew for the story of an App and an Action.

Written from the pages of docs.github.com on the REST interface, webhooks, rate limits and rules of
repositories, without a look at the fake that the other tests use; so what both get wrong in the
same way is what their authors believe of GitHub, not what one copied from the other.

Nothing here is asked of GitHub itself. Where the documentation leaves a thing open (which of
several check runs of one name counts), `required` takes a reading as an argument.
"""

import hashlib
import hmac
import itertools
import json
import re
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Json = dict[str, Any]
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_SHA = re.compile(r"[0-9a-f]{40}")
ACTIONS = {"id": 15368, "slug": "github-actions"}
"""The App that makes the checks of jobs."""


class AnswerError(Exception):
    """An answer that is an error; `status` and the words of it."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, headers or {}


@dataclass
class RequestFault:
    """What goes wrong with requests that `matches` names, `times` times.

    `lost`: it is done and the answer is 502; `down`: 502 and nothing is done; `secondary`: 403 with
    retry-after; `revoked`: the token is not taken any more; `off`: 410, there are no issues.
    """

    kind: str
    matches: Callable[[str, str], bool]
    times: int = 1


@dataclass(frozen=True)
class SentDelivery:
    """A delivery as it was sent, and how it was answered."""

    body: bytes
    headers: dict[str, str]
    status: int


@dataclass
class Hosted:
    """A repository: a bare git repository, and what GitHub keeps beside it."""

    id: int
    owner: str
    name: str
    git: Path
    installation: int
    default: str = "main"
    is_archived: bool = False
    is_private: bool = False
    pulls: dict[int, Json] = field(default_factory=dict)
    issues: dict[int, Json] = field(default_factory=dict)
    checks: list[Json] = field(default_factory=list)
    statuses: list[Json] = field(default_factory=list)
    comments: list[Json] = field(default_factory=list)
    remarks: list[Json] = field(default_factory=list)
    reviews: list[Json] = field(default_factory=list)
    reactions: list[Json] = field(default_factory=list)
    runs: list[Json] = field(default_factory=list)
    caches: list[Json] = field(default_factory=list)
    permissions: dict[str, str] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """`owner/name`, by now."""
        return f"{self.owner}/{self.name}"

    def run_git(self, *words: str, text: str | None = None) -> str:
        """What git says in the repository."""
        done = subprocess.run(
            ("git", "-C", str(self.git), *words),
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def has(self, commit: str) -> bool:
        """Whether a commit is here."""
        found = subprocess.run(
            ("git", "-C", str(self.git), "cat-file", "-e", f"{commit}^{{commit}}"),
            capture_output=True,
            check=False,
        )
        return found.returncode == 0


class DocumentedGitHub:
    """One server; `prefix` is where its REST interface begins, as `/api/v3` on Enterprise."""

    def __init__(self, folder: Path, keys: tuple[str, str], *, prefix: str = "") -> None:
        self.folder, self.prefix = folder, prefix
        self.private_key, self.public_key = keys
        self.registered: Json = {
            "id": 77,
            "slug": "pf-anew",
            "owner": {"login": "operators"},
            "permissions": {},
            "events": [],
        }
        self.app = int(self.registered["id"])
        self.secret, self.hook = b"a secret of sixteen", ""
        self.clock: Callable[[], float] = time.time
        self.repositories: dict[int, Hosted] = {}
        self.moved: dict[str, int] = {}
        self.tokens: dict[str, Json] = {}
        self.faults: list[RequestFault] = []
        self.deliveries: list[Json] = []
        self.notified: list[tuple[int, int, str]] = []
        self.asked: list[tuple[str, str, int]] = []
        self.rerun: list[int] = []
        self.broken: list[str] = []
        self.origin, self.is_losing = "", False
        self._ids, self._lock = itertools.count(1000), threading.RLock()

    @property
    def url(self) -> str:
        """Where programs ask."""
        return f"{self.origin}{self.prefix}"

    @property
    def server_url(self) -> str:
        """Where people are, and git."""
        return self.origin

    @property
    def sent(self) -> list["SentDelivery"]:
        """All deliveries as they were sent, the oldest first."""
        return [self.signed(made) for made in reversed(self.deliveries) if not made["is_lost"]]

    # What people do.

    def repository(self, full_name: str, installation: int = 5) -> Hosted:
        """A new one, empty."""
        owner, _, name = full_name.partition("/")
        made = Hosted(
            id=next(self._ids),
            owner=owner,
            name=name,
            git=self.folder / f"{next(self._ids)}.git",
            installation=installation,
        )
        subprocess.run(("git", "init", "-q", "--bare", "-b", "main", str(made.git)), check=True)
        for key in ("uploadpack.allowAnySHA1InWant", "uploadpack.allowFilter"):
            made.run_git("config", key, "true")
        self.repositories[made.id] = made
        return made

    def commit(self, here: Hosted, files: dict[str, str | None], *parents: str) -> str:
        """A commit with files changed from its first parent; None takes one away."""
        base = here.run_git("ls-tree", "-r", parents[0]).splitlines() if parents else []
        rows = {line.partition("\t")[2]: line for line in base}
        for path, text in files.items():
            if text is None:
                rows.pop(path, None)
                continue
            blob = here.run_git("hash-object", "-w", "--stdin", text=text)
            rows[path] = f"100644 blob {blob}\t{path}"
        tree = _tree(here, rows)
        marks = [word for parent in parents for word in ("-p", parent)]
        stamp = f"{next(self._ids)}"
        who = ("-c", "user.name=A", "-c", "user.email=a@b")
        return here.run_git(*who, "commit-tree", tree, *marks, "-m", stamp)

    def push(self, here: Hosted, branch: str, commit: str, sender: str = "alice") -> None:
        """Move a branch, and tell of it; pull requests from it get another head."""
        before = self.tip(here, branch) or "0" * 40
        here.run_git("update-ref", f"refs/heads/{branch}", commit)
        self.tell(
            "push",
            here,
            sender,
            ref=f"refs/heads/{branch}",
            before=before,
            after=commit,
            deleted=False,
            forced=False,
        )
        for pull in here.pulls.values():
            own = (pull["head"]["repo"] or {}).get("id") == here.id
            if own and pull["head"]["ref"] == branch and pull["state"] == "open":
                self._moved_head(here, pull, commit, sender)

    def push_fork(self, here: Hosted, number: int, commit: str, sender: str) -> None:
        """Push to the fork that a pull request comes from."""
        self._moved_head(here, here.pulls[number], commit, sender)

    def open(
        self,
        here: Hosted,
        head: str,
        *,
        base: str = "main",
        branch: str = "topic",
        author: str = "alice",
        fork: str | None = None,
        **more: Any,
    ) -> int:
        """Open a pull request of a commit; from a fork of that name, if one is named."""
        number = len(here.pulls) + len(here.issues) + 1
        here.run_git("update-ref", f"refs/pull/{number}/head", head)
        if fork is None and self.tip(here, branch) != head:
            here.run_git("update-ref", f"refs/heads/{branch}", head)
        source = {"id": here.id, "full_name": here.full_name}
        if fork is not None:
            source = {"id": 900_000 + number, "full_name": fork}
        may = here.permissions.get(author, "read")
        association = "MEMBER" if may in ("write", "admin") else "NONE"
        here.pulls[number] = {
            "number": number,
            "state": "open",
            "draft": False,
            "title": f"change {number}",
            "body": "",
            "labels": [],
            "user": {"login": author, "type": "User"},
            "author_association": association,
            "head": {"sha": head, "ref": branch, "repo": source},
            "base": {
                "sha": self.tip(here, base),
                "ref": base,
                "repo": {"id": here.id, "full_name": here.full_name},
            },
            "updated_at": now(),
            "merged": False,
            **more,
        }
        self.pull_event(here, number, "opened", author)
        return number

    def pull_event(
        self, here: Hosted, number: int, action: str, sender: str = "alice", **more: Any
    ) -> None:
        """Tell of a pull request."""
        pull = here.pulls[number]
        pull["updated_at"] = now()
        self.tell("pull_request", here, sender, action=action, pull_request=pull, **more)

    def retarget(self, here: Hosted, number: int, base: str, sender: str = "alice") -> None:
        """Give a pull request another base."""
        pull = here.pulls[number]
        was = pull["base"]
        pull["base"] = {**was, "ref": base, "sha": self.tip(here, base)}
        changes = {"base": {"ref": {"from": was["ref"]}, "sha": {"from": was["sha"]}}}
        self.pull_event(here, number, "edited", sender, changes=changes)

    def close(self, here: Hosted, number: int, sender: str = "alice") -> None:
        """Close a pull request."""
        here.pulls[number]["state"] = "closed"
        self.pull_event(here, number, "closed", sender)

    def reopen(self, here: Hosted, number: int, sender: str = "alice") -> None:
        """Open it again."""
        here.pulls[number]["state"] = "open"
        self.pull_event(here, number, "reopened", sender)

    def say(self, here: Hosted, number: int, body: str, sender: str) -> int:
        """Comment on a pull request."""
        said = self._said(here, number, body, {"login": sender, "type": "User"})
        self.tell(
            "issue_comment",
            here,
            sender,
            action="created",
            issue=self._issue_of(here, number),
            comment=said,
        )
        return int(said["id"])

    def edit(self, here: Hosted, comment: int, body: str, sender: str) -> None:
        """Change a comment."""
        said = next(item for item in here.comments if item["id"] == comment)
        before, said["body"], said["updated_at"] = said["body"], body, now()
        self.tell(
            "issue_comment",
            here,
            sender,
            action="edited",
            issue=self._issue_of(here, said["number"]),
            comment=said,
            changes={"body": {"from": before}},
        )

    def review(self, here: Hosted, number: int, body: str, sender: str) -> None:
        """Submit a review with words only."""
        made = {
            "id": next(self._ids),
            "number": number,
            "body": body,
            "user": {"login": sender, "type": "User"},
            "author_association": "MEMBER",
            "commit_id": here.pulls[number]["head"]["sha"],
            "submitted_at": now(),
            "state": "commented",
        }
        here.reviews.append(made)
        self.tell(
            "pull_request_review",
            here,
            sender,
            action="submitted",
            review=made,
            pull_request=here.pulls[number],
        )

    def queue(self, here: Hosted, number: int) -> str:
        """What a merge queue makes of a pull request, and asks checks for."""
        pull = here.pulls[number]
        base, head = self.tip(here, pull["base"]["ref"]) or "", pull["head"]["sha"]
        tree = here.run_git("merge-tree", "--write-tree", base, head).splitlines()[0]
        who = ("-c", "user.name=A", "-c", "user.email=a@b")
        made = here.run_git(*who, "commit-tree", tree, "-p", base, "-p", head, "-m", "group")
        branch = f"gh-readonly-queue/{pull['base']['ref']}/pr-{number}-{base}"
        here.run_git("update-ref", f"refs/heads/{branch}", made)
        group = {
            "head_sha": made,
            "head_ref": f"refs/heads/{branch}",
            "base_sha": base,
            "base_ref": f"refs/heads/{pull['base']['ref']}",
        }
        self.tell("merge_group", here, "alice", action="checks_requested", merge_group=group)
        return made

    def rename(self, here: Hosted, full_name: str) -> None:
        """Give a repository another name; the old one leads there."""
        before, self.moved[here.full_name] = here.full_name, here.id
        here.owner, _, here.name = full_name.partition("/")
        changes = {"repository": {"name": {"from": before.partition("/")[2]}}}
        self.tell("repository", here, "alice", action="renamed", changes=changes)

    def rename_account(self, here: Hosted, owner: str) -> None:
        """Give the account another name; only who subscribes to `installation_target` is told."""
        self.moved[here.full_name] = here.id
        here.owner = owner

    def transfer(self, here: Hosted, full_name: str, installation: int) -> None:
        """Give a repository to another account that has the App, too."""
        before, was = here.full_name, here.installation
        self.moved[before] = here.id
        here.owner, _, here.name = full_name.partition("/")
        here.installation = installation
        for token in self.tokens.values():
            token["gone"] = token.get("gone") or token["installation"] == was
        changes = {"owner": {"from": {"user": {"login": before.partition("/")[0]}}}}
        self.tell("repository", here, "alice", action="transferred", changes=changes)

    # What GitHub tells, and can be asked.

    def tell(self, event: str, here: Hosted, sender: str, **payload: Any) -> str:
        """Deliver an event; a delivery that fails is kept, and is not tried again."""
        repository = {
            "id": here.id,
            "full_name": here.full_name,
            "default_branch": here.default,
            "archived": here.is_archived,
            "private": here.is_private,
            "pushed_at": int(time.time()),
        }
        body = {
            **payload,
            "repository": repository,
            "sender": {"login": sender, "type": "User"},
            "installation": {"id": here.installation},
        }
        return self.deliver(event, body)

    def deliver(self, event: str, body: Json) -> str:
        """Keep a delivery, and send it if there is an address."""
        number = next(self._ids)
        made = {
            "id": number,
            "guid": f"{number:08x}-0000-4000-8000-{number:012x}",
            "event": event,
            "delivered_at": datetime.now(UTC).isoformat(),
            "status_code": 0,
            "is_lost": self.is_losing,
            "body": json.loads(json.dumps(body)),
        }
        self.deliveries.insert(0, made)
        if self.hook and not self.is_losing:
            made["status_code"] = self.send(made)
        return str(made["guid"])

    def signed(self, made: Json) -> "SentDelivery":
        """A delivery as it goes over the wire."""
        text = json.dumps(made["body"]).encode()
        digest = hmac.new(self.secret, text, hashlib.sha256).hexdigest()
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": made["event"],
            "X-GitHub-Delivery": made["guid"],
            "X-Hub-Signature-256": f"sha256={digest}",
        }
        return SentDelivery(body=text, headers=headers, status=made["status_code"])

    def send(self, made: Json) -> int:
        """Send a delivery, under its own GUID each time; the status of the answer."""
        sent = self.signed(made)
        asked = urllib.request.Request(self.hook, data=sent.body, headers=sent.headers)
        try:
            with urllib.request.urlopen(asked, timeout=10) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def tip(self, here: Hosted, branch: str) -> str | None:
        """The commit that a branch is at."""
        found = here.run_git("for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")
        return found or None

    def required(self, here: Hosted, commit: str, name: str, *, reading: str = "newest") -> str:
        """What a rule that requires a check sees at a commit: by the newest run, or by all.

        "pending" is a run that is not over; "missing": there is none.
        """
        runs = [run for run in here.checks if run["head_sha"] == commit and run["name"] == name]
        if not runs:
            return "missing"
        runs = runs if reading == "all" else [max(runs, key=lambda run: run["id"])]
        if any(run["status"] != "completed" for run in runs):
            return "pending"
        passing = {"success", "neutral", "skipped"}
        bad = [run["conclusion"] for run in runs if run["conclusion"] not in passing]
        return bad[0] if bad else str(runs[0]["conclusion"])

    # What follows from what they do.

    def _moved_head(self, here: Hosted, pull: Json, commit: str, sender: str) -> None:
        before, number = pull["head"]["sha"], pull["number"]
        pull["head"] = {**pull["head"], "sha": commit}
        pull["base"] = {**pull["base"], "sha": self.tip(here, pull["base"]["ref"])}
        here.run_git("update-ref", f"refs/pull/{number}/head", commit)
        for remark in here.remarks:
            if remark["number"] == number and remark["line"] is not None:
                remark["line"] = _carried(here, before, commit, remark["path"], remark["line"])
        self.pull_event(here, number, "synchronize", sender, before=before, after=commit)

    def _issue_of(self, here: Hosted, number: int) -> Json:
        if number in here.pulls:
            pull = here.pulls[number]
            return {"number": number, "user": pull["user"], "pull_request": {"url": "…"}}
        return here.issues[number]

    def _said(self, here: Hosted, number: int, body: str, user: Json) -> Json:
        if len(body) > 65_536:
            raise AnswerError(422, "body is too long (maximum is 65536 characters)")
        made = {
            "id": next(self._ids),
            "number": number,
            "body": body,
            "user": user,
            "author_association": _association(here, user["login"]),
            "created_at": now(),
            "updated_at": now(),
            "html_url": f"{self.origin}/{here.full_name}/pull/{number}#issuecomment",
        }
        here.comments.append(made)
        return made

    def _notify(self, here: Hosted, number: int, what: str) -> None:
        self.notified.append((here.id, number, what))

    def token(self, installation: int, ids: list[int] | None, permissions: Json) -> str:
        """A token for some repositories of an installation."""
        own = [it.id for it in self.repositories.values() if it.installation == installation]
        if ids is not None and not set(ids) <= set(own):
            raise AnswerError(422, "There is at least one repository that does not exist")
        word = f"ghs_{next(self._ids)}"
        self.tokens[word] = {
            "installation": installation,
            "repositories": own if ids is None else ids,
            "permissions": permissions,
            "expires": self.clock() + 3600,
            "app": self.registered,
        }
        return word

    def add_check(self, here: Hosted, asked: Json, app: Json) -> Json:
        """A check run, as the interface or a job makes one."""
        run: Json = {
            "id": next(self._ids),
            "name": asked["name"],
            "head_sha": asked["head_sha"],
            "external_id": asked.get("external_id"),
            "status": "queued",
            "conclusion": None,
            "app": {"id": app["id"], "slug": app["slug"]},
            "annotations": [],
            "output": {"title": None, "summary": None},
            "actions": [],
            "started_at": now(),
            "url": f"{self.origin}{self.prefix}/repos/{here.full_name}/check-runs/0",
        }
        run["url"] = f"{str(run['url'])[:-1]}{run['id']}"
        here.checks.append(run)
        self._set_check(run, asked)
        return run

    def _set_check(self, run: Json, asked: Json) -> None:
        output = asked.get("output") or {}
        more = output.get("annotations") or []
        if len(more) > 50 or len(asked.get("actions") or []) > 3:
            raise AnswerError(422, "annotations exceeds a maximum quantity of 50")
        for item in asked.get("actions") or []:
            sizes = len(item["label"]), len(item["description"]), len(item["identifier"])
            if sizes[0] > 20 or sizes[1] > 40 or sizes[2] > 20:
                raise AnswerError(422, "actions are too long")
        if output and len(output.get("summary") or "") > 65_535:
            raise AnswerError(422, "summary is too long")
        run["annotations"] += more
        run["output"] = {**run["output"], **but(output, "annotations")}
        for key in ("external_id", "actions", "details_url"):
            run[key] = asked.get(key, run.get(key))
        if asked.get("conclusion"):
            run |= {"status": "completed", "conclusion": asked["conclusion"]}
        elif asked.get("status"):
            run |= {"status": asked["status"], "conclusion": None}


def but(item: Json, key: str) -> Json:
    """An item without one of its keys."""
    return {name: value for name, value in item.items() if name != key}


def now() -> str:
    """The time, as GitHub writes it."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _association(here: Hosted, login: str) -> str:
    return "MEMBER" if here.permissions.get(login) in ("write", "admin") else "NONE"


def _tree(here: Hosted, rows: dict[str, str]) -> str:
    """A tree, folders and all, by an index of its own."""
    index = here.git / "documented-index"
    index.unlink(missing_ok=True)
    done = subprocess.run(
        ("git", "-C", str(here.git), "update-index", "--add", "--index-info"),
        input="".join(f"{row}\n" for row in rows.values()),
        env={"GIT_INDEX_FILE": str(index), "PATH": "/usr/local/bin:/usr/bin:/bin"},
        text=True,
        capture_output=True,
        check=True,
    )
    assert not done.stderr, done.stderr
    written = subprocess.run(
        ("git", "-C", str(here.git), "write-tree"),
        env={"GIT_INDEX_FILE": str(index), "PATH": "/usr/local/bin:/usr/bin:/bin"},
        text=True,
        capture_output=True,
        check=True,
    )
    return written.stdout.strip()


def _carried(here: Hosted, before: str, after: str, path: str, line: int) -> int | None:
    """Where a line is after a push; None where it was changed, so that a comment is outdated."""
    moved = 0
    for text in here.run_git("diff", "--no-color", "-U0", before, after, "--", path).splitlines():
        found = HUNK.match(text)
        if not found:
            continue
        first, count = int(found[1]), int(found[2] or 1)
        more = int(found[4] or 1)
        if count and first <= line < first + count:
            return None
        if first < line:
            moved += more - count
    return line + moved
