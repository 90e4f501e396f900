"""Browsers stay signed in when an arena is moved to another machine by a backup."""

import asyncio
from pathlib import Path

import pytest
from streamlit.runtime.context import ContextProxy
from structlog.testing import capture_logs

from arena.clients.operator_client import OperatorClient
from arena.database.backup import back_up, restore
from arena.records import SignUp
from arena_dashboard.owners.kept_sign_in import cookie_name
from tests.dashboard.test_owner_pages import Visitor
from tests.scene import opened


@pytest.mark.slow
async def test_a_browser_is_signed_in_at_the_restored_arena_by_the_cookie_of_the_old_one(
    arena: str, empty_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "arena.backup"
    with capture_logs():
        async with opened(arena, sign_up=SignUp.OPEN) as old:
            address = f"127.0.0.1:{old.port}"
            key = await old.key("ann")
            sign_in = await asyncio.to_thread(OperatorClient.at(address, {}).stay_signed_in, key)
            await asyncio.to_thread(back_up, arena, file)
        await asyncio.to_thread(restore, empty_database, file)
        monkeypatch.setenv("ARENA_DATABASE_URL", empty_database)
        monkeypatch.setenv("ARENA_ADDRESS", address)
        cookies = {cookie_name(): sign_in}
        monkeypatch.setattr(ContextProxy, "cookies", property(lambda _: cookies))
        async with opened(empty_database, sign_up=SignUp.OPEN, port=old.port):
            ann = Visitor()
            await ann.open("submit")
            assert "You are <b>ann</b>" in ann.sees
