"""What is looked at of the product itself: its commands, its demo, its words for other programs."""

import ast
import re
from collections.abc import Iterator
from contextlib import chdir
from itertools import pairwise
from pathlib import Path

from tests.unchanged.outside import REPO, Outside, git, outside
from tests.unchanged.papers import CONTRACTS, Things, change, formats, readings, staged, structure

_PRODUCT = ("pfcore", "bot", "hooks", "prompts")
_NAME = re.compile(
    r"(?:PF|GITHUB|OPENAI|PRE_COMMIT|XDG|GIT|SSL)_[A-Z0-9_]+|CI|HOME|NO_COLOR|LOCALAPPDATA"
)
_COMMAND = re.compile(r"\{([a-z0-9,-]+)\}|^    ([a-z][a-z0-9-]*)(?: |$)", re.MULTILINE)
_OTHERS = ("pf-verify", "pf-verify-online")
_PAGES = (
    "README.md",
    ".github/CONTRIBUTING.md",
    *sorted(f".github/docs/{path.name}" for path in (REPO / ".github/docs").glob("*.md")),
)
_FILES = (".pre-commit-hooks.yaml", ".github/actions/pf-gate/action.yml")
_BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OURS = re.compile(r"(?<![\w-])(?:pf|pf-[a-z-]+)(?![\w.-])")


def surface_things(folder: Path) -> Things:
    """The help of every command, schemas, checks, names in the environment, commands in pages."""
    with outside(folder) as world, chdir(folder):
        yield from _helps(world, ())
        for name in _OTHERS:
            yield f"help of {name}", world.run(name, "--help")
        yield "version", world.run("pf", "--version")
        yield "checks", world.run("pf", "checks")
        for name in ("check", "plan", "graph"):
            yield f"schema of {name}", world.run("pf", "schema", name)
        yield "no paper", world.run("pf", "check")
        yield "no such command", world.run("pf", "chekc")
        yield "doctor", _without_versions(world.run("pf", "doctor"))
    for name in _environment():
        yield f"environment: {name}", "read"
    for name in _PAGES:
        text = (REPO / name).read_text("utf-8")
        yield f"commands in {name}", "".join(_commands(text))
    for name in _FILES:
        yield name, (REPO / name).read_text("utf-8")


def _helps(world: Outside, words: tuple[str, ...]) -> Things:
    """The help of a command and of all below it."""
    text = world.run("pf", *words, "--help")
    yield f"help of {' '.join(('pf', *words))}", text
    listed = text.partition("positional arguments:\n")[2].partition("\noptions:")[0]
    if "COMMAND" not in text.partition("\n\n")[0]:
        return
    for match in _COMMAND.finditer(listed):
        if match[2]:
            yield from _helps(world, (*words, match[2]))


def _environment() -> list[str]:
    """All names of environment variables that stand in the code as a text of their own."""
    found = set()
    for package in _PRODUCT:
        for path in (REPO / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found |= {word for word in node.value.split() if _NAME.fullmatch(word)}
    return sorted(found)


def _commands(text: str) -> Iterator[str]:
    """What calls a command of ours, in blocks and between words; not what developers run."""
    lines = [line for block in _BLOCK.findall(text) for line in block.splitlines()]
    spans = re.findall(r"`([^`]+)`", _BLOCK.sub("", text))
    for code in (*lines, *spans):
        if _OURS.search(code) and "python -m" not in code and "tests/" not in code:
            yield f"{' '.join(code.split())}\n"


def demo_things(folder: Path) -> Things:
    """The demo's paper and its history, by every command."""
    place = folder / "paper"
    with outside(folder) as world:
        yield "demo", world.run("pf", "demo", str(place))
        with chdir(place):
            commits = git(place, "log", "--reverse", "--format=%H").split()
            for base, head in pairwise(commits):
                yield from change(world, base, head, name=f"{head[:8]}: ")
            yield from structure(world)
            moment = ("--base", commits[0])
            yield from formats(world, moment, "change: ")
            yield from staged(world, commits[-2], commits[-1])
            yield from readings(world, moment, list(CONTRACTS))
            yield from _online(world, commits[0], commits[-1])
            yield from _upkeep(world)
            yield from _pdf(world)


def _online(world: Outside, base: str, head: str) -> Things:
    """The hook of a push, with a model and without."""
    span = {"PRE_COMMIT_FROM_REF": base, "PRE_COMMIT_TO_REF": head}
    yield "push, no model", world.run("pf-verify-online", **span)
    yield "push, optional", world.run("pf-verify-online", "--optional", **span)
    yield "push", world.run("pf-verify-online", **span, PF_MODEL="m")


def _upkeep(world: Outside) -> Things:
    """What is done now and then."""
    ask = ("--model", "m", "--all", "--yes")
    yield "recheck", world.run("pf", "recheck", "lem:step", "--model", "m", "--all")
    yield "recheck, unknown", world.run("pf", "recheck", "lem:no", "--model", "m", "--all")
    yield "update", world.run("pf", "check", *ask, "--update-lock")
    yield (
        "audit",
        world.run("pf", "audit", "--sample", "2", "--seed", "s", *ask[2:], "--model", "n"),
    )
    git(Path(), "add", "--all")
    git(Path(), "commit", "--quiet", "-m", "verdicts")
    yield "gate, ledger", world.run("pf", "gate", "--out", str(world.folder / "gate"))
    yield (
        "gate, model",
        world.run("pf", "gate", "--out", str(world.folder / "gate"), "--model", "m", "--yes"),
    )
    yield "doctor, model", _without_versions(world.run("pf", "doctor", "--model", "m"))
    yield "remove, refused", world.run("pf", "remove", "--replies")
    yield "remove", _without_sizes(world.run("pf", "remove", "--yes"))


def _without_versions(text: str) -> str:
    timeless = re.sub(r"[0-9,.]+ (s\b|tokens per second)", r"0 \1", text)
    return re.sub(r"(?m)^.*\b(Python|git) .*\n", "", timeless)


def _without_sizes(text: str) -> str:
    return re.sub(r"[0-9.,]+ (kB|MB|bytes)", r"0 \1", text)


def _pdf(world: Outside) -> Things:
    """A paper of which there is a PDF alone."""
    (world.folder / "a.pdf").write_bytes(b"%PDF-1.7 a small paper")
    with chdir(world.folder):
        yield "pdf, no model", world.run("pf", "check", "a.pdf")
        yield "pdf, chat", world.run("pf", "check", "a.pdf", "--model", "m")
        world.configure('base_url = "http://127.0.0.1:9/v1"\nendpoint = "responses"\n')
        for form in ("text", "json", "sarif", "markdown"):
            yield (
                f"pdf, {form}",
                world.run("pf", "check", "a.pdf", "--model", "m", "--format", form),
            )
        yield "pdf, replies", world.replies()
