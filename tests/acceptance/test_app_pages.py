"""The App's pages in a real browser: seen, reached by keyboard, harmless whatever a paper says."""

import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from werkzeug.serving import make_server

from bot.domain import forge
from bot.domain.review_result import ReviewPart
from bot.domain.run_records import RunState
from bot.web.registration import NewApp
from bot.web.setup_site import SetupTarget, create_app
from pfcore.testing import FakeClock
from tests.acceptance.browsing import serious
from tests.bot.web.world import BRANCH, NOW, PULL, TOKEN, fill, newton, result, site
from tests.pfcore.reporters.papers import HOSTILE, NEWTON

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

RUN, REPOSITORY = forge.run_path(PULL.id), "/repos/us/paper"
CODE = "abcdef0123"


@pytest.fixture
def served() -> Iterator[Callable[[Flask], str]]:
    """Serves an application; its address."""
    running = []

    def start(app: Flask) -> str:
        server = make_server("127.0.0.1", 0, app, threaded=True)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        running.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()


def _apart(make: Callable[[], Any]) -> Any:
    """Do something in a thread of its own: Playwright's loop runs in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(make).result()


@pytest.fixture
def world(tmp_path, reviewed):
    clock = FakeClock()
    clock.now = NOW
    app, records = site(tmp_path, clock)
    _apart(lambda: fill(records, newton(reviewed)))
    return app, records


@pytest.fixture
def visit(browser) -> Iterator[Callable[..., Any]]:
    """Opens a page; fails at the end if it complained, or asked anybody else for anything."""
    complaints: list[str] = []
    contexts = []

    def go(address: str, path: str, *, expected: int = 200, also: str = "", **settings: Any) -> Any:
        context = browser.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("console", lambda said: complaints.append(said.text) if _is_new(said) else None)
        page.on("request", lambda asked: complaints.extend(_strange(asked.url, address, also)))
        answer = page.goto(address + path)
        assert answer.status == expected
        return page

    yield go
    for context in contexts:
        context.close()
    assert complaints == []


def _is_new(said: Any) -> bool:
    """Browsers mention the status of a page that asks for the token, or is not there."""
    return not re.search("40[14] [(]", said.text)


def _strange(url: str, *places: str) -> list[str]:
    is_known = any(place and url.startswith(f"{place}/") for place in places)
    return [] if is_known else [f"asks for {url}"]


def _let_in(page: Any) -> None:
    page.fill("#token", TOKEN)
    page.press("#token", "Enter")


@pytest.fixture
def inside(visit, served, world):
    """Opens a page of the filled world, past its door."""
    address = served(world[0])

    def go(path: str, **settings: Any) -> Any:
        page = visit(address, path, expected=401, **settings)
        _let_in(page)
        page.wait_for_url(f"{address}{path}")
        return page

    return go


def test_the_door_opens_by_keyboard_and_leads_to_the_page_that_was_wanted(visit, served, world):
    address = served(world[0])
    page = visit(address, RUN, expected=401)
    assert page.evaluate("document.activeElement.id") == "token"
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=alert]")
    _let_in(page)
    page.wait_for_url(address + RUN)
    assert page.inner_text("h1") == "! findings, advisory"
    assert page.evaluate("document.cookie") == ""
    page.click("text=Log out")
    page.wait_for_selector("#token")


def test_from_the_list_to_a_run_to_its_paper_and_back(inside):
    page = inside("/")
    page.click("a:text('findings, advisory') >> nth=0")
    page.wait_for_selector("text=Dividing by")
    page.click(".head a:text('us/paper')")
    page.wait_for_selector("#canvas a")
    page.click("#runs a:text('queued')")
    page.wait_for_selector("text=Not finished yet")
    page.go_back()
    page.wait_for_selector("#canvas a")


def test_numbers_stand_at_the_left_above_their_words(inside):
    page = inside("/")
    lefts = "all => all.map(it => getComputedStyle(it).textAlign)"
    assert set(page.eval_on_selector_all(".numbers dd, .numbers dt", lefts)) <= {"left", "start"}
    edges = """all => all.map(it => { const text = document.createRange();
        text.selectNodeContents(it); return Math.round(text.getBoundingClientRect().left); })"""
    numbers = page.eval_on_selector_all(".numbers dd", edges)
    assert len(numbers) == 5
    assert numbers == page.eval_on_selector_all(".numbers dt", edges)


def test_the_graph_of_a_paper_is_walked_through_as_in_its_report(inside):
    page = inside(REPOSITORY)
    shown = "all => all.map(a => a.dataset.id)"
    assert "lem:unif" in page.eval_on_selector_all("#canvas a", shown)
    page.fill("#focus", "local convergence")
    page.press("#focus", "Enter")
    page.wait_for_url(re.compile("#focus=thm%3Amain&dir=both"))
    page.focus("#canvas a[data-id='lem:contraction']")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("focus=lem%3Acontraction"))
    page.fill("#filter", "uniform")
    names = page.eval_on_selector_all("nav li:not([hidden])", "all => all.map(a => a.innerText)")
    assert names == ["! Lemma 1.2 (Uniform bound)"]
    page.click("nav li:not([hidden]) a")
    assert page.evaluate("document.querySelector(':target').innerText").startswith("Lemma 1.2")


def test_without_scripts_all_can_be_read(inside):
    page = inside(REPOSITORY, java_script_enabled=False)
    assert page.locator("#results tbody tr").count() == 6
    assert page.locator("#history rect").count() > 6


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_serious(inside, axe, scheme, width):
    page = inside("/", color_scheme=scheme, viewport={"width": width, "height": 900})
    for path in ("/", RUN, REPOSITORY, "/runs/unknown"):
        page.goto(re.sub("(://[^/]*).*", r"\1", page.url) + path)
        assert serious(page, axe) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click(".home")
    page.click("text=Log out")
    assert serious(page, axe) == []


@pytest.mark.parametrize("path", ["/", RUN, REPOSITORY])
def test_on_a_telephone_nothing_is_cut_off(inside, path):
    page = inside(path, viewport={"width": 390, "height": 844})
    folded = "section:not(#history) details"  # a table of numbers, which is as wide as they are
    page.eval_on_selector_all(folded, "all => all.forEach(it => { it.open = true; })")
    assert page.eval_on_selector_all(".scroll, input, html", _CUT) == 0


_CUT = "all => all.filter(it => it.checkVisibility() && it.scrollWidth > it.clientWidth).length"


def test_the_name_of_the_result_in_focus_is_not_cut_off(inside):
    page = inside(REPOSITORY, viewport={"width": 1280, "height": 800})
    assert page.input_value("#focus") == "Lemma 1.2 (Uniform bound)"
    assert page.eval_on_selector_all("input", _CUT) == 0


@pytest.mark.parametrize("path", ["/", RUN])
def test_numbers_stand_in_a_row_each_above_what_it_counts(inside, path):
    page = inside(path, viewport={"width": 1280, "height": 800})
    places = page.eval_on_selector_all(
        ".numbers dd, .numbers dt",
        "all => all.map(item => [item.getBoundingClientRect().x, item.getBoundingClientRect().y])",
    )
    numbers, words = places[::2], places[1::2]
    assert [x for x, _ in numbers] == [x for x, _ in words]
    assert len({y for _, y in numbers}) == 1 and numbers[0][1] < words[0][1]


def test_hostile_names_and_papers_do_nothing(inside, world, reviewed):
    records = world[1]
    nasty = f"--></td>{HOSTILE}\"'><svg onload=alert(1)>../.."
    label = "x\"'--></td><script>alert(1)</script>&lt;../.."
    text = NEWTON.replace("Uniform bound", f"Uniform {HOSTILE}").replace("mean value", HOSTILE)
    text = text.replace("lem:contraction", label)
    made = _apart(lambda: [result(newton(reviewed, text=text), part) for part in ReviewPart])
    run = replace(BRANCH, id=nasty, branch=nasty, reason=nasty, note=nasty, created=NOW - 1)
    run = replace(run, state=RunState.DONE, structure=made[0], proofs=made[1])
    records.runs.begin(run)
    records.runs.log(run.id, nasty)
    for path in ("/", forge.run_path(run.id), REPOSITORY):
        page = inside(path)
        if path == REPOSITORY:
            page.click(".in-graph >> nth=2")
            page.wait_for_selector("#canvas a[aria-current]")
            assert page.get_attribute("#canvas a[aria-current]", "data-id") == label
        assert page.locator("img, iframe, svg[onload], [onerror]").count() == 0
        assert page.locator(f"text={nasty[:8]}").count() >= (path != REPOSITORY)


@pytest.fixture
def setting_up(tmp_path, visit, served):
    """Opens the set-up, with a GitHub that gives what it is asked for."""
    pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n"

    def exchange(code: str) -> NewApp:
        return NewApp(
            app_id=42,
            name="pf-verify us",
            owner="us",
            html_url="https://github.com/apps/pf-verify-us",
            private_key=pem,
            webhook_secret="a-secret-of-the-webhook",
        )

    def go(server_url: str, **settings: Any) -> Any:
        setup = SetupTarget(
            path=tmp_path / "own" / "app.toml",
            server_url=server_url,
            api_url=f"{server_url}/api/v3",
            is_polling=False,
            code=CODE,
            exchange=exchange,
            done=lambda: None,
        )
        address = served(create_app(setup))
        return visit(address, "/setup", expected=401, also=server_url, **settings)

    return go


def _registering(page: Any, axe: str = "") -> list[str]:
    """From the code to the page that says what is next; what axe finds on the way."""
    faults = serious(page, axe) if axe else []
    page.fill("#code", CODE)
    page.keyboard.press("Enter")
    page.wait_for_selector("#public_url")
    faults += serious(page, axe) if axe else []
    page.fill("#organisation", "a-university")
    page.fill("#public_url", "https://pf.example.org")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Register it on GitHub")
    faults += serious(page, axe) if axe else []
    return faults


def test_the_set_up_sends_the_manifest_to_github_and_takes_its_answer(setting_up, served):
    got: list[tuple[str, str]] = []
    github = Flask("github")

    @github.post("/organizations/a-university/settings/apps/new")
    def new() -> Any:
        from flask import redirect, request

        got.append((request.args["state"], request.form["manifest"]))
        back = re.search(r'"redirect_url": "([^"]*)"', request.form["manifest"])
        assert back
        return redirect(f"{back[1]}?code=a1b2&state={request.args['state']}", 302)

    page = setting_up(served(github))
    assert _registering(page) == []
    page.click("button:text('Go to')")
    page.wait_for_selector("text=pf-verify us is registered")
    assert len(got) == 1 and "code=" not in page.url
    assert "a-secret-of-the-webhook" not in page.content()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_the_set_up(setting_up, axe, scheme):
    page = setting_up(
        "https://github.com", color_scheme=scheme, viewport={"width": 390, "height": 800}
    )
    assert _registering(page, axe) == []


def test_older_runs_are_reached_without_scripts(inside, world):
    for number in range(120):
        world[1].runs.begin(replace(BRANCH, id=f"old {number}", created=NOW - 1e6 + number))
    page = inside("/", java_script_enabled=False)
    page.click("text=older runs")
    page.wait_for_selector("text=newer runs")
    assert page.locator("tbody tr").count() < 100
    page.click("text=newer runs")
    assert page.locator("tbody tr").count() == 100
