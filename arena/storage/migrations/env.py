"""Alembic's entry: migrates over the connection that `arena.storage.schema` hands in."""

from alembic import context

from arena.storage.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
