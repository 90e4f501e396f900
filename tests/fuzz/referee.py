"""A referee in this process without gRPC and database, and the streams of its bots.

What reaches a bot is looked at byte by byte, and everything else after every case: see `check`.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from random import Random
from typing import Any
from uuid import UUID

import grpc
from google.protobuf.message import DecodeError
from structlog.testing import capture_logs

from arena.codec import bot_side
from arena.match.transcript import Transcript
from arena.records import FinishedMatch, Registered, UntoldEnd
from arena.scheduling.ladder import TableType
from arena.server.play.compiled import CompiledGame
from arena.server.play.lobby import Lobby
from arena.server.play.missed_ends import MissedEnds
from arena.server.play.outbox import Outbox
from arena.server.play.session import Session
from arena.server.requests.errors import ProtocolError
from arena.v1 import referee_pb2 as pb
from tests.fuzz.secrecy import assert_told_no_more_than_its_seat_may_know
from tests.server.ladder.arrivals import World
from tests.server.ladder.recorders import FakeRecorder

STATUSES = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.ABORTED,
}
"""With which a stream of somebody who holds a token may end; never with INTERNAL."""


class Line:
    """One stream of a bot, from its first message to its end."""

    def __init__(self, referee: "Referee", bot: Registered, instance: str) -> None:
        self.referee, self.bot, self.instance = referee, bot, instance
        self.outbox = _Box(self)
        self.session: Session | None = None
        self.ended = False
        self.offers: dict[str, bot_side.Offered] = {}
        self.joined: set[str] = set()
        self.turns: dict[str, pb.Turn] = {}

    def send(self, data: bytes) -> None:
        """What the referee does with the bytes of one message."""
        try:
            try:
                request = pb.PlayRequest.FromString(data)
            except DecodeError:
                self.end(ProtocolError(grpc.StatusCode.INVALID_ARGUMENT, "no PlayRequest"))
                return
            if self.session is not None:
                self.session.hear(data)
            elif request.HasField("hello"):
                self.referee.entered = True
                self.session = self.referee.lobby.enter(
                    self.bot, request.hello, self.outbox, self.end
                )
            else:
                self.end(ProtocolError(grpc.StatusCode.INVALID_ARGUMENT, "no hello"))
        except ProtocolError as error:
            self.end(error)

    def end(self, error: ProtocolError | None) -> None:
        """End the stream: for an error, or because the bot closed it."""
        if self.ended:
            return
        self.ended = True
        if error is not None:
            self.referee.statuses[error.code.name] += 1
            assert error.code in STATUSES
            assert len(error.sentence) < 500
        if self.session is not None:
            self.referee.soon(lambda: self.leave(goodbye=error is None))

    def leave(self, *, goodbye: bool) -> None:
        self.ended = True
        if self.session is not None:
            self.referee.lobby.leave(self.session, self.outbox, goodbye=goodbye)

    def heard(self, part: bytes) -> None:
        """Some bytes reach the bot."""
        referee = self.referee
        referee.heard.append((f"{self.bot.entrant.bot} {self.instance}", part))
        for secret in referee.secrets:
            assert secret not in part, "the secret of a match that is not recorded"
        response = pb.PlayResponse.FromString(part)
        self.joined.update(resume.offer.match_id for resume in response.resumes)
        for offer in [*response.offers, *(resume.offer for resume in response.resumes)]:
            self.offers[offer.match_id] = bot_side.read_offer(offer)
        for turn in response.turns:
            self.turns[turn.match_id] = turn
            referee.told.setdefault((turn.match_id, self.bot.entrant.bot), []).append(turn)
        for refusal in response.refusals:
            assert refusal.kind != 0
            assert refusal.reason
            referee.faults[refusal.kind] += 1
        for withdrawal in response.withdrawals:
            assert withdrawal.reason
            self.forget(withdrawal.match_id)
        for end in response.ends:
            self.forget(end.match_id)

    @property
    def asked(self) -> bool:
        """Whether an offer or a turn waits for the bot."""
        return bool(self.turns) or any(match_id not in self.joined for match_id in self.offers)

    def forget(self, match_id: str) -> None:
        self.offers.pop(match_id, None)
        self.turns.pop(match_id, None)


class _Box(Outbox):
    """Delivers at once: nothing waits to travel together."""

    def __init__(self, line: Line) -> None:
        super().__init__(overflow=lambda: None, ready=lambda: None)
        self._line = line

    def add(self, part: bytes) -> None:
        self._line.heard(part)

    def close(self) -> None:
        super().close()
        self._line.end(None)


@dataclass
class _Recorder(FakeRecorder):
    secrets: set[bytes] = field(default_factory=set)
    """Of all matches that are not recorded."""

    async def record(self, matches: Sequence[FinishedMatch], kept: Collection[str] = ()) -> None:
        await super().record(matches, kept)
        for match in matches:
            self.secrets.discard(match.transcript.opening.secret)


class _Ends:
    """An EndStore in lists."""

    def __init__(self, recorder: FakeRecorder) -> None:
        self._recorder = recorder
        self._untold: list[UntoldEnd] = []

    async def untold_ends(self) -> Sequence[UntoldEnd]:
        return self._untold

    async def add_untold(self, ends: Sequence[UntoldEnd]) -> None:
        self._untold += ends

    async def remove_untold(self, ends: Sequence[UntoldEnd]) -> None:
        self._untold = [end for end in self._untold if end not in ends]

    async def transcript(self, match_id: str) -> Transcript | None:
        matches = (match.transcript for match in self._recorder.matches)
        return next((found for found in matches if found.setup.match_id == match_id), None)


class Referee:
    """The referee, and what it told whom."""

    def __init__(
        self,
        table_type: TableType,
        random: Random,
        loop: asyncio.AbstractEventLoop,
        compiled: Mapping[str, CompiledGame],
    ) -> None:
        self._random, self._loop = random, loop
        self.statuses, self.faults = Counter[str](), Counter[int]()
        recorder = _Recorder()
        self.secrets = recorder.secrets
        ids = (str(UUID(int=number)) for number in count())
        self.world = World(
            table_type, recorder=recorder, compiled=compiled, new_id=lambda: next(ids)
        )
        self.world.secrets = self._new_secrets()  # type: ignore[assignment]  # numbers, as before
        self._missed = MissedEnds(_Ends(recorder))
        self.lobby = Lobby(self.world.director, bytes(32), self._missed, self.world.compiled)
        self.entered = False
        """Whether a bot was welcomed, and may have missed an end."""
        self.told: dict[tuple[str, str], list[pb.Turn]] = {}
        """All turns by match and bot, of matches that are not recorded."""
        self.heard: list[tuple[str, bytes]] = []
        """Everything that was told to bots and spectators, in order."""
        self.played = 0
        self._logs: list[Any] = []

    def _new_secrets(self) -> Iterator[int]:
        for number in count():
            # Never the same twice, and never zeros, whatever the source of chance gives.
            secret = sha256(b"%d %s" % (number, self._random.randbytes(8))).digest()
            self.secrets.add(secret)
            yield int.from_bytes(secret, "big")

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Keeps the log while the block runs; it must hold no error."""
        with capture_logs() as self._logs:
            yield
            self.world.director.suspend()
            self.check()

    def soon(self, call: Callable[[], None]) -> None:
        """Make a call after the current one, as the tasks of a stream do."""
        self.world.timer.call_at(self.world.timer.now(), call)

    def check(self) -> None:
        """Let everything happen that is due, and see that nothing is wrong."""
        self.world.timer.turn(0)
        if self.world.writer.waiting or self.entered:
            self.entered = False
            known = len(self.world.matches)
            self._loop.run_until_complete(self._record())
            for match in self.world.matches[known:]:
                self._check_match(match.transcript)
        wrong = [line for line in self._logs if line["log_level"] in ("error", "critical")]
        assert not wrong, wrong
        self._logs.clear()

    async def _record(self) -> None:
        telling = asyncio.create_task(self._missed.run())
        await self.world.settle()
        await self._missed.settled()
        telling.cancel()
        while len(asyncio.all_tasks()) > 1:  # noqa: ASYNC110  # those that wrote are cancelled
            await asyncio.sleep(0)

    def _check_match(self, transcript: Transcript) -> None:
        self.played += 1
        for seat, entrant in enumerate(transcript.setup.entrants):
            turns = self.told.pop((transcript.setup.match_id, entrant.bot), [])
            assert_told_no_more_than_its_seat_may_know(transcript, seat, turns)
