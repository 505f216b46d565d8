"""Quotes are found in texts whose references are marks."""

import pytest

from pfcore.reporters.html.page_entries import bibliography_labels, marked


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("follows from  it", "This follows from it.", "follows from it"),
        ("By Result 2, all", "Now. By \x020\x03, all is well", "By \x020\x03, all"),
        ("equation (E1) holds", "the equation \x021\x03 holds", "equation \x021\x03 holds"),
        ("so [claim] it", "so \x0eclaim\x0f it", "so \x0eclaim\x0f it"),
        ("a label here", "a \x040\x05 label here", "a \x040\x05 label here"),
        ("the end.", "at the end", "the end"),
        ("absent", "present", None),
        ("", "present", None),
    ],
)
def test_a_quote_is_found(quote, text, found):
    span = marked(quote, text)
    assert (text[slice(*span)] if span else None) == found


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (r"\bibitem{b} B \bibitem{a} A", {"b": "1", "a": "2"}),
        ("\\bibitem[Ram16a]{b}\n\\bibitem[{Er\\H{o}50}]{a}", {"b": "Ram16a", "a": "Erő50"}),
        (r"\bibitem[Hall(2001a)Hall and Ed]{b}", {"b": "Hall 2001a"}),
        ("\\bibitem[\\protect\\unknown{x}]{b}", {}),
        ("% \\bibitem{c}\n\\bibitem{b}", {"b": "1"}),
        ("nothing", {}),
    ],
)
def test_works_are_called_as_their_bibliography_calls_them(text, labels):
    assert bibliography_labels([text]) == labels
