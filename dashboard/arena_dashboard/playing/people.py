"""`People`, the people who play in a browser: sessions by secret keys, limited in number.

A page holds a stream of news open (`routes`). When no page of a session has had one for a while,
the session gives up its match and leaves.
"""

import asyncio
import os
import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any, Final

from arena.addresses import host_port
from arena.errors import UserError
from arena.games import GAMES
from arena.match.clock import TimeControl
from arena.person.play_endpoint import PlayEndpoint, Rival, Wanted
from arena.settings import read_settings
from arena_dashboard.playing.deadline import Deadline

MOST_PEOPLE: Final = 6
"""The most people at once. All are instances of one version; a referee admits 8 of a version."""
MOST_OF_AN_ADDRESS: Final = 3
"""The most people from one address, so that no visitor takes all places."""
AWAY_SECONDS: Final = 45.0
"""The seconds that a page may lack its stream of news: enough for a reload or a locked screen."""
IDLE_SECONDS: Final = 900.0
"""The seconds that a session may be without a match."""
COOKIE: Final = "arena_person"
"""The name of the cookie with the key of the person who plays in this browser."""

BANK_SECONDS: Final = 120
"""The time bank of a person's match."""


def wanted(
    game: str, opponents: Sequence[str], turn_seconds: int, options: Mapping[str, Any]
) -> Wanted:
    """Return the request for a person's match; `options` differ from the game's defaults."""
    control = TimeControl(1000 * turn_seconds, 1000 * BANK_SECONDS)
    return Wanted(game, tuple(opponents), options=options, time_control=control)


class TooManyPeopleError(UserError):
    """As many people as allowed play already."""


class Person:
    """A person who plays, and the pages that show the session."""

    def __init__(self, door: PlayEndpoint, wanted: Wanted, address: str) -> None:
        self.address = address
        """The visitor's address, in the form of `addresses.network_of`."""
        self.key = secrets.token_urlsafe(24)
        """The secret that lets a browser play. It is in a cookie and a header, never in a URL."""
        self.wanted = wanted
        self.goes = False
        """Whether the person has asked to leave."""
        self._instance = f"person-{secrets.token_hex(4)}"
        self.session = door.session(self._instance, tuple(GAMES), self._wake)
        self._watching: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}
        self._lock = threading.Lock()
        self._leaving = Deadline(self.session.leave)

    def sit_down(self) -> None:
        """Connect to the referee and ask for a match. Raises ChallengeError."""
        self.session.open()
        try:
            self.play()
        except BaseException:
            self.session.leave()
            raise
        self._leaving.set(AWAY_SECONDS)

    def play(self) -> None:
        """Ask for a match, for the first time or again. Raises ChallengeError."""
        self.session.challenge(replace(self.wanted, instance=self._instance))

    def go(self) -> None:
        """Leave for good, and give up the match if one is running."""
        self.goes = True
        self.session.leave()

    @property
    def idle(self) -> bool:
        """Whether no page is open and no match is being played."""
        seat = self.session.seat
        return not self._watching and not self.session.awaited and (seat is None or seat.over)

    @contextmanager
    def news(self) -> Iterator[asyncio.Event]:
        """Count a page as open, and yield an event that is set whenever there is news.

        The page counts until the block is left.
        """
        event = asyncio.Event()
        event.set()
        with self._lock:
            self._watching[event] = asyncio.get_running_loop()
        self._leaving.set(IDLE_SECONDS)
        try:
            yield event
        finally:
            with self._lock:
                del self._watching[event]
                nobody = not self._watching
            if nobody:
                self._leaving.set(AWAY_SECONDS)

    def _wake(self) -> None:
        with self._lock:
            watching = list(self._watching.items())
        for event, loop in watching:
            loop.call_soon_threadsafe(event.set)
        if watching:
            self._leaving.set(IDLE_SECONDS)


class People:
    """All people who play through this process."""

    def __init__(self, door: PlayEndpoint) -> None:
        self._door = door
        self._people: dict[str, Person] = {}
        self._lock = threading.Lock()

    def sit_down(self, wanted: Wanted, address: str) -> Person:
        """Begin the session of a visitor from an address (`addresses.network_of`), and return it.

        Raises TooManyPeopleError and ChallengeError.
        """
        person = Person(self._door, wanted, address)
        with self._lock:
            self._people = {key: one for key, one in self._people.items() if one.session.alive}
            here = [one for one in self._people.values() if not one.session.leaving]
            near = [one for one in here if one.address == address]
            if len(near) >= MOST_OF_AN_ADDRESS:
                _make_room(near, f"{MOST_OF_AN_ADDRESS} people from your address play already")
            elif len(here) >= MOST_PEOPLE:
                _make_room(here, f"{MOST_PEOPLE} people play already")
            self._people[person.key] = person
        try:
            person.sit_down()
        except BaseException:
            with self._lock:
                self._people.pop(person.key, None)
            raise
        return person

    def person(self, key: str) -> Person | None:
        """Return the person with this key; None if it is unknown or the person has left."""
        person = self._people.get(key)
        return person if person is not None and not person.session.leaving else None

    def missed(self, key: str) -> str | None:
        """Return the newest match of the person with this key if it was lost by being away.

        None if the person is unknown, still here, or has asked to leave.
        """
        person = self._people.get(key)
        if person is None or person.goes or not person.session.leaving:
            return None
        seat = person.session.seat
        return None if seat is None else seat.match_id

    def rivals(self) -> list[Rival]:
        """Return the bots that can be played against now. Raises ChallengeError."""
        return self._door.rivals()


def _make_room(people: Sequence[Person], full: str) -> None:
    """Make an idle person leave; if there is none, raise TooManyPeopleError with `full`."""
    idle = next((one for one in people if one.idle), None)
    if idle is None:
        raise TooManyPeopleError(f"{full}, which is the limit. Try again in a while.")
    idle.session.leave()


@cache
def people() -> People | None:
    """Return the people of this process; None if it was given no token to play with.

    Raises SettingsError and AddressError.
    """
    settings = read_settings()
    if settings.person_token is None:
        return None
    address = os.environ.get("ARENA_ADDRESS") or host_port(settings.host, settings.port)
    return People(PlayEndpoint(address, os.environ, settings.person_token))
