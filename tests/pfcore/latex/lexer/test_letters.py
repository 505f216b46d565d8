import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pfcore.latex.lexer.letters import (
    behind_word,
    letters_in_place,
    printed_letters,
    with_letters,
)


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        (r"d\"unn d\"{u}nn d{\"u}nn d{\"{u}}nn", "dünn dünn dünn dünn"),
        (r"na\"ive na\"{\i}ve na\"\i ve na\"\i{}ve na{\"\i}ve", "naïve naïve naïve naïve naïve"),
        (r"hei{\ss}t hei\ss t hei\ss{}t", "heißt heißt heißt"),
        (
            r"th\'eor\`eme, fran\c{c}ais, fran\c cais, c{\oe}ur",
            "théorème, français, français, cœur",
        ),
        (
            r"Erd\H{o}s, \v{C}ech, \L o\'s, \AA, \O{}re, \.Z, \={a}",
            "Erdős, Čech, Łoś, Å, Øre, Ż, ā",
        ),
        ("du\u0308nn e\u0301", "dünn é"),
        (r"\emph{\"u} \textbf {\ss} \foo{{\"u}} x_{\'e}", r"\emph{ü} \textbf {ß} \foo{ü} x_{é}"),
        (r"\foo\'e", r"\foo é"),
        (r"a \\ 'e \\\'e \\ss", r"a \\ 'e \\é \\ss"),
        (
            r"\ssx \'' \'1 \~{} \=a \cite{c} \v{x} \'{ab}",
            r"\ssx \'' \'1 \~{} \=a \cite{c} \v{x} \'{ab}",
        ),
    ],
)
def test_letters_are_those_that_are_printed(typed: str, printed: str) -> None:
    assert printed_letters(typed) == printed
    assert with_letters(typed) == printed


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (r"\emph{\textcolor{Maroon}{near-tame} maps}", r"\emph{near-tame maps}"),
        (r"\emph{\textcolor[rgb]{0.5,1,0}{h\'e{x}}}", r"\emph{hé{x}}"),
        (r"\textbf{\color{red!50} tame}", r"\textbf{ tame}"),
        (r"\textcolor{red}{tame}", r"\textcolor{red}{tame}"),
        (r"\emph{\textcolor{red}{tame", r"\emph{\textcolor{red}{tame"),
    ],
)
def test_the_name_of_a_colour_is_no_word_of_what_is_marked(typed: str, shown: str) -> None:
    assert with_letters(typed) == shown
    assert len(letters_in_place(typed)) == len(typed)


def test_shorthands_of_german_texts_are_letters_for_a_look_at_words() -> None:
    assert with_letters('hei"st gr"o"ser, ein "guter" Satz') == 'heißt größer, ein "guter" Satz'
    assert printed_letters('hei"st') == 'hei"st'


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (r"hei{\ss}t d\"unn, wenn", "heißt     dünn  , wenn"),
        (r"\emph{d\"{u}nn}.", r"\emph{dünn    }."),
        (r"l'\'etale d{\"u}", "l'étale   dü    "),
        ("plain words", "plain words"),
    ],
)
def test_words_stay_where_they_are_with_blanks_behind_them(typed: str, shown: str) -> None:
    assert letters_in_place(typed) == shown


def test_a_word_ends_behind_the_blanks_that_stand_for_the_rest_of_it() -> None:
    typed = r"so d\"unn, ja"
    shown = letters_in_place(typed)
    assert typed[3 : behind_word(typed, shown, shown.index("dünn") + 4)] == r"d\"unn"
    assert behind_word(typed, shown, 2) == 2


PIECES = st.lists(
    st.sampled_from(
        [*"'`^\"~.=cvuHkrdaeios {}x_^,\n", "\\", "\\ss", "\\i", "{\\ss}", "\u0308", '\\"u', "ü"]
    ),
    max_size=14,
).map("".join)


@given(PIECES)
def test_a_text_in_place_is_as_long_and_says_the_same(text: str) -> None:
    shown = letters_in_place(text)
    assert len(shown) == len(text)
    assert "".join(shown.split()) == "".join(with_letters(text).split())


@given(PIECES)
@example("\\ssu\u0308")
def test_letters_are_made_once(text: str) -> None:
    assert printed_letters(printed_letters(text)) == printed_letters(text)


@pytest.mark.parametrize("piece", ["\\", "{", '\\"', "{\\'", 'a"', "\\'{", "\\ss", 'x\\"u', "\\c "])
def test_hostile_text_takes_time_in_proportion(piece: str) -> None:
    taken = []
    for size in (8_000, 128_000):
        text = piece * (size // len(piece))
        before = time.process_time()
        printed_letters(text)
        letters_in_place(text)
        taken.append(time.process_time() - before)
    assert taken[1] < max(1.5, 60 * taken[0])
