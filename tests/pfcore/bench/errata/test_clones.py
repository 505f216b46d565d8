"""Clones in a folder, and the papers of their commits."""

import pytest

from pfcore.bench.errata.clones import (
    clone_command,
    find_clone,
    focused,
    labelling,
    moment_of,
    states_with,
)
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from tests.conftest import article_text, commit, git


@pytest.mark.parametrize("name", ["owner+notes", "notes"])
def test_a_clone_is_found_by_owner_and_name_or_by_its_name(tmp_path, name):
    commit(tmp_path / name, {"main.tex": article_text("")})
    found = find_clone(tmp_path, "owner/notes")
    assert found is not None
    assert found.root == (tmp_path / name).resolve()


def test_a_bare_clone_is_found(tmp_path):
    commit(tmp_path / "work", {"main.tex": article_text("")})
    git(tmp_path, "clone", "--quiet", "--bare", "work", "notes")
    assert find_clone(tmp_path, "owner/notes") is not None


def test_a_folder_inside_another_repository_is_no_clone(tmp_path):
    commit(tmp_path, {"notes/main.tex": article_text("")})
    assert find_clone(tmp_path, "owner/notes") is None
    assert find_clone(tmp_path, "owner/absent") is None


def test_the_command_that_brings_a_clone_is_quoted(tmp_path):
    assert clone_command(tmp_path / "my clones", "owner/notes") == (
        f"git clone https://github.com/owner/notes '{tmp_path}/my clones/owner+notes'"
    )
    assert clone_command(tmp_path, "notes") == ""


CITING = r"""\externaldocument[b-]{b}
\externaldocument[c-]{c}
"""


@pytest.fixture
def documents(tmp_path):
    """A document that may cite two others, one that nobody names, and a common preamble."""
    lemma = "\\begin{lemma}\\label{x} X.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"
    texts = {
        "a.tex": article_text(lemma % r"By \ref{b-x}.", preamble="\\input{links}\n"),
        "links.tex": CITING,
        **{f"{name}.tex": article_text(lemma % "Clear.") for name in "bcd"},
        "pf.toml": "[[paper]]\nname = 'd'\nroot = 'd.tex'\n",
    }
    commit(tmp_path / "notes", texts)
    clone = find_clone(tmp_path, "notes")
    assert clone is not None
    return moment_of(clone, "HEAD")


def test_beside_a_document_only_those_stay_whose_labels_are_cited(documents):
    assert set(focused(documents, "a.tex").files) == {"a.tex", "links.tex"}
    assert set(focused(documents, "a.tex", {"b-x", "x"}).files) == {"a.tex", "b.tex", "links.tex"}
    assert focused(documents, "links.tex") is documents


def test_settings_of_a_clone_do_not_count(documents):
    assert "pf.toml" not in documents.files
    (state,) = states_with(focused(documents, "a.tex"), "a.tex", ParseCache(MemoryCache()))
    assert state.paper.name == "a.tex"


def test_files_are_found_by_a_label_in_them(documents):
    assert labelling(documents, "b-x") == ["a.tex"]
    assert labelling(documents, "x") == ["a.tex", "b.tex", "c.tex", "d.tex"]
