"""The roles of Postgres that a server makes besides its own; `roles.sql` says what each may do."""

from typing import Final

READER_ROLE: Final = "arena_reader"
"""The role that sees everything but secrets and the audit, and writes nothing."""
WORKER_ROLE: Final = "arena_worker"
"""The role that sees the queue of shifts alone, and writes it."""
