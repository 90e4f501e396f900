"""What an organiser's page shows beside the participants: the ratings of their builds."""

from collections.abc import Sequence

from arena.clients.event_client import EventSeen
from arena.clients.organiser_client import ParticipantSeen
from arena.rating.ladder_id import LadderId
from arena.server.boards.board import table_sizes
from arena_dashboard.events import event_data
from arena_dashboard.events.organise_tables import Ratings
from arena_dashboard.reading import data


def ratings(event: EventSeen, participants: Sequence[ParticipantSeen]) -> Ratings:
    """Return the Elo of builds: on the event's own ladder, else at the tables of its final."""
    if event.ladder:
        return {
            (one.bot, one.version or one.plays): one.elo
            for one in participants
            if one.elo is not None
        }
    found = event_data.named(event.name)
    if found is None:
        return {}
    rules = found.event.terms.rules
    ladder = LadderId.of(
        rules.game, rules.options, table_sizes(rules.seats), time_control=rules.time_control
    )
    return {(line.bot, line.version): line.elo for line in data.leaderboard(ladder).lines}
