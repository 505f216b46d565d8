"""What SERVING says: its settings are settings, its commands are commands, its unit is one."""

import configparser
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from bot import app_settings, compose
from bot.web.registration import PERMISSIONS
from pfcore.cli.github_actions import DO_NOT_READ
from pfcore.cli.main import main

REPO = Path(__file__).parents[1]
SERVING = (REPO / ".github/docs/serving.md").read_text(encoding="utf-8")
UNIT = REPO / "bot/pf-verify.service"
UNITS = (UNIT, REPO / ".github/deploy/pf-verify-worker@.service")


def _blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", SERVING, re.MULTILINE | re.DOTALL)


def _pf_commands():
    """The lines that call pf, wherever it is installed, as words."""
    text = "\n".join([*_blocks("sh"), UNIT.read_text().replace("ExecStart=", "")])
    found = re.findall(
        r"^(?:sudo \S+ \S+ \S+ )?(?:/opt/pf-verify/bin/)?pf( .*)$", text, re.MULTILINE
    )
    return [tuple(shlex.split(line, comments=True)) for line in found]


def test_the_settings_are_accepted():
    (block,) = _blocks("toml")
    found = app_settings.parse_app_settings(block, {}, path=Path("/etc/app.toml"))
    assert found.caps == app_settings.SpendingCaps()
    assert found.days_kept == 30
    assert found.pages_token and found.public_url == "https://pf.example.org"


def test_there_are_commands_to_be_tried():
    assert {command[0] for command in _pf_commands()} == {"serve", "doctor"}


@pytest.mark.parametrize("words", sorted(set(_pf_commands())))
def test_the_commands_and_their_options_exist(words, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([*words, "--help"])
    assert stopped.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: pf {words[0]}")
    assert all(word in said for word in words if word.startswith("--"))


def test_all_rights_that_are_asked_for_are_named():
    for item in PERMISSIONS:
        assert f"`{item.name}: {item.access}`" in SERVING


def test_the_unit_runs_as_its_own_user_with_the_file_that_the_page_names():
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(UNIT)
    service = unit["Service"]
    assert service["User"] == "pf-verify"
    assert service["StateDirectoryMode"] == "0700"
    assert f"/var/lib/{service['StateDirectory']}/app.toml" in UNIT.read_text()
    assert "/var/lib/pf-verify" in SERVING and "/etc/pf-verify.env" in SERVING


def test_the_unit_polls_where_the_page_says_how(tmp_path):
    (command,) = re.findall(r"^sed -i .*$", SERVING, re.MULTILINE)
    place = tmp_path / UNIT.name
    place.write_text(UNIT.read_text())
    *words, path = shlex.split(command, comments=True)
    assert Path(path).name == UNIT.name
    subprocess.run([*words, str(place)], check=True)
    assert "\nExecStart=/opt/pf-verify/bin/pf serve --poll\n" in place.read_text()


def _systemd(folder: Path, unit: Path, *words: str, old: str = "", new: str = "") -> list[str]:
    """What systemd says of a unit, with a program that is there; its status is the last line."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is absent: there is no systemd-analyze")
    text = unit.read_text().replace("/opt/pf-verify/bin/pf", shutil.which("true") or "/bin/true")
    place = folder / unit.name
    place.write_text(text.replace(old, new) if old else text)
    command = ["systemd-analyze", *words, "--no-pager", str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [*(done.stdout + done.stderr).splitlines(), str(done.returncode)]


@pytest.mark.acceptance
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path, unit):
    assert _systemd(tmp_path, unit, "verify") == ["0"]
    found = _systemd(tmp_path, unit, "verify", old="Restart=", new="Restrt=")
    assert "Restrt" in found[0], "what is wrong is seen"


@pytest.mark.acceptance
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_finds_the_units_well_confined(tmp_path, unit):
    words = "security", "--offline=true", "--threshold=35"
    assert _systemd(tmp_path, unit, *words)[-1] == "0"
    assert _systemd(tmp_path, unit, *words, old="CapabilityBoundingSet=\n")[-1] != "0"


def test_the_label_that_stops_a_review_is_on_the_page():
    assert f"`{DO_NOT_READ}`" in " ".join(
        (REPO / ".github/docs/together.md").read_text("utf-8").split()
    )


def test_a_missed_delivery_is_fetched_as_soon_as_it_says():
    said = "Missed deliveries are fetched when the server starts, and later within a minute"
    assert said in " ".join(SERVING.split())
    assert compose.ServerIntervals().fetch <= 50
