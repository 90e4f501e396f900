"""Blöff: a bot that counts unseen cards, and doubts when the gain is worth the risk.

Doubting. A seat lies when it has no number card that stays within the limit, or by habit. The
probability of the first follows from the unseen cards and the size of its hand. A true announcement
has a total in proportion to the unseen cards that make it; a lie is any possible total. A doubter
that is right makes one other seat draw; one that is wrong draws itself, which helps all the others.
So with more seats it must be more certain. But a last card that is not doubted loses the match:
there a small chance is enough.

Playing. It stops a seat that is about to win with a red card. Otherwise it plays high cards first,
as long as they are honest: they push the total to the limit, where others have to lie. Without an
honest card it lies, unless the others often doubt; then it plays an action card. It keeps one
action card for the end, because it cannot be doubted.
"""

from collections import Counter
from math import comb
from typing import TypeAlias

from arena.bot import Bot, Match, Turn, run
from arena.games.bloeff import (
    NUMBER_CARDS,
    Accepted,
    Announcement,
    Ballot,
    BloeffChoice,
    BloeffEvent,
    BloeffOptions,
    BloeffView,
    Card,
    Doubted,
    Number,
    Red,
)
from arena.games.bloeff import Action as ActionCard

BloeffTurn: TypeAlias = Turn[BloeffView, BloeffChoice, BloeffEvent, BloeffOptions]

FREE_LIES = 0.06
"""The assumed probability that a seat lies without need, until its habit is known."""
UNSHOWN = 1
"""The prior count of a seat's lies shown by doubts, and that of its truths."""
LAST_CARD = 0.1
"""The probability of a lie about a last card above which it is doubted."""
BOLD = 0.35
"""The chance of a doubt below which it lies rather than play an action card."""
ABOUT_TO_WIN = (2, 1)
"""The number of cards in a hand that call for a red card: between two seats, and among more, where
stopping one seat helps all others as much.
"""


class BloeffCounter(Bot[BloeffView, BloeffChoice, BloeffEvent, BloeffOptions]):
    """A bot that counts unseen cards, and doubts when the gain is worth the risk."""

    games = ("bloeff",)

    def match_started(self, match: Match[BloeffOptions]) -> None:  # noqa: ARG002  all matches begin alike
        """Reset the counts."""
        self.shown: Counter[tuple[int, bool]] = Counter()
        """Announcements that a doubt showed, by seat and whether they were right."""
        self.accepted = 0
        """Announcements near the limit that were not doubted."""
        self.doubted = 0

    def act(self, turn: BloeffTurn) -> BloeffChoice:
        """Count what doubts show, and return a play or a ballot."""
        for event in turn.events:
            if isinstance(event, Doubted):
                self.shown[event.seat, event.right] += 1
                self.doubted += 1
            elif isinstance(event, Accepted) and event.total >= turn.view.limit - 1:
                self.accepted += 1
        table = Table(turn)
        said = table.view.balloted
        return self.play(table) if said is None else Ballot(self.doubts(table, said))

    def doubts(self, table: "Table", said: Announcement) -> bool:
        """Return whether to doubt an announcement."""
        lies, truths = (self.shown[said.seat, right] + UNSHOWN for right in (False, True))
        chance = table.lied(said, lies / truths)
        if not table.view.hand_sizes[said.seat]:
            return chance > LAST_CARD
        others = len(table.view.hand_sizes) - 1
        return chance > others / (others + 1)

    def play(self, table: "Table") -> Number | Red | ActionCard:
        """Return the play on turn."""
        view = table.view
        stops = table.stops()
        if stops:
            return stops[0]
        within = [play for play in table.numbers if play.announce <= view.limit]
        safe = [play for play in within if play.announce == table.makes(play.value)]
        if safe:
            return max(safe, key=lambda play: play.value)
        bold = (self.doubted + 1) / (self.doubted + self.accepted + 3) < BOLD
        if table.others and not (bold and within and len(view.hand) > 2):
            return table.others[0]
        if within:
            return max(within, key=lambda play: (table.fitting(play.announce), play.value))
        return min(table.numbers, key=lambda play: (play.announce, play.value))


class Table:
    """One moment of a match as a seat sees it."""

    def __init__(self, turn: BloeffTurn) -> None:
        self.view = turn.view
        self.options = turn.game.options
        view = self.view
        # Calling is never a mistake.
        plays = [play for play in turn.choices() if not isinstance(play, Ballot) and play.call]
        self.numbers = [play for play in plays if isinstance(play, Number)]
        self.others = sorted((p for p in plays if not isinstance(p, Number)), key=self.rank)
        """Action cards to play, best first."""
        waiting = [card for pile in view.waiting for card in pile]
        seen = Counter([*view.hand, *view.seen, *view.face_down, *waiting])
        self.unseen = {row.card: row.count - seen[row.card] for row in self.options.deck}

    def rank(self, play: Red | ActionCard) -> tuple[int, int]:
        """Return a sort key: first draw-two cards, then seats with the fewest cards."""
        order = (Card.DRAW2, Card.SKIP, Card.REVERSE).index(play.card)
        return order, self.view.hand_sizes[play.target] if isinstance(play, Red) else 0

    def stops(self) -> list[Red]:
        """Return red cards against seats that are about to win, best first."""
        sizes = self.view.hand_sizes
        few = ABOUT_TO_WIN[len(sizes) > 2]
        reds = [play for play in self.others if isinstance(play, Red)]
        # With one card left, playing it wins anyway.
        stops = [play for play in reds if sizes[play.target] <= few and len(self.view.hand) > 1]
        return sorted(stops, key=lambda play: sizes[play.target])

    def makes(self, card: int) -> int:
        """Return the honest total of a number card."""
        total = self.view.total + card
        return max(0, total) if self.options.below_zero == "floor" else total

    def fitting(self, total: int) -> int:
        """Return the number of unseen cards that would make this total honest."""
        return sum(self.unseen[card] for card in NUMBER_CARDS if self.makes(card) == total)

    def lied(self, said: Announcement, habit: float) -> float:
        """Return the probability that an announcement is a lie.

        `habit` is the odds that its seat lies.
        """
        view = self.view
        fitting = self.fitting(said.total)
        if not fitting:
            return 1.0
        safe = sum(self.unseen[card] for card in NUMBER_CARDS if self.makes(card) <= view.limit)
        unseen = sum(self.unseen.values())
        hand = min(view.hand_sizes[said.seat] + 1, unseen)
        in_need = comb(max(0, unseen - safe), hand) / comb(unseen, hand)
        could_be_said = min(view.limit, view.highest) - view.lowest + 1
        lie: float = (in_need + FREE_LIES) * habit / could_be_said
        truth: float = (1 - in_need) * fitting / safe
        return lie / (lie + truth)


if __name__ == "__main__":
    run(BloeffCounter)
