"""Operators: who has the role, what they see, and what they do."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from arena.database.errors import NotAllowedError, UnknownOwnerError
from arena.records import SignUp
from arena.server.app.store import Store
from arena.v1 import operator_pb2 as pb
from arena.v1 import owner_pb2
from arena.v1.operator_pb2_grpc import OperatorServiceStub
from arena.v1.owner_pb2_grpc import OwnerServiceStub
from tests.recorded_results import finished
from tests.scene import Scene, opened
from tests.server.accounts.owners import PLENTY
from tests.server.accounts.test_owner_calls import QUICK
from tests.server.uploads.hosting import upload
from tests.service_calls import bearing, refused

CALLS = {
    "ListOwners": pb.ListOwnersRequest(),
    "ListAudit": pb.ListAuditRequest(),
    "FreezeBot": pb.FreezeBotRequest(bot="fox"),
    "BanOwner": pb.BanOwnerRequest(owner="Bob"),
    "VoidBlock": pb.VoidBlockRequest(id="0" * 32),
    "MessageOwner": pb.MessageOwnerRequest(owner="Bob", text="Hello."),
}


@asynccontextmanager
async def operating(database: str) -> AsyncIterator[tuple[Scene, Any, Any]]:
    """A referee with the owner Bob of the bot fox, and the operator Ann; her metadata."""
    async with opened(database, limits=QUICK, sign_up=SignUp.OPEN) as scene:
        store = scene.arena.store
        _, key = await store.owners.sign_up("Ann", None)
        await store.owners.make_operator("Ann", "operator")
        bob, _ = await store.owners.sign_up("Bob", None)
        await store.owners.register(bob, "fox", "1", PLENTY)
        yield scene, OperatorServiceStub(scene.channel), bearing(key)


async def test_every_call_is_refused_without_the_role(database: str) -> None:
    async with operating(database) as (scene, stub, _):
        store = scene.arena.store
        ann = await store.owners.named("Ann")
        member = await store.owners.add_member(ann, "Carl")
        _, owner = await store.owners.sign_up("Zoë", None)
        token = await scene.token("owl")
        assert {method.name for method in _methods()} == set(CALLS)
        before = await store.owners.audit(1)
        for call, request in CALLS.items():
            for key, code in (
                (owner, "PERMISSION_DENIED"),
                (member, "PERMISSION_DENIED"),
                (token, "UNAUTHENTICATED"),
                ("arena_owner_guessed", "UNAUTHENTICATED"),
            ):
                found, _why = await refused(getattr(stub, call)(request, metadata=bearing(key)))
                assert (call, found) == (call, code)
            found, _why = await refused(getattr(stub, call)(request))
            assert found == "UNAUTHENTICATED"
        assert await store.owners.audit(1) == before, "nothing was changed"


def _methods() -> Any:
    (service,) = pb.DESCRIPTOR.services_by_name.values()
    return service.methods


async def test_who_loses_the_role_is_refused_at_once(database: str) -> None:
    async with operating(database) as (scene, stub, ann):
        assert (await stub.ListOwners(pb.ListOwnersRequest(), metadata=ann)).owners
        await scene.arena.store.owners.make_operator("Ann", "operator", operator=False)
        code, why = await refused(stub.ListOwners(pb.ListOwnersRequest(), metadata=ann))
        assert code == "PERMISSION_DENIED"
        assert "only an operator may do that" in why


async def test_an_operator_sees_owners_with_their_bots_builds_faults_and_invites(
    database: str,
) -> None:
    async with operating(database) as (scene, stub, ann):
        store = scene.arena.store
        code = await store.owners.invite(5, None, "operator")
        carl, _ = await store.owners.sign_up("Carl", code)
        dora, _ = await store.owners.sign_up("Dora", code)
        await upload(store, carl, 1, "copy")
        await upload(store, dora, 1, "original")
        await upload(store, dora, 2, "own")
        await store.owners.freeze("own", "operator")

        async def names(**asked: Any) -> list[str]:
            found = await stub.ListOwners(pb.ListOwnersRequest(**asked), metadata=ann)
            return [one.name for one in found.owners]

        found = await stub.ListOwners(pb.ListOwnersRequest(), metadata=ann)
        by_name = {one.name: one for one in found.owners}
        assert list(by_name) == ["Ann", "Bob", "Carl", "Dora"]
        assert (by_name["Ann"].operator, by_name["Bob"].operator) == (True, False)
        assert (by_name["Bob"].invite, by_name["Carl"].invite, by_name["Dora"].invite) == (0, 1, 1)
        (fox,) = by_name["Bob"].bots
        assert (fox.name, fox.version, fox.state, fox.sha256) == ("fox", "1", "", "")
        (copy,) = by_name["Carl"].bots
        assert (copy.state, list(copy.identical_to)) == ("checking", ["Dora"])
        original, own = by_name["Dora"].bots
        assert original.sha256 == copy.sha256 != own.sha256
        assert (list(original.identical_to), list(own.identical_to)) == (["Carl"], [])
        assert (own.frozen, original.frozen) == (True, False)

        assert await names(name_prefix="d") == ["Dora"]
        assert await names(invite=1) == ["Carl", "Dora"]
        assert await names(kind=pb.OWNERS_WITH_IDENTICAL_BUILD) == ["Carl", "Dora"]
        assert await names(kind=pb.OWNERS_WITH_BAN_OR_FREEZE) == ["Dora"]
        assert await names(kind=pb.OWNERS_WITH_REFUSED_BUILD) == []
        assert await names(kind=pb.OWNERS_WITH_FAULTS) == []
        first = await stub.ListOwners(pb.ListOwnersRequest(page_size=3), metadata=ann)
        assert await names(page_size=3, page_token=first.next_page_token) == ["Dora"]
        code, why = await refused(
            stub.ListOwners(pb.ListOwnersRequest(page_size=999), metadata=ann)
        )
        assert (code, why) == ("INVALID_ARGUMENT", "`page_size` is 1 to 200, not 999")


async def test_what_operators_do_is_done_and_in_the_audit_with_their_names(database: str) -> None:
    async with operating(database) as (scene, stub, ann):
        store = scene.arena.store
        versions = [(await store.bots(["fox"]))[0].id]
        versions.append((await store.register("owl", "Bob 2"))[0].version_id)
        match = finished(versions)
        await store.record([match])

        await stub.FreezeBot(pb.FreezeBotRequest(bot="Fox"), metadata=ann)
        assert (await store.bots(["fox"]))[0].frozen_at is not None
        await stub.FreezeBot(pb.FreezeBotRequest(bot="fox", undo=True), metadata=ann)
        assert (await store.bots(["fox"]))[0].frozen_at is None
        await stub.BanOwner(pb.BanOwnerRequest(owner="bob"), metadata=ann)
        assert (await store.owners.owners(1, "Bob"))[0].banned_at is not None
        await stub.BanOwner(pb.BanOwnerRequest(owner="bob", undo=True), metadata=ann)
        bob = await store.owners.named("Bob")
        await stub.MessageOwner(
            pb.MessageOwnerRequest(owner="Bob", text="Your bot hangs."), metadata=ann
        )
        (message,) = await store.messages.to(bob)
        assert (message.sender, message.text) == ("the operator", "Your bot hangs.")
        asked = pb.VoidBlockRequest(id=match.transcript.setup.match_id, reason="a bug")
        await stub.VoidBlock(asked, metadata=ann)

        found = await stub.ListAudit(pb.ListAuditRequest(page_size=6), metadata=ann)
        assert [(one.actor, one.action) for one in found.lines] == [
            ("operator Ann", action)
            for action in ("void block", "message", "unban", "ban", "unfreeze", "freeze")
        ]
        assert found.lines[0].subject == match.block.id
        assert found.lines[0].details_json == '{"reason": "a bug"}'


async def test_what_is_not_there_is_named(database: str) -> None:
    async with operating(database) as (_, stub, ann):
        for call, asked, why in (
            (stub.FreezeBot, pb.FreezeBotRequest(bot="nobody"), "There is no bot nobody"),
            (stub.BanOwner, pb.BanOwnerRequest(owner="nobody"), "There is no owner nobody"),
            (
                stub.MessageOwner,
                pb.MessageOwnerRequest(owner="nobody", text="Hello."),
                "There is no owner nobody",
            ),
            (stub.VoidBlock, pb.VoidBlockRequest(id="nobody"), "There is no block nobody"),
        ):
            code, said = await refused(call(asked, metadata=ann))
            assert (code, said.startswith(why)) == ("NOT_FOUND", True), said


async def test_an_operator_is_not_banned_and_a_banned_owner_becomes_no_operator(
    database: str, store: Store
) -> None:
    async with operating(database) as (_, stub, ann):
        code, why = await refused(stub.BanOwner(pb.BanOwnerRequest(owner="Ann"), metadata=ann))
        assert code == "PERMISSION_DENIED"
        assert "Ann is an operator: take the role away first" in why
        await store.owners.ban("Bob", "operator")
        with pytest.raises(NotAllowedError):
            await store.owners.make_operator("Bob", "operator")
        with pytest.raises(UnknownOwnerError):
            await store.owners.make_operator("nobody", "operator")


async def test_pages_learn_who_is_an_operator(database: str) -> None:
    async with operating(database) as (scene, _, ann):
        stub = OwnerServiceStub(scene.channel)
        asked = owner_pb2.GetOwnerRequest()
        _, other = await scene.arena.store.owners.sign_up("Zoë", None)
        seen = await asyncio.gather(
            stub.GetOwner(asked, metadata=ann), stub.GetOwner(asked, metadata=bearing(other))
        )
        assert [one.operator for one in seen] == [True, False]
