"""`OwnerClient`: answers that take several calls."""

import asyncio

import psycopg

from arena.bot.address import Address
from arena.clients.owner_client import OwnerClient
from arena.server.requests.paging import MOST_LINES
from tests.databases import plain
from tests.scene import opened


async def test_the_bots_in_service_are_all_however_many_versions_the_owner_has(
    database: str,
) -> None:
    async with opened(database) as scene:
        key = await scene.key("ann")
        for bot in ("ant", "bee", "cat"):
            await scene.token(bot, "ann")
        with psycopg.connect(plain(database)) as sql:
            sql.execute(
                "INSERT INTO versions (bot_id, label, retired_at)"
                " SELECT id, 'r' || number, now() FROM bots, generate_series(1, %s) number"
                " WHERE name = 'ant'",
                (2 * MOST_LINES,),
            )
            sql.execute(
                "UPDATE versions SET retired_at = now()"
                " WHERE bot_id = (SELECT id FROM bots WHERE name = 'bee')"
            )
        client = OwnerClient(Address(f"127.0.0.1:{scene.port}"))
        # Of ant only the oldest version, on the last page, is in service.
        assert await asyncio.to_thread(client.bots_in_service, key) == ["ant", "cat"]
