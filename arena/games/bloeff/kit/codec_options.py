"""The wire form of Blöff's options, including the tables of cards."""

from typing import Any

from arena.codec.options_reading import validated
from arena.games.bloeff.kit.codec_cards import card_number, read_card
from arena.games.bloeff.options import BloeffOptions
from arena.games.bloeff.values import HIGHEST_VALUE
from arena.v1 import bloeff_pb2 as pb


def write_options(options: BloeffOptions, message: pb.BloeffOptions) -> None:
    """Write the options into the message."""
    message.players_min = options.players_min
    message.players_max = options.players_max
    for kind in options.deck:
        message.deck.add(card=card_number(kind.card), colour=kind.colour, count=kind.count)
    for row in options.deal:
        message.deal.add(seats=row.seats, cards=row.cards)
    message.limits.extend(options.limits)
    message.first_seat = options.first_seat
    message.below_zero_is_bluff = options.below_zero == "bluff"
    message.announce_any = options.announce_range == "any"
    message.doubt_penalty = options.doubt_penalty
    message.bust_penalty = options.bust_penalty
    message.call_penalty = options.call_penalty
    message.auto_call = options.call_mode == "auto"
    message.draw2_ends_turn = options.draw2_ends_turn
    message.caught_card_returns = options.caught_card_returns
    message.doubt_in_turn_order = options.doubt_choice == "turn_order"
    message.publish_all_ballots = options.publish_ballots == "all"
    message.points_blue = options.points_blue
    message.points_other = options.points_other
    message.fewest_cards_break_ties = options.final_tie == "fewest_cards"
    message.max_turns = options.max_turns


def read_options(message: pb.BloeffOptions) -> BloeffOptions:
    """Return the options of a message.

    Raises MalformedError.
    """
    return validated(
        BloeffOptions,
        {
            "players_min": message.players_min,
            "players_max": message.players_max,
            "deck": tuple(map(_deck_row, message.deck)),
            "deal": tuple({"seats": row.seats, "cards": row.cards} for row in message.deal),
            "limits": tuple(message.limits),
            "first_seat": message.first_seat,
            "below_zero": "bluff" if message.below_zero_is_bluff else "floor",
            "announce_range": "any" if message.announce_any else "plausible",
            "doubt_penalty": message.doubt_penalty,
            "bust_penalty": message.bust_penalty,
            "call_penalty": message.call_penalty,
            "call_mode": "auto" if message.auto_call else "explicit",
            "draw2_ends_turn": message.draw2_ends_turn,
            "caught_card_returns": message.caught_card_returns,
            "doubt_choice": "turn_order" if message.doubt_in_turn_order else "random",
            "publish_ballots": "all" if message.publish_all_ballots else "chosen",
            "points_blue": message.points_blue,
            "points_other": message.points_other,
            "final_tie": "fewest_cards" if message.fewest_cards_break_ties else "shared",
            "max_turns": message.max_turns,
        },
    )


def _deck_row(message: pb.BloeffDeckRow) -> dict[str, Any]:
    # The message holds only what the card does not determine; the rest follows from the card.
    row = {"colour": message.colour, "count": message.count}
    card = read_card(message.card)
    if card <= HIGHEST_VALUE:
        return row | {"class": "number", "name": str(card), "value": int(card)}
    return row | {"class": "action", "name": str(card), "effect": str(card)}
