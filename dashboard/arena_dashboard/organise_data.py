"""What an organiser's page reads beside the referee's answers: public ratings."""

from arena.rating.ladder_id import LadderId
from arena.server.boards.board import table_sizes
from arena_dashboard import data, event_data
from arena_dashboard.organise_tables import Ratings


def ratings(name: str) -> Ratings:
    """Return the lines of the ladder at the tables of an event's final, by bot and version."""
    found = event_data.named(name)
    if found is None:  # private
        return {}
    rules = found.event.terms.rules
    ladder = LadderId.of(
        rules.game, rules.options, table_sizes(rules.seats), time_control=rules.time_control
    )
    return {(line.bot, line.version): line for line in data.leaderboard(ladder).lines}
