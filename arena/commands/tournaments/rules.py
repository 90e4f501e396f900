"""Checks of the rules of a tournament given to a command, without a database."""

from collections.abc import Sequence

from arena.commands.errors import CommandError
from arena.commands.options import game_options
from arena.games import make_game
from arena.games.game import AnyGame
from arena.scheduling.pairings import FormatError
from arena.server.tournaments.tournament import Rules
from arena.wording import span


def game_at_tables_of(seats: int, game: str, option: Sequence[str] | None) -> AnyGame:
    """Return the game with its options.

    Raises CommandError for a wrong number of seats, UnknownGameError and OptionsError.
    """
    rules = make_game(game, game_options(option))
    if seats not in rules.seat_counts:
        allowed = span(rules.seat_counts[0], rules.seat_counts[-1])
        raise CommandError(f"--seats {seats}: {rules.title} is played by {allowed}.")
    return rules


def check_format(rules: Rules, field: int) -> None:
    """Raise CommandError if this number of bots cannot play a tournament by these rules."""
    try:
        rules.plan(field)
    except FormatError as error:
        raise CommandError(f"This cannot be played: {error}.") from error
