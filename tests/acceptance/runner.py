"""Runs a workflow as GitHub's runner does, as far as ours goes: conditions, steps, commands."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

REPO = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((REPO / ".github/actions/pf-gate/action.yml").read_text("utf-8"))


def workflow(name: str) -> dict[Any, Any]:
    """A workflow of this repository."""
    found: dict[Any, Any] = yaml.safe_load(
        (REPO / f".github/workflows/{name}.yml").read_text("utf-8")
    )
    return found


WORKFLOW = workflow("review")
OURS = re.compile(r"\$/\.github/actions/pf-gate|OWNER/pf-verify/\.github/actions/pf-gate@v[\d.]+")
"""The action, as our own workflow calls it, and as the pages have others call it."""

_PART = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_WORD = re.compile(r"'(?:[^']|'')*'|[A-Za-z_][\w-]*(?:\.[\w-]+)*(?=\()?|&&|\|\||!(?!=)")
_COMMAND = re.compile(r"^\s*::([\w-]+)(?: (.*?))?::(.*)$")
_OLD_COMMAND = re.compile(r"##\[([^\]\s]+)")

Contexts = Mapping[str, Any]


def evaluated(text: object, contexts: Contexts) -> Any:
    """The value of what stands in a workflow, its expressions replaced."""
    if not isinstance(text, str):
        return text
    whole = _PART.fullmatch(text.strip())
    if whole:
        return _expression(whole[1], contexts)
    return _PART.sub(lambda match: shown(_expression(match[1], contexts)), text)


def shown(value: object) -> str:
    """A value as text, as GitHub writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _expression(text: str, contexts: Contexts) -> Any:
    """Python's `and` and `or` give an operand, as those of GitHub's expressions do."""
    operators = {"&&": " and ", "||": " or ", "!": " not "}

    def word(match: re.Match[str]) -> str:
        found = match[0]
        if found in operators or found[0] == "'":
            return operators.get(found, found)
        if found in ("cancelled", "always", "format", "true", "false"):
            return {"true": "True", "false": "False"}.get(found, found)
        return f"_look({found!r})"

    names = {
        "_look": lambda path: _look(path, contexts),
        "cancelled": lambda: False,
        "always": lambda: True,
        "format": lambda form, *values: form.format(*map(shown, values)),
    }
    code = " ".join(_WORD.sub(word, text).split())
    return eval(code, {"__builtins__": {}}, names)


def _look(path: str, contexts: Contexts) -> Any:
    found: Any = contexts
    for part in path.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return "" if found is None else found


@dataclass
class Log:
    """What the runner reads of a step's output: it obeys commands unless they are stopped."""

    commands: list[tuple[str, str, str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def read(self, text: str) -> None:
        """Read all lines of a step."""
        stopped = ""
        for line in text.splitlines():
            self.lines.append(line)
            found = _COMMAND.match(line)
            if stopped:
                stopped = "" if line.strip() == f"::{stopped}::" else stopped
            elif found and found[1] == "stop-commands":
                stopped = found[3]
            elif found:
                self.commands.append((found[1], found[2] or "", found[3]))
            elif old := _OLD_COMMAND.search(line):
                self.commands.append((old[1], "", line))


@dataclass
class Run:
    """A run of the workflow; `checkout` puts the paper at a revision into a folder."""

    folder: Path
    github: dict[str, Any]
    inputs: dict[str, Any]
    secrets: dict[str, str]
    environ: dict[str, str]
    checkout: Callable[[str, Path], None]
    needs: dict[str, dict[str, Any]] = field(default_factory=dict)
    logs: dict[str, Log] = field(default_factory=dict)
    summaries: dict[str, str] = field(default_factory=dict)
    caches: list[tuple[str, str]] = field(default_factory=list)
    workflow: dict[Any, Any] = field(default_factory=lambda: WORKFLOW)
    temp: str = "TEMP"
    """What the last step of ours had as RUNNER_TEMP."""
    artifacts: dict[str, list[Path]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """What GitHub calls the check of each job, behind the name of the job that calls."""
    between: Callable[[str], None] = lambda job: None
    """What happens before a job begins that is not skipped."""

    @property
    def outputs(self) -> dict[str, str]:
        """What the workflow hands to those that come behind it."""
        named = self.workflow[True]["workflow_call"].get("outputs", {})
        contexts = {"jobs": self.needs}
        return {name: shown(evaluated(item["value"], contexts)) for name, item in named.items()}

    def go(self) -> "Run":
        """Run the jobs in their order; a job whose condition fails is skipped."""
        declared = self.workflow[True].get("workflow_call", {}).get("inputs", {})
        self.inputs = {k: v.get("default") for k, v in declared.items()} | self.inputs
        for name, job in self.workflow["jobs"].items():
            if not self._is_wanted(job):
                self.needs[name] = {"result": "skipped", "outputs": {}}
                self.names[name] = job.get("name", name)  # as it stands: nothing is evaluated
                continue
            self.between(name)
            self.names[name] = shown(evaluated(job.get("name", name), self._contexts({}, {})))
            self._job(name, job)
        return self

    def _is_wanted(self, job: dict[str, Any]) -> bool:
        """Whether a job begins: by its condition, else if all that it needs have succeeded."""
        if "if" in job:
            return bool(evaluated(_bare(job["if"]), self._contexts({}, {})))
        needed = job.get("needs", [])
        listed = [needed] if isinstance(needed, str) else needed
        return all(self.needs[name]["result"] == "success" for name in listed)

    def _contexts(self, steps: Contexts, env: Contexts) -> Contexts:
        return {
            "github": self.github,
            "inputs": self.inputs,
            "secrets": self.secrets,
            "needs": self.needs,
            "runner": {"temp": self.temp},
            "steps": steps,
            "env": env,
        }

    def _job(self, name: str, job: dict[str, Any]) -> None:
        place = self.folder / name
        place.mkdir()
        self.logs[name], self.summaries[name] = Log(), ""
        steps: dict[str, Any] = {}
        self.github["token"] = token_of(name)
        env = {k: evaluated(v, self._contexts({}, {})) for k, v in job.get("env", {}).items()}
        has_failed = False
        for step in job["steps"]:
            contexts = self._contexts(steps, env)
            condition = evaluated(_bare(step["if"]), contexts) if "if" in step else True
            if not condition or (has_failed and "always()" not in step.get("if", "")):
                continue
            given = {k: evaluated(v, contexts) for k, v in step.get("with", {}).items()}
            if OURS.fullmatch(step["uses"]):
                folder = self.folder / f"{name}-step-{len(steps)}"
                folder.mkdir()
                status, outputs = self._ours(name, place, folder, given)
                has_failed = has_failed or status != 0
                steps[step.get("id", "")] = {"outputs": outputs}
            elif step["uses"].startswith("actions/checkout@"):
                ref = given.get("ref", self.github["sha"])
                self.checkout(ref, place / given.get("path", "."))
            elif step["uses"].startswith("actions/upload-artifact@"):
                self.artifacts[given["name"]] = sorted(Path(given["path"]).iterdir())
            else:
                kind = step["uses"].partition("@")[0]
                self.caches.append((kind, given["key"]))
        outputs = job.get("outputs", {})
        contexts = self._contexts(steps, env)
        self.needs[name] = {
            "result": "failure" if has_failed else "success",
            "outputs": {k: shown(evaluated(v, contexts)) for k, v in outputs.items()},
        }

    def _ours(
        self, name: str, place: Path, temp: Path, given: dict[str, Any]
    ) -> tuple[int, dict[str, str]]:
        """The last step of the action; what the first ones install is this environment."""
        (temp / "pf-venv").symlink_to(sys.prefix)
        self.temp = str(temp)
        named = {k: shown(given.get(k, v.get("default", ""))) for k, v in ACTION["inputs"].items()}
        assert set(given) <= set(ACTION["inputs"])
        step = ACTION["runs"]["steps"][-1]
        contexts = {"inputs": named, "runner": {"temp": str(temp)}}
        env = {k: shown(evaluated(v, contexts)) for k, v in step["env"].items()}
        assert "${{" not in step["run"]
        files = {key: temp / key for key in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            path.touch()
        github = {"GITHUB_WORKSPACE": str(place), "RUNNER_TEMP": str(temp), "CI": "true"}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=place,
            env=self.environ | github | env | {key: str(path) for key, path in files.items()},
            capture_output=True,
            text=True,
            check=False,
        )
        self.logs[name].read(done.stdout + done.stderr)
        self.summaries[name] += files["GITHUB_STEP_SUMMARY"].read_text("utf-8")
        outputs = files["GITHUB_OUTPUT"].read_text("utf-8").splitlines()
        return done.returncode, dict(line.split("=", 1) for line in outputs)


def token_of(job: str) -> str:
    """The token of a job: what it may is the server's affair."""
    return f"token-of-{job}"


def _bare(condition: object) -> str:
    """A condition as an expression, whether it is marked as one or not."""
    text = str(condition).strip()
    return text if text.startswith("${{") else f"${{{{ {text} }}}}"


def plain_environment() -> dict[str, str]:
    """The environment of a runner: nothing of ours but the way to programs."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("PF_", "GITHUB_"))}
