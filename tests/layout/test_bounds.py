"""How the product is laid out is held by upper bounds, which only fall.

Whoever gets a number down writes the smaller one into the table. Nobody writes a larger one, save
for something that the product could not do before: proofs that are none brought a file, and
contexts that hold what running text introduces, in one way of writing it, six; what changed beyond
a context is one more value that every run knows of; a command that counts what contexts hold, one
file and one door; definitions read by their own sentences, one file and what it runs; letters as
TeX files type them, one file and what it runs; papers that nobody prepared, one file that holds
their numbers against LaTeX's, and what is run where a paper's own code numbers, labels, toggles or
finds files; papers under another name, submodules, and labels that may be elsewhere, what they run;
what an installed TeX says of numbers, four files and a door; assumptions that are cited by name,
and circles that numbers close, what they run. Symbols and terms that sentences bring in were one
file, and are two. Quotes that a reader does not copy to the letter are found again by a file of
their own, and how like the text they are is printed. What a reader asks for, and what a paper says
of it, are two. Answers that others have recorded are read, counted and shown by six, and by a door.
Corrections of real histories, read before and after, are a benchmark of seven files with a command,
its door, and the log of a repository; a judge of what objections mean is one more. Readings on
record are scored again by one. Proofs with one grade for the whole are rows of a kind of their
own, read by one file and priced by another. One answer to all findings of a check is a file,
with its door and what asks for it. What was left in a text by mistake, and what an upload trips
over, are three files with a table of words, two of them on the way of every review.
An upload that is compiled beside the paper at home, and compared, is two, and
the choice of its engine one; archives of sources are one. Pages that the terminal prints are one
file, with its door. What a paper is, in a few sentences above all that was found in it, is three:
its title, the shape of its argument, and the words; on a first run numbers are counted for the
results that these name. How words are taken, with help in groups and what was probably meant, is
one, which is a door; what completes them in shells is another; what is said of each check, one
more; and what sets a repository up, the last. What stands right before a claim and speaks of what
the claim leaves open is one more of the language. Folders that the next run removes where one was
killed are one. Figures as files, and the fonts that a PDF holds, are one, with what is run where
its checks are listed. Which comparison a review is of, and whether that one was made, is one file
of the App; what merge queues make is reviewed by one, and whose the checks of a commit are is told
by one. What in a repository may make a file that is not in it is one, and labels that come of what
its own code is given another, and what it runs. Old copies are known by their text, with what that
runs, and circles spare whoever names what a result only supposes. The buttons beside its checks are
one, and mends that one click puts in place are one. Lean files, the names that they make and what
their declarations suppose, with the check of a blueprint's names, are five, of which a paper
without such names enters one. Who wrote a paper, and what it says of itself above its first
section, is read by one more, and the map of a whole paper is drawn by another; options of lists, by
which items are labelled, are read by one, and what reports show raw is counted by one. The buttons
beside its checks are one, and mends that one click puts in place are one. What runs without a store
in common have spent in a day is one. Sentences that go on with one another are what a first run
runs more, in one file, and what claims suppose stands with other hypotheses instead. Labels that
listings give, in code and in files too, are one. What a single file may include, where no git is,
is found by one. What a missing label may be (as written, in a part that is switched off, in a file
of no document), labels that listings give twice, and definitions that are never read, run seven.
Which files the commands of a source read, for an upload, is one; so is what makes the upload of a
commit, which the gate's command held.
Labels whose names LaTeX computes, the places of references that lead nowhere, results that are said
again by their titles or are another's or proved by the words before them, footnotes, and documents
that only read in whole ones, run ten functions more. Braces at which LaTeX stops, and the names of
results that have neither number nor label, run three functions more. Letters of what a sentence
takes, and letters of indices, run two; what toggles, arguments and files read in proofs print, and
the places of equations, run two more. What a macro takes of the text behind it in numbering, and
what the options draft and final leave out, run two. What names nothing though it looks so, what
only names, pieces of programs, and whose a proof is that words announce, run thirteen more. What a
record says of answers, with who committed each, is one. Algorithms, games and protocols that a
proof calls by their names are one file of the language, with what is run to see that a text has
none; abbreviations in titles are one function more. Whether LaTeX asks for a lost label at all, or
a condition keeps it from that, is one file, with what is run to see that a paper has no such thing;
labels by keys, hooks and files of other names, and numbers that are out of date, run what finds
them. Counters that are set by TeX's own means hold until their groups end, hooks wait in hooks, and
steps, names of files and earlier versions mean more: eight functions. Whether anything ends proofs
that `\\proof` begins is one. What conditions ask, whether the source answers it, and where a style
lies in another folder are one file and ten functions. What a formula brings in, and what the words
around it say of its symbols, are two files more, which one file was. To what a term leads, and
which a need is of, the names of conditions and of problems, rows of tables and labels of lists run
four functions more. The line of a source that a finding is about, with a mark below the place, and
links to files run six more. What depends on gaps, what of a blueprint is formalised, and what of it
could be next, run fifteen on the first screen. What the code of environments and hooks asks for,
boxes by titles, contributions of svmult, and statements called comment run six functions more. How
far a sentence says that it holds, what a pointer leads to past idle words or in another section,
what symbols a text agrees on, exponents, footnotes, idioms, and signs that are nobody's notation
run more.

What payloads of GitHub look like, what the Action does about checks, and what a push to a base
means have files of their own, which were two.

`python -m tests.layout.counting` prints all numbers as they are, with some that have no bound here.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.layout.counting import START, of_first_runs, of_text
from tests.layout.source import Product, circles
from tests.layout.walk import Place, walk

BOUNDS = {
    "files": 434,
    "classes whose name stands twice": 0,
    "files whose name stands twice": 0,
    "functions that take a Namespace": 33,
    "files of these": 5,
    "rooms of pfcore": 17,
    "files in the fullest folder": 18,
    "files in an import circle": 0,
    "rooms in an import circle": 0,
    "parts of latex in an import circle": 0,
    "review: moves between rooms": 73,
    "review: climbs": 35,
    "pf check, second run: files entered": 123,
    "pf check, second run: code objects": 1_441,
    "pf check --all, first run: files entered": 150,
    "pf check --all, first run: code objects": 2_458,
    "pf check --all, first run: functions": 1_346,
}


@pytest.fixture(scope="module")
def product() -> Product:
    return Product()


@pytest.fixture(scope="module")
def counted(product: Product) -> dict[str, int]:
    return of_text(product)


def above(found: Mapping[str, int]) -> dict[str, int]:
    """What is more than its bound."""
    return {name: found[name] for name in BOUNDS if found.get(name, 0) > BOUNDS[name]}


def test_names_rooms_and_walks_are_within_their_bounds(counted: dict[str, int]) -> None:
    assert above(counted) == {}


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="other Pythons inline comprehensions")
def test_what_a_command_enters_is_within_its_bounds(product: Product, tmp_path: Path) -> None:
    found = of_first_runs(product, tmp_path)
    assert above(found) == {}
    assert {name for name in BOUNDS if name.startswith("pf ")} == set(found)


def test_every_bound_is_of_something_that_is_counted(counted: dict[str, int]) -> None:
    assert {name for name in BOUNDS if not name.startswith("pf ")} <= set(counted)


def test_a_circle_is_found_with_all_that_are_in_it() -> None:
    arrows = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"f"}, "f": {"e"}}
    assert circles(arrows) == [["b", "c"], ["e", "f"]]


def test_the_walk_begins_at_the_review_and_reaches_what_it_rests_on(product: Product) -> None:
    found = walk(product, START)
    assert found.places[0] == Place("pfcore.review.review", "review")
    names = {place.name for place in found.places}
    assert {"discover_papers", "build_paper_state", "make_plan", "build_document"} <= names
