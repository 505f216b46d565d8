"""What a report takes to open and to print: what is read, counted and written of it."""

import sys

import pytest

from pfcore.bench.speed import page_times
from pfcore.bench.speed.page_times import PageTimes


def test_a_process_is_read_whatever_its_name_holds() -> None:
    line = "12 (a ) b) S 7 12 12 0 -1 4194560 1 2 3 4 50 25 0 0 20 0 1 0 9"
    assert page_times.processor_ticks(line) == (7, 75)


def test_what_a_process_has_used_is_seen_before_it_ends() -> None:
    code = "while __import__('time').process_time() < 0.6: pass"
    assert page_times.timed([sys.executable, "-c", code]).processors > 0


def test_a_line_says_how_large_a_page_is_and_what_it_takes(tmp_path, monkeypatch, capsys) -> None:
    page = tmp_path / "a.html"
    page.write_text("<article id=a><math display=b><mi>x</mi></math></article>", "utf-8")
    asked = []

    def timed(command):
        asked.append(command)
        return PageTimes(2.25, 1.5)

    monkeypatch.setattr(page_times, "timed", timed)
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    assert page_times.main([str(page)]) == 0
    took = "opens in 2.2 s (1.5 s of processors), prints in 2.2 s (1.5 s)"
    assert capsys.readouterr().out == (
        f"an empty page {took}\na.html: 1 entries, 1 formulas, 3 elements, 0.0 MB; {took}\n"
    )
    printed = [any("print-to-pdf" in word for word in command) for command in asked]
    assert printed == [False, True] * 2
    assert [command[-1] for command in asked] == ["about:blank"] * 2 + [page.as_uri()] * 2


def test_without_a_browser_nothing_is_measured(monkeypatch, capsys) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert page_times.main(["a.html"]) == 2
    assert "no Chromium" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "<p>"])
def test_pages_without_formulas_are_counted(text) -> None:
    assert page_times.counts(text).startswith("0 entries, 0 formulas, ")
