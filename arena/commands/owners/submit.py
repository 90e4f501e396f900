"""`arena submit`: uploads a bot, which the arena then runs."""

import sys
import time
import warnings
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.addresses import DEFAULT_ADDRESS
from arena.builds.hosted import BuildState, HostedBuild
from arena.builds.packing import pack
from arena.commands.errors import CommandError
from arena.commands.options import AddressOption, AsJson
from arena.commands.owners.logins import client_of, login_at
from arena.commands.terminal import say, say_json
from arena.database.names import folded

if TYPE_CHECKING:
    from arena.clients.upload_client import UploadClient

LOOK_SECONDS = 0.5
"""The first pause between two polls of a build; 1.5 times as long after each poll without news."""
MOST_SECONDS = 5.0
"""The longest pause between two polls: a whole class may wait at once."""
REFUSED = 1
"""The exit code if the check refuses the build."""


def submit(
    file: Annotated[
        Path,
        typer.Argument(
            help="A .py file with one bot, or a folder or .zip with bot.toml. Of a folder, hidden "
            "files, __pycache__ and virtual environments are left out."
        ),
    ],
    name: Annotated[
        str,
        typer.Option(
            help="The bot's name. Without it, the file's, which must be that of a bot of yours "
            "unless you have none."
        ),
    ] = "",
    version: Annotated[
        str, typer.Option(help="The version's label; by default the next free number.")
    ] = "",
    wait: Annotated[
        bool,
        typer.Option("--wait/--no-wait", help="Follow the check and wait for the first match."),
    ] = True,
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """Upload a bot: the arena checks it, and lets it play (docs/submit.md).

    Exit code 1: the check refused it.
    """
    key, client = login_at(address).key, client_of(address)
    # Resolved, because "." itself has no name.
    file = file.resolve() if file.is_dir() else file
    try:
        data = pack(file) if file.is_dir() else file.read_bytes()
    except OSError as error:
        unread = error.filename or file
        raise CommandError(f"{unread} cannot be read ({error.strerror}).") from error
    if file.suffix == ".py":
        _read_by_python(file.name, data)
    file_name = f"{file.name}.zip" if file.is_dir() else file.name
    made = client.upload(key, name or _meant(client, key, file), file_name, data, version)
    say(f"Uploaded {made.bot} {made.version}, SHA-256 {made.sha256[:16]}….", err=True)
    for notice in made.notices:
        say(notice, err=True)
    last = _follow(client, key, made.bot, made.version) if wait else None
    if as_json:
        state = {"state": last.state.value, "reason": last.reason} if last else {}
        line: dict[str, Any] = {"bot": made.bot, "version": made.version, "sha256": made.sha256}
        line["notices"] = list(made.notices)
        say_json(line | state)
    if last is not None and last.state is BuildState.REFUSED:
        say(f"Refused. {last.reason}", err=True)
        raise typer.Exit(REFUSED)


def _read_by_python(name: str, text: bytes) -> None:
    """Raise CommandError for a syntax error, which the check would find only after the upload."""
    try:
        with warnings.catch_warnings(action="ignore"):  # -W error would make them errors
            compile(text, name, "exec", dont_inherit=True)
    except (MemoryError, RecursionError):
        return  # nested too deeply for this Python; the check tries the Python of the arena
    except SyntaxError as error:
        where = f", line {error.lineno}" if error.lineno else ""
        read_by = f"Python {sys.version_info.major}.{sys.version_info.minor}"
        raise CommandError(
            f"{name}{where}: {error.msg} ({read_by}). Nothing was uploaded."
        ) from error


def _meant(client: "UploadClient", key: str, file: Path) -> str:
    """Return the bot's name for a file without --name: the owner's bot of that name, or the first.

    Raises CommandError if it would be one more bot: mine2.py is more likely a version of mine.
    """
    own = client.bots_in_service(key)
    same = [name for name in own if folded(name) == folded(file.stem)]
    if same or not own:
        return same[0] if same else file.stem
    (likely,) = get_close_matches(file.stem, own, n=1, cutoff=0.0)
    raise CommandError(
        f"you have no bot {file.stem}. Say which bot {file.name} becomes: --name '{likely}' for a "
        f"new version of {likely}, or --name '{file.stem}' for a new bot."
    )


def _follow(client: "UploadClient", key: str, bot: str, version: str) -> HostedBuild:
    """Say what happens to a build, until it is refused or has played a match."""
    told, accepted, pause = "", False, LOOK_SECONDS
    while True:
        seen = next(one for one in client.builds(key, bot) if one.version == version)
        if seen.state is BuildState.REFUSED:
            return seen
        if seen.state is BuildState.ACCEPTED and not accepted:
            accepted, told, pause = True, "", LOOK_SECONDS
            say(
                "Accepted: it met all scenarios and made no fault in its matches. It plays as soon "
                "as it is its turn; Ctrl-C stops only this command.",
                err=True,
            )
        if accepted and _matches(client, key, bot, version):
            say("It has played its first match.", err=True)
            return seen
        now = seen.reason if accepted else seen.in_words
        if now and now != told:
            say(f"{now[:1].upper()}{now[1:]}.", err=True)
            told, pause = now, LOOK_SECONDS
        time.sleep(pause)
        pause = min(1.5 * pause, MOST_SECONDS)


def _matches(client: "UploadClient", key: str, bot: str, version: str) -> int:
    owned = client.bot(key, bot)
    return next(one.matches for one in owned.versions if one.label == version)
