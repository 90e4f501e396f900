"""Owners are told what becomes of their builds, and when a bot keeps failing; each once."""

import asyncio
import json
import subprocess
import sys
from typing import Any

import psycopg
import pytest
from sqlalchemy.exc import DBAPIError
from standardwebhooks import Webhook

from arena.builds.hosted import HostingTerms
from arena.database.engine import reading_engine
from arena.database.errors import NotFoundError, RequestRefusedError
from arena.records import Owner
from arena.server.app.store import Store, open_store
from arena.server.notices import notice_statements
from arena.server.notices.webhooks import MOST_WEBHOOKS
from tests.jobs import accept_build, job_in_hand, refuse_build
from tests.server.events.cups import said, signed_up, uploaded
from tests.server.notices.test_delivery import Taken

Sql = psycopg.Connection[Any]
HOOK = "https://example.org/hook"


async def delivered(store: Store) -> list[dict[str, Any]]:
    taken = Taken()
    assert await store.deliveries.deliver(taken) is None
    return [json.loads(body) for _, body, _ in taken.posts]


@pytest.fixture
async def owner(store: Store) -> Owner:
    """An owner with an unchecked build of the bot `hers`."""
    owner = await signed_up(store, "ann")
    await uploaded(store, owner, "hers")
    return owner


async def id_of(store: Store, bot: str) -> int:
    version = next(one for one in await store.bots() if one.bot == bot)
    (row,) = await store.rows(notice_statements.bot_of(version.id))
    return int(row["bot_id"])


async def cut_short(store: Store, database: str, bot: str, times: int) -> None:
    """A bot's program ends its shifts, so many in a row."""
    bot_id = await id_of(store, bot)
    worker = await store.workers.by_token(await store.workers.add("runner", "test"))
    assert worker is not None
    for _ in range(times):
        with job_in_hand(database, bot_id=bot_id):
            begun = await store.shifts.begin_play(worker, bot_id, HostingTerms())
            assert begun is not None
            await store.shifts.end(worker, begun.id, "It ended.", "", accepted=None, cut_short=True)


async def test_a_webhook_gets_what_became_of_a_build_signed(
    store: Store, database: str, owner: Owner
) -> None:
    secret = await store.bot_webhooks.add(owner, HOOK, None)
    await accept_build(store, database, "hers")
    taken = Taken()
    await store.deliveries.deliver(taken)
    ((url, body, headers),) = taken.posts
    assert url == HOOK
    told = Webhook(secret).verify(body, dict(headers))
    assert told["type"] == "build.accepted"
    assert told["data"] == {
        "bot": "hers",
        "version": "1",
        "text": "hers: version 1 is accepted, and plays from now on.",
    }
    await uploaded(store, owner, "hers", "x = 1")
    await refuse_build(store, database, "hers", "It opened no stream.")
    (told,) = await delivered(store)
    assert told["type"] == "build.refused"
    assert told["data"]["reason"] == "It opened no stream."
    assert await delivered(store) == []


@pytest.mark.slow
async def test_a_webhook_of_one_bot_gets_nothing_of_others(
    store: Store, database: str, owner: Owner
) -> None:
    await uploaded(store, owner, "another")
    other = await signed_up(store, "bob")
    await store.bot_webhooks.add(other, HOOK, None)
    await store.bot_webhooks.add(owner, HOOK, "Hers")
    await accept_build(store, database, "another")
    assert await delivered(store) == []
    await accept_build(store, database, "hers")
    (told,) = await delivered(store)
    assert told["data"]["bot"] == "hers"


async def test_a_check_that_two_referees_decide_at_once_is_told_once(
    store: Store, database: str, owner: Owner, sql: Sql
) -> None:
    await store.bot_webhooks.add(owner, HOOK, None)
    (version,) = await store.bots()
    worker = await store.workers.by_token(await store.workers.add("checker", "test"))
    assert worker is not None
    async with open_store(database) as other:
        with job_in_hand(database, version_id=version.id):
            begun = await store.shifts.begin_check(worker, version.id)
            assert begun is not None
            await asyncio.gather(
                *(
                    one.shifts.end(worker, begun.id, "Why.", "", accepted=n % 2 == 0)
                    for n, one in enumerate((store, other, store, other))
                )
            )
    assert len(await delivered(store)) == 1
    assert sql.execute("SELECT count(*) FROM notices").fetchone() == (1,)


KILLED = """
import asyncio, sys
from arena.database.transaction import transaction
from arena.server.app.store import open_store
from arena.server.notices.failing_bots import failing
from arena.server.notices.outbox import tell

async def main():
    async with open_store(sys.argv[1]) as store, transaction(store._engine) as connection:
        await tell(connection, failing(int(sys.argv[2]), "hers", "1", "it ended."))
        if sys.argv[3] == "after":
            await connection.commit()
        print("told", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_referee_that_is_killed_around_its_commit_makes_a_notice_once(
    store: Store, database: str, owner: Owner, sql: Sql, when: str
) -> None:
    await store.bot_webhooks.add(owner, HOOK, None)
    (version,) = await store.bots()
    command = [sys.executable, "-c", KILLED, database, str(await id_of(store, "hers")), when]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"told\n"
    finally:
        process.kill()
        await process.wait()
    # The next referee sees it fail as well.
    store.failing_bots.fails(version.id, "it ended.")
    await store.failing_bots.tell_seen()
    (told,) = await delivered(store)
    assert told["data"]["text"] == "hers 1 keeps failing: it ended."


@pytest.mark.slow
async def test_a_bot_whose_program_ends_three_shifts_in_a_row_keeps_failing(
    store: Store, database: str, owner: Owner, sql: Sql
) -> None:
    await store.bot_webhooks.add(owner, HOOK, None)
    await accept_build(store, database, "hers")
    await delivered(store)
    await cut_short(store, database, "hers", 2)
    assert await delivered(store) == []
    await cut_short(store, database, "hers", 1)
    (told,) = await delivered(store)
    assert told["type"] == "bot.failing"
    assert told["data"]["text"] == (
        "hers 1 keeps failing: its last 3 shifts ended early. It ended."
    )
    await cut_short(store, database, "hers", 1)
    assert await delivered(store) == []  # on this day
    sql.execute("UPDATE notices SET about = '2001-01-01' WHERE kind = 'failing'")
    await cut_short(store, database, "hers", 1)
    (told,) = await delivered(store)
    assert "its last 5 shifts" in told["data"]["text"]


async def test_of_a_bot_the_public_reads_which_builds_were_accepted_and_nothing_else(
    store: Store, database: str, owner: Owner
) -> None:
    await accept_build(store, database, "hers")
    await uploaded(store, owner, "hers", "x = 1")
    await refuse_build(store, database, "hers", "A secret.")
    statement = notice_statements.accepted_builds("hers")
    assert [row["text"] for row in await store.rows(statement)] == [
        "hers: version 1 is accepted, and plays from now on."
    ]
    engine = reading_engine(database)
    with engine.connect() as connection:
        kinds = connection.exec_driver_sql("SELECT kind FROM notices").scalars().all()
        assert kinds == ["accepted"]
        with pytest.raises(DBAPIError, match="permission denied"):
            connection.exec_driver_sql("SELECT * FROM webhooks")
    engine.dispose()


async def test_an_owners_webhook_is_a_public_address_once_of_an_own_bot(
    store: Store, owner: Owner, sql: Sql
) -> None:
    for private in (
        "http://127.0.0.1/x",
        "http://[::1]:8080/",
        "https://localhost/",
        "http://10.0.0.1",
    ):
        with pytest.raises(RequestRefusedError, match="is not on the public internet"):
            await store.bot_webhooks.add(owner, private, None)
    with pytest.raises(RequestRefusedError, match="has an address such as"):
        await store.bot_webhooks.add(owner, "file:///etc/passwd", None)
    with pytest.raises(NotFoundError, match="You have no bot none"):
        await store.bot_webhooks.add(owner, HOOK, "none")
    bob = await signed_up(store, "bob")
    with pytest.raises(NotFoundError, match="You have no bot hers"):
        await store.bot_webhooks.add(bob, HOOK, "hers")
    secret = await store.bot_webhooks.add(owner, HOOK, "hers")
    await store.bot_webhooks.add(owner, HOOK, None)
    for bot in ("hers", None):
        with pytest.raises(RequestRefusedError, match="You have this webhook already"):
            await store.bot_webhooks.add(owner, HOOK, bot)
    assert [(one.url, one.bot) for one in await store.bot_webhooks.of(owner)] == [
        (HOOK, "hers"),
        (HOOK, None),
    ]
    audit = sql.execute("SELECT string_agg(details::text, ' ') FROM audit").fetchone()
    assert audit is not None
    assert "example.org" in audit[0]
    assert "/hook" not in audit[0]
    assert secret not in audit[0]
    with pytest.raises(RequestRefusedError, match="You have no such webhook"):
        await store.bot_webhooks.remove(bob, HOOK, None)
    await store.bot_webhooks.remove(owner, HOOK, None)
    assert [one.bot for one in await store.bot_webhooks.of(owner)] == ["hers"]


async def test_an_owner_has_so_many_webhooks_also_at_once(store: Store, owner: Owner) -> None:
    async def add(number: int) -> str:
        return await store.bot_webhooks.add(owner, f"{HOOK}/{number}", None)

    for number in range(MOST_WEBHOOKS - 1):
        await add(number)
    numbers = range(MOST_WEBHOOKS - 1, MOST_WEBHOOKS + 3)
    outcomes = await asyncio.gather(*map(add, numbers), return_exceptions=True)
    refused = [str(one) for one in outcomes if isinstance(one, RequestRefusedError)]
    assert refused == ["You have 10 webhooks, and 10 are allowed: remove one first."] * 3


async def test_old_notices_go_but_for_what_feeds_show_and_what_is_to_be_delivered(
    store: Store, sql: Sql, owner: Owner
) -> None:
    await store.events.create("cup", said(), "me")
    await store.event_notices.keep()
    bot = await id_of(store, "hers")
    made = "INSERT INTO notices (bot_id, kind, about, at) VALUES (%s, %s, %s, now() - %s::interval)"
    most = notice_statements.FEED_NOTICES
    for number in range(most + 2):
        sql.execute(made, (bot, "accepted", str(number), "91 days"))
    for about, age in (("old", "91 days"), ("waits", "91 days"), ("young", "89 days")):
        sql.execute(made, (bot, "refused", about, age))
    for url in (HOOK, f"{HOOK}/2"):
        await store.bot_webhooks.add(owner, url, None)
    sql.execute(
        "INSERT INTO deliveries (notice_id, webhook_id, due_at)"
        " SELECT notices.id, webhooks.id, CASE WHEN about = 'waits' AND url = %s THEN now() END"
        " FROM notices, webhooks WHERE kind = 'refused'",
        (HOOK,),
    )
    await store.policies.change({"notice_days": None}, "operator")
    assert await store.retention.forget_notices() == 0
    await store.policies.change({"notice_days": 90}, "operator")
    sql.execute("UPDATE notices SET at = now() - interval '91 days' WHERE kind = 'opens'")
    assert await store.retention.forget_notices() == 3
    left = "SELECT about FROM notices WHERE kind = %s ORDER BY id"
    assert [a for (a,) in sql.execute(left, ("refused",))] == ["waits", "young"]
    assert [a for (a,) in sql.execute(left, ("accepted",))] == [str(n) for n in range(2, most + 2)]
    # Of an event all stay: it is known by them that they were made.
    await store.event_notices.keep()
    assert sql.execute("SELECT count(*) FROM notices WHERE kind = 'opens'").fetchone() == (1,)
    kept = "SELECT about, count(*) FROM deliveries JOIN notices ON id = notice_id GROUP BY 1"
    assert dict(sql.execute(kept).fetchall()) == {"waits": 1, "young": 2}
