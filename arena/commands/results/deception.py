"""`arena deception`: prints how often bots bluff, when, and how far from equilibrium."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from arena.commands.errors import CommandError
from arena.commands.progress import with_progress
from arena.commands.results.deception_tables import (
    BotTable,
    PlayedAs,
    deception_json,
    print_bots,
    print_situations,
)
from arena.commands.results.match_argument import recorded, transcripts_in
from arena.commands.terminal import say_json_line
from arena.database.names import folded
from arena.lab.analysis import SolvedShares, solved_shares_of
from arena.lab.deception import BotMatch, ClaimDecision, claim_decisions, deception_of
from arena.match.match_id import is_match_id
from arena.match.replay import TranscriptError
from arena.match.transcript import Transcript

_Solved: TypeAlias = Mapping[int, SolvedShares]


def deception(
    matches: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MATCH_ID|FILE…]", help="Matches, or files with them."),
    ] = None,
    bot: Annotated[
        str | None,
        typer.Option(
            help="Only this bot, by situation: in the matches given, or else in its newest in the "
            "database."
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=10_000, help="How many of the newest, if none are given.")
    ] = 200,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, one object a line for each bot and game.")
    ] = False,
) -> None:
    """Print how often bots bluff, when, and how far from equilibrium; see docs/deception.md.

    A claim is false if it is false in fact, a bluff if it is more likely false than true by what
    its seat sees, and a lie if that seat knows that it is false.
    """
    if matches:
        played = with_progress(_given(matches), _lines(matches), "deception")
    elif bot is not None:
        # The import is here, because a file needs no database.
        from arena.commands.results.recorded_analyses import newest_shares

        played = with_progress(newest_shares(bot, limit), limit, "deception")
    else:
        raise CommandError("Give matches, files with matches, or --bot NAME.")
    found = _tables(played, bot)
    if as_json:
        for one in found:
            say_json_line(deception_json(one))
    elif bot is None:
        print_bots(found)
    else:
        print_situations(found)


def _given(names: list[str]) -> Iterator[tuple[Transcript, _Solved]]:
    """Yield recorded matches and those of files, with solved play. Raises CommandError."""
    for name in names:
        listed = [(name, recorded(name))] if is_match_id(name.lower()) else transcripts_in(name)
        for place, transcript in listed:
            try:
                yield transcript, solved_shares_of(transcript)
            except TranscriptError as error:
                raise CommandError(f"{place} cannot be replayed: {error}.") from error


def _lines(names: Sequence[str]) -> int:
    """Return about how many matches are given, for the progress bar."""
    files = [Path(name) for name in names if Path(name).is_file()]
    return sum(file.read_bytes().count(b"\n") for file in files) + len(names) - len(files)


def _tables(played: Iterator[tuple[Transcript, _Solved]], bot: str | None) -> list[BotTable]:
    """Return the tables of all bots in these matches, or of one. Raises CommandError without any.

    Only the decisions of a match stay in memory, not its transcript.
    """
    matches: dict[tuple[str, str], list[BotMatch]] = defaultdict(list)
    played_as: dict[tuple[str, str], PlayedAs] = defaultdict(PlayedAs)
    for transcript, solved in played:
        setup = transcript.setup
        by_bot: dict[str, list[ClaimDecision]] = defaultdict(list)
        for decision in claim_decisions(transcript):
            by_bot[setup.entrants[decision.seat].bot].append(decision)
        for entrant in setup.entrants:
            if bot is None or folded(entrant.bot) == folded(bot):
                played_as[entrant.bot, setup.game].add(entrant, setup)
        for name, decisions in by_bot.items():
            if (name, setup.game) in played_as:
                matches[name, setup.game].append(BotMatch(setup.keyed_by, decisions, solved))
    if bot is not None and not played_as:
        raise CommandError(f"{bot} plays in none of these matches.")
    found = [
        BotTable(name, game, played_as[name, game], table)
        for (name, game), its in sorted(matches.items())
        if (table := deception_of(its)) is not None
    ]
    if not found:
        raise CommandError("In these matches nobody could claim anything that may be false.")
    return found
