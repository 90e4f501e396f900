"""Blöff: a bot that lies only when it must, and doubts only what cannot be true.

On turn it lays the highest number card that stays within the limit, else an action card; when it
has neither, it announces what its lowest card makes and takes the bust. It doubts an announcement
when it has seen all the cards that would make it honest.
"""

from arena.bot import Bot, Turn, run
from arena.games.bloeff import (
    NUMBER_CARDS,
    Ballot,
    BloeffChoice,
    BloeffEvent,
    BloeffOptions,
    BloeffView,
    Number,
)
from arena.games.bloeff import Action as ActionCard


class BloeffHonest(Bot[BloeffView, BloeffChoice, BloeffEvent, BloeffOptions]):
    """A bot that lies only when it must, and doubts only what cannot be true."""

    games = ("bloeff",)

    def act(self, turn: Turn[BloeffView, BloeffChoice, BloeffEvent, BloeffOptions]) -> BloeffChoice:
        """Return an honest play if possible; doubt only what cannot be true."""
        view, options = turn.view, turn.game.options
        if view.balloted is not None:
            return Ballot(could_be(view, options, view.balloted.total) == 0)
        # Calling is never a mistake.
        plays = [play for play in turn.choices() if not isinstance(play, Ballot) and play.call]
        numbers = [play for play in plays if isinstance(play, Number)]
        honest = [play for play in numbers if play.announce == makes(view, options, play.value)]
        safe = [play for play in honest if play.announce <= view.limit]
        if safe:
            return max(safe, key=lambda play: play.value)
        others = [play for play in plays if not isinstance(play, Number)]
        if others:
            # A reverse is worth least: it costs no seat a card or a turn.
            turned = [play for play in others if isinstance(play, ActionCard)]
            return self.random.choice(turned or others)
        return min(honest or numbers, key=lambda play: (play.announce, play.value))


def makes(view: BloeffView, options: BloeffOptions, value: int) -> int:
    """Return the honest total of a number card."""
    total = view.total + value
    return max(0, total) if options.below_zero == "floor" else total


def could_be(view: BloeffView, options: BloeffOptions, total: int) -> int:
    """Return how many cards that this seat has not seen would make the announced total honest."""
    seen = [*view.hand, *view.seen, *view.face_down]
    return sum(
        row.count - seen.count(row.card)
        for row in options.deck
        if row.card in NUMBER_CARDS and makes(view, options, row.card) == total
    )


if __name__ == "__main__":
    run(BloeffHonest)
