"""The compiled rules, for tests that need them."""

import os

import pytest

from arena.server.play.compiled import CompiledGame, installed_games


def compiled_games() -> dict[str, CompiledGame]:
    """Return the games that have compiled rules; skip the test where none are installed."""
    games = installed_games()
    if not games:
        assert "CI" not in os.environ, "compiled rules are required in CI: run `make fast`"
        pytest.skip("compiled rules are not installed: `make fast` builds them")
    return games
