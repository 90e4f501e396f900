"""`ScriptedMatch`: a match of the checked bot against seats that the script plays."""

from collections.abc import Callable, Mapping
from itertools import islice
from random import Random
from typing import Any, Final
from uuid import uuid4

from arena.codec import turns
from arena.codec.malformed import MalformedError
from arena.codec.transcript import to_message
from arena.conformance.scripted_referee import BOT, UnmetError
from arena.games import make_game
from arena.match.clock import TimeControl
from arena.match.faults import DEFAULT_FAULT_LIMIT, Fault, FaultKind
from arena.match.flow import Ask, MatchRecord, OpenTurn, Refused, Reply, TimedAction, play
from arena.match.transcript import Entrant, Opening, Setup, Transcript
from arena.randomness import KeyedRandomness, commitment, match_key
from arena.signatures import Signer
from arena.v1 import referee_pb2 as pb

_MOST_CHOICES: Final = 40
_LONGEST_VALUE: Final = 40
"""The maximum number of characters of an option's value that `table` writes out."""
JOIN_MS: Final = 5_000


class ScriptedMatch:
    """One match; the other seats act at random, seeded with its number."""

    def __init__(
        self,
        number: int,
        game: str,
        options: Mapping[str, Any] | None = None,
        *,
        seats: int = 0,
        seat: int | None = None,
        fault_limit: int = DEFAULT_FAULT_LIMIT,
    ) -> None:
        rules = make_game(game, options or {})
        seats = seats or rules.seat_counts[0]
        self.random = Random(number)
        self.seat = number % seats if seat is None else seat
        names = [Entrant(f"other-{one}", "1", "script") for one in range(seats)]
        names[self.seat] = BOT
        self.setup = Setup(
            match_id=str(uuid4()),
            game=game,
            options=rules.options,
            entrants=tuple(names),
            time_control=TimeControl(),
            fault_limit=fault_limit,
        )
        self._rules = rules
        self._secret = self.random.randbytes(32)
        self.entropy = b""
        self.record: MatchRecord | None = None
        self.refused: list[Refused] = []
        """The bot's faults that the script did not cause; `refuse` removes those that it causes."""
        self.dealt_otherwise = False
        """Whether the draws use another secret than the one opened at the end."""
        self.others: Callable[[OpenTurn], Reply] = self._at_random
        """The function that replies for the other seats."""
        self._ask = Ask(())
        self._replies: dict[int, Reply] = {}

    @property
    def id(self) -> str:
        return self.setup.match_id

    @property
    def table(self) -> str:
        """The game, the number of seats and the changed options, in words."""
        changed = [
            f"{name}={value}" if len(str(value)) <= _LONGEST_VALUE else f"{name}=…"
            for name, value in self._rules.options.changed().items()
        ]
        return ", ".join([f"{self._rules.title} at {len(self.setup.entrants)} seats", *changed])

    def offer(self, *, named: bool = False) -> pb.Offer:
        """Return the offer; if `named`, with the names of all bots, as in a resume."""
        sealed = commitment(self._secret)
        return turns.offer(self.setup, self.seat, sealed, JOIN_MS, named=named)

    def resume(self) -> pb.Resume:
        return pb.Resume(offer=self.offer(named=True), entropy=self.entropy)

    def join(self, join: pb.Join) -> None:
        """Take the bot's join, and start the match. Raises UnmetError."""
        self.entropy = join.entropy
        if not 8 <= len(self.entropy) <= 64:
            raise UnmetError(f"the entropy of a join has {len(self.entropy)} bytes, not 8 to 64")
        seats = range(len(self.setup.entrants))
        others = [self.random.randbytes(16) for _ in seats]
        others[self.seat] = self.entropy
        self._opening = Opening(self._secret, tuple(others))
        secret = self.random.randbytes(32) if self.dealt_otherwise else self._secret
        key = match_key(secret, self.id, self._opening.entropies)
        self._flow = play(
            self.setup.make_game(), len(seats), KeyedRandomness(key), self.setup.fault_limit
        )
        self._next(next(self._flow))

    def begin(self) -> pb.Begin:
        return turns.begin(self.setup)

    @property
    def over(self) -> bool:
        return self.record is not None

    @property
    def own(self) -> OpenTurn:
        """The bot's open turn; there is one until the match is over."""
        return next(turn for turn in self._ask.turns if turn.seat == self.seat)

    def turn(self, *, repeat: bool = False, times: tuple[int, int] | None = None) -> pb.Turn:
        """Return the bot's open turn; with all of the match's events if `repeat`."""
        asked = self.own
        if repeat:
            asked = asked._replace(unseen=0)
        control = self.setup.time_control
        turn_ms, bank_ms = times or (control.turn_ms, control.bank_ms)
        events = turns.WrittenEvents(self.setup.game)
        part = turns.turn_part(self.setup, asked, turn_ms, bank_ms, events)
        return pb.PlayResponse.FromString(part).turns[0]

    def take(self, answer: pb.Answer) -> None:
        """Take the bot's answer to its open turn. Raises UnmetError unless it is legal."""
        where = f"turn {answer.turn_number} of a match of {self.table}"
        if answer.turn_number != self.own.number:
            raise UnmetError(f"it answered {where}; turn {self.own.number} was open")
        try:
            action = turns.action(self.setup.game, answer.action)
        except MalformedError as error:
            raise UnmetError(f"its answer to {where} is malformed: {error}") from error
        view = self.own.view
        self._reply(TimedAction(action))
        if self.refused:
            fault = self.refused[-1]
            sent = self._rules.notation.to_json(action)
            raise UnmetError(
                f"its answer to {where} is illegal: {sent}: {fault.reason} {fault.legal} "
                f"Its view: {self._rules.view_notation.to_json(view)}"
            )

    def refuse(self, kind: FaultKind) -> pb.Refusal:
        """Record a fault in place of the bot's answer; return the refusal that tells the bot."""
        self._reply(Fault(kind))
        fault = self.refused.pop()
        return turns.refusal(self.setup, fault, 1)

    def transcript(self) -> Transcript:
        """Return the record of the match, which is over."""
        assert self.record is not None
        sealed = commitment(self._secret)
        steps, result = self.record.steps, self.record.result
        return Transcript(self.setup, sealed, steps, result, self._opening)

    def end(self, signer: Signer, transcript: Transcript | None = None) -> pb.End:
        """Return the end message; `transcript` replaces the match's own transcript."""
        signed = signer.signed(transcript or self.transcript())
        return pb.End(match_id=self.id, transcript=to_message(signed))

    def forfeit_others(self) -> None:
        """Let the other seats stop answering, so that they forfeit."""
        self.others = lambda _turn: Fault(FaultKind.LATE)

    def _reply(self, reply: Reply) -> None:
        self._replies[self.seat] = reply
        replies = [self._replies[turn.seat] for turn in self._ask.turns]
        try:
            self._next(self._flow.send(replies))
        except StopIteration as stop:
            self._finish(stop.value)

    def _next(self, ask: Ask) -> None:
        """Reply for the others until the bot is asked."""
        try:
            while True:
                self._note(ask.refused)
                self._ask = ask
                seats = {turn.seat: turn for turn in ask.turns}
                self._replies = {
                    seat: self.others(turn) for seat, turn in seats.items() if seat != self.seat
                }
                if self.seat in seats:
                    return
                ask = self._flow.send([self._replies[turn.seat] for turn in ask.turns])
        except StopIteration as stop:
            self._finish(stop.value)

    def _finish(self, record: MatchRecord) -> None:
        self._note(record.refused)
        self.record = record

    def _note(self, refused: tuple[Refused, ...]) -> None:
        self.refused += [one for one in refused if one.seat == self.seat]

    def _at_random(self, turn: OpenTurn) -> Reply:
        choices = list(islice(self._rules.choices(turn.view), _MOST_CHOICES))
        return TimedAction(self.random.choice(choices))
