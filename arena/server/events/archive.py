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

See `archive_check` for how it is checked.
"""

import json
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from arena.errors import UserError
from arena.match.transcript import Transcript
from arena.match.transcript_json import to_json
from arena.moments import iso_utc
from arena.scheduling.knockout import MOST_EXTRA_BLOCKS
from arena.scheduling.pairings import EntryNumber
from arena.server.events.event import Event, EventEntry, Finalist, FinalRules
from arena.server.events.final import Final as DrawnFinal
from arena.server.events.standings import standings_json
from arena.server.tournaments.tournament import (
    PairingKey,
    TournamentRecord,
)
from arena.signatures import Signer

FORMAT: Final = "arena-event/1"
EVENT: Final = "event.json"
TRANSCRIPTS: Final = "transcripts.jsonl"
SIGNATURE: Final = "event.sig"


class ArchiveError(UserError):
    """The file is no archive, or does not agree with itself; the message names what is wrong."""


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
        "pairings": pairings_json(final, record, blocks),
        "standings": standings_json(record),
    }
    count = 0
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        text = _text(document).encode()
        archive.writestr(EVENT, text)
        archive.writestr(SIGNATURE, signer.sign_document(text).hex())
        with archive.open(TRANSCRIPTS, "w", force_zip64=True) as lines:
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


def pairings_json(
    final: DrawnFinal, record: TournamentRecord, blocks: Mapping[PairingKey, Sequence[int]]
) -> list[dict[str, Any]]:
    """Return the pairings as the archive has them; `blocks` are the numbers of those played."""

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
    of_groups = {"groups": rules.groups, "advance": rules.advance}
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
        **{name: value for name, value in of_groups.items() if value is not None},
    }


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
