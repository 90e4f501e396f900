"""What can be downloaded of a released event, and what its page says of its best matches."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from arena.lab.analysis import decisions
from arena.match.transcript_json import read_json
from arena.server.app.store import Store
from arena.server.events.finals import archive_check
from arena.server.results.kept_analyses import edition, to_keep
from arena_dashboard.events import event_downloads
from tests import recorded_matches
from tests.dashboard.pages import html, open_page, texts
from tests.dashboard.test_event_pages import Sql, held, played, released, words


@pytest.fixture
def client(arena: str) -> Iterator[TestClient]:
    del arena  # whose database the pages read
    with TestClient(Starlette(routes=event_downloads.ROUTES)) as client:
        yield client


def test_the_archive_on_the_page_is_the_one_that_anybody_can_check(
    arena: str, client: TestClient, tmp_path: Path
) -> None:
    held(arena, released)
    assert 'href="./downloads/events/cup.zip"' in html(open_page("events", name="cup"))
    answer = client.get("/downloads/events/cup.zip")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == 'attachment; filename="cup.zip"'
    file = tmp_path / "cup.zip"
    file.write_bytes(answer.content)
    assert archive_check.check(file).matches == 4


def test_transcripts_and_standings_are_files_of_their_own(arena: str, client: TestClient) -> None:
    async def with_odd_team(store: Store, sql: Sql) -> None:
        sql.execute("UPDATE event_entries SET team = '=1+1' WHERE team = 'ann'")
        await released(store, sql)

    held(arena, with_odd_team)
    lines = client.get("/downloads/events/cup.jsonl").content.splitlines()
    assert len(lines) == 4
    assert len({read_json(line).setup.match_id for line in lines}) == 4
    table = list(csv.DictReader(io.StringIO(client.get("/downloads/events/cup.csv").text)))
    assert {row["team"] for row in table} == {"'=1+1", "bob"}
    assert [float(row["points"]) for row in table] == sorted(
        (float(row["points"]) for row in table), reverse=True
    )


def test_before_the_release_there_is_no_file(arena: str, client: TestClient) -> None:
    held(arena, played)
    for file in ("cup.zip", "cup.jsonl", "cup.csv", "other.zip", "cup.exe", "x"):
        assert client.get(f"/downloads/events/{file}").status_code == 404, file


def test_one_download_too_many_is_refused(
    arena: str, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    held(arena, released)
    downloads = event_downloads._downloads()
    with downloads.opened("", "testclient"), downloads.opened("", "testclient"):
        answer = client.get("/downloads/events/cup.csv")
    assert answer.status_code == 429
    assert client.get("/downloads/events/cup.csv").status_code == 200


def test_without_kept_analyses_the_closest_matches_are_shown_and_it_is_said(arena: str) -> None:
    held(arena, released)
    app = open_page("events", name="cup")
    assert not app.exception
    assert "no costly decision is known" in texts(app)
    assert "The closest" in texts(app)
    assert "Won by" in words(app) or "First place is shared" in words(app)


def test_the_costliest_decision_whose_analysis_is_kept_is_that_of_the_event(arena: str) -> None:
    worst: list[float] = []

    async def analysed(store: Store, sql: Sql) -> None:
        await released(store, sql)
        kept = []
        for row in await recorded_matches.matches(store, limit=10):
            transcript = await store.transcript(row.match_id)
            assert transcript is not None
            found = list(decisions(transcript))
            worst.extend(one.loss for one in found if one.loss is not None)
            kept.append(to_keep(row.match_id, transcript, found))
        await store.analyses.keep(edition(), kept)

    held(arena, analysed)
    shown = words(open_page("events", name="cup"))
    assert f"gave up {100 * max(worst):.0f} % chance to win" in shown
    assert json.dumps(shown).count("The decision of the event") == 1
