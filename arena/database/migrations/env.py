"""Alembic's entry, which migrates over the connection that `arena.database.schema` hands in."""

from alembic import context

from arena.database.tables import analyses as analysis_tables  # noqa: F401  the others it stands on
from arena.database.tables import notices as notice_tables  # noqa: F401  the others it stands on
from arena.database.tables.tournaments import tournaments

context.configure(
    connection=context.config.attributes["connection"],
    # All tables: these files of them stand on the others.
    target_metadata=tournaments.metadata,
)
with context.begin_transaction():
    context.run_migrations()
