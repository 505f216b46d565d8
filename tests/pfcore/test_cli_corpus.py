"""The commands on every real paper: they finish, say what they found, and claim no reading."""

import json
from pathlib import Path

import pytest

from pfcore.cli import main

PAPERS = (
    "brownian-motion carleson equational-theories flt3 hott-intro openlogic pfr poly "
    "sphere-eversion zkdl-lectures"
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
