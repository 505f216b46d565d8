"""Where a job of GitHub Actions puts things down: files, the page of the job, outputs of a step."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Tray:
    """Where things of a job are put down, and what may be shown."""

    out: Path
    environ: Mapping[str, str]
    is_private: bool

    def file(self, name: str, text: str) -> None:
        """A file for later steps."""
        self.out.mkdir(parents=True, exist_ok=True)
        (self.out / name).write_text(text, encoding="utf-8", errors="replace", newline="\n")

    def summary(self, text: str) -> None:
        """A part of the page that GitHub shows for the job."""
        self._append("GITHUB_STEP_SUMMARY", f"{text}\n")

    def outputs(self, **values: str) -> None:
        """Outputs of the step; none has a line break."""
        self._append("GITHUB_OUTPUT", "".join(f"{key}={value}\n" for key, value in values.items()))

    def _append(self, name: str, text: str) -> None:
        if place := self.environ.get(name):
            with Path(place).open("a", encoding="utf-8", errors="replace", newline="\n") as file:
                file.write(text)
