"""What `arena event matches` says below its table."""

from datetime import UTC, datetime

from arena.clients.event_client import EventMatch
from arena.commands.events.viewing import about_older


def test_a_list_of_matches_says_how_to_see_older_ones_and_whose_transcript_is_gone() -> None:
    newer, older = (
        EventMatch(f"m{block}", block, datetime.now(UTC), (), kept=block > 8) for block in (9, 8)
    )
    assert about_older([newer]) == "Older ones: --before 9."
    said = about_older([newer, older])
    assert said.startswith("Older ones: --before 8. 1 of these have no transcript any more")
