"""The warnings that the list of documents says are those that an installed LaTeX gives.

Each fourth is asked for; all of them where PF_IDIOMS=all.
"""

import os
import shutil
from pathlib import Path

import pytest

from tests.idioms import (
    REFERENCES,
    Idiom,
    idioms,
    warned_of,
    warnings_of_latex,
    with_a_lost_reference,
)

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex is installed"),
]
EVERY = [item for path in sorted(REFERENCES.glob("*.txt")) for item in idioms(path)]
ASKED = EVERY if os.environ.get("PF_IDIOMS") == "all" else EVERY[::4]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("idiom", [pytest.param(item, id=item.name) for item in ASKED])
def test_latex_warns_of_what_is_written_down(idiom: Idiom, tmp_path: Path) -> None:
    lost, twice, fault = warnings_of_latex(with_a_lost_reference(idiom), tmp_path)
    if "not found" in fault:
        pytest.skip(f"this TeX lacks a package: {fault}")
    assert (lost, twice) == warned_of(idiom)
