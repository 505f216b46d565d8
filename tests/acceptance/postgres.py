"""A PostgreSQL server of the tests' own, from Debian's package; skipped where it is absent."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import create_engine, text

_numbers = count()


def _programs() -> Path:
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for place in places:
        if (place / "initdb").exists():
            return place
    pytest.skip("PostgreSQL is absent: there is no initdb")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Path]:
    """A server of its own that listens on a socket in a folder; PostgreSQL refuses to be root."""
    # Not below pytest's folder: each pytest that starts closes that for other users.
    place = TemporaryDirectory(prefix="pf-pg-", ignore_cleanup_errors=True)
    with place as name, running(Path(name)) as folder:
        yield folder


@contextmanager
def running(folder: Path, *, fsync: str = "off") -> Iterator[Path]:
    """A server that keeps its data in an empty folder; with `fsync` off it is quick and forgets."""
    programs = _programs()
    prefix: list[str] = []
    if os.geteuid() == 0:
        if (
            not shutil.which("runuser")
            or subprocess.run(["id", "postgres"], check=False).returncode
        ):
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
        prefix = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres")

    def run(*command: str) -> None:
        subprocess.run([*prefix, *command], check=True, capture_output=True, timeout=120, cwd="/")

    data = folder / "data"
    run(str(programs / "initdb"), "-D", str(data), "-A", "trust", "-U", "pf", "--no-sync")
    options = f"-k {folder} -c listen_addresses='' -c fsync={fsync}"
    run(
        str(programs / "pg_ctl"),
        "-D",
        str(data),
        "-w",
        "-l",
        f"{folder}/log",
        "-o",
        options,
        "start",
    )
    try:
        yield folder
    finally:
        run(str(programs / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop")


def own_schema(folder: Path) -> str:
    """The address of a schema of its own on the server that listens in a folder."""
    name = f"own{next(_numbers)}"
    engine = create_engine(f"postgresql+psycopg://pf@/postgres?host={folder}")
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    engine.dispose()
    return f"postgresql://pf@/postgres?host={folder}&options=-csearch_path%3D{name}"


def own_database(folder: Path) -> str:
    """The address of a database of its own on the server that listens in a folder."""
    name = f"own{next(_numbers)}"
    engine = create_engine(
        f"postgresql+psycopg://pf@/postgres?host={folder}", isolation_level="AUTOCOMMIT"
    )
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return f"postgresql://pf@/{name}?host={folder}"
