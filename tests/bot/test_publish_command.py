"""`pf-publish`: what is told of a review, to whom, and how often."""

import json

import pytest
from pydantic import TypeAdapter

from bot import publish_command
from bot.domain.comment import (
    CommentKind,
    ObjectionSource,
    ReviewComments,
    WantedComment,
    marked,
    paper_word,
    read_mark,
)
from pfcore.cli.github_actions import WITHHELD
from pfcore.reporters.formats.publication import Conclusion, handed, packed
from tests.bot.conftest import HEAD, ME, OTHER, line, made

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

BASE = "b" * 40
REPO = {"id": 1, "full_name": "us/paper", "default_branch": "main"}
MARK = "<!-- pf-verify:review -->"
QUIET = {"conclusion": Conclusion.CLEAN, "is_quiet": True, "is_open": False, "summary": "Clean."}


@pytest.fixture
def run(world, tmp_path, monkeypatch, capsys):
    """A run of the last job: the event, and what it was given."""
    values = {
        "GITHUB_API_URL": world.api,
        "GITHUB_SERVER_URL": "https://git.example.edu",
        "GITHUB_REPOSITORY": "us/paper",
        "GITHUB_RUN_ID": "12",
        "GITHUB_REF": "refs/heads/main",
        "GITHUB_SHA": BASE,
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "PF_TOKEN": "a-token",
        "PF_TELL": "review",
        "PF_PAUSE": "0",
        "PF_EXPECTED": "true",
        "PF_ADVISORY": "true",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    world.pulls = [{"number": 7, "head": {"sha": HEAD}}]

    def go(structure=None, proofs=None, *, name="pull_request", payload=None, **environ):
        monkeypatch.setenv("GITHUB_EVENT_NAME", name)
        (tmp_path / "event.json").write_text(json.dumps(payload or pull_request()))
        monkeypatch.setenv("PF_PUBLICATION", handed(structure or made()))
        monkeypatch.setenv("PF_PROOFS", handed(proofs) if proofs else "")
        for key, value in environ.items():
            monkeypatch.setenv(key, value)
        status = publish_command.main()
        found = capsys.readouterr()
        return status, found.out + found.err

    return go


def pull_request(repo=REPO):
    pull = {"number": 7, "head": {"sha": HEAD, "repo": repo}, "base": {"sha": BASE}}
    return {"repository": REPO, "pull_request": pull}


PUSH = {"repository": REPO, "ref": "refs/heads/main", "before": BASE, "after": HEAD}


def writes(world):
    return [call for call in world.calls if call[0] != "GET"]


def test_a_pull_request_gets_one_comment_that_later_runs_change(run, world):
    run(proofs=made())
    run(proofs=made(summary="### Another\n"))
    (comment,) = world.comments
    assert comment["body"].startswith("### Another\n")
    assert comment["body"].endswith(MARK)
    assert "https://git.example.edu/us/paper/actions/runs/12" in comment["body"]


def test_the_same_again_writes_no_comment(run, world):
    run(proofs=made())
    count = len(world.calls)
    run(proofs=made())
    assert [c for c in world.calls[count:] if c[0] != "GET"] == [("PATCH", "/check-runs/900")]


def test_where_there_is_nothing_to_say_nothing_is_said(run, world):
    assert run(proofs=made(**QUIET))[1].startswith("#7: nothing to report")
    assert world.comments == []


def test_what_was_said_is_taken_back_when_it_is_so_no_more(run, world):
    run(proofs=made())
    run(proofs=made(**QUIET))
    assert world.comments[0]["body"].startswith("Clean.")


def test_a_mark_in_the_words_of_others_is_no_mark(run, world):
    world.comments = [{"id": 1, "user": OTHER, "body": f"mine {MARK}"}]
    run(proofs=made(summary=f"<!-- pf-verify:branch --> {MARK}\nx"))
    assert world.comments[0]["body"] == f"mine {MARK}"
    assert world.comments[1]["body"].count("<!--") == 1


def test_a_comment_of_ours_that_stands_twice_is_left_alone(run, world):
    world.comments = [{"id": id_, "user": ME, "body": f"old\n\n{MARK}"} for id_ in (1, 2)]
    run(proofs=made())
    assert [item["body"].splitlines()[0] for item in world.comments] == [
        "### pf-verify: 1 finding, 1 blocking",
        "old",
    ]
    assert "DELETE" not in [method for method, _ in world.calls]


def test_a_pull_request_that_has_moved_on_is_left_alone(run, world):
    world.pulls[0]["head"]["sha"] = BASE
    assert "has a newer commit" in run(proofs=made())[1]
    assert world.comments == []


@pytest.mark.parametrize("name", ["release", "create"])
def test_of_a_tag_no_pull_request_hears_though_it_has_the_commit(run, world, name):
    payload = {"repository": REPO, "ref_type": "tag"}
    where = {"GITHUB_SHA": HEAD, "GITHUB_REF": "refs/tags/v1", "PF_MODEL": "m"}
    status, said = run(proofs=made(), name=name, payload=payload, **where)
    assert (status, said) == (0, "tag: the review is on the page of this run\n")
    assert world.calls == []


def test_code_scanning_gets_what_is_found_at_a_tag(run, world):
    where = {"GITHUB_SHA": HEAD, "GITHUB_REF": "refs/tags/v1", "PF_TELL": "scanning"}
    run(name="release", payload={"repository": REPO}, PF_SARIF=packed("{}"), **where)
    (scan,) = world.scans
    assert (scan["ref"], scan["commit_sha"]) == ("refs/tags/v1", HEAD)


def test_a_fork_s_run_asks_nothing_of_github(run, world):
    assert run(payload=pull_request({"id": 2, "full_name": "you/paper"}))[0] == 0
    assert world.calls == []


def test_a_maintainer_s_run_finds_the_pull_request_of_the_commit(run, world):
    payload = {"repository": REPO, "inputs": {"head": HEAD}}
    run(proofs=made(), name="workflow_dispatch", payload=payload)
    assert len(world.comments) == 1


@pytest.mark.parametrize(
    ("ended", "is_advisory", "conclusion"),
    [
        (Conclusion.CLEAN, False, "success"),
        (Conclusion.CLEAN, True, "success"),
        (Conclusion.STRUCTURE, True, "neutral"),
        (Conclusion.STRUCTURE, False, "action_required"),
        (Conclusion.FINDINGS, False, "neutral"),
        (Conclusion.BLOCKING, True, "neutral"),
        (Conclusion.BLOCKING, False, "failure"),
        (Conclusion.INCOMPLETE, True, "neutral"),
        (Conclusion.INCOMPLETE, False, "action_required"),
    ],
)
def test_what_was_not_read_passes_no_check_that_is_required(
    run, world, ended, is_advisory, conclusion
):
    run(proofs=made(conclusion=ended), PF_ADVISORY=str(is_advisory).lower())
    assert world.runs[0]["conclusion"] == conclusion


def test_proofs_that_could_not_be_read_are_said_to_be_unread(run, world):
    run(structure=made(**QUIET), PF_ADVISORY="false")
    assert "**The proofs could not be read;**" in world.comments[0]["body"]
    assert world.runs[0]["conclusion"] == "action_required"


@pytest.mark.parametrize("ended", [Conclusion.CLEAN, Conclusion.FINDINGS])
def test_where_some_proofs_are_unread_the_check_does_not_pass(run, world, ended):
    run(proofs=made(conclusion=ended, is_read=False), PF_ADVISORY="false")
    assert world.runs[0]["conclusion"] == "action_required"


def test_where_no_model_is_named_there_is_no_check_of_proofs(run, world):
    run(PF_EXPECTED="false")
    assert world.runs == []
    assert len(world.comments) == 1


@pytest.mark.parametrize("ended", [Conclusion.STRUCTURE, Conclusion.FINDINGS, Conclusion.BLOCKING])
def test_where_no_proof_is_affected_a_check_that_is_required_passes(run, world, ended):
    run(made(conclusion=ended), PF_EXPECTED="false", PF_MODEL="m", PF_ADVISORY="false")
    (check,) = world.runs
    assert (check["conclusion"], check["output"]["title"]) == ("success", "No proof is affected")


@pytest.mark.parametrize(
    ("is_advisory", "conclusion"), [("true", "neutral"), ("false", "action_required")]
)
def test_what_could_not_be_looked_at_may_be_just_what_is_affected(
    run, world, is_advisory, conclusion
):
    cut = made(conclusion=Conclusion.INCOMPLETE, title="1 file was not read")
    run(cut, PF_EXPECTED="false", PF_MODEL="m", PF_ADVISORY=is_advisory)
    (check,) = world.runs
    assert (check["conclusion"], check["output"]["title"]) == (conclusion, "1 file was not read")


@pytest.mark.parametrize("is_advisory", ["true", "false"])
def test_what_is_not_to_be_read_passes_nowhere_as_read(run, world, is_advisory):
    told = made(
        **{**QUIET, "conclusion": Conclusion.INCOMPLETE, "title": WITHHELD, "summary": WITHHELD}
    )
    run(told, PF_EXPECTED="false", PF_MODEL="m", PF_ADVISORY=is_advisory)
    (check,) = world.runs
    assert (check["conclusion"], check["output"]["title"]) == ("action_required", WITHHELD)
    assert world.comments == []


@pytest.mark.parametrize("ref", ["refs/heads/main", "refs/heads/side", "refs/tags/v1"])
def test_a_push_that_affects_no_proof_replaces_no_check_of_its_commit(run, world, ref):
    push = {"name": "push", "payload": {**PUSH, "ref": ref}, "GITHUB_REF": ref}
    run(made(**QUIET), PF_EXPECTED="false", PF_MODEL="m", **push)
    assert [check["name"] for check in world.runs if check["name"] == "pf / proofs"] == []


def test_a_merge_queue_that_waits_for_the_check_gets_it(run, world):
    group = {"repository": REPO, "merge_group": {"head_sha": HEAD, "base_sha": BASE}}
    run(made(**QUIET), name="merge_group", payload=group, PF_EXPECTED="false", PF_MODEL="m")
    assert [check["conclusion"] for check in world.runs] == ["success"]


def test_against_another_base_the_same_commit_has_another_check(run, world):
    required = {"PF_MODEL": "m", "PF_ADVISORY": "false"}
    run(proofs=made(), GITHUB_RUN_ID="12", **required)
    run(made(**QUIET), PF_EXPECTED="false", GITHUB_RUN_ID="13", **required)
    assert [check["conclusion"] for check in world.runs] == ["failure", "success"]


def test_where_nobody_says_whether_proofs_were_to_be_read_they_were(run, world):
    run(structure=made(**QUIET), PF_EXPECTED="", PF_ADVISORY="false")
    assert world.runs[0]["conclusion"] == "action_required"


def at(number, name):
    repo = name and {"id": 2 if name.startswith("them/") else 1, "full_name": name}
    return {"number": number, "head": {"sha": HEAD, "repo": repo}}


@pytest.mark.parametrize(
    ("pulls", "name"),
    [
        ([at(7, "us/paper"), at(9, "us/paper")], "pf / proofs"),
        ([at(7, "us/paper"), at(5, "us/before")], "pf / proofs (#7)"),
        ([at(7, "us/paper"), at(5, "them/paper"), at(6, None)], "pf / proofs"),
    ],
)
def test_of_pull_requests_with_one_head_the_first_of_the_repository_has_the_name(
    run, world, pulls, name
):
    world.pulls = pulls
    assert run(proofs=made())[0] == 0
    (check,) = world.runs
    assert check["name"] == name
    told = "This commit is also the head of #5, where its check is `pf / proofs`."
    assert (told in check["output"]["summary"]) == (name != "pf / proofs")


@pytest.mark.parametrize(
    ("name", "payload", "check"),
    [
        ("push", {"ref": "refs/heads/main", "before": BASE, "after": HEAD}, "pf / proofs (push)"),
        (
            "workflow_dispatch", {"inputs": {"head": HEAD}}, "pf / proofs (workflow_dispatch)",
        ),
        ("merge_group", {"merge_group": {"head_sha": HEAD, "base_sha": BASE}}, "pf / proofs"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("owner", ["us/paper", "them/paper"])
def test_what_is_told_of_no_pull_request_moves_the_check_of_none(
    run, world, name, payload, check, owner
):
    world.pulls = [at(7, owner)]
    run(proofs=made(), name=name, payload={"repository": REPO, **payload})
    told = [item["name"] for item in world.runs if item["name"] != "pf / push"]
    assert told == [check if owner == "us/paper" else "pf / proofs"]


def closing(number, action="closed", **more):
    """An event of a pull request of the repository; others have its head, too."""
    payload = pull_request() | {"action": action, **more}
    payload["pull_request"]["number"] = number
    return payload


def shown(world):
    """What people see under each name: the newest check of it."""
    return {run["name"]: (run["conclusion"], run["output"]["title"]) for run in world.runs}


def two(run, world, second=(Conclusion.CLEAN, "No findings")):
    """#5 has a finding against its base; #7, with the same head, has another result."""
    world.pulls = [at(5, "us/paper"), at(7, "us/paper")]
    own = {"PF_ADVISORY": "false"}
    run(proofs=made(), payload=closing(5, "opened"), GITHUB_RUN_ID="1", **own)
    ended, title = second
    again = made(conclusion=ended, title=title, summary=f"### {title}\n")
    run(proofs=again, payload=closing(7, "opened"), GITHUB_RUN_ID="2", **own)


RED = ("failure", "1 finding, 1 blocking")


def test_a_pull_request_that_closes_hands_its_check_on_to_the_next_with_its_head(run, world):
    two(run, world)
    assert shown(world) == {"pf / proofs": RED, "pf / proofs (#7)": ("success", "No findings")}
    world.pulls = [at(7, "us/paper")]
    status, said = run(payload=closing(5), PF_TELL="closing", GITHUB_RUN_ID="3")
    assert (status, said) == (0, "pf / proofs: now belongs to #7, success\n")
    assert shown(world)["pf / proofs"] == ("success", "No findings")
    words = world.runs[-1]["output"]["summary"]
    assert words.startswith("### No findings") and "#5" not in words


def test_a_check_that_was_handed_on_is_handed_on_once(run, world):
    two(run, world)
    world.pulls = [at(7, "us/paper")]
    for _ in range(2):
        run(payload=closing(5), PF_TELL="closing", GITHUB_RUN_ID="3")
    assert [run["name"] for run in world.runs].count("pf / proofs") == 2
    assert "has no check" in run(payload=closing(5), PF_TELL="closing", GITHUB_RUN_ID="4")[1]


@pytest.mark.parametrize(
    "left", [[], [at(5, "us/paper")], [at(5, "us/paper"), at(8, "us/paper")], [at(8, "them/paper")]]
)
def test_where_the_check_is_not_left_behind_nothing_is_told(run, world, left):
    two(run, world)
    world.pulls, count = left, len(world.runs)
    number = 7 if left and left[0]["number"] == 5 else 5
    assert run(payload=closing(number), PF_TELL="closing")[0] == 0
    assert len(world.runs) == count and writes(world)[-1][1] != "/check-runs/900"


def test_a_pull_request_that_gets_another_commit_hands_the_check_of_the_old_one_on(run, world):
    two(run, world)
    world.pulls = [at(7, "us/paper"), {**at(5, "us/paper"), "head": {"sha": "c" * 40}}]
    payload = closing(5, "synchronize", before=HEAD)
    payload["pull_request"]["head"]["sha"] = "c" * 40
    newer = made(head="c" * 40)
    run(newer, newer, payload=payload, GITHUB_RUN_ID="3", PF_ADVISORY="false")
    status, said = run(payload=payload, PF_TELL="closing", GITHUB_RUN_ID="3")
    assert (status, said) == (0, "pf / proofs: now belongs to #7, success\n")
    found = [(check["head_sha"][0], check["conclusion"]) for check in world.runs[2:]]
    assert found == [("c", "failure"), ("a", "success")]


def test_a_pull_request_that_had_the_check_before_the_other_came_has_it_again(run, world):
    world.pulls = [at(7, "us/paper")]
    required = {"PF_ADVISORY": "false"}
    clean = made(conclusion=Conclusion.CLEAN, title="No findings", summary="### None\n")
    run(proofs=clean, payload=closing(7, "opened"), GITHUB_RUN_ID="1", **required)
    world.pulls.append(at(5, "us/paper"))
    run(proofs=made(), payload=closing(5, "synchronize"), GITHUB_RUN_ID="2", **required)
    assert shown(world)["pf / proofs"] == RED
    world.pulls.pop()
    run(payload=closing(5), PF_TELL="closing", GITHUB_RUN_ID="3")
    assert shown(world)["pf / proofs"] == ("success", "No findings")


def test_what_nobody_has_reviewed_does_not_pass_by_the_check_of_one_that_closed(run, world):
    world.pulls = [at(5, "us/paper"), at(7, "us/paper")]
    run(proofs=made(conclusion=Conclusion.CLEAN), payload=closing(5, "opened"), GITHUB_RUN_ID="1")
    world.pulls = [at(7, "us/paper")]
    assert run(payload=closing(5), PF_TELL="closing", GITHUB_RUN_ID="2")[0] == 0
    assert shown(world) == {"pf / proofs": ("action_required", "Not reviewed")}
    assert "re-run" in world.runs[-1]["output"]["summary"]


def test_where_a_pull_request_closes_while_another_is_told_the_last_word_is_right(run, world):
    two(run, world)

    def close(method, path):
        if method == "POST" and path == "/check-runs":
            world.pulls = [at(7, "us/paper")]

    world.before = close
    clean = made(conclusion=Conclusion.CLEAN, title="Later", summary="### Later\n")
    for number in (7, 5):  # whichever publishes last
        world.pulls = [at(5, "us/paper"), at(7, "us/paper")]
        name = str(10 + number)
        run(
            proofs=clean if number == 7 else made(),
            payload=closing(number, "edited"),
            GITHUB_RUN_ID=name,
        )
        assert shown(world)["pf / proofs"] == ("success", "Later")


def test_a_check_of_that_name_by_another_program_is_not_handed_on(run, world):
    two(run, world)
    theirs = dict(world.runs[-1], id=999, app={"id": 1, "slug": "evil"}, conclusion="success")
    world.runs[-1]["conclusion"] = "failure"
    world.runs.append(theirs)
    world.pulls = [at(7, "us/paper")]
    run(payload=closing(5), PF_TELL="closing", GITHUB_RUN_ID="3")
    assert shown(world)["pf / proofs"][0] == "failure"


def test_papers_hand_their_own_checks_on(run, world):
    world.pulls = [at(5, "us/paper"), at(7, "us/paper")]
    for number in (5, 7):
        run(
            proofs=made(),
            payload=closing(number, "opened"),
            PF_PAPER="a",
            GITHUB_RUN_ID=f"{number}",
        )
    world.pulls = [at(7, "us/paper")]
    assert "has no check" in run(payload=closing(5), PF_TELL="closing", PF_PAPER="b")[1]
    said = run(payload=closing(5), PF_TELL="closing", PF_PAPER="a", GITHUB_RUN_ID="8")[1]
    assert said == "pf / proofs (a): now belongs to #7, neutral\n"


@pytest.mark.parametrize(("is_advisory", "title"), [(True, "1 finding"), (False, "1 finding, 1 b")])
def test_an_advisory_check_calls_nothing_blocking(run, world, is_advisory, title):
    found = made(title="1 finding, 1 blocking", conclusion=Conclusion.BLOCKING)
    run(proofs=found, PF_ADVISORY=str(is_advisory).lower())
    assert world.runs[0]["output"]["title"] == title.replace("1 b", "1 blocking")


def test_two_papers_of_a_repository_say_nothing_in_each_others_place(run, world):
    for paper in (".", "thesis", "thesis", "."):
        run(proofs=made(summary=f"Of {paper}"), PF_PAPER=paper)
    assert [run["name"] for run in world.runs] == ["pf / proofs", "pf / proofs (thesis)"]
    assert [item["body"].splitlines()[0] for item in world.comments] == ["Of .", "Of thesis"]


def begins(world):
    """What the next push is compared with, by the check beside the commit, and how it ended."""
    return [
        (run["external_id"], run["conclusion"]) for run in world.runs if run["name"] == "pf / push"
    ]


@pytest.mark.parametrize("is_expected", ["true", "false"])
def test_a_push_whose_review_was_completed_is_what_the_next_one_is_compared_with(
    run, world, is_expected
):
    proofs = made() if is_expected == "true" else None
    push = {"name": "push", "payload": PUSH, "PF_EXPECTED": is_expected, "PF_SINCE": BASE}
    run(proofs=proofs, **push)
    run(proofs=proofs, **push)
    assert begins(world) == [(HEAD, "neutral")]


def test_a_push_with_files_that_could_not_be_read_is_part_of_the_next_one(run, world):
    cut = made(conclusion=Conclusion.INCOMPLETE)
    run(structure=cut, name="push", payload=PUSH, PF_SINCE=BASE, PF_EXPECTED="false")
    assert begins(world) == [(BASE, "neutral")]


@pytest.mark.parametrize("proofs", [None, made(is_read=False)])
@pytest.mark.parametrize("since", [BASE, "c" * 40])
def test_what_a_push_left_unread_is_part_of_the_next_one(run, world, proofs, since):
    run(proofs=proofs, name="push", payload=PUSH, PF_SINCE=since)
    assert begins(world) == [(since, "neutral")]


def test_of_a_whole_paper_that_was_not_read_to_the_end_nothing_is_said(run, world):
    run(proofs=made(is_read=False), name="push", payload=PUSH, PF_SINCE="")
    assert begins(world) == []


def test_what_is_told_last_is_that_it_was_completed(run, world):
    world.before = lambda method, path: 403 if (method, path) == ("POST", "/issues") else None
    status, _ = run(proofs=made(), name="push", payload=PUSH, PF_TELL="review issue")
    assert (status, begins(world)) == (3, [])


@pytest.mark.parametrize("name", ["pull_request", "workflow_dispatch"])
def test_no_other_review_says_where_the_next_push_begins(run, world, name):
    payload = {"repository": REPO, "inputs": {"head": HEAD}}
    run(proofs=made(), name=name, payload=payload if name == "workflow_dispatch" else None)
    assert begins(world) == []


def test_a_backlog_that_was_read_to_the_end_is_a_place_to_begin_from(run, world):
    dispatch = {"name": "workflow_dispatch", "payload": {"repository": REPO}, "GITHUB_SHA": HEAD}
    run(proofs=made(is_read=False), **dispatch)
    assert begins(world) == []
    run(proofs=made(), **dispatch)
    assert begins(world) == [(HEAD, "neutral")]


def test_pushes_keep_one_issue_up_to_date(run, world):
    push = {"name": "push", "payload": PUSH, "PF_TELL": "review issue"}
    run(proofs=made(), **push)
    run(proofs=made(summary="Another."), **push)
    (issue,) = world.issues
    assert issue["body"].startswith("Another.")
    assert issue["state"] == "open"
    run(proofs=made(**QUIET), **push)
    assert issue["state"] == "closed"
    assert world.comments == []


def test_an_issue_stays_open_where_proofs_are_unread(run, world):
    push = {"name": "push", "payload": PUSH, "PF_TELL": "issue"}
    unread = QUIET | {"conclusion": Conclusion.INCOMPLETE, "is_read": False}
    run(proofs=made(), **push)
    run(proofs=made(**unread), **push)
    assert world.issues[0]["state"] == "open"


def test_where_nothing_is_open_no_issue_is_opened(run, world):
    run(proofs=made(**QUIET), name="push", payload=PUSH, PF_TELL="issue")
    assert world.issues == []


def test_an_issue_that_somebody_closed_stays_closed_until_there_is_news(run, world):
    push = {"name": "push", "payload": PUSH, "PF_TELL": "issue"}
    run(proofs=made(), **push)
    world.issues[0]["state"] = "closed"
    run(proofs=made(), **push)
    assert world.issues[0]["state"] == "closed"


def test_lines_of_the_ledger_are_committed_on_the_default_branch(run, world):
    text = line("m")
    push = {"name": "push", "payload": PUSH, "PF_TELL": "lock"}
    run(structure=made(ledgers={"pf.lock": text}), **push)
    assert world.files["pf.lock"].decode() == text
    run(structure=made(ledgers={"pf.lock": text}), **push)
    assert len(writes(world)) == 1


def test_code_scanning_gets_the_findings(run, world):
    run(PF_TELL="scanning", PF_SARIF="H4sI")
    assert world.scans == [
        {"commit_sha": HEAD, "ref": "refs/pull/7/head", "sarif": "H4sI", "tool_name": "pf-verify"}
    ]


@pytest.mark.parametrize("way", ["scanning", "lock"])
def test_of_private_findings_nothing_is_handed_on(run, world, way):
    out = run(made(is_private=True), name="push", payload=PUSH, PF_TELL=way, PF_SARIF="H4sI")[1]
    assert out == f"{way}: the findings are private\n"
    assert world.calls == []


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"PF_TELL": ""}, "PF_TELL must be one of"),
        ({"PF_TELL": "all"}, "PF_TELL must be one of"),
        ({"PF_PUBLICATION": ""}, "nothing to publish"),
        ({"PF_PUBLICATION": "x"}, "invalid publication"),
        ({"PF_PUBLICATION": packed("{}")}, "invalid publication"),
        ({"PF_TOKEN": ""}, "must be set"),
        ({"PF_PROOFS": handed(made(head="c" * 40))}, "not for the commit of this run"),
    ],
)
def test_what_cannot_be_meant_is_refused(run, world, environ, words):
    status, out = run(**environ)
    assert (status, world.calls) == (2, [])
    assert words in out


@pytest.mark.parametrize("name", ["pull_request", "push"])
def test_a_run_that_dependabot_started_may_write_nothing_and_does_not_fail(run, world, name):
    payload = None if name == "pull_request" else PUSH
    status, out = run(name=name, payload=payload, PF_MODEL="m", GITHUB_ACTOR="dependabot[bot]")
    assert (status, out) == (0, "a run that Dependabot started writes nothing\n")
    assert world.calls == []


@pytest.mark.parametrize(
    ("refused", "stands"), [("/issues/7/comments", (0, 1)), ("/check-runs", (1, 0))]
)
def test_what_is_refused_keeps_nothing_else_from_being_told(run, world, refused, stands):
    world.before = lambda method, path: 403 if (method, path) == ("POST", refused) else None
    status, out = run(proofs=made())
    assert status == 3 and "GitHub answered 403" in out
    assert (len(world.comments), len(world.runs)) == stands


def test_all_that_was_refused_is_named(run, world):
    world.before = lambda method, path: 403 if method == "POST" else None
    out = run(proofs=made())[1]
    assert "#7 cannot be commented on" in out and "the check cannot be concluded" in out


def test_the_findings_of_a_commit_that_somebody_names_are_not_those_of_a_branch(run, world):
    dispatch = {"name": "workflow_dispatch", "PF_TELL": "scanning", "PF_SARIF": "H4sI"}
    run(payload={"repository": REPO, "inputs": {"head": HEAD}}, **dispatch)
    assert world.scans == []
    run(payload={"repository": REPO}, GITHUB_SHA=HEAD, **dispatch)
    assert [scan["ref"] for scan in world.scans] == ["refs/heads/main"]


def test_what_github_refuses_is_no_success(run, world):
    world.before = lambda method, path: 403 if method == "POST" else None
    status, out = run(proofs=made())
    assert status == 3
    assert "GitHub answered 403 told to fail" in out
    assert "a-token" not in out


REMARK = "abcdefgh"
DONE = frozenset(ObjectionSource)


def remarked(*ids, base=BASE, settled=DONE, paper=".", **changes):
    """A publication with a remark beside a line for each id."""
    of = paper_word(paper)
    said = ReviewComments(
        comments=tuple(
            WantedComment(
                kind=CommentKind.INLINE,
                key=id_,
                body=marked(f"About {id_}.", key=id_, source=ObjectionSource.READING, of=of),
                path="main.tex",
                line=3,
            )
            for id_ in ids
        ),
        open=frozenset(ids),
        settled=settled,
    )
    text = TypeAdapter(ReviewComments).dump_json(said).decode()
    return made(remarks=text, base=base, **changes)


def states(world):
    found = [(read_mark(item["body"]), item["body"]) for item in world.remarks]
    return [(mark.key, mark.state.value) for mark, _ in found if mark]


def test_findings_on_changed_lines_are_one_review_with_the_summary_as_its_words(run, world):
    run(proofs=remarked(REMARK))
    (review,) = world.reviews
    assert (review["commit_id"], review["event"]) == (HEAD, "COMMENT")
    assert review["body"].endswith(MARK) and world.comments == []
    (item,) = world.remarks
    assert (item["path"], item["line"], item["side"]) == ("main.tex", 3, "RIGHT")
    assert "About abcdefgh." in item["body"]
    assert [call for call in writes(world) if call[0] == "POST"] == [
        ("POST", "/pulls/7/reviews"),
        ("POST", "/check-runs"),
    ]


def test_of_a_quiet_review_a_remark_is_told_with_the_summary_and_nothing_else_is(run, world):
    """A suggestion for a note: GitHub wants words for a review."""
    quiet = {"is_quiet": True, "is_open": False, "conclusion": Conclusion.CLEAN}
    run(proofs=made(**quiet))
    assert (world.reviews, world.comments) == ([], [])
    run(proofs=remarked(REMARK, **quiet))
    (review,) = world.reviews
    assert review["body"].endswith(MARK) and world.comments == [] and len(world.remarks) == 1


def test_a_remark_that_stands_is_not_said_again(run, world):
    run(proofs=remarked(REMARK))
    count = len(writes(world))
    run(proofs=remarked(REMARK))
    assert writes(world)[count:] == [("PATCH", "/check-runs/900")]


def test_a_remark_says_when_its_finding_is_gone_and_the_summary_names_it(run, world):
    run(proofs=remarked(REMARK, "bcdefghi"))
    run(proofs=remarked("bcdefghi"))
    assert states(world) == [(REMARK, "resolved"), ("bcdefghi", "open")]
    assert "Resolved by this push: <code>abcdefgh</code>." in world.reviews[0]["body"]
    assert world.reviews[0]["body"].endswith(MARK) and len(world.reviews) == 1


def test_what_readers_said_of_another_comparison_is_not_called_resolved(run, world):
    run(proofs=remarked(REMARK))
    run(proofs=remarked(base="c" * 40))
    assert states(world) == [(REMARK, "open")]
    run(proofs=remarked(base="c" * 40))
    assert states(world) == [(REMARK, "resolved")]


def test_nor_where_others_are_said_anew_meanwhile(run, world):
    run(proofs=remarked(REMARK, "bcdefghi"))
    world.remarks[1]["line"] = None
    run(proofs=remarked("bcdefghi", base="c" * 40))
    assert states(world) == [(REMARK, "open"), ("bcdefghi", "moved"), ("bcdefghi", "open")]


def test_what_could_not_be_read_resolves_nothing(run, world):
    run(proofs=remarked(REMARK))
    run(structure=remarked(settled=frozenset({ObjectionSource.CHECK})), proofs=None)
    assert states(world) == [(REMARK, "open")]


@pytest.mark.parametrize(
    ("ended", "model", "state"),
    [
        (Conclusion.STRUCTURE, "m", "resolved"),
        (Conclusion.BLOCKING, "m", "resolved"),
        (Conclusion.INCOMPLETE, "m", "open"),
        (Conclusion.STRUCTURE, "", "open"),
    ],
)
def test_a_change_that_is_taken_back_ends_what_readers_said(run, world, ended, model, state):
    """As no proof is affected any more; where nobody reads, nobody knows."""
    run(proofs=remarked(REMARK))
    checked = frozenset({ObjectionSource.CHECK})
    structure = remarked(settled=checked, conclusion=ended, is_read=False)
    run(structure=structure, PF_EXPECTED="false", PF_MODEL=model)
    assert states(world) == [(REMARK, state)]


def test_a_remark_of_one_paper_is_not_ended_by_another(run, world):
    run(proofs=remarked(REMARK, paper="thesis"), PF_PAPER="thesis")
    run(proofs=remarked(), PF_PAPER=".")
    assert states(world) == [(REMARK, "open")]
    run(proofs=remarked(paper="thesis"), PF_PAPER="thesis")
    assert states(world) == [(REMARK, "resolved")]


def test_a_remark_whose_line_was_edited_is_said_anew_and_leads_there(run, world):
    run(proofs=remarked(REMARK))
    world.remarks[0]["line"] = None
    run(proofs=remarked(REMARK))
    assert states(world) == [(REMARK, "moved"), (REMARK, "open")]
    first, second = world.remarks
    assert second["html_url"] in first["body"] and first["html_url"] in second["body"]
    assert world.minimised == [first["node_id"]]
    count = len(writes(world))
    run(proofs=remarked(REMARK))
    assert writes(world)[count:] == [("PATCH", "/check-runs/900")]


def test_the_remarks_of_a_review_that_has_none_leave_those_there_alone(run, world):
    run(proofs=remarked(REMARK))
    run(proofs=made())
    assert states(world) == [(REMARK, "open")]


def test_a_push_that_comes_while_it_is_told_is_said_and_no_failure(run, world):
    asked = []

    def before(method, path):
        if path == "/pulls":
            asked.append(path)
            if len(asked) > 1:
                world.pulls = []

    world.before = before
    status, said = run(proofs=remarked(REMARK))
    assert (status, world.reviews) == (0, [])
    assert "#7 has a newer commit: no comment" in said


def test_remarks_that_are_none_are_refused(run, world):
    status, said = run(proofs=made(remarks='{"comments": [{"kind": "other"}]}'))
    assert (status, writes(world)) == (2, [])
    assert "invalid publication: ValidationError" in said
