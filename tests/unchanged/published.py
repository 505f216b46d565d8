"""What App and Action tell a GitHub that is a double, and the pages over what the App keeps."""

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from dataclasses import asdict
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.bot import shop as shops
from tests.bot.fake_github import actions, api, checks, sending, state
from tests.bot.fakes import Clock
from tests.bot.shop import Shop
from tests.bot.web.world import TOKEN
from tests.unchanged import inside
from tests.unchanged.outside import NOW, Outside, git, outside, pretty
from tests.unchanged.papers import Things, changes

_BEARER = {"Authorization": f"Bearer {TOKEN}"}
_LINK = re.compile(r'href="(/[^"#]*)"')
_PAGES = 60
"""Pages that are looked at."""
_FINDING = re.compile(r"finding[^>]* id=([a-z2-7]{8})")
PRIVATE = 'publish = "private"\n[app]\nrequired = true\n'


def app_things(github: Any, folder: Path, *, settings: str = "", has_model: bool = True) -> Things:
    """The App on the demo's history: each commit is a pull request that people talk about."""
    with outside(folder) as world, numbered():
        place = folder / "paper"
        world.run("pf", "demo", str(place))
        commits = git(place, "log", "--reverse", "--format=%H").split()
        if settings or not has_model:
            commits = commits[-3:]
        with shop(github, world, has_model=has_model) as app:
            files = {**_files(place, commits[0]), "pf.toml": settings}
            repo = github.repository(files=files, people={"alice": "write", "bob": "read"})
            yield "installed", pretty(app.work())
            for base, head in pairwise(commits):
                yield from _pull(github, app, repo, _change(place, base, head), head[:8])
            yield from _published(world, repo)
            yield from _pages(world, app)


def history_app_things(github: Any, bundle: Path, folder: Path) -> Things:
    """The App on many real edits at once."""
    clone = folder / "paper"
    git(folder, "clone", "--quiet", str(bundle), str(clone))
    commits = git(clone, "log", "--reverse", "--format=%H").split()
    with outside(folder) as world, numbered(), shop(github, world) as app:
        pairs = changes(commits)[-1:]
        repo = github.repository(files=_files(clone, pairs[0][0]), people={"alice": "write"})
        app.work()
        for base, head in pairs:
            yield from _pull(github, app, repo, _change(clone, base, head), head[:8])
        yield from _published(world, repo)
        yield from _pages(world, app)


def _pull(github: Any, app: Shop, repo: Any, files: Mapping[str, Any], name: str) -> Things:
    """A pull request from its opening to its merge; what the App says of its work."""
    repo.commit(files, on=name)
    pull = github.open(repo, name, author="bob")
    notes = [_later(app)]
    found = [key for item in repo.remarks for key in _FINDING.findall(item.body)]
    said = ["/pf help", "/pf graph", "/pf explain abcdefgh"]
    said += [f"/pf explain {found[-1]}", f"/pf dismiss {found[-1]} it is so"] if found else []
    for words in said:
        github.say(repo, pull, words, by="alice")
        notes.append(_later(app))
    github.say(repo, pull, "/pf recheck", by="bob")
    notes.append(_later(app))
    github.close(repo, pull, by="alice", merge=True)
    notes.append(_later(app))
    yield f"{name}: notes", pretty(notes)


def _later(app: Shop) -> list[str]:
    """What the App does, a minute later."""
    app.sleep(60)
    return list(app.work())


def _published(world: Outside, repo: Any) -> Things:
    """All that stands at GitHub in the end."""
    for name in ("runs", "comments", "remarks", "reviews"):
        things = [asdict(item) for item in getattr(repo, name)]
        yield f"published {name}", world.scrubbed(pretty(things))


def _pages(world: Outside, app: Shop) -> Things:
    """The pages, by the links from the first one on."""
    client = inside.pages(app.settings, app.records, app.clock).test_client()
    waiting = ["/", "/assets/pf.css", "/nowhere"]
    known: dict[str, str] = {}
    while waiting and len(known) < _PAGES:
        path = waiting.pop(0)
        if path in known:
            continue
        answer = client.get(path, headers=_BEARER)
        text = answer.get_data(as_text=True)
        headers = "".join(f"{name}: {said}\n" for name, said in sorted(answer.headers.items()))
        known[path] = f"{answer.status}\n{headers}\n{text}"
        waiting += [link.replace("&amp;", "&") for link in _LINK.findall(text)]
    pages = {world.scrubbed(path): world.scrubbed(text) for path, text in known.items()}
    yield "pages", pretty(pages)


class StillClock(Clock):
    """A clock that only sleeping moves: how often it is looked at is nobody's business."""

    def __call__(self) -> float:
        return float(self.now)


@contextmanager
def shop(github: Any, world: Outside, *, has_model: bool = True) -> Iterator[Shop]:
    """The App, at work on one GitHub."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shops, "Clock", StillClock)
        made = _made(github, world, has_model=has_model)
    made.clock.now = NOW
    try:
        yield made
    finally:
        made.close()


def _made(github: Any, world: Outside, *, has_model: bool) -> Shop:
    return Shop(
        github,
        world.folder / "app",
        world.reader if has_model else None,
        public_url="https://pf.example.org",
        pages_token=TOKEN.encode(),
    )


@contextmanager
def numbered() -> Iterator[None]:
    """What the double makes up counts from the same number, whatever other tests have asked."""
    numbers, names = count(1_001), count(1)
    with pytest.MonkeyPatch.context() as patch:
        for module in (actions, api, checks, sending, state):
            patch.setattr(module, "numbers", numbers)
        patch.setattr(uuid, "uuid4", lambda: uuid.UUID(int=next(names)))
        yield


def _files(folder: Path, commit: str) -> dict[str, Any]:
    """The files of a commit."""
    return {
        path: git(folder, "show", f"{commit}:{path}") + "\n"
        for path in git(folder, "ls-tree", "-r", "--name-only", commit).split("\n")
    }


def _change(folder: Path, base: str, head: str) -> dict[str, Any]:
    """The files that differ between two commits; None for those that are gone."""
    there = set(git(folder, "ls-tree", "-r", "--name-only", head).split("\n"))
    differing = git(folder, "diff", "--name-only", "--no-renames", base, head).split("\n")
    return {
        path: git(folder, "show", f"{head}:{path}") + "\n" if path in there else None
        for path in differing
        if path
    }


def action_things(world_of_jobs: Any, folder: Path, bundle: Path | None = None) -> Things:
    """The Action on pull requests and pushes: what jobs leave, and what the last one tells."""
    place = folder / "paper"
    with outside(folder) as world:
        if bundle is None:
            world.run("pf", "demo", str(place))
        else:
            git(folder, "clone", "--quiet", str(bundle), str(place))
        commits = git(place, "log", "--reverse", "--format=%H").split()
        pairs = changes(commits)[-1:] if bundle else list(pairwise(commits))
        with chdir(place):
            for base, head in pairs:
                world_of_jobs.pulls = [{"number": 7, "head": {"sha": head}}]
                for kind in ("pull_request", "fork", "push"):
                    said = "".join(_jobs(world, world_of_jobs.api, kind, base, head))
                    yield f"{head[:8]}: {kind}", said
    for name in ("comments", "issues", "runs", "scans"):
        yield f"published {name}", world.scrubbed(pretty(getattr(world_of_jobs, name)))
    files = {path: data.decode() for path, data in world_of_jobs.files.items()}
    yield "published files", pretty(files)


def _jobs(world: Outside, api_url: str, kind: str, base: str, head: str) -> Iterator[str]:
    """The jobs of one event: the structure, the proofs, the gate, and what is told of them."""
    event = world.folder / "event.json"
    event.write_text(json.dumps(_event(kind, base, head)), encoding="utf-8")
    environment = {
        "CI": "true",
        "GITHUB_API_URL": api_url,
        "GITHUB_EVENT_NAME": "push" if kind == "push" else "pull_request",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_REF": "refs/heads/main",
        "GITHUB_REPOSITORY": "us/paper",
        "GITHUB_RUN_ID": "12",
        "GITHUB_SERVER_URL": "https://git.example.edu",
        "GITHUB_SHA": head,
        "PF_ADVISORY": "true",
        "PF_PAUSE": "0",
        "PF_TELL": "review issue lock",
        "PF_TOKEN": "a-token",
    }
    left: dict[str, dict[str, str]] = {}
    for name, argv in {"structure": (), "proofs": ("--proofs",), "gate": ("--gate",)}.items():
        out = world.folder / "out"
        files = {"GITHUB_OUTPUT": out / "outputs", "GITHUB_STEP_SUMMARY": out / "summary"}
        out.mkdir()
        places = {key: str(path) for key, path in files.items()}
        model = {"PF_MODEL": "m"} if name != "structure" else {}
        yield world.run("pf", "ci", "--out", str(out), *argv, **environment, **places, **model)
        found = {path.name: path.read_text("utf-8") for path in out.iterdir() if path.is_file()}
        left[name] = found
        yield world.scrubbed(pretty({key: _unpacked(key, text) for key, text in found.items()}))
        for path in sorted(out.rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        out.rmdir()
    published = {
        "PF_PUBLICATION": left["structure"].get("publication", ""),
        "PF_PROOFS": left["proofs"].get("publication", ""),
    }
    yield world.run("pf-publish", **environment, **published)


def _unpacked(name: str, text: str) -> object:
    """What is handed on packed, as it is read: how well it packs is the machine's."""
    if name not in ("publication", "sarif", "proofs") or not text.strip():
        return text
    return inside.unpacked(text)


def _event(kind: str, base: str, head: str) -> dict[str, Any]:
    ours = {"id": 1, "full_name": "us/paper", "default_branch": "main"}
    if kind == "push":
        return {"repository": ours, "ref": "refs/heads/main", "before": base, "after": head}
    theirs = ours if kind == "pull_request" else {"id": 2, "full_name": "you/paper"}
    pull = {"number": 7, "head": {"sha": head, "repo": theirs}, "base": {"sha": base}}
    return {"repository": ours, "pull_request": pull}
