"""What all tables are made with: how constraints are named, and the columns that they share."""

from sqlalchemy import TIMESTAMP, Column, MetaData, func

metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pk",
        "fk": "%(table_name)s_%(column_0_name)s_fk",
        "ck": "%(table_name)s_%(constraint_name)s",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ix": "%(table_name)s_%(column_0_N_name)s_ix",
    }
)

NAME = "~ '^[A-Za-z0-9._-]{1,40}$'"
"""Of a check: what names of owners, bots, versions and tournaments are made of."""
Time = TIMESTAMP(timezone=True)


def now(name: str) -> Column[object]:
    """When the row was made."""
    return Column(name, Time, nullable=False, server_default=func.now())
