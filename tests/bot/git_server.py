"""Serves bare repositories as GitHub does: git's own program, behind a header that has a token."""

import base64
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TOKEN = "ghs_a1B2c3D4e5F6g7H8"


@dataclass
class GitServer:
    """What is served, and what was asked; `redirect` sends whoever asks elsewhere."""

    folder: Path
    url: str = ""
    token: str = TOKEN
    redirect: str = ""
    status: int = 0
    asked: list[str] = field(default_factory=list)

    def is_allowed(self, header: str) -> bool:
        """Whether a request has the token."""
        wanted = base64.b64encode(f"x-access-token:{self.token}".encode()).decode()
        return header == f"Basic {wanted}"


@contextmanager
def serving_git(folder: Path) -> Iterator[GitServer]:
    """A server for all repositories below a folder."""
    served = GitServer(folder=folder)

    class Handler(BaseHTTPRequestHandler):
        def do(self) -> None:
            served.asked.append(self.path)
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if served.redirect:
                self._send(302, {"Location": served.redirect + self.path}, b"")
            elif served.status:
                self._send(served.status, {}, b"remote words")
            elif not served.is_allowed(self.headers.get("Authorization") or ""):
                self._send(401, {"WWW-Authenticate": "Basic"}, b"")
            else:
                self._answer(data)

        def _answer(self, data: bytes) -> None:
            path, _, query = self.path.partition("?")
            environment = os.environ | {
                "GIT_PROJECT_ROOT": str(served.folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type") or "",
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding") or "",
                "GIT_PROTOCOL": self.headers.get("Git-Protocol") or "",
                "REMOTE_ADDR": "127.0.0.1",
            }
            done = subprocess.run(
                ["git", "http-backend"],
                input=data,
                capture_output=True,
                env=environment,
                check=False,
            )
            head, _, body = done.stdout.partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
            self._send(int(headers.pop("Status", "200").split()[0]), headers, body)

        def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    for method in ("GET", "POST"):
        setattr(Handler, f"do_{method}", Handler.do)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
