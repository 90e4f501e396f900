"""`arena event ladder`, `standings`, `matches` and `transcript`: what is played in an event.

They ask the referee, and show private events to the members who are signed in.
"""

from dataclasses import asdict, astuple
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.addresses import DEFAULT_ADDRESS
from arena.commands.events.entering import key_at
from arena.commands.events.organising import EventName
from arena.commands.options import AddressOption, AsJson
from arena.commands.owners.logins import client_of
from arena.commands.terminal import say, say_json, say_table
from arena.moments import in_utc, iso_utc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.clients.event_client import EventMatch


def ladder(
    name: EventName, address: AddressOption = DEFAULT_ADDRESS, as_json: AsJson = False
) -> None:
    """Show the ladder of an event: Elo with 95 % intervals, among its bots and the house's."""
    found = client_of(address).ladder(name, key=key_at(address))
    if as_json:
        say_json([asdict(one) for one in found])
        return
    if not found:
        say(f"Nothing is played on a ladder of {name}: it has none, or no bot plays yet.")
        return
    rows = []
    for one in found:
        ranks = f"{one.rank_low}" + f" to {one.rank_high}" * (one.rank_high > one.rank_low)
        low, high = one.interval
        version = "" if one.house else one.entrant.version
        interval, matches = f"{low:+.0f} to {high:+.0f}", f"{one.matches:,}"
        entrant = (one.entrant.bot, version, one.entrant.owner)
        rows.append((ranks, *entrant, f"{one.elo:+.0f}", interval, matches))
    say_table(("rank", "bot", "version", "owner", "Elo", "95 % interval", "matches"), rows)


def standings(
    name: EventName, address: AddressOption = DEFAULT_ADDRESS, as_json: AsJson = False
) -> None:
    """Show the standings of a final that is released."""
    found = client_of(address).event_standings(name, key=key_at(address))
    if as_json:
        say_json([asdict(one) for one in found])
        return
    if not found:
        say(f"The final of {name} is not released: there is nothing to see yet.")
        return
    rows = []
    for one in found:
        margin = "" if one.margin is None else f" ± {one.margin:.1f}"
        rows.append((one.place, *astuple(one.entrant), f"{one.points:.1f}{margin}"))
    say_table(("place", "bot", "version", "owner", "points"), rows)


def matches(
    name: EventName,
    bot: Annotated[str, typer.Option(help="Matches of this bot alone.")] = "",
    final: Annotated[
        bool, typer.Option("--final", help="Those of the final of a private event.")
    ] = False,
    before: Annotated[int, typer.Option(min=0, help="Only blocks before this number.")] = 0,
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """List matches on the ladder of an event, newest first; `arena event transcript` has more."""
    found = client_of(address).event_matches(
        name, bot=bot, before=before, final=final, key=key_at(address)
    )
    if as_json:
        say_json([_json(one) for one in found])
        return
    if not found:
        say("There is no such match.")
        return
    rows = []
    for one in found:
        seats = ", ".join(f"{entrant.bot} {placing}" for entrant, placing in one.seats)
        rows.append((one.match_id, one.block, in_utc(one.ended), seats))
    say_table(("match", "block", "ended", "seats: bot, placing"), rows)
    say(about_older(found))


def about_older(found: "Sequence[EventMatch]") -> str:
    """Return how to see older matches, and how many of these have no transcript any more."""
    gone = sum(not one.kept for one in found)
    kept = (
        f" {gone} of these have no transcript any more: only those of the newest blocks are kept."
    )
    return f"Older ones: --before {found[-1].block}." + kept * bool(gone)


def transcript(
    name: EventName,
    match: Annotated[str, typer.Argument(help="The match's id, see `arena event matches`.")],
    address: AddressOption = DEFAULT_ADDRESS,
) -> None:
    """Print the transcript of a match of an event as JSON, as `arena verify` reads it."""
    from arena.match.transcript_json import to_json

    found = client_of(address).event_transcript(name, match, key=key_at(address))
    say_json(to_json(found))


def _json(one: "EventMatch") -> dict[str, Any]:
    return {
        "match_id": one.match_id,
        "block": one.block,
        "ended": iso_utc(one.ended),
        "seats": [
            {"bot": entrant.bot, "version": entrant.version, "placing": placing}
            for entrant, placing in one.seats
        ],
        "kept": one.kept,
    }
