"""The README's settings are settings, and its commands are commands."""

import re
from pathlib import Path

import pytest

from pfcore import config
from pfcore.checks import registry
from pfcore.cli import main

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_settings_in_the_readme_are_accepted():
    (block,) = _blocks("toml")
    settings = config.parse(block, path="README.md")
    registry.require_known(settings.checks, path="README.md")
    assert settings.papers


_COMMANDS = (
    *("check", "plan", "graph", "checks", "demo", "explain", "dismiss", "recheck"),
    *("gate", "audit", "doctor", "upgrade", "remove"),
)


@pytest.mark.parametrize("name", _COMMANDS)
def test_the_commands_in_the_readme_exist(name, capsys):
    assert f"`pf {name}" in README or f"pf {name}" in README
    with pytest.raises(SystemExit) as stopped:
        main([name, "--help"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: pf {name}")


@pytest.mark.parametrize("option", ["--base", "--head", "--staged", "--all", "--why", "--format"])
def test_the_options_in_the_readme_exist(option, capsys):
    assert option in README
    with pytest.raises(SystemExit):
        main(["plan", "--help"])
    assert option in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--model", "--budget", "--locked", "--update-lock", "--all"])
def test_the_options_of_reading_in_the_readme_exist(option, capsys):
    assert option in README
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    assert option in capsys.readouterr().out
