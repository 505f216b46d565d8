"""What GitHub makes of a workflow that calls another: started, refused, or with which values."""

from typing import Any

import pytest
import yaml

from tests.acceptance.calling import RefusedError, call

CALLER = """
on:
  pull_request:
  push: { branches: [main, "rel/*"] }
  workflow_dispatch: { inputs: { head: { description: a commit } } }
permissions: {}
jobs:
  one:
    uses: us/tool/.github/workflows/x.yml@v1
    permissions: { contents: read, checks: write }
    with: { model: a-model, loud: true }
    secrets: { key: "${{ secrets.OURS }}" }
"""
CALLED = yaml.safe_load("""
on:
  workflow_call:
    inputs:
      model: { type: string }
      loud: { type: boolean, default: false }
      least: { type: number }
      path: { type: string, default: . }
    secrets:
      key: { required: false }
jobs:
  look: { permissions: { contents: read } }
  tell: { permissions: { checks: write } }
  rest: {}
""")
PUSH = {"ref": "refs/heads/main"}


def github(name: str, event: Any = None, ref: str = "refs/heads/main") -> dict[str, Any]:
    return {"event_name": name, "event": event or {}, "ref": ref, "repository": "us/paper"}


def pull(owner: str = "us", action: str = "opened") -> dict[str, Any]:
    head = {"repo": {"id": 1 if owner == "us" else 2, "full_name": f"{owner}/paper"}}
    event = {"action": action, "pull_request": {"head": head}, "repository": {"id": 1}}
    return github("pull_request", event)


def made(text: str = CALLER, event: Any = None, called: Any = CALLED) -> Any:
    return call(text, called, event or pull(), {"OURS": "secret-1", "OTHER": "secret-2"})


def test_inputs_have_their_values_their_defaults_or_nothing() -> None:
    found = made()
    assert found.inputs == {"model": "a-model", "loud": True, "least": 0, "path": "."}
    assert found.secrets == {"key": "secret-1"}


def test_the_caller_bounds_what_the_jobs_may() -> None:
    assert made().grants == {
        "look": {"contents": "read"},
        "tell": {"checks": "write"},
        "rest": {"contents": "read", "checks": "write"},
    }


def test_a_fork_has_no_secret_and_no_right_to_write() -> None:
    found = made(event=pull("you"))
    assert found.secrets == {"key": ""}
    assert found.grants["tell"] == {"checks": "read"}


@pytest.mark.parametrize(
    ("event", "is_started"),
    [
        (pull(), True),
        (pull(action="closed"), False),
        (github("push"), True),
        (github("push", ref="refs/heads/rel/2"), True),
        (github("push", ref="refs/heads/idea"), False),
        (github("push", ref="refs/tags/main"), False),
        (github("workflow_dispatch", {"inputs": {"head": "abc"}}), True),
        (github("issues"), False),
    ],
)
def test_only_what_is_waited_for_starts_it(event: Any, is_started: bool) -> None:
    assert (made(event=event) is not None) is is_started


@pytest.mark.parametrize(("sign", "is_called"), [("==", False), ("!=", True)])
def test_a_job_may_wait_for_what_has_happened(sign: str, is_called: bool) -> None:
    condition = f"    if: ${{{{ github.event.action {sign} 'closed' }}}}\n    with:"
    assert (made(CALLER.replace("    with:", condition)) is not None) is is_called


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("model: a-model", "modell: a-model"),
        ("loud: true", 'loud: "true"'),
        ("loud: true", "least: two"),
        ("key:", "kee:"),
        ("a-model", "'${{ secrets.OURS }}'"),
        ("a-model", "'${{ env.MODEL }}'"),
        ("a-model", "[a, b]"),
        ('{ key: "${{ secrets.OURS }}" }', "inherit"),
        ("checks: write", "checks: read"),
        ("    permissions: { contents: read, checks: write }\n", ""),
        ("    with:", "    runs-on: ubuntu-24.04\n    with:"),
        ("    with:", "    if: false\n    with:"),
        ("    with:", "    strategy: {}\n    with:"),
        ("permissions: {}", "permissions: {}\nenv: { A: b }"),
        ("  pull_request:\n", "  pull_request: { paths: [x] }\n"),
    ],
)
def test_what_github_refuses_is_refused(old: str, new: str) -> None:
    assert old in CALLER
    with pytest.raises(RefusedError):
        made(CALLER.replace(old, new))


def test_an_input_of_a_dispatch_has_to_be_declared() -> None:
    with pytest.raises(RefusedError):
        made(event=github("workflow_dispatch", {"inputs": {"hed": "abc"}}))


@pytest.mark.parametrize(("kind", "name"), [("inputs", "least"), ("secrets", "key")])
def test_what_is_required_has_to_be_there(kind: str, name: str) -> None:
    wanted = yaml.safe_load(yaml.safe_dump(CALLED))
    wanted[True]["workflow_call"][kind][name]["required"] = True
    event = pull("you") if kind == "secrets" else pull()
    with pytest.raises(RefusedError):
        made(event=event, called=wanted)


def test_without_a_word_on_rights_a_token_reads_contents() -> None:
    text = CALLER.replace("permissions: {}\n", "").replace(
        "    permissions: { contents: read, checks: write }\n", ""
    )
    called = yaml.safe_load(yaml.safe_dump(CALLED))
    del called["jobs"]["tell"]
    assert made(text, called=called).grants["rest"] == {"contents": "read", "packages": "read"}


def test_events_may_be_listed() -> None:
    head = "on: [push, pull_request]\n" + CALLER[CALLER.index("permissions: {}") :]
    assert made(head) is not None
    assert made(head.replace("[push, pull_request]", "push")) is None
