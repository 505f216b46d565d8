"""A code becomes two private files; nothing that GitHub could say wrong gets into them."""

import json
import stat
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from bot import app_settings
from bot.app_settings import private_key
from bot.web.registration import (
    KEY_NAME,
    GithubExchange,
    RegistrationError,
    SavedRegistration,
    keep,
    registered,
)
from pfcore.domain.errors import ConfigError

SERVER = "https://github.com"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIE+/=\n-----END RSA PRIVATE KEY-----\n"
SECRET = "e340154128314309424b7c8e90325147d99fdafa"
ANSWER = {
    "id": 42,
    "slug": "pf-verify-us",
    "name": "pf-verify us",
    "owner": {"login": "a-university", "id": 1},
    "html_url": "https://github.com/apps/pf-verify-us",
    "client_id": "Iv1.1",
    "client_secret": "client-secret-1",
    "webhook_secret": SECRET,
    "pem": PEM,
}
KEPT = SavedRegistration(
    pages_token="token-of-the-pages",
    webhook_secret="another-webhook-secret",
    server_url=SERVER,
    api_url="https://api.github.com",
    public_url=None,
)


def made(**other):
    return registered(json.dumps(ANSWER | other).encode(), server_url=SERVER)


def loaded(path):
    return app_settings.load_app_settings({}, path)


def test_what_github_gave_is_what_the_app_reads(tmp_path):
    path = tmp_path / "own" / "app.toml"
    keep(made(), KEPT, path)
    found = loaded(path)
    assert (found.app_id, found.accounts) == (42, {"a-university"})
    assert found.webhook_secret == SECRET.encode()
    assert found.pages_token == b"token-of-the-pages"
    assert private_key(found.private_key) == PEM
    assert "client-secret-1" not in path.read_text()


def test_only_the_owner_may_read_what_was_written(tmp_path):
    path = tmp_path / "own" / "app.toml"
    keep(made(), KEPT, path)
    assert {item.name: stat.S_IMODE(item.stat().st_mode) for item in path.parent.iterdir()} == {
        "app.toml": 0o600,
        KEY_NAME: 0o600,
    }
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_an_enterprise_server_and_a_public_address_are_kept(tmp_path):
    path = tmp_path / "app.toml"
    kept = SavedRegistration(
        pages_token="token-of-the-pages",
        webhook_secret="another-webhook-secret",
        server_url="https://ghe.example.org",
        api_url="https://ghe.example.org/api/v3",
        public_url="https://pf.example.org",
    )
    keep(made(webhook_secret=None), kept, path)
    found = loaded(path)
    assert (found.server_url, found.api_url) == (kept.server_url, kept.api_url)
    assert found.public_url == "https://pf.example.org"
    assert found.webhook_secret == b"another-webhook-secret"


@pytest.mark.parametrize("name", ["app.toml", KEY_NAME])
def test_an_app_that_is_there_is_not_overwritten(tmp_path, name):
    (tmp_path / name).write_text("ours")
    with pytest.raises(ConfigError, match="an App is set up"):
        keep(made(), KEPT, tmp_path / "app.toml")
    assert [item.name for item in tmp_path.iterdir()] == [name]


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        keep(made(), KEPT, tmp_path / "file" / "app.toml")


def test_where_the_disk_is_full_nothing_is_left_that_stands_in_the_way(tmp_path):
    resource = pytest.importorskip("resource", reason="only POSIX limits files")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(PEM) + 20, before[1]))
    try:
        with pytest.raises(ConfigError, match="cannot be written"):
            keep(made(), KEPT, tmp_path / "app.toml")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "other",
    [
        {"id": 0},
        {"pem": "no key"},
        {"webhook_secret": "short"},
        {"webhook_secret": 'secret-with-a-"quote"'},
        {"webhook_secret": "secret-with\nanother = line"},
        {"owner": {"login": "../x"}},
        {"html_url": "https://elsewhere.example/apps/x"},
        {"html_url": "https://github.com.example/apps/x"},
        {"html_url": "javascript:alert(1)"},
    ],
)
def test_an_answer_of_another_form_is_refused_and_not_quoted(other):
    with pytest.raises(RegistrationError) as caught:
        made(**other)
    said = str(caught.value) + repr(caught.value.__cause__)
    assert "from GitHub" in said or "GitHub's answer" in said
    assert SECRET not in said and "MIIE" not in said


def test_secrets_are_not_printed():
    shown = repr(made()) + repr(KEPT)
    for secret in (SECRET, "MIIE", KEPT.pages_token, KEPT.webhook_secret):
        assert secret not in shown


@pytest.fixture
def github(request):
    """A server that gives one answer to whatever is asked, and notes what was."""
    status, body = request.param
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/api/v3", asked
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.parametrize("github", [(201, json.dumps(ANSWER).encode())], indirect=True)
def test_the_code_is_exchanged_once_with_nothing_beside(github):
    api, asked = github
    exchange = GithubExchange(server_url=SERVER, api_url=api)
    assert exchange("a1b2").app_id == 42
    assert asked == [("/api/v3/app-manifests/a1b2/conversions", b"")]


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.parametrize("github", [(404, b"{}"), (302, b"")], indirect=True)
def test_a_code_that_is_not_taken_is_told_and_goes_nowhere_else(github):
    api, asked = github
    with pytest.raises(RegistrationError, match=r"rejected the code \((404|302)\)"):
        GithubExchange(server_url=SERVER, api_url=api)("a1b2")
    assert len(asked) == 1


def test_what_is_no_code_is_not_sent():
    exchange = GithubExchange(server_url=SERVER, api_url="http://127.0.0.1:9")
    for code in ("", "../x", "a b", "a?b", "a" * 300):
        with pytest.raises(RegistrationError, match="an invalid code"):
            exchange(code)


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_github_that_is_not_there_is_told():
    with pytest.raises(RegistrationError, match="could not be reached"):
        GithubExchange(server_url=SERVER, api_url="http://127.0.0.1:9")("a1b2")
