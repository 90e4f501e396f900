"""A table at which bots do anything at all.

Every method that is a bot's whim makes one case: one message, one end of a stream, or some time.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from random import Random
from typing import Any, TypeAlias

from arena.codec import bot_side
from arena.games import make_game
from arena.match.transcript import Entrant
from arena.records import Registered, VersionId
from arena.server.play.compiled import CompiledGame, installed_games
from arena.v1 import game_pb2
from arena.v1 import referee_pb2 as pb
from tests.fuzz.odd_messages import arbitrary, damaged
from tests.fuzz.referee import Line, Referee
from tests.server.ladder.arrivals import ladder

Terms: TypeAlias = tuple[str, int, dict[str, Any]]
"""A game, the number of its seats, and its options."""

TABLES: tuple[Terms, ...] = (
    ("bluff", 2, {"dice_per_player": 2}),
    ("bluff", 3, {"dice_per_player": 3, "show_and_reroll": True}),
    ("bluff_you", 3, {}),
    ("bloeff", 3, {}),
)
MOST_LINES = 8


class Table:
    """A referee of one game, and its bots. All that happens follows from `random`."""

    def __init__(
        self,
        random: Random,
        loop: asyncio.AbstractEventLoop,
        compiled: Mapping[str, CompiledGame] | None = None,
        tables: Sequence[Terms] = TABLES,
    ) -> None:
        """Choose one of the `tables`; the compiled rules are those installed if they are None."""
        self.random = random
        self.game, seats, options = random.choice(tables)
        compiled = installed_games() if compiled is None else compiled
        self.referee = Referee(ladder(seats, self.game, **options), random, loop, compiled)
        self._lines: list[Line] = []
        self._last = b""
        self._bots = [
            Registered(VersionId(number), Entrant(f"bot{number}", "1", f"owner{number}"), False)
            for number in range(1, seats + 2)
        ]

    @contextmanager
    def watched(self) -> Iterator["Table"]:
        """The table, with its bots connected; see Referee.watched."""
        with self.referee.watched():
            for bot in self._bots:
                self._open(bot, "")
            yield self

    # What bots may do. Each is one case.

    def plays_well(self) -> None:
        """Joins and answers whatever is open, as a bot should."""
        asked = [line for line in self._lines if line.asked and not line.ended]
        line = self.random.choice(asked) if asked else self._line()
        request = pb.PlayRequest()
        for match_id in sorted(line.offers.keys() - line.joined):
            request.joins.add(match_id=match_id, entropy=self.random.randbytes(16))
        line.joined.update(line.offers)
        for match_id, turn in sorted(line.turns.items()):
            request.answers.append(self._answer(line, match_id, turn))
        line.turns.clear()
        self._send(line, request.SerializeToString())

    def plays_oddly(self) -> None:
        """Joins, declines and answers with something wrong in it."""
        line, random = self._line(), self.random
        request = pb.PlayRequest()
        known = [*sorted(line.offers), *sorted(line.turns), "no such match"]
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
        if len(self._lines) >= MOST_LINES:
            self._line().end(None)
        random = self.random
        bot, instance = random.choice(self._bots), random.choice(("", "", "", "second", "x" * 41))
        if random.random() < 0.8:
            self._open(bot, instance)
        else:
            self._lines.append(Line(self.referee, bot, instance))
            hello = pb.PlayRequest()
            arbitrary(random, hello.hello)
            self._send(self._lines[-1], hello.SerializeToString())
        self.referee.check()

    def leaves(self) -> None:
        """A stream is closed politely, or is cut."""
        line = self._line()
        if line.session is not None and self.random.random() < 0.5:
            self.referee.lobby.offer_nothing_more(line.session, line.outbox)
        if self.random.random() < 0.5 or line.session is None:
            line.end(None)
        else:
            line.leave(goodbye=False)
        self.referee.check()

    def waits(self) -> None:
        """Time passes: sometimes enough to be late, or gone for good."""
        self.referee.world.timer.turn(
            self.random.choice((0.0, 0.05, 0.05, 0.5, 0.5, 2.5, 6.0, 20.0))
        )
        self.referee.check()

    def _open(self, bot: Registered, instance: str) -> Line:
        line = Line(self.referee, bot, instance)
        self._lines.append(line)
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
        self._lines = [line for line in self._lines if not line.ended]
        bot = self.random.choice(self._bots)
        open_lines = [line for line in self._lines if line.bot is bot]
        if not open_lines:
            open_lines = [self._open(bot, "")]
        return self.random.choice(open_lines)

    def _send(self, line: Line, data: bytes) -> None:
        self._last = data
        line.send(data)
        self.referee.check()

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
