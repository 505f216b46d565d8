"""The commands on real papers: they finish, say what they found, and claim no reading.

What they print of all of them, the largest too, is held by `tests/unchanged`.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from pfcore.cli.main import main

PAPERS = (
    "brownian-motion carleson equational-theories flt3 pfr sphere-eversion zkdl-lectures"
).split()


@pytest.mark.corpus
@pytest.mark.parametrize("name", PAPERS)
def test_check_and_graph_finish_on_a_real_paper(
    corpus: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["check", "--format", "json", str(corpus / name)])
    found = json.loads(capsys.readouterr().out)
    errors = [item for item in found["findings"] if item["severity"] == "error"]
    assert status == (1 if errors else 0)
    assert not set(found["statuses"].values()) & {"checked", "conditional"}
    assert main(["graph", "--format", "json", str(corpus / name)]) == 0
    graph = json.loads(capsys.readouterr().out)
    ids = [module["id"] for module in graph["modules"]]
    assert len(ids) == len(set(ids)) > 30
    known = set(ids)
    assert all(edge["source"] in known and edge["target"] in known for edge in graph["edges"])
    assert all(set(module["context"]) <= known for module in graph["modules"])
    for module in graph["modules"]:
        assert 1 <= module["start_line"] <= module["end_line"]


BLUEPRINTS = "brownian-motion carleson equational-theories flt3 pfr sphere-eversion".split()


@pytest.mark.corpus
@pytest.mark.parametrize("words", [[], ["--with-terms"]])
@pytest.mark.parametrize("name", BLUEPRINTS)
def test_the_missing_uses_of_a_blueprint_can_be_applied(
    corpus: Path, name: str, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / name
    shutil.copytree(corpus / name, folder, ignore=shutil.ignore_patterns("_truth", ".git"))

    def suggested() -> str:
        assert main(["graph", "--suggest-uses", *words, str(folder)]) == 0
        return capsys.readouterr().out

    def drifting() -> list[str]:
        main(["check", "--format", "json", str(folder)])
        found = json.loads(capsys.readouterr().out)["findings"]
        return [finding["module"] for finding in found if finding["rule"] == "uses-drift"]

    patch = suggested()
    assert patch == suggested()
    assert patch.count("\n+++ ") > 0
    assert len(drifting()) > 0 or name == "sphere-eversion"
    subprocess.run(["git", "apply", "-"], cwd=folder, input=patch.encode(), check=True)
    assert (suggested(), drifting()) == ("", [])
