"""What goes to arXiv: what LaTeX reads and names, under names that arXiv takes."""

import gzip
import io
import tarfile

import pytest

from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.review.upload import archive, upload
from tests.conftest import article_text


@pytest.fixture
def chosen(reviewed):
    """The upload of a paper with a body, and other files beside it."""

    def make(body, *others, files=None, root="main.tex"):
        found = reviewed({root: article_text(body), **(files or {})})
        paper = next(p.state.paper for p in found.papers if p.state.paper.root == root)
        return upload(paper, {*paper.snapshot.files, *others})

    return make


def test_sources_that_are_read_in_go_along_and_others_stay_at_home(chosen):
    files = {"sec/one.tex": "One.", "reply.tex": "Dear referee", "own.sty": "% a package"}
    found = chosen(r"\usepackage{own}\input{sec/one}", files=files)
    assert found.files == ("main.tex", "own.sty", "sec/one.tex")
    assert found.left == ("reply.tex",)


@pytest.mark.parametrize(
    "words",
    [
        r"\includegraphics{fig/a}",
        r"\includegraphics[width=1cm]{fig/a.pdf}",
        r"\includegraphics{./fig/a.pdf}",
        r"\graphicspath{{fig/}}\includegraphics{a}",
        r"\includegraphics{ fig/a.pdf }",
        r"\includegraphics{fig/b,fig/a}",
        r"\addplot table[file=fig/a.pdf]{x}",
    ],
)
def test_a_figure_goes_along_however_it_is_named(chosen, words):
    assert chosen(words, "fig/a.pdf", "fig/unused.png").left == ("fig/unused.png",)


@pytest.mark.parametrize("words", ["% {fig/a}", "\\begin{a}\\end{a}", "a", ""])
def test_a_figure_that_is_not_named_stays_at_home(chosen, words):
    assert chosen(words, "fig/a.pdf").files == ("main.tex",)


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (r"\def\lstlanguagefiles{tables}", ()),
        (r"\renewcommand*{\lstlanguagefiles}{tables.tex}", ()),
        (r"\section{tables}\label{tables}", ("tables.tex",)),
    ],
)
def test_a_source_that_a_package_reads_is_known_by_the_macro_for_its_name(chosen, words, left):
    assert chosen(words, files={"tables.tex": "% for the package"}).left == left


def test_the_bibliography_is_the_bbl_where_there_is_one(chosen):
    words = r"\bibliographystyle{own}\bibliography{refs}"
    files = {"refs.bib": "@article{a}"}
    found = chosen(words, "own.bst", "main.bbl", "other.bbl", files=files)
    assert found.files == ("main.bbl", "main.tex", "own.bst")
    assert found.bibliography == "main.bbl"
    found = chosen(words, "own.bst", files=files)
    assert found.files == ("main.tex", "own.bst", "refs.bib")
    assert found.bibliography is None


def test_the_folder_of_the_main_file_is_the_top(chosen):
    found = chosen("Text.", "paper/00README.json", "README.md", root="paper/main.tex")
    assert [found.inside(path) for path in found.files] == ["00README.json", "main.tex"]
    assert found.left == ()


@pytest.mark.parametrize("words", [r"\input{../common/macros}", r"\includegraphics{../fig/a}"])
def test_what_lies_outside_of_the_folder_is_refused(chosen, words):
    files = {"common/macros.tex": r"\newcommand{\R}{R}"}
    with pytest.raises(IncompleteError, match="lies outside"):
        chosen(words, "fig/a.pdf", files=files, root="paper/main.tex")


@pytest.mark.parametrize("name", ["a b.pdf", "ä.pdf", "-rf.pdf", ".hidden.pdf", "a'b.pdf"])
def test_a_name_that_arxiv_does_not_take_is_refused(chosen, name):
    with pytest.raises(IncompleteError, match="does not take a file of the name"):
        chosen(f"\\includegraphics{{{name}}}", name)


def test_markup_is_nothing_for_arxiv(reviewed):
    text = "<THEOREM_STATEMENT>\nA.\n</THEOREM_STATEMENT>\n<THEOREM_PROOF>\nB.\n</THEOREM_PROOF>\n"
    paper = reviewed({"a.pf": text}).papers[0].state.paper
    with pytest.raises(UsageError, match="no LaTeX"):
        upload(paper, ["a.pf"])


def test_an_archive_is_the_same_for_the_same_files():
    files = {"main.tex": b"x", "fig/a.pdf": b"\0"}
    data = archive(files)
    assert data == archive(dict(reversed(files.items())))
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        members = tar.getmembers()
    assert [item.name for item in members] == ["fig/a.pdf", "main.tex"]
    assert {(m.mtime, m.uid, m.gid, m.uname, m.mode) for m in members} == {(0, 0, 0, "", 0o644)}
    assert gzip.decompress(data)
    assert data[4:8] == bytes(4)
