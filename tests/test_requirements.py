"""What the action installs: every file by its digest, all that the package asks for, no more."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

REPO = Path(__file__).parents[1]
FOLDER = REPO / ".github/requirements"
EXTRAS = {"structure": set(), "proofs": {"llm"}, "publish": {"ci"}}
EXTRAS |= {"gate": {"llm", "arxiv"}}
EXTRAS |= {"serving": {"bot", "llm", "report"}}
PACKAGE = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))
ACTION = yaml.safe_load((REPO / ".github/actions/pf-gate/action.yml").read_text(encoding="utf-8"))
PIN = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>\S+)(?P<more>.*)")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(name: str) -> dict[str, tuple[str, list[str]]]:
    """The version of each package in a list, with its digests."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").replace("\\\n", " ")
    found = {}
    for line in text.splitlines():
        match = PIN.fullmatch(line.strip())
        assert match, line
        found[plain(match["name"])] = match["version"], HASH.findall(match["more"])
        assert re.sub(rf"{HASH.pattern}|;[^-]*", "", match["more"]).strip() == "", line
    return found


def wanted(extras: set[str]) -> set[str]:
    """The packages that the package itself, some extras and its build ask for."""
    project = PACKAGE["project"]
    asked = [*project["dependencies"], *PACKAGE["build-system"]["requires"]]
    for extra in extras:
        asked += project["optional-dependencies"][extra]
    return {plain(re.split(r"[\[<>=~; ]", item)[0]) for item in asked}


@pytest.mark.parametrize("name", EXTRAS)
def test_every_file_is_named_by_its_digest_and_no_host_is(name: str) -> None:
    assert all(digests for _, digests in pins(name).values())
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert not re.search(r"https?:|--index|--extra-index|--find-links|^-", text, re.MULTILINE)


@pytest.mark.parametrize("name", EXTRAS)
def test_what_the_package_asks_for_is_there_with_what_builds_it(name: str) -> None:
    assert wanted(EXTRAS[name]) <= set(pins(name))


def test_no_job_gets_what_another_one_needs() -> None:
    assert "openai" not in pins("structure") and "pygithub" not in pins("structure")
    assert "pygithub" not in pins("proofs") and "openai" not in pins("publish")


@pytest.mark.parametrize("name", EXTRAS)
def test_the_versions_are_those_that_the_tests_run_with(name: str) -> None:
    lines = (REPO / "constraints.txt").read_text(encoding="utf-8").splitlines()
    known = {plain(k): v for k, _, v in (line.partition("==") for line in lines) if v}
    assert [k for k, (v, _) in pins(name).items() if known.get(k, v) != v] == []


def test_the_action_resolves_nothing_anew() -> None:
    (install,) = [step["run"] for step in ACTION["runs"]["steps"] if "pip install" in str(step)]
    first, second = re.findall(r"pip install((?:[^\n]*\\\n)*[^\n]*)", install)
    assert "--require-hashes" in first and "--only-binary :all:" in first
    assert "requirements/$list.txt" in first
    for option in ("--no-deps", "--no-index", "--no-build-isolation"):
        assert option in second
    lists = set(re.findall(r"list=(\w+)", install))
    assert lists == set(EXTRAS) - {"serving"}
