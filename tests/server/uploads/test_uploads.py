"""Uploads over the wire, and what workers ask: builds come and go, tokens of shifts only play."""

import asyncio
from hashlib import sha256

import grpc
import pytest

from arena.records import VersionId
from arena.v1 import challenge_pb2, owner_pb2, registry_pb2
from arena.v1 import upload_pb2 as pb
from arena.v1 import worker_pb2 as workers
from tests.bots import Peer
from tests.databases import execute
from tests.scene import good_pair
from tests.server.uploads.hosting import hosting, parts_of
from tests.service_calls import bearing, refused

CUTS_RECORDING = """
CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END';
CREATE TRIGGER cuts BEFORE INSERT ON conformance_checks EXECUTE FUNCTION cut()
"""
"""Ends the connection of whoever records a check."""


async def play_on(peer: Peer) -> None:
    while True:
        await peer.react(await peer.hear())


@pytest.mark.slow
async def test_a_build_is_uploaded_checked_and_plays_in_a_shift(database: str) -> None:
    async with hosting(database) as host:
        made = await host.upload("me", "mine")
        assert (made.bot, made.version, len(made.sha256)) == ("mine", "1", 32)
        check = await host.begin(check_version_id=1)
        assert check.token == ""
        said = workers.TellStepRequest(shift_id=check.shift_id, step="scenario 1 of 2")
        await host.workers.TellStep(said, metadata=host.worker)
        (build,) = await host.builds("me")
        assert (build.state, build.reason) == (pb.BUILD_STATE_CHECKING, "scenario 1 of 2")
        outcome = registry_pb2.CheckOutcome(edition=1, met=20)
        await host.end(check.shift_id, accepted=True, log="fine", check=outcome)
        shift = await host.begin(bot_id=1)
        fetched = host.workers.FetchBuild(
            workers.FetchBuildRequest(shift_id=shift.shift_id), metadata=host.worker
        )
        assert b"".join([part.data async for part in fetched]) == b"pass"
        async with good_pair(host.scene):
            peer = Peer(host.scene.port, shift.token)
            await peer.greet()
            playing = asyncio.create_task(play_on(peer))
            await host.recorded("mine")
            await host.end(shift.shift_id, outcome="It played.", log="x" * 100_000)
            # The token is not valid any more: its stream ends.
            with pytest.raises(grpc.aio.AioRpcError):
                await playing
        (build,) = await host.builds("me")
        assert (build.state, build.plays, build.running) == (pb.BUILD_STATE_ACCEPTED, True, False)
        key = bearing(await host.scene.key("me"))
        listed = await host.uploads.ListShifts(pb.ListShiftsRequest(bot="mine"), metadata=key)
        played = {row.match_id for row in await host.scene.results("mine")}
        of_shift = set(listed.shifts[0].match_ids)
        assert of_shift  # others of the shift may be recorded after it was listed
        assert of_shift <= played
        assert [(one.check, one.outcome, len(one.log)) for one in listed.shifts] == [
            (False, "It played.", 32_768),
            (True, "", 4),
        ]


@pytest.mark.slow
async def test_the_log_of_a_match_is_for_its_bots_owner_and_known_after_the_shift(
    database: str,
) -> None:
    async with hosting(database) as host:
        shift = await host.playing()
        async with good_pair(host.scene):
            peer = Peer(host.scene.port, shift.token)
            await peer.greet()
            playing = asyncio.create_task(play_on(peer))
            match_id = (await host.recorded("mine"))[-1].match_id
            asked = pb.GetMatchLogRequest(bot="MINE", match_id=match_id)
            mine, yours = [bearing(await host.scene.key(owner)) for owner in ("me", "you")]
            code, why = await refused(host.uploads.GetMatchLog(asked, metadata=mine))
            assert (code, "still runs" in why) == ("FAILED_PRECONDITION", True)
            log = "".join(f"{tenth / 10:.3f} {tenth}\n" for tenth in range(3_000))
            await host.end(shift.shift_id, outcome="It played.", log=log)
            with pytest.raises(grpc.aio.AioRpcError):
                await playing
        found = await host.uploads.GetMatchLog(asked, metadata=mine)
        start = (found.started_ms - found.shift_began_ms) / 1000
        end = (found.finished_ms - found.shift_began_ms) / 1000
        times = [float(line.split()[0]) for line in found.log.splitlines()]
        assert start - 0.5 <= times[0] < start <= end < times[-1] <= end + 0.5
        assert await refused(host.uploads.GetMatchLog(asked, metadata=yours)) == (
            "NOT_FOUND",
            f"You have no bot MINE that played a match {match_id}.",
        )


async def test_the_token_of_a_shift_is_good_for_playing_only(database: str) -> None:
    async with hosting(database) as host:
        token = bearing((await host.playing()).token)
        register = registry_pb2.RegisterBotRequest(bot="mine", version="9")
        outcome = registry_pb2.CheckOutcome(edition=1, met=1)
        check = registry_pb2.ReportCheckRequest(outcome=outcome)
        challenge = challenge_pb2.ChallengeRequest()
        for call in (
            host.registry.RegisterBot(register, metadata=token),
            host.registry.ReportCheck(check, metadata=token),
            host.challenges.Challenge(challenge, metadata=token).read(),
        ):
            assert await refused(call) == (
                "PERMISSION_DENIED",
                "this token belongs to a hosted bot's shift and can only be used to play",
            )
        parts = parts_of("other", b"pass")
        code, _ = await refused(host.uploads.UploadBuild(parts, metadata=token))
        assert code == "UNAUTHENTICATED"


async def test_nobody_sees_another_owners_builds_or_ends_another_workers_shift(
    database: str,
) -> None:
    async with hosting(database) as host:
        shift = await host.playing()
        assert await host.builds("you") == []
        other = bearing(await host.scene.arena.store.workers.add("w2", "me"))
        fetch = host.workers.FetchBuild(
            workers.FetchBuildRequest(shift_id=shift.shift_id), metadata=other
        )
        assert await refused(fetch.read()) == ("NOT_FOUND", "This worker runs no such shift.")
        end = workers.EndShiftRequest(shift_id=shift.shift_id)
        await host.workers.EndShift(end, metadata=other)
        assert (await host.builds("me"))[0].running
        key = bearing(await host.scene.key("you"))
        roll_back = pb.RollBackRequest(bot="mine", version="1")
        assert await refused(host.uploads.RollBack(roll_back, metadata=key)) == (
            "NOT_FOUND",
            "You have uploaded no bot mine: `arena bot builds` shows what you have.",
        )
        code, _ = await refused(
            host.workers.BeginShift(workers.BeginShiftRequest(bot_id=1), metadata=key)
        )
        assert code == "UNAUTHENTICATED"


async def test_an_end_of_a_check_that_failed_half_way_can_be_told_again(database: str) -> None:
    async with hosting(database) as host:
        await host.upload("me", "mine")
        check = await host.begin(check_version_id=1)
        end = {"accepted": True, "check": registry_pb2.CheckOutcome(edition=1, met=20)}
        execute(database, CUTS_RECORDING)
        code, said = await refused(host.end(check.shift_id, **end))
        assert (code, "database does not answer" in said) == ("UNAVAILABLE", True)
        execute(database, "DROP TRIGGER cuts ON conformance_checks")
        await host.end(check.shift_id, **end)
        (build,) = await host.builds("me")
        assert build.state == pb.BUILD_STATE_ACCEPTED
        assert VersionId(1) in await host.scene.arena.store.checks.in_words([VersionId(1)])


async def test_an_arena_that_hosts_no_bots_says_so(database: str) -> None:
    async with hosting(database, None) as host:
        terms = await host.uploads.GetUploadTerms(pb.GetUploadTermsRequest())
        assert not terms.hosting
        code, said = await refused(host.upload("me", "mine"))
        assert (code, "hosts no bots" in said) == ("FAILED_PRECONDITION", True)


@pytest.mark.slow
async def test_what_becomes_of_builds_and_a_new_key_are_in_the_audit(database: str) -> None:
    async with hosting(database) as host:
        for number, version in enumerate((b"one", b"two"), start=1):
            await host.upload("me", "mine", version)
            check = await host.begin(check_version_id=number)
            await host.end(check.shift_id, accepted=True)
        await host.upload("me", "mine", b"three")
        check = await host.begin(check_version_id=3)
        await host.end(check.shift_id, accepted=False, outcome="It ended by itself.")
        key = bearing(await host.scene.key("me"))
        await host.uploads.RollBack(pb.RollBackRequest(bot="mine", version="1"), metadata=key)
        renewed = await host.owners.RenewKey(owner_pb2.RenewKeyRequest(), metadata=key)
        rows = await host.scene.arena.store.owners.audit()
        told = [(row.actor, row.action, row.subject) for row in reversed(rows)]
        assert [line for line in told if line[1] not in ("sign up", "register", "reset key")] == [
            ("me", "add worker", "w1"),
            ("me", "upload", "mine 1"),
            ("arena", "accept build", "mine 1"),
            ("me", "upload", "mine 2"),
            ("arena", "accept build", "mine 2"),
            ("me", "upload", "mine 3"),
            ("arena", "refuse build", "mine 3"),
            ("me", "roll back", "mine 1"),
            ("me", "renew key", "me"),
        ]
        details = {row.subject: row.details for row in rows if row.action == "upload"}
        assert details["mine 1"] == {"sha256": sha256(b"one").hexdigest(), "bytes": 3}
        assert renewed.key not in str(rows)
