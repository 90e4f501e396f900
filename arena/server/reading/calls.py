"""`ReadingCalls`: the registry's reading calls, from request bytes to response bytes."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

import grpc

from arena.codec.bot_side import write_action
from arena.codec.checks import write_check
from arena.codec.fields import field, key
from arena.codec.mirrored import message_of
from arena.codec.transcript import read_setup, time_control_of
from arena.database.errors import TranscriptNotKeptError
from arena.database.reading import ColumnReader
from arena.database.transcripts import unpack_message
from arena.games import OptionsError, UnknownGameError, make_game
from arena.games.notation import NotationError
from arena.match.clock import DEFAULT_TIME_CONTROL
from arena.match.match_id import is_match_id
from arena.moments import milliseconds
from arena.records import VersionId
from arena.server.accounts import bot_statements
from arena.server.boards.remarks import NO_REMARK, remarks_of
from arena.server.requests.errors import ProtocolError, malformed
from arena.server.requests.options_json import read_options
from arena.server.requests.paging import page_number, page_size
from arena.server.requests.parsing import parsed
from arena.server.results.match_finding import stored_transcript
from arena.server.results.match_search import MatchFilter, faults_told, found_matches
from arena.server.uploads.checks import last_checks
from arena.v1 import registry_pb2, transcript_pb2
from arena.wording import span

DEFAULT_MATCHES: Final = 50
MOST_MATCHES: Final = 1_000
_WON: Final = {registry_pb2.MATCH_OUTCOME_WON: True, registry_pb2.MATCH_OUTCOME_LOST: False}

_TRANSCRIPT = key(registry_pb2.GetTranscriptResponse, "transcript")


@dataclass(frozen=True, slots=True)
class ReadingAnswer:
    """The bytes of a response; or, with the name of a gRPC status, an error message."""

    content: bytes
    status: str = ""


class ReadingCalls:
    """The answers to all calls named in `calls`; not safe for use by several threads at once."""

    def __init__(self, read: ColumnReader) -> None:
        self._read = read
        self._boards: Any = None
        self.calls: Mapping[str, Callable[[bytes], bytes]] = {
            "ListBots": partial(_with, registry_pb2.ListBotsRequest, self._bots),
            "ListMatches": partial(_with, registry_pb2.ListMatchesRequest, self._matches),
            "GetLeaderboard": partial(_with, registry_pb2.GetLeaderboardRequest, self._leaderboard),
            "GetTranscript": partial(_with, registry_pb2.GetTranscriptRequest, self._transcript),
        }

    def __call__(self, call: str, request: bytes) -> ReadingAnswer:
        """Answer a request. Raises StorageError while the database does not answer."""
        try:
            return ReadingAnswer(self.calls[call](request))
        except ProtocolError as error:
            return ReadingAnswer(error.sentence.encode(), error.code.name)

    def _bots(self, request: registry_pb2.ListBotsRequest) -> bytes:
        size = page_size(request.page_size)
        after = page_number(request.page_token) if request.page_token else None
        # One row more shows whether there is a next page.
        rows = self._read(bot_statements.bot_list(after=after, limit=size + 1))
        checks = last_checks(self._read, [VersionId(row.id) for row in rows[:size]])
        response = registry_pb2.ListBotsResponse()
        for row in rows[:size]:
            entrant = message_of(transcript_pb2.Entrant, row)
            line = message_of(registry_pb2.BotVersion, row, entrant=entrant, check=None)
            check = checks.get(row.id)
            if check is not None:
                write_check(check.outcome, check.origin, check.recorded_at, line.check)
            response.versions.append(line)
        if len(rows) > size:
            response.next_page_token = str(rows[size - 1].id)
        return response.SerializeToString()

    def _matches(self, request: registry_pb2.ListMatchesRequest) -> bytes:
        limit = request.limit or DEFAULT_MATCHES
        if not 1 <= limit <= MOST_MATCHES:
            raise malformed(f"`limit` is 1 to {MOST_MATCHES}, not {limit}")
        before = request.page_token.lower() or None
        if before is not None and not is_match_id(before):
            raise malformed("invalid `page_token`: leave it out for the first page")
        if request.outcome not in registry_pb2.MatchOutcome.values():
            raise malformed(f"`outcome` is 1 for won or 2 for lost, not {request.outcome}")
        won = _WON.get(request.outcome)
        if won is not None and not request.bot:
            raise malformed("`outcome` is that of a bot: name it in `bot`")
        wanted = MatchFilter(
            bot=request.bot or None, game=request.game or None, won=won, rated=request.rated
        )
        rows = self._read(found_matches(wanted, before=before, limit=limit))
        response = registry_pb2.ListMatchesResponse()
        for row in rows:
            line = response.matches.add(
                match_id=str(row.match_id),
                game=row.game,
                finished_ms=milliseconds(row.finished_at),
                rated=not (row.unrated or row.voided),
                time_control=transcript_pb2.TimeControl(turn_ms=row.turn_ms, bank_ms=row.bank_ms),
            )
            for seat in row.seats:
                line.entrants.add(bot=seat["bot"], version=seat["version"], owner=seat["owner"])
                line.placing.append(seat["placing"])
                line.faults.append(seat["faults"])
        if len(rows) == limit:
            response.next_page_token = str(rows[-1].match_id)
        return response.SerializeToString()

    def _leaderboard(self, request: registry_pb2.GetLeaderboardRequest) -> bytes:
        seats = request.seats
        try:
            rules = make_game(request.game, read_options(request.options_json))
        except (UnknownGameError, OptionsError) as error:
            raise malformed(str(error)) from error
        if seats and seats not in rules.seat_counts:
            allowed = span(rules.seat_counts[0], rules.seat_counts[-1])
            raise malformed(f"{rules.title} is played by {allowed} seats, not {seats}")
        # Imported here, so that numpy is loaded only when ratings are requested.
        from arena.server.boards.live_board import LiveBoards, ladder_of_table

        if self._boards is None:
            self._boards = LiveBoards(self._read)
        changed = rules.options.changed()
        control = DEFAULT_TIME_CONTROL
        if request.HasField("time_control"):
            control = time_control_of(request.time_control)
        table, ladder = ladder_of_table(
            self._read, request.game, changed, seats or None, time_control=control
        )
        board = self._boards.board(ladder).now()
        lines = board.old if request.old_versions else board.ranked
        page, token = _page(lines, request.page_size, request.page_token)
        response = registry_pb2.GetLeaderboardResponse(seats=table, next_page_token=token)
        ids = [one.version_id for one in page]
        remarks = remarks_of(self._read, ids, ladder.game, ladder.seats)
        for one in page:
            remark, adjusted = remarks.get(one.version_id, NO_REMARK), one.luck_adjusted
            line = message_of(
                registry_pb2.Rating,
                one,
                entrant=message_of(transcript_pb2.Entrant, one),
                elo_low=one.interval[0],
                elo_high=one.interval[1],
                luck_adjusted=None,
                frozen=remark.frozen,
                paused=remark.paused,
                banned=remark.banned,
            )
            if adjusted is not None:
                low, high = adjusted.interval
                line.luck_adjusted.CopyFrom(
                    message_of(registry_pb2.LuckAdjusted, adjusted, elo_low=low, elo_high=high)
                )
            response.ratings.append(line)
        return response.SerializeToString()

    def _transcript(self, request: registry_pb2.GetTranscriptRequest) -> bytes:
        match_id = request.match_id.lower()
        try:
            row = stored_transcript(self._read, match_id)
        except TranscriptNotKeptError as error:
            raise ProtocolError(grpc.StatusCode.NOT_FOUND, str(error)) from error
        if row is None:
            raise ProtocolError(
                grpc.StatusCode.NOT_FOUND, f"there is no match {request.match_id[:80]}"
            )
        content = unpack_message(row)
        told = registry_pb2.GetTranscriptResponse()
        for fault in self._read(faults_told([match_id])):
            line = told.faults.add(turn_number=fault.turn, reason=fault.reason)
            if fault.sent is not None:
                game = read_setup(transcript_pb2.Transcript.FromString(content).setup).make_game()
                with suppress(NotationError):  # an action of a later release
                    write_action(game.name, game.notation.from_json(fault.sent), line.sent)
        return field(_TRANSCRIPT, content) + told.SerializeToString()


def _with(kind: Any, answer: Callable[[Any], bytes], request: bytes) -> bytes:
    return answer(parsed(kind, request))


RowT = TypeVar("RowT")


def _page(rows: Sequence[RowT], size: int, token: str) -> tuple[Sequence[RowT], str]:
    """Return a page of rows, and the token of the next page: the number of rows before it."""
    first = page_number(token or "0")
    last = first + page_size(size)
    return rows[first:last], str(last) if last < len(rows) else ""
