"""`arena replay`: prints a match in words."""

from typing import Annotated

import typer

from arena.commands.errors import CommandError
from arena.commands.options import AsJson
from arena.commands.results.match_argument import transcript_of
from arena.commands.terminal import say, say_json
from arena.match.replay import TranscriptError
from arena.match.transcript import Transcript
from arena.showing.replay_in_words import replay_in_words


def replay(
    match: Annotated[str, typer.Argument(metavar="MATCH_ID|FILE", help="The match.")],
    as_json: AsJson = False,
) -> None:
    """Print a match step by step in words, with all secrets open, and its faults."""
    try:
        say_replay(transcript_of(match), as_json=as_json)
    except TranscriptError as error:
        raise CommandError(f"{match} cannot be replayed: {error}.") from error


def say_replay(transcript: Transcript, *, as_json: bool) -> None:
    """Print a match in words. Raises TranscriptError."""
    told = replay_in_words(transcript)
    if as_json:
        say_json(told)
        return
    say("\n".join(told["steps"]))
    for name, faults in zip(told["seats"], told["faults"], strict=True):
        if faults:
            say(f"Faults of {name}: {faults}.")
