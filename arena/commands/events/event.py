"""`arena event …`: Courses and contests: entries, a freeze, a final that anybody can recompute.

`list`, `show`, `enter` and `leave` ask the referee, from any machine. `verify` needs no arena. The
others are the organiser's, on the arena's own machine.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.table import Table

from arena.commands.errors import CommandError, exit_with_message
from arena.commands.events import entering
from arena.commands.events.archives import archive, verify
from arena.commands.events.entering import AsJson, EventName
from arena.commands.events.grades import grades, rubric
from arena.commands.events.progress import progress
from arena.commands.events.roster import people, roster
from arena.commands.events.similar import similar
from arena.commands.owners.operator import actor
from arena.commands.terminal import Terminal, say, say_json
from arena.moments import in_utc, iso_utc

if TYPE_CHECKING:  # not at run time: an error in the arguments must not wait for SQLAlchemy
    from arena.server.app.store import Store
    from arena.server.events.event import Event, EventEntry
    from arena.server.events.events import BuildNow

T = TypeVar("T")

app = typer.Typer(
    no_args_is_help=True,
    help="Courses and contests: entries, a freeze, a final that anybody can recompute.",
)
app.command("list")(entering.list_events)
app.command("show")(entering.show)
app.command("enter")(entering.enter)
app.command("leave")(entering.leave)
app.command("progress")(progress)
app.command("roster")(roster)
app.command("people")(people)
app.command("rubric")(rubric)
app.command("grades")(grades)
app.command("similar")(similar)
app.command("archive")(archive)
app.command("verify")(verify)

_Moment = Annotated[
    str, typer.Option(metavar="DATE", help="The new date, as in 2026-12-18T18:00:00+01:00.")
]


@app.command()
def example() -> None:
    """Print an event.toml to begin with."""
    from arena.server.events.event_file import EXAMPLE

    typer.echo(EXAMPLE, nl=False)


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="The event's name: letters, digits, dots, - and _.")],
    file: Annotated[Path, typer.Option("--from", help="What the event is; see `example`.")],
    as_json: AsJson = False,
) -> None:
    """Make an event. From then on it obeys its dates by itself, while a referee runs."""
    with exit_with_message():
        from arena.server.events.event_file import read_event

        try:
            said = read_event(file.read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{file} cannot be read: {error}.") from error
    event, code = _with_store(lambda store: store.events.create(name, said, actor()), begins=True)
    if as_json:
        say_json({"name": event.name, "commitment": event.commitment.hex(), "code": code})
        return
    dates = event.said.dates
    say(
        f"Made {event.name}: entries from {in_utc(dates.opens)} to {in_utc(dates.freezes)}. "
        f"SHA-256 of the final's seed: {event.commitment.hex()}."
    )
    option = ""
    if code is not None:
        say("The code to enter with, shown only once:", err=True)
        say(code)
        option = " --code CODE"
    say(f"Owners enter by `arena event enter {quote(event.name)} BOT{option}`.", err=True)


@app.command()
def move(
    name: EventName,
    opens: _Moment = "",
    freeze: _Moment = "",
    final: _Moment = "",
    results: _Moment = "",
) -> None:
    """Move dates that are still to come; the audit keeps the old ones."""
    from arena.server.events.event import Dates

    with exit_with_message():
        given = {
            word: _moment(word, text)
            for word, text in (
                ("opens", opens),
                ("freeze", freeze),
                ("final", final),
                ("results", results),
            )
            if text
        }
        if not given:
            raise CommandError("say which date: --opens, --freeze, --final or --results.")

    async def use(store: "Store") -> "Event":
        event, _ = await store.events.named(name)
        old = event.said.dates
        dates = Dates(
            given.get("opens", old.opens),
            given.get("freeze", old.freezes),
            given.get("final", old.final),
            given.get("results", old.results),
        )
        return await store.events.move(name, dates, actor())

    dates = _with_store(use).said.dates
    say(
        f"{name}: opens {in_utc(dates.opens)}, freeze {in_utc(dates.freezes)}, final "
        f"{in_utc(dates.final)}, results {in_utc(dates.results)}."
    )


@app.command()
def cancel(
    name: EventName, why: Annotated[str, typer.Option(help="What its page says of it.")] = ""
) -> None:
    """End an event for good, without results."""
    _with_store(lambda store: store.events.cancel(name, actor(), why))
    say(f"Cancelled {name}.")


@app.command()
def withdraw(
    name: EventName, bot: Annotated[str, typer.Argument(help="The bot to take out.")]
) -> None:
    """Take a bot out of an event; in a final it loses what it has not played."""
    _with_store(lambda store: store.events.withdraw(name, bot, actor()))
    say(f"Withdrew {bot} from {name}.")


@app.command()
def entries(name: EventName, as_json: AsJson = False) -> None:
    """Show who has entered, and who has no accepted build and why, for the organiser."""

    async def use(store: "Store") -> "tuple[list[EventEntry], dict[str, BuildNow]]":
        event, _ = await store.events.named(name)
        return await store.events.entries(event), await store.events.builds_now(event)

    found, now = _with_store(use)
    lines = [_line(one, now.get(one.bot)) for one in found]
    if as_json:
        say_json(lines)
        return
    table = Table("bot", "team", "owner", "entered", "plays", "newest build", "why")
    for line in lines:
        plays = line["version"] or line["plays"] or "–"
        newest = f"{line['newest']}: {line['state']}" if line["newest"] else "none"
        why = line["reason"] if line["state"] == "refused" else ""
        said = [one for one in (why or "").splitlines() if one.strip()]
        # Of a log the last line says most.
        told = "\n".join(dict.fromkeys([*said[:1], *said[-1:]]))
        table.add_row(
            *(line["bot"], line["team"], line["owner"], line["entered"]),
            *(plays + " (withdrawn)" * line["withdrawn"], newest, told),
        )
    Terminal().print_table(table)
    without = sum(not (line["version"] or line["plays"]) for line in lines)
    if without:
        say(f"{without} of {len(lines)} bots have no accepted build.")


@app.command()
def webhook(
    name: EventName,
    url: Annotated[str, typer.Argument(help="Where notices are posted: https://….")],
    remove: Annotated[bool, typer.Option("--remove", help="Post nothing there any more.")] = False,
) -> None:
    """Post an event's notices to an address; prints the secret that signs them, once.

    Notices: entries open, one day left, builds fixed, the final begins, results, cancelled. They
    are signed as Standard Webhooks; Discord and Slack get the form that they take.
    """

    async def use(store: "Store") -> str:
        event, _ = await store.events.named(name)
        if remove:
            await store.webhooks.remove(event.id, event.name, url, actor())
            return ""
        return await store.webhooks.add(event.id, event.name, url, actor())

    secret = _with_store(use)
    if secret:
        say("The secret that signs the notices, shown only once:", err=True)
        say(secret)
    else:
        say("Nothing is posted there any more.")


@app.command()
def webhooks(name: EventName, as_json: AsJson = False) -> None:
    """List an event's webhooks, with what was delivered and why the last try failed."""

    async def use(store: "Store") -> list[Any]:
        event, _ = await store.events.named(name)
        return await store.webhooks.of_event(event.id)

    members = ("url", "delivered", "waiting", "failure")
    found = [{name: getattr(row, name) for name in members} for row in _with_store(use)]
    if as_json:
        say_json(found)
        return
    table = Table("webhook", "delivered", "waiting", "last failure")
    for one in found:
        table.add_row(*map(str, one.values()))
    Terminal().print_table(table)


def _line(entry: "EventEntry", now: "BuildNow | None") -> dict[str, Any]:
    return {
        "bot": entry.bot,
        "team": entry.team,
        "owner": entry.owner,
        "entered": iso_utc(entry.entered_at),
        "version": entry.version,
        "sha256": entry.sha256 and entry.sha256.hex(),
        "withdrawn": entry.withdrawn,
        "plays": now and now.plays,
        "newest": now and now.newest,
        "state": now and now.state,
        "reason": now and now.reason,
    }


def _moment(word: str, text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise CommandError(
            f"--{word} {text}: a date is written as 2026-12-18T18:00:00+01:00."
        ) from error


def _with_store(use: "Callable[[Store], Awaitable[T]]", *, begins: bool = False) -> T:
    from arena.commands.database import with_store

    return with_store(use, begins=begins)
