from pfcore.latex.macros.macro import PRIMITIVE, Macro
from pfcore.latex.macros.macro_table import Lexicon, MacroChange
from pfcore.latex.project import syntax
from pfcore.latex.structure.scanner import Trait, Traits

PLAIN, REFERRING = Macro((), "x"), Macro((), r"\ref{x}")
LOOK = Macro((), r"\@ifstar{x}{y}")
TABLE = {"a": PLAIN, "b": Macro((), r"\a\a"), "r": REFERRING, "l": LOOK}


def traits(*changes: MacroChange) -> Traits:
    variants = tuple((change.name, change.macro) for change in changes if change.macro)
    how = syntax.build(syntax.Declared(macros=TABLE, variants=variants))
    return Traits(how, Lexicon(TABLE, changes))


def test_a_macro_has_what_its_meaning_leads_to() -> None:
    found = traits(MacroChange(10, "a", REFERRING), MacroChange(20, "a", PLAIN))
    for name in "ab":
        listed = [found.at(name, offset) for offset in (0, 15, 25)]
        assert listed == [Trait.PLAIN, Trait.STRUCTURAL, Trait.PLAIN]
    assert all(found.at("r", offset) is Trait.STRUCTURAL for offset in (0, 15, 25))


def test_a_macro_that_means_nothing_any_more_leads_to_nothing() -> None:
    found = traits(MacroChange(10, "n", REFERRING), MacroChange(20, "n", None))
    assert [found.at("n", offset) for offset in (15, 25)] == [Trait.STRUCTURAL, Trait.PLAIN]


def test_a_look_ahead_is_no_structure() -> None:
    found = traits(MacroChange(10, "a", LOOK), MacroChange(20, "a", Macro(PRIMITIVE, r"\ref")))
    listed = [found.at("b", offset) for offset in (0, 15, 25)]
    assert listed == [Trait.PLAIN, Trait.LOOKING, Trait.STRUCTURAL]


def test_macros_that_call_each_other_come_to_an_end() -> None:
    found = traits(MacroChange(10, "a", Macro((), r"\b\r")), MacroChange(20, "a", Macro((), r"\b")))
    assert [found.at("b", offset) for offset in (15, 25)] == [Trait.STRUCTURAL, Trait.PLAIN]


def test_where_nothing_varies_a_name_has_what_it_has() -> None:
    found = traits()
    listed = [found.at(name, 0) for name in ("r", "l", "a")]
    assert listed == [Trait.STRUCTURAL, Trait.LOOKING, Trait.PLAIN]
