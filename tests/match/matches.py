"""Whole matches without I/O, between seats that answer as a test says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any, TypeAlias

from arena.games import make_game
from arena.games.game import AnyGame
from arena.match.clock import TimeControl
from arena.match.faults import DEFAULT_FAULT_LIMIT, Fault, FaultKind
from arena.match.flow import Ask, Flow, MatchRecord, OpenTurn, Refused, Reply, TimedAction, play
from arena.match.transcript import Entrant, Opening, Setup, Transcript
from arena.randomness import KeyedRandomness, commitment, match_key
from tests.games.contract import Case

MATCH_ID = "11111111-2222-4333-8444-555555555555"
SECRET = bytes(range(32))

Reaction: TypeAlias = Callable[[OpenTurn], Reply]

LATE = Fault(FaultKind.LATE, 32_000)
MALFORMED = Fault(FaultKind.MALFORMED, 7, "the answer holds no action")
ABSENT = Fault(FaultKind.ABSENT)


def entropies(seats: int) -> tuple[bytes, ...]:
    return tuple(bytes([seat]) * 16 for seat in range(seats))


def randomness(seats: int) -> KeyedRandomness:
    return KeyedRandomness(match_key(SECRET, MATCH_ID, entropies(seats)))


def lawful(game: AnyGame, random: Random) -> Reaction:
    """Some legal action, seldom the last of a long list."""

    def react(turn: OpenTurn) -> Reply:
        return TimedAction(
            random.choice(list(islice(game.choices(turn.view), 12))), random.randrange(9)
        )

    return react


def unreliable(game: AnyGame, random: Random, faulty: float) -> Reaction:
    """Some legal action, but with probability `faulty` a fault of any kind."""
    well = lawful(game, random)

    def react(turn: OpenTurn) -> Reply:
        if random.random() >= faulty:
            return well(turn)
        kind = random.choice(list(FaultKind))
        return TimedAction(object(), 3) if kind is FaultKind.ILLEGAL else Fault(kind, 5, "a reason")

    return react


def conducted(flow: Flow, react: Reaction) -> MatchRecord:
    """Play a flow to its end, seat by seat as it asks them."""
    try:
        ask = next(flow)
        while True:
            ask = flow.send([react(turn) for turn in ask.turns])
    except StopIteration as end:
        record: MatchRecord = end.value
        return record


def dealt(setup: Setup, secret: bytes, entropies: tuple[bytes, ...], react: Reaction) -> Transcript:
    """A match that is dealt by this secret and the entropies of the seats."""
    key = match_key(secret, setup.keyed_by, entropies)
    seats = len(setup.entrants)
    flow = play(setup.make_game(), seats, KeyedRandomness(key), setup.fault_limit)
    record = conducted(flow, react)
    opening = Opening(secret, entropies)
    return Transcript(setup, commitment(secret), record.steps, record.result, opening)


@dataclass
class Playing:
    """A match that a test moves on, question by question."""

    game: AnyGame
    seats: int
    fault_limit: int = DEFAULT_FAULT_LIMIT
    asks: list[Ask] = field(default_factory=list)
    record: MatchRecord | None = None

    def __post_init__(self) -> None:
        self._flow = play(self.game, self.seats, randomness(self.seats), self.fault_limit)
        self.asks.append(next(self._flow))

    @property
    def turns(self) -> tuple[OpenTurn, ...]:
        """The open questions."""
        return self.asks[-1].turns

    @property
    def asked(self) -> tuple[int, ...]:
        return tuple(turn.seat for turn in self.turns)

    @property
    def refused(self) -> list[Refused]:
        """All refusals so far."""
        found = [refused for ask in self.asks for refused in ask.refused]
        return found + list(self.record.refused if self.record else ())

    def reply(self, *replies: Reply) -> None:
        """Answer the open questions."""
        try:
            self.asks.append(self._flow.send(replies))
        except StopIteration as end:
            self.record = end.value

    def default(self, turn: OpenTurn) -> TimedAction:
        """An answer that is certainly legal."""
        return TimedAction(next(self.game.choices(turn.view)))

    def until(self, seat: int) -> None:
        """Play on until the seat is asked."""
        while seat not in self.asked and self.record is None:
            self.reply(*(self.default(turn) for turn in self.turns))

    def to_end(
        self, reactions: Mapping[int, Reaction], otherwise: Reaction | None = None
    ) -> MatchRecord:
        """Play to the end; seats without a reaction of their own react as `otherwise`."""
        while self.record is None:
            self.reply(*(reactions.get(t.seat, otherwise or self.default)(t) for t in self.turns))
        return self.record


def transcript_of(playing: Playing) -> Transcript:
    """The transcript of a match that is over."""
    assert playing.record is not None
    setup = Setup(
        match_id=MATCH_ID,
        game=playing.game.name,
        options=playing.game.options,
        entrants=tuple(Entrant(f"bot{seat}", "1", "us") for seat in range(playing.seats)),
        time_control=TimeControl(),
        fault_limit=playing.fault_limit,
    )
    return Transcript(
        setup,
        commitment(SECRET),
        playing.record.steps,
        playing.record.result,
        Opening(SECRET, entropies(playing.seats)),
    )


def some_match(case: Case, seed: int, faulty: float = 0.0) -> Transcript:
    """A match of seats that answer at random and, if asked to, badly."""
    game, random = case.game, Random(seed)
    playing = Playing(game, case.seats)
    playing.to_end({}, unreliable(game, random, faulty))
    return transcript_of(playing)


def game(name: str, **options: Any) -> AnyGame:
    return make_game(name, options)
