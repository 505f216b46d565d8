"""The two laws of DESIGN §3 over real histories: incremental ≡ cold, and the firewall."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from pfcore.bench import real_papers
from pfcore.domain.values import Module, Role, Status
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.graph.rendering import context_digest, deep_digest
from pfcore.graph.status import ModuleVerdict, statuses
from pfcore.impact.plan import Plan, is_readable, make_plan
from pfcore.papers import discover
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from pfcore.repository.git import GitRepository, find_repository
from pfcore.repository.source_files import BlobCache

BUNDLES = "brownian-motion carleson equational-paper hott-intro pfr".split()
FALLBACK = "the target of a reference changed"


@dataclass(kw_only=True)
class Caches:
    """What a run has read so far."""

    blobs: BlobCache = field(default_factory=BlobCache)
    parse_cache: ParseCache = field(default_factory=lambda: ParseCache(MemoryCache()))


@dataclass(frozen=True, kw_only=True)
class Moment:
    """The papers of a commit with the digests of all contexts and the statuses of all modules."""

    states: dict[str, PaperState]
    digests: dict[str, dict[str, str]]
    statuses: dict[str, dict[str, Status]]


def moment(
    repository: GitRepository, revision: str, caches: Caches, known: Moment | None = None
) -> Moment:
    """A commit; the states are made from those of a known moment, if there is one."""
    snap = snapshot.from_revision(repository, revision, cache=caches.blobs)
    states = {
        paper.name: build_paper_state(paper, known.states.get(paper.name) if known else None)
        for paper in discover.discover_papers(snap, caches.parse_cache).papers
    }
    digests = {name: _digests(found) for name, found in states.items()}
    return Moment(
        states=states,
        digests=digests,
        statuses={name: _statuses(found, digests[name]) for name, found in states.items()},
    )


def _digests(found: PaperState) -> dict[str, str]:
    document, texts = found.document, found.paper.texts
    return {
        name: context_digest(document, name, texts)
        for name, module in document.modules.items()
        if module.role.stands_alone
    }


def _statuses(found: PaperState, digests: dict[str, str]) -> dict[str, Status]:
    """With replies that are a fixed function of the contexts: most are accepted."""
    verdicts = {}
    for name, module in found.document.modules.items():
        if module.proofs and name in digests:
            is_accepted = int(digests[name][:4], 16) % 8
            verdicts[name] = ModuleVerdict.ACCEPTED if is_accepted else ModuleVerdict.FLAGGED
    return statuses(found.document, verdicts)


def revisions(folder: Path) -> list[str]:
    """Each tenth commit, the last one among them; all of them where PF_COMMITS=all."""
    listed = subprocess.run(
        ["git", "-C", str(folder), "log", "--format=%H"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    step = 1 if os.environ.get("PF_COMMITS") == "all" else 10
    return listed.stdout.split()[::step][::-1]


def is_read(module: Module) -> bool:
    return module.is_claim and module.role is not Role.FRAGMENT


@pytest.fixture(params=BUNDLES)
def repository(request: pytest.FixtureRequest, corpus: Path, tmp_path: Path) -> GitRepository:
    bundle = corpus / "bundles" / f"{request.param}.bundle"
    folder = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(bundle), str(folder)], check=True)
    found = find_repository(folder)
    assert found is not None
    return found


@pytest.mark.corpus
@pytest.mark.sampled(3)
def test_warm_caches_find_what_cold_ones_find(repository: GitRepository) -> None:
    """Plans, contexts and statuses; and the plan finds what rendering every context finds.

    The papers are made from nothing at each second commit, their files read from nothing at each
    fourth.
    """
    caches = Caches()
    warm = kept = cold = None
    assert repository.root is not None
    for number, revision in enumerate(revisions(repository.root)):
        now = moment(repository, revision, caches, warm)
        for name in now.states:
            made = _plan(warm, now, name)
            if warm and name in warm.states:
                assert {item.id for item in made.affected} == _by_rendering(warm, now, name)
                assert not any(FALLBACK in item.reasons for item in made.affected)
                assert made.unread_beyond == _unread_beyond(warm, now, name)
        warm = now
        if number % 2:
            continue
        files_read = Caches() if number % 4 == 0 else Caches(parse_cache=caches.parse_cache)
        fresh = moment(repository, revision, files_read)
        assert now.digests == fresh.digests
        assert now.statuses == fresh.statuses
        assert now.states.keys() == fresh.states.keys()
        for name in now.states:
            assert _plan(kept, now, name) == _plan(cold, fresh, name)
            assert _firewall(now, name, number // 2) == set()
        kept, cold = now, fresh


def _plan(before: Moment | None, after: Moment, name: str) -> Plan:
    return make_plan(before.states.get(name) if before else None, after.states[name])


def _by_rendering(before: Moment, after: Moment, name: str) -> set[str]:
    """The affected modules by the definition."""
    known = set(before.digests[name].values())
    modules = after.states[name].document.modules
    return {
        module.id
        for module in modules.values()
        if is_read(module) and after.digests[name][module.id] not in known
    }


def _unread_beyond(before: Moment, after: Moment, name: str) -> set[str]:
    """By the definition: who has the same context, and not the same beyond it."""
    known: dict[str, set[str]] = {}
    then, now = before.states[name].document, after.states[name].document
    for old, found in before.digests[name].items():
        known.setdefault(found, set()).add(deep_digest(then, old))
    return {
        module.id
        for module in now.modules.values()
        if is_read(module) and is_readable(after.states[name], module.id)
        if (then_beyond := known.get(after.digests[name][module.id]))
        and deep_digest(now, module.id) not in then_beyond
    }


def _firewall(now: Moment, name: str, number: int) -> set[str]:
    """The modules that a random edit of the first two rows affects and should not, or spares."""
    edit = real_papers.EDITS[number % len(real_papers.EDITS)]
    found = now.states[name]
    edited = edit(found, Random(number))
    if edited is None:
        return set()
    parse_cache = found.paper.parse_cache
    listed = discover.discover_papers(
        real_papers.apply_edit(found.paper.snapshot, edited), parse_cache
    ).papers
    after = build_paper_state(next(paper for paper in listed if paper.name == name))
    known = set(now.digests[name].values())
    document, texts = after.document, after.paper.texts
    affected = {
        module.id
        for module in document.modules.values()
        if is_read(module) and context_digest(document, module.id, texts) not in known
    }
    assert affected == {item.id for item in make_plan(found, after).affected}
    return affected ^ edited.affected
