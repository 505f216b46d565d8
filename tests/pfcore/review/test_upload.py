"""What goes to arXiv: what LaTeX reads and names, under names that arXiv takes."""

import gzip
import io
import tarfile

import pytest

from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.review.upload import archive, rewritten, upload
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


MACROS = {"common/macros.tex": r"\newcommand{\R}{R}"}


@pytest.mark.parametrize(
    ("words", "files", "names", "now"),
    [
        (r"\input{../common/macros}", MACROS, ["common/macros.tex"], r"\input{common/macros}"),
        (r"\input ../common/macros.tex", MACROS, ["common/macros.tex"], "ut common/macros.tex"),
        (r"\includegraphics{../fig/a}", {}, ["fig/a.pdf"], r"\includegraphics{fig/a}"),
        (r"\includegraphics{../fig/a.pdf}", {}, ["fig/a.pdf"], r"\includegraphics{fig/a.pdf}"),
        (
            r"\graphicspath{{../fig/}{own/}}\includegraphics{a}",
            {},
            ["fig/a.pdf"],
            r"\graphicspath{{fig/}{own/}}\includegraphics{a}",
        ),
        (
            r"\bibliography{../bib/refs,../bib/more}",
            {"bib/refs.bib": "@a{b,}", "bib/more.bib": "@a{c,}"},
            ["bib/more.bib", "bib/refs.bib"],
            r"\bibliography{bib/refs,bib/more}",
        ),
        (r"\usepackage{../sty/own}", {"sty/own.sty": "x"}, ["sty/own.sty"], "{sty/own}"),
        (r"\includegraphics{a b.pdf}", {}, ["a-b.pdf"], r"\includegraphics{a-b.pdf}"),
        (r"\includegraphics{ä}", {}, ["a.pdf"], r"\includegraphics{a}"),
    ],
)
def test_what_lies_outside_or_has_a_strange_name_moves_and_is_called_so(
    reviewed, words, files, names, now
):
    text = article_text(words)
    paper = reviewed({"paper/main.tex": text, **files}).papers[0].state.paper
    others = {"fig/a.pdf", "paper/a b.pdf", "paper/ä.pdf", "fig/unused.pdf"}
    found = upload(paper, {*paper.snapshot.files, *others})
    assert sorted(found.names.values()) == sorted([*names, "main.tex"])
    made, changes = rewritten(found, "paper/main.tex", text)
    assert now in made
    assert "../" not in made
    assert changes
    assert made.count("\n") == text.count("\n")


def test_a_file_in_a_folder_calls_others_from_the_top_or_from_its_own_folder(reviewed):
    section = "\\documentclass[../main.tex]{subfiles}\n\\begin{document}\\input{../common/m}\n"
    section += "\\subimport{../../common/}{n}\\end{document}"
    files = {
        "paper/main.tex": article_text(r"\subfile{sec/a}", preamble=r"\usepackage{subfiles}"),
        "paper/sec/a.tex": section,
        "common/m.tex": "M",
        "common/n.tex": "N",
    }
    paper = reviewed(files).papers[0].state.paper
    found = upload(paper, paper.snapshot.files)
    made, _ = rewritten(found, "paper/sec/a.tex", section)
    assert r"\documentclass[../main.tex]{subfiles}" in made
    assert found.names["common/n.tex"] == "common/n.tex"
    assert r"\subimport{../common/}{n}" in made


def test_two_files_that_would_have_one_name_are_refused(reviewed):
    text = article_text(r"\includegraphics{a b}\includegraphics{a-b}")
    paper = reviewed({"main.tex": text}).papers[0].state.paper
    with pytest.raises(IncompleteError, match="would have the same name in the bundle"):
        upload(paper, {"main.tex", "a b.pdf", "a-b.pdf"})


def test_a_source_without_anything_that_moved_stays_as_it_is(chosen):
    found = chosen("Text.")
    assert rewritten(found, "main.tex", "x {../y}") == ("x {../y}", ())
    assert found.renamed == {}


def test_markup_is_nothing_for_arxiv(reviewed):
    text = "<THEOREM_STATEMENT>\nA.\n</THEOREM_STATEMENT>\n<THEOREM_PROOF>\nB.\n</THEOREM_PROOF>\n"
    paper = reviewed({"a.pf": text}).papers[0].state.paper
    with pytest.raises(UsageError, match="is not LaTeX"):
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


def test_what_tex_itself_has_read_goes_along_but_for_what_it_writes(reviewed):
    paper = reviewed({"main.tex": article_text("\\input{\\where/a}")}).papers[0].state.paper
    there = {"main.tex", "sec/a.dat", "main.aux", "b.dat"}
    found = upload(paper, there, {"sec/a.dat", "main.aux", "main.tex"})
    assert found.files == ("main.tex", "sec/a.dat")
