from collections.abc import Callable

import pytest

from pfcore.latex.blocks.canonical import MENTION
from pfcore.latex.reader import Read

Reader = Callable[..., Read]


def text_of(reads: Reader, body: str, preamble: str = "") -> str:
    return reads(f"{preamble}\n\\begin{{lemma}}{body}\\end{{lemma}}").texts[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a  b\n c", "a b c"),
        ("a % comment\nb", "a b"),
        (r"\label{x}a", r"a"),
        (r"a\label{x} b", r"a b"),
        (r"a\index{x} b", "a b"),
        (r"\leanok\lean{X}\uses{y}a", "a"),
        (r"$a + b$", "$a+b$"),
        (r"\[ a + b \]", r"\[a+b\]"),
        (r"\begin{align} a & = b \\ c & = d \end{align}", r"\begin{align}a&=b\\c&=d\end{align}"),
        (r"see Lemma~\ref{x}", r"see \ref{x}"),
        (r"by \cref{x}", r"by Lemma \ref{x}"),
        (r"by (\ref{x})", r"by (\eqref{x})"),
        (r"a\vspace{2mm} b", "a b"),
        (r"\noindent a", "a"),
    ],
)
def test_texts_that_read_alike_are_alike(reads: Reader, one: str, other: str) -> None:
    first, second = (reads(rf"\begin{{lemma}}{body}\end{{lemma}}") for body in (one, other))
    assert first.reading.blocks[0].digest == second.reading.blocks[0].digest


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a b", "ab"),
        (r"$\text{a b}$", r"$\text{ab}$"),
        (r"$\alpha b$", r"$\alphab$"),
        (r"$a\ b$", "$ab$"),
        (r"by \ref{x} and \ref{y}", r"by \ref{x}"),
        (r"\cite{a}", r"\cite{b}"),
        ("a--b", "a-b"),
    ],
)
def test_texts_that_read_otherwise_differ(reads: Reader, one: str, other: str) -> None:
    assert text_of(reads, one) != text_of(reads, other)


@pytest.mark.parametrize(
    ("macro", "used", "by_hand"),
    [
        (r"\newcommand{\st}[1]{\mathfrak#1}", r"$\st{M}$", r"$\mathfrak M$"),
        (r"\newcommand{\st}[1]{\mathfrak#1}", r"$\st M_1$", r"$\mathfrak M_1$"),
        (r"\newcommand{\st}[1]{#1x}", r"$\st{\alpha}$", r"$\alpha x$"),
        (r"\newcommand{\st}[1]{#1x}", r"$\st\alpha$", r"$\alpha x$"),
        (r"\newcommand{\st}[3]{#1#2#3}", r"$\st{\alpha}{}{y}$", r"$\alpha y$"),
        (r"\newcommand{\st}[2][y]{#2#1}", r"$\st{\alpha}$", r"$\alpha y$"),
        (r"\newcommand{\st}[1]{\mathfrak#1}", r"$\st{1}\st{\pi}$", r"$\mathfrak1\mathfrak\pi$"),
        (r"\newcommand{\st}[1]{\bar\in#1}\newcommand{\no}{}", r"$\st{\no x}$", r"$\bar\in x$"),
    ],
)
def test_an_argument_does_not_run_together_with_a_command(
    reads: Reader, macro: str, used: str, by_hand: str
) -> None:
    assert text_of(reads, used, macro) == text_of(reads, by_hand)


MACROS = [
    (r"\newcommand{\%s}{\mathbb{R}}", r"$\%s^n$"),
    (r"\newcommand{\%s}[2]{\langle #1,#2\rangle}", r"$\%s{a}{b}$ and $\%s ab$"),
    (r"\newcommand{\%s}[2][x]{#1/#2}", r"$\%s[a]{b}\%s{c}$"),
    (r"\def\%s(#1){[#1]}", r"$\%s(a)$"),
    (r"\DeclareMathOperator{\%s}{Hom}", r"$\%s(a)$"),
    (r"\newcommand{\%s}[1]{Lemma~\ref{lem:#1}}", r"by \%s{a}."),
    (r"\newcommand{\%s}[1]{\%s{#1}}", r"$\%s{a}$"),
    (
        r"\NewDocumentCommand{\%s}{s o m}{\IfBooleanTF{#1}{*}{}\IfNoValueTF{#2}{#3}{#2#3}}",
        r"\%s*[a]{b}\%s{c}",
    ),
]


@pytest.mark.parametrize(("definition", "body"), MACROS)
def test_renaming_a_macro_changes_no_text(reads: Reader, definition: str, body: str) -> None:
    first, second = (
        text_of(reads, body.replace("%s", name), definition.replace("%s", name))
        for name in ("foo", "bar")
    )
    assert first == second
    assert "foo" not in first


@pytest.mark.parametrize(
    ("preamble", "body", "text"),
    [
        (r"\newcommand{\R}{\mathbb{R}}", r"$\R^n$", r"$\mathbb{R}^n$"),
        (r"\newcommand{\a}{x}\newcommand{\b}{\a y}", r"\b", "x y"),
        (r"\newcommand{\a}{\alpha}", r"$\a b$", r"$\alpha b$"),
        (r"\newcommand{\a}[1]{<#1>}\newcommand{\b}{y}", r"\a{\a{\b}}", "<<y>>"),
        (r"\newcommand{\a}[1]{<#1>}\newcommand{\b}[1]{\a{\a{#1}}}", r"\b{z}", "<<z>>"),
        (r"\newcommand{\a}[1]{<#1>}", r"\a", r"\macro{"),
        (r"\newcommand{\tm}{TM}", r"a \tm\ b", r"a TM\ b"),
        (r"\let\eps\varepsilon", r"$\eps$", r"$\varepsilon$"),
        (r"\newcommand{\a}[1][d]{<#1>}", r"\a{} \a[x]", "<d>{} <x>"),
        (
            r"\newcommand{\it}{\begin{enumerate}\item}\newcommand{\ti}{\end{enumerate}}",
            r"\it a\ti",
            r"\begin{enumerate} \item a \end{enumerate}",
        ),
        (r"\newcommand{\a}{\b}", r"\a", r"\b"),
    ],
)
def test_macros_are_expanded(reads: Reader, preamble: str, body: str, text: str) -> None:
    assert text_of(reads, body, preamble).startswith(text)


@pytest.mark.parametrize(
    ("sentence", "form"),
    [
        (r"By Lemma~\ref{x}, we win.", "used"),
        (r"by \cref{x}", "used"),
        (r"\crefrange{x}{y}", "range"),
        (r"as in the proof of Lemma~\ref{x}", "proof"),
        (r"Proof of \ref{x}", "proof"),
        (r"compare Lemma~\ref{x}", "aside"),
        (r"Cf. Theorem \ref{x}", "aside"),
        (r"see also \ref{x}", "aside"),
        (r"this completes the proof of Theorem~\ref{x}", "aside"),
        (r"We now prove Theorem~\ref{x}", "aside"),
        (r"a generalization of \ref{x}", "aside"),
        (r"the converse of Lemma \ref{x}", "aside"),
        (r"It is used in the proof of \ref{x}", "aside"),
        (r"It follows from \ref{x}", "used"),
        (r"(see Lemma \ref{x})", "reference"),
    ],
)
def test_the_words_before_a_reference_say_how_it_is_meant(
    reads: Reader, sentence: str, form: str
) -> None:
    block = reads(rf"\begin{{lemma}}{sentence}\end{{lemma}}").reading.blocks[0]
    assert block.mentions[0].form == form


def test_a_list_of_references_goes_on_as_it_began(reads: Reader) -> None:
    body = r"as in the proofs of Lemmas~\ref{x}, \ref{y} and \ref{z}. By \ref{w}"
    text = rf"\begin{{lemma}}{body}\end{{lemma}}"
    forms = [mention.form for mention in reads(text).reading.blocks[0].mentions]
    assert forms == ["proof", "proof", "proof", "used"]


@pytest.mark.parametrize(
    ("preamble", "body"),
    [
        (r"\newcommand{\hide}[1]{}", r"\hide{See Lemma 3.} By Lemma 5, and Lemma 7."),
        (r"\newcommand{\hide}[1]{}", r"By Lemma 5\hide{ or the previous lemma}, and Lemma 7."),
        (
            r"\newcommand{\hide}[1]{}\newcommand{\no}[1]{\hide{#1}}",
            r"By Lemma 5\no{Step 1}, Lemma 7.",
        ),
        (r"\def\hide#{}", r"\hide{by Lemma 3}By Lemma 5 and Lemma 7."),
    ],
)
def test_what_a_macro_drops_mentions_nothing(reads: Reader, preamble: str, body: str) -> None:
    made = reads(f"{preamble}\n\\begin{{lemma}}{body}\\end{{lemma}}")
    block, text = made.reading.blocks[0], made.texts[0]
    assert [item.keys for item in block.mentions] == [("Lemma 5",), ("Lemma 7",)]
    assert MENTION.findall(text) == ["0", "1"]


def test_a_mention_that_a_macro_makes_stands_where_the_macro_stands(reads: Reader) -> None:
    preamble = (
        r"\newcommand{\lemref}[1]{Lemma~\ref{lem:#1}}"
        r"\newcommand{\two}[2]{\lemref{#1} and \lemref{#2}}"
    )
    text = preamble + r"\begin{lemma}by \two{a}{b}, \lemref{c}\end{lemma}"
    mentions = reads(text).reading.blocks[0].mentions
    assert [mention.keys for mention in mentions] == [("lem:a",), ("lem:b",), ("lem:c",)]
    assert [text[m.start : m.end] for m in mentions] == [
        r"\two{a}{b}",
        r"\two{a}{b}",
        r"\lemref{c}",
    ]
    assert reads(text).texts == ("by \x020\x03 and \x021\x03, \x022\x03",)


def test_a_reference_command_under_another_name_is_that_command(reads: Reader) -> None:
    preamble = r"\let\oldref\ref\renewcommand{\ref}[1]{\oldref{p:#1}}"
    text = preamble + r"\begin{lemma}\ref{a}\oldref{b}\end{lemma}"
    assert [m.keys for m in reads(text).reading.blocks[0].mentions] == [("p:a",), ("b",)]


@pytest.mark.parametrize(
    "preamble",
    [
        "".join(rf"\def\x{chr(97 + i)}{{{(chr(92) + 'x' + chr(98 + i)) * 2}}}" for i in range(25)),
        "".join(rf"\def\x{chr(97 + i)}{{{(chr(92) + 'x' + chr(98 + i)) * 9}}}" for i in range(9))
        + r"\def\xj{\ref{a}}",
        r"\def\xa{\xa\xa}",
        r"\def\xa{\xb}\def\xb{\xa\ref{c}\xa}",
        r"\def\xa#1{\xa{#1#1}}",
        r"\def\xa{" + "y" * 30_000 + "}",
    ],
)
def test_expansion_is_bounded(reads: Reader, preamble: str) -> None:
    text = text_of(reads, r"\xa{\xa} " * 20, preamble)
    assert len(text) < 5_000_000


def test_thousands_of_nested_uses_need_no_deep_recursion(reads: Reader) -> None:
    body = r"\d{" * 3_000 + "x" + "}" * 3_000
    assert len(text_of(reads, body, r"\def\d#1{<#1>}")) < 200_000
    assert text_of(reads, body, r"\def\d#1{\ref{a}#1}")


def test_a_recursive_macro_reads_alike_whichever_is_met_first(reads: Reader) -> None:
    preamble = r"\def\xa{a\xb}\def\xb{b\xa}"
    first, second = text_of(reads, r"\xa|\xb", preamble), text_of(reads, r"\xb|\xa", preamble)
    assert first.split("|") == second.split("|")[::-1]


def test_what_a_macro_leads_to_counts_where_it_is_not_expanded(reads: Reader) -> None:
    one = text_of(reads, r"\xa", r"\def\xa{\xa\xb}\def\xb{1}")
    other = text_of(reads, r"\xa", r"\def\xa{\xa\xb}\def\xb{2}")
    assert one != other


def test_control_characters_of_the_source_are_no_marks(reads: Reader) -> None:
    assert text_of(reads, "a\x020\x03 \x040\x05b\x06") == "a 0 0 b"


def test_a_page_number_is_no_reference(reads: Reader) -> None:
    reading, texts, references = reads(r"\begin{lemma}see p.~\pageref{x}\end{lemma}")
    assert texts == ("see p. [page]",)
    assert reading.blocks[0].mentions == ()
    assert references[0].keys == ("x",)


OPTIONAL = (
    r"\def\f{\@ifnextchar[{\f@}{\f@[d]}}\def\f@[#1]#2{<#1|#2>}"
    r"\def\s{\@ifstar{\s@star}{\s@}}\def\s@star#1{*#1*}\def\s@#1{(#1)}"
    r"\newcommand{\both}{\@ifstar{\@testopt{\two}{d}}{\f}}\def\two[#1]#2{#1/#2}"
    r"\newcommand{\wrap}[1]{\f[#1]}\newcommand{\last}{\f}\newcommand{\mid}{\f{m}.}"
    r"\newcommand{\lemref}{\@ifstar{\ref}{Lemma~\cref}}\newcommand{\again}{\cref}"
)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"\f[a]{b}.", "<a|b>."),
        (r"\f {b}.", "<d|b>."),
        (r"\f b.", "<d|b>."),
        (r"\f [a] {\f{b}}.", "<a|<d|b>>."),
        (r"\s*{a}\s{a} \s* a", r"*a*(a) *a*"),
        (r"\both*[a]{b}\both*{b}\both[a]{b}\both b", "a/bd/b<a|b><d|b>"),
        (r"\wrap{a}{b}.", "<a|b>."),
        (r"\last[a]{b}\last b.", "<a|b><d|b>."),
        (r"\mid[a]", "<d|m>.[a]"),
        (r"\lemref{a} \lemref*{b} \again{c}.", "\x020\x03 \x021\x03 \x022\x03."),
    ],
)
def test_what_looks_ahead_is_decided_where_it_is_used(reads: Reader, body: str, text: str) -> None:
    made = text_of(reads, body, OPTIONAL)
    assert made == text


def test_the_names_of_what_looks_ahead_do_not_matter(reads: Reader) -> None:
    body = r"\f[a]{b} \s* a \both*b \last{c} \mid"
    renamed = [text.replace(r"\f", r"\g") for text in (body, OPTIONAL)]
    assert text_of(reads, body, OPTIONAL) == text_of(reads, *renamed)


@pytest.mark.parametrize(
    "preamble",
    [
        r"\def\f{\expandafter\@ifnextchar\expandafter[{\a}{\b}}\def\a[#1]{}",
        r"\let\f\@ifnextchar",
    ],
)
def test_a_look_ahead_that_cannot_be_decided_stays_as_it_is(reads: Reader, preamble: str) -> None:
    made = text_of(reads, r"\f[x]y", preamble)
    assert r"\@ifnextchar" in made
    assert made.endswith("[x]y")


@pytest.mark.acceptance
@pytest.mark.parametrize(
    "preamble",
    [
        "".join(rf"\def\x{chr(97 + i)}{{{(chr(92) + 'x' + chr(98 + i)) * 2}}}" for i in range(22))
        + r"\def\xw{\@ifstar{a}{b}}",
        r"\def\xa#1{\@ifstar{\xb}{\xb}{#1}}\def\xb#1{#1}",
        r"\def\xa{\@ifstar{\xa}{\xa}}",
        r"\def\xa{\@ifnextchar\xa{\xb}{\xb}}\def\xb{\@ifstar{}{}}",
    ],
)
def test_looking_ahead_is_bounded(reads: Reader, preamble: str) -> None:
    body = r"\xa{" * 2_000 + "x" + "}" * 2_000 + r"\xa" * 2_000
    assert len(text_of(reads, body, preamble)) < 5_000_000
