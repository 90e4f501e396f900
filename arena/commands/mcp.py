"""`arena mcp`: the arena as tools for agents, by the Model Context Protocol."""

import asyncio
import os
from typing import Annotated

import typer

from arena.commands.errors import exit_with_message
from arena.commands.owners.bot_tokens import keep_token, kept_token
from arena.commands.owners.logins import DEFAULT_ADDRESS, AddressOption, kept_login
from arena.commands.terminal import say


def mcp(
    address: AddressOption = DEFAULT_ADDRESS,
    bot_token: Annotated[
        str,
        typer.Option(
            "--token",
            envvar="ARENA_TOKEN",
            help="The token of the bot that plays, in place of one that is registered here.",
        ),
    ] = "",
) -> None:
    """Serve the arena's tools to an agent over standard input and output.

    The agent has the rights of the owner who is signed in here (`arena signup`, `arena login`), and
    no others; without one it may only look. docs/agents.md says how to add it to a client.
    """
    # Imported here, because `arena --help` needs none of them.
    from arena.agents.account import AgentAccount
    from arena.agents.server import agent_server
    from arena.bot.address import Address

    with exit_with_message():
        Address.parse(address, os.environ)
        login = kept_login(address)
    account = AgentAccount(
        address,
        "" if login is None else login.key,
        lambda bot: bot_token.strip() or kept_token(address, bot),
        lambda bot, token: keep_token(address, bot, token),
    )
    who = "nobody (tools that need an owner refuse)" if login is None else login.owner
    say(f"Tools of the arena at {address} for {who}, on standard input and output.", err=True)
    asyncio.run(agent_server(account).run_stdio_async())
