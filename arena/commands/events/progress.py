"""`arena event progress`: how far a final is, for the organiser."""

from typing import TYPE_CHECKING

from arena.commands.events.organising import EventName, OrganiserAddress, organiser_at
from arena.commands.options import AsJson
from arena.commands.terminal import members, say, say_json
from arena.moments import in_utc, in_words, iso_utc
from arena.wording import number_of

if TYPE_CHECKING:
    from arena.clients.organiser_client import ProgressSeen


def progress(name: EventName, address: OrganiserAddress = "", as_json: AsJson = False) -> None:
    """Show how long an event's final takes and how far it is, for the organiser."""
    found = organiser_at(address).progress(name)
    if as_json:
        say_json(
            {
                "event": found.event.name,
                "phase": found.event.phase,
                **members(found, "bots", "blocks", "matches", "played", "playing", "walkovers"),
                "seconds_left": None if found.left is None else found.left.total_seconds(),
                "ended": None if found.ended is None else iso_utc(found.ended),
                "why_not": found.why_not,
            }
        )
        return
    for line in lines(found):
        say(line)


def lines(found: "ProgressSeen") -> list[str]:
    """Return how far a final is, in sentences."""
    event = found.event
    if found.why_not:
        bots = number_of(found.bots, "bot has", "bots have")
        return [
            f"{event.name}: {bots} an accepted build, and cannot play the final: {found.why_not}."
        ]
    size = (
        f"{number_of(found.bots, 'bot')}, {number_of(found.blocks, 'deal block')}, "
        f"{number_of(found.matches, 'match', 'matches')}"
    )
    if event.phase in ("announced", "open", "frozen"):
        assert found.left is not None
        return [
            f"{event.name}: the final begins at {in_utc(event.final)}: {size}.",
            f"One slot of a worker takes about {in_words(found.left)} if bots answer at once, N "
            "slots a part of N; bots that think take longer.",
        ]
    if found.ended is not None:
        return [
            f"{event.name}: all is played since {in_utc(found.ended)}: {size}, "
            f"{number_of(found.walkovers, 'walkover')}. Results at {in_utc(event.results)}."
        ]
    left = "no block is played yet (workers first finish their running shifts)"
    if found.left is not None:
        left = f"{in_words(found.left)} left at the pace so far"
    return [
        f"{event.name}: {found.played:,} of {number_of(found.blocks, 'deal block')} are played, "
        f"{number_of(found.playing, 'is', 'are')} being played, "
        f"{number_of(found.walkovers, 'pairing is a walkover', 'pairings are walkovers')}; {left}.",
    ]
