"""Owners: signing up, keys, what they may do with their bots, and what the operator may."""

import asyncio
from dataclasses import replace

import psycopg
import pytest
from sqlalchemy import create_engine, text

from arena.database.errors import (
    BannedError,
    DetailsRefusedError,
    FrozenError,
    InviteRefusedError,
    NameRefusedError,
    PausedError,
    RetiredError,
    TooManyBotsError,
    TooManyVersionsError,
    UnknownBlockError,
    UnknownBotError,
    UnknownOwnerError,
)
from arena.database.reading import Reader
from arena.database.schema import migrate
from arena.rating.ladder_id import LadderId
from arena.records import Allowance, Block, BlockKind, OwnBots, Owner
from arena.server.app.store import Store
from arena.server.boards.live_board import LiveBoard
from tests import recorded_matches
from tests.database.migrating import migrate_to
from tests.databases import execute
from tests.recorded_results import finished

PLENTY = Allowance(bots=20, bot_versions_a_day=24, owner_versions_a_day=50)


async def ann(store: Store) -> Owner:
    return (await store.owners.sign_up("Ann", None))[0]


@pytest.mark.slow
async def test_the_key_of_a_sign_up_proves_who_an_owner_is(store: Store) -> None:
    owner, key = await store.owners.sign_up(" Ann ", None)
    (listed,) = await store.owners.owners(9)
    assert (owner.name, listed.name, listed.bots, listed.has_key) == ("Ann", "Ann", 0, True)
    assert key.startswith("arena_owner_")
    assert await store.owners.by_key(key) == owner
    assert await store.owners.by_key("arena_owner_guessed") is None
    assert await store.authenticate(key) is None


async def test_a_key_and_an_invite_are_stored_nowhere_in_clear(
    store: Store, sql: psycopg.Connection
) -> None:
    code = await store.owners.invite(2, None, "operator")
    _, key = await store.owners.sign_up("Ann", code)
    for table in ("owners", "owner_keys", "invites", "audit"):
        rows = str(sql.execute(f"SELECT {table}::text FROM {table}".encode()).fetchall())
        assert len(rows) > 10
        for secret in (key, code, code.replace("-", "")):
            assert secret not in rows
            assert secret.encode().hex() not in rows


@pytest.mark.parametrize("name", ["ann", "ANN", "Аnn", "Ａnn"])
async def test_nobody_signs_up_under_a_name_that_is_taken_or_looks_like_one(
    store: Store, name: str
) -> None:
    await ann(store)
    with pytest.raises(NameRefusedError, match=r"an owner Ann already|looks like .* owner Ann"):
        await store.owners.sign_up(name, None)


async def test_an_invite_lets_in_as_many_as_it_says_and_not_one_more(store: Store) -> None:
    code = await store.owners.invite(10, None, "operator")

    async def come(number: int) -> bool:
        try:
            await store.owners.sign_up(f"pupil {number}", code)
        except InviteRefusedError:
            return False
        return True

    # All at once: the last use is nobody's twice.
    assert sum(await asyncio.gather(*map(come, range(30)))) == 10
    assert len(await store.owners.owners(9)) == 9
    assert len(await store.owners.owners(11)) == 10
    assert await store.owners.invites(9) == ([], 0)


async def test_a_refused_name_uses_no_invite(store: Store) -> None:
    code = await store.owners.invite(1, None, "operator")
    for name in ("no/name", "house"):
        with pytest.raises(NameRefusedError):
            await store.owners.sign_up(name, code)
    await store.register("fox", "bob")
    with pytest.raises(NameRefusedError):
        await store.owners.sign_up("Bob", code)
    await store.owners.sign_up("Ann", code)
    with pytest.raises(InviteRefusedError, match="not known here, or used up, or expired"):
        await store.owners.sign_up("Zoe", code)


async def test_an_invite_ends_when_it_expires_or_is_withdrawn(store: Store) -> None:
    expired = await store.owners.invite(5, -0.001, "operator")
    kept = await store.owners.invite(5, 1, "operator")
    ((listed,), _) = await store.owners.invites(9)
    await store.owners.withdraw_invite(listed.id, "operator")
    for code in (expired, kept, "", "guess"):
        with pytest.raises(InviteRefusedError):
            await store.owners.sign_up("Ann", code)
    with pytest.raises(InviteRefusedError, match="There is no invite 99"):
        await store.owners.withdraw_invite(99, "operator")


async def test_an_owner_registers_bots_and_versions_whose_tokens_are_valid(store: Store) -> None:
    owner = await ann(store)
    first, token = await store.owners.register(owner, "Лиса 2", "1", PLENTY)
    second, _ = await store.owners.register(owner, "лиса 2", "2", PLENTY)
    assert await store.authenticate(token) == first
    assert str(second.entrant) == "Лиса 2 2"
    seen = [(one.version, one.matches, one.faults) for one in await store.owners.bots(owner)]
    assert seen == [("2", 0, 0), ("1", 0, 0)]
    assert [one.id for one in await store.owners.bots(owner, OwnBots("ЛИСА 2"))] == [
        second.version_id,
        first.version_id,
    ]


async def test_an_owners_bots_are_read_page_by_page_and_by_the_beginning_of_their_name(
    store: Store,
) -> None:
    owner = await ann(store)
    for bot, label in (("fox", "1"), ("Fox 2", "1"), ("fox", "2"), ("owl", "1"), ("fox", "3")):
        await store.owners.register(owner, bot, label, PLENTY)
    wanted, pages = OwnBots(limit=2), []
    while page := await store.owners.bots(owner, wanted):
        pages.append([f"{one.bot} {one.version}" for one in page])
        wanted = replace(wanted, after=page[-1].id)
    assert pages == [["fox 3", "fox 2"], ["fox 1", "Fox 2 1"], ["owl 1"]]
    found = await store.owners.bots(owner, OwnBots(prefix="FOX "))
    assert [one.bot for one in found] == ["Fox 2"]
    assert await store.owners.bots(owner, OwnBots(prefix="ox")) == []
    last = await store.owners.bots(owner, OwnBots("fox", after=found[-1].id))
    assert last == []


async def test_matches_are_counted_by_version(store: Store) -> None:
    owner = await ann(store)
    versions = [
        (await store.owners.register(owner, bot, label, PLENTY))[0].version_id
        for bot, label in (("fox", "1"), ("owl", "1"), ("fox", "2"))
    ]
    await store.record([finished((versions[0], versions[1])) for _ in range(3)])
    await store.record([finished((versions[1], versions[2]))])
    counted = {(one.bot, one.version): one.matches for one in await store.owners.bots(owner)}
    assert counted == {("fox", "1"): 3, ("owl", "1"): 4, ("fox", "2"): 1}
    assert all(one.faults == 0 for one in await store.owners.bots(owner))


async def test_one_owner_can_do_nothing_to_anothers_bot(store: Store) -> None:
    owner = await ann(store)
    bob, _ = await store.owners.sign_up("Bob", None)
    _, token = await store.owners.register(owner, "fox", "1", PLENTY)
    owners = store.owners
    with pytest.raises(NameRefusedError, match="The bot fox is Ann's"):
        await owners.register(bob, "Fox", "2", PLENTY)
    with pytest.raises(NameRefusedError, match="looks like that of the bot fox"):
        await owners.register(bob, "fох", "2", PLENTY)
    for act in (
        lambda: owners.rotate(bob, "fox", None),
        lambda: owners.retire(bob, "fox", None),
        lambda: owners.describe(bob, "fox", {"text": "mine"}),
        lambda: owners.bots(bob, OwnBots("fox")),
        lambda: owners.bots(bob, OwnBots("nothing")),
    ):
        with pytest.raises(UnknownBotError, match=r"You have no bot \w+"):
            await act()  # type: ignore[no-untyped-call]
    assert await store.authenticate(token) is not None
    assert [one.text for one in await owners.bots(owner)] == [""]


async def test_an_owner_has_only_so_many_bots_however_many_are_asked_for_at_once(
    store: Store,
) -> None:
    owner = await ann(store)
    few = Allowance(bots=3, bot_versions_a_day=24, owner_versions_a_day=50)

    async def register(number: int) -> bool:
        try:
            await store.owners.register(owner, f"fox {number}", "1", few)
        except TooManyBotsError:
            return False
        return True

    assert sum(await asyncio.gather(*map(register, range(8)))) == 3
    with pytest.raises(TooManyBotsError, match="You have 3 bots, and an owner may have 3: retire"):
        await store.owners.register(owner, "owl", "1", few)
    name = (await store.owners.bots(owner))[0].bot
    # A new version is not a new bot, and a retired bot makes room.
    await store.owners.register(owner, name, "2", few)
    await store.owners.retire(owner, name, None)
    assert await register(9)


async def test_an_owner_registers_only_so_many_versions_a_day(store: Store) -> None:
    owner = await ann(store)
    few = Allowance(bots=20, bot_versions_a_day=2, owner_versions_a_day=3)
    await store.owners.register(owner, "fox", "1", few)
    await store.owners.register(owner, "fox", "2", few)
    with pytest.raises(TooManyVersionsError, match="fox got 2 versions in the last 24 hours"):
        await store.owners.register(owner, "fox", "3", few)
    await store.owners.register(owner, "owl", "1", few)
    with pytest.raises(TooManyVersionsError, match="your bots got 3 versions") as caught:
        await store.owners.register(owner, "hen", "1", few)
    assert 86_000 < caught.value.wait_seconds <= 86_400


async def test_an_owner_rotates_and_retires_its_own(store: Store) -> None:
    owner = await ann(store)
    registered, old = await store.owners.register(owner, "fox", "1", PLENTY)
    new, label = await store.owners.rotate(owner, "FOX", None)
    assert label == "1"
    assert await store.authenticate(old) is None
    assert await store.authenticate(new) == registered
    await store.owners.retire(owner, "fox", "1")
    with pytest.raises(RetiredError):
        await store.authenticate(new)
    with pytest.raises(RetiredError):
        await store.owners.rotate(owner, "fox", None)


async def test_what_an_owner_says_of_a_bot_is_kept_field_by_field(store: Store) -> None:
    owner = await ann(store)
    await store.owners.register(owner, "fox", "1", PLENTY)
    said = {"text": " <b>It\r\nlies.</b> ", "language": "Rust", "link": "https://example.org/a?b#c"}
    await store.owners.describe(owner, "fox", said)
    await store.owners.describe(owner, "fox", {"language": "C++"})
    (row,) = await store.owners.bots(owner)
    assert (row.text, row.language, row.link) == (
        "<b>It\nlies.</b>",
        "C++",
        "https://example.org/a?b#c",
    )
    await store.owners.describe(owner, "fox", {"link": ""})
    assert [one.link for one in await store.owners.bots(owner)] == [""]


UNSHOWABLE = [
    ("link", "javascript:alert(1)"),
    ("link", "data:text/html,x"),
    ("link", " JavaScript:alert(1)//https://"),
    ("link", "https://a b"),
    ("link", 'https://example.org/"><script>alert(1)</script>'),
    ("link", "https://"),
    ("link", "https://good.example@evil.example/"),
    ("link", "https://example.org/" + "x" * 200),
    ("text", "x" * 1001),
    ("text", "a\x00b"),
    ("text", "a\u202eb"),
    ("language", "a\nb"),
    ("language", "x" * 41),
]


async def test_what_a_page_could_not_show_is_refused(store: Store) -> None:
    owner = await ann(store)
    await store.owners.register(owner, "fox", "1", PLENTY)
    for field, words in UNSHOWABLE:
        with pytest.raises(DetailsRefusedError, match=f"The {field} "):
            await store.owners.describe(owner, "fox", {field: words})


async def test_a_banned_owner_and_its_bots_are_out_until_the_ban_ends(store: Store) -> None:
    owner, key = await store.owners.sign_up("Ann", None)
    _, token = await store.owners.register(owner, "fox", "1", PLENTY)
    await store.owners.ban("ann", "operator")
    with pytest.raises(BannedError, match="has banned the owner Ann"):
        await store.owners.by_key(key)
    with pytest.raises(BannedError):
        await store.authenticate(token)
    with pytest.raises(BannedError):
        await store.owners.register(owner, "owl", "1", PLENTY)
    await store.owners.ban("ann", "operator", banned=False)
    assert await store.authenticate(token) is not None
    with pytest.raises(UnknownOwnerError, match="There is no owner bob"):
        await store.owners.ban("bob", "operator")


async def test_a_frozen_bot_is_out_and_its_owners_others_are_not(store: Store) -> None:
    owner = await ann(store)
    _, fox = await store.owners.register(owner, "fox", "1", PLENTY)
    _, owl = await store.owners.register(owner, "owl", "1", PLENTY)
    await store.owners.freeze("Fox", "operator")
    with pytest.raises(FrozenError, match="has frozen the bot fox"):
        await store.authenticate(fox)
    assert await store.authenticate(owl) is not None
    await store.owners.freeze("fox", "operator", frozen=False)
    assert await store.authenticate(fox) is not None


async def test_an_owner_pauses_a_bot_of_its_own_and_lets_it_play_again(store: Store) -> None:
    owner = await ann(store)
    _, fox = await store.owners.register(owner, "fox", "1", PLENTY)
    await store.register("owl", "bob")
    await store.owners.pause(owner, "Fox")
    with pytest.raises(PausedError, match="Its owner has paused the bot fox"):
        await store.authenticate(fox)
    assert [one.paused_at is not None for one in await store.owners.bots(owner)] == [True]
    with pytest.raises(UnknownBotError):
        await store.owners.pause(owner, "owl")
    await store.owners.pause(owner, "fox", paused=False)
    assert await store.authenticate(fox) is not None
    assert [row.action for row in await store.owners.audit()][:2] == ["resume", "pause"]


async def test_a_reset_key_ends_the_old_one_and_gives_an_owner_of_the_operator_its_first(
    store: Store,
) -> None:
    await store.register("fox", "bob")
    key = await store.owners.reset_key("BOB", "operator")
    bob = await store.owners.by_key(key)
    assert bob is not None
    assert [one.bot for one in await store.owners.bots(bob)] == ["fox"]
    again = await store.owners.reset_key("bob", "operator")
    assert await store.owners.by_key(key) is None
    assert await store.owners.by_key(again) == bob


async def test_every_change_is_in_the_audit_without_secrets(store: Store) -> None:
    code = await store.owners.invite(3, 1, "operator (root)")
    owner, key = await store.owners.sign_up("Ann", code)
    _, token = await store.owners.register(owner, "fox", "1", PLENTY)
    rotated, _ = await store.owners.rotate(owner, "fox", None)
    await store.owners.describe(owner, "fox", {"text": "It lies."})
    await store.owners.freeze("fox", "operator")
    await store.owners.ban("Ann", "operator")
    reset = await store.owners.reset_key("Ann", "operator")
    await store.owners.retire(owner, "fox", None)
    rows = await store.owners.audit()
    assert [(row.actor, row.action, row.subject) for row in reversed(rows)] == [
        ("operator (root)", "invite", "1"),
        ("Ann", "sign up", "Ann"),
        ("Ann", "register", "fox 1"),
        ("Ann", "rotate token", "fox 1"),
        ("Ann", "describe", "fox"),
        ("operator", "freeze", "fox"),
        ("operator", "ban", "Ann"),
        ("operator", "reset key", "Ann"),
        ("Ann", "retire", "fox"),
    ]
    for secret in (code, key, token, rotated, reset):
        assert secret not in str(rows)


async def test_a_voided_block_counts_for_no_board_and_the_others_do(
    store: Store, read: Reader
) -> None:
    versions = [(await store.register(bot, bot))[0].version_id for bot in ("fox", "owl", "hen")]
    blocks = [f"11111111-2222-4333-8444-00000000000{number}" for number in range(3)]
    for number, block in enumerate(blocks):
        pair = (versions[0], versions[1 + number % 2])
        await store.record([finished(pair, Block(block, BlockKind.SEAT, 1))])
    now = 0.0
    board = LiveBoard(LadderId.of("bluff", {}, (2,)), read, lambda: now)
    assert board.now().matches == 3
    now += 100
    await store.owners.void_block(blocks[1].upper(), "operator", "a bug")
    await store.owners.void_block(blocks[1], "operator", "again")
    found = board.now()
    assert (found.matches, {line.bot for line in found.lines}) == (2, {"fox", "owl"})
    assert [row.block_id for row in await recorded_matches.matches(store) if row.voided] == [
        blocks[1]
    ]
    await store.record([finished(versions[:2])])
    now += 100
    assert board.now().matches == 2 + 1
    rows = [row for row in await store.owners.audit() if row.action == "void block"]
    assert [(row.subject, row.details) for row in rows] == [(blocks[1], {"reason": "a bug"})]
    for block in ("guess", "11111111-2222-4333-8444-555555555555"):
        with pytest.raises(UnknownBlockError, match=f"There is no block {block}"):
            await store.owners.void_block(block, "operator", "")


async def test_the_audit_cannot_be_changed(store: Store, sql: psycopg.Connection) -> None:
    await ann(store)
    for statement in (b"DELETE FROM audit", b"UPDATE audit SET actor = 'Bob'"):
        with pytest.raises(psycopg.errors.RestrictViolation):
            sql.execute(statement)
        sql.rollback()


def test_names_of_earlier_releases_are_kept_though_they_look_alike(empty_database: str) -> None:
    """And new ones that look like them are refused."""
    migrate_to(empty_database, "0008")
    execute(empty_database, "INSERT INTO owners (name) VALUES ('bot1'), ('botl'), ('Ann')")
    migrate(empty_database)
    engine = create_engine(empty_database)
    with engine.connect() as connection:
        found = connection.execute(text("SELECT name, folded, skeleton FROM owners ORDER BY id"))
        assert [tuple(row) for row in found] == [
            ("bot1", "bot1", "botl"),
            ("botl", "botl", "botl#2"),
            ("Ann", "ann", "ann"),
        ]
    engine.dispose()


async def test_what_the_operator_changes_and_its_line_in_the_audit_are_one_change(
    store: Store, sql: psycopg.Connection
) -> None:
    """Where the line cannot be written, nothing is changed."""
    _, token = await store.register("fox", "Ann", actor="operator")
    sql.execute("ALTER TABLE audit ADD CONSTRAINT full_up CHECK (id < 2)")
    for change in (
        lambda: store.rotate_token("fox", actor="operator"),
        lambda: store.retire("fox", actor="operator"),
        lambda: store.register("owl", "Bob", actor="operator"),
    ):
        with pytest.raises(Exception, match="full_up"):
            await change()
    assert await store.authenticate(token) is not None
    assert [(bot.bot, bot.retired_at) for bot in await store.bots()] == [("fox", None)]
    sql.execute("ALTER TABLE audit DROP CONSTRAINT full_up")
    await store.rotate_token("fox", actor="operator")
    await store.retire("fox", "1", actor="operator")
    told = [(row.action, row.subject) for row in await store.owners.audit()]
    assert told == [("retire", "fox 1"), ("rotate token", "fox 1"), ("register", "fox 1")]
