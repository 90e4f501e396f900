"""Shared column definitions, name checks and naming conventions of constraints."""

from sqlalchemy import TIMESTAMP, Column, MetaData, Text, func

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
"""SQL of a check constraint: the form of names of versions and tournaments."""
ANY_NAME = "char_length(name) BETWEEN 1 AND 40 AND name = btrim(name)"
"""SQL of a check constraint: the part of the rules for names in any script that SQL can check."""
FOLDED = Text(collation="C")
"""The type of the key by which a name is found.

It is compared by code points, so that an index supports searches by prefix in a database of any
collation.
"""
Time = TIMESTAMP(timezone=True)


def now(name: str) -> Column[object]:
    """Return a column for the time at which the row was added."""
    return Column(name, Time, nullable=False, server_default=func.now())
