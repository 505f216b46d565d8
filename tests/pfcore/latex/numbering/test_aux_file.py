import pytest

from pfcore.latex.numbering.aux_file import parse_aux_file
from pfcore.latex.numbering.counter_state import Number

TABLE = [
    (r"\newlabel{a}{{1.2}{3}}", Number("1.2", "", True)),
    (r"\newlabel{a}{{1.2}{3}{Title {x}}{theorem.1.2}{}}", Number("1.2", "theorem", True)),
    (
        r"\newlabel{a}{{4}{3}{}{equation.4}{}}\newlabel{a@cref}{{[lemma][4][]4}{[1][3][]3}}",
        Number("4", "lemma", True),
    ),
    (r"\newlabel{a@cref}{{odd}{}}\newlabel{a}{{\textup {(1)}}{3}}", Number("(1)", "", True)),
    (r"\newlabel{a}{{{\M@TitleReference {2}{T $x$}}}{3}}", Number("2", "", True)),
    (r"\newlabel{a}{{\M@TitleReference {2}{T}}{3}}", Number("2", "", True)),
    (r"\newlabel{a}{{Appendix\nobreakspace  A}{3}}", Number("Appendix A", "", True)),
    (r"\newlabel{a}{{$\star $}{3}}", Number(r"$\star $", "", False)),
    (r"\newlabel{a}{{1}{3}}\newlabel{a}{{2}{3}}", Number("2", "", False)),
    (r"\newlabel{a}{{1}{3}}\newlabel{b}{{2", Number("1", "", True)),
]


@pytest.mark.parametrize(("text", "number"), TABLE)
def test_a_label_has_its_number_and_kind(text: str, number: Number) -> None:
    assert parse_aux_file(text).labels["a"] == number


@pytest.mark.parametrize("text", ["", "\\newlabel", "\\newlabel{a}", "\\newlabel{a}{{", "\x00{"])
def test_garbage_has_no_labels(text: str) -> None:
    assert parse_aux_file(text).labels == {}


def test_further_files_are_named() -> None:
    assert parse_aux_file(r"\@input{one.aux}\relax\@input{two.aux}").inputs == (
        "one.aux",
        "two.aux",
    )
