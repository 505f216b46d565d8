"""What every test stands on: no network, no home folder, no settings of the person who runs it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

REPO = Path(__file__).resolve().parents[1]
CORPUS = Path(os.environ.get("PF_CORPUS") or REPO.parent / "shared" / "corpus")

# A slow machine is not a failure. Under CI=1, hypothesis draws the same examples in every run.
settings.register_profile("pf", settings.default, deadline=None)
settings.load_profile("pf")

# git's variables name another repository when the tests run inside one of its hooks.
_INHERITED = ("PF_", "GIT_", "GITHUB_", "GH_", "OPENAI_", "ANTHROPIC_", "NO_COLOR", "FORCE_COLOR")

_IDENTITY = {
    "GIT_AUTHOR_NAME": "A. Author",
    "GIT_AUTHOR_EMAIL": "author@example.org",
    "GIT_AUTHOR_DATE": "2024-01-01T00:00:00+00:00",
    "GIT_COMMITTER_NAME": "A. Author",
    "GIT_COMMITTER_EMAIL": "author@example.org",
    "GIT_COMMITTER_DATE": "2024-01-01T00:00:00+00:00",
}


@pytest.fixture(scope="session", autouse=True)
def _own_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An empty home and a neutral git, for the tests and for the commands that they start."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(_INHERITED)]:
            patch.delenv(name)
        patch.setenv("HOME", str(home))
        for kind in ("CACHE", "CONFIG", "DATA", "STATE"):
            patch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
        patch.setenv("PF_CACHE_DIR", str(home / "pf-cache"))
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("GIT_TERMINAL_PROMPT", "0")
        patch.setenv("GIT_ALLOW_PROTOCOL", "file")  # git is out of reach of --disable-socket
        for name, value in _IDENTITY.items():
            patch.setenv(name, value)
        patch.setenv("COLUMNS", "100")
        patch.setenv("TZ", "UTC")
        yield


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real papers; the test is skipped where it is absent."""
    if not CORPUS.is_dir():
        pytest.skip("no corpus: ../shared/corpus is absent and PF_CORPUS names no folder")
    return CORPUS
