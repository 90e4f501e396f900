"""Options of the chaos tests: `pytest tests/chaos --rounds 200 --chaos-report FILE`."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.conftest import home
from tests.several_referees import Referees

__all__ = ["home"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rounds", type=int, help="disturbances; by default each kind once")
    parser.addoption("--chaos-seed", type=int, default=1, help="whom they meet")
    parser.addoption(
        "--chaos-only", action="append", metavar="KIND", help="one of the disturbances; repeatable"
    )
    parser.addoption("--chaos-report", type=Path, help="write a line of JSON for each round there")


@pytest.fixture
def referees(home: Path, database: str) -> Iterator[Referees]:
    with contextlib.ExitStack() as stack:
        yield Referees(home, database, stack)
