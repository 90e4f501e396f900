"""`OwnerAccounts`: the accounts of a server that agents reach over HTTP, by the keys of owners.

The key is the bearer token of each request. The referee says whose it is. An account is kept for
later requests; one without tables is dropped when its room is needed.
"""

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken

from arena.agents.account import AgentAccount, BotTokens
from arena.agents.visitors import WrongKeys, visitor
from arena.clients.owner_client import OwnerClient
from arena.clients.referee_client import OwnerCallError

MOST_ACCOUNTS: Final = 200
"""The most accounts that are kept.

One without tables makes room for another; if all have tables, idle tables are left first.
"""
_NO_KEY: Final = "\n"
"""The key of an account whose own key has ended; no request can carry a line break."""


class TooManyAgentsError(OwnerCallError):
    """As many agents as allowed play already."""


class OwnerAccounts:
    """The token verifier of the SDK, and the account of the request that is being answered."""

    def __init__(
        self, address: str, tokens_of: Callable[[str], BotTokens], secret: str | None = None
    ) -> None:
        """Serve the owners of a referee.

        Args:
            address: The referee, HOST:PORT.
            tokens_of: Returns where the tokens of an owner's bots are kept, by the owner's name.
            secret: The referee's ARENA_DASHBOARD_SECRET, with which its limits count for the
                address of each agent, and not for this server.
        """
        self._address = address
        self._secret = secret
        self._wrong_keys = WrongKeys()
        self._client = OwnerClient.at(address, os.environ)
        self._tokens_of = tokens_of
        self._asking: dict[str, asyncio.Task[str]] = {}
        """Pending requests to the referee, by key: they may take seconds, and threads are few."""
        self._accounts: dict[str, AgentAccount] = {}
        """The accounts, by the owner's name."""

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the owner of a key; None for an unknown key, or if the address must wait.

        While the referee is unreachable, keys that were valid at their last request stay valid:
        their matches go on when it is back. A request with such a key never has to wait.
        """
        kept = list(self._accounts.items())
        known = next((name for name, one in kept if one.key == token), None)
        if known is None and not self._wrong_keys.begin():
            return None
        address = visitor().address
        try:
            owner: str | None = await self._owner(token, address)
        except OwnerCallError as error:
            if error.stranger:
                if known is not None:  # else a call refused by a limit would let it in
                    self._accounts[known] = replace(self._accounts[known], key=_NO_KEY)
                return None
            owner = known
        if known is None:
            self._wrong_keys.was_right()  # or the referee did not say
        if owner is None:
            return None
        claims = {"address": address}
        return AccessToken(token=token, client_id=owner, scopes=[], subject=owner, claims=claims)

    async def _owner(self, token: str, address: str) -> str:
        """Return whose key it is; concurrent calls share one request. Raises OwnerCallError."""
        asking = self._asking.get(token)
        if asking is None:
            client = self._client.for_visitor(address, self._secret)
            asking = asyncio.create_task(asyncio.to_thread(client.owner, token))
            self._asking[token] = asking
            asking.add_done_callback(lambda _: self._asking.pop(token, None))
        return await asyncio.shield(asking)  # the caller may be cancelled

    def account(self) -> AgentAccount:
        """Return the account of the request. Raises TooManyAgentsError."""
        access = get_access_token()
        assert access is not None  # the SDK refuses requests without one
        address = (access.claims or {})["address"]
        known = self._accounts.get(access.client_id)
        if known is not None and (known.key, known.visitor[0]) == (access.token, address):
            return known
        if known is None and len(self._accounts) >= MOST_ACCOUNTS:
            self._make_room()
        tables = {} if known is None else known.tables
        account = AgentAccount(
            self._address,
            access.token,
            self._tokens_of(access.client_id),
            visitor=(address, self._secret),
            tables=tables,
        )
        self._accounts[access.client_id] = account
        return account

    def _make_room(self) -> None:
        """Forget an account without tables. Raises TooManyAgentsError."""
        # Copies: requests are answered in several threads.
        known = list(self._accounts.values())
        if all(one.tables for one in known):
            for one in known:
                one.leave_idle()
        kept = list(self._accounts.items())
        idle = next((name for name, one in kept if not one.tables), None)
        if idle is None:
            raise TooManyAgentsError("As many agents as allowed play already: try again later.")
        self._accounts.pop(idle, None)

    async def leave_all(self) -> None:
        """Leave all tables of all accounts."""
        for account in list(self._accounts.values()):
            await account.leave_all()
