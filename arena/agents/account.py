"""`AgentAccount`: the referee, the owner and the bots in whose names an agent acts."""

import os
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from arena.agents.table import AgentTable, TableError
from arena.bot.address import Address
from arena.bot.challenging import Challenger
from arena.clients.results_client import ResultsClient
from arena.clients.upload_client import UploadClient
from arena.person.play_endpoint import PlayEndpoint, Wanted
from arena.server.limits.forwarding import on_behalf_of

MOST_TABLES: Final = 4
"""The most tables at once; a referee admits eight instances of a version."""
IDLE_SECONDS: Final = 900.0
"""The seconds without a request after which a table may be left to make room for another."""


@dataclass(frozen=True, slots=True)
class BotTokens:
    """The store of the tokens of bots that agents registered."""

    kept: Callable[[str], str]
    """Returns a bot's token by its name; "" if none is kept."""
    keep: Callable[[str, str], None]
    """Keeps a bot's token under its name."""


@dataclass(frozen=True, slots=True)
class AgentAccount:
    """An agent's account; it has no rights beyond those of the owner's key."""

    address: str
    """The referee, HOST:PORT."""
    key: str
    """The owner's key; "" for a visitor, who may only look."""
    tokens: BotTokens
    visitor: tuple[str, str | None] = ("", None)
    """The agent's address, and the secret that makes the referee trust this address."""
    own_files: bool = False
    """Whether the agent runs on this machine as its user, and may name files to upload."""
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    tables: dict[str, AgentTable] = field(default_factory=dict)
    """The tables by name; names are random, so that they cannot be guessed."""

    def results(self) -> ResultsClient:
        """Return a client for public results."""
        return ResultsClient(self._parsed()).for_visitor(*self.visitor)

    def uploads(self) -> UploadClient:
        """Return a client for the owner's uploads."""
        return UploadClient(self._parsed()).for_visitor(*self.visitor)

    def play(self, bot_token: str = "") -> PlayEndpoint:
        """Return the endpoint at which a bot with a token plays; without one it may only look."""
        forwarded = on_behalf_of(*self.visitor)
        return PlayEndpoint(self.address, self.environment, bot_token, forwarded)

    def challenger(self) -> Challenger:
        """Return a client for challenges of the owner's bots. Raises TableError for a visitor."""
        return Challenger(self._parsed(), self.require_key(), on_behalf_of(*self.visitor))

    def require_key(self) -> str:
        """Return the owner's key. Raises TableError for a visitor."""
        if not self.key:
            raise TableError(
                "Nobody is signed in: run `arena signup NAME` or `arena login` on this machine, "
                "with the ARENA_ADDRESS and ARENA_HOME of this server, and call again."
            )
        return self.key

    def token(self, bot: str) -> str:
        """Return the token of the owner's bot, which is registered if it is new.

        Raises TableError if another program plays the bot; OwnerCallError.
        """
        known = self.tokens.kept(bot)
        if known:
            return known
        key, client = self.require_key(), self.results()
        if any(one.name == bot for one in client.bots(key, prefix=bot).bots):
            raise TableError(
                f"You have a bot {bot!r}, of which this server has no token: another program plays "
                "it. Choose a new name."
            )
        _, made = client.register(key, bot)
        self.tokens.keep(bot, made)
        return made

    async def join(self, bot_token: str, wanted: Wanted) -> str:
        """Sit down at a new table, and return its name. Raises ChallengeError and TableError."""
        self._make_room()
        name = secrets.token_urlsafe(9)
        table = AgentTable(self.play(bot_token), f"agent-{name[:6]}", wanted)
        self.tables[name] = table
        try:
            await table.sit_down()
        except BaseException:
            self.tables.pop(name, None)
            raise
        return name

    def _make_room(self) -> None:
        if len(self.tables) < MOST_TABLES:
            return
        idlest = min(self.tables, key=lambda name: self.tables[name].asked_at)
        if time.monotonic() - self.tables[idlest].asked_at < IDLE_SECONDS:
            raise TableError(f"{MOST_TABLES} tables are open, the most at once: leave one of them.")
        self.leave(idlest)

    def table(self, name: str) -> AgentTable:
        """Return the table with a name. Raises TableError."""
        if name not in self.tables:
            known = ", ".join(self.tables) or "none: join one first"
            raise TableError(f"There is no table {name[:20]!r}; there are {known}.")
        return self.tables[name]

    def leave(self, name: str) -> None:
        """Leave a table. Raises TableError."""
        self.table(name).leave()
        self.tables.pop(name, None)

    def leave_idle(self) -> None:
        """Leave the tables without a request for IDLE_SECONDS."""
        for name, table in list(self.tables.items()):
            if time.monotonic() - table.asked_at >= IDLE_SECONDS:
                table.leave()
                self.tables.pop(name, None)

    async def leave_all(self) -> None:
        """Leave all tables."""
        for name in list(self.tables):
            self.leave(name)

    def _parsed(self) -> Address:
        return Address.parse(self.address, self.environment)
