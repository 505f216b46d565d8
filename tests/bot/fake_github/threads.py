"""How the fake answers GraphQL: by GitHub's own schema, trimmed, about threads of a review."""

from functools import cache
from typing import TYPE_CHECKING

from graphql import GraphQLSchema, build_schema, graphql_sync

from tests.bot.fake_github.calls import Answer, Call, Refusal, Routes
from tests.bot.fake_github.description import FIXTURES, Json
from tests.bot.fake_github.state import Comment, Repository

if TYPE_CHECKING:
    from tests.bot.fake_github.server import GitHub

routes = Routes()
_ID, _COMMENT_ID = "PRRT_{}", "PRRC_{}"


@cache
def _schema() -> GraphQLSchema:
    return build_schema((FIXTURES / "graphql.graphql").read_text(encoding="utf-8"))


@routes.on("POST", "/graphql", "")
def graphql(hub: "GitHub", call: Call) -> Answer:
    """What a document asks for; GitHub answered what is wrong with status 200, too."""
    root = {
        "repository": lambda _, **named: _repository(_opened(hub, call, named)),
        "minimizeComment": lambda _, input: _minimise(hub, call, input),
        "resolveReviewThread": lambda _, input: _set(hub, call, input, is_resolved=True),
        "unresolveReviewThread": lambda _, input: _set(hub, call, input, is_resolved=False),
    }
    variables = call.body.get("variables") or {}
    done = graphql_sync(_schema(), call.text("query"), root, variable_values=variables)
    # What a resolver refuses is an answer; a document that is wrong is a fault of ours.
    hub.judge.problems += [
        f"GraphQL: {error}" for error in done.errors or () if error.original_error is None
    ]
    return Answer(200, done.formatted)


def _opened(hub: "GitHub", call: Call, named: Json) -> Repository | None:
    token = call.token
    repo = hub.repositories.get(f"{named['owner']}/{named['name']}")
    assert token is not None
    is_open = repo is not None and repo.installation == token.installation
    is_named = is_open and token.repositories in (None, frozenset({getattr(repo, "name", "")}))
    return repo if is_named else None


def _repository(repo: Repository | None) -> Json | None:
    if repo is None:
        return None
    return {
        "nameWithOwner": repo.name,
        "pullRequest": lambda _, number: _pull(repo, number),
    }


def _pull(repo: Repository, number: int) -> Json | None:
    if number not in repo.pulls:
        return None
    begun = [item for item in repo.remarks if item.number == number and item.reply_to is None]
    return {
        "number": number,
        "reviewThreads": lambda _, **named: _page([_thread(repo, it) for it in begun], named),
    }


def _thread(repo: Repository, first: Comment) -> Json:
    said = [{"databaseId": it.id, "body": it.body} for it in (first, *repo.reply_of(first.id))]
    return {
        "id": _ID.format(first.id),
        "isResolved": first.is_resolved,
        "isOutdated": first.line is None and first.original_line is not None,
        "line": first.line,
        "path": first.path,
        "comments": lambda _, **named: _page(said, named),
    }


def _page(items: list[Json], named: Json) -> Json:
    """A part of a list: GitHub wants to know how much, and gives 100 at most."""
    most, after = named.get("first") or 0, int(named.get("after") or 0)
    if not 1 <= most <= 100:
        raise ValueError("You must provide a `first` value between 1 and 100")
    end = after + most
    return {
        "nodes": items[after:end],
        "totalCount": len(items),
        "pageInfo": {"hasNextPage": end < len(items), "endCursor": str(end)},
    }


def _set(hub: "GitHub", call: Call, asked: Json, *, is_resolved: bool) -> Json:
    assert call.token is not None
    for repo in hub.repositories.values():
        for item in repo.remarks:
            if _ID.format(item.id) == asked["threadId"]:
                if call.token.permissions.get("contents") != "write":
                    raise PermissionError("Resource not accessible by integration")
                item.is_resolved = is_resolved
                return {"thread": _thread(repo, item)}
    raise Refusal(404, "Could not resolve to a node with the global id")


def _minimise(hub: "GitHub", call: Call, asked: Json) -> Json:
    assert call.token is not None
    for repo in hub.repositories.values():
        for item in repo.remarks:
            if _COMMENT_ID.format(item.id) == asked["subjectId"]:
                if call.token.permissions.get("pull_requests") != "write":
                    raise PermissionError("Resource not accessible by integration")
                item.is_minimised = True
                return {"clientMutationId": None}
    raise Refusal(404, "Could not resolve to a node with the global id")
