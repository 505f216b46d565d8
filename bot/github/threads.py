"""Threads of a review, which only GraphQL knows: resolved where a matter has ended."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from bot.github.client import Client
from bot.github.failures import understood

_MOST_PAGES = 50

THREADS = """
query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        nodes { id isResolved comments(first: 1) { nodes { databaseId } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}
"""
RESOLVE = """
mutation ($thread: ID!) {
  resolveReviewThread(input: {threadId: $thread}) { thread { id isResolved } }
}
"""
REOPEN = """
mutation ($thread: ID!) {
  unresolveReviewThread(input: {threadId: $thread}) { thread { id isResolved } }
}
"""
_SENTENCE = "the threads of #{} cannot be resolved or opened"


class _ThreadModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _ThreadComment(_ThreadModel):
    id: int | None = Field(alias="databaseId")


class _ThreadComments(_ThreadModel):
    nodes: list[_ThreadComment]


class _Thread(_ThreadModel):
    id: str
    is_resolved: bool = Field(alias="isResolved")
    comments: _ThreadComments


class _ThreadPage(_ThreadModel):
    has_next: bool = Field(alias="hasNextPage")
    end: str | None = Field(alias="endCursor")


class _ThreadsResponse(_ThreadModel):
    nodes: list[_Thread]
    page: _ThreadPage = Field(alias="pageInfo")


class ReviewThreads:
    """The threads of a repository; resolving needs the permission `contents: write`."""

    def __init__(self, client: Client, repository: str) -> None:
        self._client = client
        self._owner, _, self._name = repository.partition("/")

    def bring(self, number: int, *, ended: Iterable[int], reopened: Iterable[int]) -> None:
        """Resolve the threads that some comments begin, and open others, as far as need be."""
        wanted = {**dict.fromkeys(ended, True), **dict.fromkeys(reopened, False)}
        if not wanted:
            return
        for thread in self._all(number):
            begun = thread.comments.nodes[0].id if thread.comments.nodes else None
            if begun in wanted and wanted[begun] is not thread.is_resolved:
                document = RESOLVE if wanted[begun] else REOPEN
                self._client.query(document, _SENTENCE.format(number), thread=thread.id)

    def _all(self, number: int) -> Iterator[_Thread]:
        after: str | None = None
        for _ in range(_MOST_PAGES):
            found = self._page(number, after)
            yield from found.nodes
            if not found.page.has_next:
                return
            after = found.page.end

    def _page(self, number: int, after: str | None) -> _ThreadsResponse:
        sentence = _SENTENCE.format(number)
        place: dict[str, Any] = {"owner": self._owner, "name": self._name}
        data = self._client.query(THREADS, sentence, **place, number=number, after=after)
        try:
            found = data["repository"]["pullRequest"]["reviewThreads"]
        except (KeyError, TypeError):
            found = None
        return understood(_ThreadsResponse, found, sentence)
