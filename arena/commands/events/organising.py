"""The commands of `arena event` for organisers, and the client that all of them use.

An organiser asks a referee with the owner's key, from any machine. On the arena's own machine the
operator needs no key: the command itself answers the same calls.
"""

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlencode

import typer

from arena.commands.database import with_store
from arena.commands.errors import CommandError
from arena.commands.options import AsJson, DashboardOption
from arena.commands.owners.logins import client_of, login_at
from arena.commands.owners.operator import actor
from arena.commands.terminal import say, say_json
from arena.moments import in_utc

if TYPE_CHECKING:
    from arena.clients.organiser_client import OrganiserClient

EventName = Annotated[str, typer.Argument(help="The event's name.")]
OrganiserAddress = Annotated[
    str,
    typer.Option(
        "--address",
        help="As an organiser, HOST:PORT of the referee. By default the arena on this machine, as "
        "its operator; without one here ARENA_ADDRESS.",
    ),
]
_Date = Annotated[
    str, typer.Option(metavar="DATE", help="The new date, as in 2026-12-18T18:00:00+01:00.")
]


def organiser_at(address: str) -> "OrganiserClient":
    """Return the client for organisers: of a referee, or else of the arena on this machine.

    Raises AddressError and CommandError.
    """
    # Imported here, because `arena --help` needs no gRPC.
    from arena.clients.organiser_client import OrganiserClient

    if not address and not _arena_here(os.environ):
        address = os.environ.get("ARENA_ADDRESS", "")
    if not address:
        return OrganiserClient(_answer_here)
    client, key = client_of(address), login_at(address).key
    return OrganiserClient(lambda call, request: client.organise(key, call, request))


def _arena_here(environment: Mapping[str, str]) -> bool:
    home = Path(environment.get("ARENA_HOME") or ".arena")
    return bool(environment.get("ARENA_DATABASE_URL")) or (home / "postgres").is_dir()


def _answer_here(call: str, request: Any) -> Any:
    """Answer a call from the database of this machine, as the operator."""
    from arena.server.events.serving.organiser_calls import Organiser, OrganiserCalls

    operator = Organiser(actor(), here=True)
    return with_store(
        lambda store: OrganiserCalls(store).calls[call](request, operator),
        begins=call == "CreateEvent",
    )


def read_text(file: Path) -> str:
    """Return the text of a file. Raises CommandError."""
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {error}.") from error


def create(
    name: Annotated[str, typer.Argument(help="The event's name: letters, digits, dots, - and _.")],
    file: Annotated[Path, typer.Option("--from", help="What the event is; see `example`.")],
    dashboard: DashboardOption = "",
    address: OrganiserAddress = "",
    as_json: AsJson = False,
) -> None:
    """Make an event. From then on it obeys its dates by itself, while a referee runs."""
    event, code = organiser_at(address).create(name, read_text(file))
    if as_json:
        say_json({"name": event.name, "commitment": event.commitment, "code": code or None})
        return
    say(
        f"Made {event.name}: entries from {in_utc(event.opens)} to {in_utc(event.freezes)}. "
        f"SHA-256 of the final's seed: {event.commitment}."
    )
    option = ""
    if code:
        say("The code to enter with, shown only once:", err=True)
        say(code)
        option = " --code CODE"
    say(f"Owners enter by `arena event enter {quote(event.name)} BOT{option}`.", err=True)
    if code:
        link = urlencode({"name": event.name, "code": code})
        say(f"Or by this link on the dashboard: {dashboard.rstrip('/')}/events?{link}", err=True)


def move(
    name: EventName,
    opens: _Date = "",
    freeze: _Date = "",
    final: _Date = "",
    results: _Date = "",
    address: OrganiserAddress = "",
) -> None:
    """Move dates that are still to come; the audit keeps the old ones."""
    if not any((opens, freeze, final, results)):
        raise CommandError("say which date: --opens, --freeze, --final or --results.")
    event = organiser_at(address).move(
        name,
        opens=_moment("opens", opens),
        freezes=_moment("freeze", freeze),
        final=_moment("final", final),
        results=_moment("results", results),
    )
    say(
        f"{event.name}: opens {in_utc(event.opens)}, freeze {in_utc(event.freezes)}, final "
        f"{in_utc(event.final)}, results {in_utc(event.results)}."
    )


def cancel(
    name: EventName,
    why: Annotated[str, typer.Option(help="What its page says of it.")] = "",
    address: OrganiserAddress = "",
) -> None:
    """End an event for good, without results."""
    organiser_at(address).cancel(name, why)
    say(f"Cancelled {name}.")


def withdraw(
    name: EventName,
    bot: Annotated[str, typer.Argument(help="The bot to take out.")],
    address: OrganiserAddress = "",
) -> None:
    """Take a bot out of an event; in a final it loses what it has not played."""
    organiser_at(address).withdraw(name, bot)
    say(f"Withdrew {bot} from {name}.")


def _moment(word: str, text: str) -> datetime | None:
    """Return a date of a command line; None without one. Raises CommandError."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise CommandError(
            f"--{word} {text}: a date is written as 2026-12-18T18:00:00+01:00."
        ) from error
    if found.tzinfo is None:
        raise CommandError(
            f"--{word} {text} has no time zone: write it as in 2026-12-18T18:00:00+01:00."
        )
    return found
