"""How the fake answers about check runs."""

from typing import TYPE_CHECKING, Any

from tests.bot.fake_github import views
from tests.bot.fake_github.api import REPO, of
from tests.bot.fake_github.calls import Answer, Call, Refusal, Routes
from tests.bot.fake_github.state import Repository, Run, numbers

if TYPE_CHECKING:
    from tests.bot.fake_github.server import GitHub

routes = Routes()
_ANNOTATIONS = 50


@routes.on("GET", f"{REPO}/commits/{{ref}}/check-runs", "checks:read")
def runs(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    name, app = call.query.get("check_name"), call.query.get("app_id")
    found = [
        views.run(item)
        for item in reversed(repo.runs)
        if item.head == call.named["ref"]
        and name in (None, item.name)
        and app in (None, str(item.app))
    ]
    if call.query.get("filter", "latest") == "latest":
        found = list({(item["name"], item["app"]["id"]): item for item in found[::-1]}.values())
    return Answer(200, {"total_count": len(found), "check_runs": found})


@routes.on("POST", f"{REPO}/check-runs", "checks:write")
def add_run(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    item = Run(next(numbers), hub.app, call.text("name"), call.text("head_sha"))
    _change_run(item, call.body)
    repo.runs.append(item)
    return Answer(201, views.run(item))


@routes.on("GET", f"{REPO}/check-runs/{{check_run_id}}", "checks:read")
def run(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    return Answer(200, views.run(of(repo.runs, call, "check_run_id")))


@routes.on("PATCH", f"{REPO}/check-runs/{{check_run_id}}", "checks:write")
def change_run(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    item = of(repo.runs, call, "check_run_id")
    if item.app != hub.app:
        raise Refusal(403, "Invalid app_id `1` - check run can only be modified by its creator.")
    _change_run(item, call.body)
    return Answer(200, views.run(item))


@routes.on("GET", f"{REPO}/check-runs/{{check_run_id}}/annotations", "checks:read")
def annotations(hub: "GitHub", repo: Repository, call: Call) -> Answer:
    item = of(repo.runs, call, "check_run_id")
    return Answer(200, [views.annotation(one) for one in item.annotations])


def _change_run(item: Run, asked: dict[str, Any]) -> None:
    """What a check run is told to be; remarks are added to those that it has."""
    said = dict(asked.get("output") or {})
    more = said.pop("annotations", [])
    if len(more) > _ANNOTATIONS:
        raise Refusal(422, "Invalid request. No more than 50 annotations are allowed")
    if len(said.get("summary") or "") > 65_535:
        raise Refusal(422, "Invalid request. summary is too long")
    if len(asked.get("actions") or []) > 3:
        raise Refusal(422, "Invalid request. No more than 3 actions are allowed")
    item.actions = asked.get("actions", item.actions)
    for name in ("status", "conclusion", "external_id", "details_url"):
        if name in asked:
            setattr(item, name, asked[name])
    if asked.get("conclusion"):
        item.status = "completed"
    elif asked.get("status") in ("queued", "in_progress"):
        item.conclusion = None
    item.output |= said
    item.annotations += more
