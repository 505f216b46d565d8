"""How long a report takes to open and to print in Chromium, which must be installed.

Called as `python -m pfcore.bench.speed.page_times REPORT.html…`, preferably with `nice -n -19` on a
shared machine: the larger of clock and processor time is then about what an idle one would take.
The browser is started before a page is opened, as an author's would be. An empty page shows the
cost of the browser itself.
"""

import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_TICKS = os.sysconf("SC_CLK_TCK")
_FLAGS = ("--headless", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe")
_READ, _WRITE, _ABOVE = 3, 4, 10
_END = b"\0"
_CHUNK = 1 << 20
# Two frames after everything is loaded: from then on the page responds.
_USABLE = """new Promise(done => {
  const frames = () => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() =>
    done([performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? performance.now(),
      performance.now()]))));
  document.readyState === "complete" ? frames() : addEventListener("load", frames);
})"""


class PageTimes(NamedTuple):
    """Seconds until something is visible, until the page is usable, and until it is printed.

    `opening` and `printing` are processor seconds of all the browser's processes.
    """

    seen: float
    usable: float
    printed: float
    opening: float
    printing: float

    def __str__(self) -> str:
        return (
            f"seen in {self.seen:.1f} s, usable in {self.usable:.1f} s "
            f"({self.opening:.1f} s of processors), prints in {self.printed:.1f} s "
            f"({self.printing:.1f} s)"
        )


def processor_ticks(stat: str) -> tuple[int, int]:
    """The parent of a process and its processor ticks, from its line in /proc."""
    fields = stat[stat.rindex(")") + 2 :].split()
    return int(fields[1]), int(fields[11]) + int(fields[12])


def used_seconds(root: int) -> float:
    """The processor seconds used by a process and its running descendants."""
    parents: dict[int, tuple[int, int]] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(place.parent.name)] = processor_ticks(place.read_text("utf-8", "replace"))
        except (OSError, ValueError):  # it has just ended
            continue
    total = 0
    for process, (_, ticks) in parents.items():
        above = process
        while above not in (root, 0) and above in parents:
            above = parents[above][0]
        total += ticks if above == root else 0
    return total / _TICKS


class BrowserPipe:
    """A browser tab controlled by the debugging protocol over two pipes."""

    def __init__(self, process: int, requests: IO[bytes], replies: IO[bytes]) -> None:
        self.process = process
        self._requests, self._replies = requests, replies
        self._number = 0
        self._session: str | None = None
        self._rest = b""

    def opened(self) -> Self:
        """This connection with a new tab."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        return self

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The browser's answer; RuntimeError if it refuses, EOFError if it ends."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        self._requests.write(json.dumps(message).encode() + _END)
        self._requests.flush()
        while True:
            reply = self._message()
            if reply.get("id") == self._number:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                return dict(reply["result"])

    def _message(self) -> dict[str, Any]:
        while _END not in self._rest:
            more = os.read(self._replies.fileno(), _CHUNK)
            if not more:
                raise EOFError("the browser has ended")
            self._rest += more
        one, self._rest = self._rest.split(_END, 1)
        return dict(json.loads(one))


@contextmanager
def browser(program: str) -> Iterator[BrowserPipe]:
    """A headless browser; it reads requests from descriptor 3 and answers on 4.

    It ends when the requests end.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        flags = [*_FLAGS, f"--user-data-dir={folder}"]
        flags += ["--no-sandbox"] if os.geteuid() == 0 else []
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        import fcntl  # imported late: not available on Windows

        moved = [fcntl.fcntl(one, fcntl.F_DUPFD, _ABOVE) for one in (theirs_in, theirs_out)]
        actions = [
            (os.POSIX_SPAWN_DUP2, moved[0], _READ),
            (os.POSIX_SPAWN_DUP2, moved[1], _WRITE),
            *((os.POSIX_SPAWN_CLOSE, one) for one in moved),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        process = os.posix_spawn(program, [program, *flags], os.environ, file_actions=actions)
        stack.callback(os.waitpid, process, 0)
        for descriptor in (theirs_in, theirs_out, *moved):
            os.close(descriptor)
        replies = stack.enter_context(os.fdopen(ours_in, "rb"))
        requests = stack.enter_context(os.fdopen(ours_out, "wb"))
        yield BrowserPipe(process, requests, replies).opened()


def measured(pipe: BrowserPipe, address: str) -> PageTimes:
    """Open a page in the tab of a browser, and print it."""
    before = used_seconds(pipe.process)
    start = time.monotonic()
    pipe.ask("Page.navigate", url=address)
    value = pipe.ask("Runtime.evaluate", expression=_USABLE, awaitPromise=True, returnByValue=True)[
        "result"
    ]["value"]
    usable = time.monotonic() - start
    opened = used_seconds(pipe.process)
    start = time.monotonic()
    pipe.ask("Page.printToPDF", transferMode="ReturnAsStream", generateTaggedPDF=True)
    return PageTimes(
        value[0] / 1000,
        usable,
        time.monotonic() - start,
        opened - before,
        used_seconds(pipe.process) - opened,
    )


def counts(text: str) -> str:
    """The size of a report, in words."""
    entries, formulas = text.count("<article "), text.count("<math ")
    nodes = len(re.findall(r"<[a-zA-Z]", text))
    return (
        f"{entries:,} entries, {formulas:,} formulas, {nodes:,} elements, {len(text) / 1e6:.1f} MB"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each report; 2 if there is no Chromium."""
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None:
        sys.stderr.write("no Chromium found: apt-get install chromium\n")
        return 2
    sys.stdout.write(f"an empty page: {_times(program, 'about:blank')}\n")
    for name in sys.argv[1:] if argv is None else argv:
        page = Path(name).resolve()
        size = counts(page.read_text("utf-8"))
        sys.stdout.write(f"{page.name}: {size}; {_times(program, page.as_uri())}\n")
    return 0


def _times(program: str, address: str) -> PageTimes:
    with browser(program) as pipe:
        return measured(pipe, address)


if __name__ == "__main__":
    sys.exit(main())
