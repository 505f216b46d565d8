"""The engine is that of the first lines, else that which the packages need."""

import json

import pytest

from pfcore.domain.errors import IncompleteError
from pfcore.papers.tex_engine import engine_of
from pfcore.review.upload import arxiv_compiler, readme
from tests.conftest import article_text


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        (article_text("x"), "pdflatex"),
        ("% !TEX program = xelatex\n" + article_text("x"), "xelatex"),
        ("% !TeX TS-program = LuaLaTeX\n" + article_text("x"), "lualatex"),
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
    ],
)
def test_what_arxiv_is_to_run_follows_from_engine_and_figures(reviewed, files, compiler):
    paper = reviewed({"main.tex": article_text("x")}).papers[0].state.paper
    assert arxiv_compiler(paper, files) == compiler


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


def test_the_readme_for_arxiv_names_main_file_and_compiler():
    assert json.loads(readme(["main.tex"], "xelatex")) == {
        "spec_version": 1,
        "process": {"compiler": "xelatex"},
        "sources": [{"filename": "main.tex", "usage": "toplevel"}],
    }
