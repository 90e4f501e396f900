"""`UploadClient`: an OwnerClient that also uploads builds and manages hosted bots."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from arena.bot.address import Address
from arena.builds import Build, BuildRefusedError, read_build
from arena.builds.build import most_source_bytes
from arena.builds.hosted import SLOWEST_UPLOAD
from arena.clients.owner_client import OwnerCallError, OwnerClient
from arena.v1 import upload_pb2 as pb
from arena.v1.upload_pb2_grpc import UploadServiceStub

WAIT_SECONDS: Final = 150.0
"""The time that an upload may take beyond its transfer, in seconds: it waits for others."""
_CHUNK_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class UploadTerms:
    """The limits for uploads."""

    hosting: bool
    build_bytes: int
    uploads_a_day: int
    builds_kept: int
    hosted_bots: int

    @property
    def source_bytes(self) -> int:
        """The maximum size of a .py file, in bytes."""
        return most_source_bytes(self.build_bytes)


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A build that the referee accepted."""

    bot: str
    version: str
    sha256: str


@dataclass(frozen=True, slots=True)
class BuildSeen:
    """An uploaded build, as its owner sees it."""

    bot: str
    version: str
    sha256: str
    size: int
    uploaded: datetime
    state: str
    """One of: checking, accepted, refused."""
    reason: str
    """The reason for the state.

    For a refused build, why; while it is checked, the step; for one that plays, how its last shift
    ended, if its program cut it short; while no worker runs, that fact.
    """
    plays: bool
    kept: bool
    running: bool

    @property
    def in_short(self) -> str:
        """The state in a few words."""
        if self.state == "checking":
            return "is being checked" if self.running else "waits for its check"
        if self.state == "refused":
            return "refused"
        return "plays" if self.plays else "accepted"

    @property
    def in_words(self) -> str:
        """The state in words.

        It includes the step or the reason while the build is checked or waits for that.
        """
        if self.state != "checking" or not self.reason:
            return self.in_short
        return f"{'checking' if self.running else self.in_short}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ShiftSeen:
    """A run of a hosted bot's program."""

    began: datetime
    ended: datetime | None
    check: bool
    outcome: str
    log: str
    match_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatchLogSeen:
    """The output of a hosted bot's program while it played a match."""

    version: str
    shift_began: datetime
    started: datetime
    finished: datetime
    other_matches: int
    log: str

    @property
    def in_words(self) -> str:
        """A sentence that says to which matches the lines belong."""
        if not self.log:
            return "It printed nothing in that time."
        if not self.other_matches:
            return "It played no other match in that time."
        others = "another match" if self.other_matches == 1 else f"{self.other_matches} others"
        return f"It played {others} in that time: lines may be from there."


class UploadClient(OwnerClient):
    """A client of one referee, which threads may share; every method raises OwnerCallError."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        # The types of generated stubs are those of grpc.aio as well.
        self._uploads: Any = UploadServiceStub(address.channel())

    def upload_terms(self) -> UploadTerms:
        """Return the limits for uploads."""
        found = self._ask(self._uploads.GetUploadTerms, pb.GetUploadTermsRequest())
        return UploadTerms(
            found.hosting,
            found.build_bytes,
            found.uploads_a_day,
            found.builds_kept,
            found.hosted_bots,
        )

    def upload(
        self, key: str, bot: str, file_name: str, data: bytes, version: str = ""
    ) -> Uploaded:
        """Upload a build as a new version of a bot, by default the next free number."""
        terms = self.upload_terms()
        if not terms.hosting:
            raise OwnerCallError("This arena hosts no bots: register yours, and run it yourself.")
        try:
            # Check the build here first, to report errors at once.
            build = read_build(file_name, data, terms.build_bytes)
        except BuildRefusedError as error:
            raise OwnerCallError(str(error)) from error

        def call(_request: None, timeout: float, metadata: Any) -> pb.UploadBuildResponse:
            del timeout
            parts = _parts(bot, version, build)
            seconds = WAIT_SECONDS + len(data) / SLOWEST_UPLOAD
            answer: pb.UploadBuildResponse = self._uploads.UploadBuild(
                parts, timeout=seconds, metadata=metadata
            )
            return answer

        answer = self._ask(call, None, key)
        return Uploaded(answer.bot, answer.version, answer.sha256.hex())

    def builds(self, key: str, bot: str = "") -> list[BuildSeen]:
        """Return the uploaded builds of the owner's bots, or of one bot, newest first."""
        answer = self._ask(self._uploads.ListBuilds, pb.ListBuildsRequest(bot=bot), key)
        return [
            BuildSeen(
                one.bot,
                one.version,
                one.sha256.hex(),
                one.size,
                _time(one.uploaded_ms),
                pb.BuildState.Name(one.state).removeprefix("BUILD_STATE_").lower(),
                one.reason,
                one.plays,
                one.kept,
                one.running,
            )
            for one in answer.builds
        ]

    def roll_back(self, key: str, bot: str, version: str) -> None:
        """Select another accepted build of a bot to play."""
        self._ask(self._uploads.RollBack, pb.RollBackRequest(bot=bot, version=version), key)

    def shifts(self, key: str, bot: str, version: str = "") -> list[ShiftSeen]:
        """Return the last shifts of a version, by default the newest uploaded; newest first."""
        request = pb.ListShiftsRequest(bot=bot, version=version)
        answer = self._ask(self._uploads.ListShifts, request, key)
        return [
            ShiftSeen(
                _time(one.began_ms),
                _time(one.ended_ms) if one.ended_ms else None,
                one.check,
                one.outcome,
                one.log,
                tuple(one.match_ids),
            )
            for one in answer.shifts
        ]

    def match_log(self, key: str, bot: str, match_id: str) -> MatchLogSeen:
        """Return the output of a bot while it played a match."""
        request = pb.GetMatchLogRequest(bot=bot, match_id=match_id)
        answer = self._ask(self._uploads.GetMatchLog, request, key)
        return MatchLogSeen(
            answer.version,
            _time(answer.shift_began_ms),
            _time(answer.started_ms),
            _time(answer.finished_ms),
            answer.other_matches,
            answer.log,
        )


def _parts(bot: str, version: str, build: Build) -> Iterator[pb.UploadBuildRequest]:
    yield pb.UploadBuildRequest(
        bot=bot, version=version, file_name=build.file_name, size=len(build.data)
    )
    for start in range(0, len(build.data), _CHUNK_BYTES):
        yield pb.UploadBuildRequest(data=build.data[start : start + _CHUNK_BYTES])


def _time(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


__all__ = ["BuildSeen", "MatchLogSeen", "ShiftSeen", "UploadClient", "UploadTerms", "Uploaded"]
