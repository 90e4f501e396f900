"""Under full load no answer is called late that was not.

`python -m benchmarks.referee --decisions 100000` plays more.
"""

import asyncio

import pytest

from benchmarks.referee import MOST_RESIDENT_MB, STREAMS, full_load
from benchmarks.referee_load.stage import register

DECISIONS = 10_000


@pytest.mark.slow
@pytest.mark.alone
def test_bots_that_answer_at_once_are_never_late_under_full_load(database: str) -> None:
    tokens = asyncio.run(register(database, STREAMS, "bot"))
    found = full_load(database, tokens, DECISIONS)
    assert found["decisions"] >= DECISIONS
    assert found["refused"] == {}
    assert found["MB"] < MOST_RESIDENT_MB
