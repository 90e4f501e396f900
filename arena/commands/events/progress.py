"""`arena event progress`: how far a final is, for the organiser."""

from typing import TYPE_CHECKING

from arena.commands.errors import CommandError, exit_with_message
from arena.commands.events.entering import AsJson, EventName
from arena.commands.terminal import say, say_json
from arena.moments import in_utc, in_words

if TYPE_CHECKING:
    from arena.server.app.store import Store
    from arena.server.events.event import Event
    from arena.server.events.final_progress import FinalProgress


def progress(name: EventName, as_json: AsJson = False) -> None:
    """Show how long an event's final takes and how far it is, for the organiser."""
    from arena.commands.database import with_store

    async def use(store: "Store") -> "tuple[Event, str, FinalProgress]":
        event, now = await store.events.named(name)
        return event, event.phase(now).value, await store.finals.progress(event)

    event, phase, found = with_store(use)
    if event.released_at is not None or event.cancelled_at is not None:
        with exit_with_message():
            raise CommandError(
                f"{event.name} is {phase}: nothing is to be played any more."
                + f" See `arena tournament standings {event.tournament}`." * bool(event.tournament)
            )
    if as_json:
        say_json(
            {
                "event": event.name,
                "phase": phase,
                "bots": found.bots,
                "blocks": found.blocks,
                "matches": found.matches,
                "played": found.played,
                "playing": found.playing,
                "walkovers": found.walkovers,
                "seconds_left": None if found.left is None else found.left.total_seconds(),
                "why_not": found.why_not,
            }
        )
        return
    for line in _lines(event, found):
        say(line)


def _lines(event: "Event", found: "FinalProgress") -> list[str]:
    size = f"{found.bots} bots, {found.blocks:,} deal blocks, {found.matches:,} matches"
    if found.why_not:
        return [
            f"{event.name}: {found.bots} bots have an accepted build, and cannot play the final: "
            f"{found.why_not}."
        ]
    if event.began_at is None:
        assert found.left is not None
        return [
            f"{event.name}: the final begins at {in_utc(event.said.dates.final)}: {size}.",
            f"One slot of a worker takes about {in_words(found.left)} if bots answer at once, N "
            "slots a part of N; bots that think take longer.",
        ]
    if event.ended_at is not None:
        return [
            f"{event.name}: all is played since {in_utc(event.ended_at)}: {size}, "
            f"{found.walkovers} walkovers. Results at {in_utc(event.said.dates.results)}."
        ]
    left = "no block is played yet (workers end the shifts first that run)"
    if found.left is not None:
        left = f"{in_words(found.left)} left at the pace so far"
    return [
        f"{event.name}: {found.played:,} of {found.blocks:,} deal blocks are played, "
        f"{found.playing} are being played, {found.walkovers} pairings are walkovers; {left}.",
    ]
