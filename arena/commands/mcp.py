"""`arena mcp`: the arena as tools for agents, by the Model Context Protocol."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from arena.addresses import DEFAULT_ADDRESS, host_port
from arena.commands.errors import CommandError
from arena.commands.options import AddressOption
from arena.commands.owners.bot_tokens import keep_token, kept_token
from arena.commands.owners.logins import kept_login
from arena.commands.terminal import say
from arena.isolation import INTERRUPTED

if TYPE_CHECKING:
    from arena.agents.account import BotTokens


def mcp(
    address: AddressOption = DEFAULT_ADDRESS,
    http: Annotated[
        int,
        typer.Option(
            min=0,
            max=65_535,
            metavar="PORT",
            help="Serve over HTTP instead, for agents elsewhere: each sends its owner's key as a "
            "bearer token.",
        ),
    ] = 0,
    host: Annotated[
        str, typer.Option(help="Where HTTP listens; beyond this machine use a proxy with TLS.")
    ] = "127.0.0.1",
    url: Annotated[
        str,
        typer.Option(
            help="The address by which agents reach it, if it is another: https://mcp.example."
        ),
    ] = "",
    bot_token: Annotated[
        str,
        typer.Option(
            "--token",
            envvar="ARENA_TOKEN",
            help="The token of the bot that plays, in place of one that is registered here; not "
            "over HTTP.",
        ),
    ] = "",
) -> None:
    """Serve the arena's tools to an agent over standard input and output.

    The agent has the rights of the owner who is signed in here (`arena signup`, `arena login`), and
    no others; without one it may only look. docs/agents.md says how to add it to a client.
    """
    # Imported here, because `arena --help` needs none of them.
    from arena.bot.address import Address

    Address.parse(address, os.environ)
    if http:
        _serve_http(address, host, http, url.rstrip("/") or f"http://{host_port(host, http)}")
    else:
        _serve_stdio(address, bot_token.strip())


def _serve_stdio(address: str, bot_token: str) -> None:
    from arena.agents.account import AgentAccount, BotTokens
    from arena.agents.server import agent_server

    login = kept_login(address)
    who, key = ("", "") if login is None else (login.owner, login.key)
    kept = _tokens(address, who)
    tokens = BotTokens(lambda bot: bot_token or kept.kept(bot), kept.keep)
    account = AgentAccount(address, key, tokens, own_files=True)
    say(
        f"Tools of the arena at {address} for {who or 'nobody: they only look'}, on standard input "
        "and output.",
        err=True,
    )
    server = agent_server(lambda: account, account.leave_all)
    asyncio.run(_until_interrupted(server.run_stdio_async(), account.leave_all))


async def _until_interrupted(
    serving: Coroutine[Any, Any, None], leave_all: Callable[[], Awaitable[None]]
) -> None:
    """Serve until the input ends, or until Ctrl-C, which ends the process.

    A thread of the SDK reads the input and cannot be cancelled, so that nothing may wait for it.
    """
    interrupted = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interrupted.set)
    waiting = asyncio.create_task(interrupted.wait())
    server = asyncio.create_task(serving)
    await asyncio.wait((server, waiting), return_when=asyncio.FIRST_COMPLETED)
    if interrupted.is_set():
        await leave_all()
        os._exit(INTERRUPTED)
    waiting.cancel()
    await server


def _serve_http(address: str, host: str, port: int, url: str) -> None:
    import uvicorn

    from arena.agents.owners import OwnerAccounts
    from arena.agents.server import http_app

    name = urlsplit(url).netloc
    if not name:
        raise CommandError(f"{url!r} is no address like https://mcp.example.")
    secret = os.environ.get("ARENA_DASHBOARD_SECRET", "").strip() or None
    owners = OwnerAccounts(address, lambda owner: _tokens(address, owner), secret)
    say(f"Tools of the arena at {address}: {url}/mcp, with an owner's key as bearer token.")
    app = http_app(owners, url, [name, host_port(host, port)])
    uvicorn.run(app, host=host, port=port, log_level="warning")


def _tokens(address: str, owner: str) -> "BotTokens":
    from arena.agents.account import BotTokens

    return BotTokens(
        lambda bot: kept_token(address, owner, bot),
        lambda bot, token: keep_token(address, owner, bot, token),
    )
