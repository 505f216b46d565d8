"""What pf-verify prints, writes, keeps and publishes of real papers is what it was.

`tests/data/snapshot` has a digest for each thing of each paper. After a change that is meant, write
all of them anew with

    PF_SNAPSHOT=write pytest -m corpus tests/unchanged -n 2

To see how two trees differ, let each keep the texts themselves, and compare the folders:

    PF_SNAPSHOT_TEXTS=FOLDER pytest -m corpus tests/unchanged -n 2
"""

import gc
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bot.conftest import github, world  # noqa: F401 - fixtures
from tests.unchanged.commands import demo_things, surface_things
from tests.unchanged.outside import REPO
from tests.unchanged.papers import Things, folder_things, history_things
from tests.unchanged.published import PRIVATE, action_things, app_things, history_app_things
from tests.unchanged.recorded import differing

pytestmark = [
    pytest.mark.allow_hosts(["127.0.0.1"]),
    pytest.mark.corpus,
    pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the digests are Python 3.11's"),
]

FOLDERS = (
    *("openlogic", "hott-intro", "poly", "brownian-motion", "carleson", "equational-theories"),
    *("zkdl-lectures", "pfr", "flt3", "sphere-eversion"),
)
HISTORIES = ("brownian-motion", "carleson", "equational-paper", "hott-intro", "pfr")


def is_as_it_was(subject: str, things: Things) -> None:
    """Nothing of it differs from what is on record."""
    found = differing(subject, things)
    gc.collect()
    gc.freeze()  # what is cached for good is not looked through again and again
    assert not found, f"of {subject} differ: {', '.join(found)}"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", FOLDERS)
def test_a_paper(name: str, corpus: Path, tmp_path: Path) -> None:
    is_as_it_was(name, folder_things(corpus / name, tmp_path))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", HISTORIES)
def test_a_history(name: str, corpus: Path, tmp_path: Path) -> None:
    bundle = corpus / "bundles" / f"{name}.bundle"
    is_as_it_was(f"{name}-history", history_things(bundle, tmp_path))


def test_the_demo(tmp_path: Path) -> None:
    is_as_it_was("demo", demo_things(tmp_path))


def test_the_commands_themselves(tmp_path: Path) -> None:
    is_as_it_was("commands", surface_things(tmp_path))


@pytest.mark.parametrize("name", ["app", "app-private", "app-without-model"])
def test_the_app(name: str, github: Any, tmp_path: Path) -> None:  # noqa: F811
    settings = PRIVATE if name == "app-private" else ""
    things = app_things(github, tmp_path, settings=settings, has_model="without" not in name)
    is_as_it_was(name, things)


def test_the_app_on_a_history(github: Any, corpus: Path, tmp_path: Path) -> None:  # noqa: F811
    bundle = corpus / "bundles" / "pfr.bundle"
    is_as_it_was("app-history", history_app_things(github, bundle, tmp_path))


@pytest.mark.parametrize("name", ["action", "action-history"])
def test_the_action(name: str, world: Any, corpus: Path, tmp_path: Path) -> None:  # noqa: F811
    bundle = corpus / "bundles" / "equational-paper.bundle" if name == "action-history" else None
    is_as_it_was(name, action_things(world, tmp_path, bundle))


def test_every_paper_of_the_corpus_is_looked_at(corpus: Path) -> None:
    there = {path.name for path in corpus.iterdir() if path.is_dir()} - {"bundles"}
    assert there == set(FOLDERS)
    assert {path.stem for path in (corpus / "bundles").glob("*.bundle")} == set(HISTORIES)


@pytest.mark.parametrize(
    ("kind", "paper", "seen", "unseen"),
    [
        ("word", "carleson", {"contexts", "graph, json"}, {"plan, json"}),
        ("severity", "sphere-eversion", {"check, text", "check, json"}, {"contexts"}),
    ],
)
def test_a_planted_change_is_seen(
    kind: str, paper: str, seen: set[str], unseen: set[str], corpus: Path, tmp_path: Path
) -> None:
    """A word that is missing in a list of phrases; another severity of one check."""
    planted = [sys.executable, "-m", "tests.unchanged.planted", kind, str(corpus / paper)]
    done = subprocess.run(
        [*planted, str(tmp_path)], cwd=REPO, capture_output=True, text=True, check=True
    )
    found = set(json.loads(done.stdout))
    assert found >= seen
    assert not found & unseen
