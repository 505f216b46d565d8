"""Figures as files: what the compiler does not take, and PDF without fonts; doubt is silent."""

import shutil
import subprocess
import unicodedata
import zlib

import pytest

from pfcore.checks import figure_files
from pfcore.checks.figure_files import fonts_not_embedded
from pfcore.review.review import every_finding
from tests.conftest import article_text

RULES = {check.id for check in figure_files.CHECKS}
FONT = b"1 0 obj\n<< /Type /Font /Subtype /%s /BaseFont /%s %s >>\nendobj\n"
PAGE = b"9 0 obj\n<< /Font << /F1 1 0 R >> >>\nendobj\n"
LACKING = b"2 0 obj\n<< /Type /FontDescriptor /FontName /Arial >>\nendobj\n"
HELD = b"2 0 obj\n<< /Type /FontDescriptor /FontFile2 3 0 R >>\nendobj\n"
ARIAL = FONT % (b"TrueType", b"Arial", b"/FontDescriptor 2 0 R")
HELVETICA = FONT % (b"Type1", b"Helvetica", b"")


def pdf(*objects):
    return b"%PDF-1.5\n" + b"".join(objects)


def packed(*texts):
    """Objects 1, 2, … in a compressed stream."""
    body = b" ".join(texts)
    starts = [len(b" ".join((*texts[:n], b""))) if n else 0 for n in range(len(texts))]
    head = b" ".join(b"%d %d" % (n, start) for n, start in enumerate(starts, 1)) + b" "
    data = zlib.compress(head + body)
    form = b"7 0 obj\n<< /Type /ObjStm /N %d /First %d /Filter /FlateDecode >>\nstream\n%s\n"
    return form % (len(texts), len(head), data) + b"endstream\nendobj\n"


@pytest.mark.parametrize(
    ("data", "fonts"),
    [
        (pdf(ARIAL, LACKING, PAGE), ["Arial"]),
        (pdf(ARIAL, HELD, PAGE), []),
        (pdf(HELVETICA, PAGE), ["Helvetica"]),
        (pdf(FONT % (b"Type3", b"Helvetica", b""), PAGE), []),
        (pdf(FONT % (b"TrueType", b"Unknown", b""), PAGE), []),
        (pdf(HELVETICA), []),  # nothing uses it
        (pdf(ARIAL, PAGE), []),  # its descriptor is not found
        (pdf(HELVETICA, HELVETICA, PAGE), []),  # changed later
        (pdf(HELVETICA, PAGE, b"trailer << /Encrypt 5 0 R >>"), []),
        (HELVETICA + PAGE, []),
        (b"", []),
        (pdf(packed(b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"), PAGE), ["Helvetica"]),
        (
            pdf(HELVETICA, PAGE, packed(b"<<>>").replace(b"/N 1", b"/N 2").replace(b"7 0", b"8 0")),
            [],
        ),
        (pdf(packed(b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")[:-60], PAGE), []),
    ],
)
def test_fonts_that_a_pdf_uses_and_does_not_hold(data, fonts):
    assert fonts_not_embedded(data) == fonts


def test_a_stream_of_objects_that_unpacks_to_too_much_is_in_doubt(monkeypatch):
    data = pdf(packed(b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"), PAGE)
    monkeypatch.setattr(figure_files, "_MOST", 20)
    assert fonts_not_embedded(data) == []


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is absent")
@pytest.mark.parametrize("level", ["0", "2"])
def test_what_pdflatex_makes_holds_its_fonts(tmp_path, level):
    text = f"\\pdfobjcompresslevel={level} " + article_text("Text.")
    (tmp_path / "a.tex").write_text(text)
    command = ["pdflatex", "-interaction=batchmode", "a.tex"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    data = (tmp_path / "a.pdf").read_bytes()
    assert fonts_not_embedded(data) == []
    if level == "0":
        gone = data.replace(b"/FontFile ", b"/FontFill ")
        assert [name.partition("+")[2] for name in fonts_not_embedded(gone)] != []


@pytest.fixture
def found(reviewed):
    def run(body, files, preamble=""):
        text = article_text(body, preamble="\\usepackage{graphicx}" + preamble)
        made = reviewed({"main.tex": text, **files})
        findings = [item for paper in made.papers for item in every_finding(paper)]
        return [(item.rule, item.message) for item in findings if item.rule in RULES]

    return run


def one(*names):
    return "".join(f"\\includegraphics[width=1cm]{{{name}}}" for name in names)


@pytest.mark.parametrize(
    ("body", "files", "preamble", "words"),
    [
        (one("a", "b"), ("f/a.eps", "f/b.png"), "", "f/a.eps is PostScript and other"),
        (
            one("a.eps", "b"),
            ("a.eps", "a.pdf", "b.png"),
            "",
            "pdfLaTeX does not accept PostScript: name a.pdf instead, which exists as well",
        ),
        (one("a", "b"), ("a.eps", "a.pdf", "b.eps"), "", None),
        (one("a.eps", "b"), ("a.eps", "b.png"), "\\usepackage{fontspec}", None),
        (one("a"), ("a.eps",), "\\pdfoutput=1 ", "a.eps is PostScript, and the source asks for"),
        (
            one("a", "b"),
            ("a.eps", "b.png"),
            "\\usepackage[dvips]{color}",
            "b.png is not PostScript",
        ),
        (
            one("b"),
            ("b.png",),
            "\\ifpdf\n\\usepackage[pdftex]{color}\n\\else\n\\usepackage[dvips]{color}\n\\fi",
            None,
        ),
        (one("a.tif"), ("f/a.tif",), "", "LaTeX cannot include a.tif"),
        (one("a.svg"), ("a.svg", "a.pdf"), "", "LaTeX cannot include a.svg"),
        (one("a"), ("a.svg", "a.pdf"), "", None),
        (one("a", "b"), ("a.eps", "a.pdf", "b.png"), "", None),
        (one("a", "b"), ("a.eps", "a-eps-converted-to.pdf", "b.png"), "", None),
        (one("a"), ("a.eps",), "", None),
        (one("a"), ("a.eps",), "\\usepackage[dvips]{color}", None),
        (one("a", "b"), ("x/a.eps", "y/a.eps", "b.png"), "", None),
        (one("a\\i", "b"), ("a.eps", "b.png"), "", None),
        (f"\\verb|{one('a')}|" + one("b"), ("a.eps", "b.png"), "", None),
    ],
)
def test_figures_that_the_compiler_does_not_take(found, body, files, preamble, words):
    made = found(body, dict.fromkeys(files, "x"), preamble)
    assert [rule for rule, _ in made] == ["unfit-figure"] * bool(words)
    assert words is None or words in made[0][1]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (("crest.eps", "seal.eps", "b.png"), ["crest.eps", "seal.eps"]),
        (("crest.eps", "seal.png"), ["crest.eps"]),
        (("crest.eps", "crest.pdf", "seal.pdf", "b.png"), []),
        (("crest.eps", "seal.eps"), []),
    ],
)
def test_figures_that_an_own_class_includes_count_too(reviewed, files, words):
    style = (
        "\\ProvidesClass{thesis}\\LoadClass{article}\\RequirePackage{graphicx}\n"
        "\\newcommand{\\crest}{\\includegraphics{crest}}\n"
        "%\\newcommand{\\old}{\\includegraphics{old}}\n"
        "\\renewcommand{\\maketitle}{\\includegraphics[width=1cm]{seal}}\n"
    )
    body = one("b") if "b.png" in files else "Words."
    text = f"\\documentclass{{thesis}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    there = {"main.tex": text, "thesis.cls": style, **dict.fromkeys((*files, "old.eps"), "x")}
    (made,) = reviewed(there).papers
    told = [item for item in every_finding(made) if item.rule == "unfit-figure"]
    assert [item.message.partition(" ")[0] for item in told] == words
    assert {item.location.path for item in told} <= {"thesis.cls"}


def test_a_figure_without_its_fonts_is_named(found):
    ((rule, words),) = found(one("a"), {"a.pdf": pdf(ARIAL, LACKING, PAGE).decode()})
    assert rule == "unembedded-font"
    assert "a.pdf does not embed its fonts (Arial)" in words


def test_a_figure_whose_name_is_spelled_as_macos_does_is_told(reviewed):
    name = "Gr\u00f6\u00dfe"
    there = unicodedata.normalize("NFD", f"f/{name}.pdf")
    text = article_text(f"\\graphicspath{{{{f/}}}}{one(name)}{one('gone')}")
    made = reviewed({"main.tex": text, there: "x"})
    found = [item.message for paper in made.papers for item in every_finding(paper)]
    told = [words for words in found if words.startswith("figure not found")]
    assert told == [
        f"figure not found: {name} ({there} has accents as separate characters, as macOS "
        "writes them: rename it)",
        "figure not found: gone",
    ]


@pytest.mark.parametrize(("style", "severity"), [("ourhouse", "note"), ("graphicx", "warning")])
def test_a_figure_whose_folder_a_missing_style_may_set_is_a_note(reviewed, style, severity):
    body = "\\includegraphics{torus}\\includegraphics{gone}"
    text = article_text(body, preamble=f"\\usepackage{{graphicx}}\\usepackage{{{style}}}")
    (made,) = reviewed({"main.tex": text, "figures/torus.png": ""}).papers
    found = [item for item in every_finding(made) if item.rule == "missing-figure"]
    assert [item.severity.value for item in found if "torus" in item.message] == [severity]
    assert [item.severity.value for item in found if "gone" in item.message] == ["warning"]
    words = "figures/torus.png has that name, and the missing ourhouse.sty may name its folder"
    assert any(words in item.message for item in found) == (severity == "note")
