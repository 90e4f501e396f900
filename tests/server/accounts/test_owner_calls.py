"""Owners over the wire: signing up, their own bots and nobody else's, and the limits."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import grpc
import pytest

from arena.records import SignUp
from arena.server.limits.limits import Limits
from arena.v1 import owner_pb2 as pb
from arena.v1 import registry_pb2
from arena.v1.owner_pb2_grpc import OwnerServiceStub
from arena.v1.registry_pb2_grpc import RegistryServiceStub
from tests.bots import Peer
from tests.scene import Scene, good_pair, opened
from tests.service_calls import bearing, refused

QUICK = Limits(refusal_seconds=0.0)


@asynccontextmanager
async def owners(
    database: str, sign_up: SignUp = SignUp.OPEN, limits: Limits = QUICK
) -> AsyncIterator[tuple[Scene, Any, Any]]:
    """A referee, its owners and its registry."""
    async with opened(database, limits=limits, sign_up=sign_up) as scene:
        yield scene, OwnerServiceStub(scene.channel), RegistryServiceStub(scene.channel)


async def sign_up(stub: Any, name: str, invite: str = "") -> str:
    answer: pb.SignUpResponse = await stub.SignUp(pb.SignUpRequest(name=name, invite=invite))
    return answer.key


def new(bot: str, version: str = "") -> registry_pb2.RegisterBotRequest:
    return registry_pb2.RegisterBotRequest(bot=bot, version=version)


@pytest.mark.slow
async def test_a_stranger_signs_up_registers_a_bot_and_sees_it_play(database: str) -> None:
    async with owners(database) as (scene, stub, registry), good_pair(scene):
        answer = await stub.SignUp(pb.SignUpRequest(name=" Zoe\u0308 from 3b "))
        assert answer.owner == "Zoë from 3b"
        mine = bearing(answer.key)
        assert (await stub.GetOwner(pb.GetOwnerRequest(), metadata=mine)).owner == answer.owner
        made = await registry.RegisterBot(new("Лиса"), metadata=mine)
        assert (made.entrant.bot, made.entrant.owner) == ("Лиса", "Zoë from 3b")
        (bot,) = (await stub.ListOwnBots(pb.ListOwnBotsRequest(), metadata=mine)).bots
        (version,) = bot.versions
        assert (version.label, version.connected, version.playing) == ("1", 0, 0)
        assert (version.matches, version.faults) == (0, 0)
        async with Peer(scene.port, made.token) as peer:
            await peer.greet()
            asked = pb.ListOwnBotsRequest(bot="лиса")
            (bot,) = (await stub.ListOwnBots(asked, metadata=mine)).bots
            assert bot.versions[0].connected == 1
            while not peer.offers:
                await peer.react(await peer.hear())
            (bot,) = (await stub.ListOwnBots(asked, metadata=mine)).bots
            assert bot.versions[0].playing >= 1
        (bot,) = (await stub.ListOwnBots(asked, metadata=mine)).bots
        assert bot.versions[0].connected == 0


async def test_the_terms_say_who_may_sign_up_and_how_much_an_owner_may_have(
    database: str,
) -> None:
    for by, told in ((SignUp.OPEN, pb.SIGN_UP_OPEN), (SignUp.CLOSED, pb.SIGN_UP_CLOSED)):
        async with owners(database, by) as (_, stub, _):
            terms = await stub.GetSignUpTerms(pb.GetSignUpTermsRequest())
            assert terms.sign_up == told
            assert (terms.bots, terms.bot_versions_a_day) == (20, 24)
            assert terms.owner_versions_a_day == 60


async def test_where_an_invite_is_needed_thirty_at_once_use_ten_uses_exactly_ten_times(
    database: str,
) -> None:
    async with owners(database, SignUp.INVITE) as (scene, stub, _):
        code = await scene.arena.store.owners.invite(10, None, "operator")

        async def come(number: int) -> bool:
            try:
                await sign_up(stub, f"pupil {number}", code.lower())
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAUTHENTICATED:
                    raise
                return False
            return True

        assert sum(await asyncio.gather(*map(come, range(30)))) == 10


@pytest.mark.slow
async def test_a_class_of_thirty_invited_owners_registers_and_connects_at_once(
    database: str,
) -> None:
    """From one address, as behind a school's router or through the dashboard."""
    async with owners(database, SignUp.INVITE, Limits()) as (scene, stub, registry):
        code = await scene.arena.store.owners.invite(30, 1, "operator")

        async def take_part(number: int) -> str:
            key = await sign_up(stub, f"pupil {number}", code)
            made = await registry.RegisterBot(new(f"bot of {number}"), metadata=bearing(key))
            async with Peer(scene.port, made.token) as peer:
                return (await peer.greet()).entrant.bot

        bots = await asyncio.gather(*map(take_part, range(30)))
        assert set(bots) == {f"bot of {number}" for number in range(30)}


@pytest.mark.slow
async def test_nobody_signs_up_where_it_is_closed_or_without_an_invite(database: str) -> None:
    async with owners(database, SignUp.CLOSED) as (_, stub, _):
        code, why = await refused(sign_up(stub, "Ann"))
        assert (code, "ask the operator to register your bot" in why) == ("PERMISSION_DENIED", True)
    async with owners(database, SignUp.INVITE) as (scene, stub, _):
        for invite in ("", "guess", "AAAA-AAAA-AAAA-AAAA"):
            code, why = await refused(sign_up(stub, "Ann", invite))
            assert (code, "not known here, or used up, or expired" in why) == (
                "UNAUTHENTICATED",
                True,
            )
        assert await scene.arena.store.owners.owners(9) == []


async def test_a_name_that_is_taken_reserved_or_malformed_is_refused_by_its_own_status(
    database: str,
) -> None:
    async with owners(database) as (_, stub, _):
        await sign_up(stub, "Ann")
        for name, code, words in (
            ("ANN", "ALREADY_EXISTS", "There is an owner Ann already"),
            ("Аnn", "ALREADY_EXISTS", "looks like that of the owner Ann"),
            ("house", "INVALID_ARGUMENT", "is the operator's"),
            ("<b>", "INVALID_ARGUMENT", "use 1 to 40 letters of any script"),
            ("", "INVALID_ARGUMENT", "use 1 to 40 letters of any script"),
        ):
            said, why = await refused(sign_up(stub, name))
            assert (said, words in why) == (code, True), why


async def test_no_call_of_an_owner_works_without_a_key_or_with_a_bots_token(
    database: str,
) -> None:
    async with owners(database) as (_, stub, registry):
        key = await sign_up(stub, "Ann")
        made = await registry.RegisterBot(new("fox"), metadata=bearing(key))
        for metadata in (None, bearing("arena_owner_guessed"), bearing(made.token)):
            for call in (
                stub.GetOwner(pb.GetOwnerRequest(), metadata=metadata),
                stub.ListOwnBots(pb.ListOwnBotsRequest(), metadata=metadata),
                stub.DescribeBot(pb.DescribeBotRequest(bot="fox", text="x"), metadata=metadata),
                stub.RotateToken(pb.RotateTokenRequest(bot="fox"), metadata=metadata),
                stub.RetireBot(pb.RetireBotRequest(bot="fox"), metadata=metadata),
            ):
                assert (await refused(call))[0] == "UNAUTHENTICATED"


async def test_a_bot_does_not_play_with_its_owners_key(database: str) -> None:
    async with owners(database) as (scene, stub, _):
        async with Peer(scene.port, await sign_up(stub, "Ann")) as peer:
            code, why = await peer.status()
        assert code is grpc.StatusCode.UNAUTHENTICATED
        assert "this is an owner's key" in why


async def test_one_owner_can_do_nothing_to_anothers_bot(database: str) -> None:
    async with owners(database) as (scene, stub, registry):
        ann, bob = bearing(await sign_up(stub, "Ann")), bearing(await sign_up(stub, "Bob"))
        made = await registry.RegisterBot(new("fox"), metadata=ann)
        said = pb.DescribeBotRequest(bot="fox", text="mine")
        for call in (
            stub.DescribeBot(said, metadata=bob),
            stub.RotateToken(pb.RotateTokenRequest(bot="fox"), metadata=bob),
            stub.RetireBot(pb.RetireBotRequest(bot="fox", version="1"), metadata=bob),
            stub.ListOwnBots(pb.ListOwnBotsRequest(bot="fox"), metadata=bob),
        ):
            assert await refused(call) == (
                "NOT_FOUND",
                "You have no bot fox: `arena bot list` shows yours.",
            )
        assert (await refused(registry.RegisterBot(new("fox", "2"), metadata=bob)))[0] == (
            "ALREADY_EXISTS"
        )
        assert not (await stub.ListOwnBots(pb.ListOwnBotsRequest(), metadata=bob)).bots
        async with Peer(scene.port, made.token) as peer:
            await peer.greet()


async def test_an_owners_bots_come_by_page_and_one_with_many_versions_goes_on_on_the_next(
    database: str,
) -> None:
    async with owners(database) as (_, stub, registry):
        mine = bearing(await sign_up(stub, "Ann"))
        for bot, version in (("fox", "1"), ("fox", "2"), ("fox", "3"), ("owl", "1")):
            await registry.RegisterBot(new(bot, version), metadata=mine)

        async def listed(**wanted: Any) -> tuple[list[tuple[str, list[str]]], str]:
            asked = pb.ListOwnBotsRequest(**wanted)
            answer = await stub.ListOwnBots(asked, metadata=mine)
            bots = [(bot.name, [one.label for one in bot.versions]) for bot in answer.bots]
            return bots, answer.next_page_token

        bots, token = await listed(page_size=2)
        assert bots == [("fox", ["3", "2"])] and token
        assert await listed(page_size=2, page_token=token) == ([("fox", ["1"]), ("owl", ["1"])], "")
        assert await listed() == ([("fox", ["3", "2", "1"]), ("owl", ["1"])], "")
        assert await listed(name_prefix="O") == ([("owl", ["1"])], "")
        assert await listed(name_prefix="wl") == ([], "")
        for wanted, words in (
            ({"page_size": 1001}, "`page_size` is 1 to 1000, not 1001"),
            ({"page_size": -1}, "`page_size` is 1 to 1000, not -1"),
            ({"page_token": "fox"}, "invalid `page_token`"),
        ):
            code, why = await refused(listed(**wanted))
            assert (code, words in why) == ("INVALID_ARGUMENT", True), why


async def test_an_owner_describes_rotates_and_retires_its_bot(database: str) -> None:
    async with owners(database) as (scene, stub, registry):
        mine = bearing(await sign_up(stub, "Ann"))
        made = await registry.RegisterBot(new("fox"), metadata=mine)
        said = pb.DescribeBotRequest(bot="fox", text="It lies.", link="https://example.org")
        await stub.DescribeBot(said, metadata=mine)
        await stub.DescribeBot(pb.DescribeBotRequest(bot="fox", language="Go"), metadata=mine)
        (bot,) = (await stub.ListOwnBots(pb.ListOwnBotsRequest(), metadata=mine)).bots
        assert (bot.text, bot.language, bot.link) == ("It lies.", "Go", "https://example.org")
        bad = pb.DescribeBotRequest(bot="fox", link="javascript:alert(1)")
        assert (await refused(stub.DescribeBot(bad, metadata=mine)))[0] == "INVALID_ARGUMENT"
        async with Peer(scene.port, made.token) as peer:
            await peer.greet()
            fresh = await stub.RotateToken(pb.RotateTokenRequest(bot="fox"), metadata=mine)
            assert (await peer.status())[0] is grpc.StatusCode.UNAUTHENTICATED
        assert fresh.version == "1"
        async with Peer(scene.port, fresh.token) as peer:
            await peer.greet()
            await stub.RetireBot(pb.RetireBotRequest(bot="fox"), metadata=mine)
            assert (await peer.status())[0] is grpc.StatusCode.PERMISSION_DENIED
        code, why = await refused(stub.RotateToken(pb.RotateTokenRequest(bot="fox"), metadata=mine))
        assert (code, "is retired" in why) == ("PERMISSION_DENIED", True)


async def test_a_banned_owner_and_a_frozen_bot_are_out_at_once(database: str) -> None:
    async with owners(database) as (scene, stub, registry):
        operator = scene.arena.store.owners
        mine = bearing(await sign_up(stub, "Ann"))
        made = await registry.RegisterBot(new("fox"), metadata=mine)
        async with Peer(scene.port, made.token) as peer:
            await peer.greet()
            await operator.freeze("fox", "operator")
            code, why = await peer.status()
        assert (code.name, why) == ("PERMISSION_DENIED", "The operator has frozen the bot fox.")
        await operator.freeze("fox", "operator", frozen=False)
        async with Peer(scene.port, made.token) as peer:
            await peer.greet()
            await operator.ban("Ann", "operator")
            code, why = await peer.status()
        assert (code.name, why) == ("PERMISSION_DENIED", "The operator has banned the owner Ann.")
        for call in (
            stub.GetOwner(pb.GetOwnerRequest(), metadata=mine),
            registry.RegisterBot(new("owl"), metadata=mine),
        ):
            assert (await refused(call))[0] == "PERMISSION_DENIED"


async def test_an_address_may_guess_invites_and_keys_only_so_often_and_known_keys_go_on(
    database: str,
) -> None:
    limits = replace(QUICK, failures_burst=4, failures_per_second=0.001)
    async with owners(database, SignUp.INVITE, limits) as (scene, stub, _):
        mine = bearing(await sign_up(stub, "Ann", await scene.arena.store.owners.invite(1, 1, "")))
        codes = [(await refused(sign_up(stub, "Bob", f"{n}")))[0] for n in range(3)]
        asked = pb.GetOwnerRequest()
        codes += [
            (await refused(stub.GetOwner(asked, metadata=bearing(f"arena_owner_{n}"))))[0]
            for n in range(3)
        ]
        assert codes == ["UNAUTHENTICATED"] * 4 + ["RESOURCE_EXHAUSTED"] * 2
        assert (await stub.GetOwner(asked, metadata=mine)).owner == "Ann"


async def test_an_address_makes_only_so_many_owners_and_refused_names_do_not_count(
    database: str,
) -> None:
    limits = replace(QUICK, sign_ups_burst=2, sign_ups_per_second=0.001)
    async with owners(database, limits=limits) as (_, stub, _):
        await sign_up(stub, "Ann")
        for name, refusal in (("<b>", "INVALID_ARGUMENT"), ("Ann", "ALREADY_EXISTS")):
            assert (await refused(sign_up(stub, name)))[0] == refusal
        await sign_up(stub, "Bob")
        code, why = await refused(sign_up(stub, "Carl"))
        assert (code, "too many new owners from this address: come back in " in why) == (
            "RESOURCE_EXHAUSTED",
            True,
        )


@pytest.mark.slow
async def test_calls_with_a_known_key_are_counted_by_the_key_and_not_by_the_address(
    database: str,
) -> None:
    limits = replace(QUICK, calls_burst=3, calls_per_second=0.001)
    async with owners(database, limits=limits) as (_, stub, _):
        ann, bob = bearing(await sign_up(stub, "Ann")), bearing(await sign_up(stub, "Bob"))
        for mine in (ann, bob):
            for _ in range(3):
                await stub.GetOwner(pb.GetOwnerRequest(), metadata=mine)
            code, why = await refused(stub.GetOwner(pb.GetOwnerRequest(), metadata=mine))
            assert (code, "too many calls with this key" in why) == ("RESOURCE_EXHAUSTED", True)


async def test_an_owner_changes_its_bots_only_so_often_and_others_go_on(database: str) -> None:
    """The audit keeps every change, and a new token has all streams checked."""
    limits = replace(QUICK, changes_burst=3, changes_per_second=0.001)
    async with owners(database, limits=limits) as (_, stub, registry):
        ann, bob = bearing(await sign_up(stub, "Ann")), bearing(await sign_up(stub, "Bob"))
        for mine, bot in ((ann, "fox"), (bob, "owl")):
            await registry.RegisterBot(new(bot), metadata=mine)
            said = pb.DescribeBotRequest(bot=bot, text="x")
            await stub.DescribeBot(said, metadata=mine)
            await stub.RotateToken(pb.RotateTokenRequest(bot=bot), metadata=mine)
            await stub.RetireBot(pb.RetireBotRequest(bot=bot, version="1"), metadata=mine)
            for call in (
                stub.DescribeBot(said, metadata=mine),
                stub.RotateToken(pb.RotateTokenRequest(bot=bot), metadata=mine),
                stub.RetireBot(pb.RetireBotRequest(bot=bot), metadata=mine),
            ):
                code, why = await refused(call)
                assert (code, "too many changes by" in why) == ("RESOURCE_EXHAUSTED", True)


async def test_an_owner_with_enough_bots_is_told_what_is_allowed(database: str) -> None:
    async with owners(database, limits=replace(QUICK, bots_per_owner=1)) as (_, stub, registry):
        mine = bearing(await sign_up(stub, "Ann"))
        await registry.RegisterBot(new("fox"), metadata=mine)
        code, why = await refused(registry.RegisterBot(new("owl"), metadata=mine))
        assert code == "RESOURCE_EXHAUSTED"
        assert "You have 1 bots, and an owner may have 1: retire one first" in why


async def test_no_key_or_invite_is_ever_logged(
    scene: Scene, capfd: pytest.CaptureFixture[str]
) -> None:
    stub: Any = OwnerServiceStub(scene.channel)
    code = await scene.arena.store.owners.invite(1, 1, "operator")
    key = await sign_up(stub, "Ann", code)
    await refused(sign_up(stub, "Bob", code))
    await refused(stub.GetOwner(pb.GetOwnerRequest(), metadata=bearing(key + "x")))
    heard = str(scene.log) + "".join(capfd.readouterr())
    assert "call refused" in heard
    for secret in (key, code, code.replace("-", "")):
        assert secret not in heard


async def stay(stub: Any, key: str) -> str:
    """The key of a new sign-in."""
    answer = await stub.StaySignedIn(pb.StaySignedInRequest(), metadata=bearing(key))
    made: str = answer.key
    return made


async def name_of(stub: Any, key: str) -> str:
    """Whose key it is, or the status without anybody's."""
    try:
        return str((await stub.GetOwner(pb.GetOwnerRequest(), metadata=bearing(key))).owner)
    except grpc.aio.AioRpcError as error:
        return str(error.code().name)


async def test_a_sign_in_has_a_key_of_its_own_that_ends_with_it_and_no_other(
    database: str,
) -> None:
    async with owners(database) as (_, stub, _registry):
        own = await sign_up(stub, "Ann")
        first, second = [await stay(stub, own) for _ in range(2)]
        assert len({own, first, second}) == 3
        assert [await name_of(stub, key) for key in (own, first, second)] == ["Ann"] * 3
        await stub.SignOut(pb.SignOutRequest(), metadata=bearing(first))
        # It cannot be ended, used or prolonged any more.
        for call, request in (
            ("SignOut", pb.SignOutRequest),
            ("StaySignedIn", pb.StaySignedInRequest),
        ):
            ended = getattr(stub, call)(request(), metadata=bearing(first))
            assert (await refused(ended))[0] == "UNAUTHENTICATED"
        await stub.SignOut(pb.SignOutRequest(), metadata=bearing(own))
        keys = (own, first, second)
        assert [await name_of(stub, key) for key in keys] == ["Ann", "UNAUTHENTICATED", "Ann"]


async def test_a_new_key_or_a_ban_ends_what_was_signed_in_with_the_old_one(database: str) -> None:
    async with owners(database) as (scene, stub, _registry):
        stays = await stay(stub, await sign_up(stub, "Ann"))
        renewed = await stub.RenewKey(pb.RenewKeyRequest(), metadata=bearing(stays))
        assert await name_of(stub, stays) == "UNAUTHENTICATED"
        stays = await stay(stub, renewed.key)
        await scene.arena.store.owners.ban("Ann", "operator")
        assert await name_of(stub, stays) == "PERMISSION_DENIED"


async def test_an_owner_who_is_banned_signs_out_for_good(database: str) -> None:
    async with owners(database) as (scene, stub, _registry):
        stays = await stay(stub, await sign_up(stub, "Ann"))
        await scene.arena.store.owners.ban("Ann", "operator")
        await stub.SignOut(pb.SignOutRequest(), metadata=bearing(stays))
        await scene.arena.store.owners.ban("Ann", "operator", banned=False)
        assert await name_of(stub, stays) == "UNAUTHENTICATED"
