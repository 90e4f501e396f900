"""What a bot that connects costs while many blocks of an earlier referee wait for theirs."""

from types import SimpleNamespace
from typing import Any

from arena.scheduling.ladder import MeetingCounts
from arena.scheduling.strengths import Strengths
from arena.server.ladder.ladder_tables import LadderTables
from arena.server.ladder.roster import Roster
from arena.server.ladder.running_blocks import RunningBlocks
from tests.server.ladder.arrivals import World, ladder


class Adopted(SimpleNamespace):
    """A block, as far as it is asked here."""

    __hash__ = object.__hash__


def test_a_bot_that_is_back_is_told_to_its_own_blocks_alone() -> None:
    world, roster, counts = World(), Roster(), MeetingCounts()
    tables = LadderTables([ladder()], counts, Strengths(), 1.0)
    blocks = RunningBlocks(roster, tables, counts, world.timer)
    bots = [roster.expect(world.arrive(f"bot{number}")) for number in range(100)]
    told: list[tuple[int, str]] = []

    def adopted(number: int) -> Any:
        pair = [bots[2 * number], bots[2 * number + 1]]
        return Adopted(
            bots=pair,
            candidates=[bot.candidate for bot in pair],
            left=[1],
            block=SimpleNamespace(size=2),
            of_ladder=False,
            challenge=None,
            returned=lambda bot: told.append((number, bot.name)),
        )

    waiting = [adopted(number) for number in range(50)]
    for one in waiting:
        blocks.adopt(one)
    blocks.returned(bots[20])
    assert told == [(10, "bot20")]
    blocks.end(waiting[10])
    blocks.returned(bots[20])
    blocks.returned(bots[99])
    assert told == [(10, "bot20"), (49, "bot99")]
