"""The standings on the ladder of an event: Elo with 95 % intervals, from deal blocks.

The ratings are those of `arena.rating.ladder`, with blocks as the unit of independent results.
Blocks without any of the builds that play now do not count.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np

from arena.builds.house import HOUSE
from arena.match.seating import moved_on
from arena.match.transcript import Entrant
from arena.rating.ladder import rate
from arena.rating.results import MatchResult, Results
from arena.records import VersionId
from arena.server.events.grades import HouseResult


@dataclass(frozen=True, slots=True)
class LadderPlayer:
    """A build of an entered bot, or a house bot."""

    id: int
    entrant: Entrant
    house: bool


@dataclass(frozen=True, slots=True)
class LadderLine:
    """One line of the standings."""

    player: LadderPlayer
    elo: float
    """Relative to the mean of all that have played."""
    interval: tuple[float, float]
    """The 95 % interval, Elo."""
    rank_low: int
    """1 + the number of shown players that are better at 95 %."""
    rank_high: int
    """The number of shown players minus the number that it is better than at 95 %."""
    matches: int


@dataclass(frozen=True, slots=True)
class LadderMatch:
    """A match of the ladder of an event."""

    match_id: str
    block: int
    """The number of its block; newer ones have greater numbers."""
    ended_at: datetime
    seats: tuple[tuple[LadderPlayer, int], ...]
    """The players and their placings, by seat."""
    kept: bool
    """Whether its transcript is kept."""


class EventBlock(NamedTuple):
    """A block of an event."""

    number: int
    players: Sequence[int]
    """The players by entry, as `seated` expects them."""
    placings: Sequence[int]
    """By match and then by seat; of a block that was cut short, of the matches played."""
    match_ids: Sequence[str]
    ended_at: datetime
    kept: bool = True


def player(row: Any) -> LadderPlayer:
    """Return the player of a row of `player_statements.named_players`."""
    if row.house is None:
        return LadderPlayer(row.id, Entrant(row.bot, row.version, row.owner), house=False)
    return LadderPlayer(row.id, house_entrant(row.house), house=True)


def house_entrant(name: str) -> Entrant:
    """Return a house bot as an entrant. Its version is always 1."""
    return Entrant(name, "1", HOUSE)


def matches_of(
    blocks: Sequence[EventBlock], players: Mapping[int, LadderPlayer]
) -> list[LadderMatch]:
    """Return the matches of blocks, in the order of the blocks."""
    return [
        LadderMatch(
            match_id,
            block.number,
            block.ended_at,
            tuple((players[one], place) for one, place in seats),
            block.kept,
        )
        for block in blocks
        for match_id, seats in zip(
            map(str, block.match_ids), seated(block.players, block.placings), strict=True
        )
    ]


def standings(seats: int, now: Sequence[LadderPlayer], blocks: Sequence[Any]) -> list[LadderLine]:
    """Return the standings of the players `now`, best first; those without a match are left out.

    `blocks` are rows of `ladder_statements.played`.
    """
    if not blocks:
        return []
    found = rate(Results(_results(seats, blocks)))
    index = {bot: at for at, bot in enumerate(found.intervals.fit.bots)}
    shown = [index[one.id] for one in now if one.id in index]
    better = found.intervals.difference_low[np.ix_(shown, shown)] > 0
    worse_than, better_than = better.sum(axis=0).tolist(), better.sum(axis=1).tolist()
    ranks = {
        at: (1 + worse_than[place], len(shown) - better_than[place])
        for place, at in enumerate(shown)
    }
    players = {one.id: one for one in now}
    lines = [
        LadderLine(
            players[one.bot], one.elo, one.interval, *ranks[index[one.bot]], matches=one.matches
        )
        for one in found.ratings
        if one.bot in players
    ]
    return sorted(lines, key=lambda line: -line.elo)


def seated(players: Sequence[int], placings: Sequence[int]) -> list[list[tuple[int, int]]]:
    """Return the players of a block with their placings, by match and seat."""
    seats = len(players)
    return [
        [
            (players[at], placings[match * seats + seat])
            for seat, at in enumerate(moved_on(seats, match))
        ]
        for match in range(len(placings) // seats)
    ]


def met(
    blocks: Sequence[Any], mine: Mapping[int, VersionId], house: Mapping[int, str]
) -> dict[VersionId, dict[str, HouseResult]]:
    """Return the results of versions against house bots, by the bot's name; a tie counts half.

    `mine` and `house` are players by id, `blocks` rows of `ladder_statements.played`.
    """
    matches: Counter[tuple[VersionId, str]] = Counter()
    points: defaultdict[tuple[VersionId, str], float] = defaultdict(float)
    for block in blocks:
        for places in seated(block.players, block.placings):
            for one, place in places:
                for other, theirs in places:
                    if one in mine and other in house:
                        pair = mine[one], house[other]
                        matches[pair] += 1
                        points[pair] += 0.5 * ((place < theirs) + (place <= theirs))
    found: dict[VersionId, dict[str, HouseResult]] = {}
    for (version, name), count in matches.items():
        found.setdefault(version, {})[name] = HouseResult(count, points[version, name])
    return found


def _results(seats: int, blocks: Sequence[Any]) -> Iterator[MatchResult[int]]:
    for block in blocks:
        for match, places in enumerate(seated(block.players, block.placings)):
            yield MatchResult(block.number * seats + match, tuple(places), block.number)
