"""The engine is that of the first lines, else that which the packages need."""

import json

import pytest

from pfcore.domain.errors import IncompleteError
from pfcore.papers.tex_engine import engine_of
from pfcore.review.upload import OwnReadme, arxiv_compiler, compiler_reason, readme
from tests.conftest import article_text


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        (article_text("x"), "pdflatex"),
        ("% !TEX program = xelatex\n" + article_text("x"), "xelatex"),
        ("% !TeX TS-program = LuaLaTeX\n" + article_text("x"), "lualatex"),
        ("%!TeX program=lualatex-dev\n" + article_text("x"), "lualatex"),
        ("%% !TEX TS-program = latexmk -xelatex\n" + article_text("x"), "xelatex"),
        ("% arara: lualatex: {draft: yes}\n" + article_text("x"), "lualatex"),
        (
            article_text("x") + "%%% Local Variables:\n%%% TeX-engine: luatex\n%%% End:\n",
            "lualatex",
        ),
        ("% !TeX encoding = UTF-8\n% !TeX program = xetex\n" + article_text("x"), "xelatex"),
        (
            "% !TeX program = pdflatex\n" + article_text("x", preamble="\\usepackage{fontspec}"),
            "pdflatex",
        ),
        ("% we know that tex program = lualatex\n" + article_text("x"), "pdflatex"),
        (article_text("x", preamble="\\usepackage{fontspec}"), "xelatex"),
    ],
)
def test_the_engine_of_a_paper(reviewed, text, engine):
    assert engine_of(reviewed({"main.tex": text}).papers[0].state.paper) == engine


@pytest.mark.parametrize(
    ("files", "compiler"),
    [
        (["main.tex", "a.pdf"], "pdflatex"),
        (["main.tex", "a.eps", "b.EPS"], "latex"),
        (["main.tex", "a.eps", "b.png"], "pdflatex"),
        (["main.tex", "a.eps", "a.pdf"], "pdflatex"),
        (["main.tex", "a.eps", "a.pdf", "b.eps"], "latex"),
        (["main.tex", "a.eps", "a.pdf", "b.png"], "pdflatex"),
        (["main.tex", "a.eps", "a-eps-converted-to.pdf"], "pdflatex"),
    ],
)
def test_what_arxiv_is_to_run_follows_from_engine_and_figures(reviewed, files, compiler):
    paper = reviewed({"main.tex": article_text("x")}).papers[0].state.paper
    assert arxiv_compiler(paper, files) == compiler


@pytest.mark.parametrize(
    "preamble",
    ["\\pdfoutput=1\n", "\\pdfoutput 1 \n", "\\usepackage[pdftex]{graphicx}\n"],
)
def test_a_source_that_asks_for_pdftex_gets_it_whatever_its_figures_are(reviewed, preamble):
    text = article_text("x", preamble=preamble)
    paper = reviewed({"main.tex": text}).papers[0].state.paper
    assert arxiv_compiler(paper, ["main.tex", "a.eps"]) == "pdflatex"
    paper = reviewed({"main.tex": text.replace(preamble, f"% {preamble}")}).papers[0].state.paper
    assert arxiv_compiler(paper, ["main.tex", "a.eps"]) == "latex"


@pytest.mark.parametrize(
    ("files", "preamble", "words"),
    [
        (["a.eps"], "", "a.eps is PostScript, which pdfLaTeX does not read and arXiv does not"),
        (["a.eps", "b.ps", "c.eps", "c.pdf"], "", "a.eps and b.ps are PostScript, which"),
        (["a.eps", "b.ps", "c.eps"], "", "a.eps and 2 more are PostScript, which"),
        (["a.eps", "a.pdf"], "", "a.pdf is read instead of a.eps"),
        (["a.eps"], "\\usepackage[dvips]{color}", "its source has the option dvips"),
        (["a.eps"], "\\pdfoutput=1", "its source asks for PDF output"),
        (["a.pdf"], "", ""),
        (
            ["a.eps", "b.eps", "c.png"],
            "",
            "c.png is not PostScript; convert a.eps, b.eps to PDF: arXiv does not convert them",
        ),
        (["a.eps", "c.png", "d.pdf"], "", "c.png and d.pdf are not PostScript; convert a.eps to"),
        (["a.pdf"], "\\usepackage{fontspec}", "its source asks for XeLaTeX"),
    ],
)
def test_why_a_compiler_was_chosen_is_said(reviewed, files, preamble, words):
    paper = reviewed({"main.tex": article_text("x", preamble=preamble)}).papers[0].state.paper
    found = compiler_reason([paper], files)
    assert found.startswith(words)
    assert bool(found) == bool(words)


@pytest.mark.parametrize(
    "text",
    [
        "% !TEX program = lualatex\n" + article_text("x"),
        article_text("x", preamble="\\usepackage{luacode}"),
    ],
)
def test_what_arxiv_does_not_run_is_said(reviewed, text):
    paper = reviewed({"main.tex": text}).papers[0].state.paper
    with pytest.raises(IncompleteError, match="needs LuaLaTeX, which arXiv does not run"):
        arxiv_compiler(paper, ["main.tex"])


def test_an_engine_that_arxiv_does_not_run_is_named_as_the_source_does(reviewed):
    text = "% !TEX program = uplatex\n" + article_text("x")
    paper = reviewed({"main.tex": text}).papers[0].state.paper
    with pytest.raises(IncompleteError, match="names the engine uplatex, which arXiv does not run"):
        arxiv_compiler(paper, ["main.tex"])


def test_the_readme_for_arxiv_names_main_file_and_compiler():
    made, words = readme(["main.tex"], "xelatex", OwnReadme({}), ["main.tex"])
    assert words == ()
    assert json.loads(made) == {
        "spec_version": 1,
        "process": {"compiler": "xelatex"},
        "sources": [{"filename": "main.tex", "usage": "toplevel"}],
    }
