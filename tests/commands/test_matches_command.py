"""`arena matches` with filters and orders, on a database."""

import asyncio
import json
from functools import partial
from typing import Any

import pytest

from arena.records import FinishedMatch
from arena.server.results.bluffing import bluffing_of
from tests.commands import running
from tests.dashboard.played import anyhow, fill, silent

arena = partial(running.arena, "matches")


def listed(*words: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(arena(*words, "--limit", 100, "--json").output)
    return found


@pytest.fixture
def played(database: str, monkeypatch: pytest.MonkeyPatch) -> list[FinishedMatch]:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    matches = asyncio.run(fill(database, blocks=8))
    gone = [("beta", anyhow), ("gone", silent)]
    return matches + asyncio.run(fill(database, blocks=1, game="bluff_you", policies=gone))


def test_matches_are_filtered_as_on_the_dashboard(played: list[FinishedMatch]) -> None:
    assert len(listed()) == len(played)
    found = listed("--bot", "alpha", "--opponent", "BETA")
    assert found
    assert all({one["bot"] for one in match["seats"]} == {"alpha", "beta"} for match in found)
    assert {match["game"] for match in listed("--faults")} == {"bluff_you"}
    assert listed("--seats", 3) == []
    assert listed("--since", "2026-05-02") == []
    assert len(listed("--until", "2026-05-02")) == len(played)


def test_matches_are_sorted_by_the_boldest_bluff(played: list[FinishedMatch]) -> None:
    boldest = {
        match.transcript.setup.match_id: bluffing_of(match.transcript).boldest for match in played
    }
    sizes = []
    for match in listed("--sort", "boldest"):
        claim = boldest[match["match_id"]]
        assert claim is not None
        assert match["boldest_bluff"] == {
            "seat": claim.seat,
            "step": claim.step,
            "off": claim.off,
        }
        sizes.append(claim.off)
    assert sizes == sorted(sizes, reverse=True)
    assert "dice short" in arena("--sort", "boldest").output
    assert {match["boldest_bluff"] for match in listed()} == {None}
    assert "closest" in arena("--sort", "oddest").output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--opponent", "nobody"), "--opponent nobody: there is no such bot; the bots are alpha"),
        (("--tournament", "none"), "--tournament none: there is no such tournament"),
    ],
)
def test_a_name_that_does_not_exist_is_refused(
    played: list[FinishedMatch], words: tuple[str, ...], message: str
) -> None:
    result = arena(*words)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
