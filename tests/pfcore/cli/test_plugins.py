"""Commands that other packages bring."""

import sys

import pytest

from pfcore.cli.main import PLUGINS, main


@pytest.fixture
def bring(tmp_path, monkeypatch):
    """Installs a distribution that brings one command."""

    def installed(name, target, source=""):
        info = tmp_path / f"{name}_brings-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-brings\nVersion: 1\n")
        (info / "entry_points.txt").write_text(f"[{PLUGINS}]\n{name} = {target}\n")
        (tmp_path / f"brings_{name}.py").write_text(source)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, f"brings_{name}", raising=False)

    return installed


HAIL = """
def register(commands):
    hail = commands.add_parser("hail")
    hail.add_argument("whom")
    hail.set_defaults(run=lambda arguments: print("hail", arguments.whom) or 0)
"""


def test_a_command_of_another_package_runs(bring, capsys):
    bring("hail", "brings_hail:register", HAIL)
    assert main(["hail", "all"]) == 0
    assert capsys.readouterr().out == "hail all\n"


def test_one_that_is_broken_says_why_and_stands_in_the_way_of_none(bring, capsys):
    bring("hail", "brings_hail:register", "import something_that_is_nowhere")
    assert main(["hail"]) == 2
    said = capsys.readouterr().err
    assert "pf hail cannot be loaded" in said
    assert "something_that_is_nowhere" in said
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    assert "hail" in capsys.readouterr().out


def test_our_own_commands_do_not_look_for_others(bring, capsys):
    bring("hail", "brings_hail:register", "raise RuntimeError('looked at')")
    assert main(["checks"]) == 0
    assert "looked at" not in capsys.readouterr().err
