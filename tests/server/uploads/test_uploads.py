"""Uploads over the wire, and what workers ask: builds come and go, tokens of shifts only play."""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any

import grpc
import pytest

from arena.builds.hosted import HostingTerms
from arena.database.rows import MatchRow
from arena.records import VersionId
from arena.server.limits.limits import Limits
from arena.server.uploads import upload_service
from arena.server.uploads.upload_service import (
    _FAST_AS_STREAMS,
    MOST_AT_ONCE,
    MOST_OF_AN_OWNER,
    PAUSE_SECONDS,
)
from arena.v1 import challenge_pb2, owner_pb2, registry_pb2
from arena.v1 import upload_pb2 as pb
from arena.v1 import worker_pb2 as workers
from arena.v1.challenge_pb2_grpc import ChallengeServiceStub
from arena.v1.owner_pb2_grpc import OwnerServiceStub
from arena.v1.registry_pb2_grpc import RegistryServiceStub
from arena.v1.upload_pb2_grpc import UploadServiceStub
from arena.v1.worker_pb2_grpc import WorkerServiceStub
from tests.bots import PATIENCE, Peer
from tests.databases import execute
from tests.jobs import job_in_hand
from tests.scene import Scene, good_pair, opened
from tests.service_calls import bearing, refused

QUICK = Limits(refusal_seconds=0.0)
CHUNK = 64 * 1024
CUTS_RECORDING = """
CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END';
CREATE TRIGGER cuts BEFORE INSERT ON conformance_checks EXECUTE FUNCTION cut()
"""
"""Ends the connection of whoever records a check."""


class Hosting:
    """A referee that hosts bots, and its two services."""

    def __init__(self, scene: Scene, database: str, token: str) -> None:
        self.scene = scene
        self.database = database
        # The types of generated stubs are those of grpc.aio as well.
        self.uploads: Any = UploadServiceStub(scene.channel)
        self.owners: Any = OwnerServiceStub(scene.channel)
        self.workers: Any = WorkerServiceStub(scene.channel)
        self.registry: Any = RegistryServiceStub(scene.channel)
        self.challenges: Any = ChallengeServiceStub(scene.channel)
        self.worker = bearing(token)

    async def upload(
        self, owner: str, bot: str, data: bytes = b"pass", file_name: str = "b.py"
    ) -> pb.UploadBuildResponse:
        key = bearing(await self.scene.key(owner))
        parts = parts_of(bot, data, file_name)
        answer: pb.UploadBuildResponse = await self.uploads.UploadBuild(parts, metadata=key)
        return answer

    async def builds(self, owner: str) -> list[Any]:
        key = bearing(await self.scene.key(owner))
        return list((await self.uploads.ListBuilds(pb.ListBuildsRequest(), metadata=key)).builds)

    async def begin(self, **what: int) -> Any:
        """Begin a shift whose job waits in the queue."""
        job = {name.removeprefix("check_"): id_ for name, id_ in what.items()}
        with job_in_hand(self.database, **job):
            return await self.workers.BeginShift(
                workers.BeginShiftRequest(**what), metadata=self.worker
            )

    async def end(self, shift: int, **how: Any) -> None:
        request = workers.EndShiftRequest(shift_id=shift, **how)
        await self.workers.EndShift(request, metadata=self.worker)

    async def recorded(self, bot: str) -> list[MatchRow]:
        """The recorded matches of a bot, when there is one."""
        news = asyncio.Event()
        self.scene.arena.writer.listeners.append(news.set)
        async with asyncio.timeout(PATIENCE):
            while not (found := await self.scene.results(bot)):
                await news.wait()
                news.clear()
        return found

    async def playing(self, owner: str = "me", bot: str = "mine") -> Any:
        """A shift of a bot that was uploaded and accepted."""
        await self.upload(owner, bot)
        check = await self.begin(check_version_id=1)
        await self.end(check.shift_id, accepted=True)
        return await self.begin(bot_id=1)


def parts_of(
    bot: str, data: bytes, file_name: str = "b.py", size: int | None = None
) -> Iterator[pb.UploadBuildRequest]:
    said = len(data) if size is None else size
    yield pb.UploadBuildRequest(bot=bot, file_name=file_name, size=said)
    for start in range(0, len(data), CHUNK):
        yield pb.UploadBuildRequest(data=data[start : start + CHUNK])


@asynccontextmanager
async def hosting(
    database: str, terms: HostingTerms | None = HostingTerms()
) -> AsyncIterator[Hosting]:
    async with opened(database, limits=QUICK, hosting=terms) as scene:
        token = await scene.arena.store.workers.add("w1", "me")
        yield Hosting(scene, database, token)


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
                "this token is of a hosted bot's shift, and good for playing only",
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([], "the first message says what is uploaded"),
        ([pb.UploadBuildRequest(data=b"x")], "the first message says what is uploaded"),
        (list(parts_of("mine", b"pass", size=3)), "as many as the first one says"),
        (list(parts_of("mine", b"pass", size=5)), "4 bytes came instead of 5"),
        (list(parts_of("mine", b"pass", size=2_000)), ".py file has 2,000 bytes, and 1,000 are"),
        (
            list(parts_of("mine", b"PK", "b.zip", size=2_000)),
            "build has 2,000 bytes, and 1,000 are",
        ),
        (list(parts_of("mine", b"pass", "bot.exe")), "neither a .py file"),
        (list(parts_of("mine", b"PK", "bot.zip")), "not a .zip that can be read"),
        (list(parts_of("a/b", b"pass")), "'a/b' cannot name the bot"),
    ],
)
async def test_a_refused_upload_says_why_and_changes_nothing(
    database: str, parts: list[pb.UploadBuildRequest], words: str
) -> None:
    async with hosting(database, HostingTerms(build_bytes=1_000)) as host:
        key = bearing(await host.scene.key("me"))
        code, said = await refused(host.uploads.UploadBuild(iter(parts), metadata=key))
        assert (code, words in said) == ("INVALID_ARGUMENT", True), said
        assert await host.builds("me") == []


@pytest.mark.slow
async def test_uploads_that_bring_nothing_keep_nobody_waiting_for_long(database: str) -> None:
    async with hosting(database) as host:
        keys = [bearing(await host.scene.key(f"slow {number}")) for number in range(4)]

        async def nothing_more() -> AsyncIterator[pb.UploadBuildRequest]:
            yield pb.UploadBuildRequest(bot="slow", file_name="b.py", size=1_000)
            await asyncio.Event().wait()

        async with asyncio.TaskGroup() as tasks:
            slow = [
                tasks.create_task(refused(host.uploads.UploadBuild(nothing_more(), metadata=key)))
                for key in keys * MOST_OF_AN_OWNER
            ]
            assert len(slow) == MOST_AT_ONCE
            async with asyncio.timeout(PAUSE_SECONDS + PATIENCE):
                await host.upload("me", "mine")
        assert {one.result() for one in slow} == {
            ("DEADLINE_EXCEEDED", "the build came too slowly: 175 kB a second are needed")
        }


async def test_an_owner_has_only_so_many_uploads_at_once(database: str) -> None:
    async with hosting(database) as host:
        key = bearing(await host.scene.key("me"))

        async def nothing_more() -> AsyncIterator[pb.UploadBuildRequest]:
            yield pb.UploadBuildRequest(bot="slow", file_name="b.py", size=1_000)
            await asyncio.Event().wait()

        uploads = [
            asyncio.ensure_future(refused(host.uploads.UploadBuild(nothing_more(), metadata=key)))
            for _ in range(MOST_OF_AN_OWNER + 1)
        ]
        done, waiting = await asyncio.wait(uploads, return_when=asyncio.FIRST_COMPLETED)
        for one in waiting:
            one.cancel()
        assert [one.result() for one in done] == [
            ("RESOURCE_EXHAUSTED", "too many uploads of yours at once: come back in 1 s")
        ]


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


async def test_bytes_that_are_no_message_are_refused(database: str) -> None:
    async with hosting(database) as host:
        upload = host.scene.channel.stream_unary("/arena.v1.UploadService/UploadBuild")
        key = bearing(await host.scene.key("me"))
        assert await refused(upload(iter([b"\xff"]), metadata=key)) == (
            "INVALID_ARGUMENT",
            "these bytes are no arena.v1.UploadBuildRequest",
        )


async def test_an_arena_that_hosts_no_bots_says_so(database: str) -> None:
    async with hosting(database, None) as host:
        terms = await host.uploads.GetUploadTerms(pb.GetUploadTermsRequest())
        assert not terms.hosting
        code, said = await refused(host.upload("me", "mine"))
        assert (code, "hosts no bots" in said) == ("FAILED_PRECONDITION", True)


async def test_a_build_as_big_as_is_allowed_arrives_whole(database: str) -> None:
    """Its connection brings far more than a stranger's may."""
    async with hosting(database) as host:
        data = random.Random(1).randbytes(HostingTerms().build_bytes)
        code, said = await refused(host.upload("me", "mine", data, "bot.zip"))
        # All of it was read: it is no archive.
        assert (code, "not a .zip" in said) == ("INVALID_ARGUMENT", True)
        assert host.scene.arena.gate.connections.cuts == 0


async def test_a_connection_may_send_fast_for_a_while_after_its_uploads_and_once_for_all_of_them(
    database: str,
) -> None:
    async with hosting(database) as host:
        for number in range(3):
            await host.upload("me", f"mine {number}")
        known = host.scene.arena.gate.connections._known
        assert set(known.values()) == {_FAST_AS_STREAMS}


async def test_an_allowance_to_send_fast_ends_once_however_many_there_were(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_service, "_FAST_AFTERWARDS_SECONDS", 0.0)
    async with hosting(database) as host:
        for number in range(2):
            await host.upload("me", f"mine {number}")
            await host.builds("me")  # by then it is over
            assert host.scene.arena.gate.connections._known == {}


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


@pytest.mark.slow
async def test_a_class_of_thirty_submits_at_once(database: str) -> None:
    async with hosting(database) as host:
        names = [f"owner {number}" for number in range(30)]
        for name in names:
            await host.scene.key(name)
        made = await asyncio.gather(
            *(host.upload(name, f"bot {name}", f"# {name}".encode()) for name in names)
        )
        assert {one.bot for one in made} == {f"bot {name}" for name in names}
        begun = [await host.begin(check_version_id=number) for number in range(1, 31)]
        assert len({one.sha256 for one in begun}) == 30
