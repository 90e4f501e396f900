"""Vectors of whole matches, as JSON documents and as messages; and some that were tampered with."""

import base64
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from google.protobuf.json_format import MessageToDict

from arena.codec.transcript import to_message
from arena.games import make_game
from arena.local.in_process import Contender, Seed, play_match
from arena.local.loading import load_bot
from arena.match.transcript import Transcript
from arena.match.transcript_json import to_json
from arena.signatures import Signer
from arena.v1 import transcript_pb2

_SIGNER = Signer(bytes(range(32)))
"""The key of the signature vectors of transcript.md."""

_MATCHES: tuple[tuple[str, dict[str, Any], str, set[str]], ...] = (
    ("bluff", {}, "honest bayes", {"starting_roll", "roll"}),
    (
        "bluff",
        {"dice_per_player": 1, "start_rerolls": 0, "start_star_value": 0},
        "honest honest honest honest honest honest",
        {"opener_draw"},
    ),
    (
        "bluff",
        {"dice_per_player": 2, "show_and_reroll": True},
        "random random random",
        {"reroll"},
    ),
    ("bluff", {"start_mode": "seat", "bet_cap": "table"}, "bayes random timid", {"roll"}),
    ("bluff_you", {}, "bluff_you_honest bluff_you_equilibrium", {"roll"}),
    (
        "bluff_you",
        {"steal_takes": "any_chip", "swap_max_per_turn": 3, "announce_missing_chip": "no_effect"},
        "random random random",
        {"roll"},
    ),
    ("bloeff", {}, "bloeff_honest bloeff_counter", {"deal"}),
    ("bloeff", {}, "random random random random random", {"reshuffle", "doubter"}),
    (
        "bloeff",
        {"draw2_ends_turn": True, "below_zero": "bluff"},
        "random random random random random",
        {"reshuffle", "doubter"},
    ),
    (
        "bloeff",
        {"doubt_choice": "turn_order", "caught_card_returns": True, "publish_ballots": "all"},
        "random random random random",
        {"deal"},
    ),
    (
        "bloeff",
        {"call_mode": "auto", "announce_range": "any"},
        "bloeff_counter random bloeff_honest",
        {"deal"},
    ),
)
"""Game, options, bots by seat, and the draws that must occur."""

_MOST_ATTEMPTS = 1000


@cache
def _matches() -> tuple[tuple[transcript_pb2.Transcript, Transcript], ...]:
    return tuple(_match(number) for number in range(len(_MATCHES)))


def _match(number: int) -> tuple[transcript_pb2.Transcript, Transcript]:
    """The first match of the line-up in which the wanted draws occur."""
    game, options, line_up, wanted = _MATCHES[number]
    contenders = [Contender(bot, load_bot(bot)) for bot in line_up.split()]
    for attempt in range(_MOST_ATTEMPTS):
        seed = Seed(f"vectors {number} {attempt}")
        transcript, _ = play_match(make_game(game, options), contenders, seed, 0)
        signed = _SIGNER.signed(transcript)
        message = to_message(signed)
        kinds = {getattr(step.draw, game).WhichOneof("draw") for step in message.steps}
        if kinds >= wanted:
            return message, signed
    raise AssertionError(f"no match has {wanted}")


def as_json(message: Any) -> Any:
    """The JSON form of protobuf, with the names of the proto files and enums as numbers."""
    return MessageToDict(message, preserving_proto_field_name=True, use_integers_for_enums=True)


def match_vectors() -> Iterator[dict[str, Any]]:
    """Matches: the document of transcript.md, and the message that travels on the wire."""
    for message, transcript in _matches():
        yield {"document": to_json(transcript), "message": as_json(message)}


def tampered_vectors() -> Iterator[dict[str, Any]]:
    """The same matches, each changed in one place that a check of the dealing must notice."""
    for what, change in _CHANGES.items():
        for message, _ in _matches():
            copy = transcript_pb2.Transcript()
            copy.CopyFrom(message)
            if change(copy):
                yield {"changed": what, "message": as_json(copy)}
                break
        else:
            raise AssertionError(f"no match has {what}")


_Change = Callable[[transcript_pb2.Transcript], bool]


def _draw(game: str, kind: str, last: bool, change: Callable[[Any], bool]) -> _Change:
    """Changes the first or last draw of a kind in which that is possible."""

    def changed(message: transcript_pb2.Transcript) -> bool:
        steps = reversed(message.steps) if last else iter(message.steps)
        for step in steps:
            draw = getattr(step.draw, game)
            if draw.WhichOneof("draw") == kind and change(getattr(draw, kind)):
                return True
        return False

    return changed


def _first_die(draw: Any) -> bool:
    dice = [seat for seat in draw.dice if seat.faces]
    dice[0].faces[0] = dice[0].faces[0] % 6 + 1
    dice[0].faces.sort()
    return True


def _swapped(draw: Any) -> bool:
    """Exchanges the first two different neighbours."""
    for at in range(len(draw.cards) - 1):
        if draw.cards[at] != draw.cards[at + 1]:
            draw.cards[at], draw.cards[at + 1] = draw.cards[at + 1], draw.cards[at]
            return True
    return False


def _other_card(draw: Any) -> bool:
    draw.cards[0] = draw.cards[0] % 10 + 1
    return True


def _other_seat(draw: Any) -> bool:
    draw.seat = 0 if draw.seat else 1
    return True


def _reroll(draw: Any) -> bool:
    draw.dice.faces[0] = draw.dice.faces[0] % 6 + 1
    draw.dice.faces.sort()
    return True


def _three_dice(draw: Any) -> bool:
    draw.dice[0], draw.dice[2] = draw.dice[2], draw.dice[0]
    return bool(draw.dice[0] != draw.dice[2])


def _secret(message: transcript_pb2.Transcript) -> bool:
    message.secret = bytes(32)
    return True


def _entropy(message: transcript_pb2.Transcript) -> bool:
    message.entropies[-1] = base64.b64decode("AAECAwQFBgcICQoLDA0ODw==")
    return True


def _entropies(message: transcript_pb2.Transcript) -> bool:
    message.entropies[0], message.entropies[1] = message.entropies[1], message.entropies[0]
    return True


def _match_id(message: transcript_pb2.Transcript) -> bool:
    message.setup.match_id = "00000000-0000-4000-8000-000000000000"
    return True


_CHANGES: dict[str, _Change] = {
    "the secret": _secret,
    "the entropy of the last seat": _entropy,
    "the order of the entropies": _entropies,
    "the match id": _match_id,
    "a die of a starting roll": _draw("bluff", "starting_roll", False, _first_die),
    "the opener": _draw("bluff", "opener_draw", False, _other_seat),
    "a die of the last round": _draw("bluff", "roll", True, _first_die),
    "a die of a re-roll": _draw("bluff", "reroll", True, _reroll),
    "the order of the dice": _draw("bluff_you", "roll", True, _three_dice),
    "the order of two cards of the deal": _draw("bloeff", "deal", False, _swapped),
    "a card of the deal": _draw("bloeff", "deal", False, _other_card),
    "the order of two cards of a reshuffle": _draw("bloeff", "reshuffle", True, _swapped),
    "the doubter": _draw("bloeff", "doubter", True, _other_seat),
}
