"""`arena bot webhook` and `webhooks`: where notices of an owner's bots are posted."""

from dataclasses import asdict
from typing import Annotated

import typer

from arena.addresses import DEFAULT_ADDRESS
from arena.commands.options import AddressOption, AsJson
from arena.commands.owners.logins import client_of, login_at
from arena.commands.terminal import say, say_json, say_table


def webhook(
    url: Annotated[str, typer.Argument(help="Where notices are posted: https://….")],
    bot: Annotated[str, typer.Option(help="Only notices of this bot; by default of all.")] = "",
    remove: Annotated[bool, typer.Option("--remove", help="Post nothing there any more.")] = False,
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """Post notices of your bots to an address; prints the secret that signs them, once.

    Notices: a build is accepted, or refused and why; a bot keeps failing. They are signed as
    Standard Webhooks; Discord and Slack get the form that they take.
    """
    key, client = login_at(address).key, client_of(address)
    if remove:
        client.remove_webhook(key, url, bot)
        secret = ""
    else:
        secret = client.add_webhook(key, url, bot)
    if as_json:
        say_json({"url": url, "bot": bot or None, "secret": secret or None})
    elif secret:
        say("The secret that signs the notices, shown only once:", err=True)
        say(secret)
    else:
        say("Nothing is posted there any more.")


def webhooks(
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """List your webhooks, with what was delivered and why the last try failed."""
    found = client_of(address).webhooks(login_at(address).key)
    if as_json:
        say_json([asdict(one) | {"bot": one.bot or None} for one in found])
        return
    rows = ((one.url, one.bot or "all", one.delivered, one.waiting, one.failure) for one in found)
    say_table(("webhook", "bot", "delivered", "waiting", "last failure"), rows)
