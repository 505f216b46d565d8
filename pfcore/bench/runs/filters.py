"""Which papers of arXiv may have had an error corrected, by what their metadata say.

The regular expressions are those of the paper (Appendix "ArxivMathGradingBench: paper filtering",
stage 1), case aside.
"""

import re
from dataclasses import dataclass
from datetime import date

CORRECTED = re.compile(
    "correct|errat|error|fix|mistake|bug|flaw|wrong|revised|amendment", re.IGNORECASE
)
RESULT = re.compile("lemma|theorem|proposition", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArxivEntry:
    """A paper in its last version; `id` is without the version, which counts from 1."""

    id: str
    version: int
    title: str
    category: str
    published: date
    abstract: str
    comment: str

    @property
    def before(self) -> str:
        """The version before the correction, as arXiv names it."""
        return f"v{self.version - 1}"


def is_candidate(entry: ArxivEntry) -> bool:
    """Whether a later version's comment speaks of a correction and of a result."""
    return (
        entry.version > 1
        and CORRECTED.search(entry.comment) is not None
        and RESULT.search(entry.comment) is not None
    )


PERMISSIVE = (
    "creativecommons.org/licenses/by/",
    "creativecommons.org/licenses/by-sa/",
    "creativecommons.org/publicdomain/zero/",
    "creativecommons.org/publicdomain/mark/",
)
"""Licences under which anybody may pass a paper on; arXiv's own is none of them."""


def is_permissive(licence: str) -> bool:
    """Whether a licence, by its address, lets anybody pass the paper on."""
    address = licence.removeprefix("https://").removeprefix("http://").removeprefix("www.")
    return address.startswith(PERMISSIVE)
