"""Reads and validates the event.json of an archive, an untrusted file (see `archive`)."""

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from arena.errors import UserError
from arena.games import make_game
from arena.match.clock import TimeControl
from arena.match.score_rule import ScoreRule
from arena.match.transcript import Entrant
from arena.records import Registered, VersionId
from arena.scheduling.formats import FormatName
from arena.scheduling.pairings import Pairing
from arena.server.events.event import Finalist, FinalRules
from arena.server.events.finals.archive import EVENT, SIGNATURE, TRANSCRIPTS, ArchiveError
from arena.server.events.finals.final import DrawnFinal
from arena.signatures import check_document
from arena.validation_errors import error_text

_SIGNATURE_DIGITS: Final = 128
_PACKED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The allowed methods. Damaged members packed by other methods raise errors of other types."""
MOST_ENTRIES: Final = 2_000
MOST_PAIRINGS: Final = 100_000
LONGEST_EVENT: Final = 64 << 20
"""The most bytes of an event.json: far above any event, but small enough for memory."""
_Bytes32: TypeAlias = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
_MatchId: TypeAlias = Annotated[str, Field(pattern="^[0-9a-f-]{36}$")]
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
    groups: Annotated[int, Field(ge=1, le=10_000)] | None = None
    advance: Annotated[int, Field(ge=1, le=10_000)] | None = None
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
    sha256: _Bytes32 | None
    withdrawn: bool


class _ArchivedPairing(_Part):
    round: Annotated[int, Field(ge=1)]
    table: Annotated[int, Field(ge=1)]
    bots: Annotated[list[str], Field(min_length=1, max_length=100)]
    absent: Annotated[list[str], Field(max_length=100)]
    blocks: Annotated[list[_Block], Field(max_length=10_000)]
    matches: Annotated[list[_MatchId], Field(max_length=1_000_000)] | None = None


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
    connected: bool = False
    entries: Annotated[list[_ArchivedEntry], Field(max_length=MOST_ENTRIES)]
    pairings: Annotated[list[_ArchivedPairing], Field(max_length=MOST_PAIRINGS)]
    standings: Annotated[list[dict[str, Any]], Field(max_length=MOST_ENTRIES)]


@contextmanager
def opened(file: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive, an untrusted file. Raises ArchiveError and OSError."""
    try:
        with zipfile.ZipFile(file) as archive:
            for name in (EVENT, SIGNATURE, TRANSCRIPTS):
                if name not in archive.namelist():
                    raise ArchiveError(f"{file} is no archive of an event: {name} is missing.")
                if archive.getinfo(name).compress_type not in _PACKED:
                    raise ArchiveError(f"{file} is no archive of an event: {name} is packed oddly.")
            yield archive
    # Damaged, encrypted, or packed in a way that Python does not know.
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, UnicodeDecodeError) as error:
        raise ArchiveError(f"{file} is no archive of an event: {error}.") from error


def read_event(archive: zipfile.ZipFile) -> Mapping[str, Any]:
    """Return the event.json of an archive, signed by the key that it names. Raises ArchiveError."""
    if archive.getinfo(EVENT).file_size > LONGEST_EVENT:
        raise ArchiveError(f"{EVENT} has more than {LONGEST_EVENT:,} bytes.")
    text = archive.read(EVENT)
    try:
        document = _ArchivedEvent.model_validate_json(text)
    except ValidationError as error:
        raise ArchiveError(f"{EVENT}: {error_text(error, whole='the event')}.") from error
    with archive.open(SIGNATURE) as signed:
        digits = signed.read(_SIGNATURE_DIGITS + 1)
    try:
        signature = bytes.fromhex(digits.decode("ascii"))
    except ValueError:
        signature = b""
    if not check_document(text, signature, bytes.fromhex(document.key)):
        raise ArchiveError(f"{EVENT} is not signed by the key {document.key}.")
    return document.model_dump(exclude_unset=True)


def stored_event(text: bytes) -> Mapping[str, Any]:
    """Return the content of an event.json that this arena has made."""
    return _ArchivedEvent.model_validate_json(text).model_dump(exclude_unset=True)


def match_ids(document: Mapping[str, Any], after: int = 0) -> Iterator[str]:
    """Yield the ids of the matches in the order of the archive, without the first `after`.

    `document` is an event.json that the arena has made.
    """
    if document.get("connected"):
        named = chain.from_iterable(one["matches"] for one in document["pairings"])
        yield from islice(named, after, None)
        return
    finalists = [finalist(number, one) for number, one in enumerate(document["entries"], 1)]
    seed = bytes.fromhex(document["seed"])
    final = DrawnFinal(read_rules(document["rules"]), seed, finalists)
    numbers = {
        one.registered.entrant.bot: number for number, one in enumerate(final.finalists, start=1)
    }
    for one in document["pairings"]:
        pairing = Pairing(one["round"], one["table"], tuple(numbers[bot] for bot in one["bots"]))
        for number in one["blocks"]:
            if after >= final.rules.seats:  # skip the block: drawing its ids takes time
                after -= final.rules.seats
                continue
            ids = (dealt.setup.match_id for dealt in final.matches(pairing, number))
            yield from islice(ids, after, None)
            after = 0


def read_rules(rules: Mapping[str, Any]) -> FinalRules:
    """Return the rules of a final. Raises ArchiveError for what this release does not know."""
    try:
        game = make_game(rules["game"], rules["options"])
        if rules["seats"] not in game.seat_counts:
            raise ArchiveError(
                f"rules.seats is {rules['seats']}: {game.title} cannot be played by so many."
            )
        return FinalRules(
            format=FormatName(rules["format"]),
            game=game.name,
            options=game.options.changed(),
            seats=rules["seats"],
            blocks=rules["blocks"],
            rounds=rules["rounds"],
            score=ScoreRule(rules["score"]),
            time_control=TimeControl(rules["turn_ms"], rules["bank_ms"]),
            groups=rules.get("groups"),
            advance=rules.get("advance"),
        )
    except ArchiveError:
        raise
    except (UserError, ValueError) as error:
        raise ArchiveError(f"rules: {error}") from error


def finalist(number: int, entry: Mapping[str, Any]) -> Finalist:
    """Return an archived entry as a build of the freeze, with `number` as its version's id."""
    entrant = Entrant(entry["bot"], entry["version"], entry["owner"])
    return Finalist(
        Registered(VersionId(number), entrant, house=False),
        None if entry["sha256"] is None else bytes.fromhex(entry["sha256"]),
        "",
        entry["withdrawn"],
    )
