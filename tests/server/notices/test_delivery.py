"""Notices are made once, and delivered to webhooks until they are taken."""

import asyncio
import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Lock, Thread
from typing import Any

import psycopg
import pytest
from standardwebhooks import Webhook

from arena.database.channels import NOTICES_CHANNEL
from arena.database.errors import RequestRefusedError
from arena.database.listening import notifications
from arena.server.app.store import Store
from arena.server.notices.deliveries import AT_ONCE
from arena.server.notices.posting import Delivery
from tests.bots import PATIENCE
from tests.server.events.cups import entrant, let_pass, played_out, said
from tests.waiting import until_async

Sql = psycopg.Connection[Any]


class Taken:
    """What was posted; it takes nothing while `refuses` is set."""

    def __init__(self, refuses: str = "") -> None:
        self.posts: list[tuple[str, bytes, Mapping[str, str]]] = []
        self.refuses = refuses

    def __call__(self, one: Delivery, body: bytes, headers: Mapping[str, str]) -> None:
        if self.refuses:
            raise OSError(self.refuses)
        self.posts.append((one.url, body, headers))

    def types(self) -> list[str]:
        return [json.loads(body)["type"] for _, body, _ in self.posts]


async def kinds(store: Store, sql: Sql) -> list[str]:
    await store.event_notices.keep()
    return [
        kind
        for (kind,) in sql.execute(
            "SELECT kind FROM notices WHERE event_id IS NOT NULL ORDER BY id"
        )
    ]


async def test_each_thing_that_happens_is_noticed_once(
    store: Store, database: str, sql: Sql
) -> None:
    await store.events.create("cup", said(), "me")
    for name in ("ann", "bob"):
        await entrant(store, database, "cup", name)
    assert await kinds(store, sql) == ["opens"]
    let_pass(sql, "cup", 0.5)
    sql.execute("UPDATE events SET created_at = created_at - interval '2 days'")
    assert await kinds(store, sql) == ["opens", "last-day"]
    let_pass(sql, "cup", 1.6)
    await store.finals.keep(store.record)
    await played_out(store, sql, (await store.events.named("cup"))[0])
    assert await kinds(store, sql) == ["opens", "last-day", "frozen", "final"]
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    assert await kinds(store, sql) == ["opens", "last-day", "frozen", "final", "results"]
    assert await kinds(store, sql) == ["opens", "last-day", "frozen", "final", "results"]


async def test_a_notice_is_posted_signed_as_standard_webhooks_are(store: Store, sql: Sql) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    secret = await store.webhooks.add(event.id, event.name, "https://example.org/hook", "me")
    await store.event_notices.keep()
    taken = Taken()
    assert await store.deliveries.deliver(taken) is None
    ((url, body, headers),) = taken.posts
    assert url == "https://example.org/hook"
    told = Webhook(secret).verify(body, dict(headers))
    assert told["type"] == "event.opens"
    assert told["data"]["event"] == "cup"
    assert told["data"]["text"].startswith("A cup: entries are open until 20")
    await store.deliveries.deliver(taken)
    assert len(taken.posts) == 1
    (line,) = await store.webhooks.of_event(event.id)
    assert (line.delivered, line.waiting, line.failure) == (1, 0, "")


async def test_an_answer_of_any_characters_counts_as_a_try(store: Store, sql: Sql) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    await store.webhooks.add(event.id, event.name, "https://example.org/hook", "me")
    await store.event_notices.keep()
    await store.deliveries.deliver(Taken("answered 500 \0\x1b[31m" + "\x07" * 200))
    (line,) = await store.webhooks.of_event(event.id)
    assert line.failure.startswith(r"answered 500 \x00\x1b[31m\x07")
    assert len(line.failure) == 200
    assert sql.execute("SELECT tries FROM deliveries").fetchall() == [(1,)]


async def test_a_webhook_with_which_posting_breaks_does_not_keep_notices_from_others(
    store: Store, sql: Sql
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    for host in ("one", "two", "three"):
        await store.webhooks.add(event.id, event.name, f"https://{host}.example.org/hook", "me")
    await store.event_notices.keep()
    taken = Taken()

    def post(one: Delivery, body: bytes, headers: Mapping[str, str]) -> None:
        if "two" in one.url:
            raise RuntimeError("a bug")
        taken(one, body, headers)

    await store.deliveries.deliver(post)
    assert sorted(url for url, *_ in taken.posts) == [
        "https://one.example.org/hook",
        "https://three.example.org/hook",
    ]
    failures = sql.execute("SELECT failure FROM deliveries WHERE delivered_at IS NULL").fetchall()
    assert failures == [("RuntimeError",)]


async def test_what_is_not_taken_is_tried_again_and_in_the_end_given_up(
    store: Store, sql: Sql
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    await store.webhooks.add(event.id, event.name, "https://example.org/hook", "me")
    await store.event_notices.keep()
    taken = Taken()
    taken.refuses = "it is down"
    seconds = await store.deliveries.deliver(taken)
    assert seconds == pytest.approx(10, abs=2)
    (line,) = await store.webhooks.of_event(event.id)
    assert (line.delivered, line.waiting, line.failure) == (0, 1, "it is down")
    taken.refuses = ""
    sql.execute("UPDATE deliveries SET due_at = now()")
    assert await store.deliveries.deliver(taken) is None
    assert taken.types() == ["event.opens"]
    await store.events.cancel("cup", "me", "rain")
    await store.event_notices.keep()
    taken.refuses = "it is gone"
    for tries in range(9):
        (line,) = await store.webhooks.of_event(event.id)
        assert line.waiting == 1, tries
        sql.execute("UPDATE deliveries SET due_at = now() WHERE due_at IS NOT NULL")
        await store.deliveries.deliver(taken)
    assert await store.deliveries.deliver(taken) is None
    (line,) = await store.webhooks.of_event(event.id)
    assert (line.delivered, line.waiting, line.failure) == (1, 0, "it is gone")


async def test_a_delivery_of_a_referee_that_died_is_anothers_after_a_while(
    store: Store, sql: Sql
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    await store.webhooks.add(event.id, event.name, "https://example.org/hook", "me")
    await store.event_notices.keep()

    begun, dead = Event(), Event()

    def hangs(_one: Delivery, _body: bytes, _headers: Mapping[str, str]) -> None:
        begun.set()
        dead.wait(PATIENCE)

    dying = asyncio.create_task(store.deliveries.deliver(hangs))
    assert await asyncio.to_thread(begun.wait, PATIENCE)
    dying.cancel()
    dead.set()
    with pytest.raises(asyncio.CancelledError):
        await dying
    taken = Taken()
    seconds = await store.deliveries.deliver(taken)
    assert seconds is not None and seconds > 30
    assert taken.posts == []
    sql.execute("UPDATE deliveries SET due_at = now()")
    await store.deliveries.deliver(taken)
    assert taken.types() == ["event.opens"]


@pytest.mark.parametrize(
    ("url", "body"),
    [
        ("https://discord.com/api/webhooks/1/x", {"content", "allowed_mentions"}),
        ("https://hooks.slack.com/services/x", {"text"}),
    ],
)
async def test_discord_and_slack_get_the_form_that_they_take(
    store: Store, url: str, body: set[str]
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    await store.webhooks.add(event.id, event.name, url, "me")
    await store.event_notices.keep()
    taken = Taken()
    await store.deliveries.deliver(taken)
    ((_, posted, _),) = taken.posts
    assert set(json.loads(posted)) == body


async def test_a_webhook_is_an_address_of_http_once_and_can_be_removed(
    store: Store, sql: Sql
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    for wrong in (
        *("file:///etc/passwd", "example.org", "https://", f"https://x/{'y' * 1000}"),
        *("https://example.org/a b", "https://example.org/\n", "https://example.org:port/"),
        "https://exämple.org/",
    ):
        with pytest.raises(RequestRefusedError, match="has an address such as"):
            await store.webhooks.add(event.id, event.name, wrong, "me")
    url = "https://example.org/secret-path"
    secret = await store.webhooks.add(event.id, event.name, url, "me")
    with pytest.raises(RequestRefusedError, match="has this webhook already"):
        await store.webhooks.add(event.id, event.name, url, "me")
    audit = sql.execute("SELECT string_agg(details::text, ' ') FROM audit").fetchone()
    assert audit is not None
    assert "example.org" in audit[0]
    assert "secret-path" not in audit[0]
    assert secret not in audit[0]
    await store.webhooks.remove(event.id, event.name, url, "me")
    with pytest.raises(RequestRefusedError, match="no such webhook"):
        await store.webhooks.remove(event.id, event.name, url, "me")


@contextmanager
def listening(status: int, location: str = "") -> Iterator[tuple[str, list[bytes]]]:
    """A web server that answers with a status: its address, and what was posted to it."""
    posted: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(status)
            if location:
                self.send_header("Location", location)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook", posted
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    ("status", "delivered", "failure"), [(204, 1, ""), (500, 0, "500"), (302, 0, "302")]
)
async def test_a_real_server_takes_it_or_not(
    store: Store, status: int, delivered: int, failure: str
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    with listening(200) as (elsewhere, never), listening(status, elsewhere) as (url, posted):
        await store.webhooks.add(event.id, event.name, url, "me")
        await store.event_notices.keep()
        await store.deliveries.deliver()
        (line,) = await store.webhooks.of_event(event.id)
    assert len(posted) == 1
    assert never == []  # no redirect is followed
    assert line.delivered == delivered
    assert failure in line.failure


async def test_a_server_that_speaks_no_http_fails_as_others_do(store: Store) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    with socket.create_server(("127.0.0.1", 0)) as server:

        def talk() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"220 mail\r\n")

        thread = Thread(target=talk)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/hook"
        await store.webhooks.add(event.id, event.name, url, "me")
        await store.event_notices.keep()
        seconds = await store.deliveries.deliver()
        thread.join()
    assert seconds is not None and 5 < seconds <= 10
    (line,) = await store.webhooks.of_event(event.id)
    assert "220 mail" in line.failure


async def test_a_webhook_that_an_organiser_has_added_is_not_posted_to_inside_the_network(
    store: Store,
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    hook = "http://2130706433:9/hook"  # 127.0.0.1, as only who looks it up sees
    await store.webhooks.add(event.id, event.name, hook, "ann", public_only=True)
    await store.event_notices.keep()
    await store.deliveries.deliver()
    (line,) = await store.webhooks.of_event(event.id)
    assert "is not on the public internet" in line.failure


async def test_the_failure_that_is_shown_is_the_last(store: Store, sql: Sql) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    await store.webhooks.add(event.id, event.name, "https://example.org/hook", "me")
    await store.event_notices.keep()
    await store.deliveries.deliver(Taken(refuses="zzz"))
    let_pass(sql, "cup", 1.1)
    await store.finals.keep(store.record)
    await store.event_notices.keep()
    await store.deliveries.deliver(Taken(refuses="aaa"))
    (line,) = await store.webhooks.of_event(event.id)
    assert line.failure == "aaa"


async def test_looks_use_up_no_numbers(store: Store, sql: Sql) -> None:
    await store.events.create("cup", said(), "me")
    for _ in range(5):
        await store.event_notices.keep()
    let_pass(sql, "cup", 1.1)
    await store.finals.keep(store.record)
    await store.event_notices.keep()
    ids = [number for (number,) in sql.execute("SELECT id FROM notices ORDER BY id")]
    assert ids == list(range(ids[0], ids[0] + len(ids)))
    assert len(ids) > 1


async def test_a_new_notice_is_delivered_at_once_while_deliveries_run(
    store: Store, database: str
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    with listening(204) as (url, posted):
        await store.webhooks.add(event.id, event.name, url, "me")
        running = asyncio.create_task(
            store.deliveries.run(notifications(database, [NOTICES_CHANNEL]))
        )
        try:
            await store.event_notices.keep()
            await until_async(lambda: posted)
            await store.events.cancel("cup", "me", "rain")
            await store.event_notices.keep()
            await until_async(lambda: posted[1:])
        finally:
            running.cancel()
    types = [json.loads(body)["type"] for body in posted]
    assert types == ["event.opens", "event.cancelled"]


async def test_webhooks_that_hang_hold_up_neither_others_threads_nor_more_than_their_share(
    store: Store,
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    for number in range(AT_ONCE + 2):
        await store.webhooks.add(event.id, event.name, f"https://example.org/{number}", "me")
    await store.event_notices.keep()
    over, hanging, most = Event(), 0, 0
    lock = Lock()

    def hangs(one: Delivery, body: bytes, headers: Mapping[str, str]) -> None:
        nonlocal hanging, most
        with lock:
            hanging += 1
            most = max(most, hanging)
        over.wait(PATIENCE)
        with lock:
            hanging -= 1

    delivering = asyncio.create_task(store.deliveries.deliver(hangs))
    await until_async(lambda: hanging == AT_ONCE)
    # The threads that everything else of the referee uses are free.
    threads = [asyncio.to_thread(lambda: None) for _ in range(4 * AT_ONCE)]
    async with asyncio.timeout(PATIENCE / 2):
        await asyncio.gather(*threads)
    assert hanging == AT_ONCE
    over.set()
    await delivering
    assert most == AT_ONCE
    lines = await store.webhooks.of_event(event.id)
    assert [line.delivered for line in lines] == [1] * (AT_ONCE + 2)


async def test_nobody_listens(store: Store) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    await store.webhooks.add(event.id, event.name, "http://127.0.0.1:9/hook", "me")
    await store.event_notices.keep()
    seconds = await store.deliveries.deliver()
    assert seconds is not None
    assert timedelta(seconds=seconds) < timedelta(seconds=15)
