"""A server on this machine that speaks both interfaces: what it says is scripted by stage."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import prompts
from pfcore.cli import main

ACCEPT = '<objections>\n</objections>\n\n```json\n{"verdict": "accept"}\n```'
FALSE_ALARM = '```json\n{"flags": [{"id": "F1", "status": "false_alarm"}]}\n```'
LEMMA = "\\begin{lemma}\\label{%s} %s.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"

Say = Callable[[str, str], str | int]
"""From stage and text to what is said, or to an HTTP status."""


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

    The stage is "" where the instructions are no stage's; `served` is what it calls itself.
    """

    say: Say = lambda stage, text: ACCEPT
    served: str = "served"
    asked: list[tuple[str, str]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def answer(self, body: dict[str, Any]) -> str | int:
        """What is said to a request."""
        instructions, text = self._words(body)
        stage = next(
            (
                stage
                for stage, version in (prompts.CURRENT | prompts.WHOLE).items()
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
            said = model.answer(body)
            if isinstance(said, int):
                self._send(said, {"error": {"message": "told to fail"}})
                return
            if "input" in body:
                self._send(200, _response(said))
                return
            choice = {"index": 0, "finish_reason": "stop"}
            message = {"role": "assistant", "content": said}
            usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
            self._send(
                200,
                {
                    "id": "x",
                    "object": "chat.completion",
                    "created": 1,
                    "model": model.served,
                    "choices": [choice | {"message": message}],
                    "usage": usage,
                },
            )

        def _send(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
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
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command: its exit status, what it prints, and what beside."""

    def command(*argv: str) -> tuple[int, str, str]:
        status = main(argv)
        found = capsys.readouterr()
        return status, found.out, found.err

    return command
