"""Stores on a database of the test's own."""

from tests.stores import owner, referee, sql, store, versions, worker

__all__ = ["owner", "referee", "sql", "store", "versions", "worker"]
