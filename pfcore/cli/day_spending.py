"""The spending of a day's runs without a common store, in names signed with a key.

The jobs of a repository on GitHub keep paid replies in caches of branches and pull requests. None
can read all of these, but all can read their names. So the sum of a run is part of a name, signed
with the model's key: without the key, as in a fork, nobody can forge a sum.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable

PREFIX = "pf-spent-v1-"
_MILLION = 1_000_000
_NAME = re.compile(
    rf"{PREFIX}(?P<day>[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})-(?P<sum>[0-9]{{1,15}})"
    r"-(?P<run>[0-9a-f]{16})-(?P<sign>[0-9a-f]{32})"
)


def spending_name(*, day: str, dollars: float, run: str, key: str) -> str:
    """The name that records the spending of `run` on a day, such as 2026-01-31."""
    short = hashlib.sha256(run.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    said = f"{day}-{round(dollars * _MILLION)}-{short}"
    return f"{PREFIX}{said}-{_signature(said, key)}"


def spent_by(names: Iterable[str], *, day: str, key: str) -> float:
    """The dollars spent on a day, from the names signed with the key, each run once."""
    sums: dict[str, int] = {}
    for name in names:
        found = _NAME.fullmatch(name)
        if found is None or found["day"] != day:
            continue
        said = f"{found['day']}-{found['sum']}-{found['run']}"
        if hmac.compare_digest(_signature(said, key), found["sign"]):
            sums[found["run"]] = max(sums.get(found["run"], 0), int(found["sum"]))
    return sum(sums.values()) / _MILLION


def _signature(said: str, key: str) -> str:
    return hmac.new(key.encode("utf-8", "surrogatepass"), said.encode(), "sha256").hexdigest()[:32]
