"""A referee for tests, and the pair of good bots that must not notice the misfits."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import grpc

from arena.builds.build import read_build
from arena.builds.hosted import HostingTerms
from arena.database.rows import MatchRow
from arena.games import make_game
from arena.match.clock import TimeControl
from arena.records import Allowance, SignUp
from arena.scheduling.ladder import TableType
from arena.server.app.arena import Arena
from arena.server.app.assembly import running_arena
from arena.server.app.referee_settings import RefereeSettings
from arena.server.limits.limits import Limits
from arena.server.play.terms import Patience, Terms
from tests import recorded_matches
from tests.bots import PATIENCE, Peer
from tests.jobs import accept_build, shift_token

CALM = Terms(patience=Patience(join_seconds=5, grace_seconds=0.5))
"""Enough time for good bots, however busy the machine is."""
HASTY = Terms(patience=Patience(join_seconds=1, grace_seconds=0.5))
"""Little time, for tests that wait until it is up; with HASTY_BLUFF."""
BLUFF = TableType("bluff", make_game("bluff", {"dice_per_player": 2}).options, 2)
HASTY_BLUFF = replace(BLUFF, time_control=TimeControl(turn_ms=1_000, bank_ms=1_000))


OUTAGE = {"event": "a test kept the database away", "log_level": "info"}
"""A line that a test writes into its log after an outage, instead of what was logged meanwhile."""


@dataclass
class Scene:
    """A running referee."""

    arena: Arena
    database: str
    tokens: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    log: list[Any] = field(default_factory=list)
    """The operator's log, if the fixture keeps it."""

    @property
    def port(self) -> int:
        return self.arena.port

    @cached_property
    def channel(self) -> grpc.aio.Channel:
        """The connection of calls that need none of their own; `opened` closes it."""
        return grpc.aio.insecure_channel(f"127.0.0.1:{self.port}")

    async def token(self, bot: str, owner: str | None = None) -> str:
        """Return the token of a bot, which is registered at the first call."""
        if bot not in self.tokens:
            _, self.tokens[bot] = await self.arena.store.register(bot, owner or f"owner-of-{bot}")
        return self.tokens[bot]

    async def shift_token(self, bot: str) -> str:
        """Return the token of a shift of a hosted bot, which is uploaded at the first call."""
        store = self.arena.store
        if all(one.bot != bot for one in await store.bots()):
            owner = await store.owners.by_key(await self.key(f"owner-of-{bot}"))
            assert owner is not None
            build = read_build("bot.py", b"pass")
            await store.builds.upload(owner, bot, "", build, HostingTerms(), Allowance(50, 50, 50))
            await accept_build(store, self.database, bot)
        return await shift_token(store, self.database, bot)

    async def key(self, owner: str = "me") -> str:
        """Return the key of an owner, who is signed up at the first call."""
        if owner not in self.keys:
            _, self.keys[owner] = await self.arena.store.owners.sign_up(owner, None)
        return self.keys[owner]

    async def peer(self, bot: str, **hello: Any) -> Peer:
        """A stream of a bot, not greeted yet."""
        return Peer(self.port, await self.token(bot), **hello)

    async def results(self, bot: str) -> list[MatchRow]:
        """The recorded matches of a bot."""
        return await recorded_matches.matches(self.arena.store, bot=bot, limit=100_000)

    async def recorded(self, match_id: str) -> MatchRow:
        """Wait until a match is in the database, and return it."""
        news = asyncio.Event()
        self.arena.writer.listeners.append(news.set)
        async with asyncio.timeout(PATIENCE):
            while (row := await recorded_matches.match(self.arena.store, match_id)) is None:
                await news.wait()
                news.clear()
        return row

    async def faults(self, bot: str) -> int:
        """The faults of a bot in all its recorded matches."""
        return sum(
            seat.faults for row in await self.results(bot) for seat in row.seats if seat.bot == bot
        )


@asynccontextmanager
async def opened(
    database: str,
    *ladders: TableType,
    terms: Terms = CALM,
    hello_seconds: float = PATIENCE,
    limits: Limits = Limits(),
    sign_up: SignUp = SignUp.INVITE,
    socket: Path | None = None,
    port: int = 0,
    hosting: HostingTerms | None = None,
    dashboard_secret: str | None = None,
    identity_provider: tuple[str, str] | None = None,
) -> AsyncIterator[Scene]:
    ladders = ladders or (BLUFF,)
    async with running_arena(
        database,
        RefereeSettings(
            port=port,
            table_types=ladders,
            terms=terms,
            hello_seconds=hello_seconds,
            limits=limits,
            sign_up=sign_up,
            socket=socket,
            hosting=hosting,
            dashboard_secret=dashboard_secret,
            identity_provider=identity_provider,
        ),
    ) as arena:
        scene = Scene(arena, database)
        async with scene.channel:
            yield scene


class Company:
    """Well-behaved bots that play all the time."""

    def __init__(self, peers: Sequence[Peer]) -> None:
        self.peers = peers
        self._news = asyncio.Event()

    async def play(self, peer: Peer) -> None:
        await peer.greet()
        self._news.set()
        while True:
            message = await peer.hear()
            await peer.react(message)
            if message.ends:
                self._news.set()

    async def arrived(self) -> None:
        """Wait until all are welcomed."""
        await self._until(lambda: all(peer.heard for peer in self.peers))

    async def go_on(self, matches: int = 6) -> None:
        """Wait until each has been told of the ends of `matches` more matches."""
        goals = [len(peer.ended) + matches for peer in self.peers]
        pairs = list(zip(self.peers, goals, strict=True))
        await self._until(lambda: all(len(peer.ended) >= goal for peer, goal in pairs))

    async def told_of(self, match_id: str) -> None:
        """Wait until all have been told that a match ended."""
        await self._until(lambda: all(match_id in peer.ended for peer in self.peers))

    async def _until(self, found: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not found():
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def playing(peers: Sequence[Peer]) -> AsyncIterator[Company]:
    """Let bots play until the block is left."""
    company = Company(peers)
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(company.play(peer)) for peer in peers]
        yield company
        for task in running:
            task.cancel()
    for peer in peers:
        await peer.channel.close()


@asynccontextmanager
async def good_pair(scene: Scene, port: int = 0) -> AsyncIterator[Company]:
    """A pair that plays, at the referee's port or another that leads there; at the end it must
    still be playing, without a single fault."""
    names = ("good-one", "good-two")
    peers = [Peer(port or scene.port, await scene.token(name)) for name in names]
    async with playing(peers) as pair:
        await pair.go_on(3)
        yield pair
        await pair.go_on()
        for peer, name in zip(pair.peers, names, strict=True):
            ended = set(peer.ended)
            assert await scene.faults(name) == 0
            assert ended <= {row.match_id for row in await scene.results(name)}
