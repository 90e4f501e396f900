"""The wire form of the options of Blöff that PlainCodec does not derive."""

from collections.abc import Mapping
from typing import Any, Final

from arena.codec.plain_codec import Member, flag
from arena.games.bloeff.deck import DealRow, DeckRow
from arena.games.bloeff.kit.codec_cards import card_number, read_card
from arena.games.bloeff.values import HIGHEST_VALUE
from arena.v1 import bloeff_pb2 as pb


def _deck_row(row: DeckRow) -> dict[str, Any]:
    return {"card": card_number(row.card), "colour": row.colour, "count": row.count}


def _read_deck_row(message: pb.BloeffDeckRow) -> dict[str, Any]:
    # The message holds only what the card does not determine; the rest follows from the card.
    row = {"colour": message.colour, "count": message.count}
    card = read_card(message.card)
    if card <= HIGHEST_VALUE:
        return row | {"class": "number", "name": str(card), "value": int(card)}
    return row | {"class": "action", "name": str(card), "effect": str(card)}


def _deal_row(row: DealRow) -> dict[str, Any]:
    return {"seats": row.seats, "cards": row.cards}


def _read_deal_row(message: pb.BloeffDealRow) -> dict[str, Any]:
    return {"seats": message.seats, "cards": message.cards}


OPTIONS: Final[Mapping[str, Member]] = {
    "deck": Member(
        "deck",
        lambda rows: list(map(_deck_row, rows)),
        lambda message: tuple(map(_read_deck_row, message.deck)),
    ),
    "deal": Member(
        "deal",
        lambda rows: list(map(_deal_row, rows)),
        lambda message: tuple(map(_read_deal_row, message.deal)),
    ),
    "below_zero": flag("below_zero_is_bluff", yes="bluff", no="floor"),
    "announce_range": flag("announce_any", yes="any", no="plausible"),
    "call_mode": flag("auto_call", yes="auto", no="explicit"),
    "doubt_choice": flag("doubt_in_turn_order", yes="turn_order", no="random"),
    "publish_ballots": flag("publish_all_ballots", yes="all", no="chosen"),
    "final_tie": flag("fewest_cards_break_ties", yes="fewest_cards", no="shared"),
}
"""The codecs by option."""
