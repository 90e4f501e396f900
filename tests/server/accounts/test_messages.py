"""Messages are for one owner and everybody who acts for it, and the newest are kept."""

import pytest

from arena.database.errors import RequestRefusedError, UnknownOwnerError
from arena.records import Owner
from arena.server.accounts.messages import LONGEST_TEXT, MOST_KEPT
from arena.server.app.store import Store
from arena.v1 import owner_pb2 as pb
from tests.server.accounts.test_owner_calls import owners
from tests.service_calls import bearing, refused


async def test_an_owner_reads_the_operators_messages_and_the_audit_names_the_operator(
    store: Store, owner: Owner
) -> None:
    await store.messages.send_as_operator("ZOË", " Welcome.\r\nRead the rules. ", "operator (me)")
    (found,) = await store.messages.to(owner)
    assert (found.sender, found.text) == ("the operator", "Welcome.\nRead the rules.")
    assert found.read_at is None
    (line,) = await store.owners.audit(1)
    assert (line.actor, line.action, line.subject) == ("operator (me)", "message", "Zoë")
    assert "Welcome" not in str(line.details)


async def test_messages_are_marked_as_read_up_to_one(store: Store, owner: Owner) -> None:
    for text in ("one", "two", "three"):
        await store.messages.send_as_operator(owner.name, text, "me")
    _, second, _ = await store.messages.to(owner)
    await store.messages.mark_read(owner, second.id)
    read = [(one.text, one.read_at is not None) for one in await store.messages.to(owner)]
    assert read == [("three", False), ("two", True), ("one", True)]


async def test_only_the_newest_messages_of_an_owner_are_kept(store: Store, owner: Owner) -> None:
    other, _ = await store.owners.sign_up("Other", None)
    await store.messages.send([other.id], "stays", sender="x", about="x", actor="me")
    for number in range(MOST_KEPT + 2):
        await store.messages.send([owner.id], str(number), sender="x", about="x", actor="me")
    found = [int(one.text) for one in await store.messages.to(owner)]
    assert found == list(range(MOST_KEPT + 1, 1, -1))
    assert [one.text for one in await store.messages.to(other)] == ["stays"]


@pytest.mark.parametrize("text", ["", " \n", "x" * (LONGEST_TEXT + 1), "red \x1b[31m", "\u202eabc"])
async def test_a_message_that_is_empty_too_long_or_unprintable_is_refused(
    store: Store, owner: Owner, text: str
) -> None:
    with pytest.raises(RequestRefusedError):
        await store.messages.send_as_operator(owner.name, text, "me")
    assert await store.messages.to(owner) == []
    with pytest.raises(UnknownOwnerError, match="There is no owner Nobody"):
        await store.messages.send_as_operator("Nobody", text, "me")


async def test_nobody_reads_or_marks_the_messages_of_others(database: str) -> None:
    async with owners(database) as (scene, stub, _):
        ann, bob = [bearing(await scene.key(name)) for name in ("ann", "bob")]
        await scene.arena.store.messages.send_as_operator("ann", "for you", "me")
        (sent,) = (await stub.ListMessages(pb.ListMessagesRequest(), metadata=ann)).messages
        assert (sent.sender, sent.text, sent.read) == ("the operator", "for you", False)
        assert not (await stub.ListMessages(pb.ListMessagesRequest(), metadata=bob)).messages
        mark = pb.MarkMessagesReadRequest(up_to_id=sent.id)
        await stub.MarkMessagesRead(mark, metadata=bob)
        (still,) = (await stub.ListMessages(pb.ListMessagesRequest(), metadata=ann)).messages
        assert not still.read
        await stub.MarkMessagesRead(mark, metadata=ann)
        (now,) = (await stub.ListMessages(pb.ListMessagesRequest(), metadata=ann)).messages
        assert now.read
        code, _ = await refused(stub.ListMessages(pb.ListMessagesRequest()))
        assert code == "UNAUTHENTICATED"
