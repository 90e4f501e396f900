"""`arena policy` and `arena bot pace --operator`: rules of the operator."""

import asyncio
import json
from typing import Any

import pytest

from arena.server.app.store import open_store
from tests.commands import running


@pytest.fixture
def arena(database: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    return running.arena


def test_rules_are_set_one_by_one_and_printed(arena: Any) -> None:
    none = {"bot_pace": None, "ranked_versions": None, "ranked_days": None, "transcript_days": None}
    none |= {"notice_days": 90}
    assert json.loads(arena("policy", "--json").stdout) == none
    assert "A bot plays as many matches as it can." in arena("policy").stdout
    said = arena("policy", "--pace", "60", "--ranked-versions", "2").stdout
    assert "A bot plays at most 60 rated matches an hour." in said
    said = arena("policy", "--ranked-days", "30", "--transcript-days", "90").stdout
    assert "Ranked are of each bot: newest 2 that played within 30 days." in said
    assert "besides those of tournaments and events: those of the last 90 days." in said
    said = arena("policy", "--notice-days", "all").stdout
    assert "Notices kept, besides those in feeds: all." in said
    arena("policy", "--notice-days", "90")
    found = json.loads(arena("policy", "--pace", "max", "--ranked-days", "all", "--json").stdout)
    assert found == none | {"ranked_versions": 2, "transcript_days": 90}


@pytest.mark.parametrize(
    ("option", "given", "why"),
    [
        ("--pace", "0", "write 1 to 1,000,000 matches an hour, such as 60, or max"),
        ("--ranked-versions", "none", "write 1 to 100,000, or all"),
        ("--transcript-days", "-1", "write 1 to 100,000, or all"),
    ],
)
def test_what_is_no_rule_is_refused_and_changes_nothing(
    arena: Any, option: str, given: str, why: str
) -> None:
    found = arena("policy", "--ranked-days", "3", option, given)
    assert found.exit_code == 2
    assert f"{option} {given}: {why}." in " ".join(found.stderr.split())
    assert json.loads(arena("policy", "--json").stdout)["ranked_days"] is None


def test_the_operator_limits_a_bot(arena: Any, database: str) -> None:
    async def register() -> None:
        async with open_store(database) as store:
            await store.register("fox", "Ann")

    asyncio.run(register())
    said = arena("bot", "pace", "fox", "60", "--operator").stderr
    assert "fox plays at most 60 rated matches an hour." in said
    (line,) = json.loads(arena("bot", "list", "--operator", "--json").stdout)
    assert line["pace"] == 60
    assert "plays at most 60 rated matches" in arena("bot", "show", "fox", "--operator").stdout
    assert arena("bot", "pace", "nobody", "60", "--operator").exit_code == 2
    assert arena("bot", "pace", "fox", "fast", "--operator").exit_code == 2
