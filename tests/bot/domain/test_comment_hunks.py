"""Which lines of a diff a comment can stand on: as git prints it, whatever a paper contains."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.comment import parse_hunks
from tests.conftest import commit, git

TWO = """diff --git a/main.tex b/main.tex
index 1..2 100644
--- a/main.tex
+++ b/main.tex
@@ -3,4 +3,5 @@ a heading
 a
-b
+c
+d
 e
 f
@@ -20,0 +22 @@
+x
"""


def test_the_lines_of_hunks_are_those_of_the_new_file():
    assert parse_hunks(TWO).files == {"main.tex": ((3, 7), (22, 22))}


@pytest.mark.parametrize(
    ("first", "last", "anchor"),
    [
        (4, 5, (4, 5)),
        (1, 3, (3, 3)),
        (6, 30, (6, 7)),
        (22, 22, (22, 22)),
        (8, 21, None),
        (23, 99, None),
    ],
)
def test_a_comment_stands_on_the_first_part_that_is_shown(first, last, anchor):
    assert parse_hunks(TWO).anchor("main.tex", first, last) == anchor
    assert parse_hunks(TWO).anchor("other.tex", first, last) is None


def test_lines_that_look_like_headers_are_lines():
    text = TWO.replace("+c\n", "+++ b/forged.tex\n").replace("-b\n", "--- a/forged.tex\n")
    assert parse_hunks(text).files == parse_hunks(TWO).files
    text = TWO.replace("+c\n", "+@@ -1 +1 @@\n").replace("+d\n", "+diff --git a/x b/x\n")
    assert parse_hunks(text).files == parse_hunks(TWO).files


def test_a_missing_end_of_line_counts_for_nothing():
    text = TWO.replace("+x\n", "+x\n\\ No newline at end of file\n")
    assert parse_hunks(text).files == parse_hunks(TWO).files


def test_lines_end_as_git_ends_them():
    text = TWO.replace("+c\n", "+c\x0c\x0b\u2028c\r\n")
    assert parse_hunks(text).files == parse_hunks(TWO).files


@pytest.mark.parametrize(
    "name", ["a b.tex", 'q"q.tex', "ä☃.tex", "tab\t.tex", "b/b.tex", "\\n.tex"]
)
def test_real_diffs_are_read_whatever_a_file_is_called(name, tmp_path):
    lines = [f"line {number}\n" for number in range(40)]
    first = commit(tmp_path / "p", {name: "".join(lines), "gone.tex": "x\n", "old.tex": "y\n" * 9})
    lines[9] = "changed\n"
    (tmp_path / "p" / "gone.tex").unlink()
    (tmp_path / "p" / "old.tex").rename(tmp_path / "p" / "new.tex")
    commit(tmp_path / "p", {name: "".join(lines)})
    found = parse_hunks(git(tmp_path / "p", "diff", "--find-renames", first, "HEAD"))
    assert found.files == {name: ((7, 13),), "new.tex": ()}


@given(st.text(alphabet=st.sampled_from('diff --git a/b\n+-@, 0123"\\')))
def test_whatever_it_is_given_it_reads(text):
    for spans in parse_hunks(text).files.values():
        assert all(start <= end for start, end in spans)


def test_a_file_that_is_no_text_is_there_without_lines(tmp_path):
    names = ["x and y.tex", "größe.tex", "new.tex", "gone.tex"]
    for name in names[:2] + names[3:]:
        (tmp_path / name).write_bytes(b"a\0")
    commit(tmp_path, {})
    for name in names[:3]:
        (tmp_path / name).write_bytes(b"b\0")
    (tmp_path / "gone.tex").unlink()
    commit(tmp_path, {})
    text = git(tmp_path, "diff", "--no-renames", "HEAD~")
    assert parse_hunks(text).files == dict.fromkeys(names[:3], ())
