"""What goes to arXiv: what LaTeX reads and names, under names that arXiv takes."""

import gzip
import io
import json
import tarfile

import pytest

from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.review.upload import archive, own_readme, readme, rewritten, upload
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


def test_a_style_that_is_found_from_outside_lies_beside_the_main_file(chosen):
    files = {
        "lib/own.sty": "\\RequirePackage{inner}",
        "lib/inner.sty": "",
        "lib/plain.bst": "% b",
        "sub/other.sty": "% c",
    }
    body = r"\usepackage{own}\usepackage{sub/other}\bibliographystyle{plain}"
    names = chosen(body + "{lib/inner.sty}", files=files).names
    assert (names["lib/own.sty"], names["lib/inner.sty"]) == ("own.sty", "inner.sty")
    assert names["sub/other.sty"] == "sub/other.sty"


def test_what_a_class_reads_by_its_options_goes_along(reviewed):
    size = "\\newcommand\\@ptsize{}\\DeclareOption{12pt}{\\renewcommand\\@ptsize{2}}\n"
    files = {
        "main.tex": article_text("Words.").replace("{article}", "{own}"),
        "own.cls": f"{size}\\ProcessOptions\n\\input{{own1\\@ptsize.clo}}\n",
        "own10.clo": "% ten",
        "old/own10.clo": "% another",
        "other10.clo": "% of no class here",
    }
    paper = reviewed(files).papers[0].state.paper
    found = upload(paper, set(files))
    assert found.files == ("main.tex", "own.cls", "own10.clo")


@pytest.mark.parametrize("is_read", [True, False])
def test_a_logo_that_a_part_of_a_class_draws_goes_along(reviewed, is_read):
    call = (
        "\\def\\own@journal{XY}\\input{own-\\own@journal.clo}" if is_read else "\\input{own-XY.clo}"
    )
    drawn = "\\AtBeginDocument{\\includegraphics{logo.pdf}}\n% \\includegraphics{old.pdf}\n"
    files = {
        "main.tex": article_text("Words.").replace("{article}", "{own}"),
        "own.cls": f"{call}\n",
        "own-XY.clo": drawn,
    }
    paper = reviewed(files).papers[0].state.paper
    there = {*files, "logo.pdf", "old.pdf"}
    found = upload(paper, there, ["own-XY.clo"] if is_read else [])
    assert found.files == ("logo.pdf", "main.tex", "own-XY.clo", "own.cls")


def test_a_source_that_the_commit_has_in_a_submodule_is_no_bundle(reviewed):
    files = {"main.tex": article_text("\\input{sub/one}"), "sub/one.tex": "One."}
    paper = reviewed(files).papers[0].state.paper
    with pytest.raises(IncompleteError, match=r"the commit lacks sub/one\.tex"):
        upload(paper, {"main.tex"})


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


NOT_NAMED = [
    "% {fig/a}",
    "\\begin{a}\\end{a}",
    "a",
    "",
    r"$K^{a}_{fig/a}$ and \textit{a}",
    r"\section{a}\label{a}\ref{fig/a.pdf}",
    r"\texttt{fig/a.pdf} and \url{fig/a.pdf} and \href{fig/a.pdf}{a}",
    r"\newcommand{\score}[1]{\textit{#1}}\score{a}",
    r"\newcommand{\score}[1]{\texttt{#1}}\score{fig/a.pdf}",
    r"\newcommand{\draw}[1]{\includegraphics{b#1}}\draw{a}",
    r"\verb|\includegraphics{a}|",
    r"\lstinputlisting{a}\verbatiminput{fig/a}",
    r"\bibliography{a}\input{a}\usepackage{fig/a}",
]


@pytest.mark.parametrize("words", NOT_NAMED)
def test_a_figure_that_is_not_named_stays_at_home(chosen, words):
    assert chosen(words, "fig/a.pdf").files == ("main.tex",)


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (r"\lstinputlisting[language=C]{code/a.cpp}", "code/a.cpp"),
        (r"\lstinputlisting{code/a}", "code/a.tex"),
        (r"\inputminted{c}{code/a.cpp}", "code/a.cpp"),
        (r"\verbatiminput{notes.log}", "notes.log"),
        (r"\VerbatimInput[fontsize=\small]{out.txt}", "out.txt"),
        (r"\begin{overpic}[width=3cm]{fig/a}\end{overpic}", "fig/a.png"),
        (r"\includepdf[pages=-]{a}", "a.pdf"),
        (r"\pgfdeclareimage[height=1cm]{logo}{a}", "a.png"),
        (r"\epsfig{file=a,width=2cm}", "a.eps"),
        (r"\epsfig{figure=a.eps}", "a.eps"),
        (r"\includestandalone{fig/a}", "fig/a.tex"),
        (r"\animategraphics{12}{fig/f-}{0}{10}", "fig/f-3.png"),
        (r"\addplot[red] table[x=a, y=b] {data/a.csv};", "data/a.csv"),
        (r"\addplot table[col sep=comma] {\where/a.csv};\def\where{data}", "data/a.csv"),
        (r"\pgfplotstableread{data/a.dat}\loaded", "data/a.dat"),
        (r"\DTLloaddb{rows}{a.csv}", "a.csv"),
        (r"\usetheme{own}", "beamerthemeown.sty"),
        (r"\usetikzlibrary{calc,own}", "tikzlibraryown.code.tex"),
        (r"\usepackage[backend=bibtex,style=own]{biblatex}", "own.bbx"),
        (r"\printindex", "main.ind"),
        (r"\setmainfont[Path=font/,BoldFont=font/b.ttf]{a.ttf}", "font/b.ttf"),
        (r"\ownlogo{fig/logo.png}", "fig/logo.png"),
        (r"\def\setlogo#1{\gdef\logo{#1}}\setlogo{logo.png}", "logo.png"),
        (r"\includegraphics<2->[width=1cm]{fig/a}", "fig/a.jpg"),
        (r"\fbox{\includegraphics*{\where/a}}\newcommand{\where}{fig}", "fig/a.jpg"),
        (r"\newcommand{\fig}[2]{\includegraphics{fig/#1}\caption{#2}}\fig{a}{b}", "fig/a.pdf"),
        (r"\newcommand\fig[2][x]{\includegraphics[#1]{#2-#1}}\fig{a}", "a-x.pdf"),
        (r"\newcommand\one[1]{\two{#1}}\newcommand\two[1]{\includegraphics{#1}}\one{a}", "a.pdf"),
        (r"\newcommand{\fig}{\includegraphics[width=1cm]}\fig{a}", "a.pdf"),
        (r"\newenvironment{f}[1]{\includegraphics{#1}}{}\begin{f}{a}\end{f}", "a.pdf"),
        (r"\NewDocumentCommand{\fig}{O{1cm} m}{\includegraphics[width=#1]{#2}}\fig{a}", "a.pdf"),
        (r"\let\fig\includegraphics\fig{a}", "a.pdf"),
    ],
)
def test_a_file_goes_along_where_a_command_for_files_names_it(chosen, words, file):
    others = ("unused/a.xyz", "score.cpp")
    found = chosen(words, file, *others)
    assert file in found.files
    assert set(others) <= set(found.left)


def test_what_a_drawing_names_goes_along(chosen):
    files = {"fig/a.pdf_tex": r"\includegraphics[page=1]{a.pdf}"}
    found = chosen(r"\input{fig/a.pdf_tex}", "fig/a.pdf_tex", "fig/a.pdf", files=files)
    assert found.files == ("fig/a.pdf", "fig/a.pdf_tex", "main.tex")


def test_a_listing_is_shown_as_it_is_and_a_source_is_not(chosen):
    files = {"one.tex": "One. % why"}
    words = r"\input{one}\lstinputlisting{one.tex}\lstinputlisting{two.tex}"
    assert chosen(words, "two.tex", files=files).shown == {"two.tex"}


def test_a_figure_in_a_folder_that_is_set_is_the_one_that_goes_along(chosen):
    there = ("new/a.pdf", "old/a.pdf")
    found = chosen(r"\graphicspath{{new/}}\includegraphics{a}", *there)
    assert found.left == ("old/a.pdf",)
    assert chosen(r"\includegraphics{new/a}", *there).left == ("old/a.pdf",)


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
        (
            r"\includegraphics{../paper/b}\includegraphics{b}",
            {},
            ["b.pdf"],
            r"\includegraphics{b}\includegraphics{b}",
        ),
        (
            r"\graphicspath{{../paper/own/}}\includegraphics{c}",
            {},
            ["own/c.pdf"],
            r"\graphicspath{{own/}}\includegraphics{c}",
        ),
        (
            r"\includegraphics{../fig/a}\includegraphics{../paper/../fig/a.pdf}",
            {},
            ["fig/a.pdf"],
            r"\includegraphics{fig/a}\includegraphics{fig/a.pdf}",
        ),
    ],
)
def test_what_lies_outside_or_has_a_strange_name_moves_and_is_called_so(
    reviewed, words, files, names, now
):
    text = article_text(words)
    paper = reviewed({"paper/main.tex": text, **files}).papers[0].state.paper
    others = {"fig/a.pdf", "paper/a b.pdf", "paper/ä.pdf", "fig/unused.pdf"}
    others |= {"paper/b.pdf", "paper/own/c.pdf"}
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


def test_of_two_sources_that_would_have_one_name_the_moved_one_gets_a_number(reviewed):
    files = {"main.tex": article_text(r"\input{a b}\input{a-b}"), "a b.tex": "A.", "a-b.tex": "B."}
    paper = reviewed(files).papers[0].state.paper
    found = upload(paper, paper.snapshot.files)
    assert found.names["a b.tex"] == "a-b-2.tex"
    made, _ = rewritten(found, "main.tex", files["main.tex"])
    assert r"\input{a-b-2}\input{a-b}" in made


def test_two_styles_that_would_have_one_name_are_refused(reviewed):
    text = article_text("", preamble=r"\usepackage{own/a,../own/a}")
    paper = reviewed({"sub/main.tex": text, "sub/own/a.sty": "A.", "own/a.sty": "B."}).papers[0]
    there = {"sub/main.tex", "sub/own/a.sty", "own/a.sty"}
    with pytest.raises(IncompleteError, match="would have the same name in the bundle"):
        upload(paper.state.paper, there)


def test_what_keeps_its_name_is_called_so_where_a_file_of_another_folder_has_it_too(reviewed):
    words = r"\label{p}\emph{p}\includegraphics{../figs/p.png}\includegraphics{figs/p.png}"
    words += r"\input{../common/x}\input{common/x}\input{x}"
    texts = ("common/x.tex", "a/common/x.tex", "a/x.tex")
    files = {"a/main.tex": article_text(words), **{name: f"In {name}." for name in texts}}
    paper = reviewed(files).papers[0].state.paper
    found = upload(paper, {*paper.snapshot.files, "figs/p.png", "a/figs/p.png"})
    assert found.names["figs/p.png"] == "figs/p-2.png"
    assert found.names["common/x.tex"] == "common/x-2.tex"
    made, changes = rewritten(found, "a/main.tex", files["a/main.tex"])
    assert (
        r"\label{p}\emph{p}\includegraphics{figs/p-2.png}\includegraphics{figs/p.png}"
        r"\input{common/x-2}\input{common/x}\input{x}"
    ) in made
    assert len(changes) == 2


def test_of_figures_that_would_have_one_name_the_moved_one_gets_a_number(reviewed):
    text = article_text(r"\includegraphics{a b}\includegraphics{a-b}\includegraphics{A-b}")
    paper = reviewed({"main.tex": text}).papers[0].state.paper
    found = upload(paper, {"main.tex", "a b.pdf", "a-b.pdf", "A-b.pdf"})
    names = {"A-b.pdf": "A-b-2.pdf", "a b.pdf": "a-b-3.pdf", "a-b.pdf": "a-b.pdf"}
    assert found.names == {"main.tex": "main.tex"} | names
    made, _ = rewritten(found, "main.tex", text)
    figures = r"\includegraphics{a-b-3}\includegraphics{a-b}\includegraphics{A-b-2}"
    assert figures in made


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


def told(files, left=(), there=("main.tex", "a.pdf"), mains=("main.tex",), moved=()):
    """The 00README.json of a bundle, and what is said of the paper's own."""
    data = {name: text.encode() for name, text in files.items()}
    own = own_readme(data, left, dict(moved))
    made, words = readme(mains, own.compiler or "pdflatex", own, there)
    return json.loads(made), "; ".join(words)


TOP = {"filename": "main.tex", "usage": "toplevel"}


def test_an_own_readme_is_kept_with_what_it_lacks_and_that_is_said():
    found, words = told({"00README.json": '{"stamp": false, "nohyperref": true}'})
    assert found == {
        "stamp": False,
        "nohyperref": True,
        "spec_version": 1,
        "process": {"compiler": "pdflatex"},
        "sources": [TOP],
    }
    assert words == (
        "00README.json is the paper's own; added: spec_version 1, compiler pdflatex, main file "
        "main.tex"
    )


def test_a_whole_own_readme_stays_as_it_is_to_the_byte():
    text = '{"spec_version": 1, "sources": [{"filename": "main.tex"}],\n'
    text += '"process": {"compiler": "latex"}}'
    own = own_readme({"00README.json": text.encode()}, (), {})
    assert own.compiler == "latex"
    assert readme(["main.tex"], "latex", own, ["main.tex"]) == (
        text.encode(),
        ("00README.json is the paper's own, unchanged",),
    )


def test_the_old_form_is_rewritten_as_the_one_that_arxiv_reads():
    text = (
        "main.tex toplevelfile\na.pdf landscape\nmain.dvi keepcomments\nold.tex ignore\nnostamp\n"
    )
    found, words = told({"00README.XXX": text + "own.map fontmap\n"}, there=("main.tex", "a.pdf"))
    assert found["sources"] == [TOP, {"filename": "a.pdf", "orientation": "landscape"}]
    assert (found["stamp"], found["process"]) == (
        False,
        {"fontmaps": ["own.map"], "compiler": "pdflatex"},
    )
    assert "00README.XXX is rewritten as 00README.json" in words
    assert (
        "left out of 00README.json, because the bundle lacks these files: main.dvi, old.tex"
        in words
    )


@pytest.mark.parametrize(
    ("files", "left", "words"),
    [
        ({"00README.json": "{}", "00README.XXX": "nostamp"}, (), "00README.XXX is left out: arXiv"),
        (
            {},
            ("00README.yaml", "old.tex"),
            "00README.yaml is left out: arXiv now reads only 00README.json",
        ),
        ({"00readme.JSON": "{}"}, (), "00README.json is the paper's own; added"),
        ({"00README.json": " \n"}, (), ""),
        ({}, (), ""),
    ],
)
def test_what_is_done_with_an_own_readme_is_said(files, left, words):
    found, said = told(files, left)
    assert found["sources"] == [TOP]
    assert words in said
    assert bool(words) == bool(said)


def test_an_entry_of_an_own_readme_follows_a_file_that_is_renamed():
    text = '{"sources": [{"filename": "a b.pdf", "orientation": "landscape"}]}'
    found, words = told({"00README.json": text}, moved={"a b.pdf": "a.pdf"})
    assert words.startswith("00README.json is the paper's own; added: ")
    assert found["sources"] == [{"filename": "a.pdf", "orientation": "landscape"}, TOP]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"00README.json": "{"}, "00README.json is not valid JSON"),
        ({"00README.json": "[]"}, "not in the format that arXiv reads"),
        ({"00README.json": '{"sources": "main.tex"}'}, "not in the format that arXiv reads"),
        ({"00README.json": '{"sources": [{"usage": "toplevel"}]}'}, "not in the format that arXiv"),
        ({"00README.json": '{"process": {"compiler": "lualatex"}}'}, "sets the compiler lualatex"),
        ({"00README.json": '{"process": {"compiler": 3}}'}, "not in the format that arXiv reads"),
        (
            {"00README.json": '{"sources": [{"filename": "old.tex"}]}'},
            "00README.json does not name main.tex, so arXiv would not build it",
        ),
        (
            {"00README.json": '{"sources": [{"filename": "main.tex"}, {"filename": "b.tex"}]}'},
            "00README.json also names b.tex as a main file: choose it with --root b.tex",
        ),
        ({"00README.XXX": "main.tex toplevel"}, "00README.XXX:1 has the unknown word toplevel"),
        ({"00README.json": "{}", "00readme.json": "{}"}, "00README.json and 00readme.json"),
    ],
)
def test_an_own_readme_that_arxiv_would_not_take_is_refused(files, words):
    with pytest.raises(IncompleteError) as caught:
        told(files)
    assert words in caught.value.message
    assert caught.value.message.endswith("; no bundle written")
