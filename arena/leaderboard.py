"""The leaderboard as it stands in storage, for a single question; the dashboard keeps its own."""

from collections.abc import Mapping
from typing import Any

from arena.storage.store import Store
from arena.tournament.board import Board, Standing


async def leaderboard(
    store: Store, game: str, options: Mapping[str, Any], seats: int | None
) -> tuple[int, list[Standing]]:
    """The table size and its lines, best first.

    `options` are those that differ from the defaults; without `seats`, the smallest table that was
    played is taken (2 if none was).
    """
    if seats is None:
        played = [
            ladder.seat_count
            for ladder in await store.ladders()
            if ladder.game == game and ladder.options == options
        ]
        seats = min(played, default=2)
    board = Board(game)
    board.extend(await store.rated_results(game, options, [seats]))
    return seats, board.standings(await store.versions())
