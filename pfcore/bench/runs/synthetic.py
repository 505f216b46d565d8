"""Synthetic rows in the data sets' own formats, with marked slips, for the simulated reader.

python -m pfcore.bench.runs.synthetic FOLDER [ROWS]
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

SLIP = "(slip)"
"""The mark of an error, which the simulated reader looks for."""

PROOFS, PAPERS, PDFS = "made-up-proofs.jsonl", "made-up-papers.jsonl", "made-up-pdfs"
"""The files that are written: proofs with labelled steps, papers, and the folder of their PDFs."""

_KINDS = ("Lemma", "Proposition", "Theorem", "Corollary")
_RESULT = re.compile(r"^% (?P<label>[A-Z]\w+ \d+): (?P<text>.*)$", re.MULTILINE)
_SLIPPING = 0.3
_CLEAN = 0.25
"""The share of wrong steps in flawed solutions, and the share of solutions without any."""


def proofs(count: int, *, seed: int = 0) -> list[dict[str, Any]]:
    """`count` solutions of three to eight steps, in the columns of Hard2Verify."""
    chance = Random(f"proofs {seed}")  # noqa: S311 - made-up rows, no secret
    return [_proof(number, chance) for number in range(1, count + 1)]


def papers(count: int, *, seed: int = 0) -> list[tuple[dict[str, Any], bytes]]:
    """`count` papers with one to three known errors, in the columns of ArxivMathGradingBench.

    Their PDFs begin like real ones, and contain the text for the simulated reader.
    """
    chance = Random(f"papers {seed}")  # noqa: S311 - made-up rows, no secret
    return [_paper(number, chance) for number in range(1, count + 1)]


def results(pdf: str) -> Iterator[tuple[str, str]]:
    """The results of a synthetic PDF: their labels and texts."""
    for found in _RESULT.finditer(pdf):
        yield found["label"], found["text"]


def is_made_up(pdf: bytes) -> bool:
    """Whether a PDF is synthetic: a first line as in every PDF, and then only results."""
    first, *lines, last = f"{pdf.decode('utf-8', 'replace')}\n".split("\n")
    listed = [line for line in lines if line]
    is_ours = bool(listed) and all(map(_RESULT.fullmatch, listed))
    return first.startswith("%PDF-") and not last and is_ours


def write_rows(folder: Path, count: int) -> None:
    """Write both data files, and the PDFs, into a folder."""
    (folder / PDFS).mkdir(parents=True, exist_ok=True)
    listed = papers(count)
    _write(folder / PROOFS, proofs(count))
    _write(folder / PAPERS, [row for row, _ in listed])
    for row, pdf in listed:
        (folder / PDFS / f"{row['arxiv_id']}{row['version']}.pdf").write_bytes(pdf)


def main(argv: Sequence[str] | None = None) -> int:
    """Write synthetic rows and print where."""
    folder, *rest = argv if argv is not None else sys.argv[1:]
    count = int(rest[0]) if rest else 40
    write_rows(Path(folder), count)
    sys.stdout.write(f"{folder}: {count} made-up proofs and papers, for a simulated reader alone\n")
    return 0


def _proof(number: int, chance: Random) -> dict[str, Any]:
    is_clean = chance.random() < _CLEAN
    steps = range(chance.randint(3, 8))
    wrong = [False if is_clean else chance.random() < _SLIPPING for _ in steps]
    if not is_clean and not any(wrong):
        wrong[chance.choice(steps)] = True
    return {
        "unique_id": f"made-up-{number}",
        "question": f"Show that the made-up claim {number} holds.",
        "model_response_by_step": [
            f"Of claim {number}, part {step} follows from what is known{mark}."
            for step, mark in zip(steps, (f" {SLIP}" if bad else "" for bad in wrong), strict=True)
        ],
        "human_labels": [int(not bad) for bad in wrong],
        "human_labels_first_error_idx": wrong.index(True) if any(wrong) else -1,
    }


def _paper(number: int, chance: Random) -> tuple[dict[str, Any], bytes]:
    labels = [f"{chance.choice(_KINDS)} {place}" for place in range(1, chance.randint(5, 12))]
    wrong = sorted(chance.sample(range(len(labels)), k=chance.randint(1, 3)))
    lines = [
        f"% {label}: It holds in paper {number}{f' {SLIP}' if place in wrong else ''}."
        for place, label in enumerate(labels)
    ]
    row = {
        "arxiv_id": f"9901.{number:05}",
        "version": "v1",
        "url": f"https://example.org/abs/9901.{number:05}v1",
        "Location of Error": ", ".join(labels[place] for place in wrong),
        "title_extracted_from_tex": f"Made-up paper {number}",
    }
    return row, ("%PDF-1.7\n" + "\n".join(lines) + "\n").encode()


def _write(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
