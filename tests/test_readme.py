"""The README's settings are settings, and its commands are commands."""

import re
from pathlib import Path

import pytest

from pfcore.bench.runs import synthetic
from pfcore.checks import registry
from pfcore.cli.main import main
from pfcore.domain import paper_settings

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_settings_in_the_readme_are_accepted():
    (block,) = _blocks("toml")
    settings = paper_settings.parse_paper_settings(block, path="README.md")
    registry.require_known(settings.checks, path="README.md")
    assert settings.papers


def test_the_benchmarks_in_the_readme_run_as_they_stand(tmp_path, monkeypatch, capsys):
    synthetic.write_rows(tmp_path, 2)
    for made, named in (
        (synthetic.PROOFS, "hard2verify.jsonl"),
        (synthetic.PAPERS, "arxiv.jsonl"),
        (synthetic.PDFS, "pdfs"),
    ):
        (tmp_path / made).rename(tmp_path / named)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PF_CACHE_DIR", str(tmp_path / "cache"))
    lines = re.findall(r"^pf (bench (?:hard2verify|arxiv) .*)$", README, re.MULTILINE)
    assert len(lines) == 2
    for line in lines:
        assert "--model gpt-5.4-mini" in line
        simulated = line.replace("--model gpt-5.4-mini", "--simulate 0.7,0.1").split()
        assert main(simulated) == 0
        assert "k = 8 rollouts" in capsys.readouterr().out
    assert len(list((tmp_path / "pf-bench").iterdir())) == 2


@pytest.mark.parametrize(
    "option", ["--method", "--no-self-repair", "--limit", "--prompts", "--judge-model"]
)
def test_the_options_of_benchmarks_in_the_readme_exist(option, capsys):
    assert option in README
    with pytest.raises(SystemExit):
        main(["bench", "arxiv", "--help"])
    assert option in capsys.readouterr().out


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
