"""A proxy that loses answers: it hands on what is asked, and then fails in its own way."""

import re
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Faults:
    """What fails next; a status of None drops the connection. `met` counts the failures."""

    url: str = ""
    method: str = ""
    pattern: str = ""
    status: int | None = 502
    left: int = 0
    met: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def plan(self, method: str, pattern: str, status: int | None, times: int = 1) -> None:
        """Let the next requests of a kind fail once they are done."""
        self.method, self.pattern, self.status, self.left = method, pattern, status, times

    def is_next(self, method: str, path: str) -> bool:
        """Whether this one fails."""
        with self.lock:
            is_meant = method == self.method and re.search(self.pattern, path) is not None
            is_next = is_meant and self.left > 0
            self.left -= is_next
            self.met += is_next
            return is_next


@contextmanager
def faulty(upstream: str) -> Iterator[Faults]:
    """A proxy before a server; its address is in `url`."""
    faults = Faults()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    class Handler(BaseHTTPRequestHandler):
        def do(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, headers, body = self._handed_on(data)
            if faults.is_next(self.command, self.path):
                if faults.status is None:
                    self.close_connection = True
                    return
                status, headers, body = faults.status, {}, b'{"message": "Bad Gateway"}'
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _handed_on(self, data: bytes) -> tuple[int, dict[str, str], bytes]:
            kept = ("authorization", "content-type", "accept")
            headers = {key: value for key, value in self.headers.items() if key.lower() in kept}
            request = urllib.request.Request(
                upstream + self.path, data or None, headers, method=self.command
            )
            try:
                with opener.open(request, timeout=10) as answer:
                    return answer.status, _shown(answer.headers.items()), answer.read()
            except urllib.error.HTTPError as error:
                with error:
                    return error.code, _shown(error.headers.items()), error.read()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    for method in ("GET", "POST", "PATCH", "DELETE"):
        setattr(Handler, f"do_{method}", Handler.do)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    faults.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield faults
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _shown(headers: list[tuple[str, str]]) -> dict[str, str]:
    return {key: value for key, value in headers if key.lower() in ("content-type", "link")}
