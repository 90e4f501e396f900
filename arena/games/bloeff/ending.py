"""The end of a match: points and ranks (BO-23 to BO-25)."""

from arena.games.bloeff.events import Ending, MatchEnded
from arena.games.bloeff.options import BloeffOptions
from arena.games.bloeff.state import BloeffPhase, BloeffState, Draft
from arena.games.game import competition_ranking


def end_match(draft: Draft, options: BloeffOptions, ending: Ending) -> None:
    """End the match and score the hands as they are; cards in front of seats do not count."""
    draft.phase = BloeffPhase.OVER
    draft.ending = ending
    draft.news.append(MatchEnded(ending, points(draft, options)))


def points(state: BloeffState | Draft, options: BloeffOptions) -> tuple[int, ...]:
    """Return the points by seat; fewer are better (BO-24)."""
    blue = {row.card for row in options.deck if row.class_ == "number" and row.colour == "blue"}
    return tuple(
        sum(options.points_blue if card in blue else options.points_other for card in hand)
        for hand in state.hands
    )


def ranks(state: BloeffState, options: BloeffOptions) -> tuple[int, ...]:
    """Return the ranks by seat; equal points tie, unless fewer cards break the tie (BO-25)."""
    fewest_cards = options.final_tie == "fewest_cards"
    return competition_ranking(
        [
            (-count, -len(hand) if fewest_cards else 0)
            for count, hand in zip(points(state, options), state.hands, strict=True)
        ]
    )
