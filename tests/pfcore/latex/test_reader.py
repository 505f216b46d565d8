from collections.abc import Callable

import pytest

from pfcore.latex.macros.macro import Macro
from pfcore.latex.macros.macro_table import MacroChange
from pfcore.latex.project.recipes import SplicedSource
from pfcore.latex.project.syntax import Custom, Declared, build
from pfcore.latex.reader import Read, parse_latex_file, without_blocks

Reader = Callable[..., Read]

PAPER = r"""\newtheorem{foo}{Lemma}
\begin{document}
\section{Tools \ref{sec:x}}\label{sec:tools}
Throughout this section, let $R$ be a ring.
\begin{foo}[Zorn]\label{foo:a}
  A claim. % pf: ignore[no-proof] known
\end{foo}
\begin{proof}
  By \cref{foo:b,foo:c} and \eqref{eq:1}.
\end{proof}
\begin{equation}\label{eq:1} a = b \end{equation}
\input{more}
\begin{foo}\label{foo:b} \uses{foo:a}\lean{Zorn.b}\leanok \cite{K} \end{foo}
\end{document}
ignored \ref{nothing}
"""


def test_spans_are_exact(reads: Reader) -> None:
    for block in reads(PAPER).reading.blocks:
        text = PAPER[block.place.start : block.place.end]
        if block.shape in ("statement", "proof"):
            assert text.startswith(f"\\begin{{{block.env}}}")
            assert text.endswith(f"\\end{{{block.env}}}")


def test_a_paper_is_read_into_its_parts(reads: Reader) -> None:
    reading, texts, references = reads(PAPER)
    assert [(b.shape, b.kind, b.title, texts[i]) for i, b in enumerate(reading.blocks)] == [
        ("statement", "lemma", "Zorn", "\x11(Zorn)\x12 \x040\x05 A claim."),
        ("proof", "proof", "", "By \x020\x03 and \x021\x03."),
        ("statement", "lemma", "", "\x040\x05 \\cite{K}"),
        ("convention", "convention", "", "Throughout this section, let $R$ be a ring."),
        ("introduction", "notation", "", "\\begin{equation}\x040\x05a=b\\end{equation}"),
        ("fragment", "equation", "", "\\begin{equation}\x040\x05a=b\\end{equation}"),
    ]
    assert [(label.key, label.holder, label.block, label.fragment) for label in reading.labels] == [
        ("sec:tools", "section", -1, -1),
        ("foo:a", "statement", 0, -1),
        ("eq:1", "equation", -1, 5),
        ("foo:b", "statement", 2, -1),
    ]
    assert [(s.level, s.title, s.refers) for s in reading.sections] == [
        (2, r"Tools \ref{sec:x}", ("sec:x",))
    ]
    assert [(i.target, i.command, i.block) for i in reading.includes] == [("more", "input", -1)]
    assert [(r.keys, r.command, r.block) for r in references] == [
        (("sec:x",), "ref", -1),
        (("foo:b", "foo:c"), "cref", 1),
        (("eq:1",), "eqref", 1),
        (("foo:a",), "uses", 2),
    ]
    assert [(i.id, i.reason, i.line) for i in reading.ignores] == [("no-proof", "known", 6)]
    assert reading.problems == ()


@pytest.mark.parametrize(
    ("preamble", "command"),
    [
        ("", r"\addsec"),
        ("", r"\addsec*"),
        (r"\newcommand{\head}[1]{\csuse{section}{#1}}", r"\head"),
        (r"\newcommand{\head}[1]{\@nameuse{section}{#1}}", r"\head"),
        (r"\newcommand\head{\@startsection{section}{1}{0pt}{1ex}{1ex}{\bf}}", r"\head"),
        (r"\renewcommand\section{\@startsection{section}{1}{0pt}{1ex}{1ex}{\bf}}", r"\section"),
        (r"\def\which{section}\newcommand{\head}[1]{\csuse{\which}{#1}\label{x}}", r"\head"),
    ],
)
def test_headings_of_koma_and_by_their_names_are_headings(
    reads: Reader, preamble: str, command: str
) -> None:
    reading, _, _ = reads(preamble + command + "{Tools} Words.")
    assert [(s.level, s.title) for s in reading.sections] == [(2, "Tools")]


def test_a_heading_may_be_written_as_an_environment(reads: Reader) -> None:
    text = r"\begin{section}{Tools} Words. \begin{lemma} A. \end{lemma} \end{section} More."
    reading, _, _ = reads(text)
    assert [(s.level, s.title) for s in reading.sections] == [(2, "Tools")]
    assert [block.kind for block in reading.blocks] == ["lemma"]
    assert reading.problems == ()


def test_an_environment_of_a_headings_name_may_be_the_papers_own(reads: Reader) -> None:
    text = r"\newtheorem{part}{Part}\begin{part} {A}. \end{part}\begin{chapter} B. \end{chapter}"
    reading, _, _ = reads(text)
    assert reading.sections == ()
    assert reading.blocks[0].kind == "part"
    assert reading.problems == ()


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (
            r"\newcommand\b[1]{\begin{section}{#1}}\newcommand\e{\end{section}}\b{One} A. \e",
            ["One"],
        ),
        (r"\newcommand\b[1]{\begin{section}{#1}}\b{One} A. \end{section}", ["One"]),
        (r"\begin{part} {\bf A.} B \end{part} \begin{part} C \end{part}", []),
    ],
)
def test_begin_and_end_of_a_heading_may_be_apart(
    reads: Reader, text: str, titles: list[str]
) -> None:
    reading, _, _ = reads(text)
    assert [s.title for s in reading.sections] == titles
    assert reading.problems == ()


@pytest.mark.parametrize(
    ("text", "label"),
    [
        (r"\newcommand{\addsec}[2]{\section{#1}\label{#2}}\addsec{One}{a} A.", "a"),
        (
            r"\newcommand{\head}[2]{\@startsection{section}{1}{\z@}{1ex}{1ex}{\bf}{#1}\label{#2}}"
            r"\head{One}{a} {\bf A.} B.",
            "a",
        ),
    ],
)
def test_what_a_paper_makes_of_a_heading_is_read(reads: Reader, text: str, label: str) -> None:
    reading, _, _ = reads(text)
    assert [s.title for s in reading.sections] == ["One"]
    assert [one.key for one in reading.labels] == [label]


def test_a_name_of_two_meanings_is_no_heading(reads: Reader) -> None:
    text = (
        r"\def\which{section}\newcommand{\head}[1]{\csuse{\which}{#1}}\def\which{part}\head{A} B."
    )
    reading, _, _ = reads(text)
    assert reading.sections == ()


def test_a_name_that_nothing_gives_is_no_heading(reads: Reader) -> None:
    reading, _, _ = reads(r"\newcommand{\head}[1]{\csuse{\which}{#1}}\head{Tools} Words.")
    assert reading.sections == ()


def test_blueprint_marks_and_citations_belong_to_the_innermost_block(reads: Reader) -> None:
    block = reads(PAPER).reading.blocks[2]
    assert (block.uses, block.lean, block.marks, block.is_cited) == (
        ("foo:a",),
        ("Zorn.b",),
        ("leanok",),
        True,
    )


def test_a_mark_says_something_of_the_block_right_around_it_only(reads: Reader) -> None:
    reading, *_ = reads(
        r"""\newtheorem{foo}{Lemma}\begin{document}
\begin{foo} A. \end{foo}
\begin{proof} \begin{itemize}\item \mathlibok\leanok\leanok \end{itemize} \end{proof}
\begin{foo} B. \end{foo}
\begin{proof} A note: \begin{proof}[Idea] \leanok \end{proof} \end{proof}
\begin{foo} \begin{foo}\leanok C. \end{foo} \notready % \leanok
\end{foo}"""
    )
    assert [(block.shape, block.marks) for block in reading.blocks] == [
        ("statement", ()),
        ("proof", ("mathlibok", "leanok")),
        ("statement", ()),
        ("proof", ()),
        ("statement", ("notready",)),
        ("statement", ("leanok",)),
    ]


@pytest.mark.parametrize(
    ("between", "is_adjacent"),
    [
        ("", True),
        ("\n\n", True),
        (r"\label{x} \medskip\noindent", True),
        ("% a comment", True),
        ("Now we prove it.", False),
        (r"\label{x} prose \label{y}", False),
    ],
)
def test_a_proof_is_adjacent_if_nothing_is_printed_before_it(
    reads: Reader, between: str, is_adjacent: bool
) -> None:
    text = rf"\begin{{lemma}}x\end{{lemma}}{between}{chr(10)}\begin{{proof}}y\end{{proof}}"
    assert reads(text).reading.blocks[1].adjacent is is_adjacent


def test_what_a_proof_says_that_it_proves_is_its_aim(reads: Reader) -> None:
    text = r"\begin{proof}[Proof of \cref{a}]\proves{b} x \end{proof}"
    block = reads(text).reading.blocks[0]
    assert block.aim == ("b", "a")
    assert reads(text).texts == ("x",)


def test_a_proofs_other_title_is_part_of_its_text(reads: Reader) -> None:
    assert reads(r"\begin{proof}[By induction] x \end{proof}").texts == ("(By induction) x",)


def test_a_proof_nested_in_a_statement_is_cut_out_of_it(reads: Reader) -> None:
    reading, texts, _ = reads(r"\begin{lemma}a\begin{proof}b\end{proof}c\end{lemma}")
    assert texts == ("ac", "b")
    assert [block.parent for block in reading.blocks] == [-1, 0]


def test_a_claim_inside_of_a_proof_stays_in_the_text_and_its_proof_does_not(
    reads: Reader,
) -> None:
    text = r"\begin{proof}a \begin{claim}b\end{claim}\begin{proof}c\end{proof} d\end{proof}"
    reading, texts, _ = reads(text)
    assert texts == ("a \x0eClaim. b\x0f d", "b", "c")
    assert [block.parent for block in reading.blocks] == [-1, 0, 0]


def test_a_proof_inside_of_a_proof_without_a_claim_is_part_of_it(reads: Reader) -> None:
    reading, texts, _ = reads(r"\begin{proof}a\begin{proof}b\end{proof}c\end{proof}")
    assert [block.parent for block in reading.blocks] == [-1]
    assert texts == (r"a \begin{proof} b \end{proof} c",)


def test_definitions_inside_of_a_block_are_not_its_text(reads: Reader) -> None:
    assert reads(r"\begin{lemma}a \newcommand{\x}{y}\x\end{lemma}").texts == ("a y",)


def test_what_stands_before_the_document_is_not_read(reads: Reader) -> None:
    text = r"\begin{lemma}a\end{lemma}\begin{document}\begin{lemma}b\end{lemma}\end{document}"
    assert reads(text).texts == ("b",)


def test_a_statement_that_nothing_closes_ends_where_the_next_begins(reads: Reader) -> None:
    text = "\\begin{lemma}a\n\n\\begin{lemma}b\\end{lemma}\n\\begin{proof}c\\end{proof}"
    reading, texts, _ = reads(text)
    assert texts == ("a", "b", "c")
    assert [problem.code for problem in reading.problems] == ["unclosed"]


def test_code_that_is_printed_is_part_of_a_block(reads: Reader) -> None:
    assert reads(r"\begin{lemma}a \verb|b%c| d\end{lemma}").texts == (r"a \verb|b%c| d",)


def test_code_that_nothing_closes_is_a_problem(reads: Reader) -> None:
    problems = reads(r"\begin{lemma}a\end{lemma}\begin{verbatim}").reading.problems
    assert [problem.message for problem in problems] == ["verbatim is never closed"]


def test_the_settings_add_commands_and_kinds(reads: Reader) -> None:
    custom = Custom({"aufgabe": "lemma"}, ("sref",), ("mark",), ("neu",))
    text = r"\begin{aufgabe}\mark{a} \sref[x]{b,c} \sref\end{aufgabe}"
    reading, texts, _ = reads(text, custom)
    assert reading.blocks[0].kind == "lemma"
    assert [label.key for label in reading.labels] == ["a"]
    assert [m.keys for m in reading.blocks[0].mentions] == [("b", "c")]
    assert texts == ("\x040\x05 \x020\x03",)


def test_a_label_is_composed_with_the_macros_of_its_place(reads: Reader) -> None:
    changes = (
        MacroChange(-1, "theid", Macro((), "one")),
        MacroChange(40, "theid", Macro((), "two")),
    )
    text = (
        r"\begin{lemma}\label{\theid:a}\end{lemma}"
        + r"\begin{lemma}\label{\theid:a}\ref{\unknown:b}\end{lemma}"
    )
    reading, _, references = reads(text, None, changes)
    assert [label.key for label in reading.labels] == ["one:a", "two:a"]
    assert references[0].keys == reading.cited == (r"\unknown:b",)


def test_a_key_may_hold_a_comma_or_strange_characters(reads: Reader) -> None:
    text = "\\begin{lemma}\\label{a, b}\\label{é_$ x}\\ref{a, b}\\ref{é_$\nx}\\end{lemma}"
    reading, _, references = reads(text)
    assert [label.key for label in reading.labels] == ["a, b", "é_$ x"]
    assert [r.keys for r in references] == [("a, b",), ("é_$ x",)]


def test_what_is_cited_twice_is_listed_once(reads: Reader) -> None:
    found = reads(r"\ref{a} \cref{b,a} \begin{lemma}\ref{b}\uses{c}\end{lemma}")
    assert found.reading.cited == ("a", "b", "c")
    assert [r.keys for r in found.references] == [("a",), ("b", "a"), ("b",), ("c",)]


def test_a_file_that_is_put_in_changes_no_text(
    spliced: Callable[[str, str], Read], reads: Reader
) -> None:
    inner = r"By \ref{x}. \begin{claim}\label{c} b\end{claim}\begin{proof}p\end{proof} done"
    outer = "\\begin{proof}a \\input{f} z\\end{proof}\n\\begin{lemma}\\label{l} q\\end{lemma}"
    put_in, whole = spliced(outer, inner), reads(outer.replace("\\input{f}", inner))
    assert put_in.texts == whole.texts
    assert [b.digest for b in put_in.reading.blocks] == [b.digest for b in whole.reading.blocks]
    assert [b.parent for b in put_in.reading.blocks] == [-1, 0, 0, -1]


def test_what_a_file_that_is_put_in_holds_lies_at_the_command(
    spliced: Callable[[str, str], Read],
) -> None:
    outer = (
        "\\begin{proof}a \\input{f} z \\ref{y}\\end{proof}\n\\begin{lemma}\\label{l} q\\end{lemma}"
    )
    inner = "\n\n\\begin{claim}\\label{c}b\\end{claim} \\ref{x} \\begin{center} % pf: ignore[a] b\n"
    reading, _, references = spliced(outer, inner)
    command = outer.index("\\input")
    assert [outer[b.place.start : b.place.end] for b in reading.blocks] == [
        outer[: outer.index("\n")],
        "\\input{f}",
        "\\begin{lemma}\\label{l} q\\end{lemma}",
    ]
    assert [(label.key, label.offset) for label in reading.labels] == [
        ("c", command),
        ("l", outer.index("\\label{l}")),
    ]
    assert [(r.keys, outer[r.start : r.end]) for r in references] == [(("y",), "\\ref{y}")]
    assert (reading.problems, reading.ignores) == ((), ())


def test_without_its_blocks_a_reading_keeps_what_is_wrong_in_the_file(reads: Reader) -> None:
    text = "\\begin{lemma}\\label{a} \\ref{b} % pf: ignore[x] y\n\\end{lemma}\\end{foo}"
    reading, texts, references = without_blocks(reads(text))
    assert (reading.blocks, reading.labels, texts) == ((), (), ())
    assert [(r.keys, r.block) for r in references] == [(reading.cited, -1)]
    assert (len(reading.problems), len(reading.ignores)) == (1, 1)


THM = r"\newcommand{\Thm}[2]{\begin{lemma}\label{#1}#2\end{lemma}}"
PRF = r"\newcommand{\Prf}[1]{\begin{proof}#1\end{proof}}"


def test_a_statement_that_a_macro_holds_whole_has_the_words_of_its_argument(reads: Reader) -> None:
    text = THM + PRF + "\\Thm{a}{Let $x$ be \\ref{b}.}\n\\Prf{By \\ref{c}.}\\ref{d}"
    reading, texts, references = reads(text)
    assert texts == ("\x040\x05Let $x$ be \x020\x03.", "By \x020\x03.")
    assert [block.mentions[0].keys for block in reading.blocks] == [("b",), ("c",)]
    places = [(block.place.start, block.place.end) for block in reading.blocks]
    assert [text[slice(*place)] for place in places] == [
        "\\Thm{a}{Let $x$ be \\ref{b}.}",
        "\\Prf{By \\ref{c}.}",
    ]
    assert [(label.key, label.holder) for label in reading.labels] == [("a", "statement")]
    written = [text[item.start : item.end] for item in references]
    assert written == ["\\ref{b}", "\\ref{c}", "\\ref{d}"]


def test_what_stands_behind_a_statement_that_a_macro_holds_keeps_its_place(reads: Reader) -> None:
    text = THM + r"\Thm{a}{x}\begin{lemma}\label{b} By \ref{a}.\end{lemma}"
    found = reads(text).reading.blocks[1]
    assert text[found.place.start : found.place.end].startswith(r"\begin{lemma}\label{b}")
    assert text[found.mentions[0].start : found.mentions[0].end] == r"\ref{a}"


def test_a_macro_may_hold_a_statement_with_its_proof_and_use_another_such(reads: Reader) -> None:
    text = (
        THM + PRF + r"\newcommand{\Both}[3]{\Thm{#1}{#2}\Prf{#3}}\Both{a}{A}{\Thm{b}{B}\Prf{C} D}"
    )
    reading, texts, _ = reads(text)
    assert [block.shape for block in reading.blocks] == ["statement", "proof", "statement", "proof"]
    assert texts[0] == "\x040\x05A"
    assert texts[2:] == ("\x040\x05B", "C")
    assert [block.parent for block in reading.blocks] == [-1, -1, 1, 1]


def test_a_macro_that_holds_a_statement_and_begins_its_proof(reads: Reader) -> None:
    text = THM + r"\newcommand{\Go}[2]{\Thm{#1}{#2}\begin{proof}}\Go{a}{A}B\end{proof}"
    assert reads(text).texts == ("\x040\x05A", "B")


HIDE = (
    r"\newcommand{\hide}[1]{}\long\def\old#1{ }\newcommand{\both}[2]{#2}"
    r"\newcommand{\last}[4][]{#1#2#4}"
)
STALE = r"\begin{lemma}\label{a}\ref{b}\end{lemma}"


@pytest.mark.parametrize(
    "use",
    [
        r"\hide{%s}",
        r"\old{%s}",
        r"\hide{\hide{x}%s}",
        r"\hide {%s}",
        r"\both{%s}{}",
        r"\both{x}{\both{%s}{}}",
        r"\both{\both{}{y}%s}{}",
        r"\last{x}{%s}{}",
        r"\last[x]{y}{%s}{}",
        r"\last{\hide{%s}}{\hide{}}{x}",
    ],
)
def test_what_a_macro_drops_is_not_there(reads: Reader, use: str) -> None:
    text = HIDE + r"\begin{lemma}\label{c}C\end{lemma}" + use % STALE
    found = reads(text)
    assert found.texts == ("\x040\x05C",)
    assert [label.key for label in found.reading.labels] == ["c"]
    assert found.references == ()
    assert found.reading.problems == ()


@pytest.mark.parametrize(
    "text",
    [
        HIDE + rf"\both{{}}{{{STALE}}}",
        HIDE + r"\hide" + STALE,
        rf"\newcommand{{\todo}}[1]{{\emph{{#1}}}}\todo{{{STALE}}}",
    ],
)
def test_what_a_macro_prints_is_there(reads: Reader, text: str) -> None:
    assert [label.key for label in reads(text).reading.labels] == ["a"]


@pytest.mark.parametrize(
    "said",
    [
        r"\excludecomment{long}",
        r"\NewEnviron{long}{}",
        r"\RenewEnviron{long}[1][x]{ \ignorespaces }",
        r"\newcommand{\Long}[1]{\excludecomment{#1}}\excludecomment{ long }",
        r"\newenvironment{long}{\comment}{\endcomment}",
        r"\newenvironment*{long}[1][x]{\textbf{Motto} \begin{comment}}{\end{comment} }",
        r"\let\long\comment \let\endlong\endcomment",
        r"\newenvironment{long}{\setbox0\vbox\bgroup}{\egroup}",
        r"\newsavebox{\gone}\newenvironment{long}{\begin{lrbox}{\gone}}{\end{lrbox}}",
        r"\NewDocumentEnvironment{long}{o +b}{}{}",
        r"\newenvironment{long}{\begin{inner}}{\end{inner}}\excludecomment{inner}",
        r"\newenvironment{long}{\inner}{\endinner}\newenvironment{inner}{\comment}{\endcomment}",
        r"\newif\ifdraft\ifdraft a\fi\newenvironment{long}{\comment}{\endcomment}",
        r"\lstnewenvironment{long}[1][]{\lstset{#1}}{}",
        r"\DefineVerbatimEnvironment{long}{Verbatim}{fontsize=\small}",
        r"\newtcblisting[auto counter]{long}[2][]{listing only, title=#2}",
        r"\NewTCBListing{long}{ O{} }{colback=red, listing only}",
    ],
)
def test_what_an_excluded_environment_holds_is_not_there(reads: Reader, said: str) -> None:
    old = rf"\begin{{long}}\begin{{proof}}Old.{STALE}\end{{long}}"
    text = (
        said + rf"\begin{{lemma}}\label{{c}}C{old} D\end{{lemma}}{old}\begin{{proof}}P\end{{proof}}"
    )
    found = reads(text)
    assert found.texts == ("\x040\x05C D", "P")
    assert [label.key for label in found.reading.labels] == ["c"]
    assert found.references == ()
    assert found.reading.problems == ()


@pytest.mark.parametrize(
    "said",
    [
        "",
        r"\NewEnviron{long}{\BODY}",
        r"\NewEnviron{long}{\print}",
        r"\newtcblisting{long}{colback=red}",
        r"\excludecomment{longer}",
        r"\excludecomment{long}\includecomment{long}",
        r"\newcommand{\on}[1]{\includecomment{#1}}\excludecomment{long}",
        r"\newenvironment{long}{}{}\excludecomment{long}",
        r"\newcommand{\short}{\excludecomment{long}}",
        r"\NewEnviron{long}",
        r"\newenvironment{long}{\begin{quote}}{\end{quote}}",
        r"\newenvironment{long}{\comment}{\endcomment}\renewenvironment{long}{}{}",
        r"\ifshort\newenvironment{long}{\comment}{\endcomment}\fi",
        r"\newcommand{\short}{\renewenvironment{long}{\comment}{\endcomment}}",
        r"\newenvironment{long}{\setbox0\vbox\bgroup}{\egroup\box0}",
        r"\newenvironment{long}{\begin{lrbox}{\kept}}{\end{lrbox}}\AtEndDocument{\usebox{\kept}}",
        r"\NewDocumentEnvironment{long}{+b}{#1}{}",
        r"\NewDocumentEnvironment{long}{m}{}{}",
        r"\let\long\quote \let\endlong\endquote",
        r"\newenvironment{long}{\begin{inner}}{\end{inner}}\newenvironment{inner}{}{}",
        r"\newenvironment{long}{\begin{long}}{\end{long}}",
    ],
)
def test_an_environment_that_may_be_printed_is_read(reads: Reader, said: str) -> None:
    text = rf"{said}\begin{{long}}{STALE}\end{{long}}"
    assert [label.key for label in reads(text).reading.labels] == ["a"]


def test_an_excluded_environment_without_an_end_is_read(reads: Reader) -> None:
    found = reads(rf"\excludecomment{{long}}\begin{{long}}{STALE}")
    assert [label.key for label in found.reading.labels] == ["a"]


def test_theorems_and_proofs_are_read_even_where_they_are_excluded(reads: Reader) -> None:
    found = reads(rf"\excludecomment{{lemma}}\excludecomment{{proof}}{STALE}")
    assert [label.key for label in found.reading.labels] == ["a"]


def test_what_a_macro_drops_and_elsewhere_prints_is_there() -> None:
    macros = {"hide": Macro(("m",), "")}
    declared = Declared(macros=macros, variants=(("hide", Macro(("m",), "#1")),))
    found = parse_latex_file(SplicedSource(rf"\hide{{{STALE}}}"), build(declared)).reading
    assert [label.key for label in found.labels] == ["a"]
