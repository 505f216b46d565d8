"""Opens a client, and loads what asking needs only then."""

from typing import TYPE_CHECKING

from pfcore.domain.errors import UsageError
from pfcore.domain.installation import install_command
from pfcore.llm.connection import Connection

if TYPE_CHECKING:
    from pfcore.llm.openai_client import OpenAiClient


def require_key(connection: Connection) -> None:
    """UsageError where the server wants a key and there is none."""
    if connection.key_name and connection.key is None:
        name = connection.key_name
        raise UsageError(f"asking {connection.host} needs a key, and {name} is not set")


def open_client(connection: Connection, *, in_flight: int = 256) -> "OpenAiClient":
    """A client for a server, to be closed; UsageError where the key or the package is missing."""
    require_key(connection)
    try:
        from pfcore.llm.openai_client import OpenAiClient
    except ImportError as error:
        raise UsageError(f"asking a model needs more packages: {install_command('llm')}") from error
    return OpenAiClient(connection, in_flight=in_flight)
