import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.latex import codec
from pfcore.latex.macros.definitions import Definition
from pfcore.latex.macros.macro import Macro
from pfcore.latex.project.declaring_macros import MacroDeclarations
from pfcore.latex.project.survey import survey_file
from pfcore.latex.reader import Read

TEXT = r"""\documentclass[a]{b}\newtheorem{lem}{Lemma}
\newenvironment{e}[1][x]{\begin{lem}}{\end{lem}}
\newcommand{\x}[2][d]{#1}\newproof{pf}{P}\def\y(#1){z}\providecommand\w{}\excludecomment{v}\includecomment{w}
\begin{document}\section{S \ref{t}}\input{f}
\begin{lem}[T]\label{a}\cref{b,c} \emph{tame ring}\uses{u}\lean{L}\leanok \cite{K}\end{lem}
\begin{pf}[Proof of \ref{a}] x\end{pf} Throughout this section, let $R$ be a ring.
\begin{definition}\emph{tame ring}\end{definition}\begin{equation}\label{q}\end{equation}
\begin{center} % pf: ignore[a] b
\end{document}"""


def test_a_survey_comes_back_as_it_was() -> None:
    found = survey_file(TEXT, note="é")
    assert codec.decode_survey(codec.dump(found)) == found


def test_a_reading_comes_back_as_it_was(reads: Callable[[str], Read]) -> None:
    reading, texts, references = reads(TEXT)
    assert all((reading.blocks, reading.labels, reading.sections, reading.includes))
    assert all((reading.cited, reading.problems, reading.ignores, reading.vocabulary))
    back = codec.decode_parsed_file(codec.dump(reading))
    assert back == reading
    assert hash(back) == hash(reading)
    assert codec.texts(codec.dump(texts)) == texts
    assert codec.references(codec.dump(references)) == references


def test_what_macros_make_comes_back_as_it_was() -> None:
    found = survey_file(TEXT)
    made = MacroDeclarations(
        found.theorems, found.environments, (Definition(1, 2, "x", Macro(("m",), ""), True),)
    )
    assert codec.decode_macro_declarations(codec.dump(made)) == made


@given(st.lists(st.lists(st.text(alphabet="ab\x02\ud800é"))))
def test_terms_come_back_as_they_were(value: list[list[str]]) -> None:
    assert codec.used(codec.dump(value)) == tuple(map(tuple, value))


def test_a_reading_without_blocks_comes_back_as_it_was(reads: Callable[[str], Read]) -> None:
    reading = reads(r"\section{S} \ref{a} \label{b}").reading
    assert reading.blocks == ()
    assert codec.decode_parsed_file(codec.dump(reading)) == reading


@pytest.mark.parametrize("count", [1, 2, 3])
def test_like_blocks_come_back_as_they_were(reads: Callable[[str], Read], count: int) -> None:
    reading = reads(r"\begin{lemma}By \ref{a}.\end{lemma}" * count).reading
    assert len(reading.blocks) == count
    assert codec.decode_parsed_file(codec.dump(reading)) == reading


def test_a_reading_by_rows_as_it_once_was_kept_is_a_value_error(
    reads: Callable[[str], Read],
) -> None:
    by_rows = json.dumps(tuple(reads(TEXT).reading))
    with pytest.raises(ValueError, match="no reading"):
        codec.decode_parsed_file(by_rows)


def test_a_column_of_a_table_that_is_too_short_is_a_value_error(
    reads: Callable[[str], Read],
) -> None:
    values = json.loads(codec.dump(reads(TEXT).reading))
    values[0][1][1][0].pop()
    with pytest.raises(ValueError, match=r".*"):
        codec.decode_parsed_file(json.dumps(values))


@pytest.mark.parametrize(
    "decode", [codec.decode_survey, codec.decode_parsed_file, codec.decode_macro_declarations]
)
@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", "1", "null", '["a"]', json.dumps([[1]] * 20)]
)
def test_what_cannot_be_read_is_a_value_error(decode: Callable[[str], object], text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        decode(text)
