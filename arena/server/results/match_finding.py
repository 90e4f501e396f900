"""The search for matches by filters and orders, including by boldest bluff."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from arena.database.errors import TranscriptDamagedError, TranscriptNotKeptError
from arena.database.reading import Read
from arena.database.rows import MatchRow, match_row
from arena.match.match_id import is_match_id
from arena.moments import in_utc
from arena.server.results import statements
from arena.server.results.match_search import MatchFilter, found_matches, transcripts_of_matches
from arena.server.results.match_sort import Sort

if TYPE_CHECKING:
    from arena.match.transcript import Transcript
    from arena.server.results.bluffing import Bluffing

REPLAYED: Final = 200
"""The number of newest matches that fit, among which the boldest bluffs are searched."""
READ_TOGETHER: Final = 100
"""The transcripts that one statement reads."""
MOST_KEPT: Final = 4_000
"""The most matches whose bluffs are remembered: about four kilobytes each."""


class Bluffs:
    """The bluffs of matches, each transcript read once. Safe to share among threads."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._lock = Lock()
        self._known: OrderedDict[str, Bluffing] = OrderedDict()

    def of(self, match_ids: Collection[str]) -> "Mapping[str, Bluffing]":
        """Return the bluffs of these matches, in their order, without those that cannot be read."""
        # Imported here: a list of matches in another order needs no games.
        from arena.database.transcripts import unpack
        from arena.server.results.bluffing import bluffing_of

        with self._lock:
            missing = [one for one in match_ids if one not in self._known]
        added = {}
        for row in self._read(transcripts_of_matches(missing)) if missing else ():
            try:
                transcript = unpack(row)
            except TranscriptDamagedError:
                continue
            added[str(row.match_id)] = bluffing_of(transcript)
        with self._lock:
            self._known.update(added)
            found = {}
            for one in match_ids:
                if one in self._known:
                    self._known.move_to_end(one)
                    found[one] = self._known[one]
            while len(self._known) > MOST_KEPT:
                self._known.popitem(last=False)
        return found


def match_named(read: Read, match_id: str) -> MatchRow | None:
    """Return one match; None if there is none with that id."""
    rows = read(statements.match_by_id(match_id)) if is_match_id(match_id.lower()) else ()
    return match_row(rows[0]._mapping) if rows else None


def transcripts_named(read: Read, match_ids: Iterable[str]) -> "Iterator[Transcript]":
    """Yield the transcripts of these matches, in their order, read some at a time.

    Raises TranscriptNotKeptError if one is missing, and TranscriptDamagedError.
    """
    from arena.database.transcripts import unpack  # a list of matches needs no games

    left = iter(match_ids)
    while some := list(islice(left, READ_TOGETHER)):
        found = {str(row.match_id): unpack(row) for row in read(transcripts_of_matches(some))}
        for match_id in some:
            if match_id not in found:
                raise TranscriptNotKeptError(f"The transcript of match {match_id} is missing.")
            yield found[match_id]


def transcript_named(read: Read, match_id: str) -> "Transcript | None":
    """Return the transcript of a match; None if there is none with that id.

    Raises TranscriptDamagedError, and TranscriptNotKeptError if it was removed.
    """
    from arena.database.transcripts import unpack  # a list of matches needs no games

    row = stored_transcript(read, match_id)
    return None if row is None else unpack(row)


def stored_transcript(read: Read, match_id: str) -> Any | None:
    """Return the transcript of a match as a row to unpack; None if there is none with that id.

    Raises TranscriptNotKeptError if it was removed.
    """
    if not is_match_id(match_id.lower()):
        return None
    for row in read(transcripts_of_matches([match_id])):
        return row
    for removal in read(statements.removal_of_transcript(match_id)):
        raise TranscriptNotKeptError(
            f"The transcript of match {match_id} is no longer kept: the arena removed it at "
            f"{in_utc(removal.at)}, as the operator's policy requires. The result stays."
        )
    return None


def find(
    read: Read,
    bluffs: Bluffs,
    wanted: MatchFilter,
    *,
    sort: Sort = Sort.NEWEST,
    before: str | None = None,
    limit: int,
) -> list[MatchRow]:
    """Return the newest matches that fit, or the closest or boldest among the newest that fit.

    The result is empty if `before` is an unknown match.
    """
    if before is not None and not is_match_id(before.lower()):
        return []
    if sort is not Sort.BOLDEST:
        closest = sort is Sort.CLOSEST
        rows = read(found_matches(wanted, closest=closest, before=before, limit=limit))
        return [match_row(row._mapping) for row in rows]
    rows = read(found_matches(wanted, before=before, limit=REPLAYED))
    newest = [match_row(row._mapping) for row in rows]
    known = bluffs.of([row.match_id for row in newest])

    def boldness(row: MatchRow) -> int:
        bluffing = known.get(row.match_id)
        return bluffing.boldest.off if bluffing is not None and bluffing.boldest else 0

    bold = [row for row in newest if boldness(row)]
    return sorted(bold, key=boldness, reverse=True)[:limit]
