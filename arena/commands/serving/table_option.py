"""The `--table` option: the tables that a referee opens, with a ladder each."""

from collections.abc import Sequence

from arena.commands.errors import CommandError
from arena.games import make_game
from arena.match.clock import TIME_SETTINGS, TimeControlError, time_control_of
from arena.scheduling.ladder import TableType

DEFAULT_TABLES = ("bluff:2",)
HELP = (
    "A ladder to run, as GAME:SEATS or GAME:SEATS:OPTION=VALUE,… May be repeated. Besides the "
    "game's options there are turn and bank, how long seats may think: bluff:2:turn=60s,bank=10m."
)


def table_types(tables: Sequence[str]) -> list[TableType]:
    """Return the option's values. Raises CommandError, UnknownGameError and OptionsError."""
    return [_table_type(table) for table in tables or DEFAULT_TABLES]


def _table_type(table: str) -> TableType:
    name, _, rest = table.partition(":")
    seats, _, settings = rest.partition(":")
    if not seats.isdecimal():
        raise CommandError(f"--table {table}: write GAME:SEATS, for example bluff:2.")
    options: dict[str, str] = {}
    times: dict[str, str] = {}
    for setting in filter(None, settings.split(",")):
        option, equals, value = setting.partition("=")
        if not equals:
            raise CommandError(f"--table {table}: {setting} is not OPTION=VALUE.")
        (times if option in TIME_SETTINGS else options)[option] = value
    game = make_game(name, options)
    if int(seats) not in game.seat_counts:
        raise CommandError(
            f"--table {table}: {game.title} is played by {game.seat_counts.start} to "
            f"{game.seat_counts.stop - 1} seats."
        )
    try:
        return TableType(game.name, game.options, int(seats), time_control_of(times))
    except TimeControlError as error:
        raise CommandError(f"--table {table}: {error}.") from error
