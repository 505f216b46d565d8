"""The numbers that the list of idioms says are those that an installed LaTeX gives.

Each fourth is asked for; all of them where PF_IDIOMS=all.
"""

import os
import shutil
from pathlib import Path

import pytest

from tests.idioms import FOLDER, Idiom, idioms, numbers_of_latex

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex is installed"),
]
EVERY = [item for path in sorted(FOLDER.glob("*.txt")) for item in idioms(path)]
ASKED = EVERY if os.environ.get("PF_IDIOMS") == "all" else EVERY[::4]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("idiom", [pytest.param(item, id=item.name) for item in ASKED])
def test_latex_gives_the_numbers_that_are_written_down(idiom: Idiom, tmp_path: Path) -> None:
    found, fault = numbers_of_latex(idiom, tmp_path)
    if "not found" in fault:
        pytest.skip(f"this TeX lacks a package: {fault}")
    assert {label: found.get(label) for label in idiom.numbers} == idiom.numbers
