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
    connected       true if the event admitted connected bots; else it is missing
    entries         the builds of the freeze: bot, version, owner, team, sha256 (null for a
                    connected bot, whose program was not frozen), withdrawn
    pairings        round, table, the bots that met, those that did not start (`absent`), and the
                    numbers of the blocks that were played; with `connected` also the ids of their
                    `matches`, in order, which do not follow from the seed
    standings       see `arena.server.events.finals.standings`

See `archive_check` for how it is checked.
"""

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from arena.errors import UserError
from arena.match.transcript import Transcript
from arena.match.transcript_json import to_json
from arena.moments import iso_utc
from arena.scheduling.pairings import EntryNumber
from arena.server.events.event import Event, EventEntry, FinalRules, SignedEvent
from arena.server.events.finals.final import DrawnFinal
from arena.server.events.finals.standings import standings_json
from arena.server.tournaments.tournament import PairingKey, TournamentRecord
from arena.signatures import Signer

FORMAT: Final = "arena-event/1"
EVENT: Final = "event.json"
TRANSCRIPTS: Final = "transcripts.jsonl"
SIGNATURE: Final = "event.sig"
PART_BYTES: Final = 256 << 10
"""The least size of the parts in which `zipped` yields an archive, except for the last."""


class ArchiveError(UserError):
    """The file is not a valid archive, or is inconsistent; the message names what is wrong."""


@dataclass(frozen=True, slots=True)
class PlayedFinal:
    """What was played of a final."""

    record: TournamentRecord
    """The record of the final as a tournament."""
    blocks: Mapping[PairingKey, Sequence[int]]
    """The numbers of the blocks that were played, by pairing."""
    matches: Mapping[PairingKey, Sequence[str]] | None = None
    """The ids of their matches; None without connected bots, when they follow from the seed."""


def signed_event(
    event: Event,
    entries: Sequence[EventEntry],
    final: DrawnFinal,
    played: "PlayedFinal",
    signer: Signer,
) -> SignedEvent:
    """Return the signed event.json of a released event."""
    assert event.seed is not None
    document = {
        "format": FORMAT,
        "name": event.name,
        "title": event.terms.title,
        "text": event.terms.text,
        "rules": _rules(event.terms.rules),
        "dates": _dates(event),
        "commitment": event.commitment.hex(),
        "seed": event.seed.hex(),
        "key": signer.public_key.hex(),
        **({"connected": True} if event.terms.connected else {}),
        "entries": _entries(final, entries),
        "pairings": pairings_json(final, played),
        "standings": standings_json(played.record),
    }
    text = _text(document).encode()
    return SignedEvent(text, signer.sign_document(text))


def zipped(
    event: SignedEvent, transcripts: Iterable[Transcript], part_bytes: int = PART_BYTES
) -> Iterator[bytes]:
    """Yield the archive of an event in parts; `transcripts` are by round, table, block and match.

    The archive is never held in memory as a whole.
    """
    parts = _Parts()
    with zipfile.ZipFile(parts, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(EVENT, event.text)
        archive.writestr(SIGNATURE, event.signature.hex())
        with archive.open(TRANSCRIPTS, "w", force_zip64=True) as lines:
            for transcript in transcripts:
                lines.write(line_of(transcript))
                if parts.size > part_bytes:
                    yield parts.taken()
    yield parts.taken()


def line_of(transcript: Transcript) -> bytes:
    """Return the line of a transcript."""
    line = json.dumps(to_json(transcript), separators=(",", ":"), ensure_ascii=False)
    return line.encode() + b"\n"


class _Parts(io.RawIOBase):
    """Buffers what is written until it is taken; `ZipFile` needs no other methods of a file."""

    def __init__(self) -> None:
        self.size = 0
        self._written: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        written = bytes(data)
        self._written.append(written)
        self.size += len(written)
        return len(written)

    def taken(self) -> bytes:
        """Return what was written since the last call."""
        found = b"".join(self._written)
        self._written.clear()
        self.size = 0
        return found


def _entries(final: DrawnFinal, entries: Sequence[EventEntry]) -> list[dict[str, Any]]:
    """Return the builds of the freeze, in the order of their lots."""
    teams = {one.bot: one.team for one in entries}
    return [
        {
            "bot": one.registered.entrant.bot,
            "version": one.registered.entrant.version,
            "owner": one.registered.entrant.owner,
            "team": teams[one.registered.entrant.bot],
            "sha256": None if one.sha256 is None else one.sha256.hex(),
            "withdrawn": one.withdrawn,
        }
        for one in final.finalists
    ]


def pairings_json(final: DrawnFinal, played: PlayedFinal) -> list[dict[str, Any]]:
    """Return the pairings as the archive has them."""

    def names(numbers: Iterable[EntryNumber]) -> list[str]:
        return [final.finalists[number - 1].registered.entrant.bot for number in numbers]

    return [
        {
            "round": pairing.round,
            "table": pairing.table,
            "bots": names(pairing.entries),
            "absent": names(sorted(played.record.forfeits.get(key, ()))),
            "blocks": list(played.blocks.get(key, ())),
            **({} if played.matches is None else {"matches": list(played.matches.get(key, ()))}),
        }
        for key, pairing in sorted(played.record.pairings.items())
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
    dates = event.terms.dates
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
