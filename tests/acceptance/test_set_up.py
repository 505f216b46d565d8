"""From nothing to an App that serves, as a person does it: terminal, browser, doctor, pages."""

import html
import http.cookiejar
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bot.conftest import github  # noqa: F401 - a fixture

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

PF = Path(sys.executable).with_name("pf")
SOON = 90.0


class Person:
    """Types what a page asks for; remembers cookies, and follows nobody away from the server."""

    def __init__(self, address: str) -> None:
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._opener = urllib.request.build_opener(jar)
        self._address = address
        self.seen = ""

    def look(self, path: str, **form: str) -> int:
        """Open a page, or send a form to it; the status."""
        data = urllib.parse.urlencode(form).encode() if form else None
        try:
            with self._opener.open(self._address + path, data, timeout=10) as answer:
                self.seen = answer.read().decode()
                return int(answer.status)
        except urllib.error.HTTPError as error:
            self.seen = error.read().decode()
            error.close()
            return error.code
        except OSError:
            return 0

    def wait(self, path: str, status: int) -> None:
        """Look again and again, as somebody does who waits for a server."""
        end = time.monotonic() + SOON
        while self.look(path) != status:
            assert time.monotonic() < end, self.seen
            time.sleep(0.2)


@pytest.fixture
def environment(github: Any, tmp_path: Path) -> dict[str, str]:  # noqa: F811
    return {
        **os.environ,
        "PF_APP_FILE": str(tmp_path / "own" / "app.toml"),
        "GITHUB_SERVER_URL": github.url,
        "GITHUB_API_URL": github.url,
    }


@pytest.fixture
def port() -> int:
    """One that is free now."""
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return int(tried.getsockname()[1])


@pytest.fixture
def serving(environment: dict[str, str], port: int, tmp_path: Path) -> Iterator[Any]:
    """`pf serve --poll`; what it says goes into a file."""
    said = tmp_path / "said"
    with said.open("w") as out:
        process = subprocess.Popen(
            [PF, "serve", "--poll", "--port", str(port)],
            env=environment,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    yield process, said
    if process.poll() is None:
        process.kill()
        process.wait()


def _code(said: Path) -> str:
    end = time.monotonic() + SOON
    while not (found := re.search(r"/setup and enter the code (\w+)", said.read_text())):
        assert time.monotonic() < end, said.read_text()
        time.sleep(0.1)
    return found[1]


def _registered(person: Person, hub: Any, code: str) -> None:
    """Through the set-up; what GitHub's own page does is done here."""
    person.wait("/setup", 401)
    assert person.look("/setup/code", code=code) == 200
    assert person.look("/setup/manifest", organisation="us", public_url="") == 200
    manifest = re.search(r'name="manifest" value="([^"]*)"', person.seen)
    state = re.search(r"organizations/us/settings/apps/new\?state=([\w-]+)", person.seen)
    assert manifest and state
    hub.manifests["a1b2"] = json.loads(html.unescape(manifest[1]))
    hub.hook = hub.manifests["a1b2"]["hook_attributes"]["url"]
    assert person.look(f"/setup/back?code=a1b2&state={state[1]}") == 200
    assert "is registered" in person.seen


def test_the_five_minutes(
    github: Any,  # noqa: F811
    serving: Any,
    environment: dict[str, str],
    port: int,
) -> None:
    process, said = serving
    person = Person(f"http://127.0.0.1:{port}")
    _registered(person, github, _code(said))
    person.wait("/readyz", 200)
    kept = tomllib.loads(Path(environment["PF_APP_FILE"]).read_text())
    assert kept["accounts"] == ["us"]

    doctor = subprocess.run(
        [PF, "doctor", "--plain"], env=environment, capture_output=True, text=True, check=False
    )
    wrong = [line for line in doctor.stdout.splitlines() if line.startswith("  wrong")]
    assert [line.split()[1:3] for line in wrong] == [["App", "server"]], doctor.stdout
    assert re.search(r"ok +App on GitHub +pf-verify of us", doctor.stdout)
    assert re.search(r"ok +App rights +exactly those needed", doctor.stdout)
    assert "1 worker running" in doctor.stdout

    assert person.look("/") == 401
    assert person.look("/login", token=kept["pages_token"], to="/") == 200
    assert "No runs yet" in person.seen
    assert person.look("/metrics") == 200
    assert "pf_tasks_queued 0.0" in person.seen

    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) in (0, -signal.SIGTERM)
    everything = said.read_text() + doctor.stdout + doctor.stderr
    key = github.private_key.splitlines()[1]
    for secret in (kept["webhook_secret"], kept["pages_token"], key):
        assert secret not in everything


def test_the_set_up_can_be_left(serving: Any, environment: dict[str, str]) -> None:
    process, said = serving
    _code(said)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 0, "systemd starts again what failed"
    assert not Path(environment["PF_APP_FILE"]).exists()
    assert "Traceback" not in said.read_text()
