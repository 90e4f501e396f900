"""Blöff: a bot that plays what is worth most in some tens of imagined worlds, at two seats.

1. Worlds. The cards that it has not seen are dealt at random to the other hand and the piles. The
   other seat's plays show which cards it is not likely to have, and its announcement which deals
   are likely (sampling with weights by likelihood). The other is one of two kinds: it plays like
   `bloeff_honest`, which lies and doubts only when it must, or like `bloeff_counter`, which weighs
   chances. The results of doubts, and the lies it lets pass, show the kind (Bayes' rule).
2. Worth. Every action that makes sense is tried in the same worlds, until its ballot is over. What
   comes then is not played, but valued: by the hand, the size of the other one, the round and the
   room below the limit, with weights fitted on the results of many matches.

With more seats, for which no weights were fitted, it plays like `bloeff_counter`. How much it tries
does not depend on the clock: the same match and seed give the same play.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final, TypeAlias

from arena.bot import Match, Turn, run
from arena.games.bloeff import (
    Accepted,
    Ballot,
    BloeffChoice,
    BloeffEvent,
    BloeffOptions,
    BloeffPhase,
    BloeffState,
    BloeffView,
    Card,
    Cards,
    Dealt,
    Doubted,
    Number,
    NumberPlayed,
)
from arena.games.bloeff.state import Then
from arena.games.game import DEALER
from arena_sample_bots._bloeff_policies import Record, Table
from arena_sample_bots._bloeff_reading import ACTIONS, Reading
from arena_sample_bots.bloeff_counter import BloeffCounter

BloeffTurn: TypeAlias = Turn[BloeffView, BloeffChoice, BloeffEvent, BloeffOptions]

WORLDS: Final = 30
"""The number of worlds for a turn."""
DEALS: Final = 5
"""The number of deals for each world of a ballot, of which one on average is kept."""
BALLOTS: Final = 40
"""The number of worlds in which a doubt is tried."""

SLIP: Final = 0.05
"""The probability that a seat acts otherwise than its kind."""
UNLIKELY: Final = 0.02
"""The probability that a card is dealt although an announcement speaks against it."""
PASSED: Final = 0.7
"""The probability that a seat that weighs chances lets a lie pass, relative to an honest one."""


@dataclass(frozen=True)
class World:
    """A possible state of the match: one consistent with the view, and which seats are honest."""

    state: BloeffState
    honest: Sequence[bool]


class BloeffSearch(BloeffCounter):
    """A bot that plays what is worth most in some tens of imagined worlds, at two seats."""

    max_matches = 4

    def match_started(self, match: Match[BloeffOptions]) -> None:
        """Forget the previous match."""
        super().match_started(match)
        seats = len(match.entrants)
        self.table = Table(match.game, Record([1] * seats, [1] * seats))
        self.reading = Reading(self.table, [0] * seats)
        self.honest = [0.5] * seats
        """The probability that each seat plays like `bloeff_honest`."""
        self.lying = False
        """Whether the last card that this bot laid was announced falsely."""

    def act(self, turn: BloeffTurn) -> BloeffChoice:
        """Return the action that is worth most in imagined worlds."""
        if len(self.honest) > 2:
            return super().act(turn)
        for event in turn.events:
            self.learn(event, turn)
        search = Search(turn, self.reading, self.honest, self.random)
        if turn.view.balloted is not None:
            return search.ballot()
        chosen = search.play()
        if isinstance(chosen, Number):
            honest = self.table.makes(turn.view.total, chosen.value)
            self.lying = chosen.announce != honest
        return chosen

    def learn(self, event: BloeffEvent, turn: BloeffTurn) -> None:
        """Update the beliefs about seats' kinds and cards by an event."""
        limit = self.reading.limit
        match event:
            case Dealt():
                self.reading = Reading(self.table, event.hand_sizes)
            case Doubted():
                if event.seat != turn.seat:
                    self.weigh(event.seat, 1.0 if event.right else SLIP)
                if event.doubter != turn.seat:
                    self.weigh(event.doubter, SLIP if event.right else 1.0)
            case Accepted() if event.seat == turn.seat and self.lying:
                self.weigh(1 - turn.seat, 1 / PASSED)
            case NumberPlayed() if event.seat != turn.seat and event.announce > limit:
                self.weigh(event.seat, 1 / SLIP)
            case _:
                pass
        self.table.record.add(event, limit)
        self.reading.add(event, turn.seat)

    def weigh(self, seat: int, odds: float) -> None:
        """Update the belief that a seat is honest, by an event.

        The event is `odds` times as likely if the seat is honest.
        """
        honest = self.honest[seat] * odds
        self.honest[seat] = min(0.98, max(0.02, honest / (honest + 1 - self.honest[seat])))


class Search:
    """The search of one turn: worlds, and the results of actions in them."""

    def __init__(
        self, turn: BloeffTurn, reading: Reading, honest: Sequence[float], random: Random
    ) -> None:
        self.turn, self.view, self.seat = turn, turn.view, turn.seat
        self.reading, self.table = reading, reading.table
        self.honest, self.random = honest, random

    def ballot(self) -> Ballot:
        """Return the ballot that is worth more."""
        worlds = self.worlds(BALLOTS)
        doubt, accept = (self.value(Ballot(said), worlds) for said in (True, False))
        return Ballot(doubt > accept)

    def play(self) -> BloeffChoice:
        """Return the play that is worth most."""
        worlds, candidates = self.worlds(WORLDS), self.candidates()
        return max(candidates, key=lambda action: self.value(action, worlds))

    def candidates(self) -> list[BloeffChoice]:
        """Return the actions that make sense.

        They are every number card announced honestly, the highest one with any total up to a bust,
        and every action card.
        """
        view, makes = self.view, self.table.makes
        # Calling is never a mistake.
        choices = [one for one in self.turn.choices() if not isinstance(one, Ballot) and one.call]
        highest = max((one.value for one in choices if isinstance(one, Number)), default=0)
        return [
            choice
            for choice in choices
            if not isinstance(choice, Number)
            or (choice.value == highest and choice.announce <= view.limit + 1)
            or choice.announce == makes(view.total, choice.value)
        ]

    def value(self, action: BloeffChoice, worlds: Sequence[World]) -> float:
        """Return the sum over worlds of the chance to win after an action."""
        game = self.table.game
        return sum(
            self.imagined(game.apply(world.state, self.seat, action), world.honest)
            for world in worlds
        )

    def imagined(self, state: BloeffState, honest: Sequence[bool]) -> float:
        """Return the chance to win once the others have balloted."""
        game = self.table.game
        while True:
            asked = game.to_act(state)
            if asked is DEALER:
                state = game.apply(state, DEALER, game.draw(state, self))
            elif state.phase is BloeffPhase.BALLOTS:
                doubt = self.table.doubts(state, asked[0], honest=honest[asked[0]])
                state = game.apply(state, asked[0], Ballot(doubt))
            else:
                return self.table.worth(state, self.seat)

    def below(self, key: str, bound: int) -> int:  # noqa: ARG002  of `Randomness`
        """Return a random number, for draws in imagined play."""
        return self.random.randrange(bound)

    def worlds(self, count: int) -> list[World]:
        """Return deals of the unseen cards, likelier ones more often."""
        if self.view.balloted is None:
            return [self.deal() for _ in range(count)]
        deals = [self.deal() for _ in range(count * DEALS)]
        return self.random.choices(deals, [self.likelihood(one) for one in deals], k=count)

    def likelihood(self, world: World) -> float:
        """Return the weight of a world, given its announcement.

        It is the probability of the world together with the announcement, relative to how often
        `deal` makes the world.
        """
        state, said, table = world.state, self.view.balloted, self.table
        if said is None or state.open_card is None:
            return 1.0
        card, seat = state.open_card, said.seat
        hands = list(state.hands)
        hands[seat] = tuple(sorted((*hands[seat], card)))
        before = replace(state, hands=tuple(hands))
        expected = table.plays(before, self.random, honest=world.honest[seat])
        as_expected = isinstance(expected, Number) and (
            (expected.value, expected.announce) == (card, said.total)
        )
        if table.makes(state.total, card) == said.total:
            return self.true * (1.0 if as_expected else SLIP)
        return (1 - self.true) * (1.0 if as_expected else SLIP / (self.view.limit + 1))

    def deal(self) -> World:
        """Return a world with the unseen cards dealt at random, given what is known of them."""
        view, random, said, reading = self.view, self.random, self.view.balloted, self.reading
        left = dict(self.table.deck)
        for known in (view.hand, view.seen, view.face_down, *view.waiting):
            for card in known:
                left[card] -= 1
        cards = [card for card, count in left.items() for _ in range(count)]
        random.shuffle(cards)
        open_card = None
        if said is not None:
            numbers = [card for card in cards if card <= Card.FOUR]
            true = [card for card in numbers if self.table.makes(view.total, card) == said.total]
            self.true = len(true) / len(numbers)
            false = [card for card in numbers if card not in true]
            # True and false equally often, so that a few deals contain both.
            open_card = (true if true and (random.random() < 0.5 or not false) else false)[0]
            cards.remove(open_card)
        # The own card lies face down already, and is balloted by others only.
        size = view.centre_pile - len(view.seen) - len(view.face_down) - (said is not None)
        laid = [self.draw(cards, known | ACTIONS) for known in reading.sized(reading.laid, size)]
        hands = []
        for seat, size in enumerate(view.hand_sizes):
            unlikely = [] if seat == self.seat else reading.sized(reading.hands[seat], size)
            dealt = tuple(sorted(self.draw(cards, one) for one in unlikely))
            hands.append(view.hand if seat == self.seat else dealt)
        face_down: list[Cards] = [()] * len(hands)
        face_down[self.seat] = view.face_down
        face_down[self.seat - 1] = tuple(laid)
        state = BloeffState(
            phase=BloeffPhase.PLAY if said is None else BloeffPhase.BALLOTS,
            hands=tuple(hands),
            waiting=view.waiting,
            draw_pile=tuple(cards),
            seen=view.seen,
            face_down=tuple(face_down),
            open_card=open_card,
            announced=0 if said is None else said.total,
            announcements=view.announcements,
            total=view.total,
            round=view.round,
            turn=view.turn,
            on_turn=self.seat if said is None else said.seat,
            direction=view.direction,
            ballots=() if said is None else (None,) * len(hands),
            owed=(),
            then=Then.WINDOW,
            starter=0,
            reshuffles=0,
            ending=None,
        )
        return World(state, [random.random() < chance for chance in self.honest])

    def draw(self, cards: list[Card], unlikely: frozenset[Card]) -> Card:
        """Remove and return the next of the shuffled cards that is not unlikely."""
        for at, card in enumerate(cards):
            if card not in unlikely or self.random.random() < UNLIKELY:
                return cards.pop(at)
        return cards.pop()


if __name__ == "__main__":
    run(BloeffSearch)
