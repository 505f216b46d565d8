"""Makes the fixtures that say what GitHub takes and answers, from its own descriptions.

    npm pack @octokit/openapi@23.0.2 @octokit/graphql-schema@15.26.1   # both MIT
    python tests/bot/fake_github/trimming.py api.github.com.json schema.graphql tests/data/github

What people read is left out; what a request or an answer must be like stays as GitHub answered it.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphql import (
    EnumTypeDefinitionNode,
    InputObjectTypeDefinitionNode,
    ObjectTypeDefinitionNode,
    parse,
    print_ast,
)

_JSON = "application/json"
SOURCE = (
    "GitHub's description of its REST interface as @octokit/openapi 23.0.2 has it "
    "(MIT License, Copyright (c) 2020 Octokit contributors), trimmed, and corrected in two places, "
    "by trimming.py"
)
GRAPHQL_SOURCE = (
    "GitHub's GraphQL schema as @octokit/graphql-schema 15.26.1 has it "
    "(MIT License, Copyright (c) GitHub 2025), trimmed by trimming.py"
)
REPO = "/repos/{owner}/{repo}"
USED = {
    "/app": "get",
    "/app/hook/config": "get patch",
    "/app/hook/deliveries": "get",
    "/app/hook/deliveries/{delivery_id}": "get",
    "/app/hook/deliveries/{delivery_id}/attempts": "post",
    "/app/installations": "get",
    "/app/installations/{installation_id}": "get",
    "/app/installations/{installation_id}/access_tokens": "post",
    "/app-manifests/{code}/conversions": "post",
    "/installation/repositories": "get",
    REPO: "get",
    f"{REPO}/actions/caches": "get",
    f"{REPO}/branches/{{branch}}": "get",
    f"{REPO}/check-runs": "post",
    f"{REPO}/check-runs/{{check_run_id}}": "get patch",
    f"{REPO}/check-runs/{{check_run_id}}/annotations": "get",
    f"{REPO}/code-scanning/sarifs": "post",
    f"{REPO}/collaborators/{{username}}/permission": "get",
    f"{REPO}/commits/{{commit_sha}}/branches-where-head": "get",
    f"{REPO}/commits/{{commit_sha}}/pulls": "get",
    f"{REPO}/commits/{{ref}}": "get",
    f"{REPO}/commits/{{ref}}/check-runs": "get",
    f"{REPO}/compare/{{basehead}}": "get",
    f"{REPO}/contents/{{path}}": "get put",
    f"{REPO}/git/blobs/{{file_sha}}": "get",
    f"{REPO}/installation": "get",
    f"{REPO}/issues": "get post",
    f"{REPO}/issues/{{issue_number}}": "get patch",
    f"{REPO}/issues/{{issue_number}}/comments": "get post",
    f"{REPO}/issues/comments/{{comment_id}}": "get patch delete",
    f"{REPO}/issues/comments/{{comment_id}}/reactions": "get post",
    f"{REPO}/pulls": "get",
    f"{REPO}/pulls/{{pull_number}}": "get",
    f"{REPO}/pulls/{{pull_number}}/comments": "get post",
    f"{REPO}/pulls/{{pull_number}}/comments/{{comment_id}}/replies": "post",
    f"{REPO}/pulls/{{pull_number}}/files": "get",
    f"{REPO}/pulls/{{pull_number}}/reviews": "get post",
    f"{REPO}/pulls/{{pull_number}}/reviews/{{review_id}}": "put",
    f"{REPO}/pulls/comments/{{comment_id}}": "get patch delete",
    f"{REPO}/pulls/comments/{{comment_id}}/reactions": "get post",
}
WEBHOOKS = """
check-run-requested-action check-run-rerequested check-suite-rerequested installation-created
installation-deleted installation-new-permissions-accepted installation-repositories-added
installation-repositories-removed
installation-suspend installation-unsuspend issue-comment-created issue-comment-edited
merge-group-checks-requested merge-group-destroyed ping pull-request-closed
pull-request-converted-to-draft pull-request-edited pull-request-labeled pull-request-opened
pull-request-ready-for-review pull-request-reopened pull-request-review-comment-created
pull-request-review-comment-edited pull-request-review-edited pull-request-review-submitted
pull-request-synchronize pull-request-unlabeled push
"""
GRAPHQL = {
    "Query": "repository",
    "Mutation": "minimizeComment resolveReviewThread unresolveReviewThread",
    "Repository": "nameWithOwner pullRequest",
    "PullRequest": "number reviewThreads",
    "PullRequestReviewThreadConnection": "nodes pageInfo totalCount",
    "PullRequestReviewThread": "comments id isOutdated isResolved line path",
    "PullRequestReviewCommentConnection": "nodes pageInfo totalCount",
    "PullRequestReviewComment": "body databaseId",
    "PageInfo": "endCursor hasNextPage",
    "ResolveReviewThreadPayload": "clientMutationId thread",
    "ResolveReviewThreadInput": "clientMutationId threadId",
    "UnresolveReviewThreadPayload": "clientMutationId thread",
    "UnresolveReviewThreadInput": "clientMutationId threadId",
    "MinimizeCommentPayload": "clientMutationId",
    "MinimizeCommentInput": "classifier clientMutationId subjectId",
    "ReportedContentClassifiers": "",
}
"""The fields of types that are used; their arguments, and what has values, stay as they are."""
NULL_ALL_THE_SAME = frozenset(("line", "original_line", "start_line"))
"""What GitHub answers null for though it says otherwise: comments on files and changed lines."""
READ_BY_PEOPLE = frozenset(
    "description summary externalDocs example examples tags deprecated title "
    "operationId readOnly".split()
)
"""Keys without meaning for a machine; a property may have such a name, too, and stays."""


def trimmed(whole: dict[str, Any]) -> dict[str, Any]:
    """The part of the description that is used, with all that it refers to."""
    part: dict[str, Any] = {
        "openapi": whole["openapi"],
        "info": {"title": SOURCE, "version": whole["info"]["version"]},
        "paths": {path: _operations(whole["paths"][path], USED[path]) for path in USED},
        "x-webhooks": {
            name: plain(whole["x-webhooks"][name]["post"]["requestBody"]["content"])[_JSON]
            for name in WEBHOOKS.split()
        },
        "components": {},
    }
    left = _references(part)
    while left:
        _, _, kind, name = left.pop().split("/")
        group = part["components"].setdefault(kind, {})
        if name not in group:
            group[name] = plain(whole["components"][kind][name])
            left |= _references(group[name])
    _correct(part["components"]["schemas"])
    part["components"] = {
        kind: dict(sorted(group.items())) for kind, group in sorted(part["components"].items())
    }
    return part


def _correct(schemas: dict[str, Any]) -> None:
    """Put right what is known to be wrong in the description."""
    for name in NULL_ALL_THE_SAME:
        schemas["pull-request-review-comment"]["properties"][name]["nullable"] = True


def _operations(item: dict[str, Any], used: str) -> dict[str, Any]:
    return {verb: plain(item[verb]) for verb in used.split()}


def plain(thing: Any, *, is_named: bool = False) -> Any:
    """A part of the description without what people read; `is_named`: its keys are names."""
    if isinstance(thing, list):
        return [plain(item) for item in thing]
    if not isinstance(thing, dict):
        return thing
    if thing.get("nullable") is True and isinstance(thing.get("enum"), list):
        # Null is one of the values, which OpenAPI 3.0 wants to be said.
        thing = {**thing, "enum": list(dict.fromkeys([*thing["enum"], None]))}
    return {
        key: plain(value, is_named=key in ("properties", "responses", "headers"))
        for key, value in thing.items()
        if is_named or (key not in READ_BY_PEOPLE and not key.startswith("x-"))
    }


def _references(thing: Any) -> set[str]:
    if isinstance(thing, list):
        return {found for item in thing for found in _references(item)}
    if not isinstance(thing, dict):
        return set()
    own = {thing["$ref"]} if isinstance(thing.get("$ref"), str) else set()
    return own | {found for item in thing.values() for found in _references(item)}


_KINDS = (ObjectTypeDefinitionNode, InputObjectTypeDefinitionNode, EnumTypeDefinitionNode)


def trimmed_graphql(text: str) -> str:
    """The part of the GraphQL schema that is used, with all arguments of its fields."""
    types = parse(text, no_location=True).definitions
    kept = [
        print_ast(_narrowed(node))
        for node in types
        if isinstance(node, _KINDS) and node.name.value in GRAPHQL
    ]
    return "\n\n".join([f"# {GRAPHQL_SOURCE}", *kept]) + "\n"


def _narrowed(node: Any) -> Any:
    """A type with the fields that are used."""
    if isinstance(node, EnumTypeDefinitionNode):
        return replace(_bare(node), values=tuple(_bare(one) for one in node.values or ()))
    kept = GRAPHQL[node.name.value].split()
    fields = tuple(_bare(field) for field in node.fields if field.name.value in kept)
    narrowed = replace(node, description=None, directives=(), fields=fields)
    return replace(narrowed, interfaces=()) if hasattr(node, "interfaces") else narrowed


def _bare(field: Any) -> Any:
    """A field, or an argument, without what people read."""
    bare = replace(field, description=None, directives=())
    if not getattr(field, "arguments", None):
        return bare
    return replace(bare, arguments=tuple(_bare(one) for one in field.arguments))


def written(thing: Any, depth: int = 2) -> str:
    """JSON with a line for each thing that has a name of its own."""
    if depth == 0 or not isinstance(thing, dict):
        return json.dumps(thing, ensure_ascii=False, separators=(",", ":"))
    inside = (f"{json.dumps(key)}:{written(value, depth - 1)}" for key, value in thing.items())
    return "{\n" + ",\n".join(inside) + "\n}"


def main() -> None:
    """Write the fixtures."""
    rest, graphql, folder = map(Path, sys.argv[1:4])
    part = trimmed(json.loads(rest.read_text(encoding="utf-8")))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rest.json").write_text(written(part, depth=3) + "\n", encoding="utf-8")
    schema = trimmed_graphql(graphql.read_text(encoding="utf-8"))
    (folder / "graphql.graphql").write_text(schema, encoding="utf-8")


if __name__ == "__main__":
    main()
