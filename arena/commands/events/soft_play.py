"""Collects what decisions cost in the matches of a field; for `arena event similar`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from arena.codec.transcript import from_bytes
from arena.commands.jobs_option import workers_of
from arena.commands.progress import with_progress
from arena.commands.terminal import say
from arena.database.transcripts import Packed, unpack_message
from arena.games import make_game
from arena.lab.analysis import SeatLoss, decisions, has_values, kept_form, seat_losses, soft_play
from arena.server.events.event import Event, Finalist
from arena.server.events.finals import final_statements
from arena.server.events.similarity import loss_statements
from arena.server.events.similarity.report import LeftOut, SoftPlay
from arena.server.results.analyses import unpacked
from arena.server.results.kept_analyses import edition

if TYPE_CHECKING:
    from arena.server.app.store import Store

MOST_KEPT: Final = 20_000
"""The most kept analyses that are read, newest first."""
TABLES_SECONDS, SEARCH_SECONDS = 0.02, 0.6
"""How long the analysis of a match takes at two seats, and at more (docs/analysis.md)."""


@dataclass(frozen=True, slots=True)
class Played:
    """The matches of a field."""

    kept: Mapping[str, list[SeatLoss]]
    """The decisions whose analyses are kept, by match."""
    unknown: Sequence[tuple[str, bytes]]
    """The other matches of the final: the block and the transcript."""
    of_final: int


async def played(store: "Store", event: Event, finalists: Sequence[Finalist]) -> Played | LeftOut:
    """Read the matches of an event's final and the analysed ones of the ladder."""
    rules = event.terms.rules
    game = make_game(rules.game, rules.options)
    if not has_values(game):
        return LeftOut(
            f"What decisions cost is known for Bluff without its extension alone, not for "
            f"{game.title} with these options."
        )
    frozen = {one.registered.version_id for one in finalists}
    kept = {}
    for row in await store.rows(loss_statements.kept_of_field(event.id, edition(), MOST_KEPT)):
        seated = zip(row["bots"], row["labels"], row["version_ids"], strict=True)
        # A version that is not the frozen one counts as another bot.
        names = [bot if version in frozen else f"{bot} {label}" for bot, label, version in seated]
        found = kept_form.from_json(unpacked(row["data"]), game.notation)
        kept[row["match_id"]] = seat_losses(row["block_id"], names, found)
    # The final's matches: those of the blocks as it is played, and those of the published result.
    final: dict[str, tuple[str, bytes]] = {}
    blocks = final_statements.blocks_of(event.id, "match_ids", "transcripts")
    for row in await store.rows(blocks):
        block = f"final {row['round']} {row['table']} {row['number']}"
        messages = (bytes(message) for message in row["transcripts"])
        for match_id, message in zip(row["match_ids"], messages, strict=True):
            final[match_id] = block, message
    if event.tournament is not None:
        for row in await store.rows(loss_statements.matches_of(event.tournament)):
            packed = Packed(row["format"], row["sha256"], row["data"])
            final.setdefault(row["match_id"], (row["block_id"], unpack_message(packed)))
    unknown = [match for match_id, match in final.items() if match_id not in kept]
    return Played(kept, unknown, len(final))


def examined(found: Played | LeftOut, bots: Sequence[str], jobs: int) -> SoftPlay | LeftOut:
    """Analyse what is not analysed yet, and compare what decisions cost."""
    if isinstance(found, LeftOut):
        return found
    seats = [seat for match in found.kept.values() for seat in match]
    seats += _analysed(found.unknown, jobs)
    matches = len(found.kept) + len(found.unknown)
    if not matches:
        return LeftOut("No match of these builds is played and analysed yet.")
    return SoftPlay(matches, found.of_final, soft_play(seats, bots))


def _analysed(unknown: Sequence[tuple[str, bytes]], jobs: int) -> Iterator[SeatLoss]:
    if not unknown:
        return
    seats = len(from_bytes(unknown[0][1]).setup.entrants)
    seconds = len(unknown) * (TABLES_SECONDS if seats == 2 else SEARCH_SECONDS) / jobs
    say(f"Analysing {len(unknown):,} matches of the final: about {seconds:,.0f} s.", err=True)
    with workers_of(jobs, None) as workers:
        parts = workers.executor.map(losses_of, unknown, chunksize=20)
        for part in with_progress(parts, len(unknown), "analysis"):
            yield from part


def losses_of(match: tuple[str, bytes]) -> list[SeatLoss]:
    """Return what decisions cost in a match, given by its block and its transcript."""
    block, message = match
    transcript = from_bytes(message)
    names = [entrant.bot for entrant in transcript.setup.entrants]
    return seat_losses(block, names, tuple(decisions(transcript)))
