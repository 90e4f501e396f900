"""`arena export --decisions`: a data set that other programs read, of the bots that share it."""

import asyncio
import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.commands.dataset.rows import FIXED, columns_of
from arena.database.reading import open_reader
from arena.games import GAMES
from arena.games.bluff import Bet, Face
from arena.lab.analysis import decisions
from arena.learn import encoding
from arena.match.transcript import Transcript
from arena.server.app.store import open_store
from arena.server.boards.board import Board
from arena.server.results.kept_analyses import edition, to_keep
from tests.board_rows import columns
from tests.commands import running
from tests.dashboard.played import fill
from tests.databases import TEMPLATE, Copies, execute
from tests.ladder_log import all_versions, rated_results

arena = partial(running.arena, "export")


@pytest.fixture(scope="module")
def played(copies: Copies) -> Iterator[tuple[str, list[Transcript]]]:
    """A database with matches of all games, of which one is analysed; the bluff matches."""
    with copies.of(TEMPLATE) as url:
        matches = asyncio.run(fill(url, blocks=12))
        for game in GAMES:
            if game != "bluff":
                asyncio.run(fill(url, game=game, seats=3, blocks=1))
        transcripts = [match.transcript for match in matches]
        asyncio.run(_analyse(url, transcripts[0]))
        yield url, transcripts


async def _analyse(url: str, transcript: Transcript) -> None:
    async with open_store(url) as store:
        one = to_keep(transcript.setup.match_id, transcript, tuple(decisions(transcript)))
        await store.analyses.add(edition(), [one])


@pytest.fixture(scope="module")
def folder(played: tuple[str, list[Transcript]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("exported") / "decisions"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_DATABASE_URL", played[0])
        exported = arena("--decisions", found)
    assert exported.exit_code == 0, exported.output
    return found


def rows(folder: Path, game: str = "bluff") -> list[dict[str, Any]]:
    from pyarrow.parquet import read_table

    found: list[dict[str, Any]] = read_table(folder / game).to_pylist()
    return found


@pytest.mark.slow
def test_a_row_holds_what_the_seat_saw_and_did_and_how_it_ended(
    folder: Path, played: tuple[str, list[Transcript]]
) -> None:
    found = rows(folder)
    for transcript in played[1]:
        mine = [row for row in found if row["match_id"] == transcript.setup.match_id]
        expected = list(decisions(transcript, ()))
        assert [row["step"] for row in mine] == [one.step for one in expected]
        for row, one in zip(mine, expected, strict=True):
            entrant = transcript.setup.entrants[one.seat]
            assert (row["seat"], row["bot"], row["owner"]) == (
                one.seat,
                entrant.bot,
                entrant.owner,
            )
            assert row["placing"] == transcript.result.placing[one.seat]
            assert row["placings"] == list(transcript.result.placing)
            assert row["claim"] == one.unread
            assert row["view_hidden_dice"] == list(one.view.hidden_dice)
            assert row["view_lowest"] == list(one.view.lowest)
            assert bets(row) == [placed.bet for placed in one.view.bets]
            assert row["action_type"] == type(one.action).__name__.lower()
            if isinstance(one.action, Bet):
                assert row["action_quantity"] == one.action.quantity
                assert row["action_face"] == one.action.face


def test_a_view_is_there_as_the_numbers_that_learners_take(
    folder: Path, played: tuple[str, list[Transcript]]
) -> None:
    learner = encoding("bluff", 2)
    expected = [one for match in played[1] for one in decisions(match, ())]
    for row, one in zip(rows(folder), expected, strict=True):
        assert row["encoding"] == learner.version
        assert row["observation"] == learner.observe(one.view).tolist()
        assert row["mask"] == learner.mask(one.view).tolist()
        assert learner.action(row["action_id"], one.seat) == one.action


def bets(row: dict[str, Any]) -> list[Bet]:
    """The bets of the view in a row."""
    members = (row[f"view_bets_bet_{name}"] for name in ("quantity", "face", "show"))
    return [Bet(count, Face(face), tuple(show)) for count, face, show in zip(*members, strict=True)]


def test_values_are_there_where_the_match_was_analysed(
    folder: Path, played: tuple[str, list[Transcript]]
) -> None:
    found = rows(folder)
    analysed = [row for row in found if row["match_id"] == played[1][0].setup.match_id]
    for row, one in zip(analysed, decisions(played[1][0]), strict=True):
        assert row["loss"] == pytest.approx(one.loss, abs=1e-5)
        assert row["grade"] == (one.grade and one.grade.value)
        assert (row["better_type"] is None) == (one.best == one.action)
    assert {row["loss"] for row in found[len(analysed) :]} == {None}


def test_ratings_are_those_of_the_time_before_the_match(
    folder: Path, played: tuple[str, list[Transcript]]
) -> None:
    found = rows(folder)
    board = Board("bluff")
    with open_reader(played[0]) as read:
        board.extend(columns(rated_results(read, "bluff", {}, [2])[:20]))
        lines = {line.bot: line.elo for line in board.lines(all_versions(read))}
    last = played[1][-1].setup
    (ratings, *_) = [row["ratings"] for row in found if row["match_id"] == last.match_id]
    assert ratings == pytest.approx([lines[one.bot] for one in last.entrants], abs=1e-3)
    matches = {row["match_id"]: row for row in found}
    rated = list(matches.values())
    assert all(row["ratings"] == [None, None] for row in rated[:10])
    assert None not in rated[20]["ratings"]
    assert rated[20]["rating"] == rated[20]["ratings"][rated[20]["seat"]]
    honest = {row["rating"] for row in found if row["bot"] == "honest" and row["rating"]}
    assert honest == {1500.0}  # the anchor


@pytest.mark.parametrize("game", GAMES)
def test_each_game_has_the_columns_of_its_own_view(game: str, folder: Path) -> None:
    found = rows(folder, game)
    assert [*found[0]] == columns_of(game).schema.names
    members = {name for row in found for name, value in row.items() if value is not None}
    rare = {"fault", "claim", "claim_read", "win", "loss", "grade", "source", "rating"}
    rare |= {"encoding", "observation", "mask", "action_id"}
    assert members > {*FIXED} - rare
    notation = GAMES[game].notation
    answers = {notation.name_of(kind) for kind in GAMES[game].view_notation.choices}
    assert {row["action_type"] for row in found} <= answers


@pytest.mark.slow
def test_the_tools_of_researchers_read_it(folder: Path, tmp_path: Path) -> None:
    import duckdb
    import pandas
    import polars
    from datasets import load_dataset

    count = len(rows(folder))
    assert len(pandas.read_parquet(folder / "bluff")) == count
    lazy = polars.scan_parquet(folder / "bluff" / "*.parquet")
    assert lazy.select(polars.len()).collect().item() == count
    counted = duckdb.sql(f"SELECT count(*) FROM '{folder}/bluff/*.parquet'").fetchall()
    assert counted == [(count,)]
    for game in GAMES:
        read = load_dataset(str(folder), game, split="train", cache_dir=str(tmp_path))
        assert len(read) == len(rows(folder, game))
    assert read[0]["match_id"]


@pytest.mark.slow
def test_the_code_of_the_page_runs(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "data.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    call = 'load_dataset("decisions", "bluff"'
    assert call in code
    monkeypatch.chdir(folder.parent)
    exec(code.replace(call, f"{call}, cache_dir={str(tmp_path)!r}"), {})


@pytest.mark.slow
def test_the_metadata_is_valid_and_leads_to_the_rows(folder: Path) -> None:
    import mlcroissant

    data_set = mlcroissant.Dataset(folder / "croissant.json")
    assert not data_set.metadata.ctx.issues.errors
    first = next(iter(data_set.records("bluff")))
    assert first["bluff/match_id"].decode() == rows(folder)[0]["match_id"]
    columns = {name.partition("/")[2] for name in first}
    assert columns == set(rows(folder)[0])
    card = (folder / "README.md").read_text()
    assert all(f"| `{name}` |" in card for name in columns)


def test_bots_whose_owners_keep_their_decisions_are_left_out(
    played: tuple[str, list[Transcript]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", played[0])
    execute(played[0], "UPDATE bots SET shares_decisions = name <> 'beta'")
    try:
        exported = arena("--decisions", tmp_path / "some", "--game", "bluff", "--seats", 2)
    finally:
        execute(played[0], "UPDATE bots SET shares_decisions = true")
    kept_back = sum(
        transcript.setup.entrants[one.seat].bot == "beta"
        for transcript in played[1]
        for one in decisions(transcript, ())
    )
    assert f"Left out: {kept_back:,} decisions of bots whose owners keep them." in exported.stderr
    assert {row["bot"] for row in rows(tmp_path / "some")} == {"alpha", "honest"}
    assert not (tmp_path / "some" / "skull").exists()
    assert f"{kept_back:,} decisions are left out" in (tmp_path / "some/README.md").read_text()


def test_a_folder_that_exists_is_left_alone(
    played: tuple[str, list[Transcript]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", played[0])
    exported = arena("--decisions", tmp_path)
    assert exported.exit_code == 2
    assert "exists: name a folder that does not" in exported.stderr.replace("\n", " ")
    assert not list(tmp_path.iterdir())


def test_metadata_of_no_match_is_valid_too(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    assert "0 decisions of 0 matches" in arena("--decisions", tmp_path / "none").stdout
    assert json.loads((tmp_path / "none" / "croissant.json").read_text())["recordSet"] == []
