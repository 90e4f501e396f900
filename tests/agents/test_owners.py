"""The accounts of an agents' server: how many are kept, and which make room."""

import math
import time
from dataclasses import dataclass
from typing import Any

import pytest
from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from arena.agents.account import AgentAccount, BotTokens
from arena.agents.owners import MOST_ACCOUNTS, OwnerAccounts, TooManyAgentsError


@dataclass
class Table:
    """A table that nobody is at."""

    asked_at: float
    left: bool = False

    def leave(self) -> None:
        self.left = True


def account_of(owners: OwnerAccounts, name: str, *tables: Table) -> AgentAccount:
    """The account for a request with an owner's key, at further tables."""
    claims = {"address": "192.0.2.1"}
    access = AccessToken(token=name, client_id=name, scopes=[], subject=name, claims=claims)
    before = auth_context_var.set(AuthenticatedUser(access))
    try:
        account = owners.account()
    finally:
        auth_context_var.reset(before)
    played: dict[str, Any] = {str(number): table for number, table in enumerate(tables)}
    account.tables.update(played)
    return account


def test_tables_that_nobody_asks_about_make_room_for_further_owners() -> None:
    owners = OwnerAccounts("127.0.0.1:1", lambda _: BotTokens(str, print))
    for number in range(MOST_ACCOUNTS - 1):
        account_of(owners, f"owner {number}", Table(time.monotonic()))
    idle, asked = Table(-math.inf), Table(time.monotonic())
    both = account_of(owners, "both", idle, asked)
    with pytest.raises(TooManyAgentsError):
        account_of(owners, "further")
    assert (idle.left, asked.left) == (True, False)
    asked.asked_at = -math.inf
    assert account_of(owners, "further").key == "further"
    assert asked.left
    assert both.tables == {}


def test_another_account_may_come_while_room_is_made() -> None:
    """Requests are answered in several threads; here the other one comes within the first."""

    class Interrupting(Table):
        def leave(self) -> None:
            if not self.left:
                self.left = True
                account_of(owners, "meanwhile")

    owners = OwnerAccounts("127.0.0.1:1", lambda _: BotTokens(str, print))
    account_of(owners, "idle", Interrupting(-math.inf))
    for number in range(MOST_ACCOUNTS - 1):
        account_of(owners, f"owner {number}", Table(time.monotonic()))
    assert account_of(owners, "further").key == "further"
