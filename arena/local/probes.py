"""Positions that are sent to programs to compare their answers, and the answers of house bots.

Everything follows from a seed. Each position is from a separate match of house bots, which now and
then play at random: unusual positions distinguish programs that play usual ones alike.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any, Final

from arena.bot.bot import AnyBot
from arena.bot.turn import Match
from arena.errors import any_failure
from arena.games.game import AnyGame
from arena.local.in_process import Seed, dealt, turn_of
from arena.match.clock import TimeControl
from arena.match.flow import OpenTurn, TimedAction
from arena.match.transcript import Setup
from arena.randomness import commitment
from arena.rating.agreement import Answer

MOST_CHOICES: Final = 1_000
"""The most legal actions of a position that are considered."""
ODD: Final = 0.15
"""The share of turns in which a random action is played instead of the house bot's choice."""
HOUSE_ANSWERS: Final = 8
"""The number of answers requested from a house bot that does not declare its probabilities."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A position: the open turn of a seat that has a choice."""

    setup: Setup
    secret: bytes
    entropy: bytes
    """The entropy with which the seat joined."""
    turn: OpenTurn
    choices: Mapping[str, int]
    """The number of legal actions of each kind, among the first MOST_CHOICES."""

    @property
    def commitment(self) -> bytes:
        """The published hash of the secret."""
        return commitment(self.secret)


def kind_of(action: Any) -> str:
    """Return the kind of an action, such as "Bet"."""
    return type(action).__name__


def answer_of(action: Any) -> Answer:
    """Return an action in a form that can be compared."""
    return kind_of(action), str(action)


def probes(
    game: AnyGame,
    seats: int,
    control: TimeControl,
    house: Sequence[type[AnyBot]],
    count: int,
    seed: str,
) -> Iterator[Probe]:
    """Yield `count` positions of matches with these rules, seats and time control."""
    source, number = Seed(seed), 0
    while count:
        found = _probe(game, seats, control, house, source, number)
        number += 1
        if found is not None:
            yield found
            count -= 1


def house_answers(kind: type[AnyBot], asked: Sequence[Probe]) -> list[Mapping[Answer, float]]:
    """Return the share of each answer of a house bot, by position."""
    return [_answers(kind, probe) for probe in asked]


def decided(
    answers: Sequence[Mapping[Answer, float]], asked: Sequence[Probe], *, last: bool
) -> list[Mapping[Answer, float]]:
    """Return the answers made deterministic: one of the most frequent answers at each position.

    That is the first of them, or the `last`, in the order of the legal actions.
    """
    found: list[Mapping[Answer, float]] = []
    for said, probe in zip(answers, asked, strict=True):
        most = max(said.values(), default=0.0)
        best = {answer for answer, share in said.items() if share >= 0.99 * most}
        game = probe.setup.make_game()
        legal = map(answer_of, islice(game.choices(probe.turn.view), MOST_CHOICES))
        ordered = [answer for answer in legal if answer in best] or sorted(best)
        found.append({ordered[-1 if last else 0]: 1.0} if ordered else {})
    return found


def _probe(
    game: AnyGame,
    seats: int,
    control: TimeControl,
    house: Sequence[type[AnyBot]],
    source: Seed,
    number: int,
) -> Probe | None:
    """Return a random decision of a match, all equally likely; None if no turn had a choice."""
    label = f"probe {number}"
    random = Random(source.derive(f"{label} choices"))
    names = [f"player {seat + 1}" for seat in range(seats)]
    setup, opening, flow = dealt(game, names, source, label, control)
    matches = [Match.of(setup, seat) for seat in range(seats)]
    bots = [random.choice(house)(Random(random.random())) for _ in range(seats)]
    for bot, match in zip(bots, matches, strict=True):
        bot.match_started(match)
    chosen, choices_there, seen = None, Counter[str](), 0
    try:
        ask = next(flow)
        while True:
            replies = []
            for turn in ask.turns:
                choices = list(islice(game.choices(turn.view), MOST_CHOICES))
                if len(choices) > 1:
                    seen += 1
                    if random.random() * seen < 1:
                        chosen = turn._replace(events=list(turn.events), unseen=0)
                        choices_there = Counter(kind_of(one) for one in choices)
                if random.random() < ODD:
                    action = random.choice(choices)
                else:
                    action = bots[turn.seat].act(turn_of(matches[turn.seat], turn))
                replies.append(TimedAction(action))
            ask = flow.send(replies)
    except StopIteration:
        pass
    if chosen is None:
        return None
    entropy = opening.entropies[chosen.seat]
    return Probe(setup, opening.secret, entropy, chosen, choices_there)


def _answers(kind: type[AnyBot], probe: Probe) -> Mapping[Answer, float]:
    match = Match.of(probe.setup, probe.turn.seat)
    turn = turn_of(match, probe.turn)
    bot = kind(Random(0))
    bot.match_started(match)
    known = bot.probabilities(turn)
    if known is not None:
        return {answer_of(action): chance for action, chance in known.items()}
    said: Counter[Answer] = Counter()
    for number in range(HOUSE_ANSWERS):
        bot = kind(Random(number))
        bot.match_started(match)
        try:
            said[answer_of(bot.act(turn))] += 1
        except any_failure():  # a bot that needs the earlier turns of the match may fail
            continue
    return {answer: count / said.total() for answer, count in said.items()}
