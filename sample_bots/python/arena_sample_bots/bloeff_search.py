"""Blöff: plays what does best in a few hundred imagined matches.

1. Worlds. The cards that it has not seen are dealt at random to the other hands and piles. Of many
   such deals it keeps those with which the others would have said what they say (sampling with
   weights by likelihood). A seat is one of two kinds: it plays like `bloeff_honest`, which lies and
   doubts only when it must, or like `bloeff_counter`, which weighs chances. What doubts show of a
   seat, and which lies it lets pass, tell the kind (Bayes' rule).
2. Search. Every action that makes sense is tried in worlds, with the others playing by their kind
   and itself like a bold `bloeff_counter`, mostly until the match is over; actions that do badly
   are left out step by step (sequential halving; Karnin, Koren and Somekh 2013).

How much it tries does not depend on the clock: the same match and seed give the same play.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, TypeAlias

from arena.bot import Bot, Match, Turn, run
from arena.games.bloeff import (
    Accepted,
    Ballot,
    BloeffChoice,
    BloeffEvent,
    BloeffOptions,
    BloeffPhase,
    BloeffRoundStarted,
    BloeffState,
    BloeffView,
    Card,
    Cards,
    Doubted,
    Number,
    NumberPlayed,
)
from arena.games.bloeff.state import Then
from arena.games.game import DEALER
from arena_sample_bots._bloeff_policies import COUNTER, HONEST, SELF, Policy, Table

BloeffTurn: TypeAlias = Turn[BloeffView, BloeffChoice, BloeffEvent, BloeffOptions]

WORLDS: Final = 24
"""Worlds of a turn."""
DEALS: Final = 6
"""Deals for each world, of which one is kept."""
STAGES: Final = ((3, 8), (6, 3), (15, 1))
"""Of the search on turn: in how many worlds each action is tried, and how many actions go on."""
BALLOTS: Final = 40
"""Worlds in which a doubt is tried."""
LONGEST: Final = 60
"""Steps after which imagined play is given up; most matches are over by then."""

SLIP: Final = 0.05
"""How likely a seat acts otherwise than its kind."""
PASSED: Final = 0.7
"""How likely a seat that weighs chances lets a lie pass, compared with one that does not."""


@dataclass(frozen=True)
class World:
    """What the match may be: a state that looks like the view, and how each seat plays."""

    state: BloeffState
    policies: Sequence[Policy]


class BloeffSearch(Bot[BloeffView, BloeffChoice, BloeffEvent, BloeffOptions]):
    """Plays what does best in a few hundred imagined matches."""

    games = ("bloeff",)
    max_matches = 4

    def match_started(self, match: Match[BloeffOptions]) -> None:
        self.table = Table(match.game)
        self.honest = [0.5] * len(match.entrants)
        """By seat, how likely it plays like `bloeff_honest`."""
        self.limit = match.game.options.limits[0]
        """Of the round that the events tell of."""
        self.lying = False
        """Whether the last card that it laid was announced falsely."""

    def act(self, turn: BloeffTurn) -> BloeffChoice:
        for event in turn.events:
            self.learn(event, turn)
        search = Search(turn, self.table, self.honest, self.random)
        if turn.view.balloted is not None:
            return search.ballot()
        chosen = search.play()
        if isinstance(chosen, Number):
            honest = self.table.makes(turn.view.total, chosen.value)
            self.lying = chosen.announce != honest
        return chosen

    def learn(self, event: BloeffEvent, turn: BloeffTurn) -> None:
        """What an event tells of the kind of a seat."""
        match event:
            case Doubted():
                if event.seat != turn.seat:
                    self.weigh(event.seat, 1.0 if event.right else SLIP)
                if event.doubter != turn.seat:
                    self.weigh(event.doubter, SLIP if event.right else 1.0)
            case Accepted() if event.seat == turn.seat and self.lying:
                for seat in range(len(self.honest)):
                    if seat != turn.seat:
                        self.weigh(seat, 1 / PASSED)
            case BloeffRoundStarted():
                self.limit = event.limit
            case NumberPlayed() if event.seat != turn.seat and event.announce > self.limit:
                self.weigh(event.seat, 1 / SLIP)
            case _:
                pass

    def weigh(self, seat: int, odds: float) -> None:
        """Something happened that is `odds` times as likely if the seat is honest."""
        honest = self.honest[seat] * odds
        self.honest[seat] = min(0.98, max(0.02, honest / (honest + 1 - self.honest[seat])))


class Search:
    """One turn of a seat: worlds, and what becomes of actions in them."""

    def __init__(
        self, turn: BloeffTurn, table: Table, honest: Sequence[float], random: Random
    ) -> None:
        self.turn, self.view, self.seat = turn, turn.view, turn.seat
        self.table, self.honest, self.random = table, honest, random

    def ballot(self) -> Ballot:
        """Whether to doubt."""
        worlds = self.worlds(BALLOTS)
        doubt, accept = (self.value(Ballot(said), worlds) for said in (True, False))
        return Ballot(doubt > accept)

    def play(self) -> BloeffChoice:
        """What to play, by sequential halving."""
        worlds = self.worlds(WORLDS)
        left, begin = self.candidates(), 0
        values = dict.fromkeys(left, 0.0)
        for tries, kept in STAGES:
            if len(left) > 1:
                for action in left:
                    values[action] += self.value(action, worlds[begin : begin + tries])
            left = sorted(left, key=values.__getitem__, reverse=True)[:kept]
            begin += tries
        return left[0]

    def candidates(self) -> list[BloeffChoice]:
        """The actions that make sense: every card honestly, the highest as any total that can be
        announced, every action card."""
        view, makes = self.view, self.table.makes
        found: list[BloeffChoice] = []
        numbers = [choice for choice in self.turn.choices() if isinstance(choice, Number)]
        highest = max((one.value for one in numbers), default=0)
        for choice in self.turn.choices():
            if isinstance(choice, Ballot) or not choice.call:  # calling is never a mistake
                continue
            if isinstance(choice, Number) and choice.announce != makes(view.total, choice.value):
                lie = choice.value == highest and choice.announce <= view.limit
                found += [choice] if lie else []
            else:
                found.append(choice)
        return found or list(self.turn.choices())

    def value(self, action: BloeffChoice, worlds: Sequence[World]) -> float:
        """The sum over worlds of the chance to win after an action."""
        game = self.table.game
        return sum(
            self.imagined(game.apply(world.state, self.seat, action), world.policies)
            for world in worlds
        )

    def imagined(self, state: BloeffState, policies: Sequence[Policy]) -> float:
        """The chance to win, as the match goes on at random."""
        game, table = self.table.game, self.table
        for _ in range(LONGEST):
            asked = game.to_act(state)
            if asked == ():
                break
            if asked is DEALER:
                state = game.apply(state, DEALER, game.draw(state, self))
            elif state.phase is BloeffPhase.PLAY:
                policy = policies[state.on_turn]
                state = game.apply(state, state.on_turn, table.plays(state, policy, self.random))
            else:
                seat = asked[0]
                doubt = table.doubts(state, seat, policies[seat])
                state = game.apply(state, seat, Ballot(doubt))
        return table.worth(state, self.seat)

    def below(self, key: str, bound: int) -> int:  # noqa: ARG002  of `Randomness`
        """A random number, for draws in imagined play."""
        return self.random.randrange(bound)

    def worlds(self, count: int) -> list[World]:
        """Deals of the unseen cards, the likelier the more often."""
        if self.view.balloted is None:
            return [self.deal() for _ in range(count)]
        deals = [self.deal() for _ in range(count * DEALS)]
        return self.random.choices(deals, [self.likelihood(one) for one in deals], k=count)

    def likelihood(self, world: World) -> float:
        """How likely a world is together with what was announced in it, compared with how often
        `deal` makes it."""
        state, said, table = world.state, self.view.balloted, self.table
        if said is None or state.open_card is None:
            return 1.0
        policy, card = world.policies[said.seat], state.open_card
        hand = tuple(sorted((*state.hands[said.seat], card)))
        safe = table.safe(hand, state.total, self.view.limit)
        if table.makes(state.total, card) == said.total:
            return self.true * (1.0 if safe and card == safe[-1] else SLIP)
        lies = SLIP / (self.view.limit + 1)
        if not policy.honest and not safe:
            highest = max(one for one in hand if one <= Card.FOUR)
            likeliest = table.likeliest(state, said.seat, self.view.limit)
            if card == highest and said.total == likeliest:
                lies = policy.lies
        return (1 - self.true) * lies * (SLIP if policy.honest else 1.0)

    def deal(self) -> World:
        """The unseen cards, dealt at random; others laid number cards only."""
        view, random, said = self.view, self.random, self.view.balloted
        left = dict(self.table.deck)
        for known in (view.hand, view.seen, view.face_down, *view.waiting):
            for card in known:
                left[card] -= 1
        cards = [card for card, count in left.items() for _ in range(count)]
        random.shuffle(cards)
        numbers = [card for card in cards if card <= Card.FOUR]
        # The own card lies face down already, and is balloted by others only.
        if said is not None:
            true = [card for card in numbers if self.table.makes(view.total, card) == said.total]
            self.true = len(true) / len(numbers)
            # As often true as false, so that both are among few deals.
            if true and (random.random() < 0.5 or len(true) == len(numbers)):
                numbers.remove(true[0])
                numbers.insert(0, true[0])
            else:
                numbers.sort(key=true.__contains__)
        laid = numbers[: view.centre_pile - len(view.seen) - len(view.face_down)]
        for card in laid:
            cards.remove(card)
        hands, waiting = [], iter(cards)
        for seat, size in enumerate(view.hand_sizes):
            dealt = view.hand if seat == self.seat else [next(waiting) for _ in range(size)]
            hands.append(tuple(sorted(dealt)))
        open_card = laid.pop(0) if said is not None else None
        face_down: list[Cards] = [()] * len(hands)
        face_down[self.seat] = view.face_down
        face_down[self.seat - 1] = tuple(laid)
        policies = [
            SELF if seat == self.seat else HONEST if random.random() < honest else COUNTER
            for seat, honest in enumerate(self.honest)
        ]
        state = BloeffState(
            phase=BloeffPhase.PLAY if said is None else BloeffPhase.BALLOTS,
            hands=tuple(hands),
            waiting=view.waiting,
            draw_pile=tuple(waiting),
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
        return World(state, policies)


if __name__ == "__main__":
    run(BloeffSearch)
