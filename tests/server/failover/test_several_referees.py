"""What several referees on one database have in common, as bots see it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    suppress,
)

import grpc
import pytest
from sqlalchemy import text

from arena.bot.address import Address
from arena.clients.spectating import SpectatorClient
from arena.commands.sequential_test.connected import conduct_connected
from arena.commands.sequential_test.in_process import SequentialProgress
from arena.database.async_engine import async_engine
from arena.database.errors import AddressesTakenError, NoAddressError, TournamentStateError
from arena.games import make_game
from arena.match.score_rule import ScoreRule
from arena.rating.sprt import Bounds
from arena.records import VersionId
from arena.server.app.arena import Arena
from arena.server.app.assembly import running_arena
from arena.server.app.referee_settings import RefereeSettings
from arena.server.app.store import Store
from arena.server.failover.lease import held_lease
from arena.server.failover.spreading import FULL
from arena.server.tournaments.tournament import BlockState, TournamentState
from arena.v1 import owner_pb2, referee_pb2
from arena.v1.owner_pb2_grpc import OwnerServiceStub
from tests.bots import PATIENCE, Peer
from tests.scene import BLUFF
from tests.service_calls import bearing


def referee(database: str, spread_load: float = FULL) -> AbstractAsyncContextManager[Arena]:
    settings = RefereeSettings(
        table_types=[BLUFF],
        public_addresses=lambda port: [f"127.0.0.1:{port}"],
        spread_load=spread_load,
    )
    return running_arena(database, settings)


@pytest.fixture
async def two(database: str) -> AsyncIterator[list[Arena]]:
    """Two referees on one database."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(referee(database)) for _ in range(2)]


@pytest.mark.slow
async def test_the_first_words_tell_a_bot_where_it_is_and_where_the_others_are(
    two: list[Arena],
) -> None:
    _, token = await two[0].store.register("fox", "me")
    addresses = [f"127.0.0.1:{arena.port}" for arena in two]
    for arena, own in zip(two, addresses, strict=True):
        await arena.store.lease.look()
        async with Peer(arena.port, token) as peer:
            welcome = await peer.greet()
            assert welcome.address == own
            assert list(welcome.referees.addresses) == addresses
    assert [arena.store.lease.stands_by for arena in two] == [False, True]


async def told_in_use(peer: Peer, number: int) -> None:
    """Wait until a bot is told that it plays at so many referees."""
    async with asyncio.timeout(PATIENCE):
        while (await peer.hear()).referees.in_use != number:
            pass


async def test_bots_are_told_to_play_at_both_referees_when_the_first_is_busy(
    database: str,
) -> None:
    async with AsyncExitStack() as stack:
        busy = await stack.enter_async_context(referee(database, spread_load=1e-9))
        _, token = await busy.store.register("fox", "me")
        peer = await stack.enter_async_context(Peer(busy.port, token))
        assert (await peer.greet()).referees.in_use == 1
        other = await stack.enter_async_context(referee(database))
        await told_in_use(peer, 2)

        async def both_play() -> bool:
            return not (busy.store.lease.stands_by or other.store.lease.stands_by)

        await until(both_play)


@pytest.mark.slow
async def test_a_bot_of_one_address_at_a_referee_that_stands_by_is_met_there_by_the_others(
    two: list[Arena], monkeypatch: pytest.MonkeyPatch
) -> None:
    for one in two:  # a busy machine would put the second in use as well
        one.store.lease.load = lambda: 0.0
    async with AsyncExitStack() as stack:

        async def come(name: str, *arenas: Arena) -> list[Peer]:
            _, token = await arenas[0].store.register(name, name)
            peers = [await stack.enter_async_context(Peer(one.port, token)) for one in arenas]
            for peer in peers:
                assert (await peer.greet()).referees.in_use == 1
            return peers

        everywhere = await come("everywhere", *two)

        async def known() -> bool:
            bots = [VersionId(1), VersionId(2)]
            seen = [await one.store.presence_elsewhere(bots) for one in two]
            return [len(copies) for copies in seen] == [1] * len(everywhere)

        await until(known)  # a bot that is known at one referee yet would bind it
        monkeypatch.setattr("arena.server.failover.lease.BOUND_SECONDS", 0.0)
        await two[0].store.lease.look()
        await two[0].store.lease.look()
        assert two[0].store.lease.spreading.in_use == 1
        await come("here-alone", two[1])
        for peer in everywhere:
            await told_in_use(peer, 2)


async def test_a_bot_that_says_it_has_no_places_is_connected_and_offered_nothing_until_it_has(
    two: list[Arena],
) -> None:
    async with AsyncExitStack() as stack:
        peers = []
        for name, places in (("none", -1), ("some", 1)):
            _, token = await two[0].store.register(name, name)
            peer = await stack.enter_async_context(Peer(two[0].port, token, max_matches=places))
            welcome = await peer.greet()
            assert welcome.max_matches == max(0, places)
            peers.append(peer)
        assert two[0].connected == 2
        assert two[0].director.running == 0
        await peers[0].say(places=referee_pb2.Places(max_matches=1))
        async with asyncio.timeout(PATIENCE):
            while not (await peers[0].hear()).offers:
                pass


async def test_each_of_several_takes_an_address_that_no_other_has(
    database: str, two: list[Arena]
) -> None:
    free = ["one:1", "two:2", "three:3"]
    leases = [arena.store.lease for arena in two]
    for lease in leases:
        await lease.announce(*free[:2])
    assert [lease.address for lease in leases] == free[:2]
    assert leases[1].addresses == ("one:1", "two:2")
    engine = async_engine(database)
    async with held_lease(engine) as third:
        with pytest.raises(AddressesTakenError, match="one:1 to two:2"):
            await third.announce(*free[:2])
        await third.announce(*free)
        assert third.address == "three:3"
    await engine.dispose()
    # The one address of a referee is its own, whoever has had it.
    await leases[1].announce("one:1")
    assert leases[1].address == "one:1"


def without_address(database: str) -> AbstractAsyncContextManager[Arena]:
    return running_arena(database, RefereeSettings())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        (referee, without_address, "set ARENA_PUBLIC_ADDRESS"),
        (without_address, without_address, "set ARENA_PUBLIC_ADDRESS"),
        (without_address, referee, "start it again with ARENA_PUBLIC_ADDRESS"),
    ],
)
async def test_of_several_referees_each_tells_bots_where_it_is_or_does_not_start(
    database: str,
    first: Callable[[str], AbstractAsyncContextManager[Arena]],
    second: Callable[[str], AbstractAsyncContextManager[Arena]],
    sentence: str,
) -> None:
    async with first(database) as running:
        with pytest.raises(ExceptionGroup) as raised:
            async with second(database):
                pass
        (error,) = raised.value.exceptions
        assert isinstance(error, NoAddressError)
        assert sentence in str(error)
        await running.store.lease.look()
        assert running.store.lease.senior


@pytest.mark.system  # chaos
@pytest.mark.slow
async def test_a_referee_without_address_waits_until_one_that_was_killed_is_taken_over(
    database: str,
) -> None:
    engine = async_engine(database)
    async with engine.begin() as connection:
        # On another machine, where nobody here sees it end.
        await connection.execute(text("INSERT INTO leases (process) VALUES ('elsewhere 1')"))
    await engine.dispose()
    async with without_address(database) as arena:
        assert arena.store.lease.running == {arena.store.lease.epoch}


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ("rotate_token", grpc.StatusCode.UNAUTHENTICATED),
        ("retire", grpc.StatusCode.PERMISSION_DENIED),
    ],
)
async def test_a_token_that_is_replaced_and_a_version_that_is_retired_end_the_streams_everywhere(
    two: list[Arena], change: str, status: grpc.StatusCode
) -> None:
    async with AsyncExitStack() as stack:
        _, token = await two[0].store.register("former", "me")
        peers = []
        for arena in two:
            peer = await stack.enter_async_context(Peer(arena.port, token))
            await peer.greet()
            peers.append(peer)
        await getattr(two[0].store, change)("former")
        for peer in peers:
            async with asyncio.timeout(PATIENCE):
                code, _ = await peer.status()
            assert code is status


class Copies:
    """Copies of bots, each of which keeps its one stream."""

    def __init__(self, tokens: dict[str, str], tasks: asyncio.TaskGroup) -> None:
        self.tokens = tokens
        self.tasks = tasks
        self.running: list[asyncio.Task[None]] = []

    async def come(self, bot: str, arena: Arena, instance: str = "") -> None:
        peer = Peer(arena.port, self.tokens[bot], instance=instance)
        await peer.greet()
        self.running.append(self.tasks.create_task(self._play(peer)))

    async def _play(self, peer: Peer) -> None:
        async with peer:
            with suppress(EOFError, grpc.aio.AioRpcError):  # its referee stops
                await peer.play()


@asynccontextmanager
async def copies(store: Store) -> AsyncIterator[Copies]:
    """Of two bots of one owner, who never meet in rated matches."""
    tokens = {name: (await store.register(name, "me"))[1] for name in ("new", "old")}
    async with asyncio.TaskGroup() as tasks:
        found = Copies(tokens, tasks)
        yield found
        for task in found.running:
            task.cancel()


async def seen(arena: Arena, key: str) -> dict[str, tuple[int, int]]:
    """By bot, how many copies of it are connected, and how many matches they play."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{arena.port}") as channel:
        call = OwnerServiceStub(channel).ListOwnBots  # type: ignore[no-untyped-call]
        answer = await call(owner_pb2.ListOwnBotsRequest(), metadata=bearing(key))
    versions = {bot.name: bot.versions[0] for bot in answer.bots}
    return {name: (one.connected, one.playing) for name, one in versions.items()}


async def until(found: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await found():  # noqa: ASYNC110  only the database knows
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_an_owner_and_spectators_are_told_of_bots_at_all_referees(two: list[Arena]) -> None:
    _, key = await two[0].store.owners.sign_up("me", None)
    everywhere = {"new": (2, 0), "old": (1, 0)}
    async with copies(two[0].store) as bots:
        await bots.come("new", two[0], "left")
        await bots.come("new", two[0], "both")
        await bots.come("new", two[1], "both")
        await bots.come("old", two[1])
        for arena in two:
            spectator = SpectatorClient(Address(f"127.0.0.1:{arena.port}"))

            async def told(arena: Arena = arena, client: SpectatorClient = spectator) -> bool:
                activity = await asyncio.to_thread(client.activity)
                return await seen(arena, key) == everywhere and activity.connected_bots == 3

            await until(told)
        bots.running[-1].cancel()

        async def gone() -> bool:
            return (await seen(two[0], key))["old"] == (0, 0)

        await until(gone)


@asynccontextmanager
async def conducted(store: Store) -> AsyncIterator["asyncio.Task[SequentialProgress]"]:
    """A test of the connected bots new and old. It is cancelled at the end: its thread would go on,
    and the event loop wait for it."""
    testing = asyncio.create_task(
        asyncio.to_thread(
            conduct_connected,
            *(make_game("bluff", {"dice_per_player": 2}), "new", "old"),
            Bounds(0.0, 0.1),  # so close together that it plays all its blocks
            *(ScoreRule.PLACEMENT, "seed", 1_000),
        )
    )
    try:
        yield testing
    finally:
        for test in (await store.tournaments.newest(1))[0]:
            with suppress(TournamentStateError):  # it may be over
                await store.tournaments.change_state(test.name, TournamentState.CANCELLED)
        await testing


@pytest.mark.system  # chaos
@pytest.mark.slow
async def test_a_sequential_test_is_played_where_copies_of_its_bots_meet(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    async with AsyncExitStack() as stack:
        senior = await stack.enter_async_context(referee(database))
        second = await stack.enter_async_context(AsyncExitStack())
        junior = await second.enter_async_context(referee(database))
        store = senior.store
        engine = async_engine(database)
        stack.push_async_callback(engine.dispose)
        epochs = [senior.store.lease.epoch, junior.store.lease.epoch]
        async with copies(store) as bots:
            await bots.come("new", senior, "left")
            await bots.come("new", junior, "right")
            await bots.come("old", junior, "right")
            testing = await stack.enter_async_context(conducted(store))

            async def blocks(of: int) -> int:
                (test,), _ = await store.tournaments.newest(2)
                rows = await store.tournaments.blocks(test)
                done = [one.block_id for one in rows if one.state is BlockState.CLOSED]
                async with engine.connect() as connection:
                    statement = text(
                        "SELECT count(*) FROM blocks WHERE epoch = :of AND id = ANY(:ids)"
                    )
                    found = await connection.scalar(statement, {"of": of, "ids": done})
                return int(found or 0)

            async def played_at_the_second() -> bool:
                return (await store.tournaments.newest(1))[1] == 1 and await blocks(epochs[1]) >= 2

            await until(played_at_the_second)
            assert await blocks(epochs[0]) == 0
            # Its conductor stops, and the bots that were there come to the other.
            await second.aclose()
            await bots.come("old", senior, "left")
            progress = await testing
            assert not progress.interrupted
            assert await blocks(epochs[0]) > 0
