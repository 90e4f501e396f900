"""Why a version cannot play in a tournament, from what is known of it."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.server.tournaments.participation import obstacle

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
