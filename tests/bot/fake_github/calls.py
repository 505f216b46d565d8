"""A request to the fake, an answer of it, and how they find each other."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tests.bot.fake_github.state import Token

LARGEST = 65_536
"""Characters of a body at most."""


@dataclass
class Call:
    """A request; `token` None: the App itself asks, with a JWT, or nobody."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    token: Token | None = None
    named: Mapping[str, str] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """A number in the address."""
        if not self.named[name].isdigit():
            raise Refusal(404, "Not Found")
        return int(self.named[name])

    def text(self, name: str) -> str:
        """A text that the body must have; a body above GitHub's limit is refused."""
        value = self.body.get(name)
        if not isinstance(value, str) or not value.strip():
            raise Refusal(422, f"{name} can't be blank")
        if len(value) > LARGEST:
            raise Refusal(422, f"{name} is too long (maximum is 65536 characters)")
        return value


@dataclass
class Answer:
    """An answer; `pages` is a list that is handed out page by page."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


class Refusal(Exception):  # noqa: N818 - it is an answer
    """GitHub answered no."""

    def __init__(self, status: int, message: str, errors: list[str] | None = None) -> None:
        super().__init__(message)
        self.answer = Answer(status, {"message": message, "documentation_url": "https://docs"})
        if status == 422:
            self.answer.body["errors"] = errors or [message]


Handler = TypeVar("Handler", bound=Callable[..., Answer])


@dataclass(frozen=True)
class Route:
    """What answers a kind of request, and the permission that this needs, as `checks:write`."""

    method: str
    template: str
    needs: str
    act: Callable[..., Answer]

    def named(self, method: str, path: str) -> dict[str, str] | None:
        """The named parts of an address that this route answers."""
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(self.template))
        pattern = pattern.replace("(?P<branch>[^/]+)", "(?P<branch>.+)")
        match = re.fullmatch(pattern, path) if method == self.method else None
        return match.groupdict() if match else None


@dataclass
class Routes:
    """Routes, as they are declared."""

    all: list[Route] = field(default_factory=list)

    def on(self, method: str, template: str, needs: str) -> Callable[[Handler], Handler]:
        """Declares what answers; `needs` "app": the App itself, "": any token."""

        def declare(act: Handler) -> Handler:
            self.all.append(Route(method, template, needs, act))
            return act

        return declare
