"""`arena bot …`: Register your bots and look after them."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from arena.commands.database import with_reader, with_store
from arena.commands.errors import CommandError, exit_with_message
from arena.commands.listing import SHOWN, Limit, say_shown
from arena.commands.owners import hosted
from arena.commands.owners.logins import DEFAULT_ADDRESS, AddressOption, client_of, login_at
from arena.commands.owners.operator import actor
from arena.commands.terminal import Terminal, say

if TYPE_CHECKING:
    from arena.owner_client import BotSeen
    from arena.records import VersionId
    from arena.storage.checks import RecordedCheck
    from arena.storage.reading import Read, Reader

app = typer.Typer(no_args_is_help=True, help="Register your bots and look after them.")
app.command("builds")(hosted.builds)
app.command("roll-back")(hosted.roll_back)
app.command("logs")(hosted.logs)

MOST_NAMES = 10

OperatorOption = Annotated[
    bool,
    typer.Option(
        "--operator", help="As the operator, on the arena's own machine: any owner's bot."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
LabelOption = Annotated[str | None, typer.Option(help="By default the newest that is not retired.")]


def require_bot(read: "Read", name: str, option: str = "--bot") -> None:
    """Raise CommandError, which lists some known bots, if there is no bot of that name."""
    from arena.storage import bot_statements

    if read(bot_statements.bot_named(name)):
        return
    known = [row.name for row in read(bot_statements.bot_page(limit=MOST_NAMES + 1))]
    some = ", ".join(known[:MOST_NAMES]) or "none yet"
    more = ", …" if len(known) > MOST_NAMES else ""
    raise CommandError(
        f"{option} {name}: there is no such bot; the bots are {some}{more} "
        "(`arena bot list --operator` shows all)."
    )


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The bot's name, in any script.")],
    version: Annotated[str, typer.Option(help="The release; each has its own rating.")] = "1",
    language: Annotated[str | None, typer.Option(help="What it is written in.")] = None,
    text: Annotated[str | None, typer.Option(help="What its page says of it.")] = None,
    link: Annotated[str | None, typer.Option(help="A page about it, https://….")] = None,
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: JsonOption = False,
) -> None:
    """Register a bot of yours, or a new version of one, and print its token, which is shown only
    once."""
    with exit_with_message():
        key, client = login_at(address).key, client_of(address)
        bot, token = client.register(key, name, version)
        # The token cannot be shown again, so it is printed whatever becomes of the rest.
        if as_json:
            typer.echo(json.dumps({"bot": bot, "version": version, "token": token}))
        else:
            say(f"Registered {bot} {version}.", err=True)
            _tell(token)
        if (language, text, link) != (None, None, None):
            client.describe(key, bot, text=text, language=language, link=link)


@app.command("list")
def list_bots(
    operator: OperatorOption = False,
    limit: Limit = SHOWN,
    search: Annotated[
        str,
        typer.Option(help="Only bots with this in their name; with --operator or their owner's."),
    ] = "",
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: JsonOption = False,
) -> None:
    """List your bots and their versions by name; all owners' with --operator."""
    if operator:
        lines, count = _any_bots(limit, search)
    else:
        own = [line for line in _own_bots(address) if search.lower() in line["bot"].lower()]
        lines, count = own[:limit], len(own)
    if as_json:
        typer.echo(json.dumps(lines, indent=2))
        return
    table = Table("bot", "version", *(["owner"] if operator else []), "matches", "")
    for line in lines:
        marks = [mark for mark in ("house", "retired", "frozen", "connected") if line.get(mark)]
        owner = [line["owner"]] if operator else []
        table.add_row(line["bot"], line["version"], *owner, str(line["matches"]), ", ".join(marks))
    Terminal().print_table(table)
    say_shown(len(lines), count, "versions", "--limit and --search show others")


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="The bot's name.")],
    operator: OperatorOption = False,
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: JsonOption = False,
) -> None:
    """Show one of your bots: its page's text, its versions with matches, faults and the last check
    (`arena check`), and whether it is connected. With --operator any bot."""
    if operator:
        _show_any(name, as_json=as_json)
        return
    with exit_with_message():
        (bot,) = client_of(address).bots(login_at(address).key, name)
    if as_json:
        shown = {"bot": bot.name, "text": bot.text, "language": bot.language, "link": bot.link}
        typer.echo(json.dumps(shown | {"frozen": bot.frozen, "versions": _versions(bot)}, indent=2))
        return
    say(f"{bot.name}{' (frozen by the operator)' if bot.frozen else ''}")
    for words in (bot.language, bot.link, bot.text):
        if words:
            say(words)
    table = Table("version", "registered", "matches", "faults", "connected", "playing", "")
    for one in bot.versions:
        numbers = (one.matches, one.faults, one.connected, one.playing)
        retired = "retired" if one.retired else ""
        table.add_row(one.label, f"{one.registered:%Y-%m-%d %H:%M}", *map(str, numbers), retired)
    Terminal().print_table(table)
    for one in bot.versions:
        if one.check:
            say(f"Version {one.label}: {one.check}")


@app.command()
def describe(
    name: str,
    text: Annotated[str | None, typer.Option(help="What its page says of it.")] = None,
    language: Annotated[str | None, typer.Option(help="What it is written in.")] = None,
    link: Annotated[str | None, typer.Option(help="A page about it, https://….")] = None,
    address: AddressOption = DEFAULT_ADDRESS,
) -> None:
    """Say something of one of your bots, for its page; "" takes it back."""
    with exit_with_message():
        if (text, language, link) == (None, None, None):
            raise CommandError("say what to change: --text, --language or --link.")
        key = login_at(address).key
        client_of(address).describe(key, name, text=text, language=language, link=link)
    say(f"Changed what the page of {name} says.", err=True)


@app.command()
def rotate(
    name: str,
    version: LabelOption = None,
    operator: OperatorOption = False,
    address: AddressOption = DEFAULT_ADDRESS,
) -> None:
    """Print a new token for a bot of yours; the old one becomes invalid."""
    if operator:
        token = with_store(lambda store: store.rotate_token(name, version, actor=actor()))
    else:
        with exit_with_message():
            key = login_at(address).key
            _, token = client_of(address).rotate(key, name, version or "")
    _tell(token)


@app.command()
def retire(
    name: str,
    version: Annotated[str | None, typer.Option(help="By default the whole bot.")] = None,
    operator: OperatorOption = False,
    address: AddressOption = DEFAULT_ADDRESS,
) -> None:
    """Retire a bot of yours, or one version of it, for good. Its results stay."""
    if operator:
        with_store(lambda store: store.retire(name, version, actor=actor()))
    else:
        with exit_with_message():
            client_of(address).retire(login_at(address).key, name, version or "")
    say(f"Retired {name}{f' {version}' if version else ''}.")


@app.command()
def register(
    name: Annotated[str, typer.Argument(help="The bot's name.")],
    owner: Annotated[
        str, typer.Option(help="Its owner; bots of one owner never meet in rated matches.")
    ],
    version: Annotated[str, typer.Option(help="The release; each has its own rating.")] = "1",
) -> None:
    """As the operator, register a bot of any owner without limits, and print its token."""
    made, token = with_store(lambda store: store.register(name, owner, version, actor=actor()))
    say(f"Registered {made.entrant} of {made.entrant.owner}.", err=True)
    _tell(token)


def _show_any(name: str, *, as_json: bool) -> None:
    """Print a bot's versions, each with its last check against the protocol (`arena check`)."""

    def read(reader: "Reader") -> "tuple[Sequence[Any], dict[VersionId, RecordedCheck]]":
        from arena.storage import bot_statements
        from arena.storage.checks import last_checks

        rows = reader(bot_statements.bot_list(named=[name]))
        if not rows:
            require_bot(reader, name, "NAME")
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


@app.command()
def freeze(
    name: str,
    undo: Annotated[bool, typer.Option("--undo", help="Let it play again.")] = False,
) -> None:
    """As the operator, do not let a bot of any owner play for now. Its results stay."""
    with_store(lambda store: store.owners.freeze(name, actor(), frozen=not undo))
    say(f"{name} {'may play again' if undo else 'is frozen'}.")


def _any_bots(limit: int, search: str) -> tuple[list[dict[str, Any]], int]:
    bots, count = with_store(lambda store: store.bot_page(limit, search))
    return [
        {
            "bot": bot.bot,
            "version": bot.version,
            "owner": bot.owner,
            "house": bot.house,
            "retired": bot.retired_at is not None,
            "matches": bot.matches,
        }
        for bot in bots
    ], count


def _own_bots(address: str) -> list[dict[str, Any]]:
    with exit_with_message():
        bots = client_of(address).bots(login_at(address).key)
    return [
        {"bot": bot.name, "frozen": bot.frozen} | line for bot in bots for line in _versions(bot)
    ]


def _versions(bot: "BotSeen") -> list[dict[str, Any]]:
    return [
        {
            "version": one.label,
            "registered": one.registered.isoformat(),
            "retired": one.retired,
            "matches": one.matches,
            "faults": one.faults,
            "connected": one.connected > 0,
            "playing": one.playing,
            "check": one.check,
        }
        for one in bot.versions
    ]


def _tell(token: str) -> None:
    say("Its token, shown only once (pass it to the bot as ARENA_TOKEN):", err=True)
    say(token)
