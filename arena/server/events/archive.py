"""The archive of an event in one file, from which anybody can recompute its final.

It is a ZIP archive of two members. `transcripts.jsonl` has the signed transcript of every match, a
JSON object a line, by round, table, block and match. `event.json` has the rest:

    format          "arena-event/1"
    name, title, text
    rules           of the final, as in event.toml with all defaults
    dates           as they were kept: opens, freeze, final, results; began, ended, released
    commitment      SHA-256 of the seed, published when the event was made
    seed            opened with the results
    key             the arena's public key, which signed the transcripts
    entries         the builds of the freeze: bot, version, owner, team, sha256, withdrawn
    pairings        round, table, the bots that met, and those that did not play (`absent`)
    standings       see `arena.server.events.standings`

`check` needs no arena: it draws the field's lots, the schedule and every deal from the seed,
referees every match again, and computes pairings and standings from them.
"""

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated, Any, Final, Literal, TypeAlias

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from arena.errors import UserError
from arena.games import make_game
from arena.games.validation_errors import error_text, json_excerpt, path_text
from arena.match.clock import TimeControl
from arena.match.json_text import difference
from arena.match.replay import TranscriptError
from arena.match.score_rule import ScoreRule
from arena.match.transcript import Entrant, Opening, Transcript
from arena.match.transcript_json import read_json, to_json
from arena.match.verify import verify
from arena.moments import iso_utc
from arena.records import Registered, VersionId
from arena.scheduling.formats import FormatName
from arena.scheduling.pairings import EntryNumber, Pairing
from arena.server.events.event import Event, EventEntry, Finalist, FinalRules
from arena.server.events.final import DealtMatch
from arena.server.events.final import Final as DrawnFinal
from arena.server.events.standings import standings_json
from arena.server.tournaments.tournament import BlockRecord, PairingKey, TournamentRecord
from arena.signatures import check_signature

FORMAT: Final = "arena-event/1"
_EVENT: Final = "event.json"
_TRANSCRIPTS: Final = "transcripts.jsonl"
LONGEST_EVENT: Final = 64 << 20
"""The most bytes of an event.json: far above any event, but small enough for memory."""
_LONGEST_LINE: Final = 4 << 20
_Bytes32: TypeAlias = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _ArchivedRules(_Part):
    format: str
    game: str
    options: dict[str, Any]
    seats: Annotated[int, Field(ge=2, le=100)]
    blocks: Annotated[int, Field(ge=1, le=10_000)]
    rounds: Annotated[int, Field(ge=1, le=10_000)] | None
    score: str
    turn_ms: Annotated[int, Field(ge=0)]
    bank_ms: Annotated[int, Field(ge=0)]


class _ArchivedDates(_Part):
    opens: AwareDatetime
    freeze: AwareDatetime
    final: AwareDatetime
    results: AwareDatetime
    began: AwareDatetime
    ended: AwareDatetime
    released: AwareDatetime


class _ArchivedEntry(_Part):
    bot: str
    version: str
    owner: str
    team: str
    sha256: _Bytes32
    withdrawn: bool


class _ArchivedPairing(_Part):
    round: Annotated[int, Field(ge=1)]
    table: Annotated[int, Field(ge=1)]
    bots: list[str]
    absent: list[str]


class _ArchivedEvent(_Part):
    format: Literal["arena-event/1"]
    name: str
    title: str
    text: str
    rules: _ArchivedRules
    dates: _ArchivedDates
    commitment: _Bytes32
    seed: _Bytes32
    key: _Bytes32
    entries: list[_ArchivedEntry]
    pairings: list[_ArchivedPairing]
    standings: list[dict[str, Any]]


class ArchiveError(UserError):
    """The file is no archive, or does not agree with itself; the message names what is wrong."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What the check of an archive found in order."""

    name: str
    matches: int
    pairings: int
    key: bytes
    commitment: bytes
    standings: Sequence[Mapping[str, Any]]


def drawn(event: Event, finalists: Sequence[Finalist]) -> DrawnFinal:
    """Return the final of a released event."""
    assert event.seed is not None
    return DrawnFinal(event.said.rules, event.seed, finalists)


def write(
    file: Path,
    event: Event,
    entries: Sequence[EventEntry],
    final: DrawnFinal,
    record: TournamentRecord,
    transcripts: Iterable[Transcript],
    key: bytes,
) -> int:
    """Write the archive of a released event; return the number of matches.

    `record` is of the tournament of the final, and `transcripts` are by round, table, block and
    match. Raises OSError.
    """
    assert event.seed is not None
    document = {
        "format": FORMAT,
        "name": event.name,
        "title": event.said.title,
        "text": event.said.text,
        "rules": _rules(event.said.rules),
        "dates": _dates(event),
        "commitment": event.commitment.hex(),
        "seed": event.seed.hex(),
        "key": key.hex(),
        "entries": _entries(final, entries),
        "pairings": _pairings(final, record),
        "standings": standings_json(record),
    }
    count = 0
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_EVENT, _text(document))
        with archive.open(_TRANSCRIPTS, "w", force_zip64=True) as lines:
            for transcript in transcripts:
                line = json.dumps(to_json(transcript), separators=(",", ":"), ensure_ascii=False)
                lines.write(line.encode() + b"\n")
                count += 1
    return count


def recorded_matches(
    final: DrawnFinal, record: TournamentRecord, find: Callable[[str], Transcript | None]
) -> Iterator[Transcript]:
    """Yield the matches of a final by round, table, block and match; `find` has them by their id.

    Raises ArchiveError if one is missing.
    """
    for key, pairing in sorted(record.pairings.items()):
        left, number = record.blocks_counted(key), 1
        while left:
            ids = [one.setup.match_id for one in final.matches(pairing, number)]
            found = [find(one) for one in ids]
            if all(found):
                yield from filter(None, found)
                left -= 1
            elif not record.is_given_up(key):
                raise ArchiveError(f"Block {number} of round {key[0]}, table {key[1]} is missing.")
            number += 1


def check(
    file: Path, key: bytes | None = None, advance: Callable[[int], None] = lambda _matches: None
) -> Checked:
    """Recompute an archive; with `key`, the signatures must be by it.

    `advance` is called with the number of matches checked since the last call. Raises
    ArchiveError naming the first difference, and OSError.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            document = _document(archive)
            with archive.open(_TRANSCRIPTS) as lines:
                return _Check(document, key, advance).checked(lines)
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise ArchiveError(f"{file} is no archive of an event: {error}.") from error


def expected_matches(file: Path) -> int:
    """Return about how many matches an archive has, for a progress bar. Raises ArchiveError."""
    try:
        with zipfile.ZipFile(file) as archive:
            document = _document(archive)
    except (zipfile.BadZipFile, KeyError) as error:
        raise ArchiveError(f"{file} is no archive of an event: {error}.") from error
    rules = document["rules"]
    return max(1, len(document["pairings"]) * int(rules["blocks"]) * int(rules["seats"]))


class _Check:
    """The check of one archive."""

    def __init__(
        self, document: Mapping[str, Any], key: bytes | None, advance: Callable[[int], None]
    ) -> None:
        self._document = document
        self._advance = advance
        self._key = bytes.fromhex(document["key"]) if key is None else key
        _agree("key", document["key"], self._key.hex())
        seed = bytes.fromhex(document["seed"])
        _agree("commitment", document["commitment"], hashlib.sha256(seed).hexdigest())
        finalists = [_finalist(number, one) for number, one in enumerate(document["entries"], 1)]
        self._final = DrawnFinal(_read_rules(document["rules"]), seed, finalists)
        _agree("entries", document["entries"], sorted(document["entries"], key=self._number_of))
        self._claimed = {
            (one["round"], one["table"]): Pairing(
                one["round"], one["table"], tuple(map(self._number, one["bots"]))
            )
            for one in document["pairings"]
        }
        self._absent = {
            (one["round"], one["table"]): frozenset(map(self._number, one["absent"]))
            for one in document["pairings"]
        }
        self._blocks: dict[PairingKey, list[BlockRecord]] = {}
        self._matches = 0

    def checked(self, lines: IO[bytes]) -> Checked:
        """Return what was found in order. Raises ArchiveError."""
        self._read_matches(lines)
        record = self._fold()
        document = self._document
        _agree("pairings", document["pairings"], _pairings(self._final, record))
        _agree("standings", document["standings"], standings_json(record))
        return Checked(
            document["name"],
            self._matches,
            len(record.pairings),
            self._key,
            bytes.fromhex(document["commitment"]),
            document["standings"],
        )

    def _number(self, bot: str) -> EntryNumber:
        """Return the number that a bot has drawn. Raises ArchiveError."""
        for number, one in enumerate(self._final.finalists, start=1):
            if one.registered.entrant.bot == bot:
                return number
        raise ArchiveError(f"pairings: {bot} is not among the entries.")

    def _number_of(self, entry: Mapping[str, Any]) -> EntryNumber:
        return self._number(entry["bot"])

    def _read_matches(self, lines: IO[bytes]) -> None:
        """Referee all matches again, in the order in which the pairings name them."""
        ahead = _Ahead(lines)
        for key, pairing in sorted(self._claimed.items()):
            if pairing.is_bye:
                continue
            gone = self._absent[key] or self._withdrawn().intersection(pairing.entries)
            number = 1
            while ahead.match_id is not None:
                dealt = self._final.matches(pairing, number)
                if ahead.match_id == dealt[0].setup.match_id:
                    placings = [self._refereed(one, ahead.take()) for one in dealt]
                    counted = self._final.counted(pairing, number, placings)
                    self._blocks.setdefault(key, []).append(counted)
                elif not gone or number >= self._final.rules.blocks:
                    break
                number += 1
        if ahead.match_id is not None:
            raise ArchiveError(f"Match {ahead.match_id} is none of this final, or out of order.")

    def _refereed(self, dealt: DealtMatch, transcript: Transcript | None) -> Sequence[int]:
        """Return the placing of a match. Raises ArchiveError."""
        if transcript is None:
            raise ArchiveError(f"Match {dealt.setup.match_id} is missing.")
        which = f"Match {dealt.setup.match_id}"
        if transcript.setup != dealt.setup:
            raise ArchiveError(f"{which} has other terms, or is another match, than it should.")
        if transcript.opening != Opening(dealt.secret, dealt.entropies):
            raise ArchiveError(f"{which} has another deal than the seed gives.")
        try:
            verify(transcript)
            check_signature(transcript, self._key)
        except TranscriptError as error:
            raise ArchiveError(f"{which}: verification failed: {error}.") from error
        self._matches += 1
        self._advance(1)
        return transcript.result.placing

    def _fold(self) -> TournamentRecord:
        """Return the record of the final, from its matches alone. Raises ArchiveError."""
        dates = self._document["dates"]
        name = self._document["name"]
        tournament = self._final.tournament(name, dates["began"], dates["ended"])
        record = TournamentRecord(tournament)
        while True:
            added = tournament.plan.next_pairings(
                len(tournament.entries), record.played(), tournament.withdrawn
            )
            if added is None:
                break
            if not added:
                raise ArchiveError("Matches are missing: by its rules the final is not over.")
            record.add_pairings(added)
            for one in added:
                key = (one.round, one.table)
                if self._absent.get(key):
                    record.forfeit({key: self._absent[key]})
                record.add_blocks(self._blocks.pop(key, ()))
        for key in record.pairings:
            wanted, counted = record.blocks_wanted(key), record.blocks_counted(key)
            if counted > wanted or (counted < wanted and not record.is_given_up(key)):
                raise ArchiveError(
                    f"Round {key[0]}, table {key[1]} has {counted} blocks instead of {wanted}."
                )
        return record

    def _withdrawn(self) -> frozenset[EntryNumber]:
        return frozenset(
            number for number, one in enumerate(self._final.finalists, start=1) if one.withdrawn
        )


class _Ahead:
    """The transcripts of lines, of which the next is known."""

    def __init__(self, lines: IO[bytes]) -> None:
        self._lines = lines
        self._number = 0
        self._next = self._read()

    @property
    def match_id(self) -> str | None:
        """The id of the next match; None after the last."""
        return None if self._next is None else self._next.setup.match_id

    def take(self) -> Transcript | None:
        """Return the next match, and read the one after it."""
        found = self._next
        if found is not None:
            self._next = self._read()
        return found

    def _read(self) -> Transcript | None:
        line = self._lines.readline(_LONGEST_LINE)
        if not line:
            return None
        self._number += 1
        try:
            return read_json(line)
        except TranscriptError as error:
            raise ArchiveError(f"{_TRANSCRIPTS}, line {self._number}: {error}.") from error


def _document(archive: zipfile.ZipFile) -> Mapping[str, Any]:
    """Return the event.json of an archive. Raises ArchiveError, KeyError and BadZipFile."""
    if archive.getinfo(_EVENT).file_size > LONGEST_EVENT:
        raise ArchiveError(f"{_EVENT} has more than {LONGEST_EVENT:,} bytes.")
    try:
        document = _ArchivedEvent.model_validate_json(archive.read(_EVENT))
    except ValidationError as error:
        raise ArchiveError(f"{_EVENT}: {error_text(error, whole='the event')}.") from error
    return document.model_dump()


def _agree(member: str, found: Any, expected: Any) -> None:
    """Raise ArchiveError, naming the first difference, unless a member is as it was recomputed."""
    differs = difference(found, expected)
    if differs is not None:
        path, told, computed = differs
        where = path_text((member, *path))
        said = "nothing" if told is None else json_excerpt(told[0])
        due = "nothing" if computed is None else json_excerpt(computed[0])
        raise ArchiveError(f"{where} is {said}, but it is recomputed as {due}.")


def _finalist(number: int, entry: Mapping[str, Any]) -> Finalist:
    entrant = Entrant(entry["bot"], entry["version"], entry["owner"])
    return Finalist(
        Registered(VersionId(number), entrant, house=False),
        bytes.fromhex(entry["sha256"]),
        "",
        entry["withdrawn"],
    )


def _entries(final: DrawnFinal, entries: Sequence[EventEntry]) -> list[dict[str, Any]]:
    """Return the builds of the freeze, in the order of their lots."""
    teams = {one.bot: one.team for one in entries}
    return [
        {
            "bot": one.registered.entrant.bot,
            "version": one.registered.entrant.version,
            "owner": one.registered.entrant.owner,
            "team": teams[one.registered.entrant.bot],
            "sha256": one.sha256.hex(),
            "withdrawn": one.withdrawn,
        }
        for one in final.finalists
    ]


def _pairings(final: DrawnFinal, record: TournamentRecord) -> list[dict[str, Any]]:
    def names(numbers: Iterable[EntryNumber]) -> list[str]:
        return [final.finalists[number - 1].registered.entrant.bot for number in numbers]

    return [
        {
            "round": pairing.round,
            "table": pairing.table,
            "bots": names(pairing.entries),
            "absent": names(sorted(record.forfeits.get(key, ()))),
        }
        for key, pairing in sorted(record.pairings.items())
    ]


def _rules(rules: FinalRules) -> dict[str, Any]:
    return {
        "format": rules.format.value,
        "game": rules.game,
        "options": dict(rules.options),
        "seats": rules.seats,
        "blocks": rules.blocks,
        "rounds": rules.rounds,
        "score": rules.score.value,
        "turn_ms": rules.time_control.turn_ms,
        "bank_ms": rules.time_control.bank_ms,
    }


def _read_rules(rules: Mapping[str, Any]) -> FinalRules:
    """Return the rules of a final. Raises ArchiveError for what this release does not know."""
    try:
        game = make_game(rules["game"], rules["options"])
        return FinalRules(
            format=FormatName(rules["format"]),
            game=game.name,
            options=game.options.changed(),
            seats=rules["seats"],
            blocks=rules["blocks"],
            rounds=rules["rounds"],
            score=ScoreRule(rules["score"]),
            time_control=TimeControl(rules["turn_ms"], rules["bank_ms"]),
        )
    except (UserError, ValueError) as error:
        raise ArchiveError(f"rules: {error}") from error


def _dates(event: Event) -> dict[str, str]:
    dates = event.said.dates
    assert event.began_at and event.ended_at and event.released_at
    named = {
        "opens": dates.opens,
        "freeze": dates.freezes,
        "final": dates.final,
        "results": dates.results,
        "began": event.began_at,
        "ended": event.ended_at,
        "released": event.released_at,
    }
    return {name: iso_utc(moment) for name, moment in named.items()}


def _text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
