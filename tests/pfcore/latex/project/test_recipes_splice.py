from pfcore.latex.macros.macro_table import MacroChange
from pfcore.latex.project.recipes import Inset, Joined, SplicedSource

OUTER = "ab % c\n<1>de<2>f"


def joined() -> Joined:
    one = SplicedSource(
        "X\\verb|%|",
        silent=[(0, 1)],
        changes=[MacroChange(-1, "x", None), MacroChange(1, "y", None)],
    )
    two = SplicedSource("Y<3>", insets=[Inset(1, 4, SplicedSource("ZZ"))])
    changes = [MacroChange(0, "p", None), MacroChange(7, "q", None), MacroChange(13, "r", None)]
    insets = [Inset(12, 15, two), Inset(7, 10, one), Inset(8, 9, one)]
    return Joined(SplicedSource(OUTER, silent=[(10, 11)], changes=changes, insets=insets))


def test_the_texts_are_put_in_masked_each_by_itself() -> None:
    made = joined()
    assert made.text == "ab    \nX        deYZZf"
    assert made.printed == "ab    \nX\\verb|%|deYZZf"


def test_spans_and_changes_move_with_the_text() -> None:
    made = joined()
    assert [made.text[slice(*span)] for span in made.silent] == ["X", "d"]
    assert [(change.offset, change.name) for change in made.changes] == [
        (0, "p"),
        (8, "y"),
        (16, "q"),
        (21, "r"),
    ]


def test_offsets_lead_back_to_the_file() -> None:
    made = joined()
    for offset, letter in enumerate(made.text):
        if made.is_own(offset) and letter.isalpha():
            assert OUTER[made.back(offset)] == letter
    inside = made.text.index("X")
    assert not made.is_own(inside)
    assert (made.back(inside), made.back(inside + 1, is_end=True)) == (7, 10)
    assert made.back(made.text.index("Z")) == 12
    assert made.back(made.text.index("d"), is_end=True) == 10
    assert made.back(len(made.text), is_end=True) == len(OUTER)


def test_a_file_by_itself_keeps_its_offsets() -> None:
    made = Joined(SplicedSource("abc", silent=[(1, 2)]))
    assert [made.back(offset) for offset in range(4)] == [0, 1, 2, 3]
    assert made.is_own(2)


NOTE = "% a long note to oneself\n"


def test_long_blanks_are_closed_up_and_paragraphs_stay_apart() -> None:
    text = f"a\n{NOTE}{NOTE}b{' ' * 30}c\n\n{NOTE}\nd <1>e"
    source = SplicedSource(
        text, insets=[Inset(text.index("<1>"), len(text) - 1, SplicedSource("X"))]
    )
    made = Joined(source, is_closed=True)
    assert made.text == made.printed == "a\nb c\n\nd Xe"
    for offset, letter in enumerate(made.text):
        if letter in "abcde":
            assert text[made.back(offset)] == text[made.back(offset + 1, is_end=True) - 1] == letter
    assert made.is_own(made.text.index("\n")) and not made.is_own(made.text.index("X"))
    assert made.is_as_written(0, made.text.index("X"))
    assert not made.is_as_written(0, made.text.index("e"))


def test_code_that_is_printed_is_not_closed_up() -> None:
    text = "\\begin{verbatim}a very long line of code\\end{verbatim}b"
    assert len(Joined(SplicedSource(text), is_closed=True).text) == len(text)
