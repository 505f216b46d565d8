"""emulate, a GitHub that is not ours: its server, with the App installed on one repository."""

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.npm import fetched

VERSION = "0.11.2"
APP, INSTALLATION = 12_345, 100
PERMISSIONS = {
    "checks": "write",
    "contents": "read",
    "issues": "write",
    "metadata": "read",
    "pull_requests": "write",
}


def seed(private_key: str) -> dict[str, Any]:
    """What the server knows when it starts: the App, its owner, and a repository."""
    installed = {
        "installation_id": INSTALLATION,
        "account": "us",
        "repository_selection": "all",
        "permissions": PERMISSIONS,
        "events": ["pull_request"],
    }
    app = {
        "app_id": APP,
        "slug": "pf-verify",
        "name": "pf-verify",
        "private_key": private_key,
        "permissions": PERMISSIONS,
        "events": ["pull_request"],
        "installations": [installed],
    }
    return {
        "tokens": {"our-token": {"login": "us", "scopes": ["repo"]}},
        "github": {
            "users": [{"login": "us", "name": "Us"}, {"login": "alice", "name": "Alice"}],
            "repos": [{"owner": "us", "name": "paper", "auto_init": True}],
            "apps": [app],
        },
    }


@contextmanager
def emulated(place: Path, folder: Path, seeded: Mapping[str, Any], probe: str) -> Iterator[str]:
    """The address of a server; the program stays in `place`, `probe` is answered when it runs."""
    program = fetched(place / f"emulate-{VERSION}", "emulate", VERSION)
    (folder / "seed.json").write_text(json.dumps(seeded))
    address = f"http://127.0.0.1:{free_port()}"
    command = ["node", str(program / "dist/index.js"), "start", "-s", "github", "--seed"]
    command += ["seed.json", "-p", address.rpartition(":")[2], "--base-url", address]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
        try:
            yield listening(address, probe, process, folder / "log")
        finally:
            process.terminate()
            process.wait(timeout=10)


def asked(address: str, token: str = "", body: Mapping[str, Any] | None = None) -> Any:
    """The answer to a request that a person makes."""
    headers = {"Content-Type": "application/json"} | (
        {"Authorization": f"token {token}"} if token else {}
    )
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=5) as reply:
        return json.loads(reply.read())


def opened(address: str, repository: str = "us/paper", token: str = "our-token") -> str:
    """A pull request in a repository that changes a file; its head."""
    root = f"{address}/repos/{repository}"
    base = asked(f"{root}/git/ref/heads/main", token)["object"]["sha"]
    text = "".join(f"line {number}\n" for number in range(1, 31))
    blob = asked(f"{root}/git/blobs", token, {"content": text, "encoding": "utf-8"})["sha"]
    file = {"path": "main.tex", "mode": "100644", "type": "blob", "sha": blob}
    before = asked(f"{root}/git/commits/{base}", token)["tree"]["sha"]
    tree = asked(f"{root}/git/trees", token, {"base_tree": before, "tree": [file]})["sha"]
    made = {"message": "a change", "tree": tree, "parents": [base]}
    head: str = asked(f"{root}/git/commits", token, made)["sha"]
    asked(f"{root}/git/refs", token, {"ref": "refs/heads/change", "sha": head})
    asked(f"{root}/pulls", token, {"title": "A change", "head": "change", "base": "main"})
    return head


def free_port() -> int:
    """A port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def listening(address: str, probe: str, process: "subprocess.Popen[bytes]", log: Path) -> str:
    """The address of a server that answers by now; the test fails if it does not start."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(200):
        if process.poll() is not None:
            break
        try:
            opener.open(f"{address}{probe}", timeout=5).close()
        except urllib.error.HTTPError as error:
            error.close()
            return address
        except OSError:
            time.sleep(0.05)
        else:
            return address
    pytest.fail(f"the server did not start: {log.read_text()[-2000:]}")
