"""`OwnerAccounts`: the accounts of a server that agents reach over HTTP, by the keys of owners.

The key is the bearer token of each request. The referee says whose it is; an account is kept while
it has tables, or for the next request.
"""

import asyncio
import os
from collections.abc import Callable
from typing import Final

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken

from arena.agents.account import AgentAccount, BotTokens
from arena.clients.owner_client import OwnerCallError, OwnerClient

MOST_ACCOUNTS: Final = 200
"""The most accounts that are kept; one without tables makes room for another."""


class TooManyAgentsError(OwnerCallError):
    """As many agents as allowed play already."""


class OwnerAccounts:
    """The token verifier of the SDK, and the account of the request that is being answered."""

    def __init__(self, address: str, tokens_of: Callable[[str], BotTokens]) -> None:
        """`tokens_of` returns where the tokens of an owner's bots are kept, by the owner's name."""
        self._address = address
        self._client = OwnerClient.at(address, os.environ)
        self._tokens_of = tokens_of
        self._accounts: dict[str, AgentAccount] = {}
        """The accounts, by the owner's name."""

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return whose key it is; None for a key of nobody.

        While the referee is away, keys that were valid at their last request are: their matches go
        on when it is back.
        """
        try:
            owner = await asyncio.to_thread(self._client.owner, token)
        except OwnerCallError as error:
            known = (name for name, one in self._accounts.items() if one.key == token)
            found = None if error.stranger else next(known, None)
            if found is None:
                return None
            owner = found
        return AccessToken(token=token, client_id=owner, scopes=[], subject=owner)

    def account(self) -> AgentAccount:
        """Return the account of the request. Raises TooManyAgentsError."""
        access = get_access_token()
        assert access is not None  # the SDK lets nobody in without one
        known = self._accounts.get(access.client_id)
        if known is not None and known.key == access.token:
            return known
        if known is None and len(self._accounts) >= MOST_ACCOUNTS:
            idle = next((name for name, one in self._accounts.items() if not one.tables), None)
            if idle is None:
                raise TooManyAgentsError("As many agents as allowed play already: try again later.")
            del self._accounts[idle]
        tables = {} if known is None else known.tables
        account = AgentAccount(
            self._address, access.token, self._tokens_of(access.client_id), tables=tables
        )
        self._accounts[access.client_id] = account
        return account

    async def leave_all(self) -> None:
        """Leave all tables of all accounts."""
        for account in self._accounts.values():
            await account.leave_all()
