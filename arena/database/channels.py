"""The channels of LISTEN and NOTIFY on which processes announce changes to each other."""

RESULTS_CHANNEL = "arena_results"
"""Notified after every batch of results."""

TOKENS_CHANNEL = "arena_tokens"
"""Notified when a token ceases to be valid: streams opened with it must end.

The payload is the id of the version; an empty payload means that any version may be concerned.
"""

TOURNAMENTS_CHANNEL = "arena_tournaments"
"""Notified when a tournament is created, paired, or changes its state. The payload is its id."""

EVENTS_CHANNEL = "arena_events"
"""Notified when an event is created, changed, frozen, played or released. The payload is its id.

Also notified when a block of a live final is handed in, with another payload.
"""

NOTICES_CHANNEL = "arena_notices"
"""Notified when there are new notices to be delivered."""

REFEREES_CHANNEL = "arena_referees"
"""Notified when a referee starts, stops gracefully, or takes over from another."""
