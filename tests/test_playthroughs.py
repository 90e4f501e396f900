"""Every game plays today as it did when a person last looked."""

from difflib import unified_diff

import pytest

from arena.games import GAMES
from tests.playthroughs.recording import PLAYTHROUGHS, Playthrough, recorded


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_playthrough(name: str) -> None:
    assert name in {playthrough.case.name for playthrough in PLAYTHROUGHS}, (
        f"{name} has no playthrough in tests/playthroughs/recording.py"
    )


@pytest.mark.parametrize("playthrough", PLAYTHROUGHS, ids=lambda each: each.file)
def test_a_match_looks_as_it_did(playthrough: Playthrough) -> None:
    stored = playthrough.path.read_text(encoding="utf-8").splitlines()
    now = recorded(playthrough).splitlines()
    difference = "\n".join(unified_diff(stored, now, "stored", "now", lineterm=""))
    assert not difference, (
        f"{playthrough.file}.txt differs. If this is meant, write it anew with "
        f"`python -m tests.playthroughs.write` and look at the change:\n{difference}"
    )
