import pytest

from pfcore.latex.lexer.groups import append, join_texts


@pytest.mark.parametrize(
    ("pieces", "text", "joined"),
    [
        ([r"\a"], "b", r"\a b"),
        ([r"\a"], "1", r"\a1"),
        (["a"], "b", "ab"),
        ([], "b", "b"),
        (["a"], "", "a"),
    ],
)
def test_a_command_is_kept_apart_from_a_letter(pieces: list[str], text: str, joined: str) -> None:
    append(pieces, text)
    assert "".join(pieces) == joined


def test_an_empty_piece_keeps_nothing_apart() -> None:
    pieces: list[str] = []
    for text in (r"\a", "", "b"):
        append(pieces, text)
    assert "".join(pieces) == r"\a b"


@pytest.mark.parametrize(
    ("body", "following", "whole"),
    [(r"\a", "b", r"\a b"), (r"\a", "[b]", r"\a[b]"), ("a", "b", "ab"), (r"\a", "", r"\a")],
)
def test_texts_are_joined(body: str, following: str, whole: str) -> None:
    assert join_texts(body, following) == whole
