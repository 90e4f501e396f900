"""What pages, commands and the registry say of a match whose transcript is not kept any more."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from arena.database.reading import open_reader
from arena.server.app.store import open_store
from arena.server.reading.calls import ReadingCalls
from arena.v1 import registry_pb2
from tests.commands import running
from tests.dashboard.pages import html, open_page, texts
from tests.recorded_results import finished, match_id


async def old_match(database: str) -> str:
    """A match of which the result alone is kept."""
    async with open_store(database) as store:
        versions = [(await store.register(f"bot{n}", f"owner{n}"))[0].version_id for n in range(2)]
        ended = datetime.now(UTC) - timedelta(100)
        match = replace(finished(versions), started_at=ended, finished_at=ended)
        await store.record([match])
        await store.policies.change({"transcript_days": 90}, "operator")
        assert (await store.retention.run()).matches == 1
    return match_id(match)


def test_a_replay_page_shows_the_result_and_since_when_there_is_no_replay(arena: str) -> None:
    app = open_page("replay", match=asyncio.run(old_match(arena)))
    assert not app.exception
    assert "is no longer kept: the arena removed it at 20" in texts(app)
    assert "bot0" in html(app)


@pytest.mark.parametrize("command", ["verify", "transcript"])
def test_commands_name_the_reason(
    command: str, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = asyncio.run(old_match(database))
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    found = running.arena(command, old)
    assert found.exit_code == 2
    assert f"The transcript of match {old} is no longer kept" in found.stderr


def test_the_registry_tells_it_from_a_match_that_never_was(database: str) -> None:
    old = asyncio.run(old_match(database))
    with open_reader(database) as read:
        calls = ReadingCalls(read)
        for asked, said in ((old, "is no longer kept"), ("0" * 32, "there is no match")):
            request = registry_pb2.GetTranscriptRequest(match_id=asked)
            answer = calls("GetTranscript", request.SerializeToString())
            assert answer.status == "NOT_FOUND"
            assert said in answer.content.decode()
