"""`arena policy`: the rules that the operator sets for all bots."""

from typing import Annotated

import typer

from arena.commands.database import with_store
from arena.commands.errors import CommandError, exit_with_message
from arena.commands.owners.operator import actor
from arena.commands.terminal import say, say_json
from arena.scheduling.bot_paces import pace_in_words, read_bot_pace


def policy(
    pace: Annotated[
        str | None,
        typer.Option(
            metavar="N|max",
            help="Rated matches an hour that a bot may begin, but those of the house and those "
            "with a limit of their own (`arena bot pace --operator`); max for any number.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """As the operator, change the rules for all bots, as far as given, and print them.

    They hold at once, at all referees.
    """
    with exit_with_message():
        if pace is not None:
            try:
                chosen = read_bot_pace(pace)
            except ValueError as error:
                raise CommandError(f"--pace {pace}: {error}.") from error
            with_store(lambda store: store.paces.allow_all(chosen, actor()))
        now = with_store(lambda store: store.paces.of_all())
    if as_json:
        say_json({"pace": now})
        return
    say(f"A bot {pace_in_words(now)}.")
