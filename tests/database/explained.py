"""How Postgres runs statements: which tables it goes through, and how many rows it reads."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import psycopg
from sqlalchemy import Connection, Executable, create_engine, event

from arena.database.reading import Reader
from arena.database.statement import Row


@dataclass
class Plans:
    """The plans of the statements that were run."""

    whole: set[str] = field(default_factory=set)
    """Tables that one of them went through."""
    rows: Counter[str] = field(default_factory=Counter)
    """Rows read by table."""

    def add(self, node: dict[str, Any]) -> None:
        table = node.get("Relation Name")
        if table is not None and "Actual Rows" in node:
            if node["Node Type"] == "Seq Scan":
                self.whole.add(table)
            left = sum(node.get(f"Rows Removed by {why}", 0) for why in ("Filter", "Index Recheck"))
            self.rows[table] += round((node["Actual Rows"] + left) * node["Actual Loops"])
        for below in node.get("Plans", ()):
            self.add(below)

    def read(self, *tables: str) -> int:
        """Rows read of these tables together."""
        return sum(self.rows[table] for table in tables)

    def gone_through(self, *tables: str) -> set[str]:
        """Those of these tables that a statement went through."""
        return self.whole & set(tables)


class Explained:
    """A `ColumnReader`, all of whose statements are also explained."""

    def __init__(self, url: str) -> None:
        self._reader = Reader(url)
        self._writing = create_engine(url)
        self.plans = Plans()
        for engine in (self._reader._engine, self._writing):
            event.listen(engine, "before_cursor_execute", self._explain)

    def __call__(self, statement: Row) -> Sequence[Any]:
        return self._reader(statement)

    def columns(self, statement: Row, row: "np.dtype[np.void]") -> Any:
        return self._reader.columns(statement, row)

    def undone(self, statement: Executable) -> Sequence[Any]:
        """The rows of a statement that writes; what it wrote is taken back."""
        with self._writing.connect() as connection:
            found = connection.execute(statement).all()
            connection.rollback()
        return found

    def _explain(
        self, connection: Connection, _cursor: Any, statement: str, values: Any, *_: Any
    ) -> None:
        if not statement.lstrip().upper().startswith(("SELECT", "UPDATE", "WITH")):
            return
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        explain = f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}".encode()
        ((found,),) = driver.execute(explain, values).fetchall()
        self.plans.add(found[0]["Plan"])
        if not statement.lstrip().upper().startswith("SELECT"):
            driver.rollback()

    def close(self) -> None:
        self._reader.close()
        self._writing.dispose()
