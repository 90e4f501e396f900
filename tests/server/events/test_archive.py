"""An archive can be recomputed, and whatever is changed in it is named."""

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from arena.database.reading import open_reader
from arena.match.transcript import Transcript
from arena.server.app.store import Store
from arena.server.events import archive
from arena.server.events.archive import ArchiveError
from arena.server.results.match_finding import transcript_named
from tests.server.events.cups import entrant, let_pass, played_out, queued, said

Document = dict[str, Any]


@pytest.fixture
async def file(store: Store, database: str, sql: "psycopg.Connection[Any]", tmp_path: Path) -> Path:
    """The archive of a final of four, one of whom did not start against the first that it met."""
    await store.events.create("cup", said(), "me")
    for name in ("ann", "bob", "eve", "dan"):
        await entrant(store, database, "cup", name)
    let_pass(sql, "cup", 2.1)
    await store.finals.keep(store.record)
    event, _ = await store.events.named("cup")
    block = queued(sql)[0]
    await store.finals.absent(block, [0], "It did not start.")
    await played_out(store, sql, event)
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    event, _ = await store.events.named("cup")
    assert event.tournament is not None
    record = await store.tournaments.record(await store.tournaments.named(event.tournament))
    final = archive.drawn(event, await store.finals.finalists(event))
    entries = await store.events.entries(event)
    key = (await store.signer()).public_key
    made = tmp_path / "cup.zip"
    with open_reader(database) as read:

        def find(match_id: str) -> Transcript | None:
            return transcript_named(read, match_id)

        matches = archive.recorded_matches(final, record, find)
        assert archive.write(made, event, entries, final, record, matches, key) == 20
    return made


def test_it_is_recomputed_from_the_seed_and_the_builds(file: Path) -> None:
    told: list[int] = []
    found = archive.check(file, advance=told.append)
    assert (found.matches, found.pairings, found.name) == (20, 6, "cup")
    assert sum(told) == 20
    assert found.standings[0]["place"] == 1
    assert sum(line["points"] for line in found.standings) == 12
    assert archive.expected_matches(file) == 24


def test_it_is_bound_to_the_key_that_is_asked_for(file: Path) -> None:
    key = archive.check(file).key
    archive.check(file, key)
    with pytest.raises(ArchiveError, match=r"^key is "):
        archive.check(file, bytes(32))


def changed(
    file: Path,
    event: Callable[[Document], None] = lambda _document: None,
    lines: Callable[[list[bytes]], list[bytes]] = lambda lines: lines,
) -> Path:
    """A copy of the archive with changes."""
    with zipfile.ZipFile(file) as old:
        document = json.loads(old.read("event.json"))
        transcripts = old.read("transcripts.jsonl").splitlines(keepends=True)
    event(document)
    other = file.with_name("changed.zip")
    with zipfile.ZipFile(other, "w") as new:
        new.writestr("event.json", json.dumps(document))
        new.writestr("transcripts.jsonl", b"".join(lines(transcripts)))
    return other


def _another_seed(document: Document) -> None:
    document["seed"] = "00" * 32
    document["commitment"] = hashlib.sha256(bytes(32)).hexdigest()


CHANGED_EVENTS: list[tuple[Callable[[Document], Any], str]] = [
    (lambda d: d.update(seed="00" * 32), "^commitment is .* recomputed as"),
    (_another_seed, "^entries|out of order|none of this final"),
    (lambda d: d["entries"][0].update(sha256="11" * 32), "entries|none of this final"),
    (lambda d: d["entries"].reverse(), r"^entries\[0\]"),
    (lambda d: d["entries"][0].update(bot="another"), "entries"),
    (lambda d: d["entries"].pop(), "entries"),
    (lambda d: d["standings"].reverse(), r"^standings\[0\]"),
    (lambda d: d["standings"][0].update(points=99.0), r"^standings\[0\]\.points is 99\.0"),
    (lambda d: d["standings"][1].update(place=7), r"^standings\[1\]\.place is 7"),
    (lambda d: d["pairings"].pop(), "none of this final|out of order|Matches are missing"),
    (lambda d: d["pairings"][3]["bots"].reverse(), "another match, than it should"),
    (lambda d: d["rules"].update(blocks=1), "none of this final|blocks instead of"),
    (lambda d: d["rules"].update(blocks=3), "blocks instead of|Matches are missing"),
    (lambda d: d["rules"].update(game="chess"), "^rules: "),
    (lambda d: d["rules"]["options"].update(dice_per_player=3), "other terms"),
    (lambda d: d.update(key="00" * 32), "verification failed: signature.key"),
    (lambda d: d.update(format="arena-event/2"), "^event.json: format"),
    (lambda d: d.update(more=1), "^event.json: more: there is no such member"),
    (lambda d: d["dates"].update(began="soon"), "dates.began: "),
]


def test_a_change_of_the_event_is_named(file: Path) -> None:
    for change, why in CHANGED_EVENTS:
        with pytest.raises(ArchiveError, match=why):
            archive.check(changed(file, event=change))


def _other_result(lines: list[bytes]) -> list[bytes]:
    document = json.loads(lines[0])
    document["result"]["placings"].reverse()
    return [json.dumps(document).encode() + b"\n", *lines[1:]]


CHANGED_MATCHES: list[tuple[Callable[[list[bytes]], list[bytes]], str]] = [
    (lambda lines: lines[1:], "none of this final|is missing|out of order"),
    (lambda lines: lines[:-1], "is missing"),
    (lambda lines: lines[:-2], "blocks instead of|Matches are missing"),
    (lambda lines: [*lines, lines[0]], "out of order"),
    (lambda lines: [lines[1], lines[0], *lines[2:]], "out of order|another match"),
    (lambda lines: [lines[0], lines[0], *lines[2:]], "another match"),
    (_other_result, "verification failed"),
    (lambda lines: [b"{}\n", *lines[1:]], "line 1: "),
    (lambda lines: [lines[0][:-20] + b"\n", *lines[1:]], "line 1: "),
]


def test_a_change_of_the_matches_is_named(file: Path) -> None:
    for change, why in CHANGED_MATCHES:
        with pytest.raises(ArchiveError, match=why):
            archive.check(changed(file, lines=change))


def test_whoever_did_not_start_must_have_been_named(file: Path) -> None:
    def named(document: Document) -> None:
        (one,) = [pairing for pairing in document["pairings"] if pairing["absent"]]
        one["absent"] = []

    with pytest.raises(ArchiveError, match=r"Matches are missing|blocks instead of"):
        archive.check(changed(file, event=named))


@pytest.mark.parametrize("content", [b"", b"PK", b"no archive at all"])
def test_another_file_is_no_archive(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    with pytest.raises(ArchiveError, match="is no archive of an event"):
        archive.check(file)


def test_a_zip_without_an_event_is_no_archive(tmp_path: Path) -> None:
    file = tmp_path / "file.zip"
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("other", "")
    with pytest.raises(ArchiveError, match="is no archive of an event"):
        archive.check(file)
