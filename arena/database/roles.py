"""The roles of Postgres that a server makes besides its own; `roles.sql` grants their rights."""

from typing import Final

READER_ROLE: Final = "arena_reader"
"""The role that reads everything but secrets and the audit, and writes nothing."""
WORKER_ROLE: Final = "arena_worker"
"""The role that reads and writes the queue of shifts, and nothing else."""
