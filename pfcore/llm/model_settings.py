"""Which model to use, if any: only one that the user names.

A client is opened, and its packages are loaded, only for a call. A key in the environment enables
nothing, and no file of a repository is read here: it could send texts and keys to a host of its
choice. A user's own file, outside all repositories, may say:

    model = "gpt-5.4-mini"
    effort = "low"                             # a value that the server knows
    temperature = 0                            # default: the server's
    limit = 16000                              # most output tokens of a reply, thinking included
    timeout = 600                              # seconds, for a whole call
    base_url = "https://models.example/v1"     # and of this server:
    key_env = "EXAMPLE_KEY"                    # the variable that holds its key
    endpoint = "chat"                          # or "responses"
    window = 128000                            # the model's context size, reply included
    service_tier = "flex"

    [limits]
    in_flight = 16
    requests_per_minute = 500
    tokens_per_minute = 200000
    attempts = 5                               # most calls for one reply, if calls fail

    [prices."a-model"]                         # dollars per million tokens
    input = 0.75
    cached = 0.075
    output = 4.50
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pfcore.domain.errors import UsageError
from pfcore.domain.toml_tables import TomlTable, top_table
from pfcore.llm.connection import (
    OPENAI,
    PATIENCE,
    Connection,
    endpoint_of,
    is_local,
    is_openai,
)
from pfcore.llm.prices import Price, price_of
from pfcore.llm.protocol import ATTEMPTS, LIMIT, Endpoint

if TYPE_CHECKING:
    from pfcore.llm.openai_client import OpenAiClient

PROPOSED = "gpt-5.4-mini"
"""The model that the documentation suggests; it is never used by default."""

MODEL, BASE_URL, KEY_NAME = "PF_MODEL", "PF_BASE_URL", "PF_KEY_ENV"
_OPENAI_KEY = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountLimits:
    """Limits of an account or a machine; None: no limit is known.

    `attempts` is the most calls for one reply, if calls fail.
    """

    in_flight: int = 16
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    attempts: int = ATTEMPTS


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """A model that the user has named, and how to call it.

    `named_by` says where it was named, for messages; `price` None means an unknown price, so that
    a budget in dollars cannot be enforced.
    """

    model: str
    named_by: str
    connection: Connection
    price: Price | None
    effort: str | None = None
    temperature: str | None = None
    limit: int = LIMIT
    rates: AccountLimits = field(default_factory=AccountLimits)


@dataclass(frozen=True, slots=True, kw_only=True)
class _UserConfiguration:
    """A user's own configuration."""

    model: str | None
    base_url: str
    key_name: str | None
    endpoint: Endpoint | None
    effort: str | None
    temperature: str | None
    limit: int
    timeout: float | None
    window: int | None
    tier: str | None
    rates: AccountLimits
    prices: Mapping[str, Price]


_PLACEHOLDER = "NAME"
"""A model's name in the commands that are printed as hints."""


def choose(
    model: str | None,
    environment: Mapping[str, str],
    config: str = "",
    *,
    path: str = "config.toml",
) -> ModelChoice | None:
    """The model to use, or None if the user has named none.

    `model` is the argument of the command, which takes precedence over the environment, and that
    over `config`, the text of the user's own file at `path`. ConfigError for an invalid setting in
    it, even if no model is named; UsageError for an invalid address. A missing key is an error only
    when a client is opened: a plan needs none.
    """
    file = _read(config, path)
    named = ((model, "--model"), (environment.get(MODEL), MODEL), (file.model, path))
    name, named_by = next(((n.strip(), by) for n, by in named if n and n.strip()), ("", ""))
    if not name:
        return None
    if name == _PLACEHOLDER:
        raise UsageError(
            f"{name} is a placeholder for the name of a model; pf help models has examples"
        )
    connection = _connection(environment, file, path)
    return ModelChoice(
        model=name,
        named_by=named_by,
        connection=connection,
        price=price_of(name, connection.base_url, file.prices),
        effort=file.effort,
        temperature=file.temperature,
        limit=file.limit,
        rates=file.rates,
    )


def _connection(environment: Mapping[str, str], file: _UserConfiguration, path: str) -> Connection:
    base_url = (environment.get(BASE_URL) or file.base_url).strip().rstrip("/")
    try:
        is_house = is_openai(base_url)
    except UsageError as error:
        said_by = BASE_URL if environment.get(BASE_URL) else f"{path}: base_url"
        raise UsageError(f"{said_by}: {error.message}") from None
    # Settings for the file's server do not apply to another server, least of all its key.
    same = base_url == file.base_url
    named = environment.get(KEY_NAME) or (file.key_name if same else None)
    # OpenAI's own key goes to OpenAI, and elsewhere only if the user names its variable.
    key_name = named or (_OPENAI_KEY if is_house else "")
    kind = file.endpoint if same else None
    return Connection(
        base_url=base_url,
        endpoint=kind or endpoint_of(base_url),
        key=environment.get(key_name, "").strip() or None,
        key_name=key_name,
        is_key_named=bool(named),
        is_key_blank=key_name in environment,
        timeout=file.timeout or PATIENCE,
        window=file.window if same else None,
        tier=file.tier if same else None,
    )


def _read(text: str, path: str) -> _UserConfiguration:
    table = top_table(text, path=path)
    file = _UserConfiguration(
        model=table.text("model"),
        base_url=(table.text("base_url") or OPENAI).strip().rstrip("/"),
        key_name=table.text("key_env"),
        endpoint=_endpoint(table),
        effort=table.text("effort"),
        temperature=_temperature(table),
        limit=table.count("limit", LIMIT),
        timeout=table.amount("timeout"),
        window=table.count_if_set("window"),
        tier=table.text("service_tier"),
        rates=_rates(table.table("limits")),
        prices={name: _price(entry) for name, entry in table.each("prices").items()},
    )
    table.end()
    return file


def _endpoint(table: TomlTable) -> Endpoint | None:
    text = table.text("endpoint")
    if text is None:
        return None
    try:
        return Endpoint(text)
    except ValueError:
        kinds = " or ".join(f"'{kind}'" for kind in Endpoint)
        raise table.fault("endpoint", f"must be {kinds}, not '{text}'") from None


def _temperature(table: TomlTable) -> str | None:
    amount = table.amount("temperature")
    return None if amount is None else f"{amount:g}"


def _rates(table: TomlTable) -> AccountLimits:
    rates = AccountLimits(
        in_flight=table.count("in_flight", 16),
        requests_per_minute=table.count_if_set("requests_per_minute"),
        tokens_per_minute=table.count_if_set("tokens_per_minute"),
        attempts=table.count("attempts", ATTEMPTS),
    )
    table.end()
    return rates


def _price(table: TomlTable) -> Price:
    """A price in dollars per million tokens; by default cached tokens cost the full price."""
    into, out = table.amount("input"), table.amount("output")
    if into is None or out is None:
        key = "input" if into is None else "output"
        raise table.fault(key, "is missing: dollars per million tokens")
    cached = table.amount("cached")
    table.end()
    return Price(input=into, cached=into if cached is None else cached, output=out)


def require_key(connection: Connection) -> None:
    """UsageError if the server needs a key and there is none."""
    if connection.key_name and connection.key is None:
        name, host = connection.key_name, connection.host
        lack = f"{name} is {'empty' if connection.is_key_blank else 'not set'}"
        if not connection.is_key_named:
            raise UsageError(f"{host} needs a key, and {lack}")
        said = f"no key for {host}: {KEY_NAME} or key_env names {name}, and {lack}"
        own = "; a server of your own may need none" if is_local(connection.base_url) else ""
        raise UsageError(f"{said}{own}")


def open_client(connection: Connection, *, in_flight: int = 256) -> "OpenAiClient":
    """An open client for a server; UsageError if the key or the package is missing."""
    require_key(connection)
    try:
        from pfcore.llm.openai_client import OpenAiClient
    except ImportError as error:
        from pfcore.domain.installation import install_command

        raise UsageError(
            f"to use a model, install more packages: {install_command('llm')}"
        ) from error
    return OpenAiClient(connection, in_flight=in_flight)
