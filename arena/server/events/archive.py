"""The archive of an event in one file, from which anybody can recompute its final.

It is a ZIP archive of three members. `transcripts.jsonl` has the signed transcript of every match,
a JSON object a line, by round, table, block and match. `event.sig` is the arena's signature of
`event.json` (`arena.signatures`, in hexadecimal digits), which has the rest:

    format          "arena-event/1"
    name, title, text
    rules           of the final, as in event.toml with all defaults
    dates           as they were kept: opens, freeze, final, results; began, ended, released
    commitment      SHA-256 of the seed, published when the event was made
    seed            opened with the results
    key             the arena's public key, which signed the transcripts
    entries         the builds of the freeze: bot, version, owner, team, sha256, withdrawn
    pairings        round, table, the bots that met, those that did not start (`absent`), and the
                    numbers of the blocks that were played
    standings       see `arena.server.events.standings`

`check` needs no arena: it draws the field's lots, the schedule and every deal from the seed,
referees every match again, and computes pairings and standings from them.
"""

import hashlib
import json
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
from arena.scheduling.knockout import MOST_EXTRA_BLOCKS
from arena.scheduling.pairings import EntryNumber, FormatError, Pairing
from arena.server.events.event import Event, EventEntry, Finalist, FinalRules
from arena.server.events.final import DealtMatch
from arena.server.events.final import Final as DrawnFinal
from arena.server.events.standings import standings_json
from arena.server.tournaments.tournament import (
    BlockRecord,
    PairingKey,
    Tournament,
    TournamentRecord,
)
from arena.signatures import Signer, check_document, check_signature

FORMAT: Final = "arena-event/1"
_EVENT: Final = "event.json"
_TRANSCRIPTS: Final = "transcripts.jsonl"
_SIGNATURE: Final = "event.sig"
_SIGNATURE_DIGITS: Final = 128
MOST_ENTRIES: Final = 2_000
MOST_PAIRINGS: Final = 100_000
LONGEST_EVENT: Final = 64 << 20
"""The most bytes of an event.json: far above any event, but small enough for memory."""
_LONGEST_LINE: Final = 4 << 20
_Bytes32: TypeAlias = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


_Block: TypeAlias = Annotated[int, Field(ge=1, le=10_000)]


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
    bots: Annotated[list[str], Field(min_length=1, max_length=100)]
    absent: Annotated[list[str], Field(max_length=100)]
    blocks: Annotated[list[_Block], Field(max_length=10_000)]


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
    entries: Annotated[list[_ArchivedEntry], Field(max_length=MOST_ENTRIES)]
    pairings: Annotated[list[_ArchivedPairing], Field(max_length=MOST_PAIRINGS)]
    standings: Annotated[list[dict[str, Any]], Field(max_length=MOST_ENTRIES)]


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
    """SHA-256 of the seed: compare it with what was published when the event was made."""
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
    blocks: Mapping[PairingKey, Sequence[int]],
    transcripts: Iterable[Transcript],
    signer: Signer,
) -> int:
    """Write the archive of a released event; return the number of matches.

    `record` is of the tournament of the final, `blocks` are the numbers of those that were played,
    and `transcripts` are by round, table, block and match. Raises OSError.
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
        "key": signer.public_key.hex(),
        "entries": _entries(final, entries),
        "pairings": _pairings(final, record, blocks),
        "standings": standings_json(record),
    }
    count = 0
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        text = _text(document).encode()
        archive.writestr(_EVENT, text)
        archive.writestr(_SIGNATURE, signer.sign_document(text).hex())
        with archive.open(_TRANSCRIPTS, "w", force_zip64=True) as lines:
            for transcript in transcripts:
                line = json.dumps(to_json(transcript), separators=(",", ":"), ensure_ascii=False)
                lines.write(line.encode() + b"\n")
                count += 1
    return count


def block_numbers(
    final: DrawnFinal, record: TournamentRecord, block_ids: Collection[str]
) -> dict[PairingKey, list[int]]:
    """Return the numbers of the blocks that were played, by pairing; `block_ids` are of all."""
    found: dict[PairingKey, list[int]] = {}
    for key, pairing in record.pairings.items():
        if not pairing.is_bye:
            numbers = range(1, final.rules.blocks + MOST_EXTRA_BLOCKS + 1)
            found[key] = [one for one in numbers if final.block_id(pairing, one) in block_ids]
    return found


def recorded_matches(
    final: DrawnFinal,
    record: TournamentRecord,
    blocks: Mapping[PairingKey, Sequence[int]],
    find: Callable[[str], Transcript | None],
) -> Iterator[Transcript]:
    """Yield the matches of a final by round, table, block and match; `find` has them by their id.

    Raises ArchiveError if one is missing.
    """
    for key, numbers in sorted(blocks.items()):
        for number in numbers:
            for dealt in final.matches(record.pairings[key], number):
                found = find(dealt.setup.match_id)
                if found is None:
                    raise ArchiveError(f"Match {dealt.setup.match_id} is missing.")
                yield found


def check(
    file: Path, key: bytes | None = None, advance: Callable[[int], None] = lambda _matches: None
) -> Checked:
    """Recompute an archive; with `key`, the signatures must be by it.

    `advance` is called with the number of matches checked since the last call. Raises
    ArchiveError naming the first difference, and OSError.
    """
    with _opened(file) as archive:
        document = _document(archive, key)
        with archive.open(_TRANSCRIPTS) as lines:
            return _Check(document, advance).checked(lines)


def expected_matches(file: Path) -> int:
    """Return about how many matches an archive has, for a progress bar. Raises ArchiveError."""
    with _opened(file) as archive:
        document = _document(archive, None)
    blocks = sum(len(one["blocks"]) for one in document["pairings"])
    return max(1, blocks * int(document["rules"]["seats"]))


@contextmanager
def _opened(file: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive, which may be anything. Raises ArchiveError and OSError."""
    try:
        with zipfile.ZipFile(file) as archive:
            for name in (_EVENT, _SIGNATURE, _TRANSCRIPTS):
                if name not in archive.namelist():
                    raise ArchiveError(f"{file} is no archive of an event: {name} is missing.")
            yield archive
    # Damaged, encrypted, or packed in a way that Python does not know.
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise ArchiveError(f"{file} is no archive of an event: {error}.") from error


class _Check:
    """The check of one archive."""

    def __init__(self, document: Mapping[str, Any], advance: Callable[[int], None]) -> None:
        self._document = document
        self._advance = advance
        self._key = bytes.fromhex(document["key"])
        seed = bytes.fromhex(document["seed"])
        _agree("commitment", document["commitment"], hashlib.sha256(seed).hexdigest())
        finalists = [_finalist(number, one) for number, one in enumerate(document["entries"], 1)]
        self._final = DrawnFinal(_read_rules(document["rules"]), seed, finalists)
        self._numbers = {
            one.registered.entrant.bot: number
            for number, one in enumerate(self._final.finalists, start=1)
        }
        if len(self._numbers) != len(finalists):
            raise ArchiveError("entries: a bot is named twice.")
        _agree("entries", document["entries"], sorted(document["entries"], key=self._number_of))
        self._claimed = {
            (one["round"], one["table"]): Pairing(
                one["round"], one["table"], tuple(map(self._number, one["bots"]))
            )
            for one in document["pairings"]
        }
        for key, pairing in self._claimed.items():
            if not pairing.is_bye and len(pairing.entries) != self._final.rules.seats:
                raise ArchiveError(f"pairings: round {key[0]}, table {key[1]} has another size.")
        for one in document["pairings"]:
            _check_blocks(one, self._final.rules.blocks)
        self._absent = {
            (one["round"], one["table"]): frozenset(map(self._number, one["absent"]))
            for one in document["pairings"]
        }
        self._played: dict[PairingKey, list[int]] = {
            (one["round"], one["table"]): one["blocks"] for one in document["pairings"]
        }
        self._blocks: dict[PairingKey, list[BlockRecord]] = {}
        self._matches = 0

    def checked(self, lines: IO[bytes]) -> Checked:
        """Return what was found in order. Raises ArchiveError."""
        self._read_matches(lines)
        record = self._fold()
        document = self._document
        _agree("pairings", document["pairings"], _pairings(self._final, record, self._played))
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
        if bot not in self._numbers:
            raise ArchiveError(f"pairings: {bot} is not among the entries.")
        return self._numbers[bot]

    def _number_of(self, entry: Mapping[str, Any]) -> EntryNumber:
        return self._number(entry["bot"])

    def _read_matches(self, lines: IO[bytes]) -> None:
        """Referee all matches again, in the order in which the pairings name them."""
        ahead = _Ahead(lines)
        for claimed in self._document["pairings"]:
            key = (claimed["round"], claimed["table"])
            pairing = self._claimed[key]
            for number in claimed["blocks"]:
                placings = [
                    self._refereed(dealt, ahead.take())
                    for dealt in self._final.matches(pairing, number)
                ]
                counted = self._final.counted(pairing, number, placings)
                self._blocks.setdefault(key, []).append(counted)
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
        """Return the record of the final, from its matches. Raises ArchiveError."""
        dates, name = self._document["dates"], self._document["name"]
        whole = self._final.tournament(name, dates["began"], dates["ended"])
        record = TournamentRecord(whole)
        while True:
            # Withdrawn bots were there until their last round.
            coming = 1 + max((round_ for round_, _ in record.pairings), default=0)
            record.tournament = tournament = self._until(whole, coming)
            try:
                added = tournament.plan.next_pairings(
                    len(tournament.entries), record.played(), tournament.withdrawn
                )
            except FormatError as error:
                raise ArchiveError(f"rules: such a final cannot be played: {error}.") from error
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
        record.tournament = whole
        for key in record.pairings:
            wanted, counted = record.blocks_wanted(key), record.blocks_counted(key)
            given_up = record.is_given_up(key)
            if counted > wanted or (counted < wanted and not given_up):
                raise ArchiveError(
                    f"Round {key[0]}, table {key[1]} has {counted} blocks instead of {wanted}."
                )
            if counted and not given_up and self._played[key][-1] != counted:
                raise ArchiveError(f"Round {key[0]}, table {key[1]} leaves out a block.")
        return record

    def _until(self, tournament: Tournament, coming: int) -> Tournament:
        """Return the tournament before a round: bots that play in it are not withdrawn yet."""
        playing = {
            number
            for pairing in self._claimed.values()
            if pairing.round >= coming
            for number in pairing.entries
        }
        entries = tuple(
            replace(one, withdrawn=one.withdrawn and one.number not in playing)
            for one in tournament.entries
        )
        return replace(tournament, entries=entries)


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


def _document(archive: zipfile.ZipFile, key: bytes | None) -> Mapping[str, Any]:
    """Return the event.json of an archive, signed by `key` if there is one.

    Raises ArchiveError.
    """
    if archive.getinfo(_EVENT).file_size > LONGEST_EVENT:
        raise ArchiveError(f"{_EVENT} has more than {LONGEST_EVENT:,} bytes.")
    text = archive.read(_EVENT)
    try:
        document = _ArchivedEvent.model_validate_json(text)
    except ValidationError as error:
        raise ArchiveError(f"{_EVENT}: {error_text(error, whole='the event')}.") from error
    if key is not None:
        _agree("key", document.key, key.hex())
    with archive.open(_SIGNATURE) as signed:
        digits = signed.read(_SIGNATURE_DIGITS + 1)
    try:
        signature = bytes.fromhex(digits.decode("ascii"))
    except ValueError:
        signature = b""
    if not check_document(text, signature, bytes.fromhex(document.key)):
        raise ArchiveError(f"{_EVENT} is not signed by the key {document.key}.")
    return document.model_dump()


def _check_blocks(pairing: Mapping[str, Any], planned: int) -> None:
    """Raise ArchiveError unless a pairing names its blocks once each, in order."""
    numbers = pairing["blocks"]
    most = planned + MOST_EXTRA_BLOCKS if len(pairing["bots"]) > 1 else 0
    if sorted(set(numbers)) != numbers or (numbers and numbers[-1] > most):
        raise ArchiveError(
            f"pairings: the blocks of round {pairing['round']}, table {pairing['table']} are not "
            f"different ones up to {most}, in order."
        )


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


def _pairings(
    final: DrawnFinal, record: TournamentRecord, blocks: Mapping[PairingKey, Sequence[int]]
) -> list[dict[str, Any]]:
    def names(numbers: Iterable[EntryNumber]) -> list[str]:
        return [final.finalists[number - 1].registered.entrant.bot for number in numbers]

    return [
        {
            "round": pairing.round,
            "table": pairing.table,
            "bots": names(pairing.entries),
            "absent": names(sorted(record.forfeits.get(key, ()))),
            "blocks": list(blocks.get(key, ())),
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
        if rules["seats"] not in game.seat_counts:
            raise ArchiveError(f"rules.seats is {rules['seats']}, which {game.title} has not.")
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
    except ArchiveError:
        raise
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
