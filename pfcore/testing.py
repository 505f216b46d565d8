"""The doubles that the tests use, for whoever builds on pf-verify: a model, a store, a clock."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import chain, repeat

from pfcore.domain.lazy_regex import regex
from pfcore.llm.engine.action import Action
from pfcore.llm.protocol import CallError, Finish, Reply, Request, TokenUsage

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
    usage = TokenUsage(input=asked // 4, output=max(1, len(text) // 4))
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
    """A clock that advances only by sleeping; it records the sleeps."""

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


class _Remembering:
    """A simulated reader's memory; the number that decides a reply is the begin of its key."""

    digits = 8

    def __init__(self, store: MemoryStore | None) -> None:
        self.store = store or MemoryStore()
        self.asked: list[Action] = []

    async def run(self, action: Action) -> Reply:
        """The reply to an action."""
        key = action.key()
        known = self.store.get(key)
        if known is None:
            known = reply(self._said(action, int(key[: self.digits], 16)), action.request)
            self.store.put(key, action.stage, known)
            self.asked.append(action)
        return known

    async def finish(self) -> None:
        """Nothing is ever in flight."""

    def _said(self, action: Action, chance: int) -> str:
        """What a kind of reader replies; `chance` comes of the action's key."""
        raise NotImplementedError(type(self).__name__)  # each kind below has its own


class Oracle(_Remembering):
    """A simulated reader: a fixed function from the keys of actions to replies; it keeps them.

    It objects to a line of what is to be checked, upholds some objections, misquotes now and then,
    and rewrites a proof as one proposition and the rest. With `asking` some verdicts stay open
    until it is told what a formula of the text means. `asked` has the actions without a reply
    in the store before, in order.
    """

    def __init__(
        self, store: MemoryStore | None = None, *, objections: int = 4, asking: int = 0
    ) -> None:
        super().__init__(store)
        self._objections = objections
        self._asking = asking

    def _said(self, action: Action, chance: int) -> str:
        text = action.request.text
        if action.stage == "verify":
            return self._verdict(text, chance)
        if action.stage == "calibrate":
            return _audit(text, chance)
        return _FAITHFUL if action.stage == "faithfulness" else _rewriting(text)

    def _verdict(self, text: str, chance: int) -> str:
        if self._asking and chance // 64 % self._asking == 0 and " begin: Supplied" not in text:
            formulas = _FORMULA.findall(_last_part(text))
            if formulas:
                return _wanting(formulas[chance // 7 % len(formulas)])
        if chance % self._objections:
            return _flagging([])
        lines = [line for line in _last_part(text).splitlines() if len(line) > _LINE]
        quote = lines[chance // 16 % len(lines)][:_LINE] if lines else ""
        if chance % 5 == 0:
            quote = quote[::-1]
        return _flagging([quote])


class KnownReader(_Remembering):
    """A simulated reader of known rates, independent between rollouts; it keeps its replies.

    Where `quote` gives the words that are wrong in a text, it objects to them with the chance
    `recall`; anywhere, to some sentence with the chance `alarms`. All that it objects to is upheld.
    """

    digits = 16

    def __init__(
        self,
        quote: Callable[[str], str | None],
        *,
        recall: float,
        alarms: float,
        store: MemoryStore | None = None,
    ) -> None:
        super().__init__(store)
        self._quote = quote
        self._recall = recall
        self._alarms = alarms

    def _said(self, action: Action, chance: int) -> str:
        text = action.request.text
        if action.stage == "verify":
            return _flagging(self._objections(text, chance))
        if action.stage == "calibrate":
            return _audit(text, 1, all_genuine=True)
        return _FAITHFUL if action.stage == "faithfulness" else _rewriting(text)

    def _objections(self, text: str, chance: int) -> list[str]:
        one, other, place = chance >> 40, chance >> 16 & 0xFFFFFF, chance & 0xFFFF
        lines = [line for line in _STOP.split(_last_part(text)) if len(line) > _LINE]
        wrong = self._quote(text) if one < self._recall * 2**24 else None
        found = [wrong] if wrong is not None else []
        if lines and other < self._alarms * 2**24:
            found.append(lines[place % len(lines)])
        return found


_LINE = 30
_STOP = regex(r"(?<=[.:])\s")
_FAITHFUL = '```json\n{"verdict": "faithful"}\n```'
_CLASSES = ("gap", "misuse", "computation")


def json_block(value: object) -> str:
    """A value as the last block of a reply."""
    return f"```json\n{json.dumps(value)}\n```"


def _flagging(quotes: Iterable[str]) -> str:
    """A verdict that objects to some words, or to none."""
    listed = [
        f"<objection><quote>{quote}</quote><problem>No.</problem></objection>" for quote in quotes
    ]
    verdict = json_block({"verdict": "flag" if listed else "accept"})
    return f"<objections>{''.join(listed)}</objections>\n{verdict}"


_FORMULA = regex(r"\$([^$]{1,40})\$")


def _wanting(key: str) -> str:
    """A verdict that stays open until somebody tells what a key means."""
    missing = f"<missing><wanted>{key}</wanted><helpful>convex</helpful></missing>"
    return f"<objections></objections>\n{missing}\n{json_block({'verdict': 'open'})}"


def _last_part(text: str) -> str:
    """The text between the last boundaries of the part to be checked."""
    return text.rpartition(" begin: To be checked\n")[2].partition("\n----- ")[0]


def _audit(text: str, chance: int, *, all_genuine: bool = False) -> str:
    """Each flag upheld or not, with the quote that it came with."""
    flags = dict(re.findall(r"^(F\d+)\nquote: (.*)$", text, re.MULTILINE))
    entries, words = [], []
    for number, (flag, quote) in enumerate(flags.items()):
        if not all_genuine and (chance >> number) % 3 == 0:
            entries.append({"id": flag, "status": "false_alarm"})
            continue
        rule = _CLASSES[(chance >> number) % len(_CLASSES)]
        entries.append({"id": flag, "status": "genuine", "class": rule, "severity": "error"})
        words.append(
            f'<finding id="{flag}"><quote>{quote}</quote><objection>By Result 1, no.</objection>'
            "<reason>Why.</reason></finding>"
        )
    return "\n".join([*words, json_block({"flags": entries})])


def _rewriting(text: str) -> str:
    """The proof as one proposition, and a remark that the statement follows."""
    words = _last_part(text).replace("<", "&lt;")
    statement, _, proof = words.partition("\n\n")
    return (
        f"<THEOREM_STATEMENT>\n{statement}\n</THEOREM_STATEMENT>\n"
        f'<PROPOSITION_STATEMENT id="1">\n{statement}\n</PROPOSITION_STATEMENT>\n'
        f'<PROPOSITION_PROOF id="1">\n{proof or "Clear."}\n</PROPOSITION_PROOF>\n'
        "<THEOREM_PROOF>\nThis is Proposition 1.\n</THEOREM_PROOF>\n"
    )
