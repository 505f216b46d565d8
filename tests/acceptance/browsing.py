"""A real browser, and what finds faults of pages for people who see or hear them differently."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.acceptance.npm import fetched

AXE = "4.14.1"
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_ALL_DRAWN = """() => new Promise(done => {
    const entries = [...document.querySelectorAll("article")];
    entries.slice(30).forEach(entry => entry.remove());
    entries.forEach(entry => { entry.style.contentVisibility = "visible"; });
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100)));
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is absent: pip install '.[browser]'"
    )
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("there is no Chromium here: apt-get install chromium")
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with playwright.sync_playwright() as run:
        found = run.chromium.launch(executable_path=program, args=flags)
        yield found
        found.close()


@pytest.fixture(scope="session")
def axe(tmp_path_factory) -> str:
    folder = tmp_path_factory.getbasetemp().parent / f"axe-{AXE}"
    return (fetched(folder, "axe-core", AXE) / "axe.min.js").read_text()


def serious(page: Any, axe: str) -> list[str]:
    """What axe-core finds in all but the entries, and in thirty of these: a minute saved."""
    page.evaluate(_ALL_DRAWN)
    page.evaluate(axe)
    found = page.evaluate("axe.run().then(result => result.violations)")
    return [
        f"{item['id']}: {item['nodes'][0]['html'][:200]} {item['nodes'][0].get('any')}"
        for item in found
        if item["impact"] in ("serious", "critical")
    ]
