"""The tournament formats by name; `make_format` makes one from a tournament's parameters."""

from enum import Enum
from typing import assert_never

from arena.scheduling.gauntlet import Gauntlet
from arena.scheduling.knockout import Knockout
from arena.scheduling.knockout_tables import TableKnockout
from arena.scheduling.pairings import Format, FormatError
from arena.scheduling.round_robin import RoundRobin


class FormatName(Enum):
    """The name of a tournament format."""

    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    GAUNTLET = "gauntlet"

    @property
    def round_by_round(self) -> bool:
        """Whether a bot is paired again only after its last pairing is decided."""
        return self in (FormatName.SWISS, FormatName.KNOCKOUT)


def make_format(
    name: FormatName,
    *,
    field: int,
    seats: int,
    blocks: int,
    rounds: int | None,
    seed: str,
) -> Format:
    """Return the format for a field of `field` bots.

    Raises FormatError, saying what is possible.

    `rounds`: the number of cycles (round robin, gauntlet; default 1), or the rounds of a Swiss
    (default: enough to leave at most one bot unbeaten). `blocks`: per pairing.
    """
    if blocks < 1 or (rounds is not None and rounds < 1):
        raise FormatError("a pairing needs at least one block, and a tournament one round")
    found = _made(name, field, seats, blocks, rounds, seed)
    found.check(field)
    return found


def _made(
    name: FormatName,
    field: int,
    seats: int,
    blocks: int,
    rounds: int | None,
    seed: str,
) -> Format:
    match name:
        case FormatName.ROUND_ROBIN:
            return RoundRobin(seats, blocks, rounds or 1, seed)
        case FormatName.GAUNTLET:
            return Gauntlet(seats, blocks, rounds or 1, seed)
        case FormatName.SWISS:
            # Imported here, because only a Swiss needs the large matching library.
            from arena.scheduling.swiss import Swiss, usual_rounds

            return Swiss(blocks, rounds or usual_rounds(field), seed, seats)
        case FormatName.KNOCKOUT:
            if rounds is not None:
                raise FormatError("the rounds of a knockout follow from the number of bots")
            if seats > 2:
                return TableKnockout(seats, blocks, field, seed)
            return Knockout(blocks, seed)
        case _:
            assert_never(name)
