"""Which of many tests of one kind run in a slower suite: one in n, drawn by the commit.

Each commit runs other ones, and always the same ones. PF_SAMPLED=all runs all of them.
"""

import hashlib
import os
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parent.parent


def is_whole() -> bool:
    """Whether all tests are asked for: also where they record what is to stay."""
    is_recording = any(name.startswith("PF_SNAPSHOT") for name in os.environ)
    return is_recording or os.environ.get("PF_SAMPLED") == "all"


@cache
def commit() -> str:
    """The commit that is tested; "" where there is none."""
    command = ("git", "-C", str(REPO), "rev-parse", "HEAD")
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except FileNotFoundError:  # without git
        return ""


def left_out(items: Sequence[pytest.Item], seed: str) -> list[pytest.Item]:
    """The tests marked `sampled(n)` that are not drawn; one in n is, for each file and n."""
    groups = defaultdict[tuple[Path, int], list[pytest.Item]](list)
    for item in items:
        if (mark := item.get_closest_marker("sampled")) is not None:
            groups[item.path, mark.args[0]].append(item)
    out = list[pytest.Item]()
    for (_, share), group in groups.items():
        group.sort(key=lambda item: hashlib.sha256((seed + item.nodeid).encode()).digest())
        out += group[-(-len(group) // share) :]
    return out
