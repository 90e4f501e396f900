"""The wire form of Bluff You!'s chips, dice and announcements."""

from collections.abc import Iterable

from arena.codec.malformed import MalformedError
from arena.codec.wire_numbers import read_seat
from arena.games.bluff_you.values import (
    CHIPS,
    DICE,
    PIPS,
    BluffYouAnnouncement,
    Chips,
    Steal,
    ThreeDice,
    Win,
)
from arena.v1 import bluff_you_pb2 as pb

_CHIPS = frozenset(CHIPS)
_PIPS = frozenset(range(1, PIPS + 1))


def write_numbered(
    announced: BluffYouAnnouncement, message: pb.BluffYouWin | pb.BluffYouSteal
) -> None:
    """Write the seer and the number of an announcement into the message."""
    message.seer = announced.seer
    message.number = announced.number


def write_announcement(announced: BluffYouAnnouncement, message: pb.BluffYouAnnouncement) -> None:
    """Write a win or steal attempt into the message."""
    write_numbered(announced, message.win if isinstance(announced, Win) else message.steal)


def read_announcement(message: pb.BluffYouAnnouncement) -> BluffYouAnnouncement:
    """Return the announcement of a message.

    Raises MalformedError.
    """
    match message.WhichOneof("announcement"):
        case "win":
            return Win(read_seat(message.win.seer), read_chip(message.win.number))
        case "steal":
            return Steal(read_seat(message.steal.seer), read_chip(message.steal.number))
        case _:
            raise MalformedError("the announcement is neither a win nor a steal attempt")


def read_chip(number: int) -> int:
    """Return a chip number unchanged.

    Raises MalformedError if there is no such chip.
    """
    if number not in _CHIPS:
        raise MalformedError(f"{number} is not a chip; chips are {CHIPS[0]} to {CHIPS[-1]}")
    return number


def read_chips(numbers: Iterable[int]) -> Chips:
    """Return chip numbers as a tuple.

    Raises MalformedError for other numbers or too many.
    """
    chips = tuple(numbers)
    if not _CHIPS.issuperset(chips):
        raise MalformedError(f"chips are {CHIPS[0]} to {CHIPS[-1]}")
    if len(chips) > len(CHIPS):
        raise MalformedError(f"there are {len(CHIPS)} chips, not {len(chips)}")
    return chips


def read_dice(pips: Iterable[int]) -> ThreeDice:
    """Return three dice, or () if they are unknown.

    Raises MalformedError.
    """
    dice = tuple(pips)
    if dice and (len(dice) != DICE or not _PIPS.issuperset(dice)):
        raise MalformedError(f"a roll is {DICE} dice of 1 to {PIPS}")
    return dice
