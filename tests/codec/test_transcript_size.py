"""A match takes little room, in every game and at every size of table."""

import pytest

from arena.codec.transcript import to_bytes
from arena.database.transcripts import packer
from arena.games import GAMES, make_game
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot

FEW_SEATS, MANY_SEATS = 1_000, 3_000
"""Bytes as stored: the budget of two seats, and of the most."""


@pytest.mark.parametrize("name", GAMES)
def test_a_stored_transcript_is_small(name: str) -> None:
    game, pack = make_game(name), packer()
    for seats, budget in ((game.seat_counts[0], FEW_SEATS), (game.seat_counts[-1], MANY_SEATS)):
        contenders = [Contender(str(seat), load_bot("random")) for seat in range(seats)]
        for played in play_series(game, contenders, 20, "sizes"):
            assert len(pack(to_bytes(played.transcript)).data) <= budget
