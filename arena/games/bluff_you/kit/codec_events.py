"""The wire form of Bluff You!'s events."""

from arena.codec.malformed import MalformedError
from arena.games.bluff_you.kit.codec_values import (
    read_announcement,
    read_chip,
    read_chips,
    read_dice,
    write_announcement,
)
from arena.games.bluff_you.values import (
    Announced,
    BluffYouEvent,
    Gift,
    Revealed,
    Swapped,
    Taken,
    TurnStarted,
)
from arena.v1 import bluff_you_pb2 as pb


def event_bytes(event: BluffYouEvent) -> bytes:
    """Return an event as a serialized message."""
    message = pb.BluffYouEvent()
    match event:
        case TurnStarted(turn, bluffer, no_win_turns):
            started = message.turn_started
            started.turn = turn
            started.bluffer = bluffer
            started.no_win_turns = no_win_turns
        case Announced(bluffer, announcement):
            message.announced.bluffer = bluffer
            write_announcement(announcement, message.announced.announced)
        case Revealed():
            _write_revealed(event, message.revealed)
        case Gift(giver, receiver, number):
            gift = message.gift
            gift.giver = giver
            gift.receiver = receiver
            gift.number = number
        case Taken(thief, owner, number):
            taken = message.taken
            taken.thief = thief
            taken.owner = owner
            taken.number = number
        case Swapped(bluffer, dice, give, take):
            swapped = message.swapped
            swapped.bluffer = bluffer
            swapped.dice.extend(dice)
            swapped.give.extend(give)
            swapped.take = take
    return message.SerializeToString()


def read_event(message: pb.BluffYouEvent) -> BluffYouEvent:
    """Return the event of a message.

    Raises MalformedError.
    """
    match message.WhichOneof("event"):
        case "turn_started":
            started = message.turn_started
            return TurnStarted(started.turn, started.bluffer, started.no_win_turns)
        case "announced":
            announced = message.announced
            return Announced(announced.bluffer, read_announcement(announced.announced))
        case "revealed":
            return _read_revealed(message.revealed)
        case "gift":
            gift = message.gift
            return Gift(gift.giver, gift.receiver, read_chip(gift.number))
        case "taken":
            taken = message.taken
            return Taken(taken.thief, taken.owner, read_chip(taken.number))
        case "swapped":
            swapped = message.swapped
            dice, give = read_dice(swapped.dice), read_chips(swapped.give)
            return Swapped(swapped.bluffer, dice, give, read_chip(swapped.take))
        case _:
            raise MalformedError("the event is empty")


def _write_revealed(event: Revealed, message: pb.BluffYouRevealed) -> None:
    message.bluffer = event.bluffer
    write_announcement(event.announced, message.announced)
    message.believed = event.believed
    message.dice.extend(event.dice)
    message.winner = event.winner
    if event.chip is not None:
        message.chip = event.chip


def _read_revealed(message: pb.BluffYouRevealed) -> Revealed:
    return Revealed(
        message.bluffer,
        read_announcement(message.announced),
        message.believed,
        read_dice(message.dice),
        message.winner,
        read_chip(message.chip) if message.HasField("chip") else None,
    )
