"""What `pf doctor` says of the App: as it is, with a way out, and with no secret in it."""

import os
from dataclasses import replace

import pytest

from bot import app_probes, app_settings
from bot.app_settings import write_private
from bot.domain.forge import Identity
from bot.storage.records import open_records
from bot.web.registration import EVENTS, NOWHERE, PERMISSIONS
from pfcore.domain.errors import IncompleteError
from pfcore.reporters.setup_report import Word
from pfcore.testing import FakeClock

SECRET, TOKEN = "0123456789abcdef-hook", "0123456789abcdef-pages"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n"
TEXT = f"""
app_id = 7
private_key = "key.pem"
webhook_secret = "{SECRET}"
accounts = ["us"]
public_url = "https://pf.example.org"
pages_token = "{TOKEN}"
"""
GOOD = Identity(
    slug="pf-verify-us",
    owner="us",
    permissions={item.name: item.access for item in PERMISSIONS},
    events=EVENTS,
    hook="https://pf.example.org/webhook",
    ahead=0.4,
)


@pytest.fixture
def place(tmp_path):
    write_private(tmp_path / "key.pem", PEM)
    write_private(tmp_path / "app.toml", TEXT)
    return tmp_path


@pytest.fixture
def look(place):
    """The probes by name, as word and sentence."""

    def run(identity=GOOD, **environment):
        def identify(found):
            if isinstance(identity, Exception):
                raise identity
            return identity

        known = {app_settings.FILE: str(place / "app.toml")} | environment
        found = list(app_probes.probe_app(known, identify=identify, clock=FakeClock()))
        said = " ".join(f"{item.says} {item.advice}" for item in found)
        assert SECRET not in said and TOKEN not in said and "MIIE" not in said
        return {item.name: item for item in found}

    return run


def test_without_an_app_there_is_nothing_to_say(tmp_path):
    environment = {app_settings.FILE: str(tmp_path / "app.toml")}
    assert list(app_probes.probe_app(environment, identify=lambda _: GOOD, clock=FakeClock())) == []


def test_a_server_without_tls_is_wrong_as_nothing_can_be_fetched_from_it(look):
    found = look(GITHUB_SERVER_URL="http://127.0.0.1:8000")["App server"]
    assert found.word is Word.WRONG and "http://127.0.0.1:8000" in found.says
    assert "https only" in found.says and "https://" in found.advice


def test_a_sound_app_is_called_so(look, place):
    found = look()
    assert {item.word for item in found.values()} == {Word.OK}
    assert found["App on GitHub"].says == "pf-verify-us of us, at https://github.com"
    assert found["App database"].says == (
        f"{place / 'data' / 'pf-verify.sqlite'} is created when pf serve starts"
    )
    assert not (place / "data").exists()
    assert "key.pem" in found["App key"].says
    assert all(len(name) <= 13 for name in found)


def test_a_database_that_is_there_is_asked_who_works(look, place):
    records = open_records(f"sqlite:///{place / 'data' / 'pf-verify.sqlite'}", FakeClock())
    records.workers.beat("one")
    records.close()
    assert look()["App database"].says.endswith("pf-verify.sqlite answers; 1 worker running")


def test_the_app_of_another_user_is_looked_at_by_that_user(look, place, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: (place / "app.toml").stat().st_uid + 1)
    found = look()["App settings"]
    assert found.word is Word.WARNING
    assert "as that user" in found.advice


def test_settings_that_others_can_read_are_wrong(look, place):
    (place / "app.toml").chmod(0o644)
    found = look()
    assert list(found) == ["App settings"]
    assert "chmod 600" in found["App settings"].says


def test_a_key_that_others_can_read_is_wrong_and_not_used(look, place):
    (place / "key.pem").chmod(0o640)
    found = look(RuntimeError("was asked"))
    assert found["App key"].word is Word.WRONG and "chmod 600" in found["App key"].says
    assert "App on GitHub" not in found


def test_a_file_that_is_no_key_is_wrong(look, place):
    (place / "key.pem").write_text("nonsense")
    assert "not a private key" in look()["App key"].says


def test_a_database_that_does_not_answer_is_wrong_without_its_address(look):
    url = "postgresql://u:hunter2@/none?host=/nowhere"
    found = look(PF_DATABASE_URL=url)["App database"]
    assert found.word is Word.WRONG
    assert "hunter2" not in found.says and "cannot be opened" in found.says


def test_a_github_that_does_not_know_the_app_is_told_in_its_words(look):
    found = look(IncompleteError("the App cannot be found: GitHub answered 401"))
    assert found["App on GitHub"].word is Word.WRONG
    assert "GitHub answered 401" in found["App on GitHub"].says
    assert "App rights" not in found


def test_packages_that_are_missing_are_named(look):
    found = look(ImportError("no", name="github"))["App on GitHub"]
    assert found.says == "github is not installed"
    assert "pip install" in found.advice


@pytest.mark.parametrize(
    ("ahead", "word", "part"),
    [
        (None, Word.UNKNOWN, "sent no time"),
        (9.0, Word.OK, "agrees"),
        (-12.0, Word.WARNING, "12 s behind"),
        (61.0, Word.WRONG, "61 s ahead of"),
    ],
)
def test_a_clock_that_is_off_is_told(look, ahead, word, part):
    found = look(replace(GOOD, ahead=ahead))["App clock"]
    assert found.word is word and part in found.says


@pytest.mark.parametrize(
    ("changes", "word", "part"),
    [
        ({"checks": "read"}, Word.WRONG, "missing: checks: write"),
        ({"issues": ""}, Word.WRONG, "missing: issues: write"),
        ({"contents": "write"}, Word.WARNING, "more than needed: contents: write"),
        ({"administration": "read"}, Word.WARNING, "administration: read"),
        ({"secrets": "strange"}, Word.WARNING, "secrets: strange"),
    ],
)
def test_rights_are_as_many_as_needed(look, changes, word, part):
    found = look(replace(GOOD, permissions={**GOOD.permissions, **changes}))["App rights"]
    assert found.word is word and part in found.says
    assert "pf-verify-us" in found.advice


def test_who_resolves_threads_needs_more(look, place):
    with (place / "app.toml").open("a") as file:
        file.write("resolve_threads = true\n")
    assert "missing: contents: write" in look()["App rights"].says
    more = replace(GOOD, permissions={**GOOD.permissions, "contents": "write"})
    assert look(more)["App rights"].word is Word.OK


def test_events_that_do_not_come_are_named(look):
    found = look(replace(GOOD, events=("push", "pull_request", "star")))["App events"]
    assert found.word is Word.WRONG
    assert (
        "issue_comment, merge_group, pull_request_review, pull_request_review_comment" in found.says
    )


@pytest.mark.parametrize(
    ("hook", "word", "part"),
    [
        (f"{NOWHERE}/webhook", Word.OK, "pf serve --poll"),
        ("", Word.WRONG, "no webhook is set"),
        ("https://old.example.org/webhook", Word.WARNING, "not to public_url"),
    ],
)
def test_where_deliveries_go_is_told(look, hook, word, part):
    found = look(replace(GOOD, hook=hook))["App webhook"]
    assert found.word is word and part in found.says


@pytest.mark.parametrize(
    ("accounts", "word", "part"),
    [
        ("*", Word.WARNING, "at your expense"),
        (" , ", Word.WRONG, "no account"),
        ("a,b", Word.OK, "a, b"),
    ],
)
def test_who_is_served_is_told(look, accounts, word, part):
    found = look(PF_ACCOUNTS=accounts)["App accounts"]
    assert found.word is word and part in found.says


def test_pages_are_told_as_they_are(look, place):
    text = TEXT.replace('public_url = "https://pf.example.org"\n', "")
    (place / "app.toml").write_text(text)
    assert "checks do not link to them" in look()["App pages"].says
    (place / "app.toml").write_text(text.replace(f'pages_token = "{TOKEN}"\n', ""))
    assert "disabled" in look()["App pages"].says


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_github_is_asked_who_the_app_is(github, tmp_path, monkeypatch):
    write_private(tmp_path / "key.pem", github.private_key)
    write_private(tmp_path / "app.toml", TEXT)
    for name, value in {
        app_settings.FILE: str(tmp_path / "app.toml"),
        app_settings.API_URL: github.url,
        app_settings.APP_ID: str(github.app),
    }.items():
        monkeypatch.setenv(name, value)
    github.hook = "https://pf.example.org/webhook"
    found = {item.name: item for item in app_probes.probes()}
    assert {item.word for item in found.values()} == {Word.OK}, found
    assert found["App on GitHub"].says.startswith(f"{github.slug} of us")
