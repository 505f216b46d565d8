"""The store in a database that machines share; what is kept is what the server sent."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pfcore.domain.errors import UsageError
from pfcore.domain.installation import install_command
from pfcore.llm.protocol import Reply, TokenUsage
from pfcore.llm.store import statements
from pfcore.llm.store.leases import TABLE, KeyLeases, Step, Values
from pfcore.llm.store.reply_store import Clock, StoredReplies, StoreError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


class SqlStore:
    """A database by its URL, shared by machines."""

    def __init__(self, url: str, clock: Clock) -> None:
        self._clock = clock
        self._engine = _engine(url)
        for table in (statements.REPLIES, statements.CHARGES, TABLE):
            self._create(table)

    def get(self, key: str) -> Reply | None:
        """The reply to an action, if it is known."""
        rows = self._run(statements.GET, {"key": key})
        return statements.reply_of(rows[0]) if rows else None

    def put(self, key: str, stage: str, reply: Reply) -> None:
        """Keep a reply for good; the first one for a key stays."""
        self._run(statements.PUT, statements.row_of(key, stage, reply, self._clock()))

    def require_writable(self) -> None:
        """StoreError where no reply could be kept; none is."""
        self._run(
            statements.PUT, statements.row_of("", "", statements.NO_REPLY, 0.0), is_trial=True
        )

    def used(self, since: float) -> TokenUsage:
        """The tokens of all replies kept since a moment."""
        row = self._run(statements.SINCE, {"since": since})[0]
        return TokenUsage(input=int(row[0]), cached=int(row[1]), output=int(row[2]))

    def charge(self, model: str, cost: float) -> None:
        """Note what a call cost."""
        self._run(statements.CHARGE, {"made": self._clock(), "model": model, "cost": cost})

    def spent(self, since: float) -> float:
        """The dollars of all calls since a moment."""
        return float(self._run(statements.SPENT, {"since": since})[0][0])

    def held(self) -> list[StoredReplies]:
        """What is kept, by models."""
        return [statements.held_of(row) for row in self._run(statements.HELD, {})]

    def erase(self) -> int:
        """Forget everything; how many replies that were."""
        count = int(self._run("SELECT COUNT(*) FROM replies", {})[0][0])
        self._run("DELETE FROM replies", {})
        self._run("DELETE FROM claims", {})
        return count

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def claims(self) -> KeyLeases:
        """What one more reader claims."""
        return KeyLeases(self, self._clock)

    def change(self, *steps: Step) -> int:
        """Carry out all steps or none; how many rows the last one has changed."""
        from sqlalchemy import text

        with self._connected() as connection:
            return [
                int(connection.execute(text(statement), [dict(item) for item in values]).rowcount)
                for statement, values in steps
            ][-1]

    def rows(self, query: str, values: Values) -> list[Any]:
        """The rows that a query finds."""
        return self._run(query, dict(values))

    def _create(self, table: str) -> None:
        """Create a table; of two that do so at once, PostgreSQL may refuse one."""
        try:
            self._run(table, {})
        except StoreError:
            self._run(table, {})

    def _run(self, query: str, values: dict[str, Any], *, is_trial: bool = False) -> list[Any]:
        from sqlalchemy import text

        with self._connected() as connection:
            found = connection.execute(text(query), values)
            if is_trial:
                connection.rollback()
                return []
            return list(found) if found.returns_rows else []

    @contextmanager
    def _connected(self) -> "Iterator[Connection]":
        """A transaction; StoreError where it fails."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            # The driver's own words may quote the URL, which holds a password.
            name = type(error).__name__
            raise StoreError(f"the store's database did not answer ({name})") from None


def _engine(url: str) -> "Engine":
    try:
        from sqlalchemy import create_engine
        from sqlalchemy.exc import SQLAlchemyError
    except ImportError as error:
        raise UsageError(f"a store by URL needs SQLAlchemy: {install_command('bot')}") from error
    try:
        return create_engine(url, pool_pre_ping=True)
    except (SQLAlchemyError, ImportError) as error:
        name = type(error).__name__
        raise UsageError(f"the store's URL cannot be used ({name})") from None
