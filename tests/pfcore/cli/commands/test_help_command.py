"""`pf help`: topics, pages as plain text, and what is said of a topic that there is not."""

import re
from pathlib import Path

import pytest

from pfcore.cli.commands import help_command
from pfcore.cli.main import main

DOCS = Path(__file__).parents[4] / ".github" / "docs"


def test_every_page_is_a_topic_with_one_line(capsys):
    assert main(["help"]) == 0
    said = capsys.readouterr().out.splitlines()
    pages = [path.stem for path in DOCS.glob("*.md")]
    assert sorted(line.split()[0] for line in said[2:]) == sorted([*pages, "blueprint", "pf"])
    assert all(line.split(maxsplit=1)[1].startswith("For ") for line in said[2:])


@pytest.mark.parametrize("name", sorted(path.stem for path in DOCS.glob("*.md")))
def test_a_page_is_printed_as_plain_text(name, capsys):
    assert main(["help", name]) == 0
    said = capsys.readouterr().out
    title = (DOCS / f"{name}.md").read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
    assert said.startswith(f"{title}\n{'=' * len(title)}\n")
    assert not [mark for mark in ("**", "](", "<!--", "|---|", "\x1b") if mark in said]


@pytest.mark.parametrize("asked", ["blueprint", "Lean", "leanblueprint", r"\leanok"])
def test_a_topic_may_be_a_section_of_a_page(asked, capsys):
    assert main(["help", asked]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Lean blueprints\n===============\n\nFor maintainers")
    assert "lake build :blueprint" in said
    assert "pre-commit" not in said


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


@pytest.mark.parametrize("asked", ["pf", ".pf", "pseudo-formal", "PF"])
def test_the_format_of_pf_files_has_names_of_its_own(asked, capsys):
    assert main(["help", asked]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Writing `.pf` files\n====")
    assert "Definitions and conventions have no tags" in " ".join(said.split())
    assert said.rstrip().endswith("</THEOREM_PROOF>")


@pytest.mark.parametrize("name", ["../../LICENSE", "..", "/etc/passwd"])
def test_a_topic_is_no_path(name, capsys):
    assert main(["help", name]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_topic_is_called_empty(name, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["help", name])
    out, err = capsys.readouterr()
    assert (out, "Did you mean" in err) == ("", False)
    assert err.startswith("pf help: TOPIC is empty\n")


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


WIDE = """\
| place | content | kept |
|---|---|---|
| the file of `--bundle` | the sources, and figures; only if you ask for it | until you delete it |
"""


def test_each_cell_of_a_table_is_broken_within_its_column():
    assert help_command.plain_page(WIDE, width=58) == (
        "place               content             kept\n"
        "the file of         the sources, and    until you delete\n"
        "`--bundle`          figures; only if    it\n"
        "                    you ask for it\n"
    )


def test_where_columns_have_no_room_each_cell_is_told_with_its_head():
    assert help_command.plain_page(WIDE, width=28) == (
        "the file of `--bundle`\n"
        "  content: the sources, and\n"
        "    figures; only if you ask\n"
        "    for it\n"
        "  kept: until you delete it\n"
    )


@pytest.mark.parametrize("width", [80, 40])
def test_no_line_of_a_page_is_wider_than_the_terminal_but_code_and_long_words(width):
    is_long = re.compile(rf"`[^`]{{{width // 3},}}`|\S{{{width // 3},}}")
    for name in help_command.topics():
        text = help_command.help_text(name, width=width)
        wide = [line for line in text.splitlines() if len(line) > width and line[:4] != "    "]
        assert [line for line in wide if not is_long.search(line)] == []


@pytest.mark.parametrize("width", [80, 40])
def test_the_topics_are_broken_between_words_behind_their_names(width):
    lines = help_command.topics_text(width=width).splitlines()
    assert max(map(len, lines)) <= width
    assert {line[:17].strip() for line in lines[2:] if line} == {"", *help_command.topics()}


def test_the_packaged_pages_come_first(tmp_path, monkeypatch):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "models.md").write_text("# Packaged\n\nFor tests.\n")
    monkeypatch.setattr(help_command, "files", lambda _: tmp_path)
    assert help_command.help_text("models") == "Packaged\n========\n\nFor tests.\n"


@pytest.mark.parametrize("word", [".", "e", "of", "...", "a.b"])
def test_no_page_is_guessed_from_what_occurs_everywhere(word, capsys):
    assert main(["help", word]) == 2
    assert "Did you mean" not in capsys.readouterr().err
