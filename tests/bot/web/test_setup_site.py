"""A person with the code registers the App; nobody else does, and nothing secret is shown."""

import html
import json
import re
from itertools import count

import pytest

from bot import app_settings
from bot.web.registration import RegistrationError, registered
from bot.web.setup_site import SetupTarget, create_app, new_code
from tests.bot.web.test_registration import ANSWER, PEM, SECRET

CODE = "abcdef0123"
PUBLIC = {"public_url": "https://pf.example.org"}


class World:
    """An exchange that notes its codes, and a clock for what is done."""

    def __init__(self, folder):
        self.path = folder / "own" / "app.toml"
        self.codes = []
        self.done = 0
        self.answer = ANSWER
        self._numbers = count(1)

    def exchange(self, code):
        self.codes.append(code)
        if code == "old":
            raise RegistrationError("GitHub rejected the code (404)")
        return registered(json.dumps(self.answer).encode(), server_url="https://github.com")

    def finish(self):
        self.done += 1

    def client(self, **other):
        setup = SetupTarget(
            path=self.path,
            server_url="https://github.com",
            api_url="https://api.github.com",
            code=CODE,
            exchange=self.exchange,
            done=self.finish,
            random=lambda: f"random-word-number-{next(self._numbers)}",
            **({"is_polling": False} | other),
        )
        return create_app(setup).test_client()


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


@pytest.fixture
def client(world):
    return world.client()


def unlocked(client):
    assert client.post("/setup/code", data={"code": f" {CODE.upper()} "}).status_code == 303
    return client


def sent(client, **form):
    """The manifest and the state of the form that goes to GitHub."""
    page = client.post("/setup/manifest", data=PUBLIC | form).get_data(as_text=True)
    value = re.search(r'name="manifest" value="([^"]*)"', page)
    state = re.search(r"settings/apps/new\?state=([\w-]+)", page)
    assert value and state, page
    return json.loads(html.unescape(value[1])), state[1]


def test_without_the_code_there_is_nothing_to_see(client, world):
    assert client.get("/").headers["Location"] == "/setup"
    page = client.get("/setup")
    assert page.status_code == 401
    assert b"Organisation" not in page.data
    for path in ("/setup/ready", "/setup/back?code=a&state=b"):
        assert client.get(path).headers["Location"] == "/setup"
    assert client.post("/setup/manifest", data=PUBLIC).headers["Location"] == "/setup"
    assert world.codes == []


def test_codes_cannot_be_guessed_for_long(client):
    for _ in range(10):
        page = client.post("/setup/code", data={"code": "wrong"})
        assert page.status_code == 401
    page = client.post("/setup/code", data={"code": CODE})
    assert page.status_code == 401
    assert b"restart pf serve" in page.data


def test_a_code_is_long_enough_and_never_the_same():
    assert len(new_code()) == 10 and new_code() != new_code()


def test_the_whole_way(client, world):
    unlocked(client)
    manifest, state = sent(client)
    assert manifest["redirect_url"] == "http://localhost/setup/back"
    assert manifest["hook_attributes"]["url"] == "https://pf.example.org/webhook"
    answer = client.get(f"/setup/back?code=a1b2&state={state}")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/setup/ready")
    page = client.get("/setup/ready").get_data(as_text=True)
    assert "https://github.com/apps/pf-verify-us/installations/new" in page
    assert "a-university" in page
    assert not app_settings.load_app_settings({}, world.path).resolve_threads
    assert world.path.exists() and world.done == 1
    assert client.get("/setup").headers["Location"] == "/setup/ready"


def test_nothing_secret_is_shown(client, world, caplog):
    unlocked(client)
    _, state = sent(client)
    client.get(f"/setup/back?code=a1b2&state={state}")
    shown = client.get("/setup/ready").get_data(as_text=True)
    for secret in (SECRET, PEM.splitlines()[1], "random-word-number", "client-secret"):
        assert secret not in shown and secret not in caplog.text
    assert SECRET in world.path.read_text()


def test_only_the_answer_to_what_was_asked_counts_and_once(client, world):
    unlocked(client)
    assert client.get("/setup/back?code=a1b2&state=").status_code == 400
    _, state = sent(client)
    assert client.get("/setup/back?code=a1b2&state=forged").status_code == 400
    assert client.get(f"/setup/back?code=a1b2&state={state}").status_code == 400
    assert world.codes == [] and not world.path.exists()


def test_a_code_that_github_does_not_take_is_told(client, world):
    unlocked(client)
    _, state = sent(client)
    page = client.get(f"/setup/back?code=old&state={state}")
    assert page.status_code == 400
    assert b"rejected the code" in page.data
    assert not world.path.exists() and world.done == 0


def test_what_cannot_be_written_says_what_to_do_with_the_new_app(client, world):
    unlocked(client)
    _, state = sent(client)
    world.path.parent.write_text("a file")
    page = client.get(f"/setup/back?code=a1b2&state={state}").get_data(as_text=True)
    assert "cannot be written" in page
    assert "delete the new App at https://github.com/apps/pf-verify-us" in page


def test_an_app_that_is_there_is_not_replaced(client, world):
    unlocked(client)
    world.path.parent.mkdir()
    world.path.write_text("ours")
    page = client.post("/setup/manifest", data=PUBLIC)
    assert page.status_code == 400 and b"an App is set up" in page.data


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"public_url": ""}, b"pf serve --poll"),
        ({"public_url": "http://pf.example.org"}, b"must begin with https"),
        ({"public_url": "https://u:p@pf.example.org"}, b"without user"),
        ({"organisation": "../../evil"}, b"Invalid name of an organisation"),
        ({"organisation": "<script>alert(1)</script>"}, b"Invalid name of an organisation"),
    ],
)
def test_what_cannot_be_is_told_beside_the_form(client, form, says):
    page = unlocked(client).post("/setup/manifest", data=PUBLIC | form)
    assert page.status_code == 400
    assert says in page.data
    assert b"<script>" not in page.data


def test_an_organisation_owns_it_and_lets_it_resolve(client, world):
    page = unlocked(client).post(
        "/setup/manifest", data=PUBLIC | {"organisation": "a-university", "may_resolve": "yes"}
    )
    assert b"https://github.com/organizations/a-university/settings/apps/new" in page.data
    manifest, state = sent(client, organisation="a-university", may_resolve="yes")
    assert manifest["default_permissions"]["contents"] == "write"
    client.get(f"/setup/back?code=a1b2&state={state}")
    assert app_settings.load_app_settings({}, world.path).resolve_threads


def test_who_polls_needs_no_address(world):
    client = unlocked(world.client(is_polling=True))
    manifest, _ = sent(client, public_url="")
    assert manifest["hook_attributes"]["url"] == "https://pf-verify.invalid/webhook"


def test_behind_its_public_address_it_sends_people_back_there(client):
    unlocked(client)
    page = client.post("/setup/manifest", data={"public_url": "https://localhost"})
    assert b"https://localhost/setup/back" in page.data


def test_a_secret_that_github_did_not_give_is_made(client, world):
    world.answer = ANSWER | {"webhook_secret": None}
    unlocked(client)
    _, state = sent(client)
    client.get(f"/setup/back?code=a1b2&state={state}")
    assert b"GitHub sent no webhook secret" in client.get("/setup/ready").data
    assert 'webhook_secret = "random-word-number-' in world.path.read_text()


def test_forms_of_other_sites_are_refused(client):
    for headers in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ):
        assert client.post("/setup/code", data={"code": CODE}, headers=headers).status_code == 403
        assert client.post("/setup/manifest", data=PUBLIC, headers=headers).status_code == 403


def test_pages_forbid_what_they_do_not_need(client):
    for path in ("/setup", "/nowhere", "/assets/pf.css"):
        headers = client.get(path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "form-action 'self' https://github.com" in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
    cookie = client.post("/setup/code", data={"code": CODE}).headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie
    assert client.get("/assets/..%2fpages.css").status_code == 404
