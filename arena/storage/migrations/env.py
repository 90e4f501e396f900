"""Alembic's entry: migrates over the connection that `arena.storage.schema` hands in."""

from alembic import context

from arena.storage import analysis_tables, hosting_tables  # noqa: F401  the others it stands on
from arena.storage.tournament_tables import tournaments

context.configure(
    connection=context.config.attributes["connection"],
    # All tables: this file of them stands on the other.
    target_metadata=tournaments.metadata,
)
with context.begin_transaction():
    context.run_migrations()
