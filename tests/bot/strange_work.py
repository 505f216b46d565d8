"""Things that a stranger's paper might make a process do."""

import os
import signal
import time
from pathlib import Path

from pfcore.domain.errors import ShallowError, UsageError


def echo(text, times=1):
    return text * times


def refuse(text):
    raise UsageError(text)


def give_up(text):
    raise ShallowError(text, revision="x")


def stumble(text):
    raise KeyError(text)


def die():
    os._exit(9)


def be_killed():
    os.kill(os.getpid(), signal.SIGKILL)


def eat():
    return str(len(bytearray(1 << 40)))


def run_out():
    raise MemoryError


def sleep_on(path):
    if os.fork() == 0:
        with Path(path).open("w") as file:
            file.write(str(os.getpid()))
            file.flush()
            time.sleep(600)
    time.sleep(600)
