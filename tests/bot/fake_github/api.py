"""How the fake answers: each handler stands for one kind of request of GitHub's interface."""

from typing import TYPE_CHECKING, Any

from tests.bot.fake_github import views
from tests.bot.fake_github.calls import Answer, Call, Refusal, Routes
from tests.bot.fake_github.description import shaped
from tests.bot.fake_github.state import Comment, Issue, Repository, Review, numbers

if TYPE_CHECKING:
    from tests.bot.fake_github.server import GitHub

routes = Routes()
REPO = "/repos/{owner}/{repo}"
_CONTENTS = "+1 -1 laugh confused heart hooray rocket eyes".split()


@routes.on("GET", REPO, "metadata:read")
def repository(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    return Answer(200, views.repository(repo))


@routes.on("GET", f"{REPO}/branches/{{branch}}", "contents:read")
def branch(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    name = call.named["branch"]
    tip = repo.tip(name)
    if not tip:
        raise Refusal(404, "Branch not found")
    shown = shaped("branch-with-protection", name=name, commit={"sha": tip}, protected=False)
    return Answer(200, shown)


@routes.on("GET", f"{REPO}/compare/{{basehead}}", "contents:read")
def compare(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    base, _, head = call.named["basehead"].partition("...")
    parted = repo.merge_base(base, head)
    if parted is None:
        raise Refusal(404, "Not Found")
    merge_base = shaped("commit", sha=parted)
    shown = shaped("commit-comparison", merge_base_commit=merge_base, status="ahead")
    return Answer(200, shown)


@routes.on("GET", f"{REPO}/collaborators/{{username}}/permission", "metadata:read")
def permission(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    login = call.named["username"]
    role = repo.people.get(login)
    if role is None and login not in hub.people:
        raise Refusal(404, "Not Found")
    role = role or "read"
    plain = {"maintain": "write", "triage": "read"}.get(role, role)
    known = {"permission": plain, "role_name": role, "user": views.collaborator(login, role)}
    return Answer(200, shaped("repository-collaborator-permission", **known))


@routes.on("GET", f"{REPO}/pulls", "pull_requests:read")
def pulls(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    wanted = call.query.get("state", "open")
    found = [
        item
        for item in repo.pulls.values()
        if wanted == "all" or item.is_open == (wanted == "open")
    ]
    return Answer(200, [views.pull(repo, item, is_listed=True) for item in found])


@routes.on("GET", f"{REPO}/pulls/{{pull_number}}", "pull_requests:read")
def pull(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    return Answer(200, views.pull(repo, _pull(repo, call)))


@routes.on("GET", f"{REPO}/pulls/{{pull_number}}/files", "pull_requests:read")
def files(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    shown = repo.shown(_pull(repo, call))
    return Answer(200, [shaped("diff-entry", filename=name) for name in shown])


@routes.on("GET", f"{REPO}/issues", "issues:read")
def issues(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    label, state = call.query.get("labels", ""), call.query.get("state", "open")
    found = [
        item
        for item in repo.issues.values()
        if (not label or label in item.labels) and state in ("all", item.state)
    ]
    return Answer(200, [views.issue(repo, item) for item in found])


@routes.on("POST", f"{REPO}/issues", "issues:write")
def open_issue(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    number = len(repo.pulls) + len(repo.issues) + 1
    made = Issue(
        number, hub.login, call.text("title"), call.text("body"), list(call.body.get("labels", ()))
    )
    repo.issues[number] = made
    return Answer(201, views.issue(repo, made))


@routes.on("PATCH", f"{REPO}/issues/{{issue_number}}", "issues:write")
def change_issue(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    item = repo.issues.get(call.number("issue_number"))
    if item is None:
        raise Refusal(404, "Not Found")
    item.body = call.body.get("body", item.body)
    item.state = call.body.get("state", item.state)
    return Answer(200, views.issue(repo, item))


@routes.on("GET", f"{REPO}/issues/{{issue_number}}/comments", "pull_requests:read")
def comments(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    number = _pull(repo, call, "issue_number").number
    found = [item for item in repo.comments if item.number == number]
    return Answer(200, [views.comment(repo, item) for item in found])


@routes.on("POST", f"{REPO}/issues/{{issue_number}}/comments", "pull_requests:write")
def add_comment(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    number = _pull(repo, call, "issue_number").number
    made = Comment(next(numbers), number, hub.login, call.text("body"))
    repo.comments.append(made)
    return Answer(201, views.comment(repo, made))


@routes.on("GET", f"{REPO}/issues/comments/{{comment_id}}", "pull_requests:read")
def comment(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    return Answer(200, views.comment(repo, of(repo.comments, call)))


@routes.on("PATCH", f"{REPO}/issues/comments/{{comment_id}}", "pull_requests:write")
def edit_comment(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    item = of(repo.comments, call)
    item.body = call.text("body")
    return Answer(200, views.comment(repo, item))


@routes.on("DELETE", f"{REPO}/issues/comments/{{comment_id}}", "pull_requests:write")
def delete_comment(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    repo.comments.remove(of(repo.comments, call))
    return Answer(204)


@routes.on("GET", f"{REPO}/pulls/{{pull_number}}/comments", "pull_requests:read")
def remarks(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    number = _pull(repo, call).number
    found = [item for item in repo.remarks if item.number == number]
    return Answer(200, [views.remark(repo, item) for item in found])


@routes.on("POST", f"{REPO}/pulls/{{pull_number}}/comments", "pull_requests:write")
def add_remark(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    made = _placed(hub, repo, call, call.body)
    repo.remarks.append(made)
    return Answer(201, views.remark(repo, made))


@routes.on(
    "POST", f"{REPO}/pulls/{{pull_number}}/comments/{{comment_id}}/replies", "pull_requests:write"
)
def reply(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    first = of(repo.remarks, call)
    if first.reply_to is not None or first.number != call.number("pull_number"):
        raise Refusal(404, "Not Found")
    made = Comment(
        next(numbers),
        first.number,
        hub.login,
        call.text("body"),
        path=first.path,
        line=first.line,
        original_line=first.original_line,
        commit=first.commit,
        reply_to=first.id,
    )
    repo.remarks.append(made)
    return Answer(201, views.remark(repo, made))


@routes.on("GET", f"{REPO}/pulls/comments/{{comment_id}}", "pull_requests:read")
def remark(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    return Answer(200, views.remark(repo, of(repo.remarks, call)))


@routes.on("PATCH", f"{REPO}/pulls/comments/{{comment_id}}", "pull_requests:write")
def edit_remark(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    item = of(repo.remarks, call)
    item.body = call.text("body")
    return Answer(200, views.remark(repo, item))


@routes.on("DELETE", f"{REPO}/pulls/comments/{{comment_id}}", "pull_requests:write")
def delete_remark(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    repo.remarks.remove(of(repo.remarks, call))
    return Answer(204)


@routes.on("GET", f"{REPO}/pulls/{{pull_number}}/reviews", "pull_requests:read")
def reviews(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    number = _pull(repo, call).number
    return Answer(200, [views.review(item) for item in repo.reviews if item.number == number])


@routes.on("POST", f"{REPO}/pulls/{{pull_number}}/reviews", "pull_requests:write")
def add_review(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    """One review; where a single comment of it cannot stand, there is none at all."""
    asked = call.body.get("comments") or []
    if call.body.get("event") != "COMMENT":
        raise Refusal(422, "the fake knows reviews that comment only")
    if not asked and not call.body.get("body"):
        raise Refusal(422, "Unprocessable Entity")
    made = [_placed(hub, repo, call, item) for item in asked]
    number, head = _pull(repo, call).number, call.body.get("commit_id") or _pull(repo, call).head
    item = Review(next(numbers), number, hub.login, call.body.get("body") or "", head, "COMMENT")
    for one in made:
        one.review = item.id
    repo.remarks += made
    repo.reviews.append(item)
    return Answer(200, views.review(item))


@routes.on("PUT", f"{REPO}/pulls/{{pull_number}}/reviews/{{review_id}}", "pull_requests:write")
def edit_review(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    item = of(repo.reviews, call, "review_id")
    item.body = call.text("body")
    return Answer(200, views.review(item))


@routes.on("GET", f"{REPO}/issues/comments/{{comment_id}}/reactions", "pull_requests:read")
def reactions(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    return _reactions(of(repo.comments, call))


@routes.on("POST", f"{REPO}/issues/comments/{{comment_id}}/reactions", "pull_requests:write")
def react(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    return _react(hub, of(repo.comments, call), call)


@routes.on("GET", f"{REPO}/pulls/comments/{{comment_id}}/reactions", "pull_requests:read")
def remark_reactions(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    return _reactions(of(repo.remarks, call))


@routes.on("POST", f"{REPO}/pulls/comments/{{comment_id}}/reactions", "pull_requests:write")
def remark_react(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    return _react(hub, of(repo.remarks, call), call)


def _pull(repo: Repository, call: Call, name: str = "pull_number") -> Any:
    found = repo.pulls.get(call.number(name))
    if found is None:
        raise Refusal(404, "Not Found")
    return found


def of(things: list[Any], call: Call, name: str = "comment_id") -> Any:
    found = next((item for item in things if item.id == call.number(name)), None)
    if found is None:
        raise Refusal(404, "Not Found")
    return found


def _placed(hub: "GitHub", repo: Repository, call: Call, asked: dict[str, Any]) -> Comment:
    """A comment that can stand where it is asked for; only what the diff shows has a place."""
    item, path = _pull(repo, call), asked.get("path")
    head = asked.get("commit_id") or call.body.get("commit_id") or item.head
    if not repo.is_part_of(item, head):
        raise Refusal(422, "Unprocessable Entity", [f"No commit found for SHA: {head}"])
    shown = repo.shown(item)
    if path not in shown:
        raise Refusal(422, "Unprocessable Entity", ["Path could not be resolved"])
    body = Call("", "", body=asked).text("body")
    made = Comment(next(numbers), item.number, hub.login, body, path=path, commit=head)
    if asked.get("subject_type") == "file":
        return made
    last: int = asked.get("line") or 0
    first: int = asked.get("start_line") or last
    if asked.get("start_line") == last:
        raise Refusal(422, "Unprocessable Entity", ["start_line must precede the end line."])
    if not any(start <= first <= last <= end for start, end in shown[path]):
        raise Refusal(422, "Unprocessable Entity", ["Line could not be resolved"])
    made.line = made.original_line = last
    made.start_line = asked.get("start_line")
    return made


def _reactions(item: Comment) -> Answer:
    found = [
        shaped("reaction", user=views.user(login), content=content)
        for login, content in item.reactions
    ]
    return Answer(200, found)


def _react(hub: "GitHub", item: Comment, call: Call) -> Answer:
    content = call.text("content")
    if content not in _CONTENTS:
        raise Refusal(422, "Validation Failed")
    status = 200 if (hub.login, content) in item.reactions else 201
    if status == 201:
        item.reactions.append((hub.login, content))
    return Answer(status, shaped("reaction", user=views.user(hub.login), content=content))
