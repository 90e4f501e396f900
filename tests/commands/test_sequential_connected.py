"""`arena test --connected`: the referee plays until the answer is clear, and then no longer."""

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest

from arena.commands.errors import CommandError
from arena.commands.sequential_test.command import ExitCode
from arena.commands.sequential_test.connected import (
    MOST_AHEAD,
    block_score,
    follow,
    keep_together,
    score_of_test,
    settled,
)
from arena.commands.sequential_test.in_process import SequentialProgress
from arena.database.reading import Reader
from arena.match.score_rule import ScoreRule
from arena.match.transcript import Entrant
from arena.rating.running_sprt import RunningSprt
from arena.rating.sprt import Bounds
from arena.records import Registered, TournamentId, VersionId
from arena.scheduling.formats import FormatName
from arena.server.app.store import Store, open_store
from arena.server.tournaments.tournament import (
    BlockRecord,
    BlockState,
    Entry,
    Rules,
    Tournament,
    TournamentState,
)
from tests.chaos.test_tournaments import Arena, until, void_blocks
from tests.commands import running
from tests.free_port import free_port
from tests.ladder_log import rated_results
from tests.running_tournaments import begun

pytestmark = pytest.mark.slow


@pytest.fixture
def arena(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Arena]:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    with ExitStack() as stack:
        yield Arena(database, tmp_path, stack)


async def _register(store: Store) -> dict[str, str]:
    """Two versions of one owner, who never meet in rated matches: their tokens."""
    return {name: (await store.register(name, "me"))[1] for name in ("bayes", "honest")}


@pytest.mark.system  # starts many programs
async def test_connected_versions_are_tested_in_seat_blocks(read: Reader, arena: Arena) -> None:
    async with open_store(arena.database) as store:
        tokens = await _register(store)
        arena.referee()
        for name, token in tokens.items():
            arena.bot(name, token)
        words = ("test", "bayes", "honest:1", "--connected", "--bounds", "0,150", "--json")
        tested = arena.command(*words)
        assert (tested["state"], tested["blocks"]) == ("accept", "seat")
        assert tested["verdict"].startswith("bayes is better than honest:1: 150 rather than 0")
        tournament = await store.tournaments.named(tested["tournaments"][0])
        assert tournament.state is TournamentState.CANCELLED
        assert not tournament.rules.rated
        blocks = await store.tournaments.blocks(tournament)
        assert len(settled(blocks)) >= tested["matches"] / 2 > 1
        assert rated_results(read, "bluff", {}, [2]) == []


@pytest.mark.system  # chaos
@pytest.mark.timeout(300)  # three referees are started, which takes its time on a busy machine
async def test_a_test_goes_on_after_its_referee_was_killed(arena: Arena) -> None:
    async with open_store(arena.database) as store:
        tokens = await _register(store)
        referee = arena.referee()
        for name, token in tokens.items():
            arena.bot(name, token)
        # Narrow bounds, so that it is not over before a referee is killed.
        words = ("test", "bayes", "honest:1", "--connected", "--bounds", "0,40", "--json")
        testing = asyncio.create_task(asyncio.to_thread(arena.command, *words))
        for blocks in (3, 6):
            await until(store, arena.database, lambda found, _, most=blocks: found.total() >= most)
            assert not testing.done()
            referee.send_signal(signal.SIGKILL)
            referee.wait()
            referee = arena.referee()
        assert (await testing)["state"] == "accept"
    assert void_blocks(arena.database) == 0


@pytest.mark.system  # chaos
@pytest.mark.timeout(300)
async def test_copies_at_any_of_two_referees_are_tested_also_when_the_one_that_conducts_is_killed(
    arena: Arena,
) -> None:
    async with open_store(arena.database) as store:
        tokens = await _register(store)
        conducting = arena.referee()
        arena.port = free_port()
        arena.referee()
        # They know the address of the second alone; it tells them of the first, which conducts.
        for name, token in tokens.items():
            arena.bot(name, token)
        # Narrow bounds, so that it is not over before a referee is killed.
        words = ("test", "bayes", "honest:1", "--connected", "--bounds", "0,40", "--json")
        testing = asyncio.create_task(asyncio.to_thread(arena.command, *words))
        await until(store, arena.database, lambda found, _: found.total() >= 3)
        assert not testing.done()
        conducting.kill()
        conducting.wait()
        assert (await testing)["state"] == "accept"
    assert void_blocks(arena.database) == 0


@pytest.mark.system  # starts many programs
async def test_at_larger_tables_the_same_opponents_meet_each_version_once(
    read: Reader, arena: Arena
) -> None:
    files = {"new": "bayes", "old": "random_bot", "honest": "honest", "timid": "timid"}
    async with open_store(arena.database) as store:
        tokens = {name: (await store.register(name, "me"))[1] for name in files}
        arena.referee()
        for name, token in tokens.items():
            arena.bot(files[name], token)
        words = ("test", "new", "old", "--connected", "--opponents", "honest,timid")
        tested = arena.command(*words, "--bounds", "0,100", "--json")
        assert (tested["state"], tested["opponents"]) == ("accept", ["honest", "timid"])
        counted = sum(score["times"] for score in tested["block_scores"])
        assert tested["matches"] == 6 * counted
        orders, scores = [], []
        for name, version in zip(tested["tournaments"], ("new", "old"), strict=True):
            tournament = await store.tournaments.named(name)
            assert (tournament.state, tournament.rules.rated) == (TournamentState.CANCELLED, False)
            assert [one.registered.entrant.bot for one in tournament.entries] == [
                *(version, "honest", "timid")
            ]
            record = await store.tournaments.record(tournament)
            orders += [pairing.entries for pairing in record.pairings.values()]
            blocks = settled(await store.tournaments.blocks(tournament))
            assert len(blocks) >= counted
            scores.append([block_score(tournament, block) for block in blocks[:counted]])
        # Number 1 is the version: in both it sits between the same opponents.
        assert orders[0] == orders[1] and len(orders) == 2
        both = zip(*scores, strict=True)
        expected = Counter(float(score_of_test(pair)) for pair in both)
        found = {one["score"]: one["times"] for one in tested["block_scores"] if one["times"]}
        assert found == expected
        assert rated_results(read, "bluff", {}, [3]) == []


async def _held(store: Store) -> list[Tournament]:
    """Two that run, each of one table."""
    await _register(store)
    versions = [version.id for version in await store.bots()]
    return [await begun(store, versions, name, blocks=50) for name in ("new", "old")]


async def test_the_table_that_is_ahead_waits_until_the_other_has_come_after(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with open_store(database) as store:
        held = await _held(store)
        paused: set[str] = set()
        ahead, told = MOST_AHEAD + 1, "new is 11 blocks ahead and paused. Is bayes 1 connected?\n"
        for done, state, said in (
            ([MOST_AHEAD, 0], TournamentState.RUNNING, ""),
            ([ahead, 0], TournamentState.PAUSED, told),
            ([ahead, 1], TournamentState.PAUSED, ""),
            ([ahead, ahead], TournamentState.RUNNING, ""),
        ):
            await keep_together(store, held, done, paused)
            found = [(await store.tournaments.named(one.name)).state for one in held]
            assert found == [state, TournamentState.RUNNING]
            assert paused == ({"new"} if state is TournamentState.PAUSED else set())
            assert capsys.readouterr().err == said


async def test_a_table_that_somebody_else_paused_ends_the_test(database: str) -> None:
    async def once() -> AsyncGenerator[None]:
        yield

    async with open_store(database) as store:
        held = await _held(store)
        await store.tournaments.change_state(
            "old", TournamentState.PAUSED, before=[TournamentState.RUNNING]
        )
        running = RunningSprt(Bounds(0, 5), matches_per_block=4)
        with pytest.raises(CommandError, match="old was paused, so the test has ended"):
            await follow(
                store, held, SequentialProgress(running, running.look(), ("new", "old")), once()
            )


@pytest.mark.usefixtures("arena")
def test_who_is_not_registered_cannot_be_tested() -> None:
    result = running.arena("test", "stranger", "honest", "--connected")
    assert result.exit_code == ExitCode.NOT_BETTER + 1 == 2
    assert "arena: stranger is not registered: see `arena bot list --operator`." in result.stderr
    assert "a running referee plays this" not in result.stderr


async def test_a_version_cannot_sit_at_its_own_table_and_nothing_is_left_behind(
    arena: Arena,
) -> None:
    async with open_store(arena.database) as store:
        await _register(store)
        words = ("bayes", "honest", "--connected", "--opponents", "honest")
        result = await running.beside("test", *words)
        assert result.exit_code == 2
        assert "honest 1 is named twice" in result.stderr
        assert await store.tournaments.newest(9) == ([], 0)


def test_blocks_are_taken_in_the_order_begun_up_to_one_that_is_not_over() -> None:
    states = [BlockState.CLOSED, BlockState.VOID, BlockState.CLOSED, BlockState.OPEN]
    states.append(BlockState.CLOSED)  # quicker than the one before: it has to wait
    blocks = [BlockRecord(str(number), (1, 1), state, ()) for number, state in enumerate(states)]
    assert [block.block_id for block in settled(blocks)] == ["0", "2"]


def test_a_block_is_scored_for_the_new_version() -> None:
    entries = tuple(
        Entry(number, Registered(VersionId(10 + number), Entrant(name, "1", "me"), False), None)
        for number, name in ((1, "new"), (2, "old"))
    )
    rules = Rules(
        FormatName.ROUND_ROBIN, "bluff", {}, 2, 5, None, ScoreRule.PLACEMENT, "seed", False
    )
    now = datetime.now(UTC)
    tournament = Tournament(TournamentId(1), "test", rules, TournamentState.RUNNING, entries, now)
    won, tied = {VersionId(12): 2, VersionId(11): 1}, {VersionId(11): 1, VersionId(12): 1}
    block = BlockRecord("b", (1, 1), BlockState.CLOSED, (won, tied))
    assert block_score(tournament, block) == Fraction(3, 4)


def test_a_block_with_each_version_is_scored_by_their_difference() -> None:
    new, old = Fraction(3, 4), Fraction(1, 4)
    assert score_of_test([new]) == new
    assert score_of_test([new, old]) == Fraction(3, 4)
    assert score_of_test([old, new]) == Fraction(1, 4)
    assert score_of_test([old, old]) == Fraction(1, 2)
