"""The REST interface of the GitHub that was written from its documentation, and its git.

Routes are one act a line of a table; an answer has an ETag, a list has pages of thirty.
"""

import hashlib
import json
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import jwt
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException
from werkzeug.serving import make_server

from tests.acceptance.documented_github import (
    HUNK,
    AnswerError,
    DocumentedGitHub,
    Hosted,
    Json,
    but,
)
from tests.bot.fake_github.keys import key_pair


class DocumentedServer(DocumentedGitHub):
    """The same, served."""

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Serve; the address for people, to which the prefix leads to the interface."""
        server = make_server("127.0.0.1", 0, self.wsgi(), threaded=True)
        self.origin = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self.origin
        finally:
            server.shutdown()
            thread.join()

    def wsgi(self) -> Flask:
        """The application."""
        app = Flask("documented_github")
        verbs = ["GET", "POST", "PATCH", "PUT", "DELETE"]
        app.add_url_rule("/<path:path>", "any", self._any, methods=verbs)
        return app

    def _any(self, path: str) -> Response:  # noqa: PLR0911 - one a kind of answer
        place = f"/{path}"
        if ".git/" in place:
            return self._git(place)
        graph = self.prefix.removesuffix("/v3") + "/graphql"
        if place != graph and not place.startswith(f"{self.prefix}/"):
            return _answer(404, {"message": "Not Found"})
        inner = place if place == graph else place.removeprefix(self.prefix)
        fault = self._fault(request.method, inner)
        if fault == "down":
            return _answer(502, {"message": "Server Error"})
        if fault == "secondary":
            said = {"message": "You have exceeded a secondary rate limit."}
            return _answer(403, said, {"Retry-After": "1"})
        if fault == "revoked":
            return _answer(401, {"message": "Bad credentials"})
        if fault == "off":
            return _answer(410, {"message": "Issues has been disabled in this repository."})
        try:
            with self._lock:
                found = self._graph() if place == graph else self._routed(inner)
        except AnswerError as error:
            self.asked.append((request.method, inner, error.status))
            return _answer(error.status, {"message": error.message}, error.headers)
        except HTTPException as error:
            return _answer(error.code or 500, {"message": error.description})
        except Exception as error:  # noqa: BLE001 - what is wrong here is no fault of GitHub's
            self.broken.append(f"{request.method} {inner}: {error!r}")
            return _answer(500, {"message": "Server Error"})
        self.asked.append((request.method, inner, found.status_code))
        return _answer(502, {"message": "Server Error"}) if fault == "lost" else found

    def _fault(self, method: str, path: str) -> str:
        for fault in self.faults:
            if fault.times and fault.matches(method, path):
                fault.times -= 1
                return fault.kind
        return ""

    def _git(self, place: str) -> Response:
        name, _, rest = place[1:].partition(".git")
        here = self._here(*name.split("/", 1), is_git=True)
        variables = {
            "GIT_PROJECT_ROOT": str(here.git),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": rest,
            "REQUEST_METHOD": request.method,
            "QUERY_STRING": request.query_string.decode(),
            "CONTENT_TYPE": request.headers.get("Content-Type", ""),
            "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
        }
        done = subprocess.run(
            ("git", "http-backend"),
            input=request.get_data(),
            capture_output=True,
            env=variables,
            check=False,
        )
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line]
        status = next((int(value[:3]) for key, value in headers if key == "Status"), 200)
        return Response(body, status, [(key, value) for key, value in headers if key != "Status"])

    def _here(self, owner: str, name: str, *, is_git: bool = False) -> Hosted:
        full = f"{owner}/{name}"
        for here in self.repositories.values():
            if here.full_name.lower() == full.lower():
                return here
        if full in self.moved and is_git:
            raise AnswerError(404, "Not Found")
        if full in self.moved:
            here = self.repositories[self.moved[full]]
            rest = request.full_path.partition(f"/repos/{full}")[2].rstrip("?")
            address = f"{self.origin}{self.prefix}/repositories/{here.id}{rest}"
            raise AnswerError(301, "Moved Permanently", {"Location": address})
        raise AnswerError(404, "Not Found")

    def _routed(self, path: str) -> Response:
        method, parts = request.method, path.strip("/").split("/")
        if parts[0] == "app" or path == "/installation/repositories":
            return self._as_app(method, parts)
        token = self._right()
        if parts[0] == "repositories":
            here, parts = self.repositories[int(parts[1])], parts[2:]
        elif parts[0] == "repos":
            if parts[3:] == ["installation"]:
                return _answer(200, {"id": self._here(parts[1], parts[2]).installation})
            here, parts = self._here(parts[1], parts[2]), parts[3:]
        else:
            raise AnswerError(404, "Not Found")
        if token is not None and here.id not in token["repositories"]:
            raise AnswerError(404, "Not Found")
        if method != "GET" and here.is_archived:
            raise AnswerError(403, "Repository was archived so is read-only.")
        if token is not None and method != "GET":
            self._require(token, parts)
        for pattern, verb, act in _ROUTES:
            match = re.fullmatch(pattern, "/".join(parts))
            if match and verb == method:
                return act(self, here, *match.groups())
        raise AnswerError(404, "Not Found")

    def _require(self, token: Json, parts: list[str]) -> None:
        """What a token has to be allowed for a write; 403 otherwise, as the pages say."""
        head = parts[0]
        wanted = {"check-runs": ("checks",), "actions": ("actions",), "statuses": ("statuses",)}
        rights = wanted.get(head, ("issues", "pull_requests"))
        if not any(token["permissions"].get(right) == "write" for right in rights):
            raise AnswerError(403, "Resource not accessible by integration")

    def _right(self) -> Json | None:
        """The token of a request; None where the App itself asks."""
        word = request.headers.get("Authorization", "").split(" ")[-1]
        if word.count(".") == 2:
            self._is_app(word)
            return None
        token = self.tokens.get(word)
        if token is None or token.get("gone") or token["expires"] < self.clock():
            raise AnswerError(401, "Bad credentials")
        return token

    def _is_app(self, word: str) -> None:
        try:
            claims = jwt.decode(
                word,
                self.public_key,
                algorithms=["RS256"],
                options={"verify_exp": False, "verify_iat": False},
            )
        except jwt.PyJWTError:
            raise AnswerError(401, "A JSON web token could not be decoded") from None
        now, is_long = self.clock(), claims["exp"] - claims["iat"] > 660
        is_ours = str(claims["iss"]) == str(self.app)
        if not is_ours or is_long or not claims["iat"] - 60 <= now <= claims["exp"] + 60:
            raise AnswerError(401, "'Expiration time' claim ('exp') is too far in the future")

    def _as_app(self, method: str, parts: list[str]) -> Response:
        word = request.headers.get("Authorization", "").split(" ")[-1]
        if parts == ["installation", "repositories"]:
            token = self._right() or {}
            found = [self._repository_view(self.repositories[it]) for it in token["repositories"]]
            return _answer(200, {"total_count": len(found), "repositories": found})
        self._is_app(word)
        if parts == ["app"]:
            return _answer(200, self.registered)
        if parts == ["app", "hook", "config"]:
            return _answer(200, {"url": self.hook})
        if parts[:3] == ["app", "hook", "deliveries"] and len(parts) == 3:
            return _paged([but(it, "body") for it in self.deliveries])
        if parts[:3] == ["app", "hook", "deliveries"]:
            made = next(it for it in self.deliveries if it["id"] == int(parts[3]))
            return _answer(200, {**but(made, "body"), "request": {"payload": made["body"]}})
        if parts[:2] == ["app", "installations"] and parts[3:] == ["access_tokens"]:
            asked = request.get_json(silent=True) or {}
            ids = asked.get("repository_ids")
            if "repositories" in asked:
                ids = [self._here_named(int(parts[2]), name) for name in asked["repositories"]]
            full = {
                "contents": "read",
                "checks": "write",
                "issues": "write",
                "pull_requests": "write",
            }
            word = self.token(int(parts[2]), ids, asked.get("permissions") or full)
            ends = datetime.fromtimestamp(self.tokens[word]["expires"], UTC)
            return _answer(
                201,
                {
                    "token": word,
                    "expires_at": f"{ends:%Y-%m-%dT%H:%M:%SZ}",
                    "permissions": self.tokens[word]["permissions"],
                },
            )
        raise AnswerError(404, "Not Found")

    def _here_named(self, installation: int, name: str) -> int:
        for here in self.repositories.values():
            if here.installation == installation and here.name == name:
                return here.id
        raise AnswerError(422, "There is at least one repository that does not exist")

    def _repository_view(self, here: Hosted) -> Json:
        return {
            "id": here.id,
            "name": here.name,
            "full_name": here.full_name,
            "owner": {"login": here.owner},
            "default_branch": here.default,
            "archived": here.is_archived,
            "url": f"{self.origin}{self.prefix}/repos/{here.full_name}",
        }

    def _me(self) -> Json:
        """Under which name a request writes."""
        token = self._right()
        app = token["app"] if token else self.registered
        return {"login": f"{app['slug']}[bot]", "type": "Bot"}

    # The interface, one act a line of the table below.

    def _repo(self, here: Hosted) -> Response:
        return _answer(200, self._repository_view(here))

    def _branch(self, here: Hosted, name: str) -> Response:
        tip = self.tip(here, name)
        if tip is None:
            raise AnswerError(404, "Branch not found")
        return _answer(200, {"name": name, "commit": {"sha": tip}})

    def _pulls(self, here: Hosted) -> Response:
        state, base = request.args.get("state", "open"), request.args.get("base")
        found = [
            pull
            for pull in sorted(here.pulls.values(), key=lambda it: -int(it["number"]))
            if state in ("all", pull["state"]) and base in (None, pull["base"]["ref"])
        ]
        return _paged(found)

    def _pull(self, here: Hosted, number: str) -> Response:
        return _answer(200, there(here.pulls.get(int(number))))

    def _compare(self, here: Hosted, base: str, head: str) -> Response:
        if not (here.has(base) and here.has(head)):
            raise AnswerError(404, "Not Found")
        found = here.run_git("merge-base", base, head)
        return _answer(200, {"merge_base_commit": {"sha": found}, "files": [], "commits": []})

    def _permission(self, here: Hosted, login: str) -> Response:
        may = here.permissions.get(login, "read")
        return _answer(200, {"permission": may, "role_name": may})

    def _commit(self, here: Hosted, commit: str) -> Response:
        if not here.has(commit):
            raise AnswerError(422, f"No commit found for SHA: {commit}")
        url = f"{self.origin}{self.prefix}/repos/{here.full_name}/commits/{commit}"
        return _answer(200, {"sha": commit, "url": url})

    def _commit_pulls(self, here: Hosted, commit: str) -> Response:
        return _paged([it for it in here.pulls.values() if it["head"]["sha"] == commit])

    def _commit_branches(self, here: Hosted, commit: str) -> Response:
        lines = here.run_git("for-each-ref", f"--points-at={commit}", "refs/heads").splitlines()
        names = [line.partition("refs/heads/")[2] for line in lines]
        return _paged([{"name": name, "commit": {"sha": commit}} for name in names])

    def _runs_of(self, here: Hosted, commit: str) -> Response:
        asked = request.args
        found = [run for run in here.checks if run["head_sha"] == commit]
        if "check_name" in asked:
            found = [run for run in found if run["name"] == asked["check_name"]]
        if "app_id" in asked:
            found = [run for run in found if run["app"]["id"] == int(asked["app_id"])]
        if "status" in asked:
            found = [run for run in found if run["status"] == asked["status"]]
        found.sort(key=lambda run: -int(run["id"]))
        if asked.get("filter", "latest") == "latest":
            seen: dict[tuple[int, str], Json] = {}
            for run in found:
                seen.setdefault((run["app"]["id"], run["name"]), run)
            found = list(seen.values())
        return _paged([but(run, "annotations") for run in found], "check_runs")

    def _make_check(self, here: Hosted) -> Response:
        asked = request.get_json()
        if not here.has(asked["head_sha"]):
            raise AnswerError(422, "No commit found for SHA")
        token = self._right()
        run = self.add_check(here, asked, token["app"] if token else self.registered)
        return _answer(201, but(run, "annotations"))

    def _change_check(self, here: Hosted, number: str) -> Response:
        run = there(next((it for it in here.checks if it["id"] == int(number)), None))
        token = self._right()
        if token and token["app"]["id"] != run["app"]["id"]:
            raise AnswerError(403, "Invalid app_id `…` - check run can only be modified by its App")
        self._set_check(run, request.get_json())
        return _answer(200, but(run, "annotations"))

    def _annotations(self, here: Hosted, number: str) -> Response:
        run = there(next((it for it in here.checks if it["id"] == int(number)), None))
        return _paged(run["annotations"])

    def _set_status(self, here: Hosted, commit: str) -> Response:
        made = {**request.get_json(), "sha": commit, "id": next(self._ids)}
        here.statuses.append(made)
        return _answer(201, made)

    def _status(self, here: Hosted, commit: str) -> Response:
        found = [it for it in here.statuses if it["sha"] == commit]
        newest = {it["context"]: it["state"] for it in found}
        bad = [state for state in newest.values() if state != "success"]
        return _answer(200, {"state": bad[0] if bad else "success", "statuses": found})

    def _issue_comments(self, here: Hosted, number: str) -> Response:
        return _paged([it for it in here.comments if it["number"] == int(number)])

    def _comment(self, here: Hosted, number: str) -> Response:
        self._issue_of(here, int(number))
        made = self._said(here, int(number), request.get_json()["body"], self._me())
        self._notify(here, int(number), "comment")
        return _answer(201, made)

    def _change_comment(self, here: Hosted, kind: str, number: str) -> Response:
        said = here.comments if kind == "issues" else here.remarks
        found = there(next((it for it in said if it["id"] == int(number)), None))
        found["body"] = request.get_json()["body"]
        return _answer(200, found)

    def _delete_comment(self, here: Hosted, kind: str, number: str) -> Response:
        said = here.comments if kind == "issues" else here.remarks
        said.remove(there(next((it for it in said if it["id"] == int(number)), None)))
        return Response(status=204)

    def _one_comment(self, here: Hosted, kind: str, number: str) -> Response:
        said = here.comments if kind == "issues" else here.remarks
        return _answer(200, there(next((it for it in said if it["id"] == int(number)), None)))

    def _reviews_of(self, here: Hosted, number: str) -> Response:
        return _paged([it for it in here.reviews if it["number"] == int(number)])

    def _change_review(self, here: Hosted, _: str, review: str) -> Response:
        found = there(next((it for it in here.reviews if it["id"] == int(review)), None))
        found["body"] = request.get_json()["body"]
        return _answer(200, found)

    def _make_review(self, here: Hosted, number: str) -> Response:
        asked, pull = request.get_json(), there(here.pulls.get(int(number)))
        wanted = asked.get("comments") or []
        if not wanted and not asked.get("body"):
            raise AnswerError(422, "Unprocessable Entity")
        shown = _shown(here, pull["base"]["sha"], asked["commit_id"])
        for item in wanted:
            lines = {item["line"], item.get("start_line", item["line"])}
            if not lines <= shown.get(item["path"], set()):
                raise AnswerError(422, "pull_request_review_thread.line must be part of the diff")
        made = {
            "id": next(self._ids),
            "number": int(number),
            "body": asked.get("body", ""),
            "user": self._me(),
            "commit_id": asked["commit_id"],
            "state": "COMMENTED",
            "html_url": f"{self.origin}/{here.full_name}/pull/{number}#review",
        }
        here.reviews.append(made)
        for item in wanted:
            here.remarks.append(self._remark(here, int(number), item, asked["commit_id"]))
        self._notify(here, int(number), "review")
        return _answer(200, made)

    def _remark(self, here: Hosted, number: int, item: Json, commit: str) -> Json:
        known = next(self._ids)
        return {
            "id": known,
            "node_id": f"PRRC_{known}",
            "number": number,
            "body": item["body"],
            "path": item.get("path"),
            "line": item.get("line"),
            "original_line": item.get("line"),
            "commit_id": commit,
            "original_commit_id": commit,
            "user": self._me(),
            "subject_type": item.get("subject_type", "line"),
            "in_reply_to_id": item.get("in_reply_to_id"),
            "html_url": f"{self.origin}/{here.full_name}/pull/{number}#discussion_r{known}",
        }

    def _remarks_of(self, here: Hosted, number: str) -> Response:
        found = [it for it in here.remarks if it["number"] == int(number)]
        return _paged(
            [but(it, "in_reply_to_id") if not it["in_reply_to_id"] else it for it in found]
        )

    def _make_remark(self, here: Hosted, number: str) -> Response:
        asked = request.get_json()
        if asked.get("subject_type") != "file":
            raise AnswerError(422, "line is required")
        pull = here.pulls[int(number)]
        if asked["path"] not in _shown(here, pull["base"]["sha"], asked["commit_id"]):
            raise AnswerError(422, "path is not part of the diff")
        here.remarks.append(self._remark(here, int(number), asked, asked["commit_id"]))
        self._notify(here, int(number), "file comment")
        return _answer(201, here.remarks[-1])

    def _reply(self, here: Hosted, number: str, comment: str) -> Response:
        first = there(next((it for it in here.remarks if it["id"] == int(comment)), None))
        asked = {**first, **request.get_json(), "in_reply_to_id": first["id"]}
        here.remarks.append(self._remark(here, int(number), asked, first["commit_id"]))
        self._notify(here, int(number), "reply")
        return _answer(201, here.remarks[-1])

    def _react(self, here: Hosted, kind: str, comment: str) -> Response:
        row = {"kind": kind, "comment": int(comment), "content": request.get_json()["content"]}
        made = row not in here.reactions
        here.reactions += [row] if made else []
        return _answer(201 if made else 200, {"id": 1, **row})

    def _issues(self, here: Hosted) -> Response:
        label = request.args.get("labels")
        found = [it for it in here.issues.values() if label in (None, *it["label_names"])]
        return _paged(found)

    def _open_issue(self, here: Hosted) -> Response:
        asked, number = request.get_json(), len(here.pulls) + len(here.issues) + 1
        here.issues[number] = {
            "number": number,
            "id": next(self._ids),
            "title": asked["title"],
            "body": asked.get("body", ""),
            "label_names": asked.get("labels", []),
            "state": "open",
            "user": self._me(),
            "url": f"{self.origin}{self.prefix}/repos/{here.full_name}/issues/{number}",
        }
        self._notify(here, number, "issue")
        return _answer(201, here.issues[number])

    def _issue(self, here: Hosted, number: str) -> Response:
        url = f"{self.origin}{self.prefix}/repos/{here.full_name}/issues/{number}"
        return _answer(200, {**self._issue_of(here, int(number)), "url": url})

    def _change_issue(self, here: Hosted, number: str) -> Response:
        here.issues[int(number)] |= request.get_json()
        return _answer(200, here.issues[int(number)])

    def _caches(self, here: Hosted) -> Response:
        begin = request.args.get("key", "")
        found = [it for it in here.caches if it["key"].startswith(begin)]
        return _paged(found, "actions_caches")

    def _workflow_runs(self, here: Hosted, workflow: str) -> Response:
        asked = request.args
        found = [run for run in here.runs if run["path"].endswith(f"/{workflow}")]
        for key in ("event", "head_sha"):
            found = [run for run in found if asked.get(key) in (None, run[key])]
        return _paged(sorted(found, key=lambda run: -int(run["id"])), "workflow_runs")

    def _run(self, here: Hosted, number: str) -> Response:
        return _answer(200, there(next((it for it in here.runs if it["id"] == int(number)), None)))

    def _jobs(self, here: Hosted, number: str) -> Response:
        run = there(next((it for it in here.runs if it["id"] == int(number)), None))
        return _paged(run["jobs"], "jobs")

    def _cancel(self, here: Hosted, number: str) -> Response:
        run = there(next((it for it in here.runs if it["id"] == int(number)), None))
        if run["status"] == "completed":
            raise AnswerError(409, "Cannot cancel a workflow run that is completed.")
        run |= {"status": "completed", "conclusion": "cancelled"}
        return _answer(202, {})

    def _rerun(self, here: Hosted, number: str) -> Response:
        run = there(next((it for it in here.runs if it["id"] == int(number)), None))
        if run["status"] != "completed":
            raise AnswerError(403, "This workflow is already running")
        if run.get("is_old"):
            raise AnswerError(
                403, "Unable to retry this workflow run because it was created over a month ago"
            )
        run |= {"status": "queued", "run_attempt": run["run_attempt"] + 1}
        self.rerun.append(run["id"])
        return _answer(201, {})

    def _minimised(self, node: str) -> Json:
        """Folds a comment; a refusal is an answer, too."""
        right = self._right() or {}
        for here in self.repositories.values():
            for remark in here.remarks:
                if remark["node_id"] == node and here.installation == right.get("installation"):
                    remark["is_minimised"] = True
                    return {"data": {"minimizeComment": {"clientMutationId": None}}}
        said = f"Could not resolve to a node with the global id of '{node}'"
        return {"data": {"minimizeComment": None}, "errors": [{"message": said}]}

    def _graph(self) -> Response:
        self._right()
        asked = request.get_json()
        words, given = asked["query"], asked.get("variables") or {}
        if "minimizeComment" in words:
            return _answer(200, self._minimised(given["comment"]))
        if "resolveReviewThread" in words or "unresolveReviewThread" in words:
            data = {"resolveReviewThread": {"thread": {"id": given["thread"], "isResolved": True}}}
            return _answer(200, {"data": data})
        here = self._here(given["owner"], given["name"])
        nodes = [
            {
                "id": f"T{it['id']}",
                "isResolved": False,
                "comments": {"nodes": [{"databaseId": it["id"]}]},
            }
            for it in here.remarks
            if it["number"] == given["number"] and not it["in_reply_to_id"]
        ]
        page = {"hasNextPage": False, "endCursor": None}
        threads = {"reviewThreads": {"nodes": nodes, "pageInfo": page}}
        return _answer(200, {"data": {"repository": {"pullRequest": threads}}})


_N, _S = r"(\d+)", r"([0-9a-f]{40})"
_ACT = DocumentedServer
_ROUTES: list[tuple[str, str, Callable[..., Response]]] = [
    ("", "GET", _ACT._repo),
    (r"branches/(.+)", "GET", _ACT._branch),
    ("pulls", "GET", _ACT._pulls),
    (f"pulls/{_N}", "GET", _ACT._pull),
    (r"compare/([^.]+)\.\.\.(.+)", "GET", _ACT._compare),
    (r"collaborators/([^/]+)/permission", "GET", _ACT._permission),
    (f"commits/{_S}", "GET", _ACT._commit),
    (f"commits/{_S}/pulls", "GET", _ACT._commit_pulls),
    (f"commits/{_S}/branches-where-head", "GET", _ACT._commit_branches),
    (f"commits/{_S}/check-runs", "GET", _ACT._runs_of),
    (f"commits/{_S}/status", "GET", _ACT._status),
    (f"statuses/{_S}", "POST", _ACT._set_status),
    ("check-runs", "POST", _ACT._make_check),
    (f"check-runs/{_N}", "PATCH", _ACT._change_check),
    (f"check-runs/{_N}/annotations", "GET", _ACT._annotations),
    ("issues", "GET", _ACT._issues),
    ("issues", "POST", _ACT._open_issue),
    (f"issues/{_N}", "GET", _ACT._issue),
    (f"issues/{_N}", "PATCH", _ACT._change_issue),
    (f"issues/{_N}/comments", "GET", _ACT._issue_comments),
    (f"issues/{_N}/comments", "POST", _ACT._comment),
    (f"(issues|pulls)/comments/{_N}", "PATCH", _ACT._change_comment),
    (f"(issues|pulls)/comments/{_N}", "GET", _ACT._one_comment),
    (f"(issues|pulls)/comments/{_N}", "DELETE", _ACT._delete_comment),
    (f"(issues|pulls)/comments/{_N}/reactions", "POST", _ACT._react),
    (f"pulls/{_N}/reviews", "GET", _ACT._reviews_of),
    (f"pulls/{_N}/reviews", "POST", _ACT._make_review),
    (f"pulls/{_N}/reviews/{_N}", "PUT", _ACT._change_review),
    (f"pulls/{_N}/comments", "GET", _ACT._remarks_of),
    (f"pulls/{_N}/comments", "POST", _ACT._make_remark),
    (f"pulls/{_N}/comments/{_N}/replies", "POST", _ACT._reply),
    ("actions/caches", "GET", _ACT._caches),
    (r"actions/workflows/([^/]+)/runs", "GET", _ACT._workflow_runs),
    (f"actions/runs/{_N}", "GET", _ACT._run),
    (f"actions/runs/{_N}/jobs", "GET", _ACT._jobs),
    (f"actions/runs/{_N}/cancel", "POST", _ACT._cancel),
    (f"actions/runs/{_N}/rerun", "POST", _ACT._rerun),
]


def documented(tmp_path: Path, prefix: str = "") -> Iterator[DocumentedServer]:
    """A server for one test, of which nothing may have broken in the end."""
    folder = tmp_path / "documented"
    folder.mkdir()
    made = DocumentedServer(folder, key_pair(), prefix=prefix)
    with made.serving():
        yield made
    assert made.broken == []


def _answer(status: int, body: Any, headers: dict[str, str] | None = None) -> Response:
    """JSON with an ETag; 304 without a body where it is what was asked about."""
    text = json.dumps(body).encode()
    tag = f'"{hashlib.sha256(text).hexdigest()[:32]}"'
    more = {"ETag": tag, "Content-Type": "application/json; charset=utf-8", **(headers or {})}
    if status == 200 and request.headers.get("If-None-Match") == tag:
        return Response(status=304, headers=more)
    return Response(text, status, more)


def _paged(items: list[Json], key: str = "") -> Response:
    """A page of a list, thirty at a time unless it says otherwise, with links to the others."""
    size = min(100, int(request.args.get("per_page", 30)))
    page = int(request.args.get("page", 1))
    some = items[(page - 1) * size : page * size]
    headers = {}
    if page * size < len(items):
        asked = {**request.args.to_dict(), "page": page + 1}
        headers["Link"] = f'<{request.base_url}?{urlencode(asked)}>; rel="next"'
    return _answer(200, {"total_count": len(items), key: some} if key else some, headers)


def there(found: Json | None) -> Json:
    if found is None:
        raise AnswerError(404, "Not Found")
    return found


def _shown(here: Hosted, base: str, head: str) -> dict[str, set[int]]:
    """The lines of each file that the page of a pull request shows, on its right side."""
    start = here.run_git("merge-base", base, head)
    shown: dict[str, set[int]] = {}
    path = ""
    for line in here.run_git("diff", "--no-color", start, head).splitlines():
        if line.startswith("+++ b/"):
            path = line[6:]
            shown.setdefault(path, set())
        found = HUNK.match(line)
        if found:
            first, count = int(found[3]), int(found[4] or 1)
            shown[path] |= set(range(first, first + count))
    return shown


class PaperHistory:
    """A paper on that GitHub: its commits, branches and pull requests; `base` is its first commit.

    A file's name is an argument's, with "__" for the dot in it.
    """

    base: str

    def __init__(
        self, github: DocumentedServer, document: Callable[..., str], *writers: str
    ) -> None:
        self.github, self.document = github, document
        self.here = github.repository("us/paper")
        self.here.permissions |= {**dict.fromkeys(writers, "write"), "eve": "read"}

    def commit(self, body: str, *parents: str, **files: str | None) -> str:
        named = {name.replace("__", "."): text for name, text in files.items()}
        return self.github.commit(self.here, {"main.tex": self.document(body), **named}, *parents)

    def put(self, branch: str, body: str, **files: str | None) -> str:
        """Push a commit to a branch."""
        tip = self.github.tip(self.here, branch)
        made = self.commit(body, *([tip] if tip else []), **files)
        self.github.push(self.here, branch, made)
        return made

    def change(self, body: str, branch: str = "topic", **more: Any) -> int:
        """Open a pull request with a commit on the base."""
        return self.github.open(self.here, self.commit(body, self.base), branch=branch, **more)

    def head(self, number: int) -> str:
        return str(self.here.pulls[number]["head"]["sha"])
