"""Bots that arrive at a director, each with its habits, in a world whose time is turned by hand."""

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from types import MappingProxyType
from typing import Any

from arena.codec.transcript import to_bytes
from arena.games import make_game
from arena.identifiers import new_id
from arena.match.flow import OpenTurn
from arena.match.transcript import Entrant, Transcript
from arena.records import FinishedMatch, Registered, VersionId
from arena.scheduling.ladder import MeetingCounts, TableType
from arena.server.failover.result_writer import ResultWriter
from arena.server.ladder.director import Director
from arena.server.play.compiled import CompiledGame, CompiledRules
from arena.server.play.hosted_match import HostedMatch
from arena.server.play.kept_blocks import KeptBlock
from arena.server.play.ports import ChallengePolicy, Host
from arena.server.play.terms import Terms
from tests.bots import PATIENCE
from tests.fakes import FakePlayer, HandTimer
from tests.server.ladder.recorders import FakeRecorder

SMALL = {"dice_per_player": 1, "start_mode": "seat"}


def ladder(seats: int = 2, game: str = "bluff", **options: Any) -> TableType:
    if game == "bluff":
        options = SMALL | options
    return TableType(game, make_game(game, options).options, seats)


class Habit(Enum):
    PLAYS = "plays"
    NEVER_JOINS = "lets offers pass, but sends other messages"
    FROZEN = "sends nothing"
    DECLINES = "declines"
    SILENT = "joins and never answers"


@dataclass(eq=False)
class Guest:
    """A Participant."""

    world: "World"
    registered: Registered
    games: frozenset[str]
    max_matches: int
    habit: Habit = Habit.PLAYS
    think_seconds: float = 0.02
    instance: str = ""
    challenges: ChallengePolicy = ChallengePolicy.OWN
    has_drained: bool = False
    players: list["_HabitualPlayer"] = field(default_factory=list)
    say_something: Callable[[], None] = lambda: None
    """Lets a message of it come."""

    def player(self) -> "_HabitualPlayer":
        player = _HabitualPlayer(self)
        self.players.append(player)
        return player

    def drained(self) -> None:
        self.has_drained = True

    def when_heard(self, call: Callable[[], None]) -> None:
        if self.habit is not Habit.FROZEN:
            self.world.timer.call_at(self.world.timer.now() + self.think_seconds, call)
        self.say_something = call

    @property
    def offered(self) -> int:
        return len(self.players)

    @property
    def playing(self) -> int:
        """Matches offered or running."""
        return sum(not player.over for player in self.players)


class _HabitualPlayer(FakePlayer):
    def __init__(self, guest: Guest) -> None:
        super().__init__()
        self.guest = guest
        self.away = False

    @property
    def over(self) -> bool:
        """Whether the match is over, though perhaps not yet recorded and told."""
        assert isinstance(self.host, HostedMatch)
        return self.told_over > 0 or self.host.transcript is not None

    def offer(self, host: Host, seat: int, commitment: bytes, join_ms: int) -> None:
        super().offer(host, seat, commitment, join_ms)
        match self.guest.habit:
            case Habit.PLAYS | Habit.SILENT:
                self._soon(self.join)
            case Habit.DECLINES:
                self._soon(lambda: host.decline(seat))
            case Habit.NEVER_JOINS | Habit.FROZEN:
                pass

    def resume(
        self, host: Host, seat: int, commitment: bytes, join_ms: int, entropy: bytes
    ) -> bool:
        self.away = True
        return super().resume(host, seat, commitment, join_ms, entropy)

    def ask(self, turn: OpenTurn, turn_ms: int, bank_ms: int) -> None:
        super().ask(turn, turn_ms, bank_ms)
        if not self.away:
            self.go_on()

    def come_back(self) -> None:
        """The bot is connected again."""
        self.away = False
        assert self.host is not None
        self.host.returned(self.seat)
        if self.turns:
            self.go_on()

    def go_on(self) -> None:
        if self.guest.habit not in (Habit.SILENT, Habit.FROZEN):
            self._soon(self.act)

    def _soon(self, call: Callable[[], Any]) -> None:
        timer = self.guest.world.timer
        timer.call_at(timer.now() + self.guest.think_seconds, call)


class World:
    """A director with all it needs."""

    def __init__(
        self,
        *ladders: TableType,
        terms: Terms | None = None,
        counts: MeetingCounts | None = None,
        recorder: FakeRecorder | None = None,
        write_down: Callable[[Transcript], bytes] = to_bytes,
        compiled: Mapping[str, CompiledGame] = MappingProxyType({}),
        new_id: Callable[[], str] = new_id,
    ) -> None:
        self.timer = HandTimer()
        self.compiled = CompiledRules(self.timer.now, compiled)
        self.wall = datetime(2026, 5, 1, 12, tzinfo=UTC)
        """What the wall clock shows at the beginning; a test may move it at any time."""
        self.recorder = recorder or FakeRecorder()
        self.writer = ResultWriter(self.recorder)
        self.secrets = itertools.count(1)
        self.write_down = write_down
        self.director = Director(
            ladders or (ladder(),),
            counts or MeetingCounts(),
            self.writer,
            self.timer,
            lambda: next(self.secrets).to_bytes(32, "big"),
            lambda transcript: self.write_down(transcript),
            terms or Terms(),
            lambda: self.wall + timedelta(seconds=self.timer.now()),
            compiled=self.compiled,
            new_id=new_id,
        )
        self._versions = itertools.count(1)

    def arrive(
        self,
        name: str,
        *,
        owner: str | None = None,
        house: bool = False,
        games: Sequence[str] = ("bluff",),
        max_matches: int = 1,
        habit: Habit = Habit.PLAYS,
        think_seconds: float = 0.02,
        challenges: ChallengePolicy = ChallengePolicy.OWN,
        pace: int | None = None,
        on_ladder: bool = True,
    ) -> Guest:
        entrant = Entrant(name, "1", owner or f"owner of {name}")
        version = VersionId(next(self._versions))
        registered = Registered(version, entrant, house, pace, ladder=on_ladder)
        guest = Guest(self, registered, frozenset(games), max_matches, habit, think_seconds)
        guest.challenges = challenges
        self.director.arrive(guest)
        return guest

    def come_back(self, *guests: Guest) -> None:
        """Bots that sat in an earlier referee's matches connect again."""
        for guest in guests:
            self.director.arrive(guest)
            for player in guest.players:
                if player.away:
                    player.come_back()

    def take_over(self, earlier: "World") -> dict[str, Guest]:
        """Go on with what an earlier director left, none of whose bots is here yet; by name."""
        return self.take_over_these(earlier.recorder.left())

    def take_over_these(self, left: Sequence[KeptBlock]) -> dict[str, Guest]:
        guests: dict[str, Guest] = {}
        for kept in left:
            for place in kept.running.places:
                name = place.registered.entrant.bot
                if name not in guests:
                    games = frozenset([kept.running.game])
                    guests[name] = Guest(self, place.registered, games, 16)
            names = [place.registered.entrant.bot for place in kept.running.places]
            self.director.adopt(kept, [guests[name] for name in names])
        return guests

    async def turn(self, seconds: float, step: float = 0.25) -> None:
        """Let time pass, and results be recorded."""
        until = self.timer.now() + seconds
        with self._writing():
            while self.timer.now() < until:
                self.timer.turn(min(step, until - self.timer.now()))
                await self.settle()

    async def settle(self) -> None:
        """Let results be recorded, and what waits for that happen, without time passing."""
        with self._writing():
            async with asyncio.timeout(PATIENCE):
                await self.writer.settled()
        self.timer.turn(0)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        task = asyncio.get_running_loop().create_task(self.writer.run())
        try:
            yield
        finally:
            task.cancel()

    @property
    def matches(self) -> list[FinishedMatch]:
        """What was recorded."""
        return self.recorder.matches

    def bots(self, match: FinishedMatch) -> tuple[str, ...]:
        """Who sat in a match, by seat."""
        return tuple(entrant.bot for entrant in match.transcript.setup.entrants)

    def played(self) -> Counter[str]:
        """Matches by bot."""
        return Counter(bot for match in self.matches for bot in self.bots(match))

    def met(self) -> Counter[tuple[str, str]]:
        """Matches by pair."""
        return Counter(
            pair
            for match in self.matches
            for pair in itertools.combinations(sorted(self.bots(match)), 2)
        )

    def blocks(self) -> list[list[FinishedMatch]]:
        """The recorded matches by block, in the order in which the blocks began to be recorded."""
        found: dict[str, list[FinishedMatch]] = {}
        for match in self.matches:
            found.setdefault(match.block.id, []).append(match)
        return list(found.values())
