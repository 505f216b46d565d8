"""`pf doctor`: is the set-up sound, and is the model that the user named of any use?

What the set-up consists of, looked at piece by piece; nobody is asked anything. What other packages
add to `pf doctor`.

Examines a model: two small proofs through the real stages, and a long text if that is wanted.

Nothing that it replies is kept: it is asked outside of every paper, store and ledger.
"""

import os
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import prompts
from pfcore.cli.environment import ReaderOptions, cache_path, chosen, jobs, own_configuration
from pfcore.cli.local_data import open_replies, store_name, store_place
from pfcore.cli.progress import WaitingLine
from pfcore.domain.digest import text_digest
from pfcore.domain.errors import PfError, UsageError
from pfcore.domain.installation import install_command
from pfcore.domain.paper_settings import PaperSettings
from pfcore.domain.toml_tables import config_path
from pfcore.llm.connection import Connection, is_loopback
from pfcore.llm.engine.action import Action
from pfcore.llm.engine.run import NoReply, Outcome, spoilt
from pfcore.llm.model_settings import (
    MODEL,
    ModelChoice,
    choose,
    open_client,
    require_key,
)
from pfcore.llm.prices import Price, least, most
from pfcore.llm.protocol import (
    TOO_LONG,
    CallError,
    Endpoint,
    Finish,
    LlmClient,
    Reply,
    Request,
    TokenUsage,
)
from pfcore.llm.store import open_store
from pfcore.llm.store.reply_store import StoreError
from pfcore.papers.parse_cache import DiskCache
from pfcore.reporters.printing import Style, plural, safe
from pfcore.reporters.setup_report import (
    Probe,
    Word,
    ok,
    probes_text,
    status,
    summary,
    unknown,
    warning,
    wrong,
)
from pfcore.repository import git
from pfcore.repository.git import SUBMODULE, find_repository
from pfcore.review.reading_session import AskingObserver, carried_out
from pfcore.review.verification_setup import contract_of
from pfcore.sqlite_files import tables
from pfcore.verification.contract import Judging
from pfcore.verification.estimate import CostEstimate, reading_at_most
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import Accepted, Flagged, ModuleVerifier, Unread, Verdict

Show = Callable[[str], None]

MOST_TOKENS = 8_000
"""The most output tokens of a reply, with reasoning: the proofs have a few lines, and a model that
does not finish these will not finish longer ones."""
MOST_SECONDS, MOST_ALTOGETHER = 180.0, 600.0
"""The most seconds of a call, and of all calls before the last one begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorOptions:
    """The options of `pf doctor`; `is_long`: also send the model a long text."""

    reader: ReaderOptions
    is_long: bool
    style: Style


def doctor(wanted: DoctorOptions, show: Show) -> int:
    """Test the set-up, then the model, if one is named and can be asked.

    Returns 2 if the set-up is wrong, 3 if the model cannot be reached or gives no verdict, 1 if it
    misses an error. That outcome is stored, to be shown with proofs that the model accepted.
    """
    style, is_long = wanted.style, wanted.is_long
    found = probes() + plugged()
    show(probes_text(found, style))
    choice, of_choice = choice_probes(wanted.reader)
    show(probes_text(of_choice, style))
    found += of_choice
    if choice is not None and not any(item.word is Word.WRONG for item in of_choice):
        asked = capped(choice)
        asking = ActionFactory(
            contract=contract_of(asked, PaperSettings.default(), ""), prompt=prompts.prompt
        )
        show(style.finish([_announced(asked, asking, is_long=is_long)]))
        waiting = WaitingLine(style=style, clock=time.monotonic)
        work = _examined(asked, asking, waiting, is_long=is_long)
        examined = carried_out(work, AskingObserver())
        show(probes_text(examined, style))
        found += examined
        _remember(choice, examined)
    show(summary(found, style, choice.model if choice else ""))
    return status(found)


def _remember(choice: ModelChoice, examined: Sequence[Probe]) -> None:
    """Store the outcome for the planted error, if the model gave a verdict on it."""
    for probe in examined:
        if probe.name == _ERRORS[1] and probe.word is not Word.UNKNOWN:
            with suppress(StoreError), open_replies() as store:
                store.examine(choice.connection.base_url, choice.model, probe.unfit)


def capped(choice: ModelChoice) -> ModelChoice:
    """The same model, with tokens per reply and seconds per call limited for a probe."""
    patience = min(choice.connection.timeout, MOST_SECONDS)
    return replace(
        choice,
        limit=min(choice.limit, MOST_TOKENS),
        connection=replace(choice.connection, timeout=patience),
    )


def _announced(choice: ModelChoice, asking: ActionFactory, *, is_long: bool) -> str:
    extra = [long_request(asking, choice.connection.window)] if is_long else []
    most = cost(asking, choice.price, extra=extra)
    what = "two small built-in proofs" + (" and a long text" if is_long else "")
    host = safe(choice.connection.host)
    caps = f"{choice.limit:,} tokens and {choice.connection.timeout:g} s per reply"
    asking_words = f"Asking {safe(choice.model)} at {host} about {what}, up to {caps}"
    return f"{asking_words}: {_price_in_words(most)}"


def _price_in_words(most: CostEstimate) -> str:
    tokens = f"{most.input:,} tokens in and {most.output:,} out"
    calls = f"up to {plural(most.calls, 'call')}, {tokens}"
    if most.dollars is None:
        return f"{calls}; price unknown."
    if most.dollars == 0:
        return f"{calls}; free (local model)."
    return f"{calls}, ${most.dollars:.2f}."


async def _examined(
    choice: ModelChoice, asking: ActionFactory, waiting: WaitingLine, *, is_long: bool
) -> list[Probe]:
    async with open_client(choice.connection, in_flight=1) as client:
        examination = Examination(
            client=client,
            asking=asking,
            clock=time.monotonic,
            waiting=waiting,
            window=choice.connection.window,
            is_long=is_long,
            models=client.models,
        )
        return await examination.probes()


_PATIENCE = 5.0
"""The most seconds that a server on this machine may take to accept a connection."""
_KINDS = {Endpoint.CHAT: "chat completions", Endpoint.RESPONSES: "the Responses interface"}
_ASKING = ("openai", "httpx2")
"""The packages beyond the core that model calls need."""


def probes() -> list[Probe]:
    """What every command needs."""
    return [_git(), *_content(), _cache(), _store(), _configuration(), *_processes()]


def _processes() -> list[Probe]:
    """A probe if PF_JOBS is invalid, which every review would refuse; none if it is valid."""
    try:
        jobs()
    except UsageError as error:
        return [wrong("processes", error.message, "correct PF_JOBS, or unset it")]
    return []


def choice_probes(reader: ReaderOptions) -> tuple[ModelChoice | None, list[Probe]]:
    """The model that the user has named, and whether it could be asked."""
    try:
        choice = chosen(reader)
    except PfError as error:
        return None, [wrong("model", error.message)]
    if choice is None:
        says = "no model is set: proofs are not read, and nothing leaves this machine"
        return None, [ok("model", f"{says} (set one with --model or {MODEL})")]
    connection = choice.connection
    named = ok("model", f"{choice.model}, from {choice.named_by}")
    return choice, [
        *(named, _packages(), _server(connection), _key(connection)),
        _price_probe(choice),
    ]


def _git() -> Probe:
    try:
        number = git.version()
    except PfError as error:
        return wrong("git", error.message)
    words = ".".join(map(str, number))
    if number < git.OLDEST:
        oldest = ".".join(map(str, git.OLDEST))
        return wrong("git", f"{words} is too old", f"install {oldest} or later")
    return ok("git", words)


def _content() -> Iterator[Probe]:
    """A probe if git cannot read all files of the commit of the paper here; none if it can."""
    try:
        repository = find_repository(Path())
        if repository is None or repository.commit is None:
            return
        files = [item for item in repository.tree(repository.commit) if item.mode != SUBMODULE]
        sizes = repository.sizes({item.oid for item in files})
    except PfError:
        return  # reported when the paper is read
    lost = [item for item in files if item.oid not in sizes]
    if lost:
        more = f" and {len(lost) - 1:,} more" if len(lost) > 1 else ""
        says = f"git cannot read {lost[0].path}{more} of the commit (object {lost[0].oid[:8]})"
        yield wrong("commit", says, "see git fsck; copy the objects from another clone")


def _cache() -> Probe:
    path = cache_path()
    cache = DiskCache(path)
    try:
        is_writable = cache.is_writable()
    finally:
        cache.close()
    if is_writable:
        return ok("parse cache", f"{path} is writable")
    if path.is_file() and tables(path) is None:
        says = f"{path} is corrupt, or not a database of pf-verify"
        return wrong("parse cache", says, "until you delete it, every run parses the paper again")
    advice = "every run parses the paper again; set PF_CACHE_DIR to another folder"
    return wrong("parse cache", f"{path} cannot be written", advice)


def _store() -> Probe:
    name = "the data folder"
    try:
        name = store_name()
        store = open_store(store_place(), time.time)
        try:
            store.require_writable()
        finally:
            store.close()
    except PfError as error:
        advice = "paid replies would be lost; set PF_STORE or PF_DATA_DIR"
        return wrong("store", f"{name} cannot be used: {error.message}", advice)
    return ok("store", f"{name} is writable")


def _configuration() -> Probe:
    path = config_path(os.environ)
    if path is None:
        return unknown("configuration", "your home folder is unknown", "set HOME")
    try:
        text = own_configuration()
        choose(None, {}, text, path=str(path))
    except PfError as error:
        return wrong("configuration", error.message)
    if not Path(path).is_file():
        return ok("configuration", f"no file {path} (optional)")
    return ok("configuration", f"{path} is read")


def _packages() -> Probe:
    missing = [name for name in _ASKING if find_spec(name) is None]
    if missing:
        says = f"{' and '.join(missing)} not found"
        return wrong("packages", says, install_command("llm"))
    return ok("packages", "all packages that model calls need are installed")


def _server(connection: Connection) -> Probe:
    """Whether a server on this machine listens; no other server is contacted."""
    if is_loopback(connection.base_url):
        import socket

        address = urlsplit(connection.base_url)
        port = address.port or (443 if address.scheme == "https" else 80)
        try:
            socket.create_connection((connection.host, port), timeout=_PATIENCE).close()
        except OSError:
            return wrong("server", connection.stopped, by_model=True)
    return ok("server", f"{connection.host}, through {_KINDS[connection.endpoint]}")


def _key(connection: Connection) -> Probe:
    """Whether the key is set; shows the name of its variable, never any part of the key."""
    try:
        require_key(connection)
    except PfError as error:
        return wrong("key", error.message)
    if connection.key is None:
        return ok("key", "no key is sent (to send one, name its variable in PF_KEY_ENV)")
    return ok("key", f"{connection.key_name} is set")


def _price_probe(choice: ModelChoice) -> Probe:
    price = choice.price
    if price is None:
        says = f"no price is known for {choice.model}"
        advice = f'add it to your configuration, [prices."{choice.model}"]'
        advice += ", or use --budget '500k tokens'"
        return unknown("price", says, advice)
    if price == Price():
        return ok("price", "free (local model)")
    parts = f"${price.input:g} for input, ${price.output:g} for output"
    return ok("price", f"{parts}, ${price.cached:g} for cached input, per million tokens")


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
"""The code words at both ends of a long text: a model that names both has seen all of it."""

LONG = 16_000
"""Approximate tokens of a long text."""

_INSTRUCTIONS = (
    "A long text follows. Its first line and its last line name one code word each. The lines "
    "between are of no interest. Reply with the two code words and nothing else."
)
_FILLER = "The sum of two even numbers is even, and the product of two odd numbers is odd.\n"
_CHARACTERS = 4
"""Approximate characters per token of such a text."""
_TIGHT = 2.4
"""Characters per token in the cautious estimate for texts that must fit a window."""
_ONCE = Judging(rollouts=1, min_votes=1, blocking_votes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """A test of a model; `window` is the configured one, in tokens.

    `is_long`: the test has a long text. `waiting` shows that a reply is awaited. `models` asks the
    server for the names of its models, () if it does not list them.
    """

    client: LlmClient
    asking: ActionFactory
    clock: Clock
    waiting: WaitingLine
    window: int | None = None
    is_long: bool = False
    models: Callable[[], Awaitable[tuple[str, ...]]] | None = None

    async def probes(self) -> list[Probe]:
        """Run the test; its outcome as probes."""
        log = _Log(client=self.client, clock=self.clock, waiting=self.waiting)
        reading = ModuleVerifier(run=log.run, asking=self.asking)
        found = [*await _read(reading, log)]
        names = await self.models() if self.models is not None and log.replies else ()
        if missing := _unlisted(self.asking.contract.model, names):
            found = [missing if item.name == missing.name else item for item in found]
        if self.is_long and not log.failure:
            long = long_request(self.asking, self.window)
            found.append(await _window(log.send, long, self.window))
        else:
            found.append(_configured(self.window))
        return found


@dataclass(kw_only=True)
class _Log:
    """Asks the model, and records its replies, their time, and the last failure."""

    client: LlmClient
    clock: Clock
    waiting: WaitingLine
    replies: list[Reply] = field(default_factory=list)
    seconds: float = 0.0
    failure: str = ""

    async def run(self, action: Action) -> Outcome:
        """The reply to an action, requested once; NoReply with the reason if it is not usable."""
        if self.seconds >= MOST_ALTOGETHER:
            self.failure = f"stopped after {self.seconds:.0f} s"
            return NoReply(reason=self.failure)
        try:
            reply = await self.send(action.request, action.stage)
        except CallError as error:
            self.failure = error.reason
            return NoReply(reason=error.reason)
        self.failure = spoilt(reply)
        if reply.finish is Finish.LENGTH:
            self.failure += f" of {action.request.limit:,} tokens"
        return NoReply(reason=self.failure) if self.failure else reply

    async def send(self, request: Request, what: str = "a long text") -> Reply:
        """The reply to a request; CallError if there is none."""
        started = self.clock()
        name = f"reply {len(self.replies) + 1} ({what})"
        reply = await self.waiting.during(name, self.client.complete(request))
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
    kept = ok("format", "its replies contain a valid verdict")
    return [*answered, kept, _sound(sound), _planted(planted), _speed(log)]


_MOST_MODELS = 8
_ERRORS = ("correct proof", "planted error")


def _untold(*names: str) -> Iterator[Probe]:
    return (unknown(name, "not tested") for name in names)


def _no_answer(reason: str) -> Probe:
    return wrong("answer", f"no reply: {reason}", by_model=True)


def _no_format(found: Unread) -> Probe:
    advice = "proofs will stay unread: try a larger model, or a higher limit"
    return wrong("format", f"no verdict in its reply: {found.reason}", advice, by_model=True)


def _served(reading: ModuleVerifier, log: _Log) -> Probe:
    asked, served = reading.asking.contract.model, log.replies[0].model
    if _is_same(asked, served):
        return ok("served model", served)
    advice = f"verdicts are recorded under the name {asked}; check that this is the model you want"
    return warning("served model", f"the server calls it {served}", advice)


def _unlisted(asked: str, names: Sequence[str]) -> Probe | None:
    """A warning if the server lists its models, but not the one that is asked."""
    if not names or any(_is_same(asked, name) for name in names):
        return None
    listed = " and ".join(names) if len(names) < 3 else ", ".join(names[:_MOST_MODELS])
    near = get_close_matches(asked, names, n=1)
    advice = f"did you mean {near[0]}?" if near else "check the name"
    return warning("served model", f"the server lists {listed}, not {asked}", advice)


def _is_same(asked: str, name: str) -> bool:
    """Whether both name one model; the server may add a date, a tag or the model's owner."""
    return name.startswith(asked) or name.endswith(f"/{asked}")


def _sound(found: Verdict) -> Probe:
    if isinstance(found, Flagged):
        advice = "expect false alarms"
        return warning(_ERRORS[0], "objects to a correct proof of three lines", advice)
    return ok(_ERRORS[0], "accepts a correct proof")


def _planted(found: Verdict) -> Probe:
    if isinstance(found, Flagged):
        return ok(_ERRORS[1], "found the planted error")
    if isinstance(found, Accepted) and found.false_alarms:
        says = "found the planted error, then dismissed it as a false alarm"
        unfit = "dismissed a planted error"
    else:
        says = unfit = "missed a planted error"
    advice = "its acceptance means little: try a stronger model"
    return replace(wrong(_ERRORS[1], says, advice, by_model=True), unfit=unfit)


def _speed(log: _Log) -> Probe:
    tokens = sum(reply.usage.output for reply in log.replies)
    if not log.seconds:
        return unknown("speed", "no time measured")
    calls = plural(len(log.replies), "call")
    per_second = max(1, round(tokens / log.seconds))
    return ok("speed", f"about {per_second:,} tokens per second in each call, over {calls}")


def _configured(window: int | None) -> Probe:
    if window is not None:
        return ok("window", f"{window:,} tokens are configured; pf doctor --window tests it")
    advice = "pf doctor --window tests it with a long text"
    return unknown("window", "none is configured", advice)


async def _window(
    send: Callable[[Request], Awaitable[Reply]], request: Request, window: int | None
) -> Probe:
    of = f" ({window:,} are configured)" if window else ""
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
        says = f"the server cut off the {part} of a text of {size} and reported no error"
        advice = (
            "give the model a larger context (num_ctx in Ollama), or set its window in your "
            "configuration: window = …"
        )
        return wrong("window", says, advice)
    return unknown("window", f"the model saw neither the beginning nor the end of a text of {size}")


def _refused(error: CallError, size: str) -> Probe:
    if error.reason.startswith(TOO_LONG):
        advice = "proofs with long contexts will stay unread; pf check lists them"
        return warning("window", f"a text of {size} is refused ({error.reason})", advice)
    return wrong("window", f"no reply to a text of {size}: {error.reason}", by_model=True)


def long_request(asking: ActionFactory, window: int | None) -> Request:
    """A text of `LONG` tokens, or as many as fit the window, with a code word at each end."""
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
    """Approximate tokens of a long text, rounded to hundreds."""
    return round(len(request.text) / _CHARACTERS / 100) * 100


def cost(
    asking: ActionFactory, price: Price | None, *, extra: Sequence[Request] = ()
) -> CostEstimate:
    """The upper bound for the cost of a test."""
    reading = reading_at_most((SOUND, PLANTED), asking, _ONCE, price)
    more = [most(request) for request in extra]
    usage = sum(more, TokenUsage(input=reading.input, output=reading.output))
    return CostEstimate(
        calls=reading.calls + len(more),
        input=usage.input,
        output=usage.output,
        dollars=None if price is None else price.of(usage),
    )


GROUP = "pf_verify.probes"
"""The group of entry points: functions without arguments that return a list of probes."""


def plugged() -> list[Probe]:
    """The probes of all entry points; one that cannot be loaded becomes a failed probe."""
    found = []
    for entry in sorted(entry_points(group=GROUP), key=lambda item: item.name):
        try:
            found += entry.load()()
        except ImportError as error:
            found.append(wrong(entry.name, f"its probes cannot be loaded: {error}"))
    return found
