"""What the operator may do to owners, bots and blocks, and the audit of all changes."""

import psycopg
import pytest

from arena.database.errors import (
    NotAllowedError,
    NotFoundError,
    RequestRefusedError,
    UnknownOwnerError,
)
from arena.database.reading import Reader
from arena.rating.ladder_id import LadderId
from arena.records import Block, BlockKind
from arena.server.app.store import Store
from arena.server.boards.live_board import LiveBoard
from tests import recorded_matches
from tests.recorded_results import finished
from tests.server.accounts.owners import PLENTY, ann


async def test_a_banned_owner_and_its_bots_are_out_until_the_ban_ends(store: Store) -> None:
    owner, key = await store.owners.sign_up("Ann", None)
    _, token = await store.owners.register(owner, "fox", "1", PLENTY)
    await store.owners.ban("ann", "operator")
    with pytest.raises(NotAllowedError, match="has banned the owner Ann"):
        await store.owners.by_key(key)
    with pytest.raises(NotAllowedError):
        await store.authenticate(token)
    with pytest.raises(NotAllowedError):
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
    with pytest.raises(NotAllowedError, match="has frozen the bot fox"):
        await store.authenticate(fox)
    assert await store.authenticate(owl) is not None
    await store.owners.freeze("fox", "operator", frozen=False)
    assert await store.authenticate(fox) is not None


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
        with pytest.raises(NotFoundError, match=f"There is no block {block}"):
            await store.owners.void_block(block, "operator", "")
    for reason in ("x" * 501, "\x1b[31m"):
        with pytest.raises(RequestRefusedError, match="up to 500 characters"):
            await store.owners.void_block(blocks[0], "operator", reason)


async def test_the_audit_cannot_be_changed(store: Store, sql: psycopg.Connection) -> None:
    await ann(store)
    for statement in (b"DELETE FROM audit", b"UPDATE audit SET actor = 'Bob'"):
        with pytest.raises(psycopg.errors.RestrictViolation):
            sql.execute(statement)
        sql.rollback()


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
