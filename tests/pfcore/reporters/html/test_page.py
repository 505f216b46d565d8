"""The page: what it says, in which order, and that a paper cannot change what it is."""

import base64
import hashlib
import html
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.reporters.formats.json_report import check_json
from pfcore.reporters.html.mathml import formula_mathml
from pfcore.reporters.html.page import Assets, report_page
from pfcore.reporters.html.page_entries import PaperOnPage
from pfcore.reporters.module_names import PrintedIds
from pfcore.repository import snapshot
from pfcore.review.review import review
from tests.pfcore.reporters.papers import HOSTILE, NEWTON, OBJECTION, QUOTE, lock

ASSETS = Assets(style="p{}", script="'use strict'")


@pytest.fixture
def shown(reviewed):
    """The page of a paper; with `objections` its proofs have been read."""

    def run(text, objections=None, unread=frozenset(), before=None):
        files = {"main.tex": text}
        report = reviewed(files)
        if objections is not None:
            files["pf.lock"] = lock(report.papers[0].state, objections, unread)
        report = reviewed(files, {"main.tex": before} if before else None)
        return report_page(
            report, ASSETS, lambda text, display: formula_mathml(text, display=display)
        )

    return run


@pytest.fixture
def newton(shown):
    return shown(NEWTON, {"lem:unif": (QUOTE, OBJECTION)}, frozenset({"cor:decay"}))


def _part(pattern, text):
    """The one thing that a pattern finds, or its group."""
    found = re.search(pattern, text, re.DOTALL)
    assert found
    return found[found.lastindex or 0]


def _entry(text, name):
    return _part(rf'<article id="r:{name}".*?</article>', text)


def test_results_stand_in_the_order_of_the_paper_with_their_state(newton):
    names = re.findall(r'<article id="r:([^"]*)" class="entry (\w+)"', newton)
    assert names == [
        ("def:simple", "given"),
        ("lem:unif", "gap"),
        ("lem:contraction", "checked"),
        ("thm:main", "conditional"),
        ("cor:decay", "unread"),
        ("thm:open", "fault"),
    ]


def test_results_stand_under_the_headings_of_their_sections(shown):
    made = shown(NEWTON.replace("The iteration", r"The iteration on $\R$"))
    results = made[made.index('id="results"') :]
    found = re.findall(
        r'<article id="r:([^"]*)"|<h2 class="section" id="[^"]*">(.*?)</h2>', results
    )
    heading = '2 The iteration on <math display="inline"><mi>ℝ</mi></math>'
    assert [one or other for one, other in found] == [
        "1 Simple zeros", "def:simple", "lem:unif", "lem:contraction",
        heading, "thm:main", "cor:decay", "thm:open",
    ]  # fmt: skip


def test_the_doubted_passage_is_marked_and_the_finding_stands_beside_it(newton):
    entry = _entry(newton, "lem:unif")
    assert "<mark>Dividing by </mark><mark><math" in entry
    assert "3 of 3 readings" in entry
    assert "pf dismiss" in entry
    assert "main.tex:24" in entry
    assert "Used by" in entry
    assert "Theorem 2.1 (Local convergence)" in entry


def test_macros_are_expanded_and_what_cannot_be_typeset_is_shown(newton):
    assert "dist" not in _entry(newton, "lem:unif")
    open_end = _entry(newton, "thm:open")
    assert '<mtext class="tex">\\unknown</mtext><mtext class="tex">{</mtext><mi>x</mi>' in open_end


def test_an_accent_that_the_paper_redefines_is_its_macro_in_formulas(shown):
    text = LISTED.replace("\\begin{document}", r"\def\^#1{^{[#1]}}\begin{document}")
    made = shown(text.replace(r"1=1", r"L\^{j}") % r"Clear, by \'Etale.")
    assert "<msup><mi>L</mi><mrow>" in made
    assert 'class="tex"' not in _entry(made, "m") and "Étale" in made


def test_the_number_of_a_statement_in_the_labels_of_its_list_is_printed(shown):
    text = LISTED.replace(
        "{enumerate}\\item\\label{l:a}", r"{enumerate}[label=(\thelemma.\alph*)]\item"
    )
    entry = _entry(shown(text % "Clear."), "l")
    assert '<span class="label">(1.1.a)</span>' in entry


def test_an_environment_of_the_paper_that_is_a_matrix_is_one(shown):
    own = (
        r"\newenvironment{roundm}{\left( \begin{smallmatrix}}{\end{smallmatrix} \right)}"
        r"\newenvironment{fullm}[1]{\left(\begin{array}{*{#1}{c}|c}}{\end{array}\right)}"
    )
    text = LISTED.replace("\\begin{document}", own + r"\begin{document}")
    text = text.replace(
        "1=1", r"\begin{roundm}1&0\\0&2\end{roundm}\begin{fullm}{2}3&4&5\end{fullm}"
    )
    entry = _entry(shown(text % "Clear."), "m")
    assert "<mi>&amp;" not in entry
    assert entry.count("<mtd") == 7


def test_words_of_formulas_keep_the_blanks_that_the_source_has(shown):
    words = r"\text{a set of \emph{signs}, and of \textbf{states of} it}"
    entry = _entry(shown(LISTED.replace("1=1", words) % "Clear."), "m")
    assert "a set of signs, and of states of it" in entry


def test_what_is_shown_letter_by_letter_keeps_its_lines(shown):
    code = "\\begin{verbatim}\nif a:\n    b = 1\n\\end{verbatim}"
    assert "<pre>if a:\n    b = 1</pre>" in _entry(shown(LISTED % code), "m")


def test_headings_and_titles_have_no_labels_and_the_numbers_of_what_they_refer_to(shown):
    text = LISTED.replace(r"\section{A}\label{s}", r"\section{Groups\label{s}}")
    text = text.replace(r"\begin{lemma}\label{m}", r"\begin{lemma}[On property \ref{l:b}]\label{m}")
    made = shown(text % "Clear.")
    assert '<li class="section"><a href="#s:main.tex:0">1 Groups</a></li>' in made
    assert '<h2 class="section" id="s:main.tex:0">1 Groups</h2>' in made
    assert "(On property 2)" in made
    assert "\\label" not in made and "\\ref" not in made


def test_titles_and_headings_have_their_macros_expanded(shown):
    text = NEWTON.replace("[Uniform bound]", "[Bound on $\\R$]")
    text = text.replace(r"\section{The iteration}", r"\section{Maps of \texorpdfstring{$\R$}{R}}")
    made = shown(text)
    assert '<span class="title">(Bound on <math display="inline">' in _entry(made, "lem:unif")
    assert "</span> Lemma 1.2 (Bound on ℝ)</a>" in made
    assert ">2 Maps of ℝ</a></li>" in made


def test_a_number_that_is_given_by_hand_is_no_title(shown):
    begin = r"\renewcommand\theinner{#1}\inner"
    text = rf"\newtheorem{{inner}}{{Lemma}}\newenvironment{{by}}[1]{{{begin}}}{{\endinner}}"
    text = NEWTON.replace(r"\begin{document}", text + r"\begin{document}")
    lemma = r"\begin{by}{1.7*}\label{hand}x\end{by}"
    made = shown(text.replace(r"\end{document}", lemma + r"\end{document}"))
    assert "</span> Lemma 1.7*</h3>" in _entry(made, "hand")
    assert "</span> Lemma 1.7*</a>" in made
    assert "(1.7*)" not in made


def test_what_has_no_certain_number_is_called_by_its_title_else_by_its_label(shown):
    text = NEWTON.replace(r"\section{Simple zeros}", r"\section{S}\setcounter{theorem}{\unknown}")
    made = shown(text)
    assert '</span> Lemma <span class="title">(Contraction)</span></h3>' in made
    assert "</span> Lemma (Contraction)</a>" in made
    assert '<a href="#r:lem:contraction">Lemma (Contraction)</a> applies' in made
    assert ">Lem (Contraction)</text>" in made
    assert "lem:contraction" not in re.sub("<[^>]*>", "", made[: made.index('id="network"')])


def test_what_has_neither_number_nor_title_is_named_by_its_file(reviewed):
    files = {"main.tex": NEWTON.replace(r"\end{document}", r"\input{a/b.tex}\end{document}")}
    files["a/b.tex"] = "\n\\begin{theorem*}x\\end{theorem*}"
    files["main.tex"] = files["main.tex"].replace(
        r"\begin{document}", r"\newtheorem*{theorem*}{Theorem}\begin{document}"
    )
    made = report_page(reviewed(files), ASSETS, lambda text, display: None)
    assert "</span> Theorem, b.tex:2</a>" in made
    assert "<code>a/b.tex:2</code>" in made


def test_what_is_cited_stands_before_what_wording_suggests(newton):
    near = _part(r'<dl class="near">.*?</dl>', _entry(newton, "thm:main"))
    cited, worded = (
        _part(rf"<dt>{name}</dt><dd>(.*?)</dd>", near) for name in ("Depends on", "By wording")
    )
    assert "Lemma 1.2" in cited and "Definition 1.1" not in cited
    assert "Definition 1.1" in worded


def test_a_sentence_is_called_by_its_words_and_one_for_all_stands_once(shown):
    said = "Throughout, every graph $G$ has a degree $d(G)$ that is finite and even."
    more = "".join(rf"\begin{{lemma}}\label{{g{n}}} $d(G)\ge {n}$.\end{{lemma}}" for n in range(12))
    text = LISTED.replace(r"\section{A}\label{s}", rf"\section{{A}} {said} {more}")
    made = shown(text % "Clear.")
    assert "the text at" not in made
    general = _part(r'<section class="band" id="general".*?</section>', made)
    assert "every graph" in general and "14 of 14 results" in general
    assert "every graph" not in _entry(made, "g3")


def test_a_result_is_called_as_the_paper_prints_it(shown):
    own = (
        r"\newtheorem{fact}[lemma]{Fatto}\newtheorem{theo}[lemma]{Th\'eor\`eme}"
        r"\newtheorem{codeT}[lemma]{}\newenvironment{code}{\begin{codeT}}{\end{codeT}}"
        r"\newenvironment{exmp}[1][]{\par\textbf{Esempio\ #1}}{\par}"
    )
    said = (
        r"\begin{fact}\label{f}A.\end{fact}\begin{theo}\label{t}A.\end{theo}"
        r"\begin{code}\label{c}A.\end{code}\begin{exmp}\label{x}A.\end{exmp}"
    )
    text = LISTED.replace(r"\begin{document}", own + r"\begin{document}")
    made = shown(text.replace(r"\end{document}", said + r"\end{document}") % "Clear.")
    heads = [re.sub("<[^>]*>", "", one)[2:].strip() for one in re.findall("<h3 id.*?</h3>", made)]
    assert heads[2:] == ["Fatto 1.3", "Théorème 1.4", "1.5", "Esempio x"]


def test_a_macro_that_asks_whether_a_name_is_there_is_the_reference(shown):
    own = (
        r"\newcommand{\magic}[1]{\if\vcenter\getrefbykeydefault{#1}{name}{}\vcenter "
        r"\cref{#1}\else\nameref{#1}\fi}\begin{document}"
    )
    made = _entry(shown(LISTED.replace(r"\begin{document}", own) % r"By \magic{l}, so."), "m")
    assert "By {l|Lemma 1.1}, so." in _seen(made)


def test_a_claim_in_a_text_is_called_as_the_paper_prints_it(shown):
    own = r"\newtheorem{fact}[lemma]{Fatto}\newtheorem{codeT}[lemma]{}\begin{document}"
    said = r"\begin{fact} A. \end{fact} So \begin{codeT} B. \end{codeT} Clear."
    made = _entry(shown(LISTED.replace(r"\begin{document}", own) % said), "m")
    words = re.sub(r"\s+", " ", re.sub("<[^>]*>", "", made))
    assert "Fatto. A." in words and "Fact." not in words
    assert "Codet" not in words


def test_a_result_without_a_proof_is_named_in_what_is_found(shown):
    text = LISTED.replace(r"{Lemma}", "{Proposizione}").replace(r"\label{l}", "")
    text = re.sub(r"\\begin{proof}.*?end{proof}", "", text, flags=re.DOTALL)
    made = shown(text.replace("%s", ""))
    assert "this proposizione" not in made
    assert "Proposizione 1.1 has no proof or citation" in re.sub("<[^>]*>", "", made)


def test_a_proof_has_the_title_that_the_paper_gives_it(shown):
    made = shown(LISTED.replace(r"\begin{proof}", r"\begin{proof}[Proof sketch]") % "Clear.")
    assert "<summary>Proof sketch</summary>" in _entry(made, "m")


def test_the_head_counts_what_is_older_and_is_silent_of_no_change(shown):
    head = _part(r"<header>.*?</header>", shown(NEWTON, before=NEWTON))
    assert "Your changes" not in head and "needs to be re-read" not in head
    assert "older finding" in head and "1 error" in head
    changed = shown(NEWTON, before=NEWTON.replace("Combine", "Take"))
    assert "Your changes" in _part(r"<header>.*?</header>", changed)


def test_commands_are_for_authors_and_stand_with_what_they_explain(shown):
    made = shown(NEWTON)
    assert "Next:" not in made
    assert "pf explain" not in _part(r"<header>.*?</header>", made)
    assert "For the authors: " in _part(r'<section class="band" id="structure".*?</section>', made)


PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)
PICTURED = (
    r"\begin{figure}\includegraphics[width=3cm]{dot}\includegraphics{p/dot.svg}"
    r"\includegraphics{fake.png}\includegraphics{../dot}\caption{A \emph{dot}.}\label{fig:d}"
    r"\end{figure} In Figure~\ref{fig:d}."
)


def test_pictures_of_the_repository_are_in_the_page_up_to_a_size(tmp_path):
    text = LISTED.replace(r"\begin{document}", r"\graphicspath{{p/}}\begin{document}")
    (tmp_path / "p").mkdir()
    (tmp_path / "main.tex").write_text(text % PICTURED)
    (tmp_path / "p/dot.png").write_bytes(PIXEL)
    (tmp_path / "p/dot.svg").write_text("<svg onload='alert(1)'/>")
    (tmp_path / "fake.png").write_text("<script>alert(1)</script>")

    def page():
        found = review(None, snapshot.from_folder(tmp_path), ParseCache(MemoryCache()))
        return report_page(found, ASSETS, lambda text, display: None)

    made = page()
    shown_pictures = re.findall(r"<img[^>]*>", made)
    data = base64.b64encode(PIXEL).decode()
    assert shown_pictures == [f'<img src="data:image/png;base64,{data}" alt="A dot.">']
    assert "[figure p/dot.svg]" in made and "[figure fake.png]" in made
    assert "<figcaption>Figure 1: A <em>dot</em>.</figcaption>" in made
    assert "img-src data:" in _part(r'Content-Security-Policy" content="([^"]*)"', made)
    (tmp_path / "p/dot.png").write_bytes(PIXEL + bytes(200_000))
    assert "<img" not in page() and "[figure dot]" in page()


def test_references_lead_to_the_results(newton):
    assert '<a href="#r:lem:contraction">Lemma 1.3</a> applies' in _entry(newton, "thm:main")
    assert "Theorem 2 of kantorovich" in _entry(newton, "thm:main")


EQUATIONS = r"""\documentclass{article}
\usepackage{amsthm,amsmath,cleveref}
\numberwithin{equation}{section}
\newtheorem{theorem}{Theorem}[section]
\newcommand{\be}{\begin{equation}}\newcommand{\ee}{\end{equation}}
\begin{document}
\section{One}
\begin{equation}\label{eq:out} o \end{equation}
\begin{theorem}[On \eqref{eq:out}]\label{thm:a} \begin{equation} a \end{equation}
By (\ref{eq:out}), \Cref{eq:out}, \eqref{eq:u}--\eqref{eq:star}, see \cref{thm:a,eq:v}.
\begin{align} u&=v \label{eq:u} \\ x \label{eq:star}\tag{$\ast$} \\ y \notag \\
z \label{eq:v} \end{align}
\end{theorem}
\begin{proof} By \crefrange{eq:u}{eq:v}, $b \overset{\eqref{eq:u}}{=} c$ and equation (1.3).
\be b \ee
\[ w \label{eq:w}\tag{W}\] By \eqref{eq:w}.
\end{proof}
\setcounter{equation}{\unknown}
\begin{theorem}\label{thm:b} \begin{equation}\label{eq:lost} l \end{equation} By \eqref{eq:lost}.
\begin{equation} m \end{equation}
\end{theorem}
\end{document}
"""


def _seen(text):
    """What is seen of a part of a page: links with what they lead to, no other elements."""
    text = re.sub(r'<a href="#r:([^"]*)">(.*?)</a>', r"{\1|\2}", text, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def test_a_list_in_words_keeps_the_number_that_no_result_has(shown):
    made = shown(
        "\\newtheorem{lemma}{Lemma}\n\\begin{document}\n"
        "\\begin{lemma}\\label{a} One. \\end{lemma}\\begin{proof} So. \\end{proof}\n"
        "\\begin{lemma}\\label{b} Two. \\end{lemma}\n"
        "\\begin{proof} By Lemmas 1 and 7 it holds. \\end{proof}\n\\end{document}"
    )
    assert _seen(_entry(made, "b")).count("By {a|Lemma 1}, Lemma 7 it holds.") == 1


POINTED = r"""
\documentclass{article}\newtheorem{lemma}{Lemma}\newtheorem{example}{Example}[section]
\newcommand{\lem}[1]{Lemma~\ref{#1}}
\begin{document}\section{A}\label{s}
\begin{lemma}\label{l} \begin{enumerate}\item\label{i} A. \item[(x)]\label{own} B.\end{enumerate}
\begin{equation}\label{e} 1=1 \end{equation} \end{lemma}
\begin{example}\label{x} See. \begin{figure}\caption{F.}\label{fig}\end{figure}\end{example}
\begin{proof}[Proof of Lemma~\ref{l}] %s \end{proof}
\end{document}
"""


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        (r"By Lemma~\ref{l}.", "By {l|Lemma 1}."),
        (r"Per il lemma \ref{l}.", "Per il {l|lemma 1}."),
        (r"It is \ref{l} again.", "It is {l|1} again."),
        (r"By \lem{l}.", "By {l|Lemma 1}."),
        (r"In Appendix~\ref{s}.", "In Appendix 1."),
        (r"In Figure \ref{fig}.", "In {x|Figure 1}."),
        (r"By property~\ref{i}.", "By {l|property 1}."),
        (
            r"By equation \ref{e}, (\ref{e}) and \eqref{e}.",
            "By {l:e|equation 1}, ({l:e|1}) and {l:e|(1)}.",
        ),
        (r"Algorithm~\ref{none}.", "Algorithm [none]."),
    ],
)
def test_a_plain_reference_is_what_latex_prints(shown, written, seen):
    assert seen in _seen(_entry(shown(POINTED % written), "l"))


def test_equations_are_called_by_their_numbers_as_in_the_pdf(shown):
    made = _entry(shown(EQUATIONS), "thm:a")
    seen = _seen(made)
    assert (
        "By (1.1), Equation (1.1), {thm:a:eq:u|(1.3)}–{thm:a:eq:star|(∗)}, "
        "see {thm:a|theorem 1.1}, {thm:a:eq:v|eq. (1.4)}."
    ) in seen
    assert "By {thm:a:eq:u|(1.3)}–{thm:a:eq:v|(1.4)}," in seen
    assert "and equation (1.3)." in seen
    assert "<mover><mrow><mo>=</mo></mrow><mrow><mtext>(1.3)</mtext></mrow></mover>" in made
    assert "By {thm:a:eq:w|(W)}" in seen
    assert "Theorem 1.1 (On (1.1))" in seen


def test_what_has_no_entry_is_named_and_no_link_leads_nowhere(shown):
    made = shown(EQUATIONS)
    assert 'href="#"' not in made
    assert '<dd><span class="to">(1.1)</span></dd>' in _entry(made, "thm:a")


def test_displays_have_their_numbers_at_the_right(shown):
    made = _entry(shown(EQUATIONS), "thm:a")
    numbers = re.findall(r'<(?:span|mtd) class="number"( id="[^"]*")?>(.*?)</(?:span|mtd)>', made)
    assert [(anchor, re.sub("<[^>]*>", "", words)) for anchor, words in numbers] == [
        ("", "(1.2)"),
        (' id="r:thm:a:eq:u"', "(1.3)"),
        (' id="r:thm:a:eq:star"', "(∗)"),
        ("", ""),
        (' id="r:thm:a:eq:v"', "(1.4)"),
        ("", "(1.5)"),
        (' id="r:thm:a:eq:w"', "(W)"),
    ]


def test_findings_call_results_by_their_names_and_quote_no_labels(shown):
    made = shown(EQUATIONS)
    notes = _part(r'<details class="notes">.*?</details>', made)
    assert re.sub("<[^>]*>", "", notes).count("Theorem 1.2 has no proof or citation") == 1
    assert "thm:b has" not in made
    quote = _part(r"<blockquote>(.*?)</blockquote>", _entry(made, "thm:b"))
    assert "label" not in quote
    assert "By (eq:lost)" in quote


@pytest.mark.parametrize(
    ("said", "shown_as"),
    [
        ("the proof of cor:decay cites lem:unif, thm:main.", "the proof of Corollary 2.2 cites "
         "Lemma 1.2, Theorem 2.1."),
        ("label lem:unif is already defined", "label lem:unif is already defined"),
        ("undefined label x; did you mean lem:unif (a.tex:8)?", "undefined label x; did you mean "
         "lem:unif (a.tex:8)?"),
        ("this proof names lem:none", "this proof names lem:none"),
        (r"is marked \leanok, but", r"is marked <code>\leanok</code>, but"),
        (r"(add \externaldocument{main})", r"(add <code>\externaldocument{main}</code>)"),
    ],
)  # fmt: skip
def test_ids_of_results_in_messages_are_names_and_labels_stay(reviewed, said, shown_as):
    report = reviewed({"main.tex": NEWTON})
    paper = report.papers[0]
    at = PaperOnPage(
        paper=paper, ids=PrintedIds(report).of(paper), maths=lambda text, display: None
    )
    assert at.message(replace(paper.findings[0], message=said)) == shown_as


def test_where_a_number_is_uncertain_the_label_stands(shown):
    made = _entry(shown(EQUATIONS), "thm:b")
    assert '<span class="number label" id="r:thm:b:eq:lost">(eq:lost)</span>' in made
    assert "By {thm:b:eq:lost|(eq:lost)}." in _seen(made)
    assert len(re.findall(r'class="number[ "]', made)) == 1


def test_works_are_cited_as_in_the_pdf(reviewed):
    files = {"main.tex": NEWTON, "main.bbl": r"\bibitem[Kan48]{kantorovich} K."}
    made = report_page(reviewed(files), ASSETS, lambda text, display: None)
    entry = _entry(made, "thm:main")
    assert "see also [Kan48, Theorem 2]" in entry
    assert "Theorem 2 of Kan48" in entry


def test_operators_in_titles_are_words(shown):
    made = shown(NEWTON.replace("The iteration", r"$\left|x\right|_p$, $\dim V \pmod 4$"))
    assert ">2 |x|_p, dim V (mod 4)</a></li>" in made


def test_the_head_says_what_the_paper_is_and_what_was_found(newton):
    head = _part(r"<header>.*?</header>", newton)
    assert '<p class="facts">main.tex, 1 file</p>' in head
    assert "<h1>On the speed of a simple iteration</h1>" in head
    assert (
        "<p>5 results, 1 definition, 4 dependencies by citation.</p><p>Theorem with the most "
        in head
    )
    assert '<p class="unlooked">2 findings, 2 blocking.</p>' in head
    assert '<p class="unlooked">Not read: 1 proof.</p>' in head
    assert "not read" not in head


def test_that_no_proof_was_read_stands_behind_what_the_paper_is(shown):
    head = _part(r"<header>.*?</header>", shown(NEWTON))
    assert head.index("5 results") < head.index('<p class="unlooked">Not read: ')


def test_that_nothing_was_found_is_said_in_the_head_in_the_words_of_the_first_screen(shown):
    head = _part(r"<header>.*?</header>", shown(LISTED % "Clear."))
    said = '<p class="unlooked">No structural check found a problem in 2 results; no proof was read'
    assert head.index("<p>2 results") < head.index(said) < head.index("Not read: ")


def test_what_readers_were_asked_for_and_did_not_read_stands_first(newton):
    head = _part(r"<header>.*?</header>", newton)
    assert head.index('<p class="unlooked">') < head.index("5 results")


def test_what_has_no_proof_has_a_sign_of_its_own(shown):
    bare = NEWTON.replace(
        r"\begin{document}", r"\begin{document}\begin{lemma}\label{l}A.\end{lemma}"
    )
    entry = _entry(shown(bare), "l")
    assert "entry bare" in entry and "without a proof here" in entry and ">∅<" in entry
    assert "entry unread" in _entry(shown(NEWTON), "thm:main")


def test_of_several_papers_the_abstracts_open_when_asked_for(reviewed):
    texts = {
        name: NEWTON.replace(
            r"\begin{document}", r"\begin{document}\begin{abstract}A.\end{abstract}"
        )
        for name in ("a.tex", "b.tex")
    }
    texts["b.tex"] = texts["b.tex"].replace("lem:", "other:").replace("simple", "double")
    made = report_page(reviewed(texts), ASSETS, lambda text, display: None)
    assert made.count('<details class="abstract">') == 2


def test_the_map_counts_what_the_head_counts_in_the_same_words(shown):
    more = r"\newtheorem{notation}{Notation}\newtheorem{remark}{Remark}\begin{document}"
    text = NEWTON.replace(r"\begin{document}", more).replace(
        r"\end{document}",
        r"\begin{notation}$Q$ is a cube.\end{notation}\begin{remark}So.\end{remark}\end{document}",
    )
    made = shown(text)
    head = _part(r"<header>.*?</header>", made)
    assert "<p>5 results, 1 definition, 1 notation, 4 dependencies by citation.</p>" in head
    assert "5 results, 1 definition, 1 notation and 1 other statement in 2 sections." in made


FRONT = r"""\title{Zeros of $f:\R\to\R$\thanks{To B.}}
\author{Ada L.\\ Nowhere \and Bo\thanks{Funded <b>.}}
\begin{document}\maketitle
\begin{abstract}We prove \cref{thm:main} in Section~\ref{sec:it}, with $\dist{a}{b}$.\end{abstract}
"""


def _with_front(text):
    text = text.replace(r"\title{On the speed of a simple iteration}\maketitle", "")
    text = text.replace(r"\section{The iteration}", r"\section{The iteration}\label{sec:it}")
    return text.replace(r"\begin{document}", FRONT)


def test_a_root_without_its_preamble_is_told(reviewed):
    body = NEWTON[NEWTON.index(r"\begin{document}") :]
    for files, is_told in (
        ({"main.tex": body}, True),
        ({"main.tex": r"\input{head}" + body, "head.tex": r"\documentclass{article}"}, False),
        ({"main.tex": NEWTON}, False),
    ):
        made = report_page(reviewed(files), ASSETS, lambda text, display: None)
        told = "No \\documentclass was found in main.tex or in the files that it includes, so its"
        assert (told in made) == is_told


def test_title_authors_and_abstract_stand_at_the_head(shown):
    head = _part(r"<header>.*?</header>", shown(_with_front(NEWTON)))
    assert '<h1>Zeros of <math display="inline">' in head
    assert '<p class="authors">Ada L., Bo</p>' in head
    abstract = _part(r'<section class="abstract">(.*?)</section>', head)
    assert 'We prove <a href="#r:thm:main">Theorem 2.1</a> in Section 2, with' in abstract
    assert "<mi>a</mi>" in abstract
    assert "dist" not in abstract


def test_an_abstract_is_read_from_its_file(reviewed):
    def head(words):
        text = re.sub(r"We prove.*?(?=.end.abstract)", lambda _: words, _with_front(NEWTON))
        files = {"main.tex": text, "parts/abstract.tex": r"We \emph{show} \cref{thm:main}."}
        made = report_page(reviewed(files), ASSETS, lambda text, display: None)
        return _part(r"<header>.*?</header>", made)

    shown = 'We <em>show</em> <a href="#r:thm:main">Theorem 2.1</a>.</div></section>'
    assert shown in head(r"\fontsize{10}{12} \input{parts/abstract}")
    assert "Abstract" not in head(r"\input{parts/nowhere}")
    assert "These are words" in head(r"These are words of the abstract. \input{parts/abstract}")


def test_a_paper_without_authors_and_abstract_has_no_place_for_them(newton):
    head = _part(r"<header>.*?</header>", newton)
    assert "authors" not in head
    assert "Abstract" not in head


def test_what_is_no_result_is_called_by_its_number(shown):
    text = _with_front(NEWTON).replace(
        r"remain. \end{proof}",
        r"remain. By \cref{sec:it}, Section~\ref{sec:it}, \ref{no}. \end{proof}",
    )
    assert "By Section 2, Section 2, [no]." in _entry(shown(text), "thm:open")


def test_references_in_titles_are_words(shown):
    titles = r"[Converse of \cref{lem:unif}]", r"[\nameref{lem:unif}, \ref{no_where}]"
    text = NEWTON.replace("[Divergence]", titles[0]).replace("[Contraction]", titles[1])
    made = shown(text)
    assert '<span class="title">(Converse of Lemma 1.2)</span>' in _entry(made, "thm:open")
    assert "</span> Lemma 1.3 (Uniform bound, [no_where])</a>" in made
    title = "(Uniform bound, [no_where])"
    assert title in _entry(made, "lem:contraction")


def test_structure_reading_and_lean_are_apart(newton):
    structure, reading, lean = (
        _part(rf'<section class="band" id="{name}".*?</section>(?=<section)', newton)
        for name in ("structure", "reading", "lean")
    )
    assert "lem:nowhere" in structure
    assert OBJECTION.partition("$")[0] in reading
    assert "No result is marked as formal" in lean
    assert "Not read, and why" in newton


def test_without_a_reader_the_page_says_that_proofs_were_not_read(shown):
    assert "Only the structure was checked" in shown(NEWTON)


def test_a_change_names_both_moments_and_what_is_stale(shown):
    text = shown(NEWTON, before=NEWTON.replace("Combine", "Take"))
    assert " against " in text
    assert '<article id="r:cor:decay" class="entry stale"' in text


def test_a_formal_proof_is_a_claim(shown):
    text = shown(NEWTON.replace(r"\begin{proof} Combine", r"\begin{proof}\leanok Combine"))
    assert "1 result with a formal proof, as claimed" in text


def test_only_our_own_style_and_script_count(newton):
    policy = _part(r'Content-Security-Policy" content="([^"]*)"', newton)
    assert policy.startswith("default-src 'none'; ")
    for inline in (ASSETS.style, ASSETS.script):
        digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert "http" not in re.sub(r"http-equiv", "", newton)


class _Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def _elements(text):
    parser = _Elements()
    parser.feed(text)
    return parser.found


def test_a_hostile_paper_adds_no_element_and_no_attribute(shown):
    hostile = (
        NEWTON.replace("Uniform bound", f"Uniform {HOSTILE}")
        .replace("mean value", HOSTILE)
        .replace("f'(\\xi)(x-x_0)", "\\text{" + HOSTILE + "}\\href{javascript:x}{y}")
        .replace("lem:unif", 'lem:"><script>')
        .replace("Simple zeros", HOSTILE)
    )
    hostile = _with_front(hostile).replace("We prove", HOSTILE).replace("Ada", HOSTILE)
    hostile = hostile.replace("Zeros of", HOSTILE)
    text = shown(hostile, {'lem:"><script>': (QUOTE, HOSTILE + "$" + HOSTILE + "$")})
    elements = _elements(text)
    assert [tag for tag, _ in elements].count("script") == 2
    assert not {"img", "iframe", "link", "base", "form action"} & {tag for tag, _ in elements}
    assert not [name for _, attrs in elements for name in attrs if name.startswith("on")]
    assert not [name for _, attrs in elements for name in attrs if name == "style"]
    assert "\u202e" not in text
    assert all(attrs["href"].startswith("#") for tag, attrs in elements if tag == "a")
    data = _part(r'<script type="application/json" id="network">(.*?)</script>', text)
    assert len(json.loads(data)["nodes"]) == 6


def test_ids_stand_once(newton):
    ids = [attrs["id"] for _, attrs in _elements(newton) if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_the_graph_knows_who_uses_whom(newton):
    data = json.loads(_part(r'id="network">(.*?)</script>', newton))
    names = [node["id"] for node in data["nodes"]]
    edges = {(names[source], names[target]): plain for source, target, plain in data["edges"]}
    assert edges["thm:main", "lem:unif"] == 1
    assert edges["thm:main", "def:simple"] == 0
    assert data["start"] == "lem:unif"
    assert data["why"] == "to be looked at first, since a reader doubts it"


def test_the_focus_is_the_main_result_and_its_reason_is_said(shown):
    data = json.loads(
        _part(r'id="network">(.*?)</script>', shown(NEWTON.replace("nowhere", "unif")))
    )
    assert (data["start"], data["why"]) == (
        "thm:main",
        "the theorem with the most dependencies, which depends on 2 others",
    )


def test_the_map_of_the_whole_paper_comes_before_the_focus_and_the_bands(newton):
    drawn = _part(r'<svg class="map".*?</svg>', newton)
    assert re.findall(r'<text class="section"[^>]*>([^<]*)', drawn) == [
        "Simple zeros",
        "The iteration",
    ]
    assert drawn.count('<a href="#r:') == 6
    assert "Lemma 1.2 (Uniform bound), cited by 1 other, gap: an objection that blocks" in drawn
    places = [newton.index(part) for part in ('class="map"', 'id="graph"', 'id="structure"')]
    assert places == sorted(places)


def test_each_of_two_papers_has_its_map_and_its_title(reviewed):
    other = NEWTON.replace("Simple", "Other").replace("On the speed", "More on the speed")
    report = reviewed({"a.tex": NEWTON, "b.tex": other})
    text = report_page(report, ASSETS, lambda text, display: None)
    assert text.count('<svg class="map"') == 2
    assert "<h2>More on the speed of a simple iteration</h2>" in text
    numbers = re.findall(r'<a href="#r:[^"]*" data-n="(\d+)"', text)
    assert list(map(int, numbers)) == list(range(12))


def test_equal_reports_give_equal_pages(shown):
    assert shown(NEWTON) == shown(NEWTON)


def test_a_paper_without_results_is_a_page_too(shown):
    text = shown("\\documentclass{article}\\begin{document}Words.\\end{document}")
    assert '"nodes":[],"edges":[]' in text


def test_two_papers_stand_one_after_the_other(reviewed):
    report = reviewed({"a.tex": NEWTON, "b.tex": NEWTON.replace("Simple", "Other")})
    text = report_page(report, ASSETS, lambda text, display: None)
    assert text.count('<article id="r:') == 12
    assert 'id="r:b.tex::thm:main"' in text


def test_what_is_omitted_and_what_is_guessed_say_so(shown):
    body = r"\begin{lemma}\label{a} A.\end{lemma}%s\begin{proof} %s\end{proof}"
    page = "\\documentclass{article}\\newtheorem{lemma}{Lemma}\\newtheorem{remark}{Remark}" + (
        "\\begin{document}%s\\end{document}"
    )
    assert 'class="entry omitted"' in shown(page % (body % ("", "Omitted.")))
    assert "proof omitted" in shown(page % (body % ("", "Omitted.")))
    remark = r"\begin{remark} R.\end{remark}"
    said = "proof attached by a guess"
    assert said in _entry(shown(page % (body % (remark, "Clear."))), "a")
    assert said not in shown(page % (body % ("", "Clear.")))


LISTED = r"""
\documentclass{article}\newtheorem{lemma}{Lemma}[section]
\begin{document}\section{A}\label{s}
\begin{lemma}\label{l} Then: \begin{enumerate}\item\label{l:a} A. \item\label{l:b} B.\end{enumerate}
\end{lemma}
\begin{lemma}\label{m} \begin{equation}\label{e} 1=1 \end{equation} \end{lemma}
\begin{proof} %s \end{proof}
\end{document}
"""


@pytest.mark.parametrize(
    ("said", "shown_as"),
    [
        (r"By the triangle inequality~\ref{l} so.", "By the triangle inequality 1.1 so."),
        (r"By the Young inequality~\eqref{e} so.", "By the Young inequality (1) so."),
        (r"By inequalities (\ref{e}) so.", "By inequalities (1) so."),
        (r"By Lemma~\ref{l} so.", "By Lemma 1.1 so."),
        (r"By Lemma (\ref{l}) so.", "By Lemma (1.1) so."),
        (r"By Section~\ref{s} so.", "By Section 1 so."),
        (r"By part~\ref{l:b} of Lemma~\ref{l} so.", "By part 2 of Lemma 1.1 so."),
        (r"By Lemma~\ref{l:a} so.", "By Lemma 1 so."),
        (r"By \ref{l:a} and \cref{l:b} so.", "By 1 and item 2 so."),
    ],
)
def test_a_reference_keeps_its_word_and_an_item_has_its_own_number(shown, said, shown_as):
    body = shown(LISTED % said)
    proof = re.sub(
        r"<[^>]+>", "", _part(r"<details class=\"proof\".*?</summary>(.*?)</details>", body)
    )
    assert shown_as in " ".join(proof.split())


def test_a_paper_without_results_does_not_name_the_page(reviewed):
    empty = "\\documentclass{article}\\begin{document}Words.\\end{document}"
    report = reviewed({"main.tex": LISTED % "Clear.", "notes.tex": empty})
    assert "<h1>main.tex</h1>" in report_page(report, ASSETS, lambda *_, **__: None)


def test_papers_with_results_come_before_those_without_as_on_the_first_screen(reviewed):
    empty = "\\documentclass{article}\\title{An Appendix}\\begin{document}Words.\\end{document}"
    report = reviewed({"main.tex": LISTED % "Clear.", "aaa.tex": empty})
    text = report_page(report, ASSETS, lambda *_, **__: None)
    assert text.index("main.tex, 1 file") < text.index("aaa.tex, 1 file")
    assert text.index("<h3>main.tex</h3>") < text.index("<h3>aaa.tex</h3>")


def test_the_ids_of_the_page_are_those_of_the_json_where_a_paper_without_results_comes_first(
    reviewed,
):
    told = LISTED % "Clear."
    said = "\\begin{remark}\\label{l} Words.\\end{remark}"
    start = told.partition("\\begin{document}")[0]
    first = f"{start}\\newtheorem{{remark}}{{Remark}}\\begin{{document}}{said}\\end{{document}}"
    report = reviewed({"main.tex": told, "aaa.tex": first})
    assert not report.papers[0].plan.total and report.papers[1].plan.total
    page = report_page(report, ASSETS, lambda *_, **__: None)
    listed = json.loads(check_json(report))["statuses"].keys()
    shown = set(re.findall(r'<article id="r:([^"]*)"', page))
    assert "main.tex::l" in listed and shown <= listed and "main.tex::l" in shown
