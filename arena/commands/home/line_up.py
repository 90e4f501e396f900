"""The conversion of a command's arguments to bots with distinct names for a game."""

from collections.abc import Sequence
from pathlib import Path

from arena.commands.errors import CommandError
from arena.games.game import AnyGame
from arena.local.deal_blocks import NamedBot
from arena.local.loading import (
    bot_command,
    bot_file,
    command_name,
    load_bot,
    samples_of,
    settings_and_bot,
)
from arena.wording import number_of, span


def line_up(words: Sequence[str], game: AnyGame) -> list[NamedBot]:
    """Return an entry for each word, as many as the game has seats.

    Raises CommandError, also for a number of bots that the game does not allow, and BotFileError.
    """
    check_seats(len(words), game)
    return entries(words, game)


def check_seats(bots: int, game: AnyGame) -> None:
    """Raise CommandError unless the game allows this number of bots."""
    if bots not in game.seat_counts:
        counts = game.seat_counts
        raise CommandError(
            f"{game.title} is played by {span(counts[0], counts[-1])} seats under these options; "
            f"{number_of(bots, 'bot was', 'bots were')} named."
        )


def entries(words: Sequence[str], game: AnyGame) -> list[NamedBot]:
    """Return an entry for each word; repeated bots get numbers.

    A word is a bot with its settings, if any, before it: `DEPTH=3 mine.py`.

    Raises CommandError for a bot that does not play the game, and BotFileError.
    """
    found: list[NamedBot] = []
    for said in words:
        settings, word = settings_and_bot(said)
        command = bot_command(word)
        name = command_name(command) if command else Path(word).stem
        if not command and game.name not in (games := load_bot(word, settings).games):
            raise CommandError(
                f"{name} does not play {game.title}; it plays {', '.join(games)}. "
                f"Sample bots that do: {', '.join(samples_of(game.name))}."
            )
        taken = [entry.name for entry in found]
        copies = (f"{name}-{number}" for number in range(2, len(words) + 2))
        free = next(free for free in (name, *copies) if free not in taken)
        bot = word if command else str(bot_file(word))
        found.append(NamedBot(free, bot, command, settings))
    return found
