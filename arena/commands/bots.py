"""`arena bot …`: Register bots and manage their tokens."""

import json
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from arena.commands.database import with_reader, with_store
from arena.commands.errors import CommandError
from arena.commands.terminal import Terminal, say

if TYPE_CHECKING:
    from arena.records import VersionId
    from arena.storage.checks import RecordedCheck
    from arena.storage.reading import Reader

app = typer.Typer(no_args_is_help=True, help="Register bots and manage their tokens.")

MOST_NAMES = 10


def require_bots(known: Collection[str], names: Sequence[str], option: str = "--bot") -> None:
    """Raise CommandError, which lists some known bots, if one of these names is unknown."""
    there = {bot.lower(): bot for bot in sorted(known, key=str.lower)}
    for name in names:
        if name.lower() not in there:
            some = ", ".join(list(there.values())[:MOST_NAMES]) or "none yet"
            more = ", …" if len(there) > MOST_NAMES else ""
            raise CommandError(
                f"{option} {name}: there is no such bot; the bots are {some}{more} "
                "(`arena bot list` shows all)."
            )


@app.command()
def register(
    name: Annotated[str, typer.Argument(help="The bot's name.")],
    owner: Annotated[
        str, typer.Option(help="Its owner; bots of one owner never meet in rated matches.")
    ],
    version: Annotated[str, typer.Option(help="The release; each has its own rating.")] = "1",
) -> None:
    """Register a bot, or a new version of one, and print its token, which is shown only once."""
    registered, token = with_store(lambda store: store.register(name, owner, version))
    say(f"Registered {registered.entrant} of {registered.entrant.owner}.", err=True)
    _tell(token)


@app.command("list")
def list_bots(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List all bots and versions."""
    bots = with_store(lambda store: store.bots())
    if as_json:
        lines = [
            {
                "bot": bot.bot,
                "version": bot.version,
                "owner": bot.owner,
                "house": bot.house,
                "retired": bot.retired_at is not None,
                "matches": bot.matches,
            }
            for bot in bots
        ]
        typer.echo(json.dumps(lines, indent=2))
        return
    table = Table("bot", "version", "owner", "matches", "")
    for bot in bots:
        marks = ["house"] * bot.house + ["retired"] * (bot.retired_at is not None)
        table.add_row(bot.bot, bot.version, bot.owner, str(bot.matches), ", ".join(marks))
    Terminal().print_table(table)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="The bot's name.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print a bot's versions, each with its last check against the protocol (`arena check`)."""

    def read(reader: "Reader") -> "tuple[Sequence[Any], dict[VersionId, RecordedCheck]]":
        from arena.storage import bot_statements
        from arena.storage.checks import last_checks

        rows = reader(bot_statements.bot_list(bot=name))
        if not rows:
            known = reader(bot_statements.bot_page(limit=MOST_NAMES + 1))
            require_bots({row.name for row in known}, [name], "NAME")
        return rows, last_checks(reader, [row.id for row in rows])

    rows, checks = with_reader(read)
    if as_json:
        typer.echo(json.dumps(_bot_json(rows, checks), indent=2))
        return
    from arena.boards.checks import check_in_words

    newest = rows[-1]
    say(f"{newest.bot} by {newest.owner}{', house' if newest.house else ''}")
    table = Table("version", "registered", "matches", "", "check")
    for row in reversed(rows):
        check = checks.get(row.id)
        table.add_row(
            row.version,
            f"{row.created_at:%Y-%m-%d}",
            str(row.matches),
            "retired" if row.retired_at is not None else "",
            check_in_words(check) if check is not None else "Not checked.",
        )
    Terminal().print_table(table)


def _bot_json(rows: Sequence[Any], checks: "dict[VersionId, RecordedCheck]") -> dict[str, Any]:
    from arena.boards.checks import check_json

    newest = rows[-1]
    versions = []
    for row in reversed(rows):
        check = checks.get(row.id)
        versions.append(
            {
                "version": row.version,
                "registered_at": row.created_at.isoformat(),
                "retired": row.retired_at is not None,
                "matches": row.matches,
                "check": None if check is None else check_json(check),
            }
        )
    return {
        "bot": newest.bot,
        "owner": newest.owner,
        "house": newest.house,
        "versions": versions,
    }


@app.command("rotate-token")
def rotate_token(
    name: str,
    version: Annotated[
        str | None, typer.Option(help="By default the newest that is not retired.")
    ] = None,
) -> None:
    """Print a new token for a bot; the old one becomes invalid."""
    _tell(with_store(lambda store: store.rotate_token(name, version)))


@app.command()
def retire(
    name: str,
    version: Annotated[str | None, typer.Option(help="By default the whole bot.")] = None,
) -> None:
    """Retire a bot, or one version of it, for good. Its results stay."""
    with_store(lambda store: store.retire(name, version))
    say(f"Retired {name}{f' {version}' if version else ''}.")


def _tell(token: str) -> None:
    say("Its token, shown only once (pass it to the bot as ARENA_TOKEN):", err=True)
    say(token)
