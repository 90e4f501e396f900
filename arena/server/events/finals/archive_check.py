"""Checks the archive of an event (see `archive`), without an arena.

It draws the field's lots, the schedule and every deal from the seed, referees every match again,
and computes pairings and standings from them. If the event admitted connected bots, the deals do
not follow from the seed; instead each transcript reveals the secrets of its own deal.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Final

from arena.match.json_text import difference
from arena.match.replay import TranscriptError
from arena.match.transcript import Opening, Transcript
from arena.match.transcript_json import read_json
from arena.match.verify import verify
from arena.scheduling.knockout import MOST_EXTRA_BLOCKS
from arena.scheduling.pairings import EntryNumber, FormatError, Pairing
from arena.server.events.finals.archive import TRANSCRIPTS, ArchiveError, PlayedFinal, pairings_json
from arena.server.events.finals.archive_reading import finalist, opened, read_event, read_rules
from arena.server.events.finals.final import DealtMatch, DrawnFinal
from arena.server.events.finals.standings import standings_json
from arena.server.tournaments.tournament import (
    BlockRecord,
    PairingKey,
    Tournament,
    TournamentRecord,
)
from arena.signatures import check_signature
from arena.validation_errors import json_excerpt, path_text

_LONGEST_LINE: Final = 4 << 20


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking an archive, if it is in order."""

    name: str
    matches: int
    pairings: int
    key: bytes
    commitment: bytes
    """SHA-256 of the seed: compare it with the one published when the event was made."""
    standings: Sequence[Mapping[str, Any]]
    connected: Sequence[str] | None
    """The bots whose programs were not frozen; None if the event admitted only builds."""


Shown = Callable[[int], AbstractContextManager[Callable[[int], object]]]
"""Shows the progress through a number of matches: returns a context that yields a function, which
is called with the number of matches checked since its last call."""


def _unshown(_matches: int) -> AbstractContextManager[Callable[[int], object]]:
    return nullcontext(lambda _checked: None)


def check(
    file: Path,
    key: bytes | None = None,
    commitment: bytes | None = None,
    shown: Shown = _unshown,
) -> Checked:
    """Recompute an archive.

    The signatures must be by `key` and the seed must have this `commitment`, if they are given.
    Raises ArchiveError naming the first difference, and OSError.
    """
    with opened(file) as archive:
        document = read_event(archive)
        if key is not None:
            _agree("key", document["key"], key.hex())
        if commitment is not None and document["commitment"] != commitment.hex():
            raise ArchiveError(f"the event was committed to {document['commitment']}.")
        blocks = sum(len(one["blocks"]) for one in document["pairings"])
        matches = max(1, blocks * int(document["rules"]["seats"]))
        with archive.open(TRANSCRIPTS) as lines, shown(matches) as advance:
            return _Check(document, advance).checked(lines)


class _Check:
    """The check of one archive."""

    def __init__(self, document: Mapping[str, Any], advance: Callable[[int], object]) -> None:
        self._document = document
        self._advance = advance
        self._key = bytes.fromhex(document["key"])
        seed = bytes.fromhex(document["seed"])
        _agree("commitment", document["commitment"], hashlib.sha256(seed).hexdigest())
        finalists = [finalist(number, one) for number, one in enumerate(document["entries"], 1)]
        self._final = DrawnFinal(read_rules(document["rules"]), seed, finalists)
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
        self._connected = bool(document.get("connected"))
        self._match_ids = self._match_ids_of(document["pairings"])
        self._blocks: dict[PairingKey, list[BlockRecord]] = {}
        self._matches = 0

    def checked(self, lines: IO[bytes]) -> Checked:
        """Check the matches in `lines`, and return the result. Raises ArchiveError."""
        self._read_matches(lines)
        record = self._fold()
        document = self._document
        played = PlayedFinal(record, self._played, self._match_ids)
        _agree("pairings", document["pairings"], pairings_json(self._final, played))
        _agree("standings", document["standings"], standings_json(record))
        return Checked(
            document["name"],
            self._matches,
            len(record.pairings),
            self._key,
            bytes.fromhex(document["commitment"]),
            document["standings"],
            [one["bot"] for one in document["entries"] if one["sha256"] is None]
            if self._connected
            else None,
        )

    def _match_ids_of(
        self, pairings: Sequence[Mapping[str, Any]]
    ) -> Mapping[PairingKey, Sequence[str]] | None:
        """Return the ids of the matches by pairing; None if they follow from the seed.

        Raises ArchiveError.
        """
        entries = self._document["entries"]
        if not self._connected:
            if any("matches" in one for one in pairings):
                raise ArchiveError("pairings: matches are named, though no bot may connect.")
            if any(one["sha256"] is None for one in entries):
                raise ArchiveError("entries: a build has no hash, though no bot may connect.")
            return None
        seats, named = self._final.rules.seats, set[str]()
        for one in pairings:
            ids = one.get("matches") or []
            if len(ids) != seats * len(one["blocks"]) or len({*ids} - named) != len(ids):
                raise ArchiveError(
                    f"pairings: round {one['round']}, table {one['table']} does not name each of "
                    "its matches once."
                )
            named.update(ids)
        return {(one["round"], one["table"]): one.get("matches") or [] for one in pairings}

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
                    self._refereed(dealt, ahead.take()) for dealt in self._dealt(pairing, number)
                ]
                counted = self._final.counted(pairing, number, placings)
                self._blocks.setdefault(key, []).append(counted)
        if ahead.match_id is not None:
            raise ArchiveError(f"Match {ahead.match_id} is none of this final, or out of order.")

    def _dealt(self, pairing: Pairing, number: int) -> Sequence[DealtMatch]:
        """Return the matches of a block as they should have been dealt."""
        dealt = self._final.matches(pairing, number)
        if self._match_ids is None:
            return dealt
        # A pairing lists the ids of its matches in the order of its blocks.
        at = self._played[pairing.round, pairing.table].index(number) * len(dealt)
        ids = self._match_ids[pairing.round, pairing.table][at : at + len(dealt)]
        return [
            replace(one, setup=replace(one.setup, match_id=match_id, deal_id=""))
            for one, match_id in zip(dealt, ids, strict=True)
        ]

    def _refereed(self, dealt: DealtMatch, transcript: Transcript | None) -> Sequence[int]:
        if transcript is None:
            raise ArchiveError(f"Match {dealt.setup.match_id} is missing.")
        which = f"Match {dealt.setup.match_id}"
        if transcript.setup != dealt.setup:
            raise ArchiveError(f"{which} has the wrong terms, or is the wrong match.")
        fixed = Opening(dealt.secret, dealt.entropies)
        if self._match_ids is None and transcript.opening != fixed:
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
            # Withdrawn bots took part until their last round.
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
    """Reads transcripts from lines, one ahead of `take`."""

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
            raise ArchiveError(f"{TRANSCRIPTS}, line {self._number}: {error}.") from error


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
    """Raise ArchiveError, naming the first difference, unless a member has the expected value."""
    differs = difference(found, expected)
    if differs is not None:
        path, told, computed = differs
        where = path_text((member, *path))
        said = "nothing" if told is None else json_excerpt(told[0])
        due = "nothing" if computed is None else json_excerpt(computed[0])
        raise ArchiveError(f"{where} is {said}, but it is recomputed as {due}.")
