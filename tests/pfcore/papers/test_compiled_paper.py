"""A paper as TeX makes it: pages that can be compared, what the log misses, a .bbl."""

import shutil

import pytest

from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.papers.compiled_paper import (
    CompiledPaper,
    compile_files,
    differences,
    is_installed,
    page_contents,
)
from pfcore.papers.tex_process import TexLimits
from pfcore.review.bundle_comparison import compared, compiled_at_home
from tests.conftest import article_text

pytestmark = pytest.mark.acceptance

needs_tex = pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is absent")
BIB = b"@article{gauss, author = {C. F. Gauss}, title = {Disquisitiones}, journal={J}, year={1801}}"
CITED = "By \\cite{gauss}.\n\\bibliographystyle{plain}\\bibliography{refs}\n"


def made(pages=1, contents=("a",), lacks=(), **more):
    return CompiledPaper(
        pages=pages, contents=contents, lacks=frozenset(lacks), runs=("pdflatex",), **more
    )


@pytest.mark.parametrize(
    ("away", "words"),
    [
        (made(), []),
        (made(pages=2), ["2 pages instead of 1"]),
        (made(contents=("b",)), ["page 1 of 1 differs"]),
        (made(lacks=["fig.pdf"]), ["LaTeX lacks fig.pdf"]),
    ],
)
def test_two_papers_are_told_apart_by_pages_and_by_what_is_lacking(away, words):
    assert differences(made(), away) == words


def test_what_is_lacking_at_home_too_is_no_difference():
    assert differences(made(lacks=["a"]), made(lacks=["a"])) == []


def test_pages_are_the_streams_that_have_text():
    pdf = b"<< /Length 8 >>\nstream\nBT (a) ET\nendstream << /Length 3 >> stream\nxyz"
    assert len(page_contents(pdf.replace(b"8", b"9"))) == 1
    assert page_contents(b"no pdf") == ()


def test_an_engine_that_is_absent_is_told():
    assert not is_installed("no-such-latex")
    with pytest.raises(UsageError, match="no-such-latex is not installed"):
        compile_files({"main.tex": b"x"}, "main.tex", "no-such-latex")
    found = compared(
        compiled_at_home({}, "main.tex", "no-such-latex"),
        {"main.tex": b"x"},
        "main.tex",
        "no-such-latex",
    )
    assert "not compiled" in found.words


@needs_tex
def test_comments_change_no_page_and_words_do():
    one = compile_files({"main.tex": article_text("Text. % why").encode()}, "main.tex", "pdflatex")
    two = compile_files({"main.tex": article_text("Text. %").encode()}, "main.tex", "pdflatex")
    other = compile_files({"main.tex": article_text("Tent.").encode()}, "main.tex", "pdflatex")
    assert (one.pages, one.fault, differences(one, two)) == (1, "", [])
    assert differences(one, other) == ["page 1 of 1 differs"]


@needs_tex
def test_a_bibliography_is_made_where_there_is_none_and_goes_along():
    text = article_text(CITED.replace("{refs}", "{../b/refs}"))
    home = {"p/main.tex": text.encode(), "b/refs.bib": BIB}
    files = {"main.tex": article_text(CITED).encode(), "refs.bib": BIB}
    found = compared(
        compiled_at_home(home, "p/main.tex", "pdflatex"), files, "main.tex", "pdflatex"
    )
    assert sorted(found.files) == ["main.bbl", "main.tex"]
    assert b"Disquisitiones" in found.files["main.bbl"]
    assert found.bibliography == "main.bbl"
    assert "1 page, each identical to the source's (the .bbl was made by bibtex)" in found.words


@needs_tex
def test_an_upload_that_compiles_to_something_else_is_refused():
    home = {"main.tex": article_text("\\input{a}").encode(), "a.tex": b"A"}
    with pytest.raises(IncompleteError, match="compiles to a different PDF than the source"):
        compared(
            compiled_at_home(home, "main.tex", "pdflatex"),
            {"main.tex": home["main.tex"]},
            "main.tex",
            "pdflatex",
        )


@needs_tex
def test_a_paper_that_does_not_compile_is_not_compared_and_that_is_said():
    home = {"main.tex": b"\\documentclass{no-such-class}\\begin{document}x\\end{document}"}
    found = compared(compiled_at_home(home, "main.tex", "pdflatex"), home, "main.tex", "pdflatex")
    assert "not compared: the paper does not compile here" in found.words
    assert found.files == home


@needs_tex
def test_files_above_the_folder_are_found_at_home_and_a_run_without_end_is_ended():
    home = {"p/main.tex": article_text("\\input{../c/m}").encode(), "c/m.tex": b"Macros."}
    assert compile_files(home, "p/main.tex", "pdflatex", is_searched=True).fault == ""
    loop = {"main.tex": b"\\documentclass{article}\\begin{document}\\loop\\iftrue\\repeat"}
    limits = TexLimits(wall_seconds=0.5)
    assert "longer than 0.5" in compile_files(loop, "main.tex", "pdflatex", limits=limits).fault


@needs_tex
def test_what_tex_has_read_of_the_files_is_known_also_by_names_that_macros_make():
    words = "\\newcommand{\\where}{sec}\\input{\\where/a}"
    files = {"p/main.tex": article_text(words).encode(), "p/sec/a.tex": b"A", "p/b.tex": b"B"}
    assert compile_files(files, "p/main.tex", "pdflatex").read >= {"p/main.tex", "p/sec/a.tex"}
    assert "p/b.tex" not in compile_files(files, "p/main.tex", "pdflatex").read


@needs_tex
def test_citations_that_are_undefined_are_counted_not_listed(tmp_path, monkeypatch):
    (tmp_path / "pdflatex").symlink_to(shutil.which("pdflatex") or "")
    monkeypatch.setenv("PATH", str(tmp_path))
    keys = [f"a-key-which-is-so-long-that-the-log-breaks-its-line:{n}" for n in range(7)]
    text = article_text(f"\\cite{{{','.join(keys)}}}\\ref{{gone}}\\bibliography{{refs}}")
    found = away({"main.tex": text.encode(), "refs.bib": BIB})
    assert found.uncited == 7
    assert "LaTeX lacks gone, as in the source; 7 citations are undefined, as in" in found.words
    assert found.about == (
        "missing main.bbl: bibtex is not installed; run LaTeX, bibtex main, and commit main.bbl"
    )


# biblatex in small: it asks for a .bbl by a .bcf, and reads what is there.
BIBLATEX = rb"""\newwrite\bcf \def\addbibresource#1{\gdef\resource{#1}}
\AtBeginDocument{\immediate\openout\bcf=\jobname.bcf
\immediate\write\bcf{<bcf:datasource type="file">\resource</bcf:datasource>}
\immediate\closeout\bcf}
\def\entry#1{(#1)}
\def\printbibliography{\IfFileExists{\jobname.bbl}{\input{\jobname.bbl}}{}}
"""
BIBER = r"""#!/bin/sh
for last; do :; done
printf '%% $ biblatex bbl format version 3.2 $\n\\entry{gauss}\n' > "$last.bbl"
"""


@pytest.fixture
def biblatex():
    preamble = "\\usepackage[style=numeric]{biblatex}\\addbibresource{%s}"

    def files(resource="refs.bib"):
        text = article_text("Text. \\printbibliography", preamble=preamble % resource)
        return {"main.tex": text.encode(), "refs.bib": BIB, "biblatex.sty": BIBLATEX}

    return files


def away(files):
    made = compiled_at_home(files, "main.tex", "pdflatex")
    return compared(made, files, "main.tex", "pdflatex")


@needs_tex
def test_biber_makes_the_bbl_of_biblatex_and_the_version_of_its_format_is_told(
    biblatex, tmp_path, monkeypatch
):
    program = tmp_path / "biber"
    program.write_text(BIBER)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    found = away(biblatex())
    assert sorted(found.files) == ["biblatex.sty", "main.bbl", "main.tex"]
    assert found.bibliography == "main.bbl"
    assert "(the .bbl was made by biber)" in found.words
    assert "main.bbl has version 3.2 of biblatex's .bbl format" in found.about
    assert "the version on arXiv is unknown" in found.about
    refused = away(biblatex("https://a.example/refs.bib"))
    assert refused.bibliography is None
    assert "its bibliography is remote" in refused.about


@needs_tex
def test_without_biber_it_is_said_how_the_bbl_is_made(biblatex, tmp_path, monkeypatch):
    (tmp_path / "pdflatex").symlink_to(shutil.which("pdflatex") or "")
    monkeypatch.setenv("PATH", str(tmp_path))
    found = away(biblatex())
    assert found.bibliography is None
    assert "refs.bib" in found.files
    assert found.about == (
        "missing main.bbl: main.tex uses biblatex, and biber is not installed; run LaTeX, "
        "biber main, and commit main.bbl"
    )


def test_a_paper_that_nobody_compiles_is_told_which_program_makes_its_bbl(biblatex):
    files = biblatex()
    assert "biber main, and commit" in compared(None, files, "main.tex", "pdflatex").about
    old = {"main.tex": b"\\usepackage[backend=bibtex]{biblatex}"}
    assert "bibtex main, and commit" in compared(None, old, "main.tex", "pdflatex").about
    assert compared(None, {"main.tex": b"x"}, "main.tex", "pdflatex").about == ""
