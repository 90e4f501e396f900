"""An archive can be recomputed, and whatever is changed in it is named."""

import asyncio
import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from arena.database.reading import open_reader
from arena.match.transcript import Transcript
from arena.match.transcript_json import to_json
from arena.records import VersionId
from arena.scheduling.formats import FormatName
from arena.scheduling.pairings import Pairing
from arena.server.app.store import Store, open_store
from arena.server.events.event import FinalRules, SignedEvent
from arena.server.events.finals import archive, archive_check, archive_reading
from arena.server.events.finals.archive import ArchiveError
from arena.server.events.finals.final import DrawnFinal
from arena.server.results.match_finding import transcripts_named
from arena.signatures import Signer
from tests.databases import TEMPLATE, Copies, plain
from tests.recorded_results import finished
from tests.server.events.cups import (
    RULES,
    entrant,
    let_pass,
    played,
    played_out,
    queued,
    said,
)

Document = dict[str, Any]


@dataclass(frozen=True)
class Archived:
    """The archive of an event, and who signs it."""

    file: Path
    final: DrawnFinal
    signer: Signer

    def changed(
        self,
        event: Callable[[Document], object] = lambda _document: None,
        lines: Callable[[list[bytes]], list[bytes]] = lambda lines: lines,
        *,
        signed: bool = True,
    ) -> Path:
        """A copy with changes: the arena lies, unless the event is not signed again."""
        with zipfile.ZipFile(self.file) as old:
            document = json.loads(old.read("event.json"))
            signature = old.read("event.sig").decode()
            transcripts = old.read("transcripts.jsonl").splitlines(keepends=True)
        event(document)
        text = json.dumps(document).encode()
        other = self.file.with_name("changed.zip")
        with zipfile.ZipFile(other, "w") as new:
            new.writestr("event.json", text)
            new.writestr(
                "event.sig", self.signer.sign_document(text).hex() if signed else signature
            )
            new.writestr("transcripts.jsonl", b"".join(lines(transcripts)))
        return other


async def archived(store: Store, database: str, name: str, made: Path) -> Archived:
    """The archive of a released event."""
    event, _ = await store.events.named(name)
    assert event.seed is not None
    final = DrawnFinal(event.terms.rules, event.seed, await store.finals.finalists(event))
    signed = await store.archives.signed(event)
    assert signed is not None
    write(database, signed, made)
    return Archived(made, final, await store.signer())


def write(database: str, signed: SignedEvent, made: Path) -> None:
    ids = archive_reading.match_ids(archive_reading.stored_event(signed.text))
    with open_reader(database) as read:
        made.write_bytes(b"".join(archive.zipped(signed, transcripts_named(read, ids))))


@pytest.fixture(scope="module")
def made(copies: Copies, tmp_path_factory: pytest.TempPathFactory) -> Archived:
    """The archive of a final of four, one of whom did not start against the first that it met."""
    with copies.of(TEMPLATE) as database:
        return asyncio.run(_made(database, tmp_path_factory.mktemp("archive") / "cup.zip"))


async def _made(database: str, file: Path) -> Archived:
    async with open_store(database) as store:
        with psycopg.connect(plain(database), autocommit=True) as sql:
            await store.events.create("cup", said(), "me")
            for name in ("ann", "bob", "eve", "dan"):
                await entrant(store, database, "cup", name)
            let_pass(sql, "cup", 2.1)
            await store.finals.keep(store.record)
            event, _ = await store.events.named("cup")
            await store.finals.absent(queued(sql)[0], [0], "It did not start.")
            await played_out(store, sql, event)
            let_pass(sql, "cup", 1)
            await store.finals.keep(store.record)
        return await archived(store, database, "cup", file)


def test_it_is_recomputed_from_the_seed_and_the_builds(made: Archived) -> None:
    told: list[int] = []
    totals: list[int] = []

    def shown(total: int) -> AbstractContextManager[Callable[[int], object]]:
        totals.append(total)
        return nullcontext(told.append)

    found = archive_check.check(made.file, shown=shown)
    assert (found.matches, found.pairings, found.name) == (20, 6, "cup")
    assert sum(told) == 20
    assert found.standings[0]["place"] == 1
    assert sum(line["points"] for line in found.standings) == 12
    assert totals == [20]
    archive_check.check(made.changed())


def test_it_is_bound_to_the_key_that_is_asked_for(made: Archived) -> None:
    key = archive_check.check(made.file).key
    archive_check.check(made.file, key)
    with pytest.raises(ArchiveError, match=r"^key is "):
        archive_check.check(made.file, bytes(32))


def test_its_matches_are_named_in_order_from_any_of_them_on(made: Archived) -> None:
    with zipfile.ZipFile(made.file) as archive_:
        document = archive_reading.stored_event(archive_.read("event.json").decode())
        lines = archive_.read("transcripts.jsonl").splitlines()
    ids = [json.loads(line)["match_id"] for line in lines]
    for after in range(len(ids) + 1):
        assert list(archive_reading.match_ids(document, after)) == ids[after:]


def test_it_is_bound_to_the_commitment_that_is_asked_for_before_a_match_is_refereed(
    made: Archived,
) -> None:
    commitment = archive_check.check(made.file).commitment
    archive_check.check(made.file, commitment=commitment)
    spoilt = made.changed(lines=lambda _lines: [])
    with pytest.raises(ArchiveError, match=f"^the event was committed to {commitment.hex()}"):
        archive_check.check(spoilt, commitment=bytes(32))


def test_it_is_never_held_as_a_whole() -> None:
    taken: list[int] = []

    def transcripts() -> Iterator[Transcript]:
        for number in range(1_000):
            taken.append(number)
            yield finished((VersionId(1), VersionId(2))).transcript

    parts = archive.zipped(SignedEvent(b"{}", b"signature"), transcripts(), part_bytes=2_000)
    assert len(next(parts)) > 2_000
    assert len(taken) < 1_000
    assert all(parts)


def test_nobody_else_can_change_a_word(made: Archived) -> None:
    other = made.changed(lambda document: document.update(title="Another"), signed=False)
    with pytest.raises(ArchiveError, match=r"event\.json is not signed by the key"):
        archive_check.check(other)


OTHERS = "or is the wrong match|is missing|none of this final, or out of order"
"""The next match is not that which is due; which it is depends on the lots."""


def _another_seed(document: Document) -> None:
    document["seed"] = "00" * 32
    document["commitment"] = hashlib.sha256(bytes(32)).hexdigest()


def _whole(document: Document) -> Document:
    """The last pairing of which all blocks were played."""
    whole: Document = [one for one in document["pairings"] if not one["absent"]][-1]
    return whole


CHANGED_EVENTS: list[tuple[Callable[[Document], Any], str]] = [
    (lambda d: d.update(seed="00" * 32), "^commitment is .* recomputed as"),
    (_another_seed, f"entries|{OTHERS}"),
    (lambda d: d["entries"][0].update(sha256="11" * 32), f"entries|{OTHERS}"),
    (lambda d: d["entries"].reverse(), r"^entries\[0\]"),
    (lambda d: d["entries"][0].update(bot="another"), "entries"),
    (lambda d: d["entries"].pop(), "entries"),
    (lambda d: d["standings"].reverse(), r"^standings\[0\]"),
    (lambda d: d["standings"][0].update(points=99.0), r"^standings\[0\]\.points is 99\.0"),
    (lambda d: d["standings"][1].update(place=7), r"^standings\[1\]\.place is 7"),
    (lambda d: d["pairings"].pop(), OTHERS),
    (lambda d: d["pairings"][3]["bots"].reverse(), OTHERS),
    (lambda d: d["rules"].update(blocks=1), "has 2 blocks instead of 1"),
    (lambda d: d["rules"].update(blocks=3), "blocks instead of|Matches are missing"),
    (lambda d: d["rules"].update(game="chess"), "^rules: "),
    (lambda d: d["rules"]["options"].update(dice_per_player=3), "wrong terms"),
    (lambda d: d.update(key="00" * 32), "^event.json is not signed"),
    (lambda d: _whole(d)["blocks"].pop(), OTHERS),
    (lambda d: _whole(d).update(blocks=[1, 1]), "^pairings: the blocks of round"),
    (lambda d: _whole(d).update(blocks=[2, 1]), "^pairings: the blocks of round"),
    (lambda d: _whole(d).update(blocks=[1, 99]), "^pairings: the blocks of round"),
    (lambda d: d["rules"].update(seats=99), "^rules.seats is 99"),
    (lambda d: d["rules"].update(rounds=0), "^event.json: rules.rounds"),
    (lambda d: d["pairings"][0]["bots"].append(d["pairings"][0]["bots"][0]), "another size"),
    (lambda d: _whole(d)["bots"].pop(), "^pairings: the blocks of round"),
    (lambda d: d["pairings"].append(d["pairings"][-1]), OTHERS),
    (lambda d: d.update(pairings=[]), OTHERS),
    (lambda d: d.update(entries=[], pairings=[]), OTHERS),
    (lambda d: d["entries"].append(d["entries"][0]), "named twice"),
    (lambda d: d.update(format="arena-event/2"), "^event.json: format"),
    (lambda d: d.update(more=1), "^event.json: more: there is no such member"),
    (lambda d: d["dates"].update(began="soon"), "dates.began: "),
]


@pytest.mark.slow
def test_a_change_of_the_event_is_named(made: Archived) -> None:
    for change, why in CHANGED_EVENTS:
        with pytest.raises(ArchiveError, match=why):
            archive_check.check(made.changed(event=change))


def _other_result(lines: list[bytes]) -> list[bytes]:
    document = json.loads(lines[0])
    document["result"]["placings"].reverse()
    return [json.dumps(document).encode() + b"\n", *lines[1:]]


CHANGED_MATCHES: list[tuple[Callable[[list[bytes]], list[bytes]], str]] = [
    (lambda lines: lines[1:], OTHERS),
    (lambda lines: lines[:-1], OTHERS),
    (lambda lines: lines[:-2], OTHERS),
    (lambda lines: [*lines, lines[0]], OTHERS),
    (lambda lines: [lines[1], lines[0], *lines[2:]], OTHERS),
    (lambda lines: [lines[0], lines[0], *lines[2:]], OTHERS),
    (_other_result, "verification failed"),
    (lambda lines: [b"{}\n", *lines[1:]], "line 1: "),
    (lambda lines: [lines[0][:-20] + b"\n", *lines[1:]], "line 1: "),
]


@pytest.mark.slow
def test_a_change_of_the_matches_is_named(made: Archived) -> None:
    for change, why in CHANGED_MATCHES:
        with pytest.raises(ArchiveError, match=why):
            archive_check.check(made.changed(lines=change))


@pytest.mark.slow
def test_whoever_did_not_start_must_have_been_named(made: Archived) -> None:
    def named(document: Document) -> None:
        (one,) = [pairing for pairing in document["pairings"] if pairing["absent"]]
        one["absent"] = []

    with pytest.raises(ArchiveError, match=r"Matches are missing|blocks instead of"):
        archive_check.check(made.changed(event=named))


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules",
    [
        replace(RULES, format=FormatName.SWISS, rounds=3),
        replace(RULES, format=FormatName.KNOCKOUT, blocks=1),
        replace(RULES, format=FormatName.KNOCKOUT, seats=3),
        replace(RULES, format=FormatName.ROUND_ROBIN, seats=3),
        replace(RULES, format=FormatName.GROUPS, blocks=1),
        replace(RULES, format=FormatName.GROUPS, seats=3, blocks=1, groups=2, advance=2),
    ],
    ids=lambda rules: f"{rules.format.value}-{rules.seats}",
)
async def test_each_format_is_recomputed_though_a_bot_is_withdrawn_halfway(
    store: Store, database: str, sql: "psycopg.Connection[Any]", tmp_path: Path, rules: FinalRules
) -> None:
    await store.events.create("cup", said(rules), "me")
    for name in ("a1", "b2", "c3", "d4", "e5", "f6", "g7"):
        await entrant(store, database, "cup", name)
    let_pass(sql, "cup", 2.1)
    await store.finals.keep(store.record)
    signer = await store.signer()
    for block in queued(sql)[: len(queued(sql)) // 2 + 1]:
        begun = await store.finals.begin_block(block)
        assert begun is not None
        await store.finals.end_block(block, list(map(played, begun.matches)), signer)
    await store.finals.keep(store.record)
    last = await store.finals.begin_block(queued(sql)[-1])
    assert last is not None
    await store.events.withdraw("cup", last.builds[0].registered.entrant.bot, "me")
    await store.finals.keep(store.record)
    await played_out(store, sql, (await store.events.named("cup"))[0])
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    made = await archived(store, database, "cup", tmp_path / "cup.zip")
    found = archive_check.check(made.file)
    assert len(found.standings) == 7


async def test_a_live_final_is_recomputed_too(
    store: Store, database: str, sql: "psycopg.Connection[Any]", tmp_path: Path
) -> None:
    await store.events.create("cup", replace(said(), live=True), "me")
    for name in ("ann", "bob", "eve"):
        await entrant(store, database, "cup", name)
    let_pass(sql, "cup", 2.1)
    await store.finals.keep(store.record)
    event = await played_out(store, sql, (await store.events.named("cup"))[0])
    assert await store.archives.signed(event) is None
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    found = archive_check.check((await archived(store, database, "cup", tmp_path / "cup.zip")).file)
    assert found.matches == 12


def test_the_arena_cannot_choose_which_blocks_count(made: Archived) -> None:
    """The first block of the last pairing is left out, and a third is played in its place."""
    pairing: list[Pairing] = []

    def left_out(document: Document) -> None:
        last = _whole(document)
        assert last is document["pairings"][-1]
        numbers = {
            one.registered.entrant.bot: at for at, one in enumerate(made.final.finalists, start=1)
        }
        entries = tuple(numbers[bot] for bot in last["bots"])
        pairing.append(Pairing(last["round"], last["table"], entries))
        last["blocks"] = [2, 3]

    def third_played(lines: list[bytes]) -> list[bytes]:
        third = [played(one).transcript for one in made.final.matches(pairing[0], 3)]
        signed = [json.dumps(to_json(made.signer.signed(one))).encode() + b"\n" for one in third]
        return [*lines[:-4], *lines[-2:], *signed]

    with pytest.raises(ArchiveError, match="leaves out a block"):
        archive_check.check(made.changed(left_out, third_played))


@pytest.mark.slow
def test_a_damaged_archive_is_refused_in_words(tmp_path: Path) -> None:
    """Each byte may be another: it is then encrypted, packed otherwise, longer, shorter."""
    file = tmp_path / "file.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name in ("event.json", "event.sig", "transcripts.jsonl"):
            made.writestr(name, f"{name} " * 20)
    data = file.read_bytes()
    for at in range(len(data)):
        for value in (0, 1, 9, 12, 14, 99, 255):
            file.write_bytes(data[:at] + bytes([value]) + data[at + 1 :])
            with pytest.raises((ArchiveError, OSError)):
                archive_check.check(file)


@pytest.mark.parametrize("content", [b"", b"PK", b"no archive at all"])
def test_another_file_is_no_archive(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    with pytest.raises(ArchiveError, match="is no archive of an event"):
        archive_check.check(file)


def test_a_zip_that_is_packed_in_another_way_is_no_archive(tmp_path: Path) -> None:
    file = tmp_path / "file.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_BZIP2) as made:
        for name in ("event.json", "event.sig", "transcripts.jsonl"):
            made.writestr(name, "")
    with pytest.raises(ArchiveError, match=r"event\.json is packed oddly"):
        archive_check.check(file)


def test_a_zip_without_an_event_is_no_archive(tmp_path: Path) -> None:
    file = tmp_path / "file.zip"
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("other", "")
    with pytest.raises(ArchiveError, match="is no archive of an event"):
        archive_check.check(file)
