"""What is sent is gathered for a moment that grows with the matches that the bot plays."""

import asyncio

import pytest

from arena.referee.outbox import Outbox


@pytest.mark.parametrize(
    ("matches", "pauses"), [(0, []), (1, []), (2, [0.0001]), (11, [0.001]), (64, [0.004])]
)
async def test_each_match_beyond_the_first_adds_to_the_pause_up_to_a_limit(
    matches: int, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    paused: list[float] = []

    async def sleep(seconds: float) -> None:
        paused.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    outbox = Outbox(lambda: None)
    outbox.matches = matches
    outbox.add(b"one")
    outbox.add(b"two")
    assert await outbox.take() == b"onetwo"
    assert paused == pytest.approx(pauses)
