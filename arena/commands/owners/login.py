"""`arena signup` and `arena login`: become an owner, and store the key on this machine."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from arena.addresses import DEFAULT_ADDRESS
from arena.commands.errors import CommandError
from arena.commands.options import AddressOption, AsJson
from arena.commands.owners.logins import Login, client_of, keep_login, kept_login, login_file
from arena.commands.terminal import say, say_json

if TYPE_CHECKING:
    from arena.clients.owner_client import OwnerClient


def signup(
    name: Annotated[str, typer.Argument(help="Your name as an owner; it is public.")],
    invite: Annotated[str, typer.Option(help="The operator's invite, where one is needed.")] = "",
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """Sign up at an arena as an owner of bots; the key is printed once, and kept here."""
    client = client_of(address)
    _require_nobody_signed_in(client, address)
    owner, key = client.sign_up(name, invite)
    # The key cannot be shown again, so it is printed even if it cannot be stored here.
    if as_json:
        say_json({"owner": owner, "key": key})
    else:
        say(f"You are the owner {owner} at {address}.", err=True)
        say("Your key, shown only once; with it you sign in elsewhere:", err=True)
        say(key)
    path = keep_login(address, Login(owner, key))
    if not as_json:
        say(
            f"It is kept in {path}. Submit a file: arena submit FILE. "
            "Run a bot yourself: arena bot new NAME",
            err=True,
        )


def _require_nobody_signed_in(client: "OwnerClient", address: str) -> None:
    """Raise CommandError if signing up would replace a valid key, which could not be recovered."""
    from arena.clients.referee_client import OwnerCallError

    kept = kept_login(address)
    if kept is None:
        return
    try:
        owner = client.owner(kept.key)
    except OwnerCallError as error:
        if error.stranger:  # the arena was set up again, or the key reset
            return
        raise
    raise CommandError(
        f"you are the owner {owner} at {address} already; your key is in {login_file()}. Register "
        "a bot: arena bot new NAME. To sign up as somebody else, set ARENA_HOME to another folder."
    )


def login(
    key: Annotated[str, typer.Option(help="Your key; asked for if it is not given.")] = "",
    address: AddressOption = DEFAULT_ADDRESS,
) -> None:
    """Sign in at an arena with the key of `arena signup`, and keep it on this machine."""
    key = key.strip() or _asked()
    owner = client_of(address).owner(key)
    path = keep_login(address, Login(owner, key))
    say(f"You are the owner {owner} at {address}; the key is kept in {path}.", err=True)


def _asked() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt("Key", hide_input=True, err=True)).strip()
    return sys.stdin.readline().strip()
