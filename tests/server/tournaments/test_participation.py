"""Why a version cannot play in a tournament: from what is known of it, and from a real Postgres."""

from types import SimpleNamespace
from typing import Any, cast

import psycopg
import pytest

from arena.records import Presence, VersionId
from arena.server.app.referees_store import RefereesStore
from arena.server.app.store import Store
from arena.server.tournaments.participation import Participation, obstacle
from tests.databases import plain

PLAYS = {"owner": "ann", "bot": "bot", "state": None, "kept": False} | dict.fromkeys(
    ("retired", "banned", "frozen", "paused"), False
)


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({}, ""),
        ({"retired": True}, "is retired"),
        ({"banned": True}, "belongs to an owner that is banned: `arena owner ban --undo ann`"),
        ({"frozen": True}, "is frozen by the operator: `arena bot freeze --undo bot`"),
        ({"paused": True}, "is paused by its owner, who lets it play by `arena bot resume bot`"),
        ({"state": "refused", "kept": True}, "was refused by its check"),
        ({"state": "checking", "kept": True}, "has not passed its check yet"),
        ({"state": "accepted", "kept": True}, ""),
        ({"state": "accepted"}, "has no build any more"),
    ],
    ids=str,
)
def test_what_keeps_a_version_from_playing_is_said(known: dict[str, Any], words: str) -> None:
    said = obstacle(cast(Any, SimpleNamespace(**PLAYS | known)))
    assert said.startswith(words)
    assert bool(said) == bool(words)


async def test_why_a_version_cannot_play_is_told_with_what_to_do(
    store: Store, versions: tuple[VersionId, ...], database: str
) -> None:
    def told(found: dict[VersionId, Participation]) -> tuple[str, str]:
        return found[versions[0]].obstacle, found[versions[0]].absence

    assert told(await store.tournament_bots.participation(versions, "bluff")) == (
        "",
        "no referee runs",
    )
    for change, why, absence in (
        ("paused_at = now()", "is paused by its owner", "paused by its owner"),
        ("frozen_at = now()", "is frozen by the operator", "frozen by the operator"),
        ("retired_at = now()", "is retired", "retired"),
    ):
        with psycopg.connect(plain(database)) as sql:
            sql.execute(
                f"UPDATE bots SET {change} FROM versions "
                "WHERE versions.bot_id = bots.id AND versions.id = %s",
                [versions[0]],
            )
        told_now = told(await store.tournament_bots.participation(versions, "bluff"))
        assert told_now[0].startswith(why) and told_now[1] == absence


async def test_a_version_is_said_not_to_be_connected_only_while_all_referees_tell(
    store: Store, referee: RefereesStore, versions: tuple[VersionId, ...], sql: psycopg.Connection
) -> None:
    for seconds, expected in (
        (-60, "not connected"),  # it has just told, however slow this test is
        (60, "not known: a referee does not respond"),
    ):
        sql.execute("UPDATE leases SET renewed_at = now() - make_interval(secs => %s)", [seconds])
        found = await store.tournament_bots.participation(versions, "bluff")
        assert {one.absence for one in found.values()} == {expected}


async def test_a_connected_version_is_absent_from_the_games_that_it_does_not_play(
    store: Store, referee: RefereesStore, versions: tuple[VersionId, ...]
) -> None:
    one = Presence(versions[0], "", connected=True, places=1, seats=0, games=("bluff",))
    await referee.tell_presence([one], [], anew=True)

    async def absence(game: str) -> str:
        return (await store.tournament_bots.participation(versions, game))[versions[0]].absence

    assert await absence("bluff") == ""
    assert await absence("bloeff") == "does not play Blöff"
