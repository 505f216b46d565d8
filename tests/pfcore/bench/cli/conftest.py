"""The same papers, screen and reader as for the other commands."""

from tests.pfcore.cli.conftest import configure, edit, paper, referee, run

__all__ = ["configure", "edit", "paper", "referee", "run"]
