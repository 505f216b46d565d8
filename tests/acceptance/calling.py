"""Calls a reusable workflow as GitHub does: whether an event starts the caller, what is passed on.

By https://docs.github.com/en/actions/reference/workflows-and-actions/reusing-workflow-configurations
and the syntax of workflows; what is not modelled here is refused, not guessed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import yaml

from tests.acceptance.runner import evaluated, shown

Permissions = Mapping[str, str]

_ON = True
"""YAML takes the word `on` for a truth value."""
_KEYS = {"name", "needs", "if", "uses", "with", "secrets", "permissions"}
"""What a job that calls a workflow may have here; GitHub knows of some more."""
_ACTION = r"github\.event(?:\.action|_name) [!=]= '[a-z_]+'"
_LABEL = r"\(github\.event\.label\.name \|\| '(?P<label>[^']+)'\) == '(?P=label)'"
_HAPPENED = rf"{_ACTION}(?: \|\| {_ACTION})*(?: && {_LABEL})?"
_CONDITION = re.compile(rf"\$\{{\{{ (!cancelled\(\)|{_HAPPENED}) \}}\}}")
"""What a job may wait for here: nothing, whatever came of those before, or what has happened, where
it is about no label but one."""
_TOP = {"name", _ON, "permissions", "jobs"}
"""The same of a workflow."""
_CONTEXTS = {"with": {"github", "needs", "strategy", "matrix", "inputs", "vars"}}
_CONTEXTS["secrets"] = _CONTEXTS["with"] | {"secrets"}
_NAMED = re.compile(r"\$\{\{.*?\}\}", re.DOTALL)
_CONTEXT = re.compile(r"(?<![\w.'-])([a-z]+)\.")
_RANK = {"none": 0, "read": 1, "write": 2}
_PULLS = ("opened", "synchronize", "reopened")
_EMPTY: Mapping[str, Any] = {"boolean": False, "number": 0, "string": ""}
_DEFAULT: Permissions = {"contents": "read", "packages": "read"}
"""What a token may where a workflow names nothing, in a repository that is restricted."""


class RefusedError(Exception):
    """GitHub would not start the workflow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a called workflow gets: its inputs, its secrets, and what the token of each job may."""

    uses: str
    inputs: Mapping[str, Any]
    secrets: Mapping[str, str]
    grants: Mapping[str, Permissions]


def call(
    text: str,
    called: Mapping[Any, Any],
    github: Mapping[str, Any],
    secrets: Mapping[str, str],
    *,
    name: str = "",
    needs: Mapping[str, Any] | None = None,
) -> Call | None:
    """A call of a workflow that is pasted; None where the event does not start it, or skips it.

    `secrets` are the repository's; a fork's pull request gets none, and a token that reads. `name`
    is the job, and `needs` what those before it came to.
    """
    caller = yaml.safe_load(text)
    if not _is_started(caller[_ON], github):
        return None
    (job,) = [caller["jobs"][name]] if name else caller["jobs"].values()
    unknown = (set(job) - _KEYS) | (set(caller) - _TOP)
    condition = job.get("if", "${{ !cancelled() }}")
    unknown |= set() if _CONDITION.fullmatch(str(condition)) else {"if"}
    if unknown:
        raise RefusedError(f"nobody knows what is meant by {', '.join(sorted(map(str, unknown)))}")
    if not evaluated(condition, {"github": github}):
        return None
    wanted = called[_ON]["workflow_call"] or {}
    is_fork = _is_fork(github)
    contexts = {"github": github, "inputs": github["event"].get("inputs") or {}}
    contexts |= {"needs": needs or {}}
    known = contexts | {"secrets": {} if is_fork else secrets}
    own = job.get("permissions", caller.get("permissions", _DEFAULT))
    return Call(
        uses=job["uses"],
        inputs=_inputs(wanted.get("inputs") or {}, _values(job, "with", contexts)),
        secrets=_secrets(wanted.get("secrets") or {}, _values(job, "secrets", known)),
        grants=_grants(called, own, is_fork=is_fork),
    )


def _is_started(triggers: Any, github: Mapping[str, Any]) -> bool:
    """Whether the event is one of those that the workflow waits for."""
    events = {triggers: None} if isinstance(triggers, str) else triggers
    events = events if isinstance(events, dict) else dict.fromkeys(events)
    name, event = github["event_name"], github["event"]
    if name not in events:
        return False
    wanted = events[name] or {}
    if name == "workflow_dispatch":
        _require(set(event.get("inputs") or {}) <= set(wanted.get("inputs") or {}), "an input")
        return True
    known = {"push": {"branches"}, "pull_request": {"types"}}.get(name, set())
    _require(set(wanted) <= known, f"a filter of {name}")
    if name == "pull_request":
        return event["action"] in wanted.get("types", _PULLS)
    if "branches" not in wanted:
        return True
    kind, _, branch = github["ref"].removeprefix("refs/").partition("/")
    return kind == "heads" and any(fnmatchcase(branch, item) for item in wanted["branches"])


def _require(is_so: bool, what: str) -> None:
    if not is_so:
        raise RefusedError(f"there is {what} that nobody has declared")


def _is_fork(github: Mapping[str, Any]) -> bool:
    pull = github["event"].get("pull_request")
    return bool(pull) and pull["head"]["repo"]["id"] != github["event"]["repository"]["id"]


def _values(job: Mapping[str, Any], key: str, contexts: Mapping[str, Any]) -> dict[str, Any]:
    """What a job passes on, evaluated; RefusedError where it speaks of what is not there yet."""
    given = job.get(key) or {}
    if not isinstance(given, dict):
        raise RefusedError(f"{key}: {given} is not modelled here")
    for value in given.values():
        for expression in _NAMED.findall(str(value)):
            strange = set(_CONTEXT.findall(expression)) - _CONTEXTS[key]
            if strange:
                raise RefusedError(f"{', '.join(sorted(strange))} is not known in {key}")
    return {name: evaluated(value, contexts) for name, value in given.items()}


def _inputs(declared: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    _require(set(given) <= set(declared), "an input")
    return {name: _input(name, kind, given) for name, kind in declared.items()}


def _input(name: str, declared: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    """A value of the declared type: what is no truth value or number is not made one."""
    kind = declared["type"]
    if name not in given:
        if declared.get("required"):
            raise RefusedError(f"the input {name} is required")
        return declared.get("default", _EMPTY[kind])
    value = given[name]
    fits = {
        "boolean": isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "string": isinstance(value, str | int | float | None),
    }
    if not fits[kind]:
        raise RefusedError(f"the input {name} is a {kind}, and {value!r} is none")
    return shown(value) if kind == "string" else value


def _secrets(declared: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, str]:
    _require(set(given) <= set(declared), "a secret")
    missing = [n for n, kind in declared.items() if (kind or {}).get("required") and not given[n]]
    if missing:
        raise RefusedError(f"the secret {missing[0]} is required")
    return {name: shown(given.get(name)) for name in declared}


def _grants(
    called: Mapping[Any, Any], own: Permissions, *, is_fork: bool
) -> dict[str, Permissions]:
    """What each job's token may: what the job names, which may not be more than the caller's."""
    found: dict[str, Permissions] = {}
    for name, job in called["jobs"].items():
        named = job.get("permissions", called.get("permissions", own))
        for what, level in named.items():
            if _RANK[level] > _RANK[own.get(what, "none")]:
                raise RefusedError(f"{name} asks for {what}: {level}, and may not")
        found[name] = {w: "read" if is_fork and n == "write" else n for w, n in named.items()}
    return found
