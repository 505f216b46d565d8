"""What is looked at of a paper: a folder of the corpus, a history of real edits, the demo."""

import json
import shutil
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import chdir
from pathlib import Path

from tests.unchanged import inside
from tests.unchanged.outside import Outside, committed, git, outside, pretty

Things = Iterator[tuple[str, str]]
"""What is looked at: its name, and its text."""

CONTRACTS = {
    "standard": ("m", "", ""),
    "fine": (
        "m",
        'endpoint = "responses"\neffort = "low"\nbase_url = "http://127.0.0.1:9/v1"\n',
        '[reading]\ngranularity = "fine"\nrollouts = 1\nstrictness = "pedantic"\n'
        'conventions = "All rings are commutative."\n',
    ),
    "author": (
        "other",
        "temperature = 0\nlimit = 9000\n",
        '[reading]\ngranularity = "author"\nrollouts = 2\nattempts = 0\nprogressive = true\n'
        'strictness = "lenient"\nblocking_votes = 1\n',
    ),
}
"""By a name: the model, what the user's own configuration says, and what the paper's says."""

_FORMATS = ("text", "json", "sarif", "rdjsonl", "markdown")
_GRAPHS = ("json", "dot", "mermaid", "text")
_SETTINGS = "[blueprint]\ntrust_leanok = false\n"
_LARGE = {
    "brownian-motion": "standard",
    "carleson": "fine",
    "equational-theories": "author",
    "hott-intro": "author",
    "openlogic": "author",
    "poly": "fine",
    "zkdl-lectures": "standard",
}
"""Large papers are read under one contract, and looked at less often; small ones under all."""
_LARGEST = "openlogic"


def folder_things(place: Path, folder: Path, *, is_read: bool = True) -> Things:
    """A folder of the corpus, in a folder that is empty; `is_read`: a model reads it, too."""
    with outside(folder) as world:
        copy = folder / "paper"
        ignored = shutil.ignore_patterns("_truth", ".git", "pf.toml")
        shutil.copytree(place, copy, ignore=ignored)
        committed(copy, {"pf.toml": _SETTINGS})
        with chdir(copy):
            is_large = place.name in _LARGE
            yield from structure(world, is_short=is_large)
            if place.name != _LARGEST:
                yield "why", _modules(world, ("--all",), 1 if is_large else 6)
            if is_read:
                contracts = [_LARGE[place.name]] if is_large else list(CONTRACTS)
                yield from readings(world, ("--all",), contracts, is_shown=not is_large)
            if not is_large:
                yield from _gates(world)


def structure(world: Outside, *, is_short: bool = False) -> Things:
    """What needs no model; `is_short`: in the formats that hold most."""
    yield from _contexts(world)
    for name in _FORMATS[:2] if is_short else _FORMATS:
        yield f"check, {name}", world.run("pf", "check", "--all", "--format", name)
    if not is_short:
        yield "check, notes", world.run("pf", "check", "--all", "--notes", "--plain")
    for name in ("json",) if is_short else ("json", "text"):
        yield f"plan, {name}", world.run("pf", "plan", "--all", "--format", name)
    for name in _GRAPHS[:1] if is_short else _GRAPHS:
        yield f"graph, {name}", world.run("pf", "graph", "--format", name)
    yield "graph, terms", world.run("pf", "graph", "--suggest-uses", "--with-terms")
    if not is_short:
        yield "graph, uses", world.run("pf", "graph", "--suggest-uses")
    yield "report", _report(world, "--all")


def _contexts(world: Outside, revision: str | None = None, name: str = "") -> Things:
    found = inside.contexts(Path(), world.folder / "cache" / "readings.sqlite", revision)
    digests = {p: {m: digest for m, (digest, _) in c.items()} for p, c in found.items()}
    rendered = {p: {m: text for m, (_, text) in c.items()} for p, c in found.items()}
    yield f"{name}context digests", pretty(digests)
    yield f"{name}contexts", pretty(rendered)


def _report(world: Outside, *argv: str) -> str:
    """The page, and what is said beside it."""
    page = world.folder / "report.html"
    said = world.run("pf", "report", "--force", "--out", str(page), *argv)
    return said + world.scrubbed(page.read_text("utf-8"))


def _modules(world: Outside, moment: Sequence[str], number: int) -> str:
    """Why so many modules are what they are, from the first one on at equal distances."""
    listed = json.loads(_output(world.run("pf", "check", *moment, "--format", "json")))
    names = list(listed["statuses"])
    chosen = dict.fromkeys(names[len(names) * place // number] for place in range(number))
    said = (world.run("pf", "plan", *moment, "--why", name) for name in (*chosen, "lem:no"))
    return "".join(said)


def _output(said: str) -> str:
    """The standard output of a run."""
    return said.partition("\n")[2].partition("--- standard error")[0]


def readings(
    world: Outside, moment: Sequence[str], contracts: Sequence[str], *, is_shown: bool = True
) -> Things:
    """What a model is asked, what it says, and what is kept, under some contracts.

    `is_shown`: for the first of them also what people are shown of it.
    """
    settings = Path("pf.toml").read_text("utf-8") if Path("pf.toml").exists() else ""
    for name in contracts:
        model, own, paper = CONTRACTS[name]
        world.forget()
        world.configure(own)
        Path("pf.toml").write_text(settings + paper, encoding="utf-8")
        asking = ("--model", model, *moment)
        said = world.run(
            "pf",
            "check",
            *asking,
            "--yes",
            "--budget",
            "10000",
            "--update-lock",
            "--format",
            "json",
        )
        yield f"{name}: check, json", said
        yield f"{name}: requests", pretty(world.reader.asked())
        yield f"{name}: replies by keys", world.replies()
        yield f"{name}: pf.lock", _text(Path("pf.lock"))
        if is_shown and name == contracts[0]:
            yield f"{name}: check, locked", world.run("pf", "check", "--locked", *moment)
            yield f"{name}: plan", world.run("pf", "plan", *asking, "--rollouts", "5")
            yield f"{name}: check, text", world.run("pf", "check", *asking, "--yes", "--notes")
            yield f"{name}: report", _report(world, *asking)
            yield f"{name}: findings", _findings(world, said, asking)
        Path("pf.lock").unlink(missing_ok=True)
    world.configure("")
    Path("pf.toml").write_text(settings, encoding="utf-8")


def _findings(world: Outside, said: str, asking: Sequence[str]) -> str:
    """What is said of the first findings of readers, and of an answer to one."""
    listed = json.loads(_output(said))["findings"]
    read = [item["id"] for item in listed if item.get("votes")]
    told = [world.run("pf", "explain", name, *asking) for name in read[:2]]
    for name in read[:1]:
        told.append(world.run("pf", "dismiss", name, "--reason", "so", "--who", "Ada", *asking))
        told += (_text(Path("pf.lock")), world.run("pf", "explain", name, *asking))
    told.append(world.run("pf", "upgrade", "--model", "newer"))
    return "".join(told)


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else "none\n"


def _gates(world: Outside) -> Things:
    """The gate with what it writes; the upload, where the paper has no error."""
    bundle = world.folder / "upload.tar.gz"
    for name, argv in {
        "gate, unread": ("--format", "json"),
        "gate, structure": ("--allow-unread", "--bundle", str(bundle)),
    }.items():
        out = world.folder / "gate"
        shutil.rmtree(out, ignore_errors=True)
        said = world.run("pf", "gate", "--out", str(out), *argv)
        files = (f"--- {path.name}\n{path.read_text('utf-8')}" for path in sorted(out.glob("*")))
        yield name, said + world.scrubbed("".join(files))
    yield "gate, upload", _archive(bundle) if bundle.exists() else "none\n"


def _archive(path: Path) -> str:
    """The files of an archive, with all that it says of them."""
    with tarfile.open(path) as opened:
        return "".join(
            f"--- {item.name} {item.mode:o} {item.mtime} {item.uid} {item.uname}\n"
            + _content(opened, item).decode("utf-8", "replace")
            for item in opened
        )


def _content(opened: tarfile.TarFile, item: tarfile.TarInfo) -> bytes:
    found = opened.extractfile(item)
    return found.read() if found else b""


def history_things(bundle: Path, folder: Path) -> Things:
    """A history of real edits, at some of its commits, in a folder that is empty."""
    clone = folder / "paper"
    git(folder, "clone", "--quiet", str(bundle), str(clone))
    listed = git(clone, "log", "--reverse", "--format=%H").split()
    with outside(folder) as world, chdir(clone):
        is_large = bundle.stem in _LARGE
        for base, head in changes(listed)[2 if is_large else 0 :]:
            yield from change(world, base, head, name=f"{head[:8]}: ")
        yield from staged(world, base, head)
        if not is_large:
            moment = ("--base", base, "--head", head)
            yield from formats(world, moment)
            yield from readings(world, moment, ["standard"])


def changes(commits: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs of commits that are compared: both halves of the history, two edits between."""
    last = len(commits) - 1
    edits, middle = [last * place // 3 for place in (1, 2)], last // 2
    pairs = [(0, middle), *((place - 1, place) for place in edits), (middle, last)]
    return [(commits[one], commits[other]) for one, other in pairs]


def change(world: Outside, base: str, head: str, name: str) -> Things:
    """One change: what it affects and why, what is found, what the hook says of it."""
    moment = ("--base", base, "--head", head)
    yield from _contexts(world, head, name)
    yield f"{name}check", world.run("pf", "check", *moment, "--format", "json")
    yield f"{name}plan", world.run("pf", "plan", *moment)
    span = {"PRE_COMMIT_FROM_REF": base, "PRE_COMMIT_TO_REF": head}
    yield f"{name}hook, range", world.run("pf-verify", "--notes", **span)


def formats(world: Outside, moment: Sequence[str], name: str = "") -> Things:
    """What is printed of a change, in every format."""
    for form in _FORMATS:
        yield f"{name}check, {form}", world.run("pf", "check", *moment, "--format", form)
    yield f"{name}plan, json", world.run("pf", "plan", *moment, "--format", "json")
    yield f"{name}why", _modules(world, moment, 2)


def staged(world: Outside, base: str, head: str) -> Things:
    """The hook on a change that is staged, and on all files."""
    git(Path(), "checkout", "--quiet", "--detach", base)
    git(Path(), "read-tree", "-u", "--reset", head)
    files = git(Path(), "diff", "--cached", "--name-only", base).split("\n")
    yield "hook, staged", world.run("pf-verify", *files)
    yield "hook, staged and locked", world.run("pf-verify", "--locked", *files)
    yield "check, staged", world.run("pf", "check", "--staged")
    git(Path(), "checkout", "--quiet", "--detach", "--force", head)
    listed = git(Path(), "ls-files").split("\n")
    yield "hook, all files", world.run("pf-verify", "--notes", *listed)
    yield "hook, nothing", world.run("pf-verify")
