"""A patch with the missing `\\uses`, that git takes."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pfcore.graph.missing_uses import find_missing_uses
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.reporters.uses_patch import Suggestion, suggest
from pfcore.repository import snapshot
from pfcore.review.review import Report, review

Suggest = Callable[..., Suggestion]

A = "\\begin{lemma}\\label{a}\nA.\n\\end{lemma}\n\\begin{lemma}\\label{z} Z. \\end{lemma}\n"
B = "\\begin{lemma}\\label{b}\\uses{a}\nB.\n\\end{lemma}\n"


def reported(folder: Path) -> Report:
    return review(None, snapshot.from_folder(folder), ParseCache(MemoryCache()))


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())


def apply(folder: Path, patch: str, *, tool: str = "git") -> None:
    """Apply a patch as a person would; both refuse one that does not fit."""
    commands = {
        "git": ["git", "apply", "-"],
        "patch": ["patch", "-p1", "--fuzz=0", "--force", "--no-backup-if-mismatch"],
    }
    subprocess.run(commands[tool], cwd=folder, input=patch.encode(), check=True)


@pytest.fixture
def suggested(tmp_path: Path) -> Callable[..., tuple[Suggestion, dict[str, str]]]:
    """The suggestion for some files, and the files with the patch applied."""

    def run(
        files: Mapping[str, str | bytes], *, tool: str = "git", by_word: bool = False
    ) -> tuple[Suggestion, dict[str, str]]:
        write(tmp_path, files)
        made = suggest(reported(tmp_path), by_word=by_word)
        if made.patch:
            apply(tmp_path, made.patch, tool=tool)
        report = reported(tmp_path)
        left = [gap for p in report.papers for gap in find_missing_uses(p.state, by_word=by_word)]
        assert len(left) == len(made.unplaced)
        assert suggest(report, by_word=by_word).patch == ""
        return made, {
            name: (tmp_path / name).read_bytes().decode("utf-8", "replace") for name in files
        }

    return run


@pytest.mark.parametrize("tool", ["git", "patch"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        # into the list that is there
        (
            "\\begin{proof}\\uses{z} By \\ref{b}. \\end{proof}",
            "\\begin{proof}\\uses{z, b} By \\ref{b}. \\end{proof}",
        ),
        (
            "\\begin{proof}\\uses{} \\ref{b} \\end{proof}",
            "\\begin{proof}\\uses{b} \\ref{b} \\end{proof}",
        ),
        (
            "\\begin{proof}\n\\uses{z,\n  } % x\n\\ref{b} \\ref{b}\n\\end{proof}",
            "\\begin{proof}\n\\uses{z, b\n  } % x\n\\ref{b} \\ref{b}\n\\end{proof}",
        ),
        (
            "\\begin{proof}\n\\uses{z % this\n }\n\\ref{b}\n\\end{proof}",
            "\\begin{proof}\n\\uses{z, b % this\n }\n\\ref{b}\n\\end{proof}",
        ),
        # a new list
        (
            "  \\begin{proof}\n  By \\ref{b}.\n  \\end{proof}",
            "  \\begin{proof}\n  \\uses{b}\n  By \\ref{b}.\n  \\end{proof}",
        ),
        (
            "\\begin{proof} By \\ref{b}. \\end{proof}",
            "\\begin{proof}\n  \\uses{b} By \\ref{b}. \\end{proof}",
        ),
        (
            "\\begin{proof}% note\n [Proof of \\ref{t}] By \\ref{b} and \\ref{z}. \\end{proof}",
            "\\begin{proof}% note\n [Proof of \\ref{t}]\n  \\uses{b, z} By \\ref{b} and \\ref{z}. "
            "\\end{proof}",
        ),
    ],
)
def test_a_gap_of_a_proof_is_closed_where_it_is(
    suggested, document, tool: str, before: str, after: str
) -> None:
    used = "\\begin{theorem}\\label{s}\\uses{z} S. \\end{theorem}\n"
    theorem = "\\begin{theorem}[T]\\label{t} T.\n\\end{theorem}\n"
    files = {"paper/main.tex": document(A + B + used + theorem + before)}
    made, found = suggested(files, tool=tool)
    assert found["paper/main.tex"] == document(A + B + used + theorem + after)
    assert made.unplaced == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[T {[x]}]\\label{t} See", "[T {[x]}]\\label{t}\n  \\uses{b} See"),
        ("\n  \\label{t}\n  See", "\n  \\label{t}\n  \\uses{b}\n  See"),
        (" See", "\n  \\uses{b} See"),
        ("\\label{t}\\label{u}% x\nSee", "\\label{t}\\label{u}\n\\uses{b}% x\nSee"),
        ("\\leanok\\label{t} See", "\n  \\uses{b}\\leanok\\label{t} See"),
    ],
)
def test_a_gap_of_a_statement_is_closed_behind_its_label(
    suggested, document, before: str, after: str
) -> None:
    body = A + B + "\\begin{lemma}%s \\ref{b}.\n\\end{lemma}"
    _, found = suggested({"main.tex": document(body % before)})
    assert found["main.tex"] == document(body % after)


def test_what_words_lead_to_is_added_where_it_is_asked_for(suggested, document) -> None:
    body = (
        "\\begin{definition}\\label{d} A ring is \\emph{tame} if it is. \\end{definition}\n"
        "\\begin{lemma}\\label{a}\\uses{d} A.\\end{lemma}\n\\begin{lemma} Tame rings. \\end{lemma}"
    )
    made, _ = suggested({"main.tex": document(body)})
    assert made.patch == ""
    _, found = suggested({"main.tex": document(body)}, by_word=True)
    assert "\\begin{lemma}\n  \\uses{d} Tame rings." in found["main.tex"]


def test_files_keep_their_line_ends_and_their_mark(suggested, document) -> None:
    body = A + B + "\\begin{lemma}\n\\ref{b}\n\\end{lemma}\n"
    text = document(body)
    crlf = text.replace("\n", "\r\n")
    for before in (crlf, "\ufeff" + text, "\ufeff" + crlf, text + "no line end"):
        _, found = suggested({"main.tex": before.encode()})
        end = "\r\n" if "\r" in before else "\n"
        assert found["main.tex"] == before.replace(
            f"{end}\\begin{{lemma}}{end}", f"{end}\\begin{{lemma}}{end}\\uses{{b}}{end}"
        )


def test_a_last_line_without_an_end_may_be_in_the_patch(suggested, document) -> None:
    files = {
        "main.tex": document("\\input{b}"),
        "b.tex": A + B + "\\begin{lemma} \\ref{b} \\end{lemma}",
    }
    _, found = suggested(files)
    assert found["b.tex"].endswith("\n\\begin{lemma}\n  \\uses{b} \\ref{b} \\end{lemma}")


def test_names_with_blanks_and_accents_are_names_too(suggested, document) -> None:
    text = document(A + B + "\\begin{lemma} \\ref{b} \\end{lemma}")
    made, _ = suggested({"my folder/été.tex": text})
    assert "+++ b/my folder/été.tex" in made.patch


def test_what_a_patch_cannot_express_is_named(suggested, document) -> None:
    body = A + B + "\\begin{lemma} Mäh \\ref{b} \\end{lemma}"
    made, _ = suggested({"main.tex": document(body).encode("cp1252")})
    assert made.unplaced == (
        "main.tex:15 lacks \\uses{b}; the file is not UTF-8, or mixes line endings",
    )
    in_words = A + B + "\\begin{lemma} C. \\end{lemma}\n\n\\textbf{Proof.} By \\ref{b}. \\qed\n"
    made, _ = suggested({"main.tex": document(in_words)})
    assert made.patch == ""
    assert made.unplaced == ("main.tex:17 lacks \\uses{b}; it does not begin with \\begin",)


def test_two_papers_that_share_a_file_change_it_once(suggested, document) -> None:
    files = {
        "print.tex": document("\\input{content}"),
        "web.tex": document("\\input{content}"),
        "content.tex": A + B + "\\begin{lemma} \\ref{b} \\end{lemma}\n",
    }
    _, found = suggested(files)
    assert found["content.tex"].count("\\uses{b}") == 1


def test_a_paper_without_uses_is_said_to_have_none(suggested, document) -> None:
    made, _ = suggested({"main.tex": document(A + "\\begin{lemma} \\ref{a} \\end{lemma}")})
    assert (made.patch, made.without_uses) == ("", ("main.tex",))
    made, _ = suggested({"main.tex": document(A + B)})
    assert (made.patch, made.without_uses) == ("", ())
