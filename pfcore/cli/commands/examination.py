"""Examines a model: two small proofs through the real stages, and a long text if that is wanted.

Nothing that it replies is kept: it is asked outside of every paper, store and ledger.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field

from pfcore.domain.digest import text_digest
from pfcore.llm.costs import Price, least, most
from pfcore.llm.engine.action import Action
from pfcore.llm.engine.run import NoReply, Outcome, spoilt
from pfcore.llm.faults import TOO_LONG
from pfcore.llm.protocol import CallError, LlmClient, Reply, Request, TokenUsage
from pfcore.reporters.setup_report import Probe, ok, unknown, warning, wrong
from pfcore.verification.contract import Judging
from pfcore.verification.estimate import CostEstimate, reading_at_most
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import Accepted, Flagged, ModuleVerifier, Unread, Verdict

Clock = Callable[[], float]


def _task(name: str, statement: str, proof: str) -> ContextTask:
    context = text_digest(f"{statement}\n{proof}")
    return ContextTask(module=name, context=context, given=(), statement=statement, proof=proof)


SOUND = _task(
    "sound",
    "Lemma. If $m$ and $n$ are odd integers, then $mn$ is odd.",
    "Proof. Write $m = 2a + 1$ and $n = 2b + 1$ with integers $a$ and $b$. Then\n"
    "$mn = 4ab + 2a + 2b + 1 = 2(2ab + a + b) + 1$, and $2ab + a + b$ is an integer.",
)
PLANTED = _task(
    "planted",
    "Lemma. If $x$ is a real number with $x^2 > 4$, then $x > 2$.",
    "Proof. From $x^2 > 4$ we get $(x - 2)(x + 2) > 0$. Both factors are therefore positive.\n"
    "In particular $x - 2 > 0$, that is, $x > 2$.",
)
"""False for $x = -3$: a product of two negative factors is positive, too."""

FIRST, LAST = "QUINCE-4171", "MEDLAR-9026"
"""What a long text begins and ends with: whoever names both has seen all of it."""

LONG = 16_000
"""Tokens of a long text, about."""

_INSTRUCTIONS = (
    "A long text follows. Its first line and its last line name one code word each. The lines "
    "between are of no interest. Reply with the two code words and nothing else."
)
_FILLER = "The sum of two even numbers is even, and the product of two odd numbers is odd.\n"
_CHARACTERS = 4
"""Characters per token of such a text, about."""
_TIGHT = 2.4
"""Characters per token where they must fit a window, by the estimate that guards it."""
_ONCE = Judging(rollouts=1, min_votes=1, blocking_votes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What a model is asked, and by whom; `window` is what is configured, in tokens.

    `is_long`: a long text is among it.
    """

    client: LlmClient
    asking: ActionFactory
    clock: Clock
    window: int | None = None
    is_long: bool = False

    async def probes(self) -> list[Probe]:
        """What came of it."""
        log = _Log(client=self.client, clock=self.clock)
        reading = ModuleVerifier(run=log.run, asking=self.asking)
        found = [*await _read(reading, log)]
        if self.is_long and not log.failure:
            long = long_request(self.asking, self.window)
            found.append(await _window(log.send, long, self.window))
        else:
            found.append(_configured(self.window))
        return found


@dataclass(kw_only=True)
class _Log:
    """Asks the model, and remembers what it said, how long it took, and why it did not."""

    client: LlmClient
    clock: Clock
    replies: list[Reply] = field(default_factory=list)
    seconds: float = 0.0
    failure: str = ""

    async def run(self, action: Action) -> Outcome:
        """The reply to an action, asked for once."""
        try:
            reply = await self.send(action.request)
        except CallError as error:
            self.failure = error.reason
            return NoReply(reason=error.reason)
        self.failure = spoilt(reply)
        return NoReply(reason=self.failure) if self.failure else reply

    async def send(self, request: Request) -> Reply:
        """The reply to a request; CallError if there is none."""
        started = self.clock()
        reply = await self.client.complete(request)
        self.seconds += self.clock() - started
        self.replies.append(reply)
        return reply


async def _read(reading: ModuleVerifier, log: _Log) -> list[Probe]:
    sound = await reading.block(SOUND, 1)
    if log.failure and isinstance(sound, Unread):
        return [_no_answer(log.failure), *_untold("served model", "format", *_ERRORS, "speed")]
    answered = [ok("answer", "the model answers"), _served(reading, log)]
    if isinstance(sound, Unread):
        return [*answered, _no_format(sound), *_untold(*_ERRORS), _speed(log)]
    planted = await reading.block(PLANTED, 1)
    if isinstance(planted, Unread):
        fault = _no_answer(planted.reason) if log.failure else _no_format(planted)
        return [*answered, fault, _sound(sound), *_untold(_ERRORS[1]), _speed(log)]
    kept = ok("format", "its replies have the form that verdicts need")
    return [*answered, kept, _sound(sound), _planted(planted), _speed(log)]


_ERRORS = ("correct proof", "planted error")


def _untold(*names: str) -> Iterator[Probe]:
    return (unknown(name, "this was not reached") for name in names)


def _no_answer(reason: str) -> Probe:
    return wrong("answer", f"the model gave no reply: {reason}", by_model=True)


def _no_format(found: Unread) -> Probe:
    advice = "what such a model reads stays unread: try a larger one, or a higher limit"
    return wrong("format", f"its reply gives no verdict: {found.reason}", advice, by_model=True)


def _served(reading: ModuleVerifier, log: _Log) -> Probe:
    asked, served = reading.asking.contract.model, log.replies[0].model
    if served.startswith(asked) or served.endswith(f"/{asked}"):
        return ok("served model", served)
    advice = f"verdicts are kept under the name {asked}, so see that it is meant"
    return warning("served model", f"it calls itself {served}", advice)


def _sound(found: Verdict) -> Probe:
    if isinstance(found, Flagged):
        advice = "its findings may cry wolf"
        return warning(_ERRORS[0], "it objects to a correct proof of three lines", advice)
    return ok(_ERRORS[0], "it accepts a correct proof")


def _planted(found: Verdict) -> Probe:
    if isinstance(found, Flagged):
        return ok(_ERRORS[1], "it saw the planted error")
    if isinstance(found, Accepted) and found.false_alarms:
        says = "it saw the planted error, and then called it a false alarm"
    else:
        says = "it did not see a planted error"
    return warning(_ERRORS[1], says, "what it accepts says little: try a stronger model")


def _speed(log: _Log) -> Probe:
    tokens = sum(reply.usage.output for reply in log.replies)
    if not log.seconds:
        return unknown("speed", "no time went by")
    calls = "call" if len(log.replies) == 1 else f"{len(log.replies)} calls"
    per_second = max(1, round(tokens / log.seconds))
    return ok("speed", f"about {per_second:,} tokens per second and call, over {calls}")


def _configured(window: int | None) -> Probe:
    if window is not None:
        return ok("window", f"{window:,} tokens are configured; pf doctor --window tries it")
    advice = "pf doctor --window sends a long text and sees whether all of it arrives"
    return unknown("window", "none is configured", advice)


async def _window(
    send: Callable[[Request], Awaitable[Reply]], request: Request, window: int | None
) -> Probe:
    of = f" of the {window:,} that are configured" if window else ""
    size = f"about {_tokens(request):,} tokens{of}"
    try:
        reply = await send(request)
    except CallError as error:
        return _refused(error, size)
    is_first, is_last = FIRST in reply.text, LAST in reply.text
    if is_first and is_last:
        return ok("window", f"a text of {size} arrives whole")
    if is_first or is_last:
        part = "beginning" if is_last else "end"
        says = f"the server cut off the {part} of a text of {size}, and did not say so"
        advice = (
            "give it a larger context (num_ctx in Ollama), or say in your configuration what it "
            "takes: window = …"
        )
        return wrong("window", says, advice)
    return unknown("window", f"it named neither end of a text of {size}")


def _refused(error: CallError, size: str) -> Probe:
    if error.reason.startswith(TOO_LONG):
        advice = "proofs with long contexts will stay unread, and be named"
        return warning("window", f"a text of {size} is refused ({error.reason})", advice)
    return wrong("window", f"no reply to a text of {size}: {error.reason}", by_model=True)


def long_request(asking: ActionFactory, window: int | None) -> Request:
    """A text of `LONG` tokens, or as long as the window takes, with a word at either end."""
    contract = asking.contract
    head = f"The first code word is {FIRST}.\n"
    tail = f"The last code word is {LAST}."
    empty = Request(
        endpoint=contract.endpoint,
        model=contract.model,
        instructions=_INSTRUCTIONS,
        text=head + tail,
        effort=contract.effort,
        temperature=contract.temperature,
        limit=contract.limit,
    )
    room = LONG * _CHARACTERS
    if window is not None:
        left = window - most(empty).input - least(empty)
        room = max(0, min(room, int(left * _TIGHT)))
    text = head + _FILLER * (room // len(_FILLER)) + tail
    return Request(
        endpoint=empty.endpoint,
        model=empty.model,
        instructions=empty.instructions,
        text=text,
        effort=empty.effort,
        temperature=empty.temperature,
        limit=empty.limit,
    )


def _tokens(request: Request) -> int:
    """The tokens of a long text, rounded to hundreds."""
    return round(len(request.text) / _CHARACTERS / 100) * 100


def cost(
    asking: ActionFactory, price: Price | None, *, extra: Sequence[Request] = ()
) -> CostEstimate:
    """What an examination takes at most."""
    reading = reading_at_most((SOUND, PLANTED), asking, _ONCE, price)
    more = [most(request) for request in extra]
    usage = sum(more, TokenUsage(input=reading.input, output=reading.output))
    return CostEstimate(
        calls=reading.calls + len(more),
        input=usage.input,
        output=usage.output,
        dollars=None if price is None else price.of(usage),
    )
