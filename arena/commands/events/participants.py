"""The commands of `arena event` about who takes part, for organisers."""

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.commands.errors import CommandError
from arena.commands.events.organising import EventName, OrganiserAddress, organiser_at
from arena.commands.options import AsJson
from arena.commands.terminal import members, say, say_json, say_table
from arena.moments import in_utc, iso_utc, utc_or_never
from arena.printable import printable

if TYPE_CHECKING:
    from arena.clients.organiser_client import ParticipantSeen

_PEOPLE = ("name", "email", "number", "team", "role", "excused", "bot", "plays", "state")


def entries(name: EventName, address: OrganiserAddress = "", as_json: AsJson = False) -> None:
    """Show who has entered, and who has no accepted build and why, for the organiser.

    With the Elo on the event's own ladder, if it has one.
    """
    _, found = organiser_at(address).participants(name)
    entered = [one for one in found if one.bot]
    if as_json:
        say_json([_entry_json(one) for one in entered])
        return
    rows = []
    for one in entered:
        assert one.entered is not None
        plays = one.version or one.plays or "–"
        plays += " (connected)" * one.connected
        plays += " (withdrawn)" * one.withdrawn
        newest = f"{one.newest}: {one.state.value}" if one.newest and one.state else "none"
        times = (in_utc(one.entered), plays, newest, utc_or_never(one.last_seen))
        elo = "" if one.elo is None else f"{one.elo:+.0f}"
        rows.append((one.bot, one.team, one.owner, *times, elo, one.reason))
    columns = ("bot", "team", "owner", "entered", "plays", "newest build", "last seen")
    say_table((*columns, "Elo", "why"), rows, lesser=["last seen"])
    without = sum(not (one.version or one.plays) for one in entered)
    if without:
        say(
            f"{without} of {len(entered)} bots have no accepted build. "
            f"`arena event log {name} BOT` shows what one printed."
        )


def people(
    name: EventName,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    address: OrganiserAddress = "",
    as_json: AsJson = False,
) -> None:
    """Show the people of a course, and what their teams have entered, for the organiser."""
    _, found = organiser_at(address).participants(name)
    lines = _people_json(found)
    if as_json:
        say_json(lines)
        return
    if as_csv:
        text = io.StringIO()
        written = csv.DictWriter(text, _PEOPLE, lineterminator="\n")
        written.writeheader()
        written.writerows(lines)
        typer.echo(printable(text.getvalue(), keep="\n"), nl=False)
        return
    rows = []
    for one in lines:
        plays = one["plays"] or (f"– ({one['state'] or 'no build'})" if one["bot"] else "–")
        name, bot = one["name"] + " (excused)" * one["excused"], one["bot"] or "not entered"
        rows.append((name, one["email"], one["number"], one["team"], bot, plays))
    say_table(("name", "e-mail", "number", "team", "bot", "plays"), rows)
    without = sorted(one.owner for one in found if one.people and not one.bot)
    if without:
        say(f"Not entered: {', '.join(without)}.")


def log(
    name: EventName,
    bot: Annotated[str, typer.Argument(help="A bot that has entered.")],
    address: OrganiserAddress = "",
    as_json: AsJson = False,
) -> None:
    """Show the last check of a bot's newest build, and what the program printed in it."""
    found = organiser_at(address).last_check(name, bot)
    state = found.state.value if found.state else None
    if as_json:
        say_json({**asdict(found), "state": state})
        return
    if not found.version:
        say(f"No build of {bot} was uploaded.")
        return
    say(f"{bot} {found.version}: {state}")
    for text in (found.reason, found.log):
        if text.strip():
            say(text.rstrip())


def message(
    name: EventName,
    text: Annotated[str, typer.Argument(help="What it says, up to 2,000 characters.")],
    to: Annotated[
        list[str] | None, typer.Option(metavar="TEAM", help="A team or owner; may be repeated.")
    ] = None,
    everybody: Annotated[bool, typer.Option("--all", help="To all who take part.")] = False,
    not_entered: Annotated[
        bool, typer.Option("--not-entered", help="To teams of the roster without an entry.")
    ] = False,
    no_build: Annotated[
        bool, typer.Option("--no-build", help="To those who have entered without accepted build.")
    ] = False,
    address: OrganiserAddress = "",
) -> None:
    """Send a message to some who take part; they read it on "My bots" or by `arena messages`."""
    if not (to or everybody or not_entered or no_build):
        raise CommandError("say to whom: --to TEAM, --all, --not-entered or --no-build.")
    client = organiser_at(address)
    chosen = list(to or ())
    if everybody or not_entered or no_build:
        _, found = client.participants(name)
        chosen += [
            one.owner
            for one in found
            if everybody
            or (not_entered and not one.bot)
            or (no_build and one.bot and not one.has_build)
        ]
    chosen = list(dict.fromkeys(chosen))
    if not chosen:
        raise CommandError("nobody in the event matches these options.")
    client.message(name, text, chosen)
    say(f"Sent to {', '.join(chosen)}.", err=True)


def _entry_json(one: "ParticipantSeen") -> dict[str, Any]:
    return {
        **members(one, "bot", "team", "owner"),
        "entered": one.entered and iso_utc(one.entered),
        "version": one.version or None,
        "sha256": one.sha256 or None,
        **members(one, "connected", "withdrawn"),
        "plays": one.plays or None,
        "newest": one.newest or None,
        "state": one.state and one.state.value,
        "reason": one.reason or None,
        "last_seen": one.last_seen and iso_utc(one.last_seen),
        **members(one, "matches", "faults", "elo"),
    }


def _people_json(found: Sequence["ParticipantSeen"]) -> list[dict[str, Any]]:
    lines = [
        (
            person.number,
            {
                "name": person.name,
                "email": person.email,
                "number": person.student_number,
                "team": one.owner,
                "role": "captain" if person.captain else "member",
                "excused": person.excused,
                "bot": one.bot or None,
                "plays": one.plays or None,
                "state": one.state and one.state.value,
            },
        )
        for one in found
        for person in one.people
    ]
    return [line for _, line in sorted(lines, key=lambda line: line[0])]
