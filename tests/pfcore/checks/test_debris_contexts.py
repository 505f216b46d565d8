"""What looks like a leftover and may be meant is at most a note; what is certain is a warning."""

import re

import pytest

from pfcore.checks import debris_contexts
from pfcore.checks.debris import debris
from pfcore.domain.lazy_regex import word_tables

CERTAIN = [
    "The data set has XX samples and XXX classes.",
    "There were XX participants, with a mean age of 30.",
    "A total of XX patients took part.",
    "In all, XXX participants took part.",
    "The proof [INSERT] is long.",
    "Received [DATE]; accepted [DATE].",
    "\\author{[NAME], [UNIVERSITY]}",
    "A report by [NAME] for the [UNIVERSITY] of a token ring.",
    "Replace [NAME] by your own name.",
    "We operate on groups. The name [NAME] is not known.",
    "\\author{John Doe}",
    "\\author[1]{Ada Byron \\and Jane Doe\\thanks{B.}}",
    "\\authors{\\name{John Doe}}",
    "\\IEEEauthorblockN{Jane Doe}",
    "author = {John Doe},",
    "\\email{a@example.com}",
    "\\author{Ada\\thanks{Write to ada.byron@example.org.}}",
    "\\ead{mailto:a@example.com}",
    "Write to corresponding.author@example.com.",
]
DOUBTFUL = [
    "We use XX samples of blood and XY samples.",
    "Of XX participants and XY participants, all were well.",
    "The edit operations [INSERT] and [DELETE] change a word.",
    "We add the tokens [NAME] and [DATE] to the vocabulary.",
    "Each name is replaced by [NAME], each date by [DATE].",
    "We write [NAME] for an anonymized name.",
    "To anonymize the letters, we put [NAME] for each name.\n\nA letter with one [NAME] is short.",
    "Citations are masked as [CITE] in the input.",
    "Suppose that John Doe buys a car.",
    "The records of John Doe and Jane Doe are kept.",
    "A letter to \\href{mailto:a@example.com}{Ada} or mailto:a@example.com.",
    "The packet is sent to bob@example.org.",
]


def kinds(text):
    found = debris(f"We prove more.\n\n{text}\n\nThen it is clear.\n")
    return {item.kind.value for item in found}


@pytest.mark.parametrize("text", CERTAIN)
def test_what_is_certain_is_a_leftover(text):
    assert kinds(text) == {"placeholder"}


@pytest.mark.parametrize("text", DOUBTFUL)
def test_what_may_be_meant_is_doubtful(text):
    assert kinds(text) <= {"doubtful"}


EMPHASIZED = [
    "The model answers \\textit{Certainly! Here is the proof.} and stops.",
    "A letter may end with \\emph{I hope this helps!}",
    "The phrase {\\em As an AI language model, I cannot} is frequent.",
    "{\\it As an AI language model, I cannot} is a phrase.",
    "Such openings, \\textsl{Sure, here is the text}, are removed.",
]
OWN = [
    "\\emph{As an AI language model}, I cannot say.",
    "\\emph{As a language model, I do not know.}",
    "It holds.\n\n\\emph{I hope this helps!}\n\nNow more.",
    "It holds. \\textit{I hope this helps!} So it is.",
    "\\textbf{As an AI language model, I cannot} say.",
]


def test_what_is_emphasized_in_a_sentence_is_quoted():
    assert [text for text in EMPHASIZED if kinds(text)] == []
    assert [text for text in OWN if not kinds(text)] == []


def test_each_word_that_names_a_token_is_found_in_its_example():
    tables = word_tables(debris_contexts.__file__)
    examples = [text for role in tables.values() for one in role.values() for text in one.values()]
    slots = [[(m.start(), m.end()) for m in re.finditer(r"\[[A-Z]+\]", text)] for text in examples]
    found = [debris_contexts.tokens(*item) for item in zip(examples, slots, strict=True)]
    assert [one for one, made in zip(examples, found, strict=True) if not made] == []
