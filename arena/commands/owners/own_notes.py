"""`arena bot notes` and `share-notes`: what bots noted beside their answers, from a referee."""

from typing import Annotated

import typer

from arena.addresses import DEFAULT_ADDRESS
from arena.commands.options import AddressOption, AsJson
from arena.commands.owners.logins import client_of, kept_login, login_at
from arena.commands.terminal import say, say_json
from arena.match.notes import note_to_json, summed
from arena.showing.usage import usage_in_words


def notes(
    match: Annotated[str, typer.Argument(help="A match's id.")],
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """Print what bots noted in a finished match at a referee.

    Those of your bots, if you are signed in there, and those of bots whose owners share them.
    """
    login = kept_login(address)
    found = client_of(address).notes(match, None if login is None else login.key)
    if as_json:
        say_json([note_to_json(one) for one in found])
        return
    for one in found:
        # Indented deeper than any line of this command, so that a note cannot imitate one.
        text = "\n    ".join(one.text.splitlines())
        say(f"Turn {one.turn_number}, seat {one.seat}: {text}".rstrip())
        if one.usage is not None:
            say(f"  {usage_in_words(one.usage)}")
    for seat in sorted({one.seat for one in found}):
        usages = [one.usage for one in found if one.seat == seat and one.usage is not None]
        if usages:
            say(f"Seat {seat} in all (answers: {len(usages)}): {usage_in_words(summed(usages))}.")
    if not found:
        say("There are no notes of this match that you may read.", err=True)


def share_notes(
    name: Annotated[str, typer.Argument(help="The bot's name.")],
    stop: Annotated[bool, typer.Option("--stop", help="Only you read them again.")] = False,
    address: AddressOption = DEFAULT_ADDRESS,
) -> None:
    """Let everybody read the notes of a bot of yours once a match is over, past ones too.

    At first only you read them.
    """
    client_of(address).share_notes(login_at(address).key, name, shared=not stop)
    say(f"The notes of {name} are read by {'you alone' if stop else 'everybody'}.", err=True)
