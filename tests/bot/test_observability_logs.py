"""What the server says: lines of JSON in which no paper, address or secret is quoted."""

import io
import json
import logging

import pytest

from bot import observability


@pytest.fixture
def stream():
    root, before = logging.getLogger(), list(logging.getLogger().handlers)
    levels = {name: logging.getLogger(name).level for name in ("", "bot", "pfcore", "dbos")}
    opened = io.StringIO()
    observability.start(opened)
    yield opened
    root.handlers[:] = before
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def lines(stream):
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_each_event_is_a_line_of_json(stream):
    logging.getLogger("bot.jobs.pull_request").info(
        "a run ended", extra={"run": "1#7:x", "state": "done"}
    )
    (line,) = lines(stream)
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "info",
        "logger": "bot.jobs.pull_request",
        "event": "a run ended",
        "run": "1#7:x",
        "state": "done",
    }


def test_an_error_is_told_by_its_kind_and_place_and_not_by_its_words(stream):
    try:
        raise KeyError("text of a paper")
    except KeyError:
        logging.getLogger("bot.x").exception("unexpected error")
    (line,) = lines(stream)
    assert line["error"] == "KeyError"
    assert "test_observability_logs.py" in line["where"][-1]
    assert "text of a paper" not in stream.getvalue()


def test_other_libraries_say_one_line_without_values(stream):
    logging.getLogger("dbos").warning("it failed [parameters: 'text of a paper']\nmore of it")
    logging.getLogger("dbos").info("chatter")
    (line,) = lines(stream)
    assert line["event"] == "it failed "


def test_a_line_stays_a_line_whatever_is_in_it(stream):
    logging.getLogger("bot.x").info("a\nb\u2028c")
    assert len(stream.getvalue().splitlines()) == 1


def test_a_library_loses_handlers_of_its_own(stream):
    logger = logging.getLogger("dbos")
    logger.addHandler(logging.StreamHandler(io.StringIO()))
    observability.adopt("dbos")
    assert logger.handlers == [] and logger.propagate
