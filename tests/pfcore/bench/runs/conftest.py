"""A constructed arXiv: Atom feeds and records made up for these tests, none of them arXiv's own.

A reading with a scripted model is the same as for the stages.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

import pytest

from pfcore.bench.runs.collected_papers import Hosts
from tests.pfcore.verification.conftest import desk

__all__ = ["FakeArxiv", "arxiv_double", "desk"]

FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"
 xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">
<title>constructed, not arXiv's</title>
<opensearch:totalResults>{total}</opensearch:totalResults>
<opensearch:startIndex>{start}</opensearch:startIndex>
<opensearch:itemsPerPage>{page}</opensearch:itemsPerPage>
{entries}
</feed>"""
ENTRY = """<entry><id>http://arxiv.org/abs/{name}</id>
<updated>2025-03-01T00:00:00Z</updated><published>2025-01-0{day}T12:00:00Z</published>
<title>On {name}
 and more</title><summary> An abstract. </summary>
<arxiv:comment>{comment}</arxiv:comment>
<arxiv:primary_category term="math.NT"/><category term="math.NT"/></entry>"""
RECORD = "<OAI-PMH><arXivRaw><id>{0}</id><license>{1}</license></arXivRaw></OAI-PMH>"
CC_BY = "http://creativecommons.org/licenses/by/4.0/"


@dataclass
class FakeArxiv:
    """What it has, by days (the last digit), and what it was asked; `faults` come first."""

    papers: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    licences: dict[str, str] = field(default_factory=dict)
    pdfs: dict[str, bytes] = field(default_factory=dict)
    faults: list[int] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    address: str = ""

    @property
    def hosts(self) -> Hosts:
        return Hosts(
            query=f"{self.address}/query?{{}}",
            record=f"{self.address}/oai?id={{}}",
            paper=f"{self.address}/pdf/{{}}",
        )

    def answer(self, path: str) -> tuple[int, bytes]:
        self.asked.append(path)
        if self.faults:
            return self.faults.pop(0), b"told to fail"
        parts = urlsplit(path)
        words = parse_qs(parts.query)
        if parts.path == "/query":
            return 200, self._feed(words).encode()
        if parts.path == "/oai":
            name = words["id"][0]
            return 200, RECORD.format(name, self.licences.get(name, CC_BY)).encode()
        data = self.pdfs.get(parts.path.removeprefix("/pdf/"))
        return (200, data) if data is not None else (404, b"no such paper")

    def _feed(self, words: dict[str, list[str]]) -> str:
        day = int(words["search_query"][0].partition("submittedDate:[")[2][:8][-1])
        start, page = int(words["start"][0]), int(words["max_results"][0])
        listed = self.papers.get(day, [])
        entries = "".join(
            ENTRY.format(name=name, comment=escape(comment), day=day)
            for name, comment in listed[start : start + page]
        )
        return FEED.format(total=len(listed), start=start, page=page, entries=entries)


@pytest.fixture
def arxiv_double() -> Iterator[FakeArxiv]:
    """A server on this machine that answers as arXiv's documentation says arXiv does."""
    model = FakeArxiv()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, data = model.answer(self.path)
            self.send_response(status)
            if status in (429, 503):
                self.send_header("Retry-After", "7")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    model.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


Sleep = Callable[[float], None]
