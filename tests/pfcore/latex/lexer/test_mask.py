import time

import pytest

from pfcore.latex.lexer.mask import mask


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a % b\nc", "a    \nc"),
        ("a\n  % b\nc", "a\n     c"),
        (r"50\% of", r"50\% of"),
        (r"a \\% b", r"a \\   "),
        (r"\verb|%| x", "x"),
        (r"\verb*+a+b", "b"),
        (r"\lstinline{a}b", "b"),
        (r"\lstinline[language=TeX]{\begin{lemma}}b", "b"),
        (r"\mintinline{latex}{\begin{lemma}}b", "b"),
        (r"\mintinline[a=b]{c++}|\begin{lemma}|b", "b"),
        (r"\mint{latex}|\begin{lemma}|b", "b"),
        (r"\mintinline{latex}", ""),
        (r"\iffalse x \else y \fi", r"y \fi"),
        (r"\iffalse \ifx a \fi b \fi c", "c"),
        (r"\begin{comment}x\end{comment}y", "y"),
        (r"\begin{verbatim}\lemma\end{verbatim}y", "y"),
        (r"a\endinput b", "a"),
        (r"\{ a\endinput b", r"\{ a"),
        (r"\def\x{\endinput}b\endinput c", r"\def\x{\endinput}b"),
        ("\\def\\x{% }\n\\endinput} b", "\\def\\x{   \n\\endinput} b"),
        ("\\end{document}\\begin{lemma}", "\\end{document}"),
        ("a\x02b\x06c\x7f", "a b c"),
        (r"$a \iff b$", r"$a \iff b$"),
        (r"\iffalse \iff \fi c", "c"),
        (r"\let\ifx\iffalse a \ifx b \fi", r"\let\ifx\iffalse a \ifx b \fi"),
        (r"\let\csname ify\endcsname=\iffalse a\fi", r"\let\csname ify\endcsname=\iffalse a\fi"),
        (r"\iffalse a\let\ifx\iffalse b\fi c", "c"),
    ],
)
def test_what_latex_does_not_print_is_blanked_at_its_place(text: str, shown: str) -> None:
    masked = mask(text).text
    assert len(masked) == len(text)
    assert " ".join(masked.split()) == " ".join(shown.split())


def test_every_visible_character_keeps_its_offset() -> None:
    text = "a % b\nc \\iffalse d \\fi e\n\\verb|f| g"
    masked = mask(text).text
    assert all(masked[i] in (" ", "\n", text[i]) for i in range(len(text)))
    assert masked.index("g") == text.index("g")


def test_a_comment_on_its_own_line_parts_no_paragraph() -> None:
    assert "\n" not in mask("a\n% b\nc").text[2:]
    assert mask("a % b\n\nc").text.endswith("\n\nc")


@pytest.mark.parametrize(
    "hidden",
    [
        "\\iffalse\nb\n\nc\n\\fi",
        "\\begin{comment}\nb\n\\end{comment}",
        "\\iffalse b\\fi % what follows is new",
        "\\iffalse b\\fi \\begin{comment}\nc\n\\end{comment}% new",
    ],
)
def test_what_is_hidden_on_lines_of_its_own_parts_no_paragraph(hidden: str) -> None:
    lines = mask(f"a\n {hidden} \nc").text.split("\n")
    assert [line.strip() for line in lines] == ["a", "c"]
    lines = mask(f"a\n{hidden}\n\nc").text.split("\n")
    assert [line.strip() for line in lines] == ["a", "", "c"]
    lines = mask(f"a {hidden}\nc").text.split("\n")
    assert [line.strip() for line in lines] == ["a", "c"]


@pytest.mark.parametrize("code", ["\\verb|b|", "\\begin{verbatim}\nb\n\\end{verbatim}"])
def test_a_comment_behind_code_ends_a_line_that_is_printed(code: str) -> None:
    assert mask(f"a\n{code} % b\n\nc").text.endswith("\n\nc")
    assert mask(f"a\n{code} \\iffalse b\\fi\nc").text.endswith("\nc")


def test_comments_are_kept_as_written() -> None:
    found = mask("a % pf: ignore[x] why\n% b").comments
    assert [comment.text for comment in found] == ["% pf: ignore[x] why", "% b"]
    assert [comment.start for comment in found] == [2, 22]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (r"\begin{verbatim} a", "verbatim"),
        (r"\begin{comment} a", "comment"),
        (r"\iffalse a", r"\iffalse"),
        (r"\iffalse \ifx a \fi", r"\iffalse"),
    ],
)
def test_what_nothing_closes_is_reported_and_hides_itself_only(text: str, name: str) -> None:
    masked = mask(text)
    assert masked.unclosed == ((0, name),)
    assert masked.text.split() == text.split()[1:]


@pytest.mark.parametrize("text", [r"\verb", r"\verb |a|", "\\verb|a\n|", r"\verb|a"])
def test_a_verb_without_its_end_hides_itself_only(text: str) -> None:
    assert mask(text + " b").text.startswith("     ")
    assert mask(text + " b").text.endswith(" b")


def test_code_that_is_printed_is_told_from_what_is_hidden() -> None:
    text = r"\verb|a| \begin{comment}b\end{comment}\begin{lstlisting}c\end{lstlisting}%d"
    masked = mask(text)
    assert masked.printed.split() == [r"\verb|a|", r"\begin{lstlisting}c\end{lstlisting}"]
    assert len(masked.printed) == len(masked.text) == len(text)
    assert not masked.text.strip()


def test_code_cannot_bring_control_characters_in() -> None:
    assert mask("\\verb|\x020\x03|").printed == "\\verb| 0 |"


def test_a_second_unclosed_environment_of_a_name_is_reported_too() -> None:
    masked = mask(r"\begin{verbatim} a \begin{verbatim} b")
    assert [name for _, name in masked.unclosed] == ["verbatim", "verbatim"]


def test_a_stray_fi_or_else_closes_nothing() -> None:
    assert mask(r"\fi \else \iffalse a \fi b").text.split() == [r"\fi", r"\else", "b"]


def test_a_masked_part_that_ends_a_line_keeps_the_line_end() -> None:
    text = "\\end{document}\nnotes\n"
    assert mask(text).text.endswith("\n")


def test_endinput_inside_a_definition_ends_nothing():
    text = "\\newcommand{\\stop}{\n \\endinput\n}\n\\newcommand{\\x}{1}\n\\endinput\n\\ref{a}"
    found = mask(text).text
    assert "\\newcommand{\\x}" in found
    assert "\\ref" not in found


@pytest.mark.parametrize(
    "body",
    [
        "\\newcommand{\\fileend}{\n  \\ifpart\n  \\end{document}\n  \\fi\n}",
        "\\def\\fileend#1{\n  {\\small #1}%\n  \\end{document}}",
        "\\NewDocumentCommand{\\fileend}{O{} m}{\n\\end{document}\n}",
        "\\newenvironment{part}[1]{\n\\begin{document}\n}{\n\\end{document}\n}",
        "\\AtEndDocument{\n\\end{document}\n}",
    ],
)
def test_the_end_of_the_document_inside_a_definition_ends_nothing(body: str) -> None:
    """The macro stands in a preamble that goes on for long."""
    assert "\\newtheorem" in mask(f"{body}\n\\newtheorem{{a}}{{A}}\n").text


@pytest.mark.parametrize(
    "body",
    ["\\section{Last \\end{document}", "{\\bf x \n\\end{document}", "\\def\\a{b}\n\\end{document}"],
)
def test_the_end_of_the_document_in_an_open_group_ends_it(body: str) -> None:
    assert "\\ref" not in mask(f"{body}\n\\ref{{a}}\n").text


@pytest.mark.parametrize(
    "piece", ["\\def\\x{\\end{document}}\n", "{" * 40 + "\\def\\x{\\end{document}"]
)
def test_ends_of_documents_in_definitions_without_end_take_no_time(piece: str) -> None:
    start = time.process_time()
    mask(piece * (300_000 // len(piece)))
    assert time.process_time() - start < 1


@pytest.mark.parametrize("command", ["\\url{http://x.y/%7Ez}", "\\href{http://x.y/%20}{here}"])
def test_a_percent_sign_in_an_address_is_a_letter(command: str) -> None:
    assert mask(f"See {command}. End").text == f"See {command}. End"


def test_a_percent_sign_behind_an_address_is_a_comment() -> None:
    assert mask("\\url{http://x.y}% here\nEnd").comments[0].text == "% here"
