"""The ways in which papers count statements: no number is wrong; the silent ones are listed."""

from pathlib import Path

import pytest

from tests.idioms import FOLDER, idioms, outcomes

EVERY = [(path.stem, item) for path in sorted(FOLDER.glob("*.txt")) for item in idioms(path)]
SILENT = {
    "environments by stepcounter keep the label of the section",
    "a number by ref",
    "aftergroup: a macro that steps, behind the group",
    "aftergroup: an environment whose begin has one",
    "number by an argument of a macro",
    "loop that steps",
    "kernel whiledo that steps",
    "theorem with its number told by an argument, and the counter put back",
    "theorem declared under ifpackageloaded",
    "declarations in a loop of the kernel",
    "declarations in an expl3 loop",
    "ProvideDocumentEnvironment of a theorem that is there",
    "apptools: a condition on being in the appendix",
    "titlesec: a new level",
    "InputIfFileExists and IfFileExists",
    "a style with key options",
    "ifnum on a number of one's own",
    "a counter shared by let with this or that one",
    "a file of text by a macro's name in a class",
    "a counter stepped in a branch of a condition that is not known",
    "front matter under a condition that is not known",
    "main matter under a condition that is not known",
    "a style without numbers under a condition that is not known",
    "roman numbers under a condition that is not known",
    "statements left out under a condition that is not known",
    "an environment left out under a condition that is not known",
    "coupled counters under a condition that is not known",
    "a style of thmtools under a condition that is not known",
    "cases of which one runs",
    "a switch that a hook sets",
    "a switch that a loop sets",
    "a counter stepped in the only branch of a condition that is not known",
    "statement environment with its name, via a theorem",
    "refcount setcounterref",
    "refcount setcounterpageref",
    "setcounter by calc with ratios",
    "int_step_inline around stepcounter",
    "forloop around stepcounter",
    "forloop around stepcounter with step",
    "patchcmd of a counter's form, section",
    "xpatchcmd of a counter's form",
    "a counter's name in csname within a group",
    "counter assigned within an environment",
    "csname c@ at begin document",
    "setcounterref in a macro",
    "getrefnumber in setcounter",
    "sectionbreak without titlesec",
    "forloop of statements",
    "replicate",
    "int_gset with N",
    "defcounter in a group",
    "titleformat with a counter in its label",
    "text that catchfile reads in",
    "text that a command of the kernel reads in",
    "cslet of the",
    "letcs",
    "two counters by usecounter",
    "enumitem resume with statements",
    "LaTeX3 hook of refstepcounter",
    "whileboolexpr",
    "bool while do",
    "bool loop",
    "clist map",
    "pgfmath counter",
}
"""Documents of which a number is not told: what happens in them is not followed."""


@pytest.mark.parametrize("group", dict.fromkeys(group for group, _ in EVERY))
def test_a_number_is_that_of_latex_or_is_not_told(group: str, tmp_path: Path) -> None:
    listed = [item for one, item in EVERY if one == group]
    made = {
        item.name: set(outcomes(item, tmp_path / str(number)).values())
        for number, item in enumerate(listed)
    }
    assert {name: found for name, found in made.items() if found & {"wrong", "lost"}} == {}
    assert {name for name in made if "silent" in made[name]} == SILENT & made.keys()


def test_idioms_have_names_of_their_own_and_numbers() -> None:
    names = [item.name for _, item in EVERY]
    assert len(names) == len(set(names)) > 150
    assert all(item.numbers for _, item in EVERY)
    assert set(names) >= SILENT
