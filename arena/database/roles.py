"""The Postgres roles with fewer rights than the database's owner; `roles.sql` grants them."""

from typing import Final

READER_ROLE: Final = "arena_reader"
"""The role that can read everything except secrets and the audit, and can write nothing."""
WORKER_ROLE: Final = "arena_worker"
"""The role that can read and write the queue of shifts, and nothing else."""
