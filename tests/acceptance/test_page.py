"""The HTML report in a real browser: what a person sees, reaches by keyboard, walks through."""

import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pfcore.cli.commands.report_command import report_html
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from pfcore.review.review import review
from tests.acceptance.browsing import serious
from tests.pfcore.reporters.papers import HOSTILE, NEWTON, OBJECTION, QUOTE, lock

pytestmark = pytest.mark.acceptance
_FIRST = "performance.getEntriesByType('paint').find(e => e.name == 'first-contentful-paint')"

_PLACES = "[scrollY, document.querySelector('nav').scrollTop]"
_LOST_LINKS = """[...document.querySelectorAll("[href^='#']")].map(it => it.getAttribute("href"))
    .filter(it => !document.getElementById(decodeURIComponent(it.slice(1))))"""
"""Links to no element: for each, Chromium searches the whole page at each sheet that it prints."""


@pytest.fixture
def opened(browser, tmp_path) -> Iterator[Callable[..., Any]]:
    """Opens a page; fails at the end if it complained, or asked anybody for anything."""
    complaints: list[str] = []
    contexts = []

    def run(text: str, fragment: str = "", **settings: Any) -> Any:
        place = tmp_path / "pf-report.html"
        place.write_text(text, encoding="utf-8")
        context = browser.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda request: complaints.extend(_strange(request.url, place)))
        page.goto(place.as_uri() + fragment)
        return page

    yield run
    for context in contexts:
        context.close()
    assert complaints == []


def _strange(url: str, place: Path) -> list[str]:
    return [] if url.partition("#")[0] == place.as_uri() else [f"asks for {url}"]


def _apart(make: Callable[[], str]) -> str:
    """Make a page in a thread of its own: Playwright's loop runs in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(make).result()


@pytest.fixture
def newton(reviewed) -> str:
    return _apart(lambda: _newton(reviewed))


def _newton(reviewed: Any) -> str:
    files = {"main.tex": NEWTON}
    objections = {"lem:unif": (QUOTE, OBJECTION)}
    files["pf.lock"] = lock(reviewed(files).papers[0].state, objections, frozenset({"cor:decay"}))
    return report_html(reviewed(files))


@pytest.fixture(scope="module")
def large(corpus) -> str:
    """The page of the paper of the corpus with the most text."""
    now = snapshot.from_folder(corpus / "openlogic")
    parse_cache, only = ParseCache(MemoryCache()), "open-logic-complete.tex"
    return _apart(lambda: report_html(review(None, now, parse_cache, only=only)))


def _shown(page: Any) -> set[str]:
    return set(page.eval_on_selector_all("#canvas a", "all => all.map(a => a.dataset.id)"))


def test_the_graph_follows_a_search_a_click_and_the_back_button(opened, newton):
    page = opened(newton)
    assert _shown(page) == {"lem:unif", "thm:main", "cor:decay"}
    page.fill("#focus", "local convergence")
    page.press("#focus", "Enter")
    page.wait_for_url(re.compile("#focus=thm%3Amain&dir=both&depth=2$"))
    assert page.input_value("#focus") == "Theorem 2.1 (Local convergence)"
    page.fill("#focus", "Lemma 1.3 (Contraction)")
    page.press("#focus", "Enter")
    page.wait_for_url(re.compile("#focus=lem%3Acontraction"))
    page.go_back()
    page.select_option("#dir", "up")
    assert _shown(page) == {"thm:main", "lem:unif", "lem:contraction"}
    page.check("#words")
    assert _shown(page) == {"thm:main", "lem:unif", "lem:contraction", "def:simple"}
    page.click("#canvas a[data-id='lem:contraction']")
    page.wait_for_url(re.compile("focus=lem%3Acontraction"))
    assert page.get_attribute("#canvas a[aria-current]", "data-id") == "lem:contraction"
    page.go_back()
    page.wait_for_selector("#canvas a[aria-current][data-id='thm:main']")


def test_a_link_opens_the_graph_as_it_was(opened, newton):
    page = opened(newton, "#focus=lem%3Acontraction&dir=down&depth=1")
    assert _shown(page) == {"lem:contraction", "thm:main", "cor:decay"}
    assert "3" not in page.inner_text("#said").partition(":")[2]
    assert page.input_value("#dir") == "down"


def test_what_is_not_there_is_said(opened, newton):
    page = opened(newton, "#focus=lem%3Anone")
    assert page.inner_text("#said") == "No result lem:none."


def test_the_keyboard_walks_through_the_graph(opened, newton):
    page = opened(newton, "#focus=thm%3Amain&dir=up&depth=1")
    page.focus("#canvas a[data-id='lem:unif']")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("focus=lem%3Aunif"))
    assert page.evaluate("document.activeElement.dataset.id") == "lem:unif"


def test_a_screen_reader_has_names_states_and_a_list(opened, newton):
    page = opened(newton, "#focus=thm%3Amain&dir=up&depth=1")
    label = page.text_content("#canvas a[data-id='lem:unif'] title")
    assert label == "Lemma 1.2 (Uniform bound): gap: an objection that blocks"
    assert page.get_attribute("#said", "role") == "status"
    assert page.locator("#list li").count() == 3


def test_contents_are_filtered(opened, newton):
    page = opened(newton)
    shown = "[...document.querySelectorAll('nav li')].filter(e => !e.hidden).map(e => e.innerText)"
    page.fill("#filter", "uniform")
    assert page.evaluate(shown) == ["1 Simple zeros", "! Lemma 1.2 (Uniform bound)"]
    page.fill("#filter", "has exactly one")  # words of a statement
    assert page.evaluate(shown)[1:] == ["✓ Lemma 1.3 (Contraction)"]
    page.press("#filter", "Enter")
    assert page.url.endswith("#r:lem:contraction")
    page.fill("#filter", "nothing has this")
    assert page.inner_text("#found") == "No match."
    assert page.evaluate(shown) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_serious(opened, newton, axe, scheme, width):
    page = opened(newton, color_scheme=scheme, viewport={"width": width, "height": 900})
    assert serious(page, axe) == []
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width


def test_without_scripts_all_can_be_read(opened, newton):
    page = opened(newton, java_script_enabled=False)
    assert page.locator("article").count() == 6
    doubted = page.locator("article mark").first
    doubted.scroll_into_view_if_needed()  # what is far below is drawn a moment later
    expect = pytest.importorskip("playwright.sync_api").expect
    expect(doubted).to_have_text(re.compile("^Dividing"), use_inner_text=True)


def test_it_prints(opened, newton):
    page = opened(newton)
    page.emulate_media(media="print")
    assert not page.is_visible("nav")
    assert page.is_visible("article mark")
    assert page.pdf().startswith(b"%PDF")


def test_a_formula_is_one_element_of_a_pdf_with_its_text_and_keeps_its_signs_on_the_screen(
    opened, newton
):
    page = opened(newton)
    formulas = page.locator("math").count()
    assert formulas > 5
    assert page.locator("math > *").count() >= formulas
    for _ in range(2):  # a paper may be printed again
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        named = page.locator("math[role=img]").evaluate_all(
            "all => all.filter(it => it.ariaLabel === it.textContent).length"
        )
        assert named == formulas
        assert page.locator("math > :not([aria-hidden=true])").count() == 0
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.locator("math[role], math[aria-label], math [aria-hidden]").count() == 0


def test_what_only_a_screen_has_leaves_the_page_while_it_is_printed(opened, newton):
    page = opened(newton, viewport={"width": 1000, "height": 300})
    page.evaluate("scrollTo(0, 1500)")
    page.evaluate("document.querySelector('nav').scrollTop = 40")
    before, place = _content(page), page.evaluate(_PLACES)
    assert place[0] > 1000
    assert place[1] == 40
    parts = "nav, #graph, .in-graph, .near, .marked, #lean"
    assert page.locator(parts).count() > 10
    for _ in range(2):
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator(parts).count() == 0
        assert page.evaluate(_LOST_LINKS) == []
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert _content(page) == before
    assert page.evaluate(_PLACES) == place


def _content(page: Any) -> str:
    """The page but for marks of formulas that scroll, which come as they are first shown."""
    return re.sub(r'(<math display="block")[^>]*', r"\1", page.content())


def test_paper_has_the_article_without_lists_of_links(opened, newton):
    page = opened(newton)
    page.click("#r\\:thm\\:main summary")
    page.emulate_media(media="print")
    for gone in ("#graph", ".near", ".marked", "#lean", ".in-graph"):
        assert not page.locator(gone).first.is_visible()
    for shown in ("svg.map", "#r\\:lem\\:unif h3", "h2.section"):
        assert page.locator(shown).first.is_visible()
    closed = page.locator("#r\\:thm\\:main .proof")
    assert closed.get_attribute("open") is None
    assert closed.locator("div").bounding_box()["height"] > 10


WIDE = rf"\[ {' + '.join(f'a_{{{number}}}' for number in range(90))} \]"


def test_a_wide_formula_shows_that_it_scrolls_and_is_whole_on_paper(opened, reviewed):
    text = NEWTON.replace("Its limit is fixed", WIDE + "Its limit is fixed")
    page = opened(_apart(lambda: report_html(reviewed({"main.tex": text}))))
    page.locator("#r\\:lem\\:contraction .proof").scroll_into_view_if_needed()
    wide = page.locator("math.scrolls")
    wide.wait_for(state="attached")
    assert wide.count() == 1
    assert wide.get_attribute("tabindex") == "0"
    assert "gradient" in wide.evaluate("it => getComputedStyle(it).backgroundImage")
    page.set_viewport_size({"width": 673, "height": 900})
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 673


def test_a_long_word_at_the_top_leaves_the_page_as_wide_as_a_telephone(opened, reviewed):
    abstract = r"\begin{abstract} See \cite{" + "author2026" * 6 + r"}. \end{abstract}\section{S"
    text = NEWTON.replace(r"\section{S", abstract, 1)
    made = _apart(lambda: report_html(reviewed({"main.tex": text})))
    page = opened(made, viewport={"width": 390, "height": 900})
    assert "author2026author2026" in page.inner_text(".abstract")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_formula_in_a_line_that_is_wider_than_a_telephone_can_be_scrolled_to(opened, reviewed):
    long = "$" + "+".join(f"a_{{{number}}}" for number in range(30)) + "$. "
    text = NEWTON.replace("Its limit is fixed", long + "Its limit is fixed")
    made = _apart(lambda: report_html(reviewed({"main.tex": text})))
    page = opened(made, viewport={"width": 390, "height": 900})
    part = page.locator("#r\\:lem\\:contraction .text")
    part.scroll_into_view_if_needed()
    over = part.evaluate("it => (it.scrollLeft = 9999, it.scrollLeft)")
    assert over > 100
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


ROWS = r"""
\begin{align} \sum_{k} a_k + b &= c \label{eq:a} \\ a &= ccccccc \notag \\ x &= y \end{align}
By \eqref{eq:a}. \begin{equation} w = z \end{equation}"""


@pytest.mark.parametrize("width", [390, 1280])
def test_numbers_of_equations_stand_at_the_right_and_columns_of_rows_meet(opened, reviewed, width):
    text = NEWTON.replace("Its limit is fixed", ROWS + "Its limit is fixed")
    made = _apart(lambda: report_html(reviewed({"main.tex": text})))
    page = opened(made, viewport={"width": width, "height": 900})
    page.locator("#r\\:lem\\:contraction .proof").scroll_into_view_if_needed()
    numbers = page.locator("mtd.number mtext, span.number")
    assert numbers.all_text_contents() == ["(1)", "(2)", "(3)"]
    ends = [_edges(numbers.nth(number))[1] for number in range(3)]
    around = _edges(page.locator("#r\\:lem\\:contraction .proof li").first)
    assert [end for end in ends if abs(end - around[1]) > 3] == [], around
    left = [_edges(it)[1] for it in page.locator(".lines mtd.right > :last-child").all()]
    assert max(left) - min(left) < 2
    page.click("a[href$=':eq:a']")
    page.wait_for_url(re.compile("#r:lem:contraction:eq:a$"))


def _edges(item: Any) -> tuple[float, float]:
    box = item.bounding_box()
    return box["x"], box["x"] + box["width"]


def test_the_map_shows_what_a_result_cites_and_who_cites_it(opened, newton):
    page = opened(newton)
    page.focus(".map a[data-n='3']")
    assert page.locator(".map .live .cites").count() == 2
    assert page.locator(".map .live .cited").count() == 1
    page.focus("#focus")
    assert page.locator(".map .live path").count() == 0
    page.click(".map a[data-n='1']")
    page.wait_for_url(re.compile("#r:lem:unif$"))


def test_the_focus_says_why_it_is_shown_first(opened, newton):
    page = opened(newton)
    assert page.inner_text("#said").startswith("Lemma 1.2 (Uniform bound): to be looked at first, ")
    page.click("#canvas a[data-id='thm:main']")
    page.wait_for_selector("#canvas a[aria-current][data-id='thm:main']")
    assert "looked at" not in page.inner_text("#said")


def test_a_hostile_paper_does_nothing(opened, reviewed):
    text = (
        NEWTON.replace("Uniform bound", f"Uniform {HOSTILE}")
        .replace("mean value", HOSTILE)
        .replace("f'(\\xi)(x-x_0)", "\\text{" + HOSTILE + "}\\href{javascript:alert(1)}{y}")
        .replace("Simple zeros", HOSTILE)
    )
    made = _apart(lambda: report_html(reviewed({"main.tex": text})))
    page = opened(made, "#focus=lem%3Aunif&dir=both")
    assert page.locator("img, script[src], iframe").count() == 0
    assert page.locator("article").count() == 6


def test_a_large_paper_is_quick_and_whole(opened, large, axe):
    page = opened(large)
    page.wait_for_function(f"{_FIRST} !== undefined")
    first = page.evaluate(f"{_FIRST}.startTime")
    size = len(large.encode()) / 1e6
    sys.stderr.write(f"\n{size:.1f} MB, first view after {first:.0f} ms\n")
    assert page.locator("article").count() > 250
    assert page.locator("math").count() > 3_000
    page.fill("#focus", "theorem")
    page.press("#focus", "Enter")
    page.wait_for_url(re.compile("#focus="))
    assert len(_shown(page)) >= 1
    assert serious(page, axe) == []
