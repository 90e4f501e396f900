"""Benchmark of `arena event verify`: an archive is made in this process, and then recomputed.

A round robin of 20 bots with 53 blocks of two matches of Bluff a pairing, 20,140 matches, as long
as those of bots that raise by little. What the bots choose costs nothing; lots, deals, signatures
and transcripts are those of a final. Verified is the file, by the command in a process of its own;
it stays where `--keep` says.
"""

import secrets
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from arena.match.transcript import Entrant, Transcript
from arena.records import Registered, VersionId
from arena.server.events.event import Event, EventEntry, EventId, Finalist
from arena.server.events.finals.archive import PlayedFinal, signed_event, zipped
from arena.server.events.finals.final import DrawnFinal
from arena.server.tournaments.tournament import TournamentRecord
from arena.signatures import Signer, new_private_key
from benchmarks.options import command
from benchmarks.referee_load.stage import arena
from benchmarks.tables import Table
from benchmarks.verdicts import upper
from tests.server.events.cups import RULES, played, said

TARGET_SECONDS: Final = 600.0
TARGET_MATCHES: Final = 20_000


def main(bots: int = 20, blocks: int = 53, keep: Path | None = None) -> None:
    with TemporaryDirectory() as folder:
        file = keep or Path(folder) / "final.zip"
        began = time.monotonic()
        matches, steps = _write(file, bots, blocks)
        written = time.monotonic()
        arena("event", "verify", file)
        verified = time.monotonic() - written
        figures = {
            "matches": matches,
            "steps a match": steps / matches,
            "played and archived, s": written - began,
            "MB": file.stat().st_size / 1e6,
            "arena event verify, s": verified,
            "ms a match": 1e3 * verified / matches,
            "target, s": upper(TARGET_SECONDS * matches / TARGET_MATCHES, [verified]),
        }
    Table().add(figures)


def _write(file: Path, bots: int, blocks: int) -> tuple[int, int]:
    """Write the archive of a final; return the numbers of its matches and of their steps."""
    now, seed = datetime.now(UTC), secrets.token_bytes(32)
    rules = replace(RULES, options={}, blocks=blocks)
    names = [f"bot-{number:02}" for number in range(1, bots + 1)]
    hashes = [sha256(name.encode()).digest() for name in names]
    finalists = [
        Finalist(
            Registered(VersionId(number), Entrant(name, "1", name), house=False),
            *(hashes[number - 1], "bot.py", False),
        )
        for number, name in enumerate(names, start=1)
    ]
    entries = [
        EventEntry(name, name, name, now, "1", hash_, withdrawn=False)
        for name, hash_ in zip(names, hashes, strict=True)
    ]
    final, signer = DrawnFinal(rules, seed, finalists), Signer(new_private_key())
    record = TournamentRecord(final.tournament("cup", now))
    added = record.tournament.plan.next_pairings(bots, (), frozenset())
    assert added
    record.add_pairings(added)
    written: list[Transcript] = []
    for pairing in sorted(added, key=lambda one: (one.round, one.table)):
        for number in range(1, blocks + 1) if not pairing.is_bye else ():
            made = [played(one, choose=_choose) for one in final.matches(pairing, number)]
            written += [signer.signed(one.transcript) for one in made]
            placings = [one.transcript.result.placing for one in made]
            record.add_blocks([final.counted(pairing, number, placings)])
    record.tournament = final.tournament("cup", now, now)
    event = Event(
        id=EventId(1),
        name="cup",
        terms=said(rules),
        commitment=sha256(seed).digest(),
        entries=bots,
        frozen_at=now,
        began_at=now,
        ended_at=now,
        released_at=now + timedelta(seconds=1),
        cancelled_at=None,
        why_cancelled="",
        seed=seed,
        tournament="cup",
    )
    numbers = {(one.round, one.table): range(1, blocks + 1) for one in added if not one.is_bye}
    signed = signed_event(event, entries, final, PlayedFinal(record, numbers), signer)
    with file.open("wb") as archive:
        archive.writelines(zipped(signed, written))
    return len(written), sum(len(one.steps) for one in written)


def _choose(_bots: Any, _seat: int, _view: Any, choices: list[Any], random: Random) -> Any:
    """Doubt one time in four, where that is allowed; else raise by little."""
    doubts = [one for one in choices if not hasattr(one, "quantity")]
    if doubts and random.random() < 1 / 4:
        return doubts[0]
    bets = [one for one in choices if hasattr(one, "quantity")]
    return random.choice(bets[:4] or doubts)


if __name__ == "__main__":
    command(main)
