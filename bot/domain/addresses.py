"""Where things are for people: the App's own pages, and what stands on GitHub.

All that is put into an address is quoted; a run's id, which may hold anything, is one plain word.
"""

import base64
import binascii
from urllib.parse import quote


def run_path(run_id: str) -> str:
    """The path of a run's page."""
    return f"/runs/{word(run_id)}"


def word(run_id: str) -> str:
    """A run's id as a word of letters, digits, "-" and "_"."""
    raw = run_id.encode("utf-8", "surrogatepass")
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def run_id(word: str) -> str | None:
    """The id that such a path ends on; None where it is no such word."""
    try:
        raw = base64.b64decode(f"{word}{'=' * (-len(word) % 4)}", altchars=b"-_", validate=True)
        return raw.decode("utf-8", "surrogatepass")
    except (binascii.Error, ValueError):
        return None


def repository_path(name: str) -> str:
    """The path of a repository's page; the name is `owner/name`."""
    return f"/repos/{quote(name)}"


def pull_url(server: str, name: str, number: int) -> str:
    """A pull request on GitHub."""
    return f"{server}/{quote(name)}/pull/{number}"


def commit_url(server: str, name: str, commit: str) -> str:
    """A commit on GitHub."""
    return f"{server}/{quote(name)}/commit/{quote(commit)}"


def line_url(server: str, name: str, commit: str, path: str, line: int) -> str:
    """A line of a file on GitHub, at a commit."""
    return f"{server}/{quote(name)}/blob/{quote(commit)}/{quote(path)}?plain=1#L{line}"
