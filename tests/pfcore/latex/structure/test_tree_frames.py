"""A text between tags is read as one statement or proof."""

from pfcore.latex.lexer.commands import CommandEvent
from pfcore.latex.project.recipes import SplicedSource
from pfcore.latex.project.syntax import Declared, build
from pfcore.latex.reader import parse_latex_file
from pfcore.latex.structure.tree import frame

SYNTAX = build(Declared())


def framed(body, *, tag="LEMMA_STATEMENT", label="lem:1.1", references=()):
    text = f"<>{body}</>"
    around = frame(tag, label, (2, len(text) - 3), references)
    return parse_latex_file(SplicedSource(text), SYNTAX, around)


def test_the_text_is_one_block_with_its_label_and_number():
    found = framed("All is well.")
    (block,) = found.reading.blocks
    assert found.texts == ("All is well.",)
    assert (block.shape, block.kind, block.labels, block.number) == (
        "statement", "lemma", ("lem:1.1",), "1.1",
    )  # fmt: skip
    assert [item.key for item in found.reading.labels] == ["lem:1.1"]


def test_a_bracket_at_the_start_is_no_title():
    (block,) = framed("[0, 1] is compact.").reading.blocks
    assert block.title == ""


def test_words_may_be_references():
    by = CommandEvent(5, 14, "reference", "cited", ("lem:1.1",), "")
    (block,) = framed(
        "By Lemma 1.1, so.", tag="LEMMA_PROOF", label="", references=[by]
    ).reading.blocks
    (mention,) = block.mentions
    assert (block.shape, mention.keys, mention.form) == ("proof", ("lem:1.1",), "used")


def test_a_document_or_a_convention_in_it_is_nothing_else():
    found = framed("Throughout this paper, rings are commutative. \\begin{document} So.")
    assert [block.shape for block in found.reading.blocks] == ["statement"]
    assert "So." in found.texts[0]
