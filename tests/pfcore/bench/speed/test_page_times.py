"""What a report takes to open and to print: what is read, counted and written of it."""

import json
import os
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

page_times = pytest.importorskip("pfcore.bench.speed.page_times", reason="for Linux")

# A program that speaks as a browser does: it answers what is asked, after an event in two parts.
BROWSER = """
import json, os, sys
asked = open({log!r}, "a")
text = b""
while more := os.read(3, 65536):
    text += more
    while b"\\0" in text:
        one, text = text.split(b"\\0", 1)
        message = json.loads(one)
        asked.write(json.dumps([message["method"], message.get("sessionId"), message["params"]]))
        asked.write("\\n")
        asked.flush()
        result = {{"result": {{
            "targetId": "T", "sessionId": "S", "result": {{"value": [250, 900]}}
        }}}}
        if message["method"] == {refused!r}:
            result = {{"error": {{"message": "no"}}}}
        if message["method"] == {last!r}:
            sys.exit()
        os.write(4, b'{{"method": "Page.load')
        reply = json.dumps(dict(result, id=message["id"])).encode()
        os.write(4, b'EventFired"}}\\0' + reply + b"\\0")
"""


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., tuple[str, Path]]:
    """Make such a program, and say where it notes what it was asked."""

    def made(refused: str = "", last: str = "") -> tuple[str, Path]:
        log = tmp_path / "log"
        log.touch()
        script = tmp_path / "chromium"
        code = BROWSER.format(log=str(log), refused=refused, last=last)
        script.write_text(f"#!{sys.executable}\n{code}")
        script.chmod(0o755)
        return str(script), log

    return made


def test_a_process_is_read_whatever_its_name_holds() -> None:
    line = "12 (a ) b) S 7 12 12 0 -1 4194560 1 2 3 4 50 25 0 0 20 0 1 0 9"
    assert page_times.processor_ticks(line) == (7, 75)


def test_what_a_process_and_those_below_it_have_used_is_counted() -> None:
    own = sum(os.times()[:2])
    assert page_times.used_seconds(os.getpid()) == pytest.approx(own, abs=1)


def test_a_page_is_opened_in_a_tab_and_printed(program) -> None:
    path, log = program()
    with page_times.browser(path) as pipe:
        times = page_times.measured(pipe, "file:///a.html")
    assert times.seen == 0.25
    asked = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(method, session) for method, session, _ in asked] == [
        ("Target.createTarget", None),
        ("Target.attachToTarget", None),
        ("Page.navigate", "S"),
        ("Runtime.evaluate", "S"),
        ("Page.printToPDF", "S"),
    ]
    assert asked[2][2] == {"url": "file:///a.html"}


def test_what_a_browser_refuses_is_said(program) -> None:
    path, _ = program(refused="Page.navigate")
    with (
        pytest.raises(RuntimeError, match=r"Page\.navigate: .*no"),
        page_times.browser(path) as pipe,
    ):
        page_times.measured(pipe, "file:///a.html")


def test_a_browser_that_ends_early_is_said(program) -> None:
    path, _ = program(last="Page.printToPDF")
    with pytest.raises(EOFError, match="has ended"), page_times.browser(path) as pipe:
        page_times.measured(pipe, "file:///a.html")


def test_a_line_says_how_large_a_page_is_and_what_it_takes(tmp_path, monkeypatch, capsys) -> None:
    page = tmp_path / "a.html"
    page.write_text("<article id=a><math display=b><mi>x</mi></math></article>", "utf-8")
    asked = []

    def measured(pipe, address):
        asked.append((pipe, address))
        return page_times.PageTimes(0.25, 0.94, 2.31, 1.5, 2.5)

    monkeypatch.setattr(page_times, "browser", nullcontext)
    monkeypatch.setattr(page_times, "measured", measured)
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    assert page_times.main([str(page)]) == 0
    took = "seen in 0.2 s, usable in 0.9 s (1.5 s of processors), prints in 2.3 s (2.5 s)"
    assert capsys.readouterr().out == (
        f"an empty page: {took}\na.html: 1 entries, 1 formulas, 3 elements, 0.0 MB; {took}\n"
    )
    assert asked == [("/bin/chromium", "about:blank"), ("/bin/chromium", page.as_uri())]


def test_without_a_browser_nothing_is_measured(monkeypatch, capsys) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert page_times.main(["a.html"]) == 2
    assert "no Chromium" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "<p>"])
def test_pages_without_formulas_are_counted(text) -> None:
    assert page_times.counts(text).startswith("0 entries, 0 formulas, ")
