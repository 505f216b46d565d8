"""Text made safe to print."""

import re
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pfcore.reporters.formats
from pfcore.domain.findings import located, quoted
from pfcore.domain.values import Finding, Location, Severity, Status
from pfcore.reporters.printing import (
    _SEQUENCE,
    GLYPHS,
    UNBROKEN,
    Style,
    _columns,
    excerpt,
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


@pytest.mark.parametrize(
    "command",
    [
        "pf gate --paper parts/my-paper.tex --allow-unread",
        "pf gate --source arxiv.tar.gz --bundle=up.tar.gz --unpassed",
        "pf gate --paper 'a b.tex' '--bundle=my up.tar.gz' --allow-unread",
        "pf dismiss --rule no-proof --rule placeholder --paper main.tex --reason '…'",
    ],
)
@pytest.mark.parametrize("width", [20, 60, 79])
def test_a_command_with_the_names_of_files_is_in_one_line(command, width):
    text = f"  2. 6 findings of dangling-reference: correct them, or answer: {command}, and commit"
    style = Style(width=width)
    for lines in (style.finish([text]), style.finish(style.wrap(text))):
        assert [line for line in lines.splitlines() if command in line], lines


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
        (0.873, "x > 0 and more  (87% match with the text)"),
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


def shown(before: str, span: str, after: str, **style: object) -> tuple[list[str], bool]:
    """The excerpt of a finding about a span of a text, and whether it has all of the span."""
    source = before + span + after
    where = located("a.tex", source, len(before), len(before + span))
    finding = Finding(
        id="a", rule="gap", subject="x", severity=Severity.ERROR, module=None, message="No.",
        quote=quoted(source, where), location=where,
    )  # fmt: skip
    return excerpt(finding, source, Style(**({"width": 80} | style)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("parts", "lines"),
    [
        (("One.\nBy ", "\\ref{a}", ".\nEnd."), ["     2 | By \\ref{a}.", "       |    ^~~~~~~"]),
        (("", "x", ""), ["     1 | x", "       | ^"]),
        (("  \tBy ", "(1)", ""), ["     1 | By (1)", "       |    ^~~"]),
        (("a\tb\t", "c", ""), ["     1 | a    b    c", "       |           ^"]),
        (("引理 ", "定理", "。"), ["     1 | 引理 定理。", "       |      ^~~~"]),
        (("e\u0301a ", "e\u0301b", " c"), ["     1 | e\u0301a e\u0301b c", "       |    ^~"]),
        (("a\x1b[31m", "b", "\u202e"), ["     1 | a [31mb ", "       |       ^"]),
        (("", "\\begin{lemma} \nA.", ""), ["     1 | \\begin{lemma}", f"       | ^{12 * '~'}"]),
    ],
)  # fmt: skip
def test_a_mark_is_below_the_exact_span(parts, lines):
    assert shown(*parts)[0] == lines


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize(("left", "right"), [(0, 300), (300, 0), (300, 300), (10, 300)])
@pytest.mark.parametrize("letters", ["ab", "引理", "e\u0301a"])
def test_a_long_line_is_cut_around_the_span(width, left, right, letters):
    (line, mark), is_all = shown(letters * left, "SPAN", letters * right, width=width)
    assert is_all
    assert max(_columns(line), _columns(mark)) <= width
    assert _columns(line) >= width - 3
    assert _columns(line.partition("SPAN")[0]) == mark.index("^")
    assert mark.endswith(" ^~~~")
    is_cut = _columns(letters * left) > width // 3
    assert (line.startswith("     1 | …"), line.endswith("…")) == (is_cut, right > 0)


def test_the_quote_says_more_where_the_span_has_several_lines():
    (line, mark), is_all = shown("By ", "x" * 100, ".", width=40)
    assert is_all
    assert line.endswith("x…") and mark.count("~") == line.count("x") - 1
    assert shown("By ", "x\ny", ".")[1] is False
    assert shown("By ", "x", ".\ny")[1] is True


def test_where_nothing_may_be_cut_a_line_that_is_too_long_is_only_quoted():
    assert shown("By ", "x", "y" * 50, width=40, is_whole=True) == ([], False)
    assert len(shown("By ", "x", "y" * 20, width=40, is_whole=True)[0]) == 2


def test_a_console_of_few_letters_keeps_the_mark_in_place():
    (line, mark), _ = shown("引理é ", "x", "", ascii=True)
    assert line == "     1 | ??é x"
    assert mark.index("^") == line.index("x")


def test_of_a_long_line_only_what_may_be_shown_is_looked_at():
    lines, _ = shown("a" * 50_000, "BAD", "b" * 50_000)
    (text, mark) = (line[9:] for line in lines)
    assert text.startswith("…aaa")
    assert text.endswith("bbb…")
    assert text[mark.index("^") : mark.index("^") + 3] == "BAD"
    assert len(lines[0]) == 80


def test_no_excerpt_is_made_up():
    where = Location("a.tex", 5, 6, 9, 1, 9, 2)
    finding = Finding(
        id="a", rule="gap", subject="x", severity=Severity.ERROR, module=None, message="No.",
        quote="x", location=where,
    )  # fmt: skip
    assert excerpt(finding, "0123456789", Style()) == ([], False), "another line"
    assert excerpt(finding, "", Style()) == ([], False)


@given(
    st.text(max_size=60),
    st.text(min_size=1, max_size=60),
    st.text(max_size=60),
    st.integers(40, 100),
    st.booleans(),
)
def test_an_excerpt_fits_prints_and_marks_what_it_says(before, span, after, width, is_ascii):
    lines, is_all = shown(before, span, after, width=width, ascii=is_ascii)
    for line in lines:
        assert line.isprintable()
        assert _columns(line) <= width
    if lines and is_all:
        marked = sum(map(_columns, lines[1].partition("| ")[2].strip(" ")))
        assert marked >= 1


@pytest.mark.parametrize(
    ("host", "root", "address"),
    [
        (None, PurePosixPath("/papers"), None),
        ("", None, None),
        ("", PurePosixPath("/papers"), "file:///papers/a.tex"),
        ("box", PurePosixPath("/papers"), "file://box/papers/a.tex"),
        ("box", PurePosixPath("/my papers/ü"), "file://box/my%20papers/%C3%BC/a.tex"),
        ("", PureWindowsPath(r"C:\my papers"), "file:///C:/my%20papers/a.tex"),
        ("", PureWindowsPath(r"\\server\share"), "file://server/share/a.tex"),
    ],
)
def test_a_place_leads_to_its_file_where_links_are_shown(host, root, address):
    where = Location("a.tex", 0, 1, 3, 7, 3, 8)
    text = Style(host=host).place(where, root, has_column=True)
    assert _SEQUENCE.sub("", text) == "a.tex:3:7"
    link = f"\x1b]8;;{address}\x1b\\a.tex:3:7\x1b]8;;\x1b\\"
    assert text == (link if address else "a.tex:3:7")


@given(st.text().filter(lambda path: "\0" not in path))
def test_a_hostile_path_smuggles_nothing_into_a_link(path):
    text = Style(host="box").linked(safe(path), path, PurePosixPath("/papers"))
    assert text.count("\x1b") == 4
    link = re.fullmatch(r"\x1b\]8;;([^\x1b]*)\x1b\\(.*)\x1b\]8;;\x1b\\", text)
    assert link
    address, words = link.groups()
    assert address.isascii() and address.isprintable() and " " not in address
    assert words == safe(path)


@pytest.mark.parametrize("width", range(10, 60))
def test_links_and_colours_take_no_room_in_a_line(width):
    plain = "  error  a.tex:3  [rule id] and some more words"
    linked = "  \x1b[31merror\x1b[0m  " + Style(host="box").linked(
        "a.tex:3", "a.tex", PurePosixPath("/p")
    )
    style = Style(width=width, colour=True, host="box")
    lines = style.wrap(f"{linked}  [rule id] and some more words", indent=6)
    assert [_SEQUENCE.sub("", line) for line in lines] == Style(width=width).wrap(plain, indent=6)
