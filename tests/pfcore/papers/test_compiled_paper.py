"""A paper as TeX makes it: pages that can be compared, what the log misses, a .bbl."""

import shutil
import struct
import zlib

import pytest

from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.lazy_regex import word_tables
from pfcore.papers.compiled_paper import (
    CompiledPaper,
    PageContent,
    compile_files,
    differences,
    is_installed,
    moved_pages,
    page_contents,
)
from pfcore.papers.tex_process import TexLimits
from pfcore.review import bundle_comparison
from pfcore.review.bundle_comparison import compared, compiled_at_home, debian_package
from tests.conftest import article_text

pytestmark = pytest.mark.acceptance

needs_tex = pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is absent")
BIB = b"@article{gauss, author = {C. F. Gauss}, title = {Disquisitiones}, journal={J}, year={1801}}"
CITED = "By \\cite{gauss}.\n\\bibliographystyle{plain}\\bibliography{refs}\n"


def png(grey):
    """A picture of one point."""

    def chunk(kind, data):
        head = struct.pack(">I", len(data)) + kind + data
        return head + struct.pack(">I", zlib.crc32(kind + data))

    size = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    data = zlib.compress(bytes([0, grey]))
    signature = b"\x89PNG\r\n\x1a\n"
    return signature + chunk(b"IHDR", size) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def page(words="Some words.", figures=(), fonts=("CMR10",), digest=None):
    return PageContent(digest or f"{words} {figures} {fonts}", tuple(words.split()), figures, fonts)


def made(*contents, pages=0, lacks=(), **more):
    contents = contents or (page(),)
    return CompiledPaper(
        pages=pages or len(contents),
        contents=contents,
        lacks=frozenset(lacks),
        runs=("pdflatex",),
        **more,
    )


LONG = "By Lemma 2 and since all of it is good we have shown it"


@pytest.mark.parametrize(
    ("home", "away", "words"),
    [
        (made(), made(), []),
        (made(), made(page(), page("More.")), ["2 pages instead of 1"]),
        (
            made(),
            made(page("Some."), page("words.")),
            ["2 pages instead of 1", 'page 1: "Some." instead of "Some words."'],
        ),
        (made(page("A b")), made(page("A b c")), ['page 1: "A b c" instead of "A b"']),
        (
            made(page(LONG), page("x")),
            made(page(LONG.replace("all", "none")), page("y")),
            ['page 1: "2 and since none of it is good" instead of "2 and since all of it is good"'],
        ),
        (made(page(figures=("a",))), made(), ["page 1: 0 figures instead of 1"]),
        (
            made(page(), page("x", figures=("a", "b"))),
            made(page(), page("x", figures=("a", "c"))),
            ["page 2: figure 2 differs"],
        ),
        (
            made(page(fonts=("CMR10", "CMBX10"))),
            made(page(fonts=("LMRoman10", "CMBX10"))),
            ["page 1: font LMRoman10 instead of CMR10"],
        ),
        (made(page(fonts=("A", "B"))), made(page(fonts=("A",))), ["page 1: font B is not used"]),
        (made(page(fonts=("A",))), made(page(fonts=("A", "B"))), ["page 1: font B is also used"]),
        (made(), made(page(digest="b")), []),
        (
            made(page(words="")),
            made(page(words="", digest="b")),
            ["page 1 differs, and has no words to compare"],
        ),
        (made(page(), page()), made(page(), pages=2), ["the text of its pages could not be read"]),
        (made(), made(lacks=["fig.pdf"]), ["LaTeX lacks fig.pdf"]),
        (
            made(errors=(("a.tex:5", "Undefined control sequence."),)),
            made(errors=(("a.tex:4", "Undefined control sequence."), ("a.tex:9", "Extra }."))),
            ["LaTeX reports a.tex:9 Extra }."],
        ),
    ],
)
def test_two_papers_are_told_apart_and_what_differs_is_said(home, away, words):
    assert differences(home, away) == words


def test_pages_with_the_same_in_other_places_are_listed_and_differ_in_nothing():
    home, away = made(page(), page()), made(page(), page(digest="b"))
    assert (differences(home, away), moved_pages(home, away)) == ([], [2])
    assert moved_pages(home, made(page(), page(digest="b", words="Other."))) == []


def test_what_is_lacking_at_home_too_is_no_difference():
    assert differences(made(lacks=["a"]), made(lacks=["a"])) == []


OBJECTS = {
    1: b"<< /Type /XObject /Length 3 /Filter /FlateDecode >>\nstream\nxyz\nendstream",
    2: b"<< /Font << /F33 5 0 R /F27 6 0 R /F9 7 0 R >> /XObject << /Im1 1 0 R >> >>",
    3: b"<< /Type /Page /Parent 8 0 R /Contents 4 0 R /Resources 2 0 R >>",
    5: b"<< /Type /Font /BaseFont 15 0 R >>",
    6: b"<< /Type /Font /BaseFont /XYZABC+CMMI10 >>",
    7: b"<< /Type /Font /Subtype /Type3 >>",
    8: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    9: b"<< /Type /Catalog /Pages 8 0 R >>",
    15: b"/ABCDEF+CMR10",
}


def pdf(orders, **more):
    """A file of one page with these orders; `more` are objects that stand there instead."""
    packed = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(orders), orders)
    listed = OBJECTS | {4: packed} | {int(name[1:]): data for name, data in more.items()}
    made, places = b"%PDF-1.5\n", {}
    for number, data in sorted(listed.items()):
        places[number] = len(made)
        made += b"%d 0 obj\n%s\nendobj\n" % (number, data)
    kinds = [b"n" if number in places else b"f" for number in range(16)]
    rows = [b"%010d 00000 %s \n" % (places.get(n, 0), kind) for n, kind in enumerate(kinds)]
    table = b"xref\n0 16\n" + b"".join(rows) + b"trailer\n<< /Size 16 /Root 9 0 R >>\n"
    return made + table + b"startxref\n%d\n%%%%EOF\n" % len(made)


def test_pages_are_read_with_their_words_fonts_and_figures():
    text = (
        rb"BT /F33 9.9 Tf 1 2 Td [(First)-333(w)27(ords)-333(\(e\016cien)28(t.\))]TJ"
        rb"/F27 9.9 Tf 5 0 Td [(x\013)]TJ ET q 1 0 0 1 0 0 cm /Im1 Do Q"
    )
    (found,) = page_contents(pdf(text))
    assert found.words == ("First", "words", "(efficient.)", "x\N{MIDDLE DOT}")
    assert found.fonts == ("CMMI10", "CMR10")
    assert len(found.figures) == 1
    (other,) = page_contents(pdf(text, _1=OBJECTS[1].replace(b"xyz", b"xyw")))
    assert other.figures != found.figures
    assert other.digest != found.digest
    (again,) = page_contents(
        pdf(text.replace(b"/Im1", b"/Im2"), _2=OBJECTS[2].replace(b"Im1", b"Im2"))
    )
    assert again == found
    (drawn,) = page_contents(pdf(rb"BT /F9 9.9 Tf [(a)]TJ ET"))
    assert drawn.fonts == ("of bitmaps",)
    for odd in (b"[" + b"1 " * 5_000 + b"2] 0 d", b"[(a) 1.2.3 -.5 - (b)]TJ"):
        assert page_contents(pdf(odd))[0].figures == ()


@pytest.mark.parametrize(
    "spoilt",
    [
        {"_8": b"<< /Type /Pages /Kids [8 0 R] /Count 1 >>"},
        {"_8": b"<< /Type /Pages /Kids 8 0 R /Count 9999999 >>"},
        {"_9": b"<< /Type /Catalog /Pages 9 0 R >>"},
        {"_3": b"<< /Type /Page /Parent 8 0 R /Contents 3 0 R /Resources 2 0 R >>"},
        {"_3": b"<< /Type /Page /Parent 8 0 R /Resources 2 0 R >>"},
        {"_2": b"<< /Font << /F33 99 0 R >> >>"},
        {"_2": b"[1 2 3]"},
    ],
)
def test_a_file_that_tex_was_made_to_spoil_has_no_pages_to_compare(spoilt, capsys):
    assert page_contents(pdf(b"[(a)]TJ", **spoilt)) == ()
    assert capsys.readouterr().err == ""


def test_what_is_no_pdf_has_no_pages():
    assert page_contents(b"no pdf") == page_contents(b"") == ()


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
    assert differences(one, other) == ['page 1: "Tent. 1" instead of "Text. 1"']


@needs_tex
def test_a_figure_or_a_font_that_is_another_one_is_told():
    def compiled(dot, preamble=""):
        text = article_text(
            "Text. \\includegraphics{dot}", preamble=f"\\usepackage{{graphicx}}{preamble}"
        )
        return compile_files({"main.tex": text.encode(), "dot.png": dot}, "main.tex", "pdflatex")

    one = compiled(png(0))
    assert (one.fault, differences(one, compiled(png(0)))) == ("", [])
    assert differences(one, compiled(png(255))) == ["page 1: figure 1 differs"]
    (words,) = differences(one, compiled(png(0), "\\renewcommand{\\rmdefault}{cmss}"))
    assert words == "page 1: font CMSS10 instead of CMR10"


@needs_tex
def test_one_figure_under_two_names_is_one_figure_twice_in_the_upload():
    preamble = "\\usepackage{graphicx}\\pagestyle{empty}"
    words = "\\includegraphics{%s}\n\\includegraphics{fig/dot.png}\n\\newpage\nText."
    home = article_text(words % "../p/fig/dot", preamble=preamble).encode()
    away = article_text(words % "fig/dot", preamble=preamble).encode()
    first = compiled_at_home(
        {"p/main.tex": home, "p/fig/dot.png": png(0)}, "p/main.tex", "pdflatex"
    )
    files = {"main.tex": away, "fig/dot.png": png(0)}
    found = compared(first, files, "main.tex", "pdflatex")
    assert "2 pages, each identical to the source's" in found.words


@needs_tex
def test_what_latex_reports_of_the_source_too_is_told():
    text = article_text("Text. \\undefinedthing\n\nMore \\ref{%s}." % ("long:" * 16 + "end"))
    files = {"main.tex": text.encode()}
    found = compared(compiled_at_home(files, "main.tex", "pdflatex"), files, "main.tex", "pdflatex")
    line = text[: text.index("\\undefined")].count("\n") + 1
    assert found.errors == (f"main.tex:{line}: Undefined control sequence.",)
    assert f"LaTeX lacks {'long:' * 16}end, as in the source" in found.words


@needs_tex
def test_an_error_in_a_bbl_made_here_is_told_by_its_entry():
    bib = (
        b"@article{gauss, author = {C. F. Gau\\nosuchsign}, title = {D.}, journal={J}, year={1801}}"
    )
    files = {"main.tex": article_text(CITED).encode(), "refs.bib": bib}
    found = compared(compiled_at_home(files, "main.tex", "pdflatex"), files, "main.tex", "pdflatex")
    assert found.errors == ("bibliography entry gauss: Undefined control sequence.",)


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


TWO = b"@misc{b, author={B}, title={Bees}}\n" + BIB
SET = """\\begin{thebibliography}{1}

\\bibitem{b}
B.
\\newblock Bees.

\\bibitem{gauss}
C.~F. Gauss.
\\newblock Disquisitiones.
\\newblock {\\em J}, 1801.

\\end{thebibliography}
"""
STALE = (
    "main.bbl differs from what bibtex makes of the .bib, in gauss: run bibtex main and commit "
    "main.bbl, unless it was edited on purpose"
)


@needs_tex
@pytest.mark.parametrize(
    ("old", "new", "bib", "about"),
    [
        ("1801", "1801", TWO, ""),
        ("Disq", "\n  Disq", TWO, ""),
        ("1801", "1799", TWO, STALE),
        ("\\newblock", "\\newblock~", TWO, ""),
        ("1801", "1799", TWO[:-2], ""),
        ("1801", "1799", BIB, ""),
        ("1801", "1799", None, ""),
    ],
    ids=["same", "wrapped", "edited", "another style", "broken", "lacking", "no .bib"],
)
def test_a_bbl_that_bibtex_would_write_otherwise_is_told(old, new, bib, about):
    text = article_text(CITED.replace("gauss", "gauss,b")).encode()
    home = {"main.tex": text, "main.bbl": SET.replace(old, new).encode()}
    files = dict(home)
    home |= {"refs.bib": bib} if bib else {}
    first = compiled_at_home(home, "main.tex", "pdflatex")
    found = compared(first, files, "main.tex", "pdflatex")
    assert found.about == about
    assert found.files == files


@needs_tex
def test_an_upload_that_compiles_to_something_else_is_refused():
    home = {"main.tex": article_text("\\input{a}").encode(), "a.tex": b"A"}
    first = compiled_at_home(home, "main.tex", "pdflatex")
    with pytest.raises(IncompleteError, match="the bundle does not compile here"):
        compared(first, {"main.tex": home["main.tex"]}, "main.tex", "pdflatex")
    files = home | {"a.tex": b"B"}
    with pytest.raises(IncompleteError, match="compiles to a different PDF than the source"):
        compared(first, files, "main.tex", "pdflatex")


@needs_tex
def test_a_paper_that_does_not_compile_is_not_compared_and_that_is_said():
    home = {"main.tex": b"\\documentclass{no-such-class}\\begin{document}x\\end{document}"}
    found = compared(compiled_at_home(home, "main.tex", "pdflatex"), home, "main.tex", "pdflatex")
    assert "not compared: no PDF was made here (" in found.words
    assert found.files == home
    text = article_text("Text.", preamble="\\pdfmapline{=cmr10 <nosuchfont.pfb}")
    made = compile_files({"main.tex": text.encode()}, "main.tex", "pdflatex")
    assert made.fault.startswith("(file nosuchfont.pfb): cannot open")


@needs_tex
def test_a_style_that_the_author_s_settings_find_is_found_at_home():
    home = {"main.tex": article_text("\\own", preamble="\\usepackage{own}").encode()}
    home["lib/own.sty"] = b"\\newcommand{\\own}{Own words.}"
    first = compiled_at_home(home, "main.tex", "pdflatex")
    files = {"main.tex": home["main.tex"], "own.sty": home["lib/own.sty"]}
    assert "each identical to the source's" in compared(first, files, "main.tex", "pdflatex").words


@needs_tex
def test_what_latex_stopped_at_is_told_and_not_what_it_went_over(monkeypatch):
    monkeypatch.setattr("pfcore.review.bundle_comparison.which", lambda name: None)
    text = "\\documentclass{article}\\undefined\\usepackage{%s}\\begin{document}x\\end{document}"
    files = {"main.tex": (text % "no-such-package").encode()}
    found = compared(compiled_at_home(files, "main.tex", "pdflatex"), files, "main.tex", "pdflatex")
    assert found.words == (
        "not compared: no PDF was made here (LaTeX Error: File `no-such-package.sty' not found.)"
    )
    assert found.uncompiled == "File `no-such-package.sty' not found"
    files["main.tex"] = b"\\documentclass{article}\\undefined\\begin{document}\\textbf{x"
    made = compile_files(files, "main.tex", "pdflatex")
    assert made.fault.startswith("File ended while scanning use of")


@needs_tex
def test_files_above_the_folder_are_found_at_home_and_a_run_without_end_is_ended():
    home = {"p/main.tex": article_text("\\input{../c/m}").encode(), "c/m.tex": b"Macros."}
    assert compile_files(home, "p/main.tex", "pdflatex", is_searched=True).fault == ""
    loop = {"main.tex": b"\\documentclass{article}\\begin{document}\\loop\\iftrue\\repeat"}
    limits = TexLimits(wall_seconds=0.5)
    assert "longer than 0.5" in compile_files(loop, "main.tex", "pdflatex", limits=limits).fault


@needs_tex
def test_pages_that_a_paper_has_packed_are_read_all_the_same():
    packed = "\\pdfobjcompresslevel=2\\pdfcompresslevel=9"
    text = article_text("Some words.", preamble=packed)
    (found,) = compile_files({"main.tex": text.encode()}, "main.tex", "pdflatex").contents
    assert found.words[:2] == ("Some", "words.")


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
        "missing main.bbl: bibtex is not installed; run LaTeX and bibtex main, "
        "then git add -f main.bbl and commit"
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
        "missing main.bbl: main.tex uses biblatex, and biber is not installed; run LaTeX and "
        "biber main, then git add -f main.bbl and commit"
    )


def test_a_paper_that_nobody_compiles_is_told_which_program_makes_its_bbl(biblatex):
    files = biblatex()
    assert (
        "biber main, then git add -f main.bbl and commit"
        in compared(None, files, "main.tex", "pdflatex").about
    )
    old = {"main.tex": b"\\usepackage[backend=bibtex]{biblatex}"}
    assert (
        "bibtex main, then git add -f main.bbl and commit"
        in compared(None, old, "main.tex", "pdflatex").about
    )
    assert compared(None, {"main.tex": b"x"}, "main.tex", "pdflatex").about == ""
    broken = {"main.tex": b"\\usepackage%\n  {biblatex} \\cite{a}"}
    assert "uses biblatex" in compared(None, broken, "main.tex", "pdflatex").about
    off = {"main.tex": b"% \\usepackage{biblatex}\n\\cite{a}"}
    assert "uses biblatex" not in compared(None, off, "main.tex", "pdflatex").about


BBM = "Font U/bbm/m/n/10=bbm10 at 10.0pt not loadable: Metric (TFM) file not found"
YHMATH = "LaTeX Error: File `yhmath.sty' not found"
ENUMITEM = "LaTeX Error: File `enumitem.sty' not found"
UNKNOWN = "LaTeX Error: File `pf-no.sty' not found"


@pytest.mark.parametrize(
    ("fault", "tools", "advice"),
    [
        (BBM, ("apt-get",), "; to install: apt-get install texlive-fonts-extra"),
        (BBM, ("apt-file",), "; to find what to install: apt-file search bbm10.tfm"),
        (BBM, ("apt-get", "tlmgr"), "; to install: apt-get install texlive-fonts-extra"),
        (YHMATH, ("apt-get", "tlmgr"), "; to install: apt-get install texlive-science"),
        (UNKNOWN, ("apt-get", "tlmgr"), ""),
        (UNKNOWN, ("apt-get", "apt-file"), "; to find what to install: apt-file search pf-no.sty"),
        (ENUMITEM, ("apt-get", "tlmgr"), ""),
        (BBM, ("tlmgr",), "; to find what to install: tlmgr search --global --file bbm10.tfm"),
        (BBM, (), ""),
        ("Undefined control sequence", ("apt-get", "apt-file", "tlmgr"), ""),
    ],
)
def test_what_this_tex_lacks_is_told_with_what_is_here_to_find_it(
    fault, tools, advice, monkeypatch
):
    monkeypatch.setattr(
        "pfcore.review.bundle_comparison.which", lambda name: name if name in tools else None
    )
    monkeypatch.setattr(
        "pfcore.review.bundle_comparison._has_package", lambda name: name == "texlive-latex-extra"
    )
    monkeypatch.delenv("TEXMFHOME", raising=False)
    first = made(fault=fault)
    found = compared(first, {"main.tex": b"x"}, "main.tex", "pdflatex")
    assert found.words == f"not compared: no PDF was made here ({fault}){advice}"
    monkeypatch.setenv("TEXMFHOME", "/home/ada/texmf")
    found = compared(first, {"main.tex": b"x"}, "main.tex", "pdflatex")
    said = "; packages in your TEXMFHOME are not read here" if "not" in fault else ""
    assert f"no PDF was made here ({fault}){said}{advice}" in found.words


@needs_tex
def test_a_package_that_the_paper_reads_like_a_file_is_lacking_as_another_is():
    files = {"main.tex": article_text("x", preamble="\\input pf-one-pack.sty ").encode()}
    found = compared(compiled_at_home(files, "main.tex", "pdflatex"), files, "main.tex", "pdflatex")
    assert found.uncompiled == "File `pf-one-pack.sty' not found"


@needs_tex
def test_all_packages_that_this_tex_lacks_are_named_at_once(monkeypatch):
    monkeypatch.setattr("pfcore.review.bundle_comparison.which", lambda name: None)
    text = "\\usepackage{pf-one-pack}\\usepackage[a]{amsmath,pf-two-pack}\\usepackage{own}"
    files = {"main.tex": article_text("x", preamble=text).encode(), "own.sty": b""}
    files["own.sty"] = b"\\RequirePackage{pf-three-pack}"
    found = compared(compiled_at_home(files, "main.tex", "pdflatex"), files, "main.tex", "pdflatex")
    listed = "File `pf-one-pack.sty' not found; also missing: pf-two-pack.sty, pf-three-pack.sty"
    assert (found.uncompiled, listed in found.words) == (listed, True)


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("soul.sty", "texlive-plain-generic"),
        ("ulem.sty", "texlive-plain-generic"),
        ("stmaryrd.sty", "texlive-science"),
        ("yhmath.sty", "texlive-science"),
        ("bussproofs.sty", "texlive-science"),
        ("algorithmicx.sty", "texlive-science"),
        ("mathtools.sty", "texlive-latex-recommended"),
        ("chapterbib.sty", "texlive-latex-recommended"),
        ("xfrac.sty", "texlive-latex-base"),
    ],
)
def test_a_file_is_looked_for_in_the_package_that_debian_has_it_in(name, package):
    assert debian_package(name) == package


def test_each_package_of_debian_is_found_by_its_examples():
    listed = word_tables(bundle_comparison.__file__)["debian"]
    for package, item in listed.items():
        assert {debian_package(name) for name in item["examples"]} == {package}
    assert debian_package("pf-nowhere-installed.sty") == ""


@needs_tex
def test_fonts_of_t1_without_outlines_are_compared_by_others_that_stand_in():
    head = "\\usepackage[T1]{fontenc}"
    text = article_text("Some office \\texttt{words} here.", preamble=head).encode()
    home = {"main.tex": text}
    first = compiled_at_home(home, "main.tex", "pdflatex")
    assert first is not None
    if not first.stand_ins:
        pytest.skip("the outlines of T1 are installed")
    found = compared(first, home, "main.tex", "pdflatex")
    assert found.uncompiled == ""
    assert "for 2 fonts that this TeX cannot draw (install cm-super)" in found.words
    assert first.contents[0].words[:4] == ("Some", "office", "words", "here.")
    other = {"main.tex": text.replace(b"here", b"there")}
    with pytest.raises(IncompleteError, match="compiles to a different PDF"):
        compared(first, other, "main.tex", "pdflatex")


@needs_tex
def test_what_needs_a_font_that_would_have_to_be_drawn_still_gets_its_bibliography():
    text = article_text(
        "Text, as \\cite{a}.\\bibliographystyle{plain}\\bibliography{r}",
        preamble="\\pdfmapfile{}",
    )
    entry = b"@book{a, author={A. Author}, title={All}, year=1999, publisher={P}}"
    home = {"main.tex": text.encode(), "r.bib": entry}
    made = compiled_at_home(home, "main.tex", "pdflatex")
    found = compared(made, home, "main.tex", "pdflatex")
    assert "this TeX lacks the outlines of the font cm" in found.words
    assert "; install amsfonts)" in found.words
    assert found.bibliography == "main.bbl" and b"\\bibitem{a}" in found.files["main.bbl"]
    assert "r.bib" not in found.files


@needs_tex
def test_a_name_that_leads_upwards_means_no_file_of_that_name_in_a_folder_below():
    words = r"\input{../common/x}\input{common/x}\input{x}\includegraphics{../fig/p}"
    text = article_text(words, preamble=r"\usepackage{graphicx}")
    files = {"a/main.tex": text.encode(), "common/x.tex": b"Outer", "a/common/x.tex": b"Inner"}
    files |= {"a/x.tex": b"Own", "fig/p.png": png(0), "a/fig/p.png": png(200)}
    home = compiled_at_home(files, "a/main.tex", "pdflatex")
    assert home is not None
    apart = files | {"a/main.tex": text.replace("../", "up/").encode()}
    apart |= {"a/up/common/x.tex": b"Outer", "a/up/fig/p.png": png(0)}
    assert home.contents[0].words[:3] == ("Outer", "Inner", "Own")
    other = compiled_at_home(apart, "a/main.tex", "pdflatex")
    assert other is not None and differences(home, other) == []


@needs_tex
def test_what_would_stretch_a_font_without_outlines_still_gets_its_bibliography():
    text = article_text(
        "Text, as \\cite{gauss}.\\bibliographystyle{plain}\\bibliography{refs}",
        preamble="\\pdfmapfile{}\\usepackage{microtype}",
    )
    home = {"main.tex": text.encode(), "refs.bib": BIB}
    made = compiled_at_home(home, "main.tex", "pdflatex")
    found = compared(made, home, "main.tex", "pdflatex")
    assert found.bibliography == "main.bbl" and found.uncited == 0
    assert "this TeX lacks the outlines of the font cm" in found.words


@needs_tex
@pytest.mark.skipif(not shutil.which("biber"), reason="biber is absent")
@pytest.mark.parametrize("engine", ["pdflatex", "xelatex"])
def test_of_what_cannot_be_compiled_here_biber_makes_the_bbl_that_the_paper_would_have(engine):
    preamble = "\\usepackage%\n[style=alphabetic]{biblatex}\\addbibresource{refs.bib}"
    text = article_text("By \\cite{gauss}. \\printbibliography", preamble=preamble)
    home = {"main.tex": text.encode(), "refs.bib": BIB}
    whole = away(home).files["main.bbl"]
    lacking = text.replace("\\begin{document}", "\\usepackage{no-such-package}\\begin{document}")
    home["main.tex"] = lacking.encode()
    first = compiled_at_home(home, "main.tex", "pdflatex") if engine == "pdflatex" else None
    found = compared(first, home, "main.tex", engine)
    assert found.files["main.bbl"] == whole
    assert sorted(found.files) == ["main.bbl", "main.tex"]
    assert found.uncited == 0
    assert "main.bbl was made by biber from the citations in the sources" in found.words
    home["main.tex"] = lacking.replace(preamble, "\\usepackage{own}").encode()
    home["own.sty"] = preamble.replace("\\usepackage", "\\RequirePackage").encode()
    assert compared(None, home, "main.tex", engine).files["main.bbl"] == whole


def test_a_bibliography_in_parts_is_not_made_of_citations_alone(biblatex):
    files = biblatex()
    text = files["main.tex"].decode().replace("Text.", "\\begin{refsection}\\cite{gauss}.")
    files["main.tex"] = text.replace("\\usepackage", "\\usepackage{none}\\usepackage").encode()
    found = compared(None, files, "main.tex", "xelatex")
    assert found.bibliography is None and "refs.bib" in found.files
