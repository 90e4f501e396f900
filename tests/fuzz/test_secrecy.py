"""The check of what bots are told notices what it is there for."""

import asyncio
from random import Random

import pytest

from arena.v1 import referee_pb2 as pb
from tests.fuzz.secrecy import assert_told_no_more_than_its_seat_may_know
from tests.fuzz.table import Table


def test_the_view_of_another_seat_and_an_early_event_are_noticed() -> None:
    told: dict[str, dict[str, list[pb.Turn]]] = {}
    with Table(Random(4), asyncio.new_event_loop()).watched() as table:
        assert table.game == "bluff"
        while not table.referee.played:
            table.plays_well()
            for (match_id, bot), turns in table.referee.told.items():
                told.setdefault(match_id, {})[bot] = list(turns)
    transcript = table.referee.world.matches[0].transcript
    one, other, *_ = (
        told[transcript.setup.match_id][seat.bot] for seat in transcript.setup.entrants
    )
    assert_told_no_more_than_its_seat_may_know(transcript, 0, one)
    assert_told_no_more_than_its_seat_may_know(transcript, 1, other)
    with pytest.raises(AssertionError, match="seat 0 was shown"):
        assert_told_no_more_than_its_seat_may_know(transcript, 0, other)
    early = pb.Turn(view=one[0].view, events=[*one[0].events, *one[-1].events])
    with pytest.raises(AssertionError, match="too early"):
        assert_told_no_more_than_its_seat_may_know(transcript, 0, [early])
