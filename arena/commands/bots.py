"""`arena bot …`: Register your bots and look after them."""

from dataclasses import replace
from enum import Enum
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.addresses import DEFAULT_ADDRESS
from arena.commands.database import with_store
from arena.commands.errors import CommandError
from arena.commands.listing import say_more, say_more_versions
from arena.commands.options import SHOWN, AddressOption, AsJson, Limit
from arena.commands.owners import any_bot, hosted, own_notes, own_results, webhooks
from arena.commands.owners.any_bot import tell_token
from arena.commands.owners.logins import client_of, login_at
from arena.commands.owners.operator import actor
from arena.commands.terminal import members, say, say_json, say_table
from arena.moments import in_utc, iso_utc
from arena.scheduling.bot_paces import pace_in_words, read_bot_pace

if TYPE_CHECKING:
    from arena.clients.owner_client import BotSeen

app = typer.Typer(no_args_is_help=True, help="Register your bots and look after them.")
app.command("builds")(hosted.builds)
app.command("roll-back")(hosted.roll_back)
app.command("logs")(hosted.logs)
app.command("matches")(own_results.matches)
app.command("faults")(own_results.faults)
app.command("transcript")(own_results.transcript)
app.command("replay")(own_results.replay)
app.command("ratings")(own_results.ratings)
app.command("notes")(own_notes.notes)
app.command("share-notes")(own_notes.share_notes)
app.command("webhook")(webhooks.webhook)
app.command("webhooks")(webhooks.webhooks)

OperatorOption = Annotated[
    bool,
    typer.Option(
        "--operator", help="As the operator, on the arena's own machine: any owner's bot."
    ),
]
NameArgument = Annotated[str, typer.Argument(help="The bot's name.")]
LabelOption = Annotated[str | None, typer.Option(help="By default the newest that is not retired.")]


class Sharing(Enum):
    """Whether a bot's decisions are in data sets."""

    SHARE = "share"
    KEEP = "keep"


_KEPT = {Sharing.SHARE: "in data sets", Sharing.KEEP: "in no data set"}


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The bot's name, in any script.")],
    version: Annotated[str, typer.Option(help="The release; each has its own rating.")] = "1",
    language: Annotated[str | None, typer.Option(help="What it is written in.")] = None,
    text: Annotated[str | None, typer.Option(help="What its page says of it.")] = None,
    link: Annotated[str | None, typer.Option(help="A page about it, https://….")] = None,
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """Register a bot of yours, or a new version of one, and print its token.

    The token is shown only once.
    """
    key, client = login_at(address).key, client_of(address)
    bot, token = client.register(key, name, version)
    # The token cannot be shown again, so it is printed even if a later step fails.
    if as_json:
        say_json({"bot": bot, "version": version, "token": token})
    else:
        say(f"Registered {bot} {version}.", err=True)
        tell_token(token)
    if (language, text, link) != (None, None, None):
        client.describe(key, bot, text=text, language=language, link=link)


@app.command("list")
def list_bots(
    operator: OperatorOption = False,
    limit: Limit = SHOWN,
    search: Annotated[
        str,
        typer.Option(
            help="Only bots whose name begins with this; with --operator also those of the owner "
            "of that name."
        ),
    ] = "",
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """List your bots and their versions by name; all owners' with --operator."""
    lines, more = any_bot.any_bots(limit, search) if operator else _own_bots(address, limit, search)
    if as_json:
        say_json(lines)
        return
    rows = []
    for line in lines:
        kinds = ("house", "retired", "refused", "frozen", "paused", "banned", "connected")
        marks = [mark for mark in kinds if line.get(mark)]
        owner = [line["owner"]] if operator else []
        rows.append((line["bot"], line["version"], *owner, line["matches"], ", ".join(marks)))
    say_table(("bot", "version", *["owner"] * operator, "matches", ""), rows)
    if more:
        say_more(limit, "version")


@app.command()
def show(
    name: NameArgument,
    operator: OperatorOption = False,
    limit: Limit = SHOWN,
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """Show one of your bots and whether it is connected.

    Prints its page's text and its newest versions with matches, faults and the last check (`arena
    check`). With --operator any bot.
    """
    if operator:
        any_bot.show_bot(name, limit, as_json=as_json)
        return
    # Asks for one version more than shown, to know whether there are others.
    found = client_of(address).bot(login_at(address).key, name, limit + 1)
    bot = replace(found, versions=found.versions[:limit])
    if as_json:
        shown = members(bot, "text", "language", "link", "frozen", "paused", "pace")
        shown |= members(bot, "shares_decisions", "shares_notes")
        say_json({"bot": bot.name, **shown, "versions": _versions(bot)})
        return
    marks = ["frozen by the operator"] * bot.frozen + ["paused by you"] * bot.paused
    if bot.pace is not None:
        marks.append(pace_in_words(bot.pace))
    if not bot.shares_decisions:
        marks.append("decisions kept out of data sets")
    if bot.shares_notes:
        marks.append("everybody reads its notes")
    say(", ".join([bot.name, *marks]))
    for words in (bot.language, bot.link, bot.text):
        if words:
            say(words)
    rows = []
    for one in bot.versions:
        numbers = (one.matches, one.faults, one.connected, one.playing)
        state = ", ".join(["retired"] * one.retired + ["refused"] * one.refused)
        rows.append((one.label, in_utc(one.registered), *numbers, state))
    say_table(("version", "registered", "matches", "faults", "connected", "playing", ""), rows)
    if any(one.refused for one in bot.versions):
        say(f"Why a version was refused: `arena bot builds {quote(name)}`.", err=True)
    for one in bot.versions:
        if one.check:
            say(f"Version {one.label}: {one.check}")
    if len(found.versions) > limit:
        say_more_versions(limit)


@app.command()
def describe(
    name: NameArgument,
    text: Annotated[str | None, typer.Option(help="What its page says of it.")] = None,
    language: Annotated[str | None, typer.Option(help="What it is written in.")] = None,
    link: Annotated[str | None, typer.Option(help="A page about it, https://….")] = None,
    address: AddressOption = DEFAULT_ADDRESS,
) -> None:
    """Change what the page of one of your bots says; "" removes it."""
    if (text, language, link) == (None, None, None):
        raise CommandError("say what to change: --text, --language or --link.")
    key = login_at(address).key
    client_of(address).describe(key, name, text=text, language=language, link=link)
    say(f"Changed what the page of {name} says.", err=True)


@app.command()
def pause(name: NameArgument, address: AddressOption = DEFAULT_ADDRESS) -> None:
    """Let a bot of yours play nothing for now, hosted or run by you. Its results stay."""
    client_of(address).pause(login_at(address).key, name)
    say(f"{name} is paused; `arena bot resume {quote(name)}` lets it play again.", err=True)


@app.command()
def resume(name: NameArgument, address: AddressOption = DEFAULT_ADDRESS) -> None:
    """Let a paused bot of yours play again.

    Start it again yourself if the arena does not host it.
    """
    client_of(address).pause(login_at(address).key, name, paused=False)
    say(f"{name} may play again.", err=True)


@app.command()
def pace(
    name: NameArgument,
    matches: Annotated[
        str, typer.Argument(metavar="N|max", help="Rated matches an hour, or max for any number.")
    ],
    operator: OperatorOption = False,
    address: AddressOption = DEFAULT_ADDRESS,
) -> None:
    """Limit the rated matches that a bot of yours begins in an hour.

    With --operator the number that any owner's bot may begin at most; max then leaves it to `arena
    policy`.
    """
    try:
        chosen = read_bot_pace(matches)
    except ValueError as error:
        raise CommandError(f"{matches}: {error}.") from error
    if operator:
        with_store(lambda store: store.owners.allow_pace(name, chosen, actor()))
    else:
        client_of(address).pace(login_at(address).key, name, chosen)
    say(f"{name} {pace_in_words(chosen)}.", err=True)
    if chosen is not None:
        say("Matches not used in the last hour may be played at once.", err=True)


@app.command()
def decisions(
    name: NameArgument,
    shared: Annotated[Sharing, typer.Argument(help="Whether they are in data sets.")],
    address: AddressOption = DEFAULT_ADDRESS,
) -> None:
    """Share the decisions of a bot of yours in data sets, or keep them out.

    At first they are shared. Its matches can be seen and replayed either way.
    """
    client = client_of(address)
    client.share_decisions(login_at(address).key, name, shared=shared is Sharing.SHARE)
    say(f"The decisions of {name} are {_KEPT[shared]} from now on.", err=True)


@app.command()
def rotate(
    name: NameArgument,
    version: LabelOption = None,
    operator: OperatorOption = False,
    address: AddressOption = DEFAULT_ADDRESS,
) -> None:
    """Print a new token for a bot of yours; the old one becomes invalid."""
    if operator:
        token, label = with_store(lambda store: store.rotate_token(name, version, actor=actor()))
    else:
        key = login_at(address).key
        label, token = client_of(address).rotate(key, name, version or "")
    say(f"The token of {name} {label} is a new one.", err=True)
    tell_token(token)


@app.command()
def retire(
    name: NameArgument,
    version: Annotated[str | None, typer.Option(help="By default the whole bot.")] = None,
    operator: OperatorOption = False,
    address: AddressOption = DEFAULT_ADDRESS,
) -> None:
    """Retire a bot of yours, or one version of it, for good. Its results stay."""
    if operator:
        with_store(lambda store: store.retire(name, version, actor=actor()))
    else:
        client_of(address).retire(login_at(address).key, name, version or "")
    say(f"Retired {name}{f' {version}' if version else ''}.", err=True)


app.command()(any_bot.register)
app.command()(any_bot.freeze)
app.command()(any_bot.identical)


def _own_bots(address: str, limit: int, search: str) -> tuple[list[dict[str, Any]], bool]:
    """Return the first versions of the owner's bots as JSON, and whether there are more."""
    from arena.server.requests.paging import MOST_LINES

    lines: list[dict[str, Any]] = []
    page = ""
    key, client = login_at(address).key, client_of(address)
    while True:
        wanted = min(limit - len(lines), MOST_LINES)
        found = client.bots(key, prefix=search, versions=wanted, page=page)
        for bot in found.bots:
            lines += [
                {"bot": bot.name, "frozen": bot.frozen, "paused": bot.paused} | one
                for one in _versions(bot)
            ]
        page = found.next_page
        if not page or len(lines) >= limit:
            return lines, bool(page)


def _versions(bot: "BotSeen") -> list[dict[str, Any]]:
    return [
        {
            "version": one.label,
            "registered": iso_utc(one.registered),
            **members(one, "retired", "refused", "matches", "faults"),
            "connected": one.connected > 0,
            **members(one, "playing", "check"),
        }
        for one in bot.versions
    ]
