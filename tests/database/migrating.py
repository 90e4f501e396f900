"""Migrations by Alembic itself, also to a schema of an earlier release."""

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine


def migrations() -> Config:
    config = Config()
    config.set_main_option("script_location", "arena:database/migrations")
    return config


def migrate_to(url: str, revision: str) -> None:
    """Apply the migrations that are missing up to `revision`."""
    engine = create_engine(url)
    with engine.begin() as connection:
        config = migrations()
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    engine.dispose()
