"""The commands of `arena event` for everybody and for owners, over the wire."""

from dataclasses import asdict
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.addresses import DEFAULT_ADDRESS
from arena.commands.errors import CommandError
from arena.commands.events.organising import EventName, OrganiserAddress, organiser_at
from arena.commands.options import AddressOption, AsJson
from arena.commands.owners.logins import client_of, kept_login, login_at
from arena.commands.terminal import say, say_json, say_table
from arena.moments import in_utc, in_words, iso_utc
from arena.wording import number_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.clients.event_client import EventSeen


def list_events(address: AddressOption = DEFAULT_ADDRESS, as_json: AsJson = False) -> None:
    """List the events, newest first; private ones to their members alone."""
    found = client_of(address).events(key=key_at(address))
    _print_list(
        found,
        as_json=as_json,
        otherwise="There is no event yet: `arena event example` "
        "prints one to begin with. `arena event organised` lists those that you organise.",
    )


def organised(address: OrganiserAddress = "", as_json: AsJson = False) -> None:
    """List the events that you organise, private ones too, newest first."""
    found, _ = organiser_at(address).events()
    _print_list(found, as_json=as_json, otherwise="You organise no event.")


def _print_list(found: "Sequence[EventSeen]", *, as_json: bool, otherwise: str) -> None:
    if as_json:
        # The list omits the events' texts; only `show` has them.
        say_json([{k: v for k, v in event_json(one).items() if k != "text"} for one in found])
        return
    if not found:
        say(otherwise)
        return
    rows = (
        (one.name, one.title, one.phase, one.entries, in_utc(one.freezes), in_utc(one.results))
        for one in found
    )
    say_table(("event", "title", "phase", "entries", "freeze", "results"), rows)


def show(
    name: EventName, address: AddressOption = DEFAULT_ADDRESS, as_json: AsJson = False
) -> None:
    """Show an event: its dates, its phase, how many have entered."""
    found = client_of(address).events(name, key=key_at(address))
    if not found:
        raise CommandError(
            f"there is no event {name} that you may see: `arena event list` has them."
        )
    if as_json:
        say_json(event_json(found[0]))
    else:
        _print(found[0])


def enter(
    name: EventName,
    bot: Annotated[str, typer.Argument(help="Your bot.")],
    code: Annotated[str, typer.Option(help="The organiser's code, where one is needed.")] = "",
    team: Annotated[str, typer.Option(help="The name to enter under; by default yours.")] = "",
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """Enter a bot of yours, in the place of the one that you entered before."""
    key = login_at(address).key
    entered = client_of(address).enter(key, name, bot, code=code, team=team)
    event, version = entered.event, entered.version
    if as_json:
        told = {"bot": bot, "version": version or None, "notices": list(entered.notices)}
        say_json(event_json(event) | told)
        return
    now = (
        f"Its version {version} would play the final now"
        if version
        else "It has no version that plays, or no accepted build, so it would not play the final"
    )
    say(f"{bot} is entered in {event.name}. {now}.")
    for notice in entered.notices:
        say(notice, err=True)


def leave(name: EventName, address: AddressOption = DEFAULT_ADDRESS) -> None:
    """Take your bot out of an event, before its freeze."""
    client_of(address).leave(login_at(address).key, name)
    say(f"Your bot is not entered in {name} any more.")


def event_json(event: "EventSeen") -> dict[str, Any]:
    """Return an event as JSON; dates in the ISO form, the time left until the freeze in seconds."""
    found = asdict(event)
    for name in ("opens", "freezes", "final", "results"):
        found[name] = iso_utc(found[name])
    found["left"] = round(event.left.total_seconds())
    return found


def _print(event: "EventSeen") -> None:
    say(f"{event.name}: {event.title}")
    if event.text.strip():
        say(event.text.strip())
    how = "; any owner with the organiser's code may" if event.needs_code else ""
    how = "; those of its roster may" if event.roster_only else how
    bots = number_of(event.entries, "bot has", "bots have")
    say(f"Phase: {event.phase}. {bots} entered{how}.")
    for word, moment in (
        ("Entries open", event.opens),
        ("Builds are fixed", event.freezes),
        ("The final begins", event.final),
        ("Results are out", event.results),
    ):
        say(f"{word}: {in_utc(moment)}")
    if event.left:
        say(f"Left until the freeze: {in_words(event.left)}")
    limits = event.limits
    for what, most in (
        ("people in a team", limits.members),
        ("builds of a bot in a day (UTC)", limits.builds),
        ("bots in all", limits.bots),
    ):
        if most is not None:
            say(f"At most {most} {what}")
    if event.live:
        say("The final is live: its matches are public as they are played.")
    if event.connected:
        say(
            "Bots may connect from their owners' machines: the freeze fixes the version of such a "
            "bot, not its program. A referee conducts the final, by seat blocks."
        )
    if event.ladder:
        say(f"It has a ladder of its own: `arena event ladder {quote(event.name)}` shows it.")
    if event.private:
        say("Its members alone see it.")
    say(f"SHA-256 of the final's seed: {event.commitment}")
    if event.seed:
        say(f"The seed: {event.seed}")
    if event.phase == "released":
        say(f"`arena event standings {quote(event.name)}` prints the standings.")


def key_at(address: str) -> str:
    """Return the key of the owner who is signed in at a referee; "" without one."""
    found = kept_login(address)
    return "" if found is None else found.key
