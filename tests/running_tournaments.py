"""Tournaments that run, in a database."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arena.match.score_rule import ScoreRule
from arena.records import VersionId
from arena.scheduling.formats import FormatName
from arena.server.app.store import Store
from arena.server.tournaments.tournament import Rules, Tournament, TournamentState
from arena.server.tournaments.tournaments import NewEntry

RULES = Rules(
    FormatName.ROUND_ROBIN, "bluff", {}, 2, 1, None, ScoreRule.PLACEMENT, "s", rated=False
)


async def begun(
    store: Store, versions: Sequence[VersionId], name: str = "cup", **rules: Any
) -> Tournament:
    """Create and start a tournament of these versions by RULES, with `rules` instead of some."""
    entries = [NewEntry(version, None) for version in versions]
    made = await store.tournaments.create(name, replace(RULES, **rules), entries)
    running = TournamentState.RUNNING
    await store.tournaments.change_state(name, running)
    return made
