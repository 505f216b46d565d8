"""The doubles that the tests use, for whoever builds on pf-verify: a model, a store, a clock."""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain, repeat

from pfcore.llm.protocol import CallError, Finish, Reply, Request, Usage

Answer = str | Reply | CallError
"""What a scripted model gives: a text, a whole reply, or an error that it raises."""


class ScriptedLlm:
    """Answers by a function of the request, by one text, or by a list whose last item repeats."""

    def __init__(self, answers: str | Iterable[Answer] | Callable[[Request], Answer]) -> None:
        self.requests: list[Request] = []
        self._answers = answers if callable(answers) else _listed(answers)

    async def complete(self, request: Request) -> Reply:
        """The next answer."""
        self.requests.append(request)
        answer = self._answers(request)
        if isinstance(answer, CallError):
            raise answer
        return answer if isinstance(answer, Reply) else reply(answer, request)


def _listed(answers: str | Iterable[Answer]) -> Callable[[Request], Answer]:
    listed: list[Answer] = [answers] if isinstance(answers, str) else list(answers)
    following = chain(listed, repeat(listed[-1]))
    return lambda request: next(following)


def reply(text: str, request: Request, *, finish: Finish = Finish.STOP) -> Reply:
    """A reply to a request that counts a token for every four characters."""
    asked = len(request.instructions) + len(request.text)
    usage = Usage(input=asked // 4, output=max(1, len(text) // 4))
    return Reply(text=text, usage=usage, finish=finish, model=request.model)


class MemoryStore:
    """A store that lives as long as the process."""

    def __init__(self, replies: Mapping[str, Reply] | None = None) -> None:
        self.replies = dict(replies or {})

    def get(self, key: str) -> Reply | None:
        """The reply to an action, if it is known."""
        return self.replies.get(key)

    def put(self, key: str, stage: str, reply: Reply) -> None:
        """Keep a reply."""
        self.replies[key] = reply


class FakeClock:
    """A clock that only sleeping moves; it counts what was slept."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        """The time, in seconds."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Let time pass at once."""
        self.slept.append(seconds)
        self.now += seconds
