"""`arena bridge`: runs a program that reads and writes lines of JSON as a bot."""

import os
import shutil
from contextlib import suppress
from typing import Annotated

import typer

from arena.addresses import DEFAULT_ADDRESS
from arena.bot.running import BotRun, RunSettings
from arena.bridge import lines
from arena.bridge.bot import BridgedBot
from arena.bridge.bridge import Bridge, ProgramError
from arena.commands.errors import CommandError
from arena.commands.options import AddressOption
from arena.games import make_game


def bridge(
    command: Annotated[
        list[str],
        typer.Argument(help="The program and its arguments, after --.", metavar="COMMAND"),
    ],
    games: Annotated[str, typer.Option(help="The games it plays, with commas.")] = "bluff",
    max_matches: Annotated[
        int, typer.Option(min=1, max=64, help="How many matches it plays at once.")
    ] = 16,
    process_per_match: Annotated[
        bool, typer.Option("--process-per-match", help="Run the program once for each match.")
    ] = False,
    address: AddressOption = DEFAULT_ADDRESS,
    instance: Annotated[
        str,
        typer.Option(
            envvar="ARENA_INSTANCE", help="A name for this copy, when several run at once."
        ),
    ] = "",
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop when the verification of a match fails.")
    ] = False,
    challenges: Annotated[
        bool,
        typer.Option(
            "--challenges",
            envvar="ARENA_CHALLENGES",
            help="Also play unrated matches that others ask for.",
        ),
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log every match.")] = False,
) -> None:
    """Let a program that reads and writes lines of JSON play as a bot (docs/stdio.md).

    The bot's token is read from ARENA_TOKEN. Ends as a bot of the SDK does, and with code 1 if the
    program ends, hangs or writes an invalid answer.
    """
    token = os.environ.get("ARENA_TOKEN", "").strip()
    names = tuple(dict.fromkeys(make_game(name.strip()).name for name in games.split(",")))
    if shutil.which(command[0]) is None:
        raise CommandError(f"there is no program {command[0]}.")

    class Bridged(BridgedBot):
        """A program behind the bridge."""

    Bridged.games, Bridged.max_matches = names, max_matches
    settings = RunSettings(address, token, instance, strict, verbose, challenges)
    run = BotRun(Bridged, settings)
    hello = lines.hello(names, max_matches)
    Bridged.bridge = Bridge(command, hello, run.leave, per_match=process_per_match)
    try:
        with suppress(KeyboardInterrupt):
            Bridged.bridge.open()
            run.play()
    finally:
        Bridged.bridge.close()
    if Bridged.bridge.failure is not None:
        raise ProgramError(Bridged.bridge.failure)
