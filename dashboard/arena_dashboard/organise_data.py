"""What an organiser's page shows beside the participants: the ratings of their builds."""

from arena.clients.event_client import EventSeen
from arena.clients.owner_client import OwnerCallError
from arena.rating.ladder_id import LadderId
from arena.server.boards.board import table_sizes
from arena_dashboard import data, event_data, owners
from arena_dashboard.organise_tables import Ratings


def ratings(event: EventSeen) -> Ratings:
    """Return the Elo of builds: on the event's own ladder, else at the tables of its final.

    Of a private event an operator who is no member of it sees none.
    """
    if event.ladder:
        client, visitor = owners.referee(), owners.visitor()
        if client is None or visitor is None:
            return {}
        try:
            lines = event_data.ladder(client, event.name, visitor.key)
        except OwnerCallError:
            return {}
        return {(line.entrant.bot, line.entrant.version): line.elo for line in lines}
    found = event_data.named(event.name)
    if found is None:
        return {}
    rules = found.event.terms.rules
    ladder = LadderId.of(
        rules.game, rules.options, table_sizes(rules.seats), time_control=rules.time_control
    )
    return {(line.bot, line.version): line.elo for line in data.leaderboard(ladder).lines}
