"""A server on this machine that speaks both interfaces: what it says is scripted by stage."""

import errno
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import prompts
from pfcore.cli.main import main
from pfcore.papers import compiled_paper, tex_process

ACCEPT = '<objections>\n</objections>\n\n```json\n{"verdict": "accept"}\n```'
FALSE_ALARM = '```json\n{"flags": [{"id": "F1", "status": "false_alarm"}]}\n```'
LEMMA = "\\begin{lemma}\\label{%s} %s.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What a server sends that does not simply speak: a body as it is, with status and headers.

    `cut` is how many bytes of it go out before the connection ends; a `silent` server sends none,
    and keeps the connection.
    """

    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    silent: bool = False


Said = str | int | Sent
"""What is said, or an HTTP status, or what is sent as it is."""

Say = Callable[[str, str], Said]
"""From stage and text to what comes back."""


def chat(text: str | None, *, finish: str = "stop", served: str = "served", **more: str) -> str:
    """The body of a chat completion."""
    message = {"role": "assistant", "content": text, **more}
    choice = {"index": 0, "finish_reason": finish, "message": message}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    kind = {"id": "x", "object": "chat.completion", "created": 1, "model": served}
    return json.dumps(kind | {"choices": [choice], "usage": usage})


def flag(quote: str, problem: str = "It may be 0.") -> str:
    """A verifier's reply with one objection."""
    return (
        f"<objections><objection><quote>{quote}</quote><problem>{problem}</problem></objection>"
        '</objections>\n```json\n{"verdict": "flag"}\n```'
    )


def genuine(quote: str, objection: str = "It may be 0.", rule: str = "gap") -> str:
    """A calibrator's reply that upholds the one objection."""
    entry = {"id": "F1", "status": "genuine", "class": rule, "severity": "error"}
    return (
        f'<finding id="F1"><quote>{quote}</quote><objection>{objection}</objection>'
        f"<reason>Take 0.</reason></finding>\n```json\n{json.dumps({'flags': [entry]})}\n```"
    )


@dataclass
class Referee:
    """Accepts everything until it is told what else to say; remembers what it was asked.

    The stage is "" where the instructions are no stage's; `served` is what it calls itself;
    `limits` are the most tokens that each reply could have, `models` those that it says it has.
    """

    say: Say = lambda stage, text: ACCEPT
    served: str = "served"
    asked: list[tuple[str, str]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    limits: list[object] = field(default_factory=list)
    models: tuple[str, ...] = ()
    over: threading.Event = field(default_factory=threading.Event)

    def sent(self, body: dict[str, Any]) -> Sent:
        """What is sent to a request."""
        said = self.answer(body)
        if isinstance(said, int):
            return Sent(status=said, body='{"error": {"message": "told to fail"}}')
        if isinstance(said, Sent):
            return said
        if "input" in body:
            return Sent(body=json.dumps(_response(said)))
        return Sent(body=chat(said, served=self.served))

    def answer(self, body: dict[str, Any]) -> Said:
        """What is said to a request."""
        instructions, text = self._words(body)
        names = ("max_tokens", "max_completion_tokens", "max_output_tokens")
        self.limits.append(next((body[name] for name in names if name in body), None))
        stage = next(
            (
                stage
                for stage, version in prompts.RELEASED.items()
                if instructions[:60] == prompts.prompt(stage, version)[:60]
            ),
            "",
        )
        self.asked.append((stage, text))
        return self.say(stage, text)

    def _words(self, body: dict[str, Any]) -> tuple[str, str]:
        """Instructions and text; a file that comes along is kept."""
        if "messages" in body:
            return body["messages"][0]["content"], body["messages"][1]["content"]
        content = body["input"][0]["content"]
        self.files.extend(item["file_data"] for item in content if item["type"] == "input_file")
        return body["instructions"], content[-1]["text"]

    def objects_to(self, quote: str, objection: str = "It may be 0.") -> None:
        """From now on, object to the words wherever they stand in what is to be checked."""

        def say(stage: str, text: str) -> str:
            if quote not in text:
                return ACCEPT
            return flag(quote) if stage == "verify" else genuine(quote, objection)

        self.say = say


def _response(said: str) -> dict[str, Any]:
    """A reply of the Responses interface."""
    content = [{"type": "output_text", "text": said, "annotations": []}]
    return {
        "id": "x",
        "object": "response",
        "status": "completed",
        "model": "served",
        "output": [{"type": "message", "role": "assistant", "content": content}],
        "usage": {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110},
    }


@pytest.fixture
def referee(monkeypatch: pytest.MonkeyPatch) -> Iterator[Referee]:
    """A model that runs on this machine, named in the environment by its address alone."""
    model = Referee()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.headers.append(dict(self.headers))
            sent = model.sent(body)
            data = sent.body.encode()
            if sent.silent:
                model.over.wait(60)
            if sent.silent or sent.cut == 0:
                self.close_connection = True
                return
            self.send_response(sent.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            for name, value in sent.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data[: sent.cut])
            self.close_connection = sent.cut is not None

        def do_GET(self) -> None:
            data = json.dumps({"data": [{"id": name} for name in model.models]}).encode()
            self.send_response(200 if model.models else 404)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    monkeypatch.setenv("PF_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    try:
        yield model
    finally:
        model.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def paper(tmp_path: Path, repository: Any, document: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one lemma and one that cites it; the working folder is inside."""
    body = LEMMA % ("a", "Every A is positive", "Clear.") + LEMMA % ("b", "B", r"By \ref{a}.")
    repository({"main.tex": document(body)})
    monkeypatch.chdir(tmp_path / "paper")
    monkeypatch.setenv("PF_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "paper"


@pytest.fixture
def edit(paper: Path) -> Callable[[str, str], None]:
    """Replace words of the paper."""

    def change(old: str, new: str) -> None:
        path = paper / "main.tex"
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    return change


@pytest.fixture
def run(
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., tuple[int, str, str]]:
    """Run a command: its exit status, what it prints, and what beside.

    Only a TeX that the test has made is there, save for tests that ask for the one installed: what
    a command says does not hang on the machine, and no paper is compiled on the way.
    """
    found = tex_process.find_engine

    def made(name: str, path: str) -> str | None:
        engine = found(name, path)
        return engine if engine and Path(engine).is_relative_to(tmp_path) else None

    if not request.node.get_closest_marker("acceptance"):
        for module in (tex_process, compiled_paper):
            monkeypatch.setattr(module, "find_engine", made)

    def command(*argv: str) -> tuple[int, str, str]:
        status = main(argv)
        found = capsys.readouterr()
        return status, found.out, found.err

    return command


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """From now on so many files can be written as a whole, then the disk is full."""

    def fill(after: int) -> None:
        left = [after]

        def sync(_: int) -> None:
            if not left[0]:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            left[0] -= 1

        monkeypatch.setattr("os.fsync", sync)

    return fill


@pytest.fixture
def configure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Write the user's own configuration."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def write(text: str) -> Path:
        path = tmp_path / "config" / "pf-verify" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return write


@pytest.fixture
def check(
    run: Callable[..., tuple[int, str, str]], configure: Callable[[str], Path]
) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Check by a model that is asked once for each reply: the exit status, and what is printed."""
    configure("[limits]\nattempts = 1")

    def checked(*argv: str) -> tuple[int, dict[str, Any]]:
        status, out, _ = run("check", "--model", "m", "--format", "json", *argv)
        return status, json.loads(out)

    return checked


def is_unread(found: dict[str, Any], words: str) -> bool:
    """Whether the module `a` is unreached for this reason, and nothing is held against anybody."""
    reasons = [item["reason"] for item in found["unreached"] if item["module"] == "a"]
    is_reached = found["statuses"]["a"] != "unreached" or found["findings"]
    return len(reasons) == 1 and words in reasons[0] and not is_reached
