"""What to run for an optional part, for each way in which pf-verify can have been installed."""

import importlib.metadata
import json
import shutil
import sys
from types import SimpleNamespace

import pytest

from pfcore.domain import installation
from pfcore.domain.installation import install_command

URL = "https://example.org/o/pf-verify"
COMMIT = "a" * 40


@pytest.mark.parametrize(
    ("recorded", "meant"),
    [
        (None, "'pf-verify[llm]'"),
        ("no json", "'pf-verify[llm]'"),
        ({"url": "file:///a/b%20c", "dir_info": {}}, "'/a/b c[llm]'"),
        ({"url": "file:///a/b", "dir_info": {"editable": True}}, "-e '/a/b[llm]'"),
        (
            {"url": URL, "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
            f"'pf-verify[llm] @ git+{URL}@{COMMIT}'",
        ),
        (
            {"url": f"{URL}.whl", "archive_info": {}},
            f"'pf-verify[llm] @ {URL}.whl'",
        ),
    ],
)
def test_it_comes_from_where_this_installation_came_from(monkeypatch, recorded, meant):
    text = recorded if recorded is None or isinstance(recorded, str) else json.dumps(recorded)

    class Installed:
        def read_text(self, name):
            assert name == "direct_url.json"
            return text

    monkeypatch.setattr(installation, "distribution", lambda name: Installed())
    assert install_command("llm") == f"{sys.executable} -m pip install {meant}"


@pytest.mark.parametrize(("is_editable", "option"), [(False, ""), (True, "-e ")])
def test_a_clone_is_installed_as_its_page_says(monkeypatch, tmp_path, is_editable, option):
    (tmp_path / "constraints.txt").write_text("")
    where = {"url": f"file://{tmp_path}", "dir_info": {"editable": is_editable}}
    recorded = SimpleNamespace(read_text=lambda _: json.dumps(where))
    monkeypatch.setattr(installation, "distribution", lambda name: recorded)
    assert install_command("llm") == (
        f"cd {tmp_path} && {sys.executable} -m pip install -q -c constraints.txt {option}'.[llm]'"
    )


def test_several_are_named_together(monkeypatch):
    assert "[bot,llm]" in install_command("bot", "llm")


@pytest.mark.parametrize(
    ("there", "meant"),
    [
        (("uv", "pipx"), f"uv pip install --python {sys.executable} "),
        (("pipx",), "pipx install --force "),
        ((), f"uv pip install --python {sys.executable} "),
    ],
)
def test_an_environment_without_pip_is_reached_by_what_made_it(monkeypatch, there, meant):
    monkeypatch.setattr(installation, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: name if name in there else None)
    assert install_command("llm").startswith(meant)


def test_what_is_not_installed_is_named(monkeypatch):
    def absent(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(installation, "distribution", absent)
    assert install_command("llm").endswith(" install 'pf-verify[llm]'")
