"""`arena export`: nothing is lost on the way, and `arena rate` finds the leaderboard's numbers."""

import asyncio
import csv
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import TypeAlias

import pytest
from sqlalchemy import make_url

from arena.commands.results.export_formats import COLUMNS
from arena.database.reading import Reader, open_reader
from arena.lab.luck import luck_of
from arena.match.transcript_json import from_json
from arena.printable import not_a_formula
from arena.server.app.store import Store, open_store
from arena.server.boards.board import Board
from tests.board_rows import columns
from tests.commands.running import arena
from tests.commands.test_surroundings import ARENA, run
from tests.dashboard.played import fill
from tests.databases import TEMPLATE, Copies, execute
from tests.ladder_log import all_versions, rated_results
from tests.recorded_results import block, finished

Leaderboard: TypeAlias = list[tuple[str, float, tuple[float, float]]]


async def _play(store: Store, read: Reader) -> Leaderboard:
    """Some matches of every kind; the leaderboard of those at two seats."""
    ids = [(await store.register(f"bot{n}", f"owner{n}"))[0].version_id for n in range(4)]
    random = Random(3)
    matches = []
    for minute in range(60):
        pair = block(2)
        one, other = random.sample(ids, 2)
        for position in range(2):
            # The first seat wins: mostly the smaller number's.
            winner, loser = sorted((one, other), reverse=random.random() < 0.3)
            matches.append(finished((winner, loser), pair, position, minute=minute))
    matches.append(finished(ids[:3], minute=100))
    matches.append(finished(ids[:2], minute=101, dice_per_player=3))
    matches.append(finished(ids[:2], block(2), minute=102))  # a block that is not complete
    await store.record(matches)
    board = Board("bluff")
    board.extend(columns(rated_results(read, "bluff", {}, [2])))
    lines = board.lines(all_versions(read))
    return [(f"{line.bot} {line.version}", line.elo, line.interval) for line in lines]


@pytest.fixture(scope="module")
def template(copies: Copies) -> Iterator[tuple[str, Leaderboard]]:
    """The name of a database in which matches are, and its leaderboard."""

    async def play(url: str) -> Leaderboard:
        async with open_store(url) as store:
            with open_reader(url) as read:
                return await _play(store, read)

    with copies.of(TEMPLATE) as url:
        leaderboard = asyncio.run(play(url))
        yield str(make_url(url).database), leaderboard


@pytest.fixture
def leaderboard(
    copies: Copies, template: tuple[str, Leaderboard], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Leaderboard]:
    name, lines = template
    with copies.of(name) as url:
        monkeypatch.setenv("ARENA_DATABASE_URL", url)
        yield lines


@pytest.mark.slow
def test_arena_rate_finds_the_numbers_of_the_leaderboard(
    leaderboard: Leaderboard, tmp_path: Path
) -> None:
    file = tmp_path / "results.jsonl"
    variant = ("--game", "bluff", "--option", "dice_per_player=5", "--seats", "2")
    exported = arena("export", file, *variant)
    assert exported.exit_code == 0, exported.stderr
    assert "120 matches" in exported.stdout
    assert "Left out: 1 matches that are not rated." in exported.stderr
    rated = json.loads(arena("rate", file, "--json").stdout)["bots"]
    assert [bot["bot"] for bot in rated] == [name for name, _, _ in leaderboard]
    # Without its anchor the board's mean stands at 1500, and that of the file at 0.
    for bot, (_, elo, interval) in zip(rated, leaderboard, strict=True):
        assert bot["elo"] + 1500 == pytest.approx(elo, abs=1e-6)
        assert [end + 1500 for end in bot["interval"]] == pytest.approx(interval, abs=1e-6)


@pytest.mark.usefixtures("leaderboard")
def test_a_file_for_rate_says_when_it_holds_several_ladders(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    exported = arena("export", file)
    assert "122 matches" in exported.stdout
    assert "It holds 3 ladders" in exported.stderr
    assert len(file.read_text().splitlines()) == 122
    assert ": 1 matches" in arena("export", file, "--seats", "3-4", "--game", "bluff").stdout


@pytest.mark.slow
@pytest.mark.usefixtures("leaderboard")
def test_tables_hold_every_seat_of_every_match(tmp_path: Path) -> None:
    table, columns = tmp_path / "results.csv", tmp_path / "results.parquet"
    assert "123 matches" in arena("export", table).stdout
    assert "123 matches" in arena("export", columns).stdout
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(COLUMNS)
    assert len(rows) == 122 * 2 + 3
    assert {row["rated"] for row in rows[:240]} == {"true"}
    assert [row["rated"] for row in rows[-2:]] == ["false", "false"]
    assert json.loads(rows[-3]["options"]) == {"dice_per_player": 3}
    parquet = pytest.importorskip("pyarrow.parquet")
    same = parquet.read_table(columns).to_pylist()
    assert [row["match_id"] for row in same] == [row["match_id"] for row in rows]
    for row, text in zip(same, rows, strict=True):
        assert row["finished_at"].isoformat() == text["finished_at"]
        for name in ("seat", "placing", "score", "bot", "version", "options", "position"):
            assert str(row[name]) == text[name]


def test_tables_tell_the_luck_of_each_seat_where_it_was_measured(
    database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    played = asyncio.run(fill(database, blocks=2))
    matches = {match.transcript.setup.match_id: match.transcript for match in played}
    unmeasured = next(iter(matches))
    execute(database, f"DELETE FROM match_luck WHERE match_id = '{unmeasured}'")
    table, columns = tmp_path / "results.csv", tmp_path / "results.parquet"
    assert arena("export", table).exit_code == arena("export", columns).exit_code == 0
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * len(matches)
    for row in rows:
        if row["match_id"] == unmeasured:
            assert row["luck"] == ""
        else:
            luck = luck_of(matches[row["match_id"]]).seats[int(row["seat"])]
            assert float(row["luck"]) == pytest.approx(luck, abs=1e-6)
    parquet = pytest.importorskip("pyarrow.parquet")
    same = parquet.read_table(columns).to_pylist()
    assert [row["luck"] for row in same] == [
        float(row["luck"]) if row["luck"] else None for row in rows
    ]


async def test_no_name_is_a_formula_in_a_table_and_every_name_comes_back(
    database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    async with open_store(database) as store:
        one = (await store.register("-2-3", "-ann", "-1"))[0].version_id
        other = (await store.register("plain", "bob", "2"))[0].version_id
        await store.record([finished((one, other))])
    table = tmp_path / "results.csv"
    await asyncio.to_thread(arena, "export", table)
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    written = {tuple(row[name] for name in ("bot", "owner", "version")) for row in rows}
    assert written == {("'-2-3", "'-ann", "'-1"), ("plain", "bob", "2")}
    lines = tmp_path / "results.jsonl"
    await asyncio.to_thread(arena, "export", lines)
    named = {seat["bot"] for seat in json.loads(lines.read_text())["seats"]}
    assert named == {f"{row['bot']} {row['version']}".replace("'", "") for row in rows}


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-2-3", "@SUM(A1)", "\t=1", "\r1", "\n1", " =1", "'=1", "＝1"]
)
def test_a_cell_that_a_spreadsheet_would_evaluate_has_an_apostrophe_in_front(text: str) -> None:
    assert not_a_formula(text) == "'" + text


@pytest.mark.parametrize("text", ["", "plain", "a=1", "'", "'a", '{"dice_per_player": 3}', "2-3"])
def test_other_cells_are_written_as_they_are(text: str) -> None:
    assert not_a_formula(text) == text


@pytest.mark.usefixtures("leaderboard")
def test_transcripts_come_with_or_without_results(tmp_path: Path) -> None:
    file, results = tmp_path / "transcripts.jsonl", tmp_path / "results.csv"
    exported = arena("export", results, "--transcripts", file, "--seats", "3")
    assert exported.exit_code == 0
    assert exported.stdout.splitlines() == [
        f"{results}: 1 matches.",
        f"{file}: 1 transcripts.",
    ]
    (transcript,) = (from_json(json.loads(line)) for line in file.read_text().splitlines())
    assert len(transcript.setup.entrants) == 3
    assert "123 transcripts" in arena("export", "--transcripts", file).stdout
    assert [path.name for path in sorted(tmp_path.iterdir())] == [results.name, file.name]


def test_a_device_is_not_replaced_and_a_link_is_followed(
    leaderboard: object, tmp_path: Path
) -> None:
    pipe, link, real = (tmp_path / name for name in ("pipe.csv", "link.csv", "real.csv"))
    os.mkfifo(pipe)
    refused = arena("export", pipe)
    assert refused.exit_code == 2
    assert "not a regular file" in refused.stderr
    assert pipe.is_fifo()
    link.symlink_to(real)
    assert arena("export", link).exit_code == 0
    assert link.is_symlink()
    assert real.stat().st_size > 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "Name a file for the results"),
        (("results.xlsx",), "results.xlsx: export to one of .jsonl, .csv, .parquet"),
        (("/nowhere/results.csv",), "/nowhere/results.csv cannot be written"),
        (("r.csv", "--option", "dice_per_player=3"), "name it with --game"),
        (("r.csv", "--game", "chess"), "there is no game 'chess'"),
        (("r.csv", "--seats", "9-2"), "the smaller one first, not '9-2'"),
        (("r.csv", "--seats", "0-3"), "not '0-3'"),
        (("r.csv", "--seats", "2-9999999999"), "tables have at most 10 seats"),
        (("r.csv", "--seats", "7-8", "--game", "bluff"), "Bluff is played by 2 to 6 seats"),
        (
            ("r.csv", "--seats", "many"),
            "--seats takes a number, or two such as 3-4, the smaller one first, not 'many'",
        ),
    ],
)
@pytest.mark.usefixtures("leaderboard")
def test_mistakes_are_answered_in_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    result = arena("export", *words)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", ["file.jsonl", "file.csv", "file.parquet", "--transcripts file", "--decisions file"]
)
@pytest.mark.usefixtures("leaderboard")
def test_without_room_on_the_disk_the_file_is_named_and_nothing_of_it_stays(
    words: str, tmp_path: Path
) -> None:
    done = run(ARENA, "export", *words.split(), cwd=tmp_path, first="ulimit -f 1")
    assert (done.returncode, done.stdout) == (2, "")
    file = words.split()[-1]
    assert done.stderr == f"arena: {file} cannot be written: File too large.\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("leaderboard")
def test_without_pyarrow_a_parquet_file_is_refused_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = arena("export", tmp_path / "results.parquet")
    assert result.exit_code == 2
    assert "need pyarrow: `pip install 'bluff-arena[data]'`" in result.stderr
    assert list(tmp_path.iterdir()) == []
