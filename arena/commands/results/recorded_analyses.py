"""Analyses of matches in the database, for commands.

Saved analyses are read; others are computed, and saved if the database user may write.
"""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from arena.commands.database import reading
from arena.commands.errors import CommandError
from arena.commands.known_bots import require_bot
from arena.database.reading import Reader
from arena.database.rows import match_row
from arena.database.transcripts import unpack
from arena.lab.analysis import (
    ANALYSED_GAMES,
    AnalysedDecision,
    MatchAnalysis,
    SeatAnalysis,
    SolvedShares,
    analysis_of,
    by_seat,
    decisions,
    kept_shares,
    solved_shares_of,
)
from arena.match.replay import TranscriptError
from arena.match.transcript import Transcript
from arena.server.accounts import bot_statements
from arena.server.app.store import open_store
from arena.server.results.analyses import FoundAnalysis
from arena.server.results.kept_analyses import edition, kept_decisions, to_keep
from arena.server.results.match_search import MatchFilter, found_matches, transcripts_of_matches

_AT_A_TIME = 50
"""The number of matches computed before they are saved; seconds of work with the tables."""


def recorded_analysis(match_id: str, *, all_values: bool) -> MatchAnalysis:
    """Return the analysis of a match.

    With `all_values` it is computed even if it is saved, because a saved analysis has the values
    of only two actions. Raises CommandError and StorageError.
    """
    match_id = match_id.lower()
    with _database() as database:
        transcript = database.transcripts([match_id]).get(match_id)
        if transcript is None:
            raise CommandError(f"There is no match {match_id}: see `arena matches`.")
        kept = {} if all_values else kept_decisions(database.read, [match_id])
        found = kept.get(match_id) or database.computed({match_id: transcript})[match_id]
        return analysis_of(transcript, found)


def newest_seats(bot: str, limit: int) -> list[SeatAnalysis]:
    """Return the seats of a bot in its newest matches, newest first.

    Raises CommandError and StorageError.
    """
    with _database() as database:
        bot = database.name_of(bot)
        rows = database.read(found_matches(MatchFilter(bot=bot), limit=limit))
        matches = [match_row(row._mapping) for row in rows]
        found = dict(kept_decisions(database.read, [one.match_id for one in matches]))
        missing = [one.match_id for one in matches if one.match_id not in found]
        for at in range(0, len(missing), _AT_A_TIME):
            found |= database.computed(database.transcripts(missing[at : at + _AT_A_TIME]))
        return [
            seat
            for one in matches
            if one.match_id in found
            for taken, seat in zip(
                one.seats, by_seat(found[one.match_id], len(one.seats)), strict=True
            )
            if taken.bot == bot
        ]


def newest_shares(bot: str, limit: int) -> Iterator[tuple[Transcript, Mapping[int, SolvedShares]]]:
    """Yield a bot's newest matches, newest first, with solved play's bluffs and doubts by step.

    Reads the saved analyses; looks up the others in the tables, and does not save them.

    Raises CommandError and StorageError.
    """
    with _database() as database:
        bot = database.name_of(bot)
        rows = database.read(found_matches(MatchFilter(bot=bot), limit=limit))
        ids = [match_row(row._mapping).match_id for row in rows]
        for at in range(0, len(ids), _AT_A_TIME):
            some = ids[at : at + _AT_A_TIME]
            kept = kept_decisions(database.read, some)
            transcripts = database.transcripts(some)
            for match_id in filter(transcripts.__contains__, some):
                found = transcripts[match_id]
                known = kept.get(match_id)
                yield found, solved_shares_of(found) if known is None else kept_shares(known)


@contextmanager
def _database() -> Iterator["_Database"]:
    with reading() as (read, url):
        yield _Database(url, read)


@dataclass(frozen=True)
class _Database:
    """The database of the settings, for reading analyses and saving new ones."""

    url: str
    read: Reader

    def name_of(self, bot: str) -> str:
        """Return the registered name of a bot from its name in any case. Raises CommandError."""
        require_bot(self.read, bot)
        (row,) = self.read(bot_statements.bot_named(bot))
        name: str = row.name
        return name

    def transcripts(self, match_ids: Collection[str]) -> dict[str, Transcript]:
        """Return the transcripts of matches by id."""
        return {
            str(row.match_id): unpack(row) for row in self.read(transcripts_of_matches(match_ids))
        }

    def computed(
        self, transcripts: Mapping[str, Transcript]
    ) -> dict[str, tuple[AnalysedDecision, ...]]:
        """Return the decisions of these matches, and save them if possible."""
        found = {match_id: _decisions(match_id, one) for match_id, one in transcripts.items()}
        new = [
            to_keep(match_id, one, found[match_id])
            for match_id, one in transcripts.items()
            if one.setup.game in ANALYSED_GAMES
        ]
        if new:
            asyncio.run(_keep(self.url, new))
        return found


def _decisions(match_id: str, transcript: Transcript) -> tuple[AnalysedDecision, ...]:
    """Return the analysed decisions of a transcript. Raises CommandError."""
    try:
        return tuple(decisions(transcript))
    except TranscriptError as error:
        raise CommandError(f"{match_id} cannot be replayed: {error}.") from error


async def _keep(url: str, new: Sequence[FoundAnalysis]) -> None:
    async with open_store(url) as store:
        await store.analyses.add(edition(), new)
