"""The examples of containers and units: what they copy, run and name exists; nobody is root.

No engine is at hand where this is tested: what was built and run, and of what, is told by the page.
"""

import configparser
import re
import shlex
from pathlib import Path

import pytest
import yaml

from bot import app_settings
from pfcore.cli.main import main

REPO = Path(__file__).parents[1]
DEPLOY = REPO / ".github/deploy"
TEXT = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
WORKER = DEPLOY / "pf-verify-worker@.service"
KNOWN = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "EXPOSE", "ENTRYPOINT", "CMD"}


def instructions() -> list[tuple[str, str]]:
    """The lines of the Containerfile, joined where they go on, without comments."""
    lines = [line for line in TEXT.splitlines() if not line.startswith("#")]
    whole = "\n".join(lines).replace("\\\n", " ")
    return [(k, v.strip()) for k, _, v in (ln.partition(" ") for ln in whole.splitlines()) if k]


def of(kind: str) -> list[str]:
    return [rest for name, rest in instructions() if name == kind]


def accepted(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """That `pf` has such a command, with such options."""
    with pytest.raises(SystemExit) as stopped:
        main([*words, "--help"])
    assert stopped.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith("usage: pf serve")
    assert all(word in said for word in words if word.startswith("--"))


def test_every_line_is_an_instruction_and_the_first_names_an_image() -> None:
    names = [name for name, _ in instructions()]
    assert set(names) <= KNOWN and names[0] == "FROM"
    images = [rest.split()[0] for rest in of("FROM")]
    assert all(re.fullmatch(r"[a-z]+:[0-9][\w.-]+", image) for image in images), "of a version"
    assert not any("/" in image for image in images), "no host is named"


def test_what_is_copied_is_there_and_is_all_that_the_package_needs() -> None:
    copied = [word for rest in of("COPY") if "--from" not in rest for word in rest.split()[:-1]]
    assert all((REPO / word).exists() for word in copied)
    assert {"bot", "hooks", "pfcore", "prompts", "pyproject.toml", ".github/docs"} <= set(copied)
    assert not any(word in (".", "./", ".git", ".venv") for word in copied)


def test_nothing_is_resolved_anew_and_nobody_is_root() -> None:
    first, second = [run for run in of("RUN") if "pip install" in run]
    assert "--require-hashes" in first and "serving.txt" in first
    assert "--no-deps" in second and "--no-build-isolation" in second
    (user,) = of("USER")
    assert user.isdecimal() and int(user) > 0
    assert f"--uid {user} " in " ".join(of("RUN"))


def test_the_image_holds_no_secret_and_names_settings_that_there_are() -> None:
    assert not re.search(r"(?i)password|secret|api_key|ARG ", TEXT)
    names = {name for rest in of("ENV") for name in re.findall(r"(?:^| )([A-Z_]+)=", rest)}
    ours = {name for name in names if name.startswith("PF_")}
    assert ours == {app_settings.FILE, app_settings.DATA}


def test_its_command_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    (entry,), (command,) = of("ENTRYPOINT"), of("CMD")
    assert yaml.safe_load(entry) == ["pf"]
    accepted(yaml.safe_load(command), capsys)


@pytest.mark.parametrize("name", ["web", "worker"])
def test_the_services_run_what_there_is(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    service = COMPOSE["services"][name]
    accepted(service["command"], capsys)
    assert service["command"][:2] == ["serve", name]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert service["environment"][app_settings.DATABASE].startswith("postgresql://")
    assert any(item.endswith(":/var/lib/pf-verify:ro") for item in service["volumes"])
    build = service["build"]
    place = (DEPLOY / build["context"]).resolve()
    assert (place / build["dockerfile"]).samefile(DEPLOY / "Containerfile")
    assert set(service["depends_on"]) <= set(COMPOSE["services"])


def test_passwords_come_from_outside_and_volumes_are_declared() -> None:
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    given = re.findall(r"(?m)^\s+\w*(?:PASSWORD|KEY): (.*)$", text)
    assert len(given) == 2 and all(item.startswith('"${') for item in given)
    used = [item for service in COMPOSE["services"].values() for item in service["volumes"]]
    named = {item.partition(":")[0] for item in used if not item.startswith(".")}
    assert named == set(COMPOSE["volumes"])


def test_only_this_machine_reaches_the_web_side() -> None:
    published = [p for service in COMPOSE["services"].values() for p in service.get("ports", ())]
    assert published and all(item.startswith("127.0.0.1:") for item in published)


def test_the_worker_s_unit_is_as_closed_as_the_server_s(
    capsys: pytest.CaptureFixture[str],
) -> None:
    units = []
    for path in (WORKER, REPO / "bot/pf-verify.service"):
        unit = configparser.ConfigParser(interpolation=None, strict=False)
        unit.optionxform = str  # type: ignore[assignment,method-assign]
        unit.read(path)
        units.append(dict(unit["Service"]))
    worker, server = units
    own = {"ExecStart", "Environment", "StateDirectory"}
    assert {k: v for k, v in worker.items() if k not in own} == {
        k: v for k, v in server.items() if k not in own
    }
    accepted(shlex.split(worker["ExecStart"])[1:], capsys)
    assert f"{app_settings.DATA}=/var/lib/pf-verify/worker-%i" in WORKER.read_text()


def test_the_page_says_what_was_built_and_what_never_ran() -> None:
    page = " ".join((REPO / ".github/docs/serving.md").read_text(encoding="utf-8").split())
    for name in ("Containerfile", "compose.yaml", WORKER.name):
        assert f".github/deploy/{name}" in page
    assert "with buildah 1.28, podman 4.3 and podman-compose 1.0" in page
    assert "GitHub itself was not contacted. Docker has not been tried." in page


def test_the_example_says_nothing_that_podman_s_own_compose_does_not_read() -> None:
    """Of Debian's podman-compose: no empty default or error, no list as the command of a check."""
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    assert not re.search(r"\$\{\w+:?[-?]\}", text)
    checks = [it["healthcheck"] for it in COMPOSE["services"].values() if "healthcheck" in it]
    assert [check["test"][0] for check in checks] == ["CMD-SHELL"] * 2
    assert all(len(check["test"]) == 2 for check in checks)
