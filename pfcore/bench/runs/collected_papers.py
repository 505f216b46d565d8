"""Collected papers, in a folder: days, licences, PDFs, and the rows made from them.

A model reads each comment: the kind of correction, and what it concerns.

Metadata come through the package `arxiv`, licences and PDFs as arXiv serves them. arXiv asks for no
more than one request in three seconds (https://info.arxiv.org/help/api/tou.html); this is the only
module that sends it requests.

Candidates are the papers that may have had an error corrected, by their metadata. The regular
expressions are those of the paper (Appendix "ArxivMathGradingBench: paper filtering", stage 1),
ignoring case.
"""

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.installation import install_command
from pfcore.verification.quotes import find_quote
from pfcore.verification.reply_parsing import Malformed, last_json, tagged
from pfcore.verification.verify import ModuleVerifier, Unread

if TYPE_CHECKING:
    import arxiv

ROWS, PDFS = "rows.jsonl", "pdfs"
_DAYS, _LICENCES, _GONE = "days", "licences", "gone"


class _ClassifiedComment(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _CollectedPaper(_ClassifiedComment):
    id: str
    version: Annotated[int, Field(ge=2)]
    title: str
    category: str
    published: date
    abstract: str
    comment: str


class Day(_ClassifiedComment):
    """One day: the number of papers on arXiv, and those that may have been corrected."""

    seen: int
    candidates: tuple[_CollectedPaper, ...]


class Correction(StrEnum):
    """What a new version corrects (stage 2 of the paper's collection)."""

    MAJOR = "major"
    MINOR = "minor"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Classified:
    """A comment's kind of correction, and the results that were wrong, in the comment's words."""

    correction: Correction
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ArxivEntry:
    """A paper in its latest version; `id` is without the version, which counts from 1."""

    id: str
    version: int
    title: str
    category: str
    published: date
    abstract: str
    comment: str

    @property
    def before(self) -> str:
        """The version before the correction, as arXiv names it."""
        return f"v{self.version - 1}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedRow:
    """A paper of the future data set; `licence` is a URL."""

    entry: ArxivEntry
    found: Classified
    licence: str


class Archive(Protocol):
    """Requests to arXiv; IncompleteError if it does not answer."""

    def submitted(self, day: date) -> Iterable[ArxivEntry]:
        """The papers in mathematics first submitted on a day (UTC), in their latest versions."""
        ...

    def licence(self, paper: str) -> str:
        """The URL of a paper's licence; "" if none is given."""
        ...

    def pdf(self, paper: str, version: str) -> bytes:
        """The PDF of one version; ArxivGoneError if there is none."""
        ...


class CollectionFolder:
    """The folder; its files are written atomically, and everything is requested only once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def day(self, day: date, archive: Archive) -> Day:
        """A day's candidates, from the folder or from arXiv."""
        path = self.folder / _DAYS / f"{day}.json"
        known = _read(path)
        if known is None:
            listed = list(archive.submitted(day))
            papers = (_paper(entry) for entry in listed if is_candidate(entry))
            known = Day(seen=len(listed), candidates=tuple(papers))
            _write(path, known.model_dump_json(indent=1).encode())
        return known

    def licence(self, paper: str, archive: Archive) -> str:
        """A paper's licence, from the folder or from arXiv; "" if none is given."""
        return self._text(_LICENCES, paper, lambda: archive.licence(paper))

    def pdf(self, entry: ArxivEntry, archive: Archive) -> str:
        """Fetch the PDF of the version before the correction; "" or why it is missing."""
        path = self.folder / PDFS / f"{_name(entry.id)}{entry.before}.pdf"
        if path.is_file():
            return ""
        marked = self.folder / _GONE / _name(entry.id)
        if marked.is_file():
            return marked.read_text("utf-8")
        try:
            _write(path, archive.pdf(entry.id, entry.before))
        except ArxivGoneError as error:
            _write(marked, error.message.encode())
            return error.message
        return ""

    def rows(self, listed: Iterable[CollectedRow]) -> Path:
        """Write the data file, in the columns of ArxivMathGradingBench and some of our own."""
        path = self.folder / ROWS
        _write(path, "".join(_line(row) for row in listed).encode())
        return path

    def _text(self, kind: str, paper: str, ask: Callable[[], str]) -> str:
        path = self.folder / kind / _name(paper)
        if not path.is_file():
            _write(path, ask().encode())
        return path.read_text("utf-8")


def candidate_entries(found: Day) -> Iterator[ArxivEntry]:
    """The candidates of a day."""
    for paper in found.candidates:
        yield ArxivEntry(**paper.model_dump())


def days(first: date, last: date) -> Sequence[date]:
    """The days from `first` to `last`, both included."""
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]


def _paper(entry: ArxivEntry) -> _CollectedPaper:
    return _CollectedPaper(
        id=entry.id,
        version=entry.version,
        title=entry.title,
        category=entry.category,
        published=entry.published,
        abstract=entry.abstract,
        comment=entry.comment,
    )


def _line(row: CollectedRow) -> str:
    entry = row.entry
    columns = {
        "arxiv_id": entry.id,
        "version": entry.before,
        "url": f"https://arxiv.org/abs/{entry.id}{entry.before}",
        "Location of Error": ", ".join(row.found.places),
        "title_extracted_from_tex": entry.title,
        "comment": entry.comment,
        "correction": row.found.correction.value,
        "category": entry.category,
        "licence": row.licence,
    }
    return json.dumps(columns, ensure_ascii=False) + "\n"


def _name(paper: str) -> str:
    return paper.replace("/", "")


def _read(path: Path) -> Day | None:
    """A day from its file; None if it is missing or unreadable."""
    try:
        return Day.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def _write(path: Path, data: bytes) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(data)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise IncompleteError(f"{path} cannot be written: {error.strerror}") from error


STAGE = "classify-comment"
_MOST = 20


async def classified(reading: ModuleVerifier, comment: str) -> Classified | Unread:
    """The class of one comment, or why there is none."""
    return await reading.asked(
        STAGE, [("The comment", comment)], 1, lambda it: parse_comment_class(it, comment)
    )


def parse_comment_class(text: str, comment: str) -> Classified | Malformed:
    """The class in a reply; places that the comment does not name are left out."""
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    word = choice.get("correction")
    if not isinstance(word, str) or word not in list(Correction):
        return Malformed(reason="the JSON block has no correction: major, minor or none")
    listed = [
        " ".join(place.body.split())
        for whole in tagged(text, "places")
        for place in tagged(whole.body, "place")
    ]
    places = (place for place in listed if find_quote(place, comment) is not None)
    return Classified(correction=Correction(word), places=tuple(dict.fromkeys(places))[:_MOST])


DELAY = 3.0
"""The least number of seconds between two requests."""
TIMEOUT = 120.0
"""Seconds without a byte after which a request is given up."""

_NAMED = re.compile(r"(?P<id>\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})v(?P<version>[1-9]\d*)")
_LICENCE = re.compile(r"<license>\s*([^<\s]*)\s*</license>")
_ERRORS = "/api/errors"
_AGENT = "pf-verify (https://pypi.org/project/pf-verify/)"
_PDF = b"%PDF-"
_LARGEST = 60_000_000
_PAGE = 500
_AGAIN = frozenset({403, 408, 429, 500, 502, 503, 504})
"""Temporary errors: arXiv refuses too frequent requests for a while."""


class ArxivGoneError(IncompleteError):
    """arXiv does not have this, and will not have it later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosts:
    """arXiv's addresses; `{}` stands for a query, a paper, or a paper with its version."""

    query: str = "https://export.arxiv.org/api/query?{}"
    record: str = (
        "https://oaipmh.arxiv.org/oai?verb=GetRecord&metadataPrefix=arXivRaw"
        "&identifier=oai:arXiv.org:{}"
    )
    paper: str = "https://arxiv.org/pdf/{}"


class Arxiv:
    """Requests to arXiv itself, slowly; UsageError without the package."""

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
        """The papers of a day, page by page; IncompleteError for a day without any.

        Every day has some: an empty day is how arXiv fails to answer.
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
        """The licence, from the record that arXiv serves for harvesting."""
        text = self._read(self._hosts.record.format(paper)).decode("utf-8", "replace")
        found = _LICENCE.search(text)
        if found is None and "<arXivRaw" not in text:
            raise IncompleteError(f"arXiv gives no record of {paper}")
        return found[1] if found else ""

    def pdf(self, paper: str, version: str) -> bytes:
        """The PDF; ArxivGoneError if it is not a PDF, or too large."""
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
    """Why there was no answer, in a few words: libraries' messages are long."""
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
    """The entry of a result; none if its id is not that of a paper."""
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
    """How many seconds a server asks to wait."""
    words = error.headers.get("Retry-After") or ""
    return float(words) if words.isdigit() else 0.0


CORRECTED = re.compile(
    "correct|errat|error|fix|mistake|bug|flaw|wrong|revised|amendment", re.IGNORECASE
)
RESULT = re.compile("lemma|theorem|proposition", re.IGNORECASE)


def is_candidate(entry: ArxivEntry) -> bool:
    """Whether a later version's comment mentions a correction and a result."""
    return (
        entry.version > 1
        and CORRECTED.search(entry.comment) is not None
        and RESULT.search(entry.comment) is not None
    )


PERMISSIVE = (
    "creativecommons.org/licenses/by/",
    "creativecommons.org/licenses/by-sa/",
    "creativecommons.org/publicdomain/zero/",
    "creativecommons.org/publicdomain/mark/",
)
"""Licences that allow anybody to redistribute a paper; arXiv's own licence does not."""


def is_permissive(licence: str) -> bool:
    """Whether a licence, given by its URL, allows anybody to redistribute the paper."""
    address = licence.removeprefix("https://").removeprefix("http://").removeprefix("www.")
    return address.startswith(PERMISSIVE)
