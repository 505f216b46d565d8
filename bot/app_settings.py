"""The settings of the App's server: one frozen value, read once from file and environment.

The file is outside of all repositories, and only its owner may read it. Its keys are:

    app_id = 12345
    private_key = "pf-verify.pem"              # a path, relative to the folder of this file
    webhook_secret = "…"
    accounts = ["a-university", "a-colleague"] # who may use it; ["*"]: whoever installs it
    server_url = "https://github.example.org"  # GitHub Enterprise; api_url follows from it
    database_url = "postgresql://…"            # else a file in the data folder
    data = "/var/lib/pf-verify"
    days_kept = 30
    answers_per_hour = 20                      # to one person
    public_url = "https://pf.example.org"      # where people see the pages; links lead there
    pages_token = "…"                          # opens the pages; without one there are none
    resolve_threads = true                     # where the App may write contents, and only there
    slug = "pf-verify-a-university"            # the App's name on GitHub, by which it is mentioned

    [caps]                                     # dollars in a calendar month, 0 for nothing
    repository = 25.0
    month = 100.0

Files with secrets must be readable only by their owner.
"""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from pfcore.domain.errors import ConfigError, UsageError
from pfcore.domain.toml_tables import TomlTable, config_path, top_table

FILE, FILE_NAME = "PF_APP_FILE", "app.toml"
APP_ID, SECRET, KEY = "PF_APP_ID", "PF_WEBHOOK_SECRET", "PF_PRIVATE_KEY_FILE"
DATABASE, DATA = "PF_DATABASE_URL", "PF_DATA_DIR"
ACCOUNTS = "PF_ACCOUNTS"  # logins with commas between them
PUBLIC_URL, PAGES_TOKEN = "PF_PUBLIC_URL", "PF_PAGES_TOKEN"
SERVER_URL, API_URL = "GITHUB_SERVER_URL", "GITHUB_API_URL"

_GITHUB, _GITHUB_API = "https://github.com", "https://api.github.com"
_ANYONE = "*"
_SHORTEST = 16
PLAIN = "server_url is {}, but commits are fetched over https only: nothing can be reviewed"
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingCaps:
    """Dollars that may be spent in a calendar month: on one repository, and on all."""

    repository: float = 25.0
    month: float = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AppSettings:
    """The settings of one server of the App; secrets are never printed.

    `accounts` are logins in lower case; `days_kept` is how long data of runs stay;
    `answers_per_hour` how many comments of one person are answered within an hour.
    Without `pages_token` nobody sees the pages; without `public_url` nothing links to them.
    """

    app_id: int
    private_key: Path
    webhook_secret: bytes = field(repr=False)
    accounts: frozenset[str]
    server_url: str = _GITHUB
    api_url: str = _GITHUB_API
    database_url: str = field(repr=False)
    data: Path
    days_kept: int = 30
    answers_per_hour: int = 20
    caps: SpendingCaps = field(default_factory=SpendingCaps)
    public_url: str | None = None
    pages_token: bytes | None = field(default=None, repr=False)
    resolve_threads: bool = False
    slug: str = ""

    @property
    def graphql_url(self) -> str:
        """The address of GraphQL, which is beside the REST interface, also on GitHub Enterprise."""
        return f"{self.api_url.removesuffix('/v3')}/graphql"

    def serves(self, account: str) -> bool:
        """Whether an account may use this App."""
        return _ANYONE in self.accounts or account.lower() in self.accounts


def file_path(environment: Mapping[str, str]) -> Path:
    """The path of the App's own file: from the environment, else beside the user's own file."""
    given = environment.get(FILE)
    if given:
        return Path(given).absolute()
    beside = config_path(environment)
    if beside is None:
        raise UsageError(f"your home folder is unknown: set HOME, or {FILE} to a path")
    return beside.with_name(FILE_NAME)


def load_app_settings(environment: Mapping[str, str], path: Path) -> AppSettings:
    """The settings from a file, which may be absent, and from the environment, which wins.

    ConfigError if something is missing or wrong, or if others may read the file.
    """
    if path.exists():
        return parse_app_settings(private_text(path), environment, path=path)
    try:
        return parse_app_settings("", environment, path=path)
    except ConfigError as error:
        lacking = error.message.removeprefix(f"{path}: ")
        raise ConfigError(f"file not found; {lacking}", path=str(path)) from None


def parse_app_settings(text: str, environment: Mapping[str, str], *, path: Path) -> AppSettings:
    """The settings in a text and in the environment."""
    top = top_table(text, path=str(path))
    data = _path(environment.get(DATA) or top.text("data") or "data", path)
    server, api = _addresses(top, environment)
    settings = AppSettings(
        app_id=_app_id(top, environment),
        private_key=_path(_wanted(top, "private_key", environment, KEY), path),
        webhook_secret=_secret(top, environment),
        accounts=_accounts(top, environment),
        server_url=server,
        api_url=api,
        database_url=_database(top, environment, data),
        data=data,
        days_kept=top.count("days_kept", 30),
        answers_per_hour=top.whole("answers_per_hour", 20, most=1000),
        caps=_caps(top.table("caps")),
        public_url=_public(top, environment),
        pages_token=_pages_token(top, environment),
        resolve_threads=top.switch("resolve_threads", False),
        slug=top.text("slug") or "",
    )
    top.end()
    return settings


def _app_id(top: TomlTable, environment: Mapping[str, str]) -> int:
    known = top.count_if_set("app_id")
    given = environment.get(APP_ID)
    if given is None:
        if known is None:
            raise top.fault("app_id", f"is missing; it can also be set with {APP_ID}")
        return known
    if not (given.isascii() and given.isdigit() and len(given) < 19 and int(given)):
        raise top.fault(APP_ID, "must be a whole number above 0")
    return int(given)


def _secret(top: TomlTable, environment: Mapping[str, str]) -> bytes:
    return _long(top, "webhook_secret", _wanted(top, "webhook_secret", environment, SECRET))


def _pages_token(top: TomlTable, environment: Mapping[str, str]) -> bytes | None:
    known = top.text("pages_token")
    value = environment.get(PAGES_TOKEN) or known
    return None if value is None else _long(top, "pages_token", value)


def _long(top: TomlTable, key: str, secret: str) -> bytes:
    if len(secret) < _SHORTEST:
        raise top.fault(key, f"must have {_SHORTEST} characters or more")
    return secret.encode("utf-8", "surrogateescape")


def _public(top: TomlTable, environment: Mapping[str, str]) -> str | None:
    known = top.text("public_url")
    value = environment.get(PUBLIC_URL) or known
    return None if value is None else _address(top, "public_url", value)


def _accounts(top: TomlTable, environment: Mapping[str, str]) -> frozenset[str]:
    """The logins of a list, in lower case; without a list there are none."""
    written = top.texts("accounts")
    names = environment[ACCOUNTS].split(",") if environment.get(ACCOUNTS) else written
    return frozenset(name.strip().lower() for name in names if name.strip())


def _wanted(top: TomlTable, key: str, environment: Mapping[str, str], name: str) -> str:
    known = top.text(key)
    value = environment.get(name) or known
    if value is None:
        raise top.fault(key, f"is missing; it can also be set with {name}")
    return value


def _addresses(top: TomlTable, environment: Mapping[str, str]) -> tuple[str, str]:
    """GitHub's addresses, for people and for programs."""
    written = top.text("server_url"), top.text("api_url")
    server = _address(top, "server_url", environment.get(SERVER_URL) or written[0] or _GITHUB)
    api = environment.get(API_URL) or written[1]
    if api is not None:
        return server, _address(top, "api_url", api)
    return server, _GITHUB_API if server == _GITHUB else f"{server}/api/v3"


def addresses(environment: Mapping[str, str]) -> tuple[str, str]:
    """GitHub's addresses, for people and for programs, when there is no settings file yet."""
    return _addresses(top_table("", path=SERVER_URL), environment)


def address(key: str, value: str, *, path: str) -> str:
    """An address that the settings accept; ConfigError if it is not one."""
    return _address(top_table("", path=path), key, value)


def _address(top: TomlTable, key: str, value: str) -> str:
    """An address without parts that could hold a secret; without TLS only on this machine."""
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise top.fault(key, "is not an address") from None
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)
    if not host or not is_safe:
        raise top.fault(key, "must begin with https://")
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise top.fault(key, "must be an address without user, query and fragment")
    return value.rstrip("/")


def _database(top: TomlTable, environment: Mapping[str, str], data: Path) -> str:
    written = top.text("database_url")
    value = environment.get(DATABASE) or written or f"sqlite:///{data / 'pf-verify.sqlite'}"
    if not value.startswith(("sqlite:///", "postgresql://", "postgresql+psycopg://")):
        raise top.fault("database_url", "must begin with postgresql:// or sqlite:///")
    return value


def _caps(table: TomlTable) -> SpendingCaps:
    repository, month = table.amount("repository"), table.amount("month")
    table.end()
    default = SpendingCaps()
    return SpendingCaps(
        repository=default.repository if repository is None else repository,
        month=default.month if month is None else month,
    )


def _path(value: str, settings: Path) -> Path:
    return settings.parent / value


_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_LARGEST = 1 << 20
_PEM = "-----BEGIN "


def private_text(path: Path) -> str:
    """A file's text; ConfigError if others may read it, or if it is not a text file.

    The permissions are those of the opened file, so that a change of the name cannot deceive.
    """
    try:
        with path.open("rb") as file:
            _require_private(os.fstat(file.fileno()), path)
            return file.read(_LARGEST).decode("utf-8")
    except OSError as error:
        reason = error.strerror or "it cannot be opened"
        raise ConfigError(f"cannot be read ({reason})", path=str(path)) from error
    except UnicodeDecodeError:
        raise ConfigError("not UTF-8", path=str(path)) from None


def private_key(path: Path) -> str:
    """The App's private key as PEM."""
    text = private_text(path)
    if not text.lstrip().startswith(_PEM):
        raise ConfigError("not a private key in PEM format", path=str(path))
    return text


def write_private(path: Path, text: str) -> None:
    """Write a new file that only its owner may read at any moment; an existing file is an error."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(text)


def _require_private(found: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ConfigError("not a file", path=str(path))
    # Windows has no such bits; what it reports there means nothing.
    if os.name == "posix" and found.st_mode & _OTHERS:
        raise ConfigError(
            "others can read this file, which holds secrets; run: chmod 600",
            path=str(path),
        )
