"""Each JSON that a command prints has the keys that the reference has, and no others.

The reference is the one place that says them: a table for each command, a row for each key of the
whole, which names all that is below it.
"""

import argparse
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from pfcore.cli.main import whole_parser
from tests.conftest import git
from tests.messages import PAGES
from tests.pfcore.bench.errata.conftest import Corrected, corrected
from tests.pfcore.bench.planted.conftest import body
from tests.pfcore.bench.replay.conftest import PublishedFolder
from tests.pfcore.cli.commands.test_numbers_command import LOG, engine
from tests.pfcore.cli.commands.test_pdf_command import GRAVE, pdf, reader, says

__all__ = ["Corrected", "corrected", "engine", "pdf", "reader"]

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

REFERENCE = next(page for page in PAGES if page.stem == "reference").read_text("utf-8")
HEAD = re.compile(r"^`pf ([a-z ]+) --format json`[^\n]*[:.]$", re.MULTILINE)
MAPS = frozenset("statuses forms fields operators stages scores".split())
"""Keys of objects whose own keys are data: ids, names of settings and of kinds."""


def table(command: str) -> dict[str, set[str]]:
    """The rows of a command's table: each key of the whole with all words in code behind it."""
    (start,) = [found.end() for found in HEAD.finditer(REFERENCE) if found[1] == command]
    part = re.split(r"\n\n(?!\|)", REFERENCE[start:].lstrip("\n"), maxsplit=1)[0]
    rows = re.findall(r"^\| `([^`]+)` \| (.*) \|$", part, re.MULTILINE)
    return {key: set(re.findall(r"`(\w+)`", words)) for key, words in rows}


def below(value: Any, *, is_map: bool = False) -> Iterator[str]:
    """All keys in a value; of a map only those of its values."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not is_map:
                yield key
            yield from below(inner, is_map=key in MAPS and not is_map and isinstance(inner, dict))
    if isinstance(value, list):
        for inner in value:
            yield from below(inner)


def compare(command: str, *made: dict[str, Any], values: str = "") -> None:
    """Hold what some runs printed against the table.

    `values` are words in code there that are no keys, or that no small run prints.
    """
    rows = table(command)
    assert [one.keys() for one in made] == [rows.keys()] * len(made)
    for key, words in rows.items():
        found = {name for one in made for name in below(one[key], is_map=key in MAPS)}
        assert found - words == set(), f"{key}: not in the reference"
        assert words - found - set(values.split()) == set(), f"{key}: in the reference alone"


@pytest.fixture
def printed(run):
    """Runs a command that prints JSON."""

    def command(*argv: str) -> dict[str, Any]:
        status, out, err = run(*argv, "--format", "json")
        assert status in (0, 1, 3), err
        found: dict[str, Any] = json.loads(out)
        return found

    return command


def formats() -> dict[str, argparse.ArgumentParser]:
    """The commands that can print JSON."""
    found: dict[str, argparse.ArgumentParser] = {}

    def look(commands: Any, before: str) -> None:
        for name, parser in commands.choices.items():
            for action in parser._actions:
                if isinstance(action, argparse._SubParsersAction):
                    look(action, f"{before}{name} ")
                elif "--format" in action.option_strings and "json" in (action.choices or ()):
                    found[f"{before}{name}"] = parser

    look(whole_parser()[1], "")
    return found


def test_each_command_that_prints_json_has_one_place_in_the_reference():
    assert sorted(HEAD.findall(REFERENCE)) == sorted(formats())
    others = [page.stem for page in PAGES if page.stem != "reference"]
    assert [page.stem for page in PAGES if HEAD.search(page.read_text("utf-8"))] == ["reference"]
    assert len(others) > 10


def test_what_is_not_documented_and_what_is_not_printed_are_noticed():
    made: dict[str, Any] = {name: [] for name in table("numbers")}
    with pytest.raises(AssertionError, match="in the reference alone"):
        compare("numbers", made)
    with pytest.raises(AssertionError, match="not in the reference"):
        compare("numbers", made | {"papers": [{"colour": 1}]})
    with pytest.raises(AssertionError):
        compare("numbers", made | {"colour": 1})


def test_numbers(printed, engine, repository, tmp_path, monkeypatch, document):
    repository({"main.tex": document("\\begin{lemma}\\label{a} A.\\end{lemma}")})
    monkeypatch.chdir(tmp_path / "paper")
    engine.says("log", LOG)
    compare("numbers", printed("numbers"), printed("numbers", "--latex"))


OPEN = "\\begin{lemma}\\label{c} C, by \\ref{gone}.\\end{lemma}\n"


def test_gate(printed, paper, edit):
    edit("\\end{document}", f"{OPEN}\\end{{document}}")
    git(paper, "commit", "--quiet", "--all", "-m", "more")
    made = [
        printed("gate", "--allow-unread", "--bundle", "arxiv.tar.gz", "--unpassed"),
        printed("gate", "--allow-unread"),
    ]
    again = json.loads((paper / "pf-gate" / "result.json").read_text("utf-8"))
    assert again.keys() == made[1].keys()
    assert [one.keys() for one in made] == [table("check").keys() | {"gate"}] * 2
    assert made[0]["gate"]["upload"]["files"]
    compare("gate", *(one["gate"] for one in made))


def test_recheck_has_what_check_has(printed, paper, referee):
    assert printed("recheck", "a", "--all", "--model", "m").keys() == table("check").keys()
    assert "has the keys of `pf check`" in REFERENCE.partition("`pf recheck --format json`")[2]


def test_audit(printed, paper, referee, run):
    assert run("check", "--model", "m", "--all", "--yes", "--update-lock")[0] == 0
    referee.objects_to("Clear.")
    compare("audit", printed("audit", "--sample", "2", "--model", "n"), values=VERDICTS)


VERDICTS = "accepted flagged unreached"


def test_upgrade(printed, paper, referee, run):
    assert run("check", "--model", "m", "--all", "--yes", "--update-lock")[0] == 0
    compare("upgrade", printed("upgrade", "--model", "n"))


def test_check_of_a_pdf(printed, pdf, reader):
    says(reader, GRAVE)
    found = printed("check", pdf, "--model", "m")
    rows = table("check")
    assert found.keys() == rows.keys()
    for key, value in found.items():
        assert set(below(value, is_map=key in MAPS)) <= rows[key], key


def test_the_price_of_a_pdf(printed, pdf, tmp_path, monkeypatch):
    monkeypatch.delenv("PF_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    (tmp_path / "work" / "pf.toml").write_text("[reading]\nbudget = 1\nask_above = 0.5\n")
    part = REFERENCE.partition("a PDF, it prints only")[2].partition("\n\n")[0]
    wanted = printed("check", pdf, "--model", "gpt-5.4-mini")
    assert re.findall(r"`(\w+)`", part) == list(wanted)


def test_check_plan_and_graph_print_nothing_that_the_reference_lacks(printed, paper, edit, referee):
    edit("Clear.", r"Clear by \ref{gone}.")
    edit(r"\label{a}", r"\label{a}\lean{foo}\leanok")
    for command, argv in (
        ("check", ("--all", "--model", "m")),
        ("plan", ("--why", "b", "--deep", "--model", "m")),
        ("graph", ()),
    ):
        found, rows = printed(command, *argv), table(command)
        assert found.keys() == rows.keys()
        for key, value in found.items():
            words = rows[key]
            if key == "why":  # whose modules have the keys of the graph's, and needs as others have
                words = words.union(table("graph")["modules"], *rows.values())
            assert set(below(value, is_map=key in MAPS)) <= words, (command, key)


def test_bench_mutate(printed, paper, document):
    (paper / "main.tex").write_text(document(body(3)), encoding="utf-8")
    argv = ("--granularity", "author", "--rollouts", "2", "--each", "1")
    compare(
        "bench mutate",
        printed("bench", "mutate", "--simulate", "0.9,0.1", *argv),
        values="operator module reason pf",
    )


def test_bench_contexts(printed, paper, edit):
    edit(r"By \ref{a}.", r"\newcommand{\uses}[1]{}\uses{a} By \ref{a} for a still map.")
    edit(r"\begin{document}", "\\begin{document}We call a map \\emph{still map} if it is.\n")
    compare("bench contexts", printed("bench", "contexts"), values="id held says")


def test_bench_replay(printed, tmp_path):
    published = PublishedFolder(tmp_path / "sets")
    published.rated("IMO2025", (7, 1.0), (9, 0.5))
    compare("bench replay", printed("bench", "replay", str(published.root)))


def test_bench_errata(printed, corrected, referee, tmp_path, monkeypatch):
    monkeypatch.setenv("PF_DATA_DIR", str(tmp_path / "data"))
    referee.objects_to("Then $n+2$ is even.")
    away = corrected.row(id=8, repo="owner/away")
    rows = str(corrected.write(corrected.row(), away))
    argv = ("--clones", str(corrected.folder), "--rows", rows, "--model", "m", "--rollouts", "1")
    compare(
        "bench errata", printed("bench", "errata", *argv), printed("bench", "errata", *argv[:4])
    )
