"""What an upload trips over, each with its place; what only looks like it is silent."""

import pytest

from pfcore.checks import preflight
from pfcore.checks.author_notes import note_commands
from pfcore.domain.values import Severity
from pfcore.review.review import every_finding
from tests.conftest import article_text

BIB = "@article{gauss, author = {C. F. Gauss}, title = {Disquisitiones}}\n"
CITED = "By \\cite{gauss}.\n\\bibliographystyle{plain}\\bibliography{refs}\n"
TODO = "\\todo{why?}"


@pytest.fixture
def found(reviewed):
    """What preflight finds in an article: rule, severity and the words that it points at."""

    def run(body, files=None, preamble=""):
        made = reviewed({"main.tex": article_text(body, preamble=preamble), **(files or {})})
        return [
            (item.rule, item.severity.value, item.quote or item.message, item.location.line)
            for paper in made.papers
            for item in every_finding(paper)
            if item.rule in preflight.RULES
        ]

    return run


@pytest.mark.parametrize(
    ("rule", "body", "quote"),
    [
        ("model-debris", "As an AI language model, I cannot.", "As an AI language model, I"),
        ("model-debris", "As in turn0search3.", "turn0search3"),
        ("lost-reference", "By Lemma ??, done.", "Lemma ??"),
        ("placeholder", "It holds [insert citation here].", "[insert citation here]"),
        ("placeholder", "TODO: prove it", "TODO"),
        ("moving-date", "\\date{\\today}", "\\today"),
        ("missing-figure", "\\includegraphics[width=1cm]{fig/a}", None),
    ],
)
def test_what_is_left_is_named_with_its_place(found, rule, body, quote):
    ((name, _, words, line),) = found(f"Text.\n\n{body}\n")
    assert (name, line) == (rule, 10)
    assert quote is None or quote == words


@pytest.mark.parametrize(
    "preamble",
    ["\\usepackage{showkeys}", "\\usepackage[draft]{graphicx}", "\\usepackage{draftwatermark}"],
)
def test_marks_of_a_draft_are_found(found, preamble):
    assert [item[:2] for item in found("Text.", preamble=preamble)] == [("draft-mark", "warning")]


WATERMARK = "\\usepackage[firstpage]{draftwatermark}\n\\SetWatermarkText{%s}\\SetWatermarkAngle{0}"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("\\hspace*{8in}\\raisebox{-6.5 in}{%\n  \\includegraphics[scale=0.1]{badge}}", 0),
        ("\\includegraphics{images/draft-stamp}", 1),
        ("\\includegraphics{badge} Do not share", 1),
        ("DRAFT", 1),
    ],
)
def test_a_watermark_is_named_once_and_a_badge_is_none(found, text, count):
    made = found("Text.", preamble=WATERMARK.replace("%s", text))
    assert [item[0] for item in made if item[0] != "missing-figure"] == ["draft-mark"] * count
    (only,) = found("Text.", preamble="\\SetWatermarkText{DRAFT}")
    assert only[0] == "draft-mark"


def test_words_of_a_reply_that_name_no_program_are_a_note(found):
    def said(text):
        return [item[:2] for item in found(text)]

    assert said("First, confirm that you have the right template for your paper size.") == [
        ("model-debris", "note")
    ]
    assert said("It holds. I hope this helps!") == [("model-debris", "note")]
    assert said("Als KI-Sprachmodell kann ich das nicht.") == [("model-debris", "warning")]
    assert said("The map **is** good.") == [("model-debris", "warning")]


OPENINGS = [
    "Here is the rewritten introduction you asked for.",
    "Sure, here is a cleaner statement of the theorem:",
    "Certainly! Here is the revised proof.",
    "Of course! Below is the expanded proof.",
    "As requested, I have shortened the introduction.",
    "I hope this helps!",
    "Let me know if you'd like me to expand on any of these points.",
    "Below is a more concise version of the paragraph you provided.",
    'Gerne! Hier ist die \\"uberarbeitete Fassung des Abschnitts:',
    "Hier ist die verbesserte Version deines Textes:",
    "Bien s\\^ur ! Voici une version am\\'elior\\'ee de votre introduction :",
]


@pytest.mark.parametrize("text", OPENINGS)
@pytest.mark.parametrize("before", ["It holds.\n\n", "\\section{A}\n", "\\noindent\n"])
def test_a_reply_that_begins_a_paragraph_is_a_warning(found, text, before):
    assert [item[:2] for item in found(f"{before}{text}\n\nNow more.")] == [
        ("model-debris", "warning")
    ]


@pytest.mark.parametrize(
    "body",
    [
        "It holds. %s",
        "It holds.\n%s",
        "``%s''",
        "\\emph{%s}",
        "\\begin{quote}%s\\end{quote}",
        "\\begin{verbatim}\n%s\n\\end{verbatim}",
        "A bot says:\n\n%s",
        "GPT-4 and ChatGPT are language models.\n\n%s",
        "\\begin{itemize}\\item %s\\end{itemize}",
    ],
)
def test_a_reply_elsewhere_is_at_most_a_note(found, body):
    for text in OPENINGS:
        made = found(f"We prove it.\n\n{body.replace('%s', text)}\n")
        assert {item[1] for item in made} <= {"note"}


@pytest.mark.parametrize(
    "text",
    [
        "I hope this helps the reader to see the pattern.",
        "I hope this helps, as the notation is heavy.",
        "Let me know if you have any questions!",
        "Let me know if you find a mistake.",
        "Of course, here is the catch: it is not open.",
        "Certainly, here is where compactness is used.",
        "Sure, here is the issue: it need not be open.",
        "Sure enough, here is the map.",
        "As requested by the referee, we add a remark.",
        "Here is the proof that you may have asked for in Section 1, in full.",
        "Here is the revised version of the theorem.",
        "Here is a version of it that is shorter.",
        "Would you like another proof? There is one.",
        "Gerne wird auch der Satz von Baire benutzt.",
        "Bien s\\^ur, la fonction est continue.",
        "Hier ist eine verbesserte Version des Satzes von Landau.",
    ],
)
def test_what_a_person_may_write_at_a_beginning_is_at_most_a_note(found, text):
    assert {item[1] for item in found(f"We prove it.\n\n{text}\n\nNow more.")} <= {"note"}


def test_two_phrases_of_replies_are_a_warning(found):
    one, other = "It holds. I hope this helps!", "It holds. Great question! It is open."
    assert [item[1] for item in found(f"{one}\n\n{one}\n")] == ["note"] * 2
    assert [item[1] for item in found(f"{one}\n\n{other}\n")] == ["warning"] * 2
    told = f"{one}\n\n{other}\n\nChatGPT, GPT-4 and LLMs reply so.\n"
    assert found(told) == []


def test_the_layout_of_a_draft_is_a_note(found):
    assert [item[:2] for item in found("\\linenumbers Text.")] == [("draft-mark", "note")]


@pytest.mark.parametrize(
    ("preamble", "count"),
    [
        ("\\usepackage{todonotes}", 1),
        ("\\usepackage[colorinlistoftodos]{todonotes}", 1),
        ("\\newcommand{\\todo}[1]{\\textbf{#1}}", 1),
        ("\\usepackage[disable]{todonotes}", 0),
        ("\\newcommand{\\todo}[1]{}", 0),
        ("\\usepackage{todonotes}\\renewcommand{\\todo}[2][]{}", 0),
        ("", 0),
    ],
)
def test_a_note_counts_where_it_is_printed(found, preamble, count):
    assert [item[0] for item in found(TODO, preamble=preamble)] == ["placeholder"] * count


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("\\todo{TODO}", 1),
        ("\\todo[inline]{TODO: prove it}", 1),
        ("\\todo{why?}\n\nTODO: prove it", 2),
        ("{TODO}", 1),
    ],
)
def test_a_note_that_says_it_is_one_is_named_once(found, body, count):
    made = found(body, preamble="\\usepackage{todonotes}")
    assert [item[0] for item in made] == ["placeholder"] * count


ITEMS = "\\begin{thebibliography}{9}\\bibitem{key} A.\\end{thebibliography}"


@pytest.mark.parametrize(
    ("body", "files"),
    [
        (r"\begin{equation}\label{eq:x}1\end{equation} By \eqref{eq:x}.", {}),
        (r"\section{A}\label{sec:xx} By \ref{sec:xx} and \cref{sec:xx}.", {}),
        (r"\section{A}\label{X} \section{B}\label{missing} By \ref{X} and \ref{missing}.", {}),
        (r"\section{A}\label{todo} By \autoref{todo}.", {}),
        ("By \\cite{key}." + ITEMS, {}),
        ("By \\cite{Key} and \\citep{key}." + ITEMS, {}),
        (CITED + "\\citet{key}", {"refs.bib": BIB + BIB.replace("gauss", "key")}),
        ("\\bibliography{gone} % pf: ignore[missing-bibliography] x\n\\cite{key}" + ITEMS, {}),
    ],
)
def test_a_label_or_key_that_is_defined_is_no_placeholder(found, body, files):
    made = found(f"Text.\n\n{body}\n", files)
    assert [item for item in made if item[0] != "missing-bibliography"] == []


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (r"\ref{eq:x}", "dangling-reference"),
        (r"\cref{XX}", "dangling-reference"),
        (r"\ref{}", "dangling-reference"),
        (r"\cite{missing}" + ITEMS, "undefined-citation"),
        (r"\cite[p.~2]{a}\cite{TODO}\bibliography{gone}", "placeholder"),
        (r"\cite{}" + ITEMS, "placeholder"),
    ],
)
def test_a_label_or_key_that_is_not_defined_is_told_once(reviewed, body, rule):
    (made,) = reviewed({"main.tex": article_text(f"Text.\n\n{body}\n")}).papers
    listed = [item.rule for item in every_finding(made) if item.rule != "missing-bibliography"]
    assert listed == [rule]


def test_what_may_be_meant_is_a_note(found):
    ((rule, severity, words, _),) = found("We add the token [NAME] to each line.")
    assert (rule, severity, words) == ("placeholder", "note", "[NAME]")
    assert found("The line has [NAME] in it.")[0][:2] == ("placeholder", "warning")


def test_what_hides_the_authors_in_one_head_is_one_finding_with_its_places(reviewed):
    head = (
        "\\author{anonymous author}\n\\institute{anonymous institute\\\\\n"
        "\\email{anonymous email}}\n"
    )
    body = "Words.\n\nAcknowledgments have been removed for anonymization.\n"
    (made,) = reviewed({"main.tex": article_text(body, preamble=head)}).papers
    found = [item for item in every_finding(made) if item.rule == "placeholder"]
    first = found[0].location.line
    assert [item.message.partition(": ")[2] for item in found] == [
        f"hidden for a blind review; also in lines {first + 1} and {first + 2}",
        "hidden for a blind review",
    ]
    other = "\\ifx\\a\\b\\author{Anonymous}\\else\\author{Ada}\\email{anonymous}\\fi"
    (made,) = reviewed({"main.tex": article_text("Words.", preamble=other)}).papers
    assert len([item for item in every_finding(made) if item.rule == "placeholder"]) == 2


@pytest.mark.parametrize(
    ("head", "severity"),
    [
        ("\\documentclass[a4paper,UKenglish,anonymous]{lipics-v2021}", "warning"),
        ("\\documentclass[\n  review, % with lines\n  anonymous=true\n]{acmart}", "warning"),
        ("\\documentclass[anon,12pt]{colt2021}", "warning"),
        ("\\documentclass[doubleblind]{a}", "warning"),
        ("\\documentclass[double-blind]{a}", "warning"),
        ("\\documentclass[blindreview]{a}", "warning"),
        ("\\documentclass{article}\\usepackage[anonymised]{jmlr2e}", "warning"),
        ("\\documentclass[anonymous=false]{acmart}", ""),
        ("\\documentclass{article}\\usepackage[final,nonanonymous]{a}", ""),
        ("%\\documentclass[anonymous]{acmart}\n\\documentclass{acmart}", ""),
        ("\\documentclass[preprint,review,12pt]{elsarticle}", "note"),
        ("\\documentclass[review=false]{acmart}", ""),
    ],
)
def test_an_option_that_hides_the_authors_is_told_and_one_for_referees_noted(
    reviewed, head, severity
):
    text = f"{head}\n\\begin{{document}}\nWords.\n\\end{{document}}\n"
    (made,) = reviewed({"main.tex": text}).papers
    found = [
        (item.rule, str(item.severity), item.message.partition(": ")[2])
        for item in every_finding(made)
        if item.rule in ("placeholder", "draft-mark")
    ]
    told = {
        "warning": [("placeholder", "warning", "hidden for a blind review")],
        "note": [("draft-mark", "note", "mark of a draft")],
    }
    assert found == told.get(severity, [])


def test_a_key_that_no_bibliography_has_is_named_with_the_one_that_is_meant(found):
    body = CITED + "See \\citep[p.~3]{gaus} and \\cite{nosuchkey}.\n"
    made = [item for item in found(body, {"refs.bib": BIB}) if item[0] == "undefined-citation"]
    assert sorted(item[2] for item in made) == ["gaus", "nosuchkey"]
    (text,) = [article_text(body)]
    assert {item[3] for item in made} == {text[: text.index("nosuchkey")].count("\n") + 1}


@pytest.mark.parametrize(
    ("body", "files"),
    [
        (CITED, {"refs.bib": BIB}),
        (CITED, {"bib/refs.bib": BIB}),
        (CITED + "\\cite{Gauss}", {"refs.bib": BIB}),
        (
            "\\bibliography{refs}\\cite{a(b)-(c)}",
            {"refs.bib": "@book{a(b)-(c), author={A}, title={B}}"},
        ),
        (CITED + "\\nocite{*}", {"refs.bib": BIB}),
        (CITED, {"main.bbl": "\\bibitem[Gauß {\\em et al.}(1801)]{gauss} C."}),
        (
            CITED,
            {
                "main.bbl": "\\bibitem [{\\citenamefont {Gauß}(1801)\\citenamefont\n"
                "  {S{\\'{a}}nchez}}]{gauss}%\n C."
            },
        ),
        (
            "\\cite{a,b}\\begin{thebibliography}{9}\\bibitem{a} A.\\bibitem[B]{b} B.\n"
            "\\end{thebibliography}",
            {},
        ),
        (CITED + "\\cite{\\mykey}", {"refs.bib": BIB}),
        ("\\addbibresource{refs.bib}\\parencite{g2}", {"refs.bib": BIB[:-2] + ", ids={g2}}"}),
        (CITED + "% \\cite{gone}", {"refs.bib": BIB}),
        (CITED + "\\verb|\\cite{gone}|", {"refs.bib": BIB}),
    ],
)
def test_what_is_cited_and_there_is_silent(found, body, files):
    assert found(body, files) == []


def test_a_bibliography_that_is_not_here_is_named_once_and_no_key_is_doubted(found):
    made = found(CITED + "\\cite{other}")
    assert [item[0] for item in made] == ["missing-bibliography"]


@pytest.mark.parametrize("bbl", ["", "x"])
def test_an_answer_to_a_missing_bibliography_answers_no_citation(found, bbl):
    body = CITED.replace("refs}", "refs,more} % pf: ignore[missing-bibliography] elsewhere")
    files = {"refs.bib": BIB, **({"main.bbl": bbl} if bbl else {})}
    assert [item[0] for item in found(body, files)] == ["missing-bibliography"][bool(bbl) :]
    made = found(body + "\\cite{other}\\cite{more}", files)
    assert [item[2] for item in made if item[0] == "undefined-citation"] == ["other", "more"]
    foreign = {**files, "main.bbl": "\\ownentry{other}"}
    assert found(body + "\\cite{other}", foreign) == []


def test_a_bibliography_of_another_case_is_named(reviewed):
    (made,) = reviewed({"main.tex": article_text(CITED), "Refs.bib": BIB}).papers
    (item,) = (one for one in every_finding(made) if one.rule in preflight.RULES)
    assert item.message.endswith("; Refs.bib differs only in case")


def test_a_bbl_that_lacks_what_the_bib_has_is_stale(found):
    files = {"refs.bib": BIB + BIB.replace("gauss", "noether"), "main.bbl": "\\bibitem{gauss} G."}
    assert found(CITED, files) == []
    ((rule, _, words, _),) = found(CITED + "\\cite{noether}", files)
    assert rule == "stale-bibliography"
    assert "lacks noether" in words


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("@article{gauss, author = {G}}", "has no title"),
        ("@article{gauss, title = {T}}", "has no author"),
        ("@book{gauss, title = {T}, author = {}}", "has no author or editor"),
        ("@misc{gauss, title = {T}, url = {https://a/?utm_source=chatgpt.com}}", "utm_source"),
        ("@article{gauss, author={A}, title={T}, note={turn0search4}}", "turn0search4"),
        ("@article{gauss, author={A}, title={T}, doi={10.1234/example}}", "10.1234/example"),
        ("@article{gauss, author={A}, title={T}, doi={10.XXXX/abc}}", "10.XXXX/abc"),
        ("@inproceedings{gauss, author={A}, booktitle={T}}", "has no title"),
        ("@article{gauss, author={???}, title={T}}", "???"),
        ("@article{gauss, author={Unknown}, title={T}}", "Unknown"),
        ("@article{gauss, author={A}, title={T}, year={20XX}}", "20XX"),
        ("@article{gauss, author={A}, title={T}, eprint={arXiv:2301.XXXXX}}", "2301.XXXXX"),
        ("@article{gauss, author={A}, title={T}, note={TODO: check volume}}", "TODO"),
        ("@misc{gauss, title={T}, note={As an AI language model, I cannot}}", "language model"),
    ],
)
def test_an_entry_that_cannot_be_is_named(reviewed, entry, words):
    files = {"main.tex": article_text(CITED), "refs.bib": entry + "\n"}
    found = every_finding(reviewed(files).papers[0])
    (item,) = [one for one in found if one.rule == "broken-entry"]
    assert words in item.message
    assert item.location.path == "refs.bib"


@pytest.mark.parametrize(
    ("entry", "severity"),
    [
        ("@article{gauss, title = {T}}", "warning"),
        ("@book{gauss, title = {T}}", "warning"),
        ("@inproceedings{gauss, title = {T}, booktitle = {B}}", "warning"),
        ("@phdthesis{gauss, title = {T}}", "warning"),
        ("@incollection{gauss, title = {T}, booktitle = {B}}", "note"),
        ("@article{gauss, title = {T}, key = {K}}", None),
        ("@book{gauss, title = {T}, organization = {O}}", None),
        ("@misc{gauss, title = {T}}", None),
        ("@online{gauss, title = {T}}", None),
    ],
)
def test_an_entry_without_a_name_is_a_warning_where_bibtex_has_one(found, entry, severity):
    made = [item[:2] for item in found(CITED, {"refs.bib": entry + "\n"})]
    assert made == ([("broken-entry", severity)] if severity else [])


def test_what_is_left_in_a_list_of_references_is_named(found):
    items = "\\begin{thebibliography}{9}\\bibitem{a}\n\\bibitem{b} B.\\end{thebibliography}"
    made = found("\\cite{a,b}" + items)
    assert [item[:3] for item in made] == [("broken-entry", "warning", "\\bibitem{a}")]
    listed = "\\bibitem{gauss} C. Gauss, https://a.example/?utm_source=chatgpt.com."
    ((rule, _, words, _),) = found("\\cite{gauss}", {"main.bbl": listed})
    assert (rule, "utm_source=chatgpt" in words) == ("broken-entry", True)


@pytest.mark.parametrize(
    "entry",
    [
        BIB,
        '@book{gauss, editor = {E}, title = "T"}',
        "@misc{gauss, howpublished = {Talk}}",
        "@inproceedings{gauss, crossref = {other}}",
        "@article{gauss,\n  Author\t= {A},\n  Title = {A {B} = C},\n}",
        BIB + "@article{uncited, title = {}}",
        "%@article{gauss,\n% author = {G}}\n" + BIB,
        "@misc{gauss, author = {E}, title = {{Note to Self: A Bound}}}",
        "@article{gauss, author = {A}, title = {T}, abstract = {As an AI language model, I {...}}}",
        "@book{gauss, author={A}, title={T}, Citeulike-Linkout-0 = {http://a.example/?b=1&amp;c=2}}",
        "@book{gauss, author={A}, title={T}, posted-at = {2000 &amp; TODO}}",
        "@article{gauss, author = {A}, title = {T}, keywords = {TODO}}",
    ],
)
def test_an_entry_that_can_be_is_silent(found, entry):
    assert found(CITED, {"refs.bib": entry + "\n"}) == []


@pytest.mark.parametrize(
    ("body", "files"),
    [
        ("\\includegraphics{fig/a}", {"fig/a.pdf": ""}),
        ("\\includegraphics{a.png}", {"a.jpg": ""}),
        ("\\includegraphics{example-image-a}", {}),
        ("\\includegraphics{\\folder/a}", {}),
        ("% \\includegraphics{gone}", {}),
    ],
)
def test_a_figure_that_may_be_there_is_silent(found, body, files):
    assert found(body, files) == []


@pytest.mark.parametrize(
    ("name", "files", "words"),
    [
        ("graphs/lat.pdf", ["Graphs/lat.pdf"], "; Graphs/lat.pdf differs only in case"),
        ("graphs/Lat", ["graphs/lat.png"], "; graphs/lat.png differs only in case"),
        ("lat", ["other/lat.png"], ""),
        ("lat", ["other/lat.png", "old/Lat.png"], "; old/Lat.png differs only in case"),
        ("graphs/lat", ["other/Lat.png", "graphs/Lat.txt"], ""),
    ],
)
def test_a_figure_whose_name_differs_in_its_letters_is_named(reviewed, name, files, words):
    """Such a figure is found on a Mac or on Windows, and not at arXiv."""
    text = article_text(f"\\includegraphics{{{name}}}")
    made = reviewed({"main.tex": text} | dict.fromkeys(files, "x"))
    messages = [one.message for one in every_finding(made.papers[0]) if "figure" in one.message]
    assert messages == [f"figure not found: {name}{words}"]


@pytest.mark.parametrize(
    ("preamble", "severity"),
    [
        ("\\usepackage{psfig}", "warning"),
        ("\\usepackage{minted}", "warning"),
        ("\\usepackage[frozencache]{minted}", None),
        ("\\usepackage[draft]{minted}", None),
        ("\\usepackage[draft=false]{minted}", "warning"),
        ("\\usepackage{xr}\\externaldocument{si}", "warning"),
        ("\\usepackage{zref-xr}\\zexternaldocument*{si}", "warning"),
        ("\\usepackage{amsmath,minted}", "warning"),
        ("\\RequirePackage{minted}", "warning"),
        ("\\usepackage{pythontex}", "warning"),
        ("\\usepackage{sagetex,amsmath}", "warning"),
        ("\\usepackage{notsagetex}", None),
        ("\\tikzexternalize[prefix=fig/]", "warning"),
        ("\\tikzexternalize[mode=graphics if exists]", None),
        ("\\directlua{tex.print(1)}", "warning"),
        ("\\usepackage[final]{showkeys}", None),
        ("\\usepackage[draft=false]{hyperref}", None),
        ("\\date{\\today}\\date{1 May 2001}", None),
        ("\\date{1 May 2001}\\date{\\today}", "note"),
        ("\\newcommand{\\stamp}{\\today}", None),
        ("\\renewcommand{\\today}{May}\\date{\\today}", None),
        ("\\usepackage{makeidx}\\makeindex", None),  # nothing prints it
        ("\\usepackage{makeidx}\\makeindex\\AtEndDocument{\\printindex}", "note"),
        ("\\makeglossaries", None),
        ("\\makeglossaries\\AtEndDocument{\\printglossary}", "note"),
        ("\\externaldocument[si-]{si}", None),  # no key begins so
        ("\\externaldocument[si-]{si}\\AtEndDocument{\\pageref{si-a}}", "warning"),
    ],
)
def test_what_compiles_at_home_alone_is_named(found, preamble, severity):
    listed = found("Text.", preamble=preamble)
    made = [item[1] for item in listed if item[0] == "refused-by-arxiv" or item[1] == "note"]
    assert made == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("preamble", "made"),
    [
        ("\\usepackage{pythontex}", "pythontex-files-main/py_default_default_0.stdout"),
        ("\\usepackage{sagetex}", "main.sagetex.sout"),
        ("\\tikzexternalize", "main-figure0.pdf"),
        ("\\usepackage[off]{auto-pst-pdf}", ""),
        ("\\tikzset{external/mode=graphics if exists}\\tikzexternalize", ""),
    ],
)
def test_a_program_whose_work_is_here_need_not_run(found, preamble, made):
    assert found("Text.", {made: "x"} if made else {}, preamble=preamble) == []


@pytest.mark.parametrize(
    ("preamble", "made"),
    [
        ("\\makeindex\\AtEndDocument{\\printindex}", "main.ind"),
        ("\\makeglossaries\\AtEndDocument{\\printglossaries}", "main.gls"),
    ],
)
def test_an_index_that_is_here_need_not_be_made(found, preamble, made):
    assert [item[0] for item in found("Text.", preamble=preamble)] == ["refused-by-arxiv"]
    assert found("Text.", {made: "x"}, preamble=preamble) == []


@pytest.mark.parametrize(
    ("head", "tail", "words"),
    [
        (
            "% !TeX program = lualatex\n",
            "",
            "this comment makes editors run LuaLaTeX, which",
        ),
        (
            "% !TEX TS-program = uplatex\n",
            "",
            "this comment makes editors run upLaTeX, which",
        ),
        (
            "",
            "%%% TeX-engine: luatex\n",
            "this comment makes editors run LuaLaTeX, which",
        ),
        ("% !TeX program = xelatex\n", "", ""),
        ("% !TeX program = pdflatex\n", "", ""),
    ],
)
def test_an_engine_that_a_comment_names_and_arxiv_does_not_run_is_told(reviewed, head, tail, words):
    made = reviewed({"main.tex": head + article_text("Text.") + tail})
    found = [one for one in every_finding(made.papers[0]) if one.rule == "refused-by-arxiv"]
    assert [one.message.startswith(words) for one in found] == ([True] if words else [])
    assert [one.quote for one in found] == ([(head or tail).strip()] if words else [])


@pytest.mark.parametrize(
    ("name", "severity", "words"),
    [("si", "note", "includes these labels"), ("gone", "warning", "are not found there")],
)
def test_labels_of_a_document_that_is_here_go_along_in_a_bundle(reviewed, name, severity, words):
    head = f"\\usepackage{{xr}}\\externaldocument{{{name}}}"
    lemma = "\\begin{lemma}\\label{%s} It.\\end{lemma}\\begin{proof}Clear.\\end{proof}"
    main = article_text(lemma % "a" + f"\\ref{{{'b' if name == 'si' else 'a'}}}", preamble=head)
    files = {"main.tex": main, "si.tex": article_text(lemma % "b")}
    made = reviewed(files)
    paper = next(one for one in made.papers if one.state.paper.root == "main.tex")
    (item,) = [one for one in every_finding(paper) if one.rule == "refused-by-arxiv"]
    assert item.severity.value == severity
    assert item.message.endswith(words)


def test_what_one_program_made_spares_no_other(found):
    made = {"pythontex-files-main/py_default_default_0.stdout": "x"}
    listed = found("Text.", made, preamble="\\usepackage{pythontex,minted}\\usepackage{sagetex}")
    assert [item[0] for item in listed] == ["refused-by-arxiv"] * 2


def test_a_paper_on_language_models_quotes_them_without_marks(found):
    about = "We ask language models, LLMs and ChatGPT. "
    assert found(about + "It says: As an AI language model, I cannot.") == []
    assert [item[0] for item in found(about + "See turn0search1.")] == ["model-debris"]
    said = "As an AI language model, I cannot say what ChatGPT or other LLMs would.\n\n"
    assert [item[0] for item in found(said * 3)] == ["model-debris"] * 3
    lemma = "\\begin{lemma}\\label{a} As an AI language model, I cannot.\\end{lemma}"
    assert "model-debris" in [item[0] for item in found(about + lemma)]


def test_what_is_under_an_unknown_condition_is_a_note(found):
    assert [item[1] for item in found("\\ifdraft By Lemma ??.\\fi")] == ["note"]


def test_a_review_without_an_upload_has_only_what_is_certain(article):
    paper = article("By Lemma ??. TODO: why?\n% pf: ignore[placeholder] later\n")
    rules = {item.rule for item in paper.findings}
    assert rules & preflight.RULES == {"lost-reference"}
    assert "unused-ignore" not in rules


def test_all_are_known_checks_and_none_is_an_error():
    for check in (*preflight.CHECKS, *preflight.BEFORE_AN_UPLOAD):
        assert check.severity is not Severity.ERROR


FIGURE = "\\includegraphics{fig/a}\n"
ENTRY = BIB.replace("gauss", "noether")


@pytest.fixture
def broken(reviewed):
    """What a change breaks in an article beside its text: rule and message."""

    def run(body, files, before, earlier=None):
        now, then = article_text(body), article_text(body if earlier is None else earlier)
        made = reviewed({"main.tex": now, **files}, {"main.tex": then, **before})
        return [
            (item.rule, item.message, item.introduced)
            for paper in made.papers
            for item in paper.findings
            if item.rule in preflight.RULES
        ]

    return run


def test_a_cited_entry_that_a_change_deletes_is_a_warning_of_the_change(broken):
    body = CITED + "And \\cite{noether}."
    assert broken(body, {"refs.bib": BIB}, {"refs.bib": BIB + ENTRY}) == [
        ("undefined-citation", "noether is cited, but no bibliography lists it any more", True)
    ]
    ((_, words, _),) = broken(
        CITED, {"refs.bib": BIB.replace("gauss", "gauss1")}, {"refs.bib": BIB}
    )
    assert words.endswith("; did you mean gauss1?")


def test_an_item_that_a_change_deletes_is_one_as_well(broken):
    items = "\\cite{a,b}\\begin{thebibliography}{9}\\bibitem{a} A.%s\\end{thebibliography}\n"
    made = broken(items % "", {}, {}, items % "\\bibitem{b} B.")
    assert [words.split()[0] for _, words, _ in made] == ["b"]


@pytest.mark.parametrize(
    ("body", "files", "before", "earlier"),
    [
        (CITED + "\\cite{lost}", {"refs.bib": BIB}, {"refs.bib": BIB + ENTRY}, None),
        (CITED, {"refs.bib": BIB}, {"refs.bib": BIB + ENTRY}, None),
        (CITED + "\\cite{noether}", {"refs.bib": BIB}, {"refs.bib": BIB}, CITED),
        (
            CITED + "\\cite{noether}",
            {"refs.bib": BIB, "main.bbl": "\\bibitem{noether} N."},
            {"refs.bib": BIB + ENTRY},
            None,
        ),
        (FIGURE, {}, {"fig/b.png": ""}, None),
    ],
)
def test_what_a_change_did_not_break_is_none_of_its_findings(broken, body, files, before, earlier):
    assert broken(body, files, before, earlier) == []


def test_a_figure_or_bibliography_that_a_change_deletes_and_the_paper_uses_is_named(broken):
    other = {"other.txt": ""}
    assert broken(FIGURE, other, {"fig/a.png": ""}) == [
        ("missing-figure", "figure not found: fig/a", True)
    ]
    assert [rule for rule, *_ in broken(CITED, other, {"refs.bib": BIB})] == [
        "missing-bibliography"
    ]


ITEM = "\\begin{thebibliography}{9}\\bibitem{a} A.%s\\end{thebibliography}\n"


@pytest.mark.parametrize(
    ("body", "files", "keys"),
    [
        ("\\cite{gone}" + CITED, {"main.bbl": "\\bibitem{gauss} G."}, ["gone"]),
        ("\\cite{a,b}" + ITEM % "\n% \\bibitem{b} B.\n", {}, ["b"]),
        ("\\cites{a}{b}" + ITEM % "", {}, ["b"]),
        ("\\textcites[1]{a}[see][2]{b}" + ITEM % "", {}, ["b"]),
        ("\\cites(see)(){a}[1]{b}{c}" + ITEM % "", {}, ["b", "c"]),
        ("\\cite{a}{b}" + ITEM % "", {}, []),
        ("\\cite{RS13, Def. 1.3}" + ITEM % "", {}, ["RS13, Def. 1.3"]),
        ("\\cite{a, Def. 1.3}" + ITEM % "", {}, ["Def. 1.3"]),
        ("\\addbibresource{refs.bib}\\cite{g2}", {}, None),
        ("\\addbibresource{refs.bib}\\cite{g2}", {"refs.bib": BIB}, ["g2"]),
    ],
)
def test_the_keys_that_a_bibliography_lacks(reviewed, body, files, keys):
    made = reviewed({"main.tex": article_text(body), **files}).papers[0]
    found = [item for item in every_finding(made) if item.rule in preflight.RULES]
    if keys is None:
        assert [item.rule for item in found] == ["missing-bibliography"]
        return
    assert [item.message.partition(" is cited")[0] for item in found] == keys


def test_a_draft_of_fixme_marks_nothing_where_no_note_is(found):
    preamble = "\\usepackage[draft]{fixme}\\fxsetup{theme=color}"
    assert found("Words.", {}, preamble) == []
    made = found("Words.\\fxwarning{Why?}", {}, preamble)
    assert "draft-mark" in {rule for rule, *_ in made}
    made = found("Words.\\adawarning{Why?}", {}, preamble + "\\FXRegisterAuthor{ada}{aada}{Ada}")
    assert "draft-mark" in {rule for rule, *_ in made}


def test_instructions_to_authors_may_speak_of_their_papers(found):
    one = "Put the figures behind the text of your paper. "
    assert [rule for rule, *_ in found(one)] == ["model-debris"]
    others = "In your manuscript use no footnotes. The length of your paper is bounded. "
    assert found(one + others) == []
    looks = "All margins are fixed; headings are in boldface. "
    assert found(one + looks) == []
    reply = "In your paper, here is the revised version of the abstract. I hope this helps!"
    assert {rule for rule, *_ in found(one + others + reply)} == {"model-debris"}


def test_a_missing_bibliography_is_told_where_it_is_named(reviewed):
    body = "% the bibliography of \\cite\nThe bibliography. \\cite{a}\n\\bibliography{bibliography}"
    (made,) = reviewed({"main.tex": article_text(body)}).papers
    (one,) = (item for item in every_finding(made) if item.rule == "missing-bibliography")
    assert one.quote.startswith("\\bibliography{bibliography}")


@pytest.mark.parametrize(
    ("body", "files", "names"),
    [
        ("\\cite{gauss}\\bibliography{\\jobname}", {}, ["main"]),
        ("\\cite{gauss}\\bibliography{\\jobname}", {"main.bib": BIB}, []),
        ("\\newcommand{\\own}{refs}\\cite{gauss}\\bibliography{\\own}", {}, ["refs"]),
        ("\\def\\own{lists/}\\cite{gauss}\\bibliography{\\own refs}", {}, ["lists/refs"]),
        ("\\cite{gauss}\\input{main.bbl}", {}, ["main.bbl"]),
        ("\\cite{gauss}\\input{\\jobname.bbl}", {}, ["main.bbl"]),
        ("\\cite{gauss}\\input other.bbl", {}, ["other.bbl"]),
        ("\\cite{gauss}\\input{main.bbl}", {"main.bbl": "\\bibitem{gauss} G."}, []),
        ("\\cite{gauss}\\input{lists.bbl}", {"lists.bbl": "\\bibitem{gauss} G."}, []),
        ("\\cite{gauss}\\input{main.bbl}" + CITED, {"refs.bib": BIB}, []),
        ("\\input{main.bbl}", {}, []),
    ],
)
def test_a_bibliography_that_a_build_may_make_is_missing_by_whatever_name_it_is_called(
    reviewed, body, files, names
):
    makes = {"Makefile": "refs.bib main.bib main.bbl: fetch.py\n\tpython fetch.py\n"}
    (made,) = reviewed({"main.tex": article_text(body), **makes, **files}).papers
    found = [item for item in every_finding(made) if item.rule in preflight.RULES]
    assert [(item.rule, item.message.partition(" (and no ")[0]) for item in found] == [
        ("missing-bibliography", f"bibliography not found: {name}") for name in names
    ]
    assert all("bibliography" in item.quote or ".bbl" in item.quote for item in found)


def test_a_missing_bibliography_is_not_told_at_a_word_that_has_its_name(reviewed):
    body = "Many particles of articles. \\cite{gauss}\n\n\\bibliography{books,articles}"
    (made,) = reviewed({"main.tex": article_text(body)}).papers
    found = {item.message.split()[3]: item for item in every_finding(made)
             if item.rule == "missing-bibliography"}  # fmt: skip
    assert {item.quote for item in found.values()} == {"\\bibliography{books,articles}"}
    assert set(found) == {"books", "articles"}


def test_an_invisible_character_is_told_by_its_number(reviewed):
    (made,) = reviewed({"main.tex": article_text("A word\u200b here.")}).papers
    (item,) = [one for one in every_finding(made) if one.rule == "broken-character"]
    assert item.message == "U+200B: an invisible character; delete it"


HARVARD = (
    "\\harvarditem[Gau{\\ss} et~al.]{Gau{\\ss}, Weber \\harvardand\\ Riemann}{1801}{gauss}\nC.\n"
    "\\harvarditem{Weber}{1802}{weber}\nW.\n"
)


def test_the_keys_of_harvard_stand_behind_authors_and_year(found):
    files = {"refs.bib": BIB, "main.bbl": HARVARD}
    assert found(CITED + "\\cite{weber}", files) == []
    made = found(CITED + "\\cite{1802}", files)
    assert [(item[0], item[2]) for item in made] == [("undefined-citation", "1802")]


@pytest.mark.parametrize(
    ("files", "rules"),
    [
        ({"other/refs.bib": "@book{euler, author={E}, title={T}}"}, ["missing-bibliography"]),
        ({"other/refs.bib": BIB}, []),
        ({"refs.bib": "@book{euler, author={E}, title={T}}"}, ["undefined-citation"]),
        ({"paper/refs.bib": "@book{euler, author={E}, title={T}}"}, ["undefined-citation"]),
        ({"paper/bib/refs.bib": "@book{euler, author={E}, title={T}}"}, ["undefined-citation"]),
        ({"other/refs.bib": BIB, "more/names.bib": "@string{x = {y}}"}, []),
    ],
)
def test_a_bibliography_of_another_folder_that_has_but_the_name_is_none(reviewed, files, rules):
    names = "refs,names" if "more/names.bib" in files else "refs"
    text = article_text(f"By \\cite{{gauss}}.\\bibliographystyle{{plain}}\\bibliography{{{names}}}")
    (made,) = reviewed({"paper/main.tex": text, **files}).papers
    found = [item for item in every_finding(made) if item.rule in preflight.RULES]
    assert [item.rule for item in found] == rules
    if rules == ["missing-bibliography"]:
        assert found[0].message.endswith("; other/refs.bib has few of the cited keys")


def test_a_bibliography_that_a_class_speaks_of_is_not_missing_where_the_text_names_its_own(
    reviewed,
):
    manual = "\\long\\def\\comment#1{}\n\\comment{Say \\bibliography{mybib} at the end.}\n"
    text = article_text(CITED).replace("{article}", "{ours}", 1)
    files = {"main.tex": text, "ours.cls": "\\LoadClass{article}\n" + manual, "refs.bib": BIB}
    (made,) = reviewed(files).papers
    assert [item.rule for item in every_finding(made) if item.rule in preflight.RULES] == []


def test_a_bibliography_that_is_written_by_the_source_itself_is_not_missing(found):
    body = "\\begin{filecontents}{refs.bib}\n" + BIB + "\\end{filecontents}\n"
    assert found(body + "\\addbibresource{refs.bib}\\cite{gauss}") == []


def test_citations_without_any_bibliography_are_one_finding(found):
    ((rule, _, words, _),) = found("By \\cite{one} and \\cite{two}.")
    assert rule == "missing-bibliography"
    assert words == "one"


@pytest.mark.parametrize(
    ("preamble", "files"),
    [
        ("\\usepackage{lists}", {"lists.sty": "\\addbibresource{refs.bib}", "refs.bib": BIB}),
        (
            "\\usepackage{lists}\\lists",
            {"lists.sty": "\\newcommand{\\lists}{\\addbibresource{refs.bib}}", "refs.bib": BIB},
        ),
    ],
)
def test_a_bibliography_that_a_style_of_the_paper_names_is_one(found, preamble, files):
    assert found("\\cite{gauss}", files, preamble) == []
    ((rule, _, words, _),) = found("\\cite{gone}", files, preamble)
    assert (rule, words) == ("undefined-citation", "gone")


def test_nothing_is_said_of_a_bibliography_that_a_package_may_name(found):
    files = {"lists.sty": "\\newcommand{\\lists}[1]{\\addbibresource{#1}}"}
    assert found("\\cite{gauss}", files, "\\usepackage{lists}") == []


@pytest.mark.parametrize(
    ("name", "there", "preamble", "is_found"),
    [
        ("figs/decay", "figures/decay.png", "", False),
        ("lattice", "Lattice.pdf", "", False),
        ("decay", "figures/decay.png", "", False),
        ("decay", "figures/decay.png", "\\graphicspath{{figures/}}", True),
        (
            "decay",
            "figures/decay.png",
            "\\newcommand{\\path}{figures}\\graphicspath{{\\path/}}",
            True,
        ),
        ("figures/decay", "figures/decay.png", "", True),
        ("./figures/decay.png", "figures/decay.png", "", True),
        ("figures/decay.png", "figures/decay.PNG", "", False),
        ("decay", "decay.PNG", "", True),
    ],
)
def test_a_figure_counts_where_latex_looks_for_it(found, name, there, preamble, is_found):
    made = found(f"\\includegraphics{{{name}}}", {there: "x"}, preamble)
    assert [item[0] for item in made] == ([] if is_found else ["missing-figure"])


ASKING = "\\IfFileExists{%s}{\\includegraphics{%s}}{\\fbox{\\includegraphics{%s}}}"


@pytest.mark.parametrize(
    ("body", "there", "missing"),
    [
        (ASKING % ("fig/a.pdf", "fig/a", "b"), ("b.png",), []),
        (ASKING % ("fig/a.pdf", "fig/a", "b"), ("fig/a.pdf",), []),
        (ASKING % ("fig/a.pdf", "fig/a", "b"), (), ["b"]),
        (ASKING % ("fig/a.pdf", "c", "b"), ("fig/a.pdf",), ["c"]),
        (ASKING % ("\\where/a.pdf", "c", "b"), (), []),
        (ASKING % ("a.pdf", "c", "b"), ("fig/a.pdf",), []),
        ("\\InputIfFileExists{a}{\\includegraphics{c}}{}", (), []),
        ("\\IfFileExists{a.pdf}{}{}\\includegraphics{c}", (), ["c"]),
        ("\\IfFileExists{a.pdf}\\yes\\no \\includegraphics{c}", (), ["c"]),
    ],
)
def test_a_figure_counts_where_what_asks_for_a_file_comes_to_it(found, body, there, missing):
    made = found(body, dict.fromkeys(there, "x"))
    rules = {item[0] for item in made}
    assert rules <= {"missing-figure"}
    assert [item[2] for item in made] == [f"\\includegraphics{{{name}}}" for name in missing]


@pytest.mark.parametrize(
    ("preamble", "files", "rules"),
    [
        ("\\input{macros.tex}", {}, ["missing-source"]),
        ("\\input macros.tex", {}, ["missing-source"]),
        ("\\input{parts/macros}", {}, ["missing-source"]),
        ("\\usepackage{notation/modes}", {}, ["missing-source"]),
        ("\\usepackage{./modes}", {}, ["missing-source"]),
        ("\\usepackage{../modes}", {}, ["missing-source"]),
        ("\\usepackage{notation/modes}", {"notation/modes.sty": ""}, []),
        ("\\usepackage{unknownpackage}", {}, ["missing-source"]),
        ("\\usepackage{amsmath,unknownpackage}", {}, ["missing-source"]),
        ("\\RequirePackage[final]{neurips_2023}", {}, ["missing-source"]),
        ("\\usepackage{unknownpackage.sty}", {}, ["missing-source"]),
        ("\\usepackage{house}", {"house.sty": "\\RequirePackage{inner}"}, ["missing-source"]),
        ("\\usepackage{house}", {"house.sty": "\\LoadClass{innerclass}"}, ["missing-source"]),
        ("\\usepackage{house}", {"house.sty": ""}, []),
        ("\\usepackage{house}", {"tex/house.sty": ""}, []),
        ("\\usepackage{House}", {"house.sty": ""}, []),
        ("\\usepackage{house}", {"house.dtx": ""}, []),
        ("\\usepackage{house}", {"styles.ins": ""}, []),
        ("\\usepackage{house}", {".gitmodules": '[submodule "styles"]'}, []),
        ("\\usepackage{ stmaryrd , mathtools }\\usepackage{CJK}\\usepackage{tikz-cd}", {}, []),
        (
            "\\usepackage{lmodern,tipa,preview,tgpagella,type1ec,sagetex2x}",
            {"sagetex2x.sty": ""},
            [],
        ),
        ("%\\usepackage{unknownpackage}", {}, []),
        ("\\iffalse\\usepackage{unknownpackage}\\fi", {}, []),
        ("\\IfFileExists{house.sty}{\\usepackage{house}}{}", {}, []),
        ("\\newif\\ifx\\ifx\\usepackage{unknownpackage}\\fi", {}, []),
        ("\\newcommand{\\use}[1]{\\usepackage{#1}}", {}, []),
        ("\\usepackage{\\ours}", {}, []),
        ("\\input{xypic}", {}, []),
        ("\\input{tikz}", {}, []),
        ("\\IfFileExists{macros.tex}{\\input{macros.tex}}{}", {}, []),
        ("\\InputIfFileExists{macros.tex}{}{}", {}, []),
        ("\\iftoggle{x}{\\input{macros.tex}}{}", {}, []),
        ("\\newif\\ifx\\ifx\\input{macros.tex}\\fi", {}, []),
    ],
)
def test_what_the_preamble_reads_and_is_nowhere(found, preamble, files, rules):
    assert [item[0] for item in found("Text.", files, preamble)] == rules


def test_a_class_that_nobody_has_is_named(reviewed):
    text = article_text("Text.").replace("{article}", "{ourjournal}", 1)
    for files, words in [
        ({}, ["ourjournal.cls is neither in the repository nor in TeX Live"]),
        ({"ourjournal.cls": "\\LoadClass{article}"}, []),
    ]:
        (made,) = reviewed({"main.tex": text, **files}).papers
        found = [item.message for item in every_finding(made) if item.rule == "missing-source"]
        assert found == words


def test_a_package_that_the_source_itself_writes_is_there(reviewed):
    written = "\\begin{filecontents*}{house.sty}\n\\ProvidesPackage{house}\n\\end{filecontents*}\n"
    text = written + article_text("Text.", preamble="\\usepackage{house}")
    (made,) = reviewed({"main.tex": text}).papers
    assert [item.rule for item in every_finding(made)] == []


CHOICE = "\\newcommand*{\\arXiv}[2]{#1}\n"


@pytest.mark.parametrize(
    ("preamble", "rules"),
    [
        (CHOICE, []),
        ("\\newcommand*{\\arXiv}[2]{#2}\n", ["missing-figure", "placeholder", "model-debris"]),
        (
            "\\newcommand*{\\arXiv}[2]{#1 or #2}\n",
            ["missing-figure", "placeholder", "model-debris"],
        ),
    ],
)
def test_what_a_macro_of_the_paper_drops_is_never_typeset(found, preamble, rules):
    """The choice between two journals stands in one line of the preamble."""
    dropped = "\\includegraphics{gone}\nTODO: prove it\nturn0search3"
    made = found(f"\\arXiv{{Text.}}{{{dropped}}}", preamble=preamble)
    assert sorted(item[0] for item in made) == sorted(rules)


@pytest.mark.parametrize("value", ["true", "false"])
def test_what_a_branch_of_one_value_leaves_out_is_never_typeset(found, value):
    preamble = f"\\newtoggle{{draft}}\\toggle{value}{{draft}}\n"
    made = found("\\iftoggle{draft}{TODO: prove it}{Text.}", preamble=preamble)
    assert [item[0] for item in made] == ["placeholder"] * (value == "true")


@pytest.mark.parametrize(("body", "count"), [("Text.", 0), ("\\begin{all}A\\end{all}", 1)])
def test_the_title_of_what_is_never_begun_is_not_printed(found, body, count):
    """Such an environment only gives the others its counter."""
    made = found(body, preamble="\\newtheorem{all}{???}\n\\newtheorem{lem}[all]{Lemma}\n")
    assert [item[0] for item in made] == ["placeholder"] * count


@pytest.mark.parametrize(
    ("rule", "body", "severity"),
    [
        ("broken-character", "It doesn\u00e2\u20ac\u2122t follow.", "warning"),
        ("broken-character", "The theorem of G\u00c3\u00b6del.", "warning"),
        ("broken-character", "The map is in\ufffdjective.", "warning"),
        ("broken-character", "The map is in\u200bjective.", "warning"),
        ("broken-character", "The m\u0430p is injective.", "warning"),
        ("broken-character", "A set \ue000 of points.", "warning"),
        ("doubled-word", "We prove the the lemma.", "note"),
    ],
)
def test_broken_characters_and_doubled_words_are_found(found, rule, body, severity):
    ((name, grade, _, line),) = found(f"Text.\n\n{body}\n")
    assert (name, grade, line) == (rule, severity, 10)


@pytest.mark.parametrize(
    "body",
    [
        "Poincar\u00e9, G\u00f6del, \u010cech and \u0141o\u015b.",
        "\u041f\u0443\u0441\u0442\u044c $G$ be a group.",
        "Let \u03b1 be an angle.",
        "The word ``the the'' is a slip.",
        "We say that that which had had a limit is $a a$.",
        "% the m\u0430p\nThe map.",
        "It says \\verb'sat' and \\verb'unsat' and then ends.",
    ],
)
def test_letters_of_other_alphabets_and_words_that_may_be_doubled_are_silent(found, body):
    assert found(f"Text.\n\n{body}\n") == []


@pytest.mark.parametrize(
    ("preamble", "body", "count"),
    [
        ("\\usepackage{changes}", "\\added{One.} \\replaced{a}{b}", 2),
        ("\\usepackage[final]{changes}", "\\added{One.}", 0),
        ("\\usepackage[draft]{fixme}", "\\fxnote{sign}", 1),
        ("\\usepackage[status = draft, inline]{fixme}", "\\fxnote{sign}", 1),
        ("\\usepackage{fixme}\\fxsetup{inline, status=draft}", "\\fxnote{sign}", 1),
        ("\\PassOptionsToClass{draft}{article}\\usepackage{fixme}", "\\fxnote{sign}", 0),
        ("\\usepackage[obeyDraft]{todonotes}", "\\todo{sign}", 0),
        ("\\usepackage[obeyFinal]{todonotes}", "\\todo{sign}", 1),
        (
            "\\usepackage{xcolor}\\newcommand{\\note}[2]{{\\color{#1}[#2]}}"
            "\\newcommand{\\ak}[1]{\\note{red}{AK: #1}}",
            "\\ak{Is this so?}",
            1,
        ),
        (
            "\\newcommand{\\shown}{yes}\\newcommand{\\note}[2]{\n"
            "\\ifthenelse{\\equal{\\shown}{yes}}{{\\color{#1}[#2]}}{}}"
            "\\newcommand{\\ak}[1]{\\note{red}{AK: #1}}",
            "\\ak{Is this so?}",
            1,
        ),
        (
            "\\newcommand{\\shown}{no}\\newcommand{\\note}[2]{\n"
            "\\ifthenelse{\\equal{\\shown}{yes}}{{\\color{#1}[#2]}}{}}"
            "\\newcommand{\\ak}[1]{\\note{red}{AK: #1}}",
            "\\ak{Is this so?}",
            0,
        ),
        ("\\newcommand{\\hue}[2]{{\\color{#1}#2}}", "\\hue{red}{A word.}", 0),
        ("\\usepackage{fixme}", "\\fxnote{sign}", 0),
        ("\\usepackage{fixme}", "\\fxfatal{sign} \\fixme{two}", 2),
        ("\\newcommand{\\jd}[1]{\\textcolor{red}{[JD: #1]}}", "\\jd{is it so}", 1),
        ("\\newcommand{\\jd}[1]{}", "\\jd{TODO: is it so}", 0),
        ("\\usepackage[disable]{todonotes}", "\\todo{TODO: why???}", 0),
        (
            "\\usepackage[disable]{todonotes}\\newcommand{\\hint}[1]{\\todo[color=red]{#1}}",
            "\\hint{TODO: why???}",
            0,
        ),
        ("\\usepackage{todonotes}\\newcommand{\\hint}[1]{\\todo{#1}}", "\\hint{why}", 1),
        (
            "\\usepackage{todonotes}\\newcommand{\\hint}[2][red]{\\todo[color=#1]{#2}}",
            "\\hint{why}",
            1,
        ),
        (
            "\\usepackage{todonotes}\\newcommand{\\lecture}[3]{\\todo[noline]{\\small #2}}",
            "\\lecture{1}{May 2}{Cones}",
            0,
        ),
        (
            "\\usepackage{todonotes}"
            "\\NewDocumentCommand{\\lecture}{m m m}{\\todo[noline]{\\small #2}}",
            "\\lecture{1}{May 2}{Cones}",
            0,
        ),
        ("\\newcommand{\\eps}[1]{\\varepsilon_{#1}}", "$\\eps{1}$", 0),
    ],
)
def test_notes_of_packages_and_of_macros_count_where_they_are_printed(found, preamble, body, count):
    rules = [item[0] for item in found(body, preamble=preamble) if item[0] == "placeholder"]
    assert len(rules) == count


@pytest.mark.parametrize(
    ("options", "package", "is_printed"),
    [
        ("11pt,draft", "\\usepackage{fixme}", True),
        ("11pt", "\\usepackage{fixme}", False),
        ("final", "\\usepackage{changes}", False),
        ("draft", "\\usepackage[final]{fixme}", False),
        ("final", "\\usepackage[obeyFinal]{todonotes}", False),
        ("draft", "\\usepackage[obeyDraft]{todonotes}", True),
        ("final", "\\usepackage{todonotes}", True),
        ("draft=false", "\\usepackage{fixme}", False),
        ("11pt", "\\usepackage{fixme}\\fxsetup{status=draft,layout={footnote,inline}}", True),
        ("11pt", "\\usepackage[final]{fixme}\\fxsetup{status=draft}", True),
    ],
)
def test_packages_of_notes_obey_the_options_of_the_class(options, package, is_printed):
    names = note_commands([f"\\documentclass[{options}]{{article}}\n{package}"])
    assert bool(names.printed) is is_printed
    assert bool(names.dropped) is not is_printed


@pytest.mark.parametrize(
    ("own", "name", "is_told"),
    [
        (r"\renewcommand{\fixme}[1]{}", "fixme", False),
        (r"\renewcommand{\fixme}[1]{\textbf{FIXME: #1}}", "fixme", True),
        (r"\newcommand{\fixmejohn}[1]{\textcolor{red}{John: #1}}", "fixmejohn", True),
    ],
)
def test_a_command_of_the_authors_own_does_not_stop_latex(reviewed, own, name, is_told):
    preamble = "\\usepackage[final]{fixme}\\usepackage{xcolor}" + own
    text = article_text(f"\\{name}{{sign}}", preamble=preamble)
    messages = [it.message for it in every_finding(reviewed({"main.tex": text}).papers[0])]
    assert not [one for one in messages if "LaTeX stops here" in one]
    assert ("note to the authors that appears in the PDF" in messages) is is_told


@pytest.mark.parametrize(("use", "is_told"), [("", False), ("\\ask{why}", True)])
def test_a_command_for_notes_with_an_argument_in_braces_is_told_where_it_is_used(
    reviewed, use, is_told
):
    own = "\\usepackage{todonotes}\n\\NewDocumentCommand\\ask{g}{\\todo{Ask\\IfValueT{#1}{: #1}}}"
    text = article_text(f"A word.{use}", preamble=own)
    messages = [it.message for it in every_finding(reviewed({"main.tex": text}).papers[0])]
    assert ("note to the authors that appears in the PDF" in messages) is is_told


@pytest.mark.parametrize(("option", "said"), [("", "LaTeX stops here"), ("[draft]", "in the PDF")])
def test_a_fatal_note_of_fixme_stops_latex_in_the_final_version(reviewed, option, said):
    text = article_text("\\fxfatal{sign}", preamble=f"\\usepackage{option}{{fixme}}")
    messages = [it.message for it in every_finding(reviewed({"main.tex": text}).papers[0])]
    assert [one for one in messages if one.startswith("note to the authors") and said in one]


def test_a_bibliography_that_comes_with_tex_is_not_missing(found):
    cited = CITED.replace("{refs}", "{IEEEabrv,refs}")
    assert found(cited, {"refs.bib": BIB}) == []


def test_words_that_only_take_room_are_no_gap(found):
    assert found("$\\phantom{asdf}$") == []


def test_a_file_with_letters_of_two_alphabets_in_its_name_is_called_so(reviewed, document):
    files = {
        "main.tex": document("\\input{ch\u0430pter}\nThe ch\u0430pter."),
        "ch\u0430pter.tex": "x",
    }
    found = [item for item in reviewed(files).papers[0].findings if item.rule == "broken-character"]
    assert [item.location.start for item in found] == [files["main.tex"].rindex("ch\u0430pter")]
