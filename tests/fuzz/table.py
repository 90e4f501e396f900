"""A referee in this process without gRPC and database, and bots that do anything at all.

Every method that a bot's whim may call makes one case: one message, one end of a stream, or some
time. After each of them nothing may be wrong: see `_check`.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count, islice
from random import Random
from typing import Any

import grpc
from google.protobuf.message import DecodeError
from structlog.testing import capture_logs

from arena.codec import bot_side
from arena.games import make_game
from arena.match.transcript import Entrant, Transcript
from arena.records import FinishedMatch, Registered, VersionId
from arena.referee.errors import ProtocolError
from arena.referee.lobby import Lobby, Visit
from arena.referee.outbox import Outbox
from arena.v1 import game_pb2
from arena.v1 import referee_pb2 as pb
from tests.fuzz.odd_messages import arbitrary, damaged
from tests.fuzz.secrecy import assert_told_no_more_than_its_seat_may_know
from tests.hosting.arrivals import World, ladder
from tests.hosting.recorders import FakeRecorder

TABLES = (
    ("bluff", 2, {"dice_per_player": 2}),
    ("bluff", 3, {"dice_per_player": 3, "show_and_reroll": True}),
    ("bluff_you", 3, {}),
    ("bloeff", 3, {}),
)
STATUSES = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.ABORTED,
}
"""With which a stream of somebody who holds a token may end; never with INTERNAL."""
MOST_LINES = 8


class Line:
    """One stream of a bot, from its first message to its end."""

    def __init__(self, table: "Table", bot: Registered, instance: str) -> None:
        self.table, self.bot, self.instance = table, bot, instance
        self.outbox = _Box(self)
        self.visit: Visit | None = None
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
            if self.visit is not None:
                self.visit.session.handle(request)
            elif request.HasField("hello"):
                self.visit = self.table.lobby.enter(self.bot, request.hello, self.outbox, self.end)
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
            self.table.statuses[error.code.name] += 1
            assert error.code in STATUSES
            assert len(error.sentence) < 500
        if self.visit is not None:
            self.table.soon(lambda: self.leave(goodbye=error is None))

    def leave(self, *, goodbye: bool) -> None:
        self.ended = True
        if self.visit is not None:
            self.visit.leave(goodbye=goodbye)

    def heard(self, part: bytes) -> None:
        """Some bytes reach the bot."""
        table = self.table
        for secret in table.secrets:
            assert secret not in part, "the secret of a match that is not recorded"
        response = pb.PlayResponse.FromString(part)
        self.joined.update(resume.offer.match_id for resume in response.resumes)
        for offer in [*response.offers, *(resume.offer for resume in response.resumes)]:
            self.offers[offer.match_id] = bot_side.read_offer(offer)
        for turn in response.turns:
            self.turns[turn.match_id] = turn
            table.told.setdefault((turn.match_id, self.bot.entrant.bot), []).append(turn)
        for refusal in response.refusals:
            assert refusal.kind != 0
            assert refusal.reason
            table.faults[refusal.kind] += 1
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
        super().__init__(lambda: None)
        self._line = line

    def add(self, part: bytes) -> None:
        self._line.heard(part)


@dataclass
class _Recorder(FakeRecorder):
    secrets: set[bytes] = field(default_factory=set)
    """Of all matches that are not recorded."""

    async def record(self, matches: Sequence[FinishedMatch]) -> None:
        await super().record(matches)
        for match in matches:
            self.secrets.discard(match.transcript.opening.secret)


class Table:
    """The referee, its bots and their streams. All that happens follows from `random`."""

    def __init__(self, random: Random, loop: asyncio.AbstractEventLoop) -> None:
        self.random, self._loop = random, loop
        game, seats, options = random.choice(TABLES)
        self.game, self.statuses, self.faults = game, Counter[str](), Counter[int]()
        recorder = _Recorder()
        self.secrets = recorder.secrets
        self.world = World(ladder(seats, game, **options), recorder=recorder)
        self.world.secrets = self._new_secrets()  # type: ignore[assignment]  # numbers, as before
        self.lobby = Lobby(self.world.director, bytes(32))
        self.told: dict[tuple[str, str], list[pb.Turn]] = {}
        """All turns by match and bot."""
        self.lines: list[Line] = []
        self.played = 0
        self._last = b""
        self._bots = [
            Registered(VersionId(number), Entrant(f"bot{number}", "1", f"owner{number}"), False)
            for number in range(1, seats + 2)
        ]
        self._logs: list[Any] = []

    def _new_secrets(self) -> Iterator[int]:
        for number in count():
            # Never the same twice, and never zeros, whatever the source of chance gives.
            secret = sha256(b"%d %s" % (number, self.random.randbytes(8))).digest()
            self.secrets.add(secret)
            yield int.from_bytes(secret, "big")

    @contextmanager
    def watched(self) -> Iterator["Table"]:
        """Keeps the log while the block runs; it must hold no error."""
        with capture_logs() as self._logs:
            for bot in self._bots:
                self._open(bot, "")
            yield self
            self.world.director.break_off("the test is over")
            self._check()

    # What bots may do. Each is one case.

    def plays_well(self) -> None:
        """Joins and answers whatever is open, as a bot should."""
        asked = [line for line in self.lines if line.asked and not line.ended]
        line = self.random.choice(asked) if asked else self._line()
        request = pb.PlayRequest()
        for match_id in [match_id for match_id in line.offers if match_id not in line.joined]:
            request.joins.add(match_id=match_id, entropy=self.random.randbytes(16))
        line.joined.update(line.offers)
        for match_id, turn in line.turns.items():
            request.answers.append(self._answer(line, match_id, turn))
        line.turns.clear()
        self._send(line, request.SerializeToString())

    def plays_oddly(self) -> None:
        """Joins, declines and answers with something wrong in it."""
        line, random = self._line(), self.random
        request = pb.PlayRequest()
        known = [*line.offers, *line.turns, "no such match"]
        for _ in range(random.randint(1, 4)):
            match_id = random.choice(known)
            match random.randint(0, 5):
                case 0:
                    size = random.choice((8, 16, 64) * 5 + (0, 7, 65))
                    request.joins.add(match_id=match_id, entropy=random.randbytes(size))
                case 1:
                    request.declines.add(match_id=match_id)
                case _:
                    turn = line.turns.get(match_id, pb.Turn(match_id=match_id))
                    answer = request.answers.add(match_id=match_id)
                    number = turn.turn_number + random.choice((0, 0, 0, 0, -1, 1, 2**30))
                    answer.turn_number = min(number, 2**31 - 1)
                    self._odd_action(answer.action)
        self._send(line, request.SerializeToString())

    def sends_anything(self) -> None:
        """A message with arbitrary content in all fields."""
        request = pb.PlayRequest()
        arbitrary(self.random, request)
        if self.random.random() < 0.8:  # else mostly one that ends the stream
            request.ClearField("hello")
            request.ClearField("joins")
        self._send(self._line(), request.SerializeToString())

    def sends_bytes(self) -> None:
        """Arbitrary bytes, or a message that was sent before with some damage."""
        fresh = self.random.random() < 0.2 or not self._last
        size = self.random.randint(0, 40)
        data = self.random.randbytes(size) if fresh else damaged(self.random, self._last)
        self._send(self._line(), data)

    def repeats(self) -> None:
        """A message that was sent before, perhaps by another bot."""
        self._send(self._line(), self._last)

    def arrives(self) -> None:
        """A stream more: of an instance that is there already, perhaps, or with an odd hello."""
        if len(self.lines) >= MOST_LINES:
            self._line().end(None)
        random = self.random
        bot, instance = random.choice(self._bots), random.choice(("", "", "", "second", "x" * 41))
        if random.random() < 0.8:
            self._open(bot, instance)
        else:
            self.lines.append(Line(self, bot, instance))
            hello = pb.PlayRequest()
            arbitrary(random, hello.hello)
            self._send(self.lines[-1], hello.SerializeToString())
        self._check()

    def leaves(self) -> None:
        """A stream is closed politely, or is cut."""
        line = self._line()
        if line.visit is not None and self.random.random() < 0.5:
            line.visit.offer_nothing_more()
        if self.random.random() < 0.5 or line.visit is None:
            line.end(None)
        else:
            line.leave(goodbye=False)
        self._check()

    def waits(self) -> None:
        """Time passes: sometimes enough to be late, or gone for good."""
        self.world.timer.turn(self.random.choice((0.0, 0.05, 0.05, 0.5, 0.5, 2.5, 6.0, 20.0)))
        self._check()

    def soon(self, call: Callable[[], None]) -> None:
        """Make a call after the current one, as the tasks of a stream do."""
        self.world.timer.call_at(self.world.timer.now(), call)

    def _open(self, bot: Registered, instance: str) -> Line:
        line = Line(self, bot, instance)
        self.lines.append(line)
        hello = pb.Hello(
            protocol_version=1,
            games=[self.game],
            max_matches=self.random.randint(1, 3),
            instance=instance,
        )
        line.send(pb.PlayRequest(hello=hello).SerializeToString())
        return line

    def _line(self) -> Line:
        """A stream of some bot, opened now if that bot has none."""
        self.lines = [line for line in self.lines if not line.ended]
        bot = self.random.choice(self._bots)
        open_lines = [line for line in self.lines if line.bot is bot]
        if not open_lines:
            open_lines = [self._open(bot, "")]
        return self.random.choice(open_lines)

    def _send(self, line: Line, data: bytes) -> None:
        self._last = data
        line.send(data)
        self._check()

    def _answer(self, line: Line, match_id: str, turn: pb.Turn) -> pb.Answer:
        offer = line.offers[match_id]
        view = bot_side.read_view(offer.setup.game, turn.view, offer.seat)
        choices = list(islice(make_game(self.game, offer.setup.options).choices(view), 12))
        answer = pb.Answer(match_id=match_id, turn_number=turn.turn_number)
        bot_side.write_action(self.game, self.random.choice(choices), answer.action)
        return answer

    def _odd_action(self, action: game_pb2.Action) -> None:
        match self.random.randint(0, 3):
            case 0:
                arbitrary(self.random, getattr(action, self.game), 2)
            case 1:
                arbitrary(self.random, action, 2)
            case _:
                name = self.random.choice([f.name for f in action.DESCRIPTOR.fields])
                getattr(action, name).SetInParent()

    # What must be so after every case.

    def _check(self) -> None:
        self.world.timer.turn(0)
        if self.world.journal.waiting:
            known = len(self.world.matches)
            self._loop.run_until_complete(self._record())
            for match in self.world.matches[known:]:
                self._check_match(match.transcript)
        wrong = [line for line in self._logs if line["log_level"] in ("error", "critical")]
        assert wrong == []
        self._logs.clear()

    async def _record(self) -> None:
        await self.world.settle()
        while len(asyncio.all_tasks()) > 1:  # noqa: ASYNC110  # the one that wrote is cancelled
            await asyncio.sleep(0)

    def _check_match(self, transcript: Transcript) -> None:
        self.played += 1
        for seat, entrant in enumerate(transcript.setup.entrants):
            turns = self.told.pop((transcript.setup.match_id, entrant.bot), [])
            assert_told_no_more_than_its_seat_may_know(transcript, seat, turns)


WHIMS: tuple[tuple[Callable[[Table], None], int], ...] = (
    (Table.plays_well, 40),
    (Table.plays_oddly, 6),
    (Table.sends_anything, 3),
    (Table.sends_bytes, 1),
    (Table.repeats, 1),
    (Table.arrives, 1),
    (Table.leaves, 1),
    (Table.waits, 4),
)
"""What a bot may do, and how often it does."""
