"""The schema of the first release; its SQL is in `first_release`, by the files of the tables.

Its number is that of the last of the 49 migrations that it replaces: a database that had all of
them is at it already.
"""

from pathlib import Path

from alembic import op

revision = "0049"
down_revision = None
branch_labels = None
depends_on = None

_FOLDER = Path(__file__).parents[1]
# Each file needs some of those before it.
_FILES = (
    *("append_only", "reader", "owners", "bots", "matches", "tournaments", "uploads"),
    *("events", "event_freezes", "event_privacy", "notices", "running", "analyses", "notes"),
    *("boards", "policy", "signing"),
)
_QUEUE = "procrastinate"


def upgrade() -> None:
    """Make everything, and procrastinate's queue in a schema of its own."""
    for name in _FILES:
        _run(f"first_release/{name}.sql")
    (path,) = op.get_bind().exec_driver_sql("SHOW search_path").one()
    op.execute(f"CREATE SCHEMA {_QUEUE}")
    op.execute(f"SET LOCAL search_path = {_QUEUE}")
    _run("procrastinate_3_10.sql")
    op.execute(f"SET LOCAL search_path = {path}")
    _run("first_release/queue_rights.sql")


def _run(file: str) -> None:
    """Run the statements of a file as they are: a colon or a percent sign is no parameter."""
    statements = (_FOLDER / file).read_text()
    op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})
