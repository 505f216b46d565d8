"""`pf help`: topics, pages as plain text, and what is said of a topic that there is not."""

from pathlib import Path

import pytest

from pfcore.cli.commands import help_command
from pfcore.cli.main import main

DOCS = Path(__file__).parents[4] / ".github" / "docs"


def test_every_page_is_a_topic_with_one_line(capsys):
    assert main(["help"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert sorted(line.split()[0] for line in said[2:]) == sorted(p.stem for p in DOCS.glob("*.md"))
    assert all(line.split(maxsplit=1)[1].startswith("For ") for line in said[2:])


@pytest.mark.parametrize("name", sorted(path.stem for path in DOCS.glob("*.md")))
def test_a_page_is_printed_as_plain_text(name, capsys):
    assert main(["help", name]) == 0
    said = capsys.readouterr().out
    title = (DOCS / f"{name}.md").read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
    assert said.startswith(f"{title}\n{'=' * len(title)}\n")
    assert not [mark for mark in ("**", "](", "<!--", "|---|", "\x1b") if mark in said]


@pytest.mark.parametrize(
    ("asked", "meant"), [("writng", "writing"), ("gates", "gate"), ("securty", "security")]
)
def test_an_unknown_topic_is_told_with_what_may_be_meant(asked, meant, capsys):
    assert main(["help", asked]) == 2
    said = capsys.readouterr().err
    assert f"unknown topic '{asked}'. Did you mean {meant}" in said
    assert "pf help lists all topics" in said


@pytest.mark.parametrize(
    ("asked", "page"), [("hook", "writing"), ("arxiv", "submitting"), ("pull", "together")]
)
def test_a_word_that_is_no_topic_leads_to_the_page_that_has_it_most(asked, page, capsys):
    assert main(["help", asked]) == 2
    assert f"unknown topic '{asked}'. Did you mean pf help {page}?" in capsys.readouterr().err


def test_of_what_is_like_nothing_nothing_is_proposed(capsys):
    assert main(["help", "xxxx"]) == 2
    assert "Did you mean" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["../../LICENSE", "..", "/etc/passwd", ""])
def test_a_topic_is_no_path(name, capsys):
    assert main(["help", name]) == 2
    assert capsys.readouterr().out == ""


def test_a_command_is_explained_by_its_options(capsys):
    assert main(["help", "gate"]) == 0
    assert capsys.readouterr().out.startswith("usage: pf gate")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("# A `b`", "A `b`\n=====\n"),
        ("## A", "A\n-\n"),
        ("one\ntwo", "one two\n"),
        ("- one\n  two\n- three", "- one two\n- three\n"),
        ("See [the page](models.md#a).", "See the page (pf help models).\n"),
        ("See [it](https://a.example).", "See it (https://a.example).\n"),
        ("See [it](../CONTRIBUTING.md).", "See it.\n"),
        ("<!-- test -->\n```sh\npf check\n```", "    pf check\n"),
        ("| a | b |\n|---|---|\n| long | **x** |", "a     b\nlong  x\n"),
        ("![words](a.svg)", "\n"),
    ],
)
def test_marks_become_plain(text, plain):
    assert help_command.plain_page(text, width=40) == plain


def test_lines_break_between_words_and_never_inside_of_code():
    said = help_command.plain_page("aaaa bbbb `cc dd` eeee", width=10)
    assert said == "aaaa bbbb\n`cc dd`\neeee\n"


def test_the_packaged_pages_come_first(tmp_path, monkeypatch):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "models.md").write_text("# Packaged\n\nFor tests.\n")
    monkeypatch.setattr(help_command, "files", lambda _: tmp_path)
    assert help_command.help_text("models") == "Packaged\n========\n\nFor tests.\n"


@pytest.mark.parametrize("word", ["", ".", "e", "of", "...", "a.b", " "])
def test_no_page_is_guessed_from_what_occurs_everywhere(word, capsys):
    assert main(["help", word]) == 2
    assert "Did you mean" not in capsys.readouterr().err
