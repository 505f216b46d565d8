"""Plain English: what people read has no turns that only the writer understands.

`tests/messages.py` says what counts as a message. A message that needs a refused turn is listed
with its reason; one that is listed and not there any more is an error.
"""

import re

import pytest

from pfcore.checks import preflight, registry
from tests.messages import (
    DOCUMENTS,
    REPO,
    literals,
    messages,
    nouns,
    plain,
    sentences,
    sources,
)

OURS = "module: result, statement, proof"
TURNS = {
    "is no X: is not an X, invalid X": r"\b(?:is|are|was|were) no\b(?! longer)",
    "called so, so it is: the plain name": r"\bcalled so\b|\bso (?:it|they) (?:is|are)\b",
    "stands: is, occurs, remains": r"\bst(?:and|ands|ood)\b",
    "beside: next to, with": r"\bbesides?\b",
    "there is, is there: missing, not found, exists": r"\bthere (?:is|are|was|were)\b|"
    r"\b(?:is|are) there\b",
    "nobody, whoever: no one, who, passive": r"\bnobody\b|\bwhoever\b",
    "can be had: available": r"\b(?:can|to) be had\b",
    "as X does: like X": r"\bas \w+ do(?:es)?\b",
    "say: type, comment, enter": r"\bsay(?:s|ing)? (?:--|[`'/%])|\b(?:may )?say:|\bsays? so\b",
    "by %: with": r"\bby %",
    "nothing is wrong: never more than was done": r"\bnothing is wrong\b|\ball is well\b",
    "rests on: depends on": r"\brest(?:s|ed)? (?:up)?on\b",
    "not reached: not read": r"\bnot reached\b",
    "reads in: includes": r"\breads? (?:\w+ )?in\b(?! \{|\s)",
    "erase: delete": r"\beras(?:e|es|ed|ing)\b",
    "mend: fix, correct": r"\bmend(?:s|ed|ing)?\b",
    "anew: again": r"\banew\b",
    OURS: r"\bmodules?\b",
}
"""What is refused, by what to write instead."""

ALLOWED = {
    # What the parser of PF markup says: ids and models have it, people read the words beside it.
    " stands twice": "said by a parser, and replaced",
    " stands behind ": "said by a parser, and replaced",
    " stands before ": "said by a parser, and replaced",
    " stands inside of ": "said by a parser, and replaced",
    " stands where ": "said by a parser, and replaced",
    " stands outside of all tags": "said by a parser, and replaced",
    " is no tag of this format": "said by a parser, and replaced",
    " rests on it": "said by a parser, and replaced",
    "erase the rest": "the name of a step, by which a database knows that it is done",
    # The parts of a .pf file, for who writes one.
    "A malformed .pf file": "a .pf file is written in modules",
    "A tag that is not closed,": "a .pf file is written in modules",
    # Texts that are no messages.
    "module start_line": "the keys of a JSON",
    r"\documentclass{article}": "the demo's paper",
    r"\section{The fixed point}": "the demo's paper",
}
"""How an allowed message begins, and why it is allowed."""


def _refused(words: str) -> list[str]:
    flat = " ".join(words.split())
    return [name for name, turn in TURNS.items() if re.search(turn, flat, re.IGNORECASE)]


def test_no_message_has_a_refused_turn():
    found = [
        f"{item.path}:{item.line}: {name} | {item.words[:80]!r}"
        for item in messages()
        if not item.words.startswith(tuple(ALLOWED))
        for name in _refused(item.words)
    ]
    assert found == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_no_document_has_a_refused_turn(document):
    found = [
        f"{name} | {sentence[:90]}"
        for sentence in sentences(plain(document.read_text("utf-8")))
        for name in _refused(sentence)
        if name != OURS  # which the documents explain, and JSON and .pf files have
    ]
    assert found == []


def test_the_documents_are_all_that_people_read():
    names = {path.name for path in DOCUMENTS}
    assert {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "writing.md"} <= names
    assert len(DOCUMENTS) > 18


def test_whatever_is_allowed_is_there_and_needs_it():
    texts = [item.words for item in messages()]
    for start in ALLOWED:
        assert any(_refused(text) for text in texts if text.startswith(start)), start


def test_messages_of_every_kind_are_collected():
    found = messages()
    texts = {" ".join(item.words.split()) for item in found}
    assert len(found) > 1_500
    for words in (
        "undefined label ……",  # a finding
        "label defined twice",  # the summary of a check
        "fail if pf.lock is out of date",  # a help
        "Comment `/pf check` to retry.",  # a comment
        "Skip to the content",  # a page
        "not a git repository: …",  # an error
        "Correct the key, or add the label. If another document defines it, use the package "
        "xr and \\externaldocument; a .pf file cites only its own results.",  # a guide
    ):
        assert words in texts, words


@pytest.mark.parametrize("turn", TURNS)
def test_each_refused_turn_is_noticed(turn):
    tried = {
        "is no X": "a.tex is no file",
        "called so": "no label is called so",
        "stands": "it stands as it was",
        "beside": "answer it beside the line",
        "there is": "there is no file a.tex",
        "nobody": "nobody knows what this says",
        "can be had": "what can be had from it",
        "as X does": "judge it, as arXiv does",
        "say": "say --yes",
        "by %": "answer it by % pf: ignore",
        "nothing is wrong": "Nothing is wrong with it.",
        "rests on": "it rests on Lemma 2",
        "not reached": "Not reached: 3 proofs",
        "reads in": "a.tex reads itself in",
        "erase": "nothing was erased",
        "mend": "mend the proof",
        "anew": "read it anew",
        "module": "10 modules were read",
    }
    (said,) = [words for start, words in tried.items() if turn.startswith(start)]
    assert turn in _refused(said)


def test_what_is_counted_is_called_by_the_words_of_mathematics():
    """A noun alone is no message yet: it becomes one behind a number, or in a usage line."""
    said = re.compile(r"\b(?:modules?|MODULES?)\b")
    found = [
        f"{path.relative_to(REPO)}:{line}: {word}"
        for path in sources()
        for line, word in nouns(path.read_text("utf-8"))
        if said.search(word)
    ]
    for page in (REPO / "bot" / "web" / "templates").glob("*.html"):
        found += re.findall(r">\s*Modules?\s*<", page.read_text("utf-8"))
    assert found == []


def test_nouns_behind_numbers_and_in_usage_lines_are_collected():
    source = 'plural(n, "module"); plural(n, "x", plural="y"); f(metavar="MODULE", noun="z")'
    assert [word for _, word in nouns(source)] == ["module", "x", "y", "MODULE", "z"]
    found = {word for path in sources() for _, word in nouns(path.read_text("utf-8"))}
    assert {"result", "proof", "RESULT"} <= found


def test_literals_are_joined_and_docstrings_and_patterns_left_out():
    source = (
        '"""A docstring of a module."""\nx = f("one two " f"three {y} four")\nz = regex("a b")\n'
    )
    assert literals(source) == [(2, "one two three … four")]


def test_the_summary_of_a_check_is_a_noun_phrase_of_at_most_seven_words():
    for check in {*registry.ALL, *preflight.CHECKS}:
        assert len(check.rationale.split()) <= 7, check.id
        assert not check.rationale.endswith("."), check.id
