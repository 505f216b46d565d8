"""The demo's paper under a command, in a process of its own: what is entered, what is loaded."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.layout.source import PRODUCT, REPO, Product

_PROFILE = """
import inspect, json, os, sys
folder, packages, script, *argv = json.loads(sys.argv[1])
tops = tuple(os.path.join(folder, name) + os.sep for name in packages)
seen = {}
def note(frame, event, argument):
    code = frame.f_code
    if event == "call" and code not in seen and code.co_filename.startswith(tops):
        seen[code] = None
sys.path.insert(0, folder)
sys.argv = [script, *argv]
module = {"pf": "pfcore.cli.main", "pf-verify": "hooks.offline"}[script]
sys.setprofile(note)
from importlib import import_module
try:
    import_module(module).main(argv)
finally:
    sys.setprofile(None)
IS_FUNCTION = inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS
codes = {
    (os.path.relpath(code.co_filename, folder), code.co_qualname,
     code.co_flags & IS_FUNCTION == IS_FUNCTION and not code.co_name.startswith("<"))
    for code in seen
}
loaded = sorted(
    os.path.relpath(found.__file__, folder)
    for found in list(sys.modules.values())
    if (getattr(found, "__file__", None) or "").startswith(tops)
)
sys.stdout.flush()
sys.stdout = sys.__stdout__
print("\\n" + json.dumps([sorted(codes), loaded]))
"""


class Entered(NamedTuple):
    """How many files (without those that only make packages), code objects, and functions alone.

    A code object is a file and a qualified name. `lines` are those of all files that were loaded.
    """

    files: int
    codes: int
    functions: int
    lines: int


class Demo:
    """The demo's paper in a folder, read by commands with a parse cache of its own."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.paper = folder / "paper"
        self._environment = {
            **os.environ,
            "PF_CACHE_DIR": str(folder / "cache"),
            "PF_JOBS": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self._run("-c", "from pfcore.cli.main import main; main(['demo', 'paper'])", at=folder)

    def edit(self) -> None:
        """Change one line of a proof, and stage it."""
        place = self.paper / "estimates.tex"
        text = place.read_text("utf-8")
        old = "By induction on $n$"
        assert old in text
        place.write_text(text.replace(old, "By an induction on $n$"), encoding="utf-8")
        subprocess.run(["git", "-C", str(self.paper), "add", "--all"], check=True)

    def run(self, product: Product, command: str, *argv: str) -> Entered:
        """Run a command, and see what it enters."""
        given = json.dumps([str(REPO), PRODUCT, command, *argv])
        said = self._run("-c", _PROFILE, given, at=self.paper)
        codes, loaded = json.loads(said.splitlines()[-1])
        files = {path for path, _, _ in codes if not product.files[path].is_marker}
        return Entered(
            files=len(files),
            codes=len(codes),
            functions=sum(is_function for _, _, is_function in codes),
            lines=product.lines(loaded),
        )

    def _run(self, *argv: str, at: Path) -> str:
        command = [sys.executable, *argv]
        done = subprocess.run(
            command, cwd=at, env=self._environment, capture_output=True, text=True, check=False
        )
        assert done.stdout, done.stderr
        return done.stdout
