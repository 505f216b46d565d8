"""The page of threats: each line names what holds it, and all that is named exists."""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

REPO = Path(__file__).parents[1]
PAGES = ("threats", "first-hour", "overleaf")
TEXTS = {
    name: (REPO / f".github/docs/{name}.md").read_text(encoding="utf-8")
    for name in PAGES
    if (REPO / f".github/docs/{name}.md").exists()
}
NAMED = re.compile(r"`((?:bot|pfcore|hooks|prompts|tests|\.github|\.ci)/[^`\s]+)`")
REFERENCES = [(name, found) for name, text in TEXTS.items() for found in NAMED.findall(text)]
PLACE = re.compile(r"`(?P<path>[^`\s]+)`, `(?P<name>[\w.]+)`")
DOORS = ("The hook", "The command line", "The gate", "The Action", "The App")


def rows(page: str, heading: str) -> list[str]:
    """The lines of the table below a heading."""
    part = TEXTS[page].partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [line for line in part.splitlines() if line.startswith("| ")][1:]


def test_what_is_named_exists() -> None:
    for page, named in sorted(set(REFERENCES)):
        path, _, test = named.partition("::")
        assert (REPO / path).exists(), f"{page} names {path}"
        if test:
            text = (REPO / path).read_text(encoding="utf-8")
            assert re.search(rf"^(?:async )?def {re.escape(test)}\(", text, re.MULTILINE), named


@pytest.mark.parametrize("door", DOORS)
def test_every_line_about_a_door_names_what_holds_it(door: str) -> None:
    found = rows("threats", door)
    assert len(found) >= 3
    assert [line for line in found if not NAMED.search(line)] == []


def test_a_name_of_nothing_would_be_seen() -> None:
    assert NAMED.findall("`tests/test_nothing.py::test_x` and `pf check`") == [
        "tests/test_nothing.py::test_x"
    ]


HOURS = re.findall(r"^## (.+)$", TEXTS["first-hour"], re.MULTILINE)


@pytest.mark.parametrize("heading", HOURS)
def test_what_a_person_has_to_try_is_told_with_what_is_expected_and_the_code(heading: str) -> None:
    found = rows("first-hour", heading)
    assert found
    for line in found:
        do, expected, code = [cell.strip() for cell in line.strip("| ").split(" | ")]
        assert do and expected, line
        for path, name in map(placed, code.split("; ")):
            assert name in names_in(REPO / path), f"{path} has no {name}"


def placed(words: str) -> tuple[str, str]:
    """The file of a place, and the name that is meant there."""
    found = PLACE.fullmatch(words)
    assert found, words
    return found["path"], found["name"]


def names_in(path: Path) -> set[str]:
    """What a file defines: functions, classes, constants and methods; in YAML, keys and items."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return set(re.findall(r"\w+(?=:)", text)) | set(re.findall(r"\w+(?=[,\]])", text))
    return set(_defined(ast.parse(text).body))


def _defined(body: Sequence[ast.stmt]) -> Iterator[str]:
    for item in body:
        if isinstance(item, ast.FunctionDef | ast.ClassDef):
            yield item.name
        if isinstance(item, ast.ClassDef):
            yield from (f"{item.name}.{name}" for name in _defined(item.body))
        if isinstance(item, ast.Assign):
            yield from (target.id for target in item.targets if isinstance(target, ast.Name))


def test_a_name_that_a_file_lacks_would_be_seen() -> None:
    found = names_in(REPO / "bot/github/github_repository.py")
    assert {"CheckRuns", "CheckRuns._find", "_AT_ONCE"} <= found
    assert found.isdisjoint({"_find", "CheckRuns.nothing", "own"})
