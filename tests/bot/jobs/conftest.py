"""A GitHub in memory with an open pull request, for what the App does about it."""

from pathlib import Path

import pytest

from tests.bot.fakes import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.forge.open()
    return made
