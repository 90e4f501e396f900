"""`UploadClient`: a ResultsClient that also uploads builds and manages hosted bots."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from arena.bot.address import Address
from arena.builds.build import Build, most_source_bytes, read_build
from arena.builds.errors import BuildRefusedError
from arena.builds.hosted import SLOWEST_UPLOAD, BuildState, HostedBuild, HostedShift, MatchLog
from arena.clients.referee_client import OwnerCallError
from arena.clients.results_client import ResultsClient
from arena.codec.mirrored import value_of
from arena.codec.wire_numbers import enum_values
from arena.v1 import upload_pb2 as pb
from arena.v1.upload_pb2_grpc import UploadServiceStub

WAIT_SECONDS: Final = 150.0
"""The time that an upload may take in addition to its transfer, as it waits for other uploads."""
BUILD_STATES: Final = enum_values(BuildState, pb.BuildState.DESCRIPTOR)
"""The states of builds by their wire numbers."""
_CHUNK_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class UploadTerms:
    """The limits of uploads."""

    hosting: bool
    build_bytes: int
    uploads_a_day: int
    builds_kept: int
    hosted_bots: int

    @property
    def source_bytes(self) -> int:
        """The most bytes of a .py file."""
        return most_source_bytes(self.build_bytes)


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A build that the referee received."""

    bot: str
    version: str
    sha256: str
    notices: tuple[str, ...] = ()
    """Sentences for its owner: the dates of events, and the uploads left today."""


class UploadClient(ResultsClient):
    """A client of one referee, which threads may share. Every method raises OwnerCallError."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        # Any, because generated stubs are also typed for grpc.aio.
        self._uploads: Any = UploadServiceStub(address.channel())

    def upload_terms(self) -> UploadTerms:
        """Return the limits of uploads."""
        found = self._ask(self._uploads.GetUploadTerms, pb.GetUploadTermsRequest())
        return value_of(UploadTerms, found)

    def upload(
        self, key: str, bot: str, file_name: str, data: bytes, version: str = ""
    ) -> Uploaded:
        """Upload a build as a new version of a bot, by default the next free number."""
        terms = self.upload_terms()
        if not terms.hosting:
            raise OwnerCallError("This arena hosts no bots: register yours, and run it yourself.")
        try:
            # Checked here first, to report an error without an upload.
            build = read_build(file_name, data, terms.build_bytes)
        except BuildRefusedError as error:
            raise OwnerCallError(str(error)) from error
        seconds = WAIT_SECONDS + len(data) / SLOWEST_UPLOAD
        answer = self._ask(self._uploads.UploadBuild, _parts(bot, version, build), key, seconds)
        return value_of(Uploaded, answer, sha256=answer.sha256.hex())

    def build_notices(self, key: str, bot: str = "") -> list[str]:
        """Return sentences about events' dates and limits for builds of the owner's bots."""
        answer = self._ask(self._uploads.ListBuilds, pb.ListBuildsRequest(bot=bot), key)
        return list(answer.notices)

    def builds(self, key: str, bot: str = "") -> list[HostedBuild]:
        """Return the uploaded builds of the owner's bots, or of one, newest first."""
        answer = self._ask(self._uploads.ListBuilds, pb.ListBuildsRequest(bot=bot), key)
        return [value_of(HostedBuild, one, state=BUILD_STATES[one.state]) for one in answer.builds]

    def roll_back(self, key: str, bot: str, version: str) -> None:
        """Let another accepted build of a bot play."""
        self._ask(self._uploads.RollBack, pb.RollBackRequest(bot=bot, version=version), key)

    def shifts(self, key: str, bot: str, version: str = "") -> list[HostedShift]:
        """Return the last shifts of a version, by default the newest uploaded; newest first."""
        request = pb.ListShiftsRequest(bot=bot, version=version)
        answer = self._ask(self._uploads.ListShifts, request, key)
        return [value_of(HostedShift, one) for one in answer.shifts]

    def match_log(self, key: str, bot: str, match_id: str) -> MatchLog:
        """Return a bot's output while it played a match."""
        request = pb.GetMatchLogRequest(bot=bot, match_id=match_id)
        return value_of(MatchLog, self._ask(self._uploads.GetMatchLog, request, key))


def _parts(bot: str, version: str, build: Build) -> Iterator[pb.UploadBuildRequest]:
    yield pb.UploadBuildRequest(
        bot=bot, version=version, file_name=build.file_name, size=len(build.data)
    )
    for start in range(0, len(build.data), _CHUNK_BYTES):
        yield pb.UploadBuildRequest(data=build.data[start : start + _CHUNK_BYTES])
