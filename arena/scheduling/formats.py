"""The tournament formats by name; `make_format` makes one from a tournament's parameters."""

from enum import Enum
from typing import assert_never

from arena.scheduling.gauntlet import Gauntlet
from arena.scheduling.groups import Groups, usual_advance, usual_groups
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
    GROUPS = "groups"


def make_format(
    name: FormatName,
    *,
    field: int,
    seats: int,
    blocks: int,
    rounds: int | None,
    seed: str,
    groups: int | None = None,
    advance: int | None = None,
) -> Format:
    """Return the format for a field of `field` bots.

    Raises FormatError, saying what is possible.

    `rounds`: the number of cycles (round robin, gauntlet, groups; default 1), or the rounds of a
    Swiss (default: enough to leave at most one bot unbeaten). `blocks`: per pairing. `groups` and
    `advance`: the number of groups and how many of each go on; defaults: `usual_groups` and
    `usual_advance`.
    """
    if blocks < 1 or (rounds is not None and rounds < 1):
        raise FormatError("a pairing needs at least one block, and a tournament one round")
    if name is not FormatName.GROUPS and (groups is not None or advance is not None):
        raise FormatError("only the format groups has groups, of which the best go on")
    found: Format
    match name:
        case FormatName.ROUND_ROBIN:
            found = RoundRobin(seats, blocks, rounds or 1, seed)
        case FormatName.GAUNTLET:
            found = Gauntlet(seats, blocks, rounds or 1, seed)
        case FormatName.SWISS:
            # Imported here, because only a Swiss needs the large matching library.
            from arena.scheduling.swiss import Swiss, usual_rounds

            found = Swiss(blocks, rounds or usual_rounds(field), seed, seats)
        case FormatName.KNOCKOUT:
            if rounds is not None:
                raise FormatError("the rounds of a knockout follow from the number of bots")
            if seats > 2:
                found = TableKnockout(blocks, seed, seats, field)
            else:
                found = Knockout(blocks, seed)
        case FormatName.GROUPS:
            groups = groups or usual_groups(field, seats, advance)
            advance = advance or usual_advance(field, seats, groups)
            found = Groups(seats, blocks, rounds or 1, field, groups, advance, seed)
        case _:
            assert_never(name)
    found.check(field)
    return found
