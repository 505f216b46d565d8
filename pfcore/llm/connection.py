"""How to reach a model: address, key, kind of endpoint, limits on time and length."""

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from pfcore.domain.errors import UsageError
from pfcore.llm.protocol import Endpoint

OPENAI = "https://api.openai.com/v1"
PATIENCE = 600.0
"""The time limit of a call in seconds; models that think long answer late."""

_HOUSE = "api.openai.com"
_ODD = frozenset(' \\"<>')  # URL parsers disagree on what these mean in a host
_NEARBY = (".local", ".localhost", ".lan", ".home.arpa", ".internal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """A server and how to talk to it; UsageError for an address that must not be used.

    `key_name` is the variable that holds the key (empty: none is needed); `is_key_named`: the user
    chose that variable; `is_key_blank`: it is set but empty. `timeout` is in seconds for a whole
    call; `window` in tokens, prompt and reply together; `tier` is OpenAI's `service_tier`.
    None: unknown, or left to the server.
    """

    base_url: str = OPENAI
    endpoint: Endpoint = Endpoint.RESPONSES
    key: str | None = field(default=None, repr=False)
    key_name: str = ""
    is_key_named: bool = False
    is_key_blank: bool = False
    timeout: float = PATIENCE
    window: int | None = None
    tier: str | None = None

    def __post_init__(self) -> None:
        address = _address(self.base_url)
        if self.key is None:
            return
        if not (self.key.isascii() and self.key.isprintable()) or " " in self.key:
            raise UsageError(f"the key in {self.key_name or 'use'} has invalid characters")
        if address.scheme == "http" and not is_local(self.base_url):
            raise UsageError(f"a key is sent to {address.hostname} only over https")

    @property
    def host(self) -> str:
        """The server's name, for messages."""
        return _address(self.base_url).hostname or ""

    @property
    def stopped(self) -> str:
        """The message if no server answers on this machine."""
        port = _address(self.base_url).port
        place = f"{self.host}:{port}" if port else self.host
        return f"no server answers at {place}; is it running?"


def endpoint_of(base_url: str) -> Endpoint:
    """The kind of endpoint that a server has by default."""
    return Endpoint.RESPONSES if is_openai(base_url) else Endpoint.CHAT


def is_openai(base_url: str) -> bool:
    """Whether the address is OpenAI's own, in any region."""
    host = _address(base_url).hostname or ""
    return host == _HOUSE or host.endswith(f".{_HOUSE}")


def is_local(base_url: str) -> bool:
    """Whether the server is on this machine or in its own network."""
    host = _address(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith(_NEARBY)


def is_loopback(base_url: str) -> bool:
    """Whether the server is on this machine, so that no proxy is used."""
    host = _address(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _address(base_url: str) -> SplitResult:
    if not base_url.isprintable() or set(base_url) & _ODD:
        raise UsageError("the base URL has invalid characters")
    try:
        address = urlsplit(base_url)
        port_is_fine = address.port is None or address.port > 0
    except ValueError:
        raise UsageError("the base URL is invalid; it must look like https://host/v1") from None
    if address.username is not None or address.password is not None:
        raise UsageError("the base URL must not contain a password: set the key in a variable")
    if address.scheme not in {"http", "https"} or not address.hostname or not port_is_fine:
        raise UsageError(f"the base URL '{base_url}' must look like https://host/v1")
    if address.query or address.fragment:
        raise UsageError("the base URL must end with its path, without '?' or '#'")
    return address
