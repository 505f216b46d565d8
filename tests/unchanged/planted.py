"""A paper looked at by a product in which something small is another: which things differ.

python -m tests.unchanged.planted word|severity PAPER FOLDER

The change is made before anything else of the product is imported, so in a process of its own.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.unchanged import inside

_PLANT = {"word": inside.plant_word, "severity": inside.plant_severity}


def main(argv: Sequence[str]) -> int:
    """Print the names of the things that are not what is on record; the folder must be empty."""
    kind, paper, folder = argv
    _PLANT[kind]()
    from tests.unchanged.papers import folder_things
    from tests.unchanged.recorded import DATA, digest

    known = json.loads((DATA / f"{Path(paper).name}.json").read_text("utf-8"))
    things = folder_things(Path(paper), Path(folder), is_read=False)
    differing = [name for name, text in things if known[name] != digest(text)]
    sys.stdout.write(json.dumps(differing))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
