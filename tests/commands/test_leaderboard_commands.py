"""`arena leaderboard` and `arena history` as a person or a script calls them, on a database."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psycopg
import pytest
from sqlalchemy import make_url

from arena.database.reading import open_reader
from arena.games.bluff.kit.luck import TABLE
from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import Anchor, fit
from arena.rating.head_to_head import head_to_head
from arena.rating.methods import ScoreRule
from arena.rating.results import Results
from arena.records import CheckOrigin, CheckOutcome
from arena.server.app.store import open_store
from tests.commands.running import arena
from tests.dashboard.played import anyhow, fill, sensible, silent
from tests.databases import TEMPLATE, Copies, plain
from tests.ladder_log import all_versions, rated_results

BOTS = (
    ("honest", sensible(0.1)),
    ("alpha", sensible(0.0)),
    ("beta", anyhow),
)


def answer(*words: object) -> dict[str, object]:
    said = arena(*words, "--json")
    assert said.exit_code == 0, said.output
    found: dict[str, object] = json.loads(said.stdout)
    return found


@pytest.fixture(scope="module")
def template(copies: Copies) -> Iterator[str]:
    """The name of a database with matches at 2, 3 and 4 seats."""
    with copies.of(TEMPLATE) as url:
        asyncio.run(fill(url, blocks=20, policies=BOTS))
        asyncio.run(fill(url, blocks=6, seats=3, policies=(*BOTS, ("gamma", anyhow))))
        asyncio.run(fill(url, blocks=3, seats=4, policies=(*BOTS, ("gamma", anyhow))))
        yield str(make_url(url).database)


@pytest.fixture
def played(copies: Copies, template: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A copy of it."""
    with copies.of(template) as url:
        monkeypatch.setenv("ARENA_DATABASE_URL", url)
        yield url


async def test_the_last_check_of_a_bot_is_on_the_leaderboard(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    monkeypatch.setenv("COLUMNS", "200")
    await fill(database, blocks=4, policies=BOTS)
    assert "check" not in (await asyncio.to_thread(arena, "leaderboard")).stdout
    async with open_store(database) as store:
        ids = {one.bot: one.id for one in await store.bots()}
        outcome = CheckOutcome(1, 19, ("drain",))
        await store.checks.record(ids["alpha"], CheckOrigin.AUTHOR, outcome)
    printed = (await asyncio.to_thread(arena, "leaderboard")).stdout
    assert "1 failed" in next(line for line in printed.splitlines() if "alpha" in line)
    lines = (await asyncio.to_thread(answer, "leaderboard"))["ratings"]
    checks = {line["bot"]: line["check"] for line in lines}  # type: ignore[attr-defined]
    assert checks["alpha"]["failed"] == ["drain"]
    assert checks["honest"] is None


async def test_a_bot_that_may_not_play_for_now_is_marked(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    monkeypatch.setenv("COLUMNS", "200")
    await fill(database, blocks=4, policies=BOTS)
    async with open_store(database) as store:
        await store.owners.freeze("alpha", "the operator")
    printed = (await asyncio.to_thread(arena, "leaderboard")).stdout
    assert "alpha 1 (frozen)" in printed
    assert printed.count("frozen") == 1
    lines = (await asyncio.to_thread(answer, "leaderboard"))["ratings"]
    halts = {line["bot"]: (line["frozen"], line["paused"]) for line in lines}  # type: ignore[attr-defined]
    assert halts["alpha"] == (True, False)
    assert halts["honest"] == (False, False)
    async with open_store(database) as store:
        (alpha,) = await store.bots(["alpha"])
        await store.owners.ban(alpha.owner, "the operator")
    printed = (await asyncio.to_thread(arena, "leaderboard")).stdout
    assert "alpha 1 (frozen, banned)" in printed


def log_of(url: str, seats: list[int]) -> Results[str]:
    """Read again, in another way than the command does."""
    with open_reader(url) as read:
        names = {id_: one.entrant.bot for id_, one in all_versions(read).items()}
        rows = rated_results(read, "bluff", {}, seats)
    return Results.of_rows(
        (
            row.match_id,
            row.block_id,
            [(names[id_], place) for id_, place in zip(row.version_ids, row.placings, strict=True)],
        )
        for row in rows
    )


def test_the_document_is_that_of_the_ladder_and_the_score_rule(played: str) -> None:
    for score in ScoreRule:
        found = answer("leaderboard", "--seats", 3, "--score", score.value)
        assert (found["seats"], found["table_sizes"]) == (3, [3, 4])
        assert found["score"] == score.value
        counted = Aggregate.of(log_of(played, [3, 4]), score)
        expected = fit(counted, anchor=Anchor("honest", 1500.0)).ratings()
        said = {line["bot"]: line["elo"] for line in found["ratings"]}
        assert said == pytest.approx(expected, abs=1e-9)
        assert "details" not in found


@pytest.mark.usefixtures("played")
def test_a_page_of_a_long_leaderboard_is_shown_from_the_top_or_around_a_bot() -> None:
    bots = [line["bot"] for line in answer("leaderboard")["ratings"]]
    assert len(bots) == 3
    first = arena("leaderboard", "--limit", 1).output
    assert bots[0] in first and bots[1] not in first
    assert "Lines 1 to 1 of 3: --limit shows more" in first
    last = arena("leaderboard", "--limit", 1, "--bot", bots[2].upper()).output
    assert bots[2] in last and bots[0] not in last and "Lines 3 to 3 of 3" in last
    assert "Lines" not in arena("leaderboard", "--limit", 3).output
    details = arena("leaderboard", "--details", "--limit", 1, "--bot", bots[2]).output
    tables = details.partition("Worst explained")[0]
    assert tables.count(f"{bots[2]} 1") == 3  # the ladder, the comparisons, the matrix
    assert f"{bots[0]} 1" not in tables
    unknown = arena("leaderboard", "--bot", "nobody")
    assert unknown.exit_code == 2
    assert "--bot nobody: it has no rated match on this ladder" in unknown.output


@pytest.mark.parametrize("width", [80, 120])
def test_luck_stands_in_a_labelled_column_that_fits_the_terminal(
    played: str, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    # Enough for every bot, also where one loses its dice before luck has a say.
    asyncio.run(fill(played, blocks=34, seats=3, policies=(*BOTS, ("gamma", anyhow))))
    document = answer("leaderboard", "--seats", 3)
    lines = document["ratings"]
    # The official Elo ranks, whatever luck says.
    assert [line["elo"] for line in lines] == sorted((x["elo"] for x in lines), reverse=True)
    shown = arena("leaderboard", "--seats", 3).output
    assert max(map(len, shown.splitlines())) <= width
    # Where it is narrow, luck has a table of its own, with the names.
    assert all(f"{line['bot']} {line['version']} " in shown for line in lines)
    assert (shown.count("┏") == 2) == (width == 80)
    assert "luck-" in shown and "Luck-adjusted: the Elo without the luck" in shown
    factors = []
    for line in lines:
        adjusted = line["luck_adjusted"]
        low, high = adjusted["interval"]
        if line["anchor"]:
            assert (adjusted["elo"], adjusted["variance_factor"]) == (line["elo"], None)
            continue
        assert f"{adjusted['elo']:.0f} ± {(high - low) / 2:.0f}" in shown
        official = line["interval"][1] - line["interval"][0]
        assert adjusted["variance_factor"] == pytest.approx(((high - low) / official) ** 2)
        factors.append(adjusted["variance_factor"])
    told = document["luck_adjusted"]
    assert told["table"] == TABLE._asdict()
    assert told["mean_variance_factor"] == pytest.approx(sum(factors) / len(factors))
    assert f"{told['mean_variance_factor']:.2f} of the" in " ".join(shown.split())


def test_without_luck_there_is_no_such_column(played: str) -> None:
    with psycopg.connect(plain(played), autocommit=True) as connection:
        connection.execute("DELETE FROM match_luck")
    document = answer("leaderboard", "--seats", 3)
    assert document["luck_adjusted"] is None
    assert [line["luck_adjusted"] for line in document["ratings"]] == [None] * 4
    assert "uck-" not in arena("leaderboard", "--seats", 3).output


def test_a_ladder_is_the_same_whichever_of_its_table_sizes_is_named(played: str) -> None:
    three, four = (answer("leaderboard", "--seats", seats)["ratings"] for seats in (3, 4))
    assert three == four
    assert arena("leaderboard", "--seats", 4).output.count("3–4 seats") == 1


def test_the_details_hold_every_pair_with_its_wilson_interval(played: str) -> None:
    details = answer("leaderboard", "--details")["details"]
    matrix = head_to_head(Aggregate.of(log_of(played, [2])))
    assert len(details["head_to_head"]) == 3
    for pair in details["head_to_head"]:
        assert pair["sequence"][0] <= pair["interval"][0] <= pair["interval"][1]
        assert pair["interval"][1] <= pair["sequence"][1]
        i, j = matrix.bots.index(pair["bot"]), matrix.bots.index(pair["opponent"]["bot"])
        assert (pair["wins"], pair["ties"], pair["losses"]) == (
            *(matrix.wins[i, j], matrix.ties[i, j], matrix.losses[i, j]),
        )
        assert pair["share"] == pytest.approx(matrix.share[i, j])
        assert pair["interval"] == pytest.approx([matrix.low[i, j], matrix.high[i, j]])
    assert {"cycle", "unbeaten"} <= details.keys()
    assert details["model_check"] is None
    assert details["matches"] == 40


def test_the_details_tell_win_shares_per_table_size_and_the_mean_as_a_mean(played: str) -> None:
    bots = {bot["bot"]: bot for bot in answer("leaderboard", "--details")["details"]["bots"]}
    assert set(bots) == {"honest", "alpha", "beta"}  # of this ladder
    sizes = {cell["seats"]: cell for cell in bots["honest"]["win_shares"]}
    assert set(sizes) == {2, 3, 4}
    for cell in sizes.values():
        low, high = cell["interval"]
        assert low <= cell["share"] <= high
    ladders = bots["alpha"]["ladders"]
    assert [ladder["table_sizes"] for ladder in ladders] == [[2], [3, 4]]
    mean = sum(ladder["elo"] for ladder in ladders) / 2
    assert bots["alpha"]["mean_elo_over_ladders"] == pytest.approx(mean)
    assert sum(bot["nash_weight"] for bot in bots.values()) == pytest.approx(1.0)


def test_faults_and_forfeits_are_counted_apart(played: str) -> None:
    asyncio.run(fill(played, blocks=2, seed=9, policies=(("beta", anyhow), ("gone", silent))))
    bots = {bot["bot"]: bot for bot in answer("leaderboard", "--details")["details"]["bots"]}
    gone, beta = bots["gone"], bots["beta"]
    assert gone["faulty_matches"] == 4
    assert 0 < gone["forfeits"] <= 4
    assert gone["faults"] >= 3 * gone["forfeits"]
    assert (beta["faults"], beta["forfeits"]) == (0, 0)


@pytest.mark.slow
def test_the_check_tells_what_it_looked_at_and_that_winner_has_no_exact_model(played: str) -> None:
    check = answer("leaderboard", "--check")["details"]["model_check"]
    assert (check["matches"], check["looked_at"]) == (40, 40)
    assert check["misfit"] in (True, False)
    for bot in check["nash_intervals"]:
        assert 0.0 <= bot["interval"][0] <= bot["interval"][1] <= 1.0
    check = answer("leaderboard", "--check", "--score", "winner")["details"]["model_check"]
    assert check["misfit"] is None
    assert "Model misfit" in arena("leaderboard", "--check").output


def test_the_history_ends_at_the_leaderboard_and_each_point_is_the_fit_of_its_past(
    played: str,
) -> None:
    found = answer("history", "--points", 7)
    board = answer("leaderboard")["ratings"]
    points = found["points"]
    assert len(points) == 7
    last = {rating["bot"]: rating for rating in points[-1]["ratings"]}
    for line in board:
        assert last[line["bot"]]["elo"] == pytest.approx(line["elo"], abs=1e-9)
        assert last[line["bot"]]["interval"] == pytest.approx(line["interval"], abs=1e-6)
    log = list(log_of(played, [2]).matches())
    for point in points:
        past = Results(log[: point["matches"]])
        expected = fit(Aggregate.of(past), anchor=Anchor("honest", 1500.0)).ratings()
        said = {rating["bot"]: rating["elo"] for rating in point["ratings"]}
        assert said == pytest.approx(expected, abs=1e-9)
        assert point["match_id"] == log[point["matches"] - 1].match
    assert answer("history", "--points", 7) == found


def test_the_history_of_one_bot_can_be_asked_for(played: str) -> None:
    points = answer("history", "--bot", "Alpha")["points"]
    assert answer("history", "--bot", "ＡＬＰＨＡ")["points"] == points  # as the server finds it
    assert {rating["bot"] for point in points for rating in point["ratings"]} == {"alpha"}
    assert "1 of 3 bots: --limit shows more" in arena("history", "--limit", 1).output
    assert "of 3 bots" not in arena("history").output
    said = arena("history", "--bot", "nobody")
    assert said.exit_code == 2
    assert "--bot nobody" in said.output


def test_without_a_match_there_is_nothing_and_no_error(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    assert answer("leaderboard", "--check")["details"]["bots"] == []
    assert answer("history")["points"] == []
    for words in (["leaderboard", "--details"], ["history"]):
        assert "no rated match yet" in arena(*words).output


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["leaderboard", "--seats", "9"], "is played by 2 to 6 seats"),
        (["history", "--seats", "9"], "is played by 2 to 6 seats"),
        (["leaderboard", "--follow", "--details"], "omit --details"),
        (["leaderboard", "--option", "x"], "given as NAME=VALUE"),
        (["leaderboard", "--game", "chess"], "the games are bluff, bluff_you, bloeff"),
        (["matches", "--game", "chess"], "the games are bluff, bluff_you, bloeff"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(words: list[str], says: str) -> None:
    said = arena(*words)
    assert said.exit_code == 2
    assert says in said.output


def test_matches_of_a_bot_that_does_not_exist_are_refused_with_the_bots_there_are(
    played: str,
) -> None:
    said = arena("matches", "--bot", "nobody")
    assert said.exit_code == 2
    assert "no such bot; the bots are alpha, beta, gamma, honest" in said.output
    assert arena("matches", "--bot", "Alpha").exit_code == 0


def test_a_narrow_history_shows_the_newest_points_and_whole_names(
    played: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ways(width: str) -> dict[str, str]:
        monkeypatch.setenv("COLUMNS", width)
        said = arena("history", "--seats", 2).output
        rows = [line.split("│") for line in said.splitlines() if line.startswith("│")]
        return {row[1].strip(): row[3].strip() for row in rows}

    wide, narrow = ways("200"), ways("50")
    assert set(narrow) == set(wide) == {"honest 1", "alpha 1", "beta 1"}
    for bot, way in wide.items():
        assert 0 < len(narrow[bot]) < len(way)
        assert way.endswith(narrow[bot])


@contextmanager
def followed(database: str, *words: str) -> Iterator[IO[str]]:
    """What `arena leaderboard --follow` writes into a pipe."""
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", "leaderboard", "--follow", *words],
        cwd=Path(__file__).parents[1],
        env=os.environ | {"ARENA_DATABASE_URL": database},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout
    finally:
        process.terminate()
        process.wait()


@pytest.mark.slow
def test_the_followed_leaderboard_is_that_of_the_whole_log_after_every_change(
    played: str,
) -> None:
    with followed(played, "--json") as output:
        first = json.loads(output.readline())
        assert first["matches"] == 40
        assert first["ratings"] == answer("leaderboard")["ratings"]
        asyncio.run(fill(played, blocks=3, seed=2, policies=BOTS))
        second = json.loads(output.readline())
        assert second["matches"] == 46
        assert second["sequence"] > first["sequence"]
        for line, expected in zip(second["ratings"], answer("leaderboard")["ratings"], strict=True):
            assert line["elo"] == pytest.approx(expected["elo"], abs=1e-9)
            assert line["interval"] == pytest.approx(expected["interval"], abs=1e-9)


@pytest.mark.slow
def test_where_it_is_no_terminal_the_followed_leaderboard_is_printed_again(played: str) -> None:
    first = arena("leaderboard").stdout.splitlines(keepends=True)
    with followed(played) as output:
        assert [output.readline() for _ in first] == first
        asyncio.run(fill(played, blocks=3, seed=2, policies=BOTS))
        second = arena("leaderboard").stdout.splitlines(keepends=True)
        assert second != first
        assert [output.readline() for _ in second] == second
