"""What the pages show, to whom, and that nothing on them is more than text."""

import html
import json
import re
from dataclasses import replace

import pytest

from bot.domain import forge
from bot.domain.events import RepositoryPlace
from bot.domain.review_result import ReviewPart
from bot.domain.run_records import DismissalRecord, RecordError, RunState
from bot.web import views
from pfcore.reporters.paper_overview import change_sentence, paper_overview, told_paragraphs
from pfcore.testing import FakeClock
from tests.bot.web.world import BRANCH, NOW, PULL, TOKEN, fill, newton, result, site, unread
from tests.pfcore.reporters.papers import HOSTILE, NEWTON
from tests.pfcore.reporters.test_first_screen import EDITED, GAP, IS_WRITING, PAPER, SCREENS

BEARER = {"Authorization": f"Bearer {TOKEN}"}
PLACE = RepositoryPlace(installation=1, repository="us/paper", repository_id=10)
NASTY = "-->\"'</td><script>alert(1)</script>&lt;../..\u202e\x00"


@pytest.fixture
def clock():
    made = FakeClock()
    made.now = NOW
    return made


@pytest.fixture
def world(tmp_path, clock):
    return site(tmp_path, clock)


@pytest.fixture
def records(world):
    return world[1]


@pytest.fixture
def anyone(world):
    return world[0].test_client()


@pytest.fixture
def shown(anyone):
    """Gets a page as text, with the token."""

    def get(path, status=200):
        answer = anyone.get(path, headers=BEARER)
        assert answer.status_code == status, answer.get_data(as_text=True)
        return answer.get_data(as_text=True)

    return get


@pytest.fixture
def filled(records, reviewed):
    fill(records, newton(reviewed))
    return records


PATHS = ("/", "/?state=done", forge.run_path(PULL.id), "/runs/unknown", "/repos/us/paper")


@pytest.mark.parametrize("path", PATHS)
def test_nobody_sees_anything_without_the_token(anyone, filled, path):
    answer = anyone.get(path)
    assert answer.status_code == 401
    text = answer.get_data(as_text=True)
    assert "Log in" in text and "lem:unif" not in text and "us/paper" not in text.split("<form")[0]
    for wrong in ("Bearer wrong", "Bearer ", f"Basic {TOKEN}", f"bearer{TOKEN}"):
        assert anyone.get(path, headers={"Authorization": wrong}).status_code == 401


@pytest.mark.parametrize("path", PATHS)
def test_without_a_token_in_the_settings_there_are_no_pages(tmp_path, clock, path):
    app, _ = site(tmp_path, clock, pages_token=None)
    for headers in ({}, BEARER, {"Authorization": "Bearer "}):
        answer = app.test_client().get(path, headers=headers)
        assert answer.status_code == 404
        assert b"pages_token" in answer.data
    assert app.test_client().post("/login", data={"token": ""}).status_code == 404


def test_the_token_opens_for_half_a_day_and_leads_back(anyone, filled, clock):
    wanted = forge.run_path(PULL.id)
    form = anyone.get(wanted).get_data(as_text=True)
    assert f'name="to" value="{wanted}"' in form
    answer = anyone.post("/login", data={"token": f" {TOKEN} ", "to": wanted})
    assert (answer.status_code, answer.headers["Location"]) == (303, wanted)
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and TOKEN not in cookie
    assert "Secure" not in cookie
    assert anyone.get(wanted).status_code == 200
    clock.now += 12 * 3600 + 1
    assert anyone.get(wanted).status_code == 401


def test_where_people_come_by_tls_the_cookie_goes_no_other_way(tmp_path, clock):
    app, _ = site(tmp_path, clock, public_url="https://pf.example.org")
    for base, is_secure in (
        ("http://pf.example.org", True),
        ("https://elsewhere.example", True),
        ("http://127.0.0.1:8080", False),
    ):
        answer = app.test_client().post("/login", data={"token": TOKEN}, base_url=base)
        assert ("Secure" in answer.headers["Set-Cookie"]) is is_secure


def test_who_logs_out_is_out(anyone, filled):
    anyone.post("/login", data={"token": TOKEN, "to": "/"})
    assert anyone.get("/").status_code == 200
    assert anyone.post("/logout").status_code == 303
    assert anyone.get("/").status_code == 401


def test_a_wrong_token_is_told(anyone):
    answer = anyone.post("/login", data={"token": "wrong", "to": "/repos/us/paper"})
    assert answer.status_code == 401
    assert b"Wrong token." in answer.data
    assert b'value="/repos/us/paper"' in answer.data
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize(
    "place",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "/runs/../../x",
        "/runs/a\r\nX: y",
        "/webhook",
        "",
        "/repos/us/%2e%2e",
    ],
)
def test_a_login_leads_nowhere_else(anyone, place):
    answer = anyone.post("/login", data={"token": TOKEN, "to": place})
    assert answer.headers["Location"] == "/"


@pytest.mark.parametrize("path", ["/login", "/logout"])
def test_forms_of_other_sites_and_huge_ones_are_refused(anyone, path):
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
        assert anyone.post(path, data={"token": TOKEN}, headers=headers).status_code == 403
    assert anyone.post("/login", data={"token": "x" * 100_000}).status_code == 413


@pytest.mark.parametrize("path", [*PATHS, "/nowhere", "/assets/pf.js", "/assets/none"])
def test_pages_forbid_what_they_do_not_need(anyone, filled, path):
    headers = anyone.get(path, headers=BEARER).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    if not path.startswith("/assets/pf"):
        assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_fetched_from_elsewhere(shown, filled, path):
    text = shown(path, 404 if "unknown" in path else 200)
    for value in re.findall(r'(?:src|href|action)="([^"]*)"', text):
        is_link = f'<a href="{value}"' in text
        assert value.startswith(("/", "#")) or is_link, value
    assert not re.search(r"<script(?![^>]*(?:src=\"/assets|application/json))", text)
    assert "style=" not in text and " on" + "click" not in text


def test_all_runs_are_listed_the_newest_first(shown, filled):
    text = shown("/")
    assert text.index("#7") < text.index("push to main")
    assert "findings, advisory" in text and "1 finding in proofs (advisory)" in text
    assert "GitHub did not answer" in text
    assert "$0.31" in text and "1 min 52 s" in text
    assert "of $100.00 this month" in text


def test_runs_of_one_state_are_listed(shown, filled):
    text = shown("/?state=failed")
    assert "GitHub did not answer" in text and "push to main" not in text
    assert 'href="/?state=failed" aria-current="page"' in text
    assert "push to main" in shown("/?state=nonsense")


def test_where_there_are_no_runs_it_is_said(shown):
    text = shown("/")
    assert "No runs yet" in text and "never" in text


def test_a_run_says_what_was_read_and_why_what_was_found_and_what_it_cost(shown, filled):
    text = shown(forge.run_path(PULL.id))
    assert "Simulated" not in text
    assert "Uniform bound" in text and "statement changed" in text
    assert "3 of 3 readings" in text and "would block, is advisory" in text
    assert "123,456" in text and "$0.31" in text
    assert "fetched 2 commits" in text
    assert "<math" in text
    assert f"https://github.com/us/paper/blob/{'a' * 40}/main.tex?plain=1#L" in text


def test_a_run_and_a_repository_begin_with_what_the_paper_is(shown, filled, reviewed):
    report = newton(reviewed)
    found = paper_overview(report.papers[0], report)
    said = told_paragraphs(found)
    assert "depends on" in said[1]
    for path in (forge.run_path(PULL.id), "/repos/us/paper"):
        text = html.unescape(" ".join(shown(path).split()))
        assert found.title in text and change_sentence(found) in text
        assert all(f"<p>{paragraph}</p>" in text for paragraph in said)
        assert "Not read: " in text
        if path.startswith("/runs"):
            assert text.index(said[0]) < text.index('class="finding')
    step = re.search(
        r"Next, on the pull request: comment /pf explain ([a-z2-7]{8})",
        text := shown(forge.run_path(PULL.id)),
    )
    assert step and f"Finding {step[1]}" in text
    assert "Next, on" not in shown(forge.run_path("10@main:5")) + shown("/repos/us/paper")


@pytest.mark.parametrize(("name", "texts"), [("gap", (GAP,)), ("change", (EDITED, PAPER))])
def test_what_a_run_says_of_the_paper_is_as_it_was_meant(shown, records, reviewed, name, texts):
    report = reviewed(*({"paper.tex": text} for text in texts))
    kept = result(report, ReviewPart.STRUCTURE)
    records.runs.begin(replace(PULL, state=RunState.DONE, structure=kept))
    page = shown(forge.run_path(PULL.id))
    (told,) = re.findall(r'(<section class="band" id="paper".*?</section>)', page, re.DOTALL)
    told = "\n".join(line.strip() for line in told.splitlines() if line.strip()) + "\n"
    place = SCREENS / f"{name}-page.html"
    if IS_WRITING:
        place.write_text(told, encoding="utf-8")
    assert told == place.read_text(encoding="utf-8")


def test_a_result_of_an_older_release_is_shown_without_what_the_paper_is(shown, records, reviewed):
    kept = json.loads(result(newton(reviewed), ReviewPart.STRUCTURE))
    for name in ("screens", "unlooked", "next_step"):
        del kept[name]
    del kept["papers"][0]["results"]
    old = json.dumps(kept)
    records.runs.begin(replace(PULL, state=RunState.DONE, structure=old))
    text = shown(forge.run_path(PULL.id))
    assert 'id="paper"' not in text and "Uniform bound" in text
    assert f"<li>main.tex: {kept['papers'][0]['modules']} results, 2 affected" in text


def test_a_papers_title_and_sentences_are_text_on_pages(shown, records, reviewed):
    text = NEWTON.replace("On the speed", f"{HOSTILE} speed").replace("[Uniform", f"[{HOSTILE}")
    kept = result(reviewed({"main.tex": text}), ReviewPart.STRUCTURE)
    records.runs.begin(replace(BRANCH, state=RunState.DONE, structure=kept))
    for path in (forge.run_path(BRANCH.id), "/repos/us/paper"):
        page = shown(path)
        assert "<img" not in page and "alert(1)</script" not in page


def test_where_findings_are_to_block_a_run_says_that_they_do(shown, records, reviewed):
    proofs = result(newton(reviewed), ReviewPart.PROOFS, is_required=True)
    records.runs.begin(replace(PULL, state=RunState.DONE, proofs=proofs))
    text = shown(forge.run_path(PULL.id))
    assert "blocking findings" in text and "· blocks" in text and "advisory" not in text


def test_a_push_that_affects_nothing_is_called_that(shown, records, reviewed):
    same = reviewed({"main.tex": NEWTON}, {"main.tex": NEWTON})
    records.runs.begin(
        replace(PULL, state=RunState.DONE, structure=result(same, ReviewPart.STRUCTURE))
    )
    for text in (shown("/"), shown(forge.run_path(PULL.id))):
        assert "no proof is affected" in text and "proofs not read" not in text


def many(records, count):
    for number in range(count):
        run = replace(PULL, id=f"run {number} ü", number=number + 1, created=NOW + number // 2)
        records.runs.begin(replace(run, state=RunState.FAILED if number % 5 else RunState.SKIPPED))


def numbers(text):
    return [int(found) for found in re.findall(r"/pull/(\d+)\"", text)]


def beside(text):
    return {
        rel: html.unescape(address)
        for rel, address in re.findall(r'<a rel="(prev|next)" href="([^"]+)"', text)
    }


def turned(shown, address, way):
    """The pages one after the other."""
    while address:
        text = shown(address)
        yield text
        address = beside(text).get(way, "")


@pytest.mark.parametrize("start", ["/", "/?state=failed", "/repos/us/paper"])
def test_all_runs_can_be_turned_over_page_by_page_and_back(shown, records, start):
    many(records, 333)
    there = list(turned(shown, start, "next"))
    assert [len(numbers(text)) for text in there[:-1]] == [100] * (len(there) - 1)
    listed = [number for text in there for number in numbers(text)]
    assert len(listed) == len(set(listed)) == (266 if "failed" in start else 333)
    back = list(turned(shown, beside(there[-1])["prev"], "prev"))
    assert numbers(back[-1]) == numbers(there[0])
    assert {number for text in (*back, there[-1]) for number in numbers(text)} == set(listed)


def test_a_login_leads_back_to_older_runs(shown, anyone, records):
    many(records, 150)
    older = beside(shown("/"))["next"]
    form = anyone.get(older).get_data(as_text=True)
    assert f'name="to" value="{older}"' in form
    answer = anyone.post("/login", data={"token": TOKEN, "to": older})
    assert answer.headers["Location"] == older


def test_runs_that_come_meanwhile_move_no_page(shown, records):
    many(records, 150)
    older = beside(shown("/"))["next"]
    before = numbers(shown(older))
    records.runs.begin(replace(PULL, id="new", number=999, created=NOW + 9_000))
    assert numbers(shown(older)) == before and len(before) == 50


def test_where_there_is_nothing_older_it_is_said_and_leads_back(shown, records):
    many(records, 3)
    older = f"/?older={NOW - 9_000}~{forge.word('x')}"
    assert "No runs that are older." in shown(older) and beside(shown(older)) == {"prev": "/"}


@pytest.mark.parametrize(
    "asked", ["older=", "older=nan~eA", "older=1e999~eA", "older=1~%00", "newer=x~y", "newer=1~eA"]
)
def test_an_address_that_means_nothing_shows_the_newest(shown, records, asked):
    many(records, 3)
    assert sorted(numbers(shown(f"/?{asked}"))) == [1, 2, 3]


def test_what_was_simulated_is_called_so(shown, records, reviewed):
    proofs = result(newton(reviewed), ReviewPart.PROOFS, is_simulated=True)
    records.runs.begin(replace(PULL, state=RunState.DONE, proofs=proofs))
    assert "Simulated: no model was used." in shown(forge.run_path(PULL.id))
    assert "(simulated)" in shown("/")
    assert "simulated" in shown("/repos/us/paper")


def test_what_was_not_read_is_no_pass(shown, records, reviewed):
    structure = result(unread(reviewed), ReviewPart.STRUCTURE)
    note = "No model is set: the proofs were not read."
    records.runs.begin(replace(PULL, state=RunState.DONE, structure=structure, note=note))
    text = shown("/")
    assert "structure only: proofs not read" in text and "No model is set" in text
    assert "no objection found" not in text


def test_where_proofs_were_read_the_structure_says_nothing_of_them(shown, records, reviewed):
    report = unread(reviewed)
    structure, proofs = (result(report, part) for part in ReviewPart)
    records.runs.begin(replace(PULL, state=RunState.DONE, structure=structure, proofs=proofs))
    text = shown(forge.run_path(PULL.id))
    assert "nothing found" in text and "structure only" not in text
    assert "could not be completed" in text


def test_a_page_says_where_the_structure_of_what_was_accepted_is_at_fault(shown, filled):
    assert "(1 with a structural finding)" in shown(forge.run_path(PULL.id))
    assert "accepted by readers, with a structural finding" in shown("/repos/us/paper")


def test_a_result_that_cannot_be_read_any_more_says_so(shown, records):
    records.runs.begin(replace(PULL, state=RunState.DONE, structure="{}", proofs="nonsense"))
    text = shown(forge.run_path(PULL.id))
    assert text.count("This result cannot be shown") == 2
    assert "No graph yet: no review has finished." in shown("/repos/us/paper")


def test_answers_by_command_are_offered_as_lines_of_the_ledger(shown, filled):
    answer = DismissalRecord(
        place=PLACE,
        number=7,
        finding="abcdefgh",
        aliases=(),
        lines='{"dismissal": 1}\n',
        reason=f"by Lemma 2 {NASTY}",
        who="alice",
        when=NOW,
    )
    filled.answers.add(answer)
    text = shown(forge.run_path(PULL.id))
    assert "by Lemma 2" in text and "{&#34;dismissal&#34;: 1}" in text
    assert "<script>alert" not in text


def test_a_paper_has_its_graph_its_history_and_its_runs(shown, filled):
    text = shown("/repos/us/paper")
    assert "As main was at commit" in text
    assert 'id="network"' in text and '"lem:unif"' in text
    assert text.count("<rect") > 6
    assert "The history as a table" in text
    assert 'href="#focus=thm%3Amain' in text
    assert "pull request opened" in text
    assert shown("/repos/US/Paper")


def test_a_paper_that_was_only_seen_in_a_pull_request_is_shown_as_it_was_there(
    shown, records, reviewed
):
    proofs = result(newton(reviewed), ReviewPart.PROOFS)
    records.runs.begin(replace(PULL, state=RunState.DONE, proofs=proofs))
    text = shown("/repos/us/paper")
    assert "As #7 was at commit" in text
    assert "No push to the default branch has been reviewed yet." in text


@pytest.mark.parametrize(
    "path", ["/runs/unknown", "/runs/%00", "/repos/us/none", "/repos/../..", "/x", "/runs/a/b"]
)
def test_what_is_not_there_is_said(shown, filled, path):
    assert "Page not found." in shown(path, 404)


def test_names_reasons_notes_and_logs_are_text(shown, records, reviewed):
    run = replace(
        BRANCH,
        id=NASTY,
        repository=f"us/{NASTY}",
        branch=NASTY,
        reason=NASTY,
        note=NASTY,
        head=NASTY,
        base=NASTY,
        state=RunState.FAILED,
    )
    records.runs.begin(run)
    records.runs.log(run.id, NASTY)
    for text in (shown("/"), shown(forge.run_path(run.id))):
        assert "<script>alert" not in text
        assert "--&gt;" in text


def test_a_paper_that_means_harm_is_text(shown, records, reviewed):
    label = "x\"'--></td><script>alert(1)</script>&lt;../.."
    text = NEWTON.replace("Uniform bound", f"Uniform {HOSTILE}").replace("Simple zeros", HOSTILE)
    report = newton(reviewed, text=text.replace("lem:contraction", label))
    assert label in report.papers[0].state.document.modules
    structure, proofs = (result(report, part) for part in ReviewPart)
    records.runs.begin(replace(BRANCH, state=RunState.DONE, structure=structure, proofs=proofs))
    for page in (shown(forge.run_path(BRANCH.id)), shown("/repos/us/paper")):
        assert "Uniform" in page
        assert "<img" not in page and "<script>alert" not in page
        assert page.count("</script>") in (0, 2)


def test_a_database_that_does_not_answer_is_told(records, shown):

    class Broken:
        def __getattr__(self, name):
            raise RecordError("the App's database does not answer (OperationalError)")

    records.runs = Broken()
    assert "does not answer" in shown("/", 503)


def test_formulas_need_no_library(monkeypatch):
    assert views.maths()("x", False)
    monkeypatch.setattr(views, "find_spec", lambda _: None)
    assert views.maths()("x", False) is None
