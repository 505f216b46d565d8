"""Writes the lists of packages that the action installs, with the digest of each file.

.venv/bin/python .github/requirements/generate.py
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXTRAS: dict[str, tuple[str, ...]] = {"structure": (), "proofs": ("llm",), "publish": ("ci",)}
EXTRAS |= {"gate": ("llm", "arxiv")}
EXTRAS |= {"serving": ("bot", "llm", "report")}
"""The extras of the package that each job of the workflow needs, and the App's server."""
BACKEND = "hatchling"
COMMAND = (
    *("uv", "pip", "compile", "pyproject.toml", "-", "-c", "constraints.txt", "--quiet"),
    *("--universal", "--python-version", "3.11", "--generate-hashes", "--no-annotate"),
    *("--no-header", "--no-emit-index-url", "--no-emit-find-links"),
)


def main() -> None:
    """Write all lists."""
    program = Path(sys.executable).with_name("uv")
    for name, extras in EXTRAS.items():
        asked = [word for extra in extras for word in ("--extra", extra)]
        out = HERE / f"{name}.txt"
        subprocess.run(  # noqa: S603 - words of our own
            [str(program), *COMMAND[1:], *asked, "-o", str(out)],
            input=f"{BACKEND}\n",
            text=True,
            check=True,
            cwd=ROOT,
        )


if __name__ == "__main__":
    main()
