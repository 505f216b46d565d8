"""What other packages say in `pf doctor`."""

import sys

import pytest

from pfcore.cli.commands.doctor_command import GROUP, plugged

SAYS = """
from pfcore.reporters.setup_report import ok, wrong

def probes():
    return [ok("thing", "it is well"), wrong("other", "it is not")]
"""


@pytest.fixture
def bring(tmp_path, monkeypatch):
    """Installs a distribution that brings probes."""

    def installed(name, source):
        info = tmp_path / f"{name}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (info / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {name}:probes\n")
        (tmp_path / f"{name}.py").write_text(source)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, name, raising=False)

    return installed


def test_probes_of_other_packages_are_shown_and_count(bring, run, monkeypatch, tmp_path):
    monkeypatch.setenv("PF_DATA_DIR", str(tmp_path / "data"))
    bring("says_things", SAYS)
    status, out, _ = run("doctor")
    assert status == 2
    assert "thing          it is well" in out
    assert "other          it is not" in out


def test_those_that_cannot_be_loaded_say_so(bring):
    bring("says_nothing", "import something_that_is_nowhere")
    found = {item.name: item.says for item in plugged()}
    assert "something_that_is_nowhere" in found["says_nothing"]
