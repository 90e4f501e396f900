"""What comes next in a tournament of hundreds of bots, at a cost that its size does not raise."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from arena.commands.tournaments.in_process import tournament_of
from arena.local.deal_blocks import NamedBot
from arena.match.score_rule import ScoreRule
from arena.records import TournamentBlock
from arena.scheduling.formats import FormatName
from arena.server.ladder.agenda import EngagementEnd
from arena.server.tournaments.running import RunningTournament
from arena.server.tournaments.tournament import (
    BlockRecord,
    BlockState,
    Rules,
    TournamentRecord,
    TournamentState,
)

BOTS = 300


class Free(set[int]):
    """Versions that count how often a pairing is compared with them."""

    def __init__(self, versions: Iterable[int]) -> None:
        super().__init__(versions)
        self.asked = 0

    def issuperset(self, bots: Iterable[object]) -> bool:
        self.asked += 1
        return super().issuperset(bots)


@pytest.fixture
def running() -> RunningTournament:
    """A round robin, of which all 44,850 pairings are open."""
    rules = Rules(
        FormatName.ROUND_ROBIN, "bluff", {}, 2, 1, None, ScoreRule.PLACEMENT, "x", rated=False
    )
    entries = [NamedBot(f"bot{number}", "honest") for number in range(BOTS)]
    found = RunningTournament(TournamentRecord(tournament_of(entries, rules)))
    pairings = found.tournament.plan.next_pairings(BOTS, found.played())
    assert pairings is not None and len(pairings) == BOTS * (BOTS - 1) // 2
    found.add_pairings(pairings)
    return found


def versions(running: RunningTournament, entries: Iterable[int]) -> list[int]:
    return [running.tournament.version(entry) for entry in entries]


def opened(running: RunningTournament, free: set[int]) -> TournamentBlock:
    found = running.next_engagement(free)
    assert found is not None and found[1] is not None
    return found[1]


def closed(running: RunningTournament, block: TournamentBlock, state: BlockState) -> None:
    """Storage says what became of a block."""
    running.settle([BlockRecord(block.block.id, block.pairing, state, ())])


def test_all_its_pairings_begin_once_the_earliest_first(running: RunningTournament) -> None:
    everybody = set(versions(running, range(1, BOTS + 1)))
    first = [opened(running, everybody).pairing for _ in range(BOTS)]
    assert first == sorted(first) and len(set(first)) == BOTS


def test_a_bot_is_wanted_as_long_as_a_block_of_its_waits(running: RunningTournament) -> None:
    everybody = set(versions(running, range(1, BOTS + 1)))
    first, other = versions(running, [1, 2])
    assert set(running.wanted) == everybody
    for number in range(2, BOTS + 1):
        *_, begun = versions(running, [1, number])
        engagement = running.next_engagement({first, begun})
        assert engagement is not None
        if begun == other:
            interrupted = engagement[0]
    assert set(running.wanted) == everybody - {first}
    running.ended(interrupted, EngagementEnd.INTERRUPTED)
    assert set(running.wanted) == everybody


def test_few_that_have_met_are_not_compared_with_all_pairings(running: RunningTournament) -> None:
    some = versions(running, range(1, 11))
    for _ in range(10 * 9 // 2):
        opened(running, set(some))
    free = Free(some)
    assert running.next_engagement(free) is None
    assert free.asked <= 10 * BOTS
    again = Free(some)
    assert running.next_engagement(again) is None
    assert again.asked == 0
    # One more is free, and only it is looked at.
    more = Free([*some, *versions(running, [11])])
    assert running.next_engagement(more) is not None
    assert more.asked <= BOTS


def test_a_void_block_is_played_again_by_those_that_waited_in_vain(
    running: RunningTournament,
) -> None:
    pair = set(versions(running, [1, 2]))
    block = opened(running, pair)
    assert running.next_engagement(pair) is None
    closed(running, block, BlockState.VOID)
    assert opened(running, pair).pairing == block.pairing


def test_the_ladder_leaves_alone_who_can_begin_and_nobody_else(running: RunningTournament) -> None:
    some = versions(running, [1, 2, 3])
    assert running.held({*some[:2], -1}) == set(some[:2])
    present = Free(versions(running, range(1, BOTS + 1)))
    assert running.held(present) == set(present)
    assert present.asked == BOTS
    # Nobody came or went, and nothing began or ended.
    assert running.held(present) == set(present)
    assert present.asked == BOTS
    begun = running.next_engagement(set(some[:2]))
    assert begun is not None
    assert running.held(set(some[:2])) == set()
    running.ended(begun[0], EngagementEnd.INTERRUPTED)
    assert running.held(set(some[:2])) == set(some[:2])
    assert running.held(set(some[:1])) == set()


@pytest.mark.parametrize(
    ("format_name", "questions"),
    [(FormatName.ROUND_ROBIN, 3), (FormatName.SWISS, 7), (FormatName.KNOCKOUT, 12)],
)
def test_pairings_are_asked_for_when_there_may_be_some(
    format_name: FormatName, questions: int
) -> None:
    rules = Rules(format_name, "bluff", {}, 2, 1, None, ScoreRule.PLACEMENT, "x", rated=False)
    entries = [NamedBot(f"bot{number}", "honest") for number in range(8)]
    found = RunningTournament(TournamentRecord(tournament_of(entries, rules)))
    everybody = set(versions(found, range(1, 9)))
    asked = 0
    while True:
        while found.due:
            found.due, asked = False, asked + 1
            added = found.tournament.plan.next_pairings(8, found.played())
            if added is None:
                # Not for each of 28, 12 or 7 results: after what was added and when all of it is
                # decided, and in a bracket for each pairing.
                assert asked == questions
                return
            if added:
                found.add_pairings(added)
        block = opened(found, everybody)
        seated = [found.tournament.version(one) for one in block_entries(found, block)]
        placings = {version: place for place, version in enumerate(seated, start=1)}
        found.settle(
            [BlockRecord(block.block.id, block.pairing, BlockState.CLOSED, (placings,) * 2)]
        )


def block_entries(found: RunningTournament, block: TournamentBlock) -> tuple[int, ...]:
    return next(
        one.pairing.entries
        for one in found.played()
        if (one.pairing.round, one.pairing.table) == block.pairing
    )


@pytest.mark.slow
def test_a_tournament_that_is_as_it_was_is_not_gone_through_again(
    running: RunningTournament,
) -> None:
    running.due = False
    assert running.update(replace(running.tournament)) == []
    assert not running.due
    running.update(replace(running.tournament, state=TournamentState.PAUSED))
    assert running.due


@pytest.mark.slow
def test_who_is_waited_for_is_known_by_its_entries(running: RunningTournament) -> None:
    here = set(versions(running, range(4, BOTS + 1)))
    assert running.missing(here) == {1, 2, 3}
    first, second, third = versions(running, [1, 2, 3])
    for other in range(2, BOTS + 1):
        opened(running, {first, *versions(running, [other])})
    assert running.missing(here) == {2, 3}, "the first has begun all of its blocks"
    assert running.missing(here | {second, third}) == set()
