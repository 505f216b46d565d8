"""What the page for editors says: its commands are commands, and its folders are called so."""

import re

import pytest

from pfcore.cli.commands.gate_command import FILES
from pfcore.cli.main import main
from pfcore.repository.scratch_folder import PREFIX
from tests.conftest import REPO

PAGE = (REPO / ".github/docs/editors.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^(?:\w+=\S+(?: -d\))? )?pf (\w+)([^#\n]*)", PAGE, re.MULTILINE)


def test_its_commands_have_the_options_that_it_gives_them(capsys):
    assert {name for name, _ in COMMANDS} == {"gate", "remove"}
    for name, rest in COMMANDS:
        with pytest.raises(SystemExit):
            main([name, "--help"])
        helped = capsys.readouterr().out
        assert all(option in helped for option in re.findall(r"--\w+", rest))


def test_it_names_what_is_written():
    assert all(f"`{name}`" in PAGE for name in FILES)
    assert f"`{PREFIX}*`" in PAGE
