"""What an owner is told of a build, in words."""

from datetime import UTC, datetime

import pytest

from arena.builds.hosted import BuildState, HostedBuild


@pytest.mark.parametrize(
    ("state", "reason", "plays", "running", "words"),
    [
        ("checking", "", False, False, "waits for its check"),
        ("checking", "no machine", False, False, "waits for its check: no machine"),
        ("checking", "", False, True, "is being checked"),
        ("checking", "starts", False, True, "checking: starts"),
        ("refused", "It did not start.", False, False, "refused"),
        ("accepted", "", False, False, "accepted"),
        ("accepted", "", True, True, "plays"),
    ],
)
def test_the_words_say_what_it_waits_for(
    state: str, reason: str, plays: bool, running: bool, words: str
) -> None:
    seen = HostedBuild(
        *("mine", "1", bytes(32), 10, datetime(2026, 1, 1, tzinfo=UTC), BuildState(state), reason),
        plays=plays,
        kept=True,
        running=running,
    )
    assert seen.in_words == words
