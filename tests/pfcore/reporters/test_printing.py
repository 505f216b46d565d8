"""Text made safe to print."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pfcore.reporters.formats
from pfcore.domain.values import Finding, Location, Severity, Status
from pfcore.reporters.printing import (
    GLYPHS,
    UNBROKEN,
    Style,
    plural,
    quote_line,
    safe,
    shortened,
    status_words,
)


@given(st.text())
def test_nothing_unprintable_survives(text):
    assert safe(text).isprintable()


@pytest.mark.parametrize(
    "letter", ["\x1b", "\x9b", "\u202e", "\u2066", "\ufeff", "\u200b", "\ud800", "\n"]
)
def test_controls_and_directions_are_taken_out(letter):
    assert safe(f"a{letter}b") == "a b"


@pytest.mark.parametrize(
    "code", ["\x1b[31m", "\x9b1;31m", "\x1b]8;;https://a\x1b\\", "\x1b]0;t\x07"]
)
def test_a_whole_sequence_for_terminals_is_taken_out(code):
    assert safe(f"Sm{code}all") == "Small"


@given(st.text(min_size=1, max_size=50), st.integers(2, 60))
def test_a_shortened_text_fits(text, width):
    assert len(shortened(text, width)) <= width


def test_nouns_agree_with_their_number():
    assert (
        plural(1, "module"),
        plural(0, "module"),
        plural(1234, "reply", "replies"),
    ) == (
        "1 module",
        "0 modules",
        "1,234 replies",
    )


@pytest.mark.parametrize("width", range(10, 70))
def test_what_is_to_be_typed_is_in_one_line(width):
    text = "7 proofs: no model is set (pf check --all --model NAME), or pf plan --why lem:a."
    style = Style(width=width)
    lines = style.finish(style.wrap(text, indent=2)).splitlines()
    assert " ".join(line.strip() for line in lines) == text
    assert [line for line in lines if "pf check --all --model NAME" in line]
    assert [line for line in lines if "pf plan --why" in line]


LONG = (
    "  \x1b[1mmain.tex\x1b[0m  17 edges: 3 by notation,  6 by scope; "
    "pf dismiss --rule no-proof --reason '…'"
)


@pytest.mark.parametrize("width", range(12, 90))
def test_a_line_that_is_too_long_for_a_terminal_is_parted_between_words(width):
    text = Style(width=width).finish([f"{LONG}\n    more"])
    *parts, more = text.splitlines()
    assert more == "    more"
    assert " ".join(text.split()) == " ".join(f"{LONG} more".split())
    assert all(part.startswith("  ") for part in parts)
    assert any("pf dismiss --rule no-proof --reason '…'" in part for part in parts)
    bare = [part.replace("\x1b[1m", "").replace("\x1b[0m", "") for part in parts]
    wide = [part for part in bare if len(part) > width]
    assert [part for part in wide if len(part.split()) > 1 and "pf dismiss" not in part] == []


def test_a_file_has_long_lines():
    assert Style(width=20, is_whole=True).finish([LONG]) == f"{LONG}\n"
    command = "pf explain g366h4n6 '--base=HEAD~1'"
    assert Style(width=20).finish([command.replace(" ", UNBROKEN)]) == f"{command}\n"


SCHEMAS = Path(pfcore.reporters.formats.__file__).parent / "schemas"


@pytest.mark.parametrize("status", Status)
def test_every_status_has_a_sign_and_a_word_and_is_in_the_schemas(status):
    assert len(GLYPHS[status]) == 1
    assert Style(ascii=True).finish([GLYPHS[status]]).isascii()
    is_unread = status is Status.UNREACHED
    assert status_words(status).startswith("not read yet" if is_unread else status.value)
    for name in ("check", "graph"):
        assert f'"{status.value}"' in (SCHEMAS / f"{name}.json").read_text("utf-8")


@pytest.mark.parametrize(
    ("likeness", "line"),
    [
        (1.0, "x > 0 and more"),
        (0.873, "x > 0 and more  (87% as the text has it)"),
        (0.0, "x > 0 and more  (the quote is not in the text)"),
    ],
)
def test_a_quote_that_is_not_to_the_letter_says_so(likeness: float, line: str) -> None:
    finding = Finding(
        id="a", rule="gap", subject="x", severity=Severity.ERROR, module=None, message="No.",
        quote="x > 0 and  more", location=Location("a.tex", 0, 1, 1, 1, 1, 2), likeness=likeness,
    )  # fmt: skip
    assert quote_line(finding, 200) == line
    assert quote_line(finding, 30).endswith(line[14:])
