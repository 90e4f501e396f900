"""`arena policy`: the rules that the operator sets for all bots."""

from dataclasses import asdict
from typing import Annotated

import typer

from arena.commands.database import with_store
from arena.commands.errors import CommandError
from arena.commands.options import AsJson
from arena.commands.owners.operator import actor
from arena.commands.terminal import say, say_json
from arena.scheduling.bot_paces import pace_in_words, read_bot_pace

_MOST = 100_000
_ALL = "all"


def policy(
    pace: Annotated[
        str | None,
        typer.Option(
            metavar="N|max",
            help="Rated matches an hour that a bot may begin, but those of the house and those "
            "with a limit of their own (`arena bot pace --operator`); max for any number.",
        ),
    ] = None,
    ranked_versions: Annotated[
        str | None,
        typer.Option(
            metavar="N|all",
            help="Rank only the N newest versions of each bot on a ladder.",
        ),
    ] = None,
    ranked_days: Annotated[
        str | None,
        typer.Option(metavar="N|all", help="Rank only versions that played within N days."),
    ] = None,
    transcript_days: Annotated[
        str | None,
        typer.Option(
            metavar="N|all",
            help="Keep transcripts, faults and analyses of matches outside of tournaments and "
            "events for N days; results stay. What is removed cannot be restored.",
        ),
    ] = None,
    notice_days: Annotated[
        str | None,
        typer.Option(
            metavar="N|all",
            help="Keep notices of bots, and records of deliveries to webhooks, for N days; what "
            "feeds show stays.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """As the operator, change the given rules for all bots, and print all rules.

    They take effect at once, at all referees. Ratings do not change.
    """
    changes: dict[str, int | None] = {}
    if pace is not None:
        try:
            changes["bot_pace"] = read_bot_pace(pace)
        except ValueError as error:
            raise CommandError(f"--pace {pace}: {error}.") from error
    numbers = {
        "ranked-versions": ranked_versions,
        "ranked-days": ranked_days,
        "transcript-days": transcript_days,
        "notice-days": notice_days,
    }
    for option, given in numbers.items():
        if given is not None:
            changes[option.replace("-", "_")] = _number(option, given)
    if changes:
        now = with_store(lambda store: store.policies.change(changes, actor()))
    else:
        now = with_store(lambda store: store.policies.now())
    if as_json:
        say_json(asdict(now))
        return
    say(f"A bot {pace_in_words(now.bot_pace)}.")
    newest = "all versions" if now.ranked_versions is None else f"newest {now.ranked_versions:,}"
    of_days = "" if now.ranked_days is None else f" that played within {now.ranked_days:,} days"
    say(f"Ranked are of each bot: {newest}{of_days}.")
    kept = _kept(now.transcript_days)
    say(f"Transcripts kept, besides those of tournaments and events: {kept}.")
    say(f"Notices kept, besides those in feeds: {_kept(now.notice_days)}.")


def _kept(days: int | None) -> str:
    return "all" if days is None else f"those of the last {days:,} days"


def _number(option: str, given: str) -> int | None:
    """Return a number of versions or days; None for all. Raises CommandError."""
    if given.strip().lower() == _ALL:
        return None
    number = int(given) if given.isascii() and given.isdecimal() and len(given) < 9 else 0
    if not 1 <= number <= _MOST:
        raise CommandError(f"--{option} {given}: write 1 to {_MOST:,}, or {_ALL}.")
    return number
