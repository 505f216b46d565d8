"""arXiv: metadata through the package `arxiv`, licences and PDFs as arXiv serves them.

arXiv asks for no more than one request in three seconds (https://info.arxiv.org/help/api/tou.html);
this is the only place that asks it anything.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Protocol
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from pfcore.bench.runs.filters import ArxivEntry
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.installation import install_command

if TYPE_CHECKING:
    import arxiv

DELAY = 3.0
"""Seconds between two requests at the least."""
TIMEOUT = 120.0
"""Seconds without a byte after which nobody waits any longer."""

_NAMED = re.compile(r"(?P<id>\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})v(?P<version>[1-9]\d*)")
_LICENCE = re.compile(r"<license>\s*([^<\s]*)\s*</license>")
_ERRORS = "/api/errors"
_AGENT = "pf-verify (https://pypi.org/project/pf-verify/)"
_PDF = b"%PDF-"
_LARGEST = 60_000_000
_PAGE = 500
_AGAIN = frozenset({403, 408, 429, 500, 502, 503, 504})
"""What passes: arXiv refuses those who ask too much, and forgets it."""


class ArxivGoneError(IncompleteError):
    """arXiv does not have what was asked for, and will not have it later."""


class Archive(Protocol):
    """What is asked of arXiv; IncompleteError where it does not answer."""

    def submitted(self, day: date) -> Iterable[ArxivEntry]:
        """The papers in mathematics that were first submitted on a day (UTC), as they are now."""
        ...

    def licence(self, paper: str) -> str:
        """The address of a paper's licence; "" where none is told."""
        ...

    def pdf(self, paper: str, version: str) -> bytes:
        """The PDF of one version; GoneError where there is none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosts:
    """Where arXiv answers; `{}` stands for a query, a paper, a paper with its version."""

    query: str = "https://export.arxiv.org/api/query?{}"
    record: str = (
        "https://oaipmh.arxiv.org/oai?verb=GetRecord&metadataPrefix=arXivRaw"
        "&identifier=oai:arXiv.org:{}"
    )
    paper: str = "https://arxiv.org/pdf/{}"


class Arxiv:
    """Asks arXiv itself, slowly; UsageError without the package."""

    def __init__(
        self,
        *,
        hosts: Hosts | None = None,
        delay: float = DELAY,
        attempts: int = 4,
        timeout: float = TIMEOUT,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._hosts = hosts or Hosts()
        self._delay = delay
        self._attempts = attempts
        self._timeout = timeout
        self._sleep = sleep
        self._clock = clock
        self._last: float | None = None
        self._client = _client(self._hosts, delay, attempts, timeout)

    def submitted(self, day: date) -> Iterator[ArxivEntry]:
        """The papers of a day, page by page; IncompleteError for a day of which nothing comes.

        Every day has some: a day without any is arXiv's way not to answer.
        """
        import arxiv

        stamp = f"{day:%Y%m%d}"
        search = arxiv.Search(
            max_results=None,
            query=f"cat:math.* AND submittedDate:[{stamp}0000 TO {stamp}2359]",
            sort_by=arxiv.SortCriterion.SubmittedDate,
            sort_order=arxiv.SortOrder.Ascending,
        )
        count = 0
        self._wait()
        try:
            for result in self._client.results(search):
                count += 1
                yield from _entries(result)
        except (arxiv.ArxivError, OSError) as error:
            raise IncompleteError(f"arXiv did not answer about {day}: {_why(error)}") from error
        finally:
            self._last = self._clock()
        if not count:
            raise IncompleteError(f"arXiv names no paper of {day}, which cannot be")

    def licence(self, paper: str) -> str:
        """The licence, from the record that arXiv gives to whoever harvests it."""
        text = self._read(self._hosts.record.format(paper)).decode("utf-8", "replace")
        found = _LICENCE.search(text)
        if found is None and "<arXivRaw" not in text:
            raise IncompleteError(f"arXiv gives no record of {paper}")
        return found[1] if found else ""

    def pdf(self, paper: str, version: str) -> bytes:
        """The PDF; GoneError for what is none, or too large."""
        data = self._read(self._hosts.paper.format(f"{paper}{version}"))
        if not data.startswith(_PDF) or len(data) > _LARGEST:
            raise ArxivGoneError(f"arXiv has no PDF of {paper}{version}")
        return data

    def _read(self, address: str) -> bytes:
        pause = max(self._delay, 1.0)
        for left in reversed(range(self._attempts)):
            self._wait()
            try:
                request = Request(address, headers={"User-Agent": _AGENT})  # noqa: S310 - https
                with urlopen(request, timeout=self._timeout) as answer:  # noqa: S310 - https, by `Hosts`
                    data: bytes = answer.read(_LARGEST + 1)
                    return data
            except HTTPError as error:
                if error.code not in _AGAIN:
                    raise ArxivGoneError(f"arXiv answers {error.code} to {address}") from error
                if not left:
                    raise IncompleteError(f"arXiv answers {error.code} to {address}") from error
                pause = max(pause, _asked(error))
            except (URLError, OSError) as error:
                if not left:
                    raise IncompleteError(f"arXiv did not answer: {_why(error)}") from error
            finally:
                self._last = self._clock()
            self._sleep(pause)
            pause *= 2
        raise AssertionError("unreachable")  # pragma: no cover - the loop returns or raises

    def _wait(self) -> None:
        if self._last is not None:
            left = self._last + self._delay - self._clock()
            if left > 0:
                self._sleep(left)


def _client(hosts: Hosts, delay: float, attempts: int, timeout: float) -> "arxiv.Client":
    try:
        import arxiv
    except ImportError as error:
        message = f"collecting papers needs the package arxiv: {install_command('collect')}"
        raise UsageError(message) from error
    client = arxiv.Client(page_size=_PAGE, delay_seconds=delay, num_retries=attempts - 1)
    client.query_url_format = hosts.query
    session = client._session  # noqa: SLF001 - the package offers no other way to set a timeout
    session.request = partial(session.request, timeout=timeout)
    return client


def _why(error: BaseException) -> str:
    """What kept an answer away, in a few words: a library's own account of it runs to many."""
    status = getattr(error, "status", None)
    if isinstance(status, int):
        return f"it answers {status}"
    at: BaseException | None = error
    words = ""
    while at is not None:
        reason = getattr(at, "reason", None)
        words = getattr(at, "strerror", None) or words
        at = reason if isinstance(reason, BaseException) else at.__cause__ or at.__context__
    return f"it cannot be reached ({words})" if words else "it cannot be reached, or is too slow"


def _entries(result: "arxiv.Result") -> Iterator[ArxivEntry]:
    """The entry of a result; none where it has no name of a paper."""
    if _ERRORS in result.entry_id:
        raise IncompleteError(f"arXiv refuses the question: {result.summary.strip()}")
    named = _NAMED.fullmatch(result.get_short_id())
    if named:
        yield ArxivEntry(
            id=named["id"],
            version=int(named["version"]),
            title=" ".join(result.title.split()),
            category=result.primary_category,
            published=result.published.date(),
            abstract=" ".join(result.summary.split()),
            comment=" ".join((result.comment or "").split()),
        )


def _asked(error: HTTPError) -> float:
    """How many seconds a server asks to be left alone."""
    words = error.headers.get("Retry-After") or ""
    return float(words) if words.isdigit() else 0.0
