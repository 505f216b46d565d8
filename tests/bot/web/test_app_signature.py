"""Signatures of deliveries: of the raw bytes, with the secret, in the one form that counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.web import app

SECRET = b"It's a Secret to Everybody"
HELLO = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"


def test_the_example_of_githubs_documentation_is_valid():
    assert app.sign(b"Hello, World!", SECRET) == HELLO
    assert app.is_valid(b"Hello, World!", HELLO, SECRET)


@pytest.mark.parametrize(
    "header",
    [None, "", "sha256=", HELLO[7:], HELLO.upper(), HELLO + "0", HELLO[:-1], "sha1=" + HELLO[7:]],
)
def test_another_header_is_not(header):
    assert not app.is_valid(b"Hello, World!", header, SECRET)


@pytest.mark.parametrize("header", ["sha256=é", "sha256=\udcff", "sha256=\x00", "é" * 71])
def test_signs_that_are_not_ascii_are_refused_and_raise_nothing(header):
    assert not app.is_valid(b"Hello, World!", header, SECRET)


def test_one_blank_more_in_the_body_is_another_body():
    header = app.sign(b'{"a": 1}', SECRET)
    assert not app.is_valid(b'{"a":1}', header, SECRET)


def test_without_a_secret_nothing_is_valid():
    assert not app.is_valid(b"x", app.sign(b"x", b""), b"")


def test_a_body_above_the_limit_is_not_valid():
    body = b" " * (app.LIMIT + 1)
    assert not app.is_valid(body, app.sign(body, SECRET), SECRET)
    assert app.is_valid(body[:-1], app.sign(body[:-1], SECRET), SECRET)


@given(st.binary(max_size=200), st.binary(min_size=1, max_size=80), st.text(max_size=80))
def test_only_the_holder_of_the_secret_signs(body, secret, guess):
    right = app.sign(body, secret)
    assert app.is_valid(body, right, secret)
    assert app.is_valid(body, guess, secret) is (guess == right)
