"""`People`: who plays in a browser: sessions by secret keys, limited in number.

A page holds a stream of news open (`routes`). When it has had none for a while, its session gives
up its match and leaves.
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
"""People at once. Each is an instance of one version, of which a referee admits 8."""
MOST_OF_AN_ADDRESS: Final = 3
"""The most people from one address: nobody takes all places alone."""
AWAY_SECONDS: Final = 45.0
"""How long a page may be without its stream of news: a reload or a phone's lock fits in."""
IDLE_SECONDS: Final = 900.0
"""How long a session may be without a match."""
COOKIE: Final = "arena_person"
"""Its value is the key of the person who plays in this browser."""

BANK_SECONDS: Final = 120
"""The time bank of a person's match."""


def wanted(
    game: str, opponents: Sequence[str], turn_seconds: int, options: Mapping[str, Any]
) -> Wanted:
    """Return a person's match; `options` are those that differ from the game's defaults."""
    control = TimeControl(1000 * turn_seconds, 1000 * BANK_SECONDS)
    return Wanted(game, tuple(opponents), options=options, time_control=control)


class TooManyPeopleError(UserError):
    """Raised when too many people play already."""


class Person:
    """One person and the pages that show the session."""

    def __init__(self, door: PlayEndpoint, wanted: Wanted, address: str) -> None:
        self.address = address
        """The visitor's address, as `streams.network_of`."""
        self.key = secrets.token_urlsafe(24)
        """The key of the person: who knows it plays. It is in the cookie and in a header, and in no
        address."""
        self.wanted = wanted
        self.goes = False
        """Whether the person has said so."""
        self._instance = f"person-{secrets.token_hex(4)}"
        self.session = door.session(self._instance, tuple(GAMES), self._wake)
        self._watching: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}
        self._lock = threading.Lock()
        self._leaving = Deadline(self.session.leave)

    def sit_down(self) -> None:
        """Connect and ask for a match. Raises ChallengeError."""
        self.session.open()
        try:
            self.play()
        except BaseException:
            self.session.leave()
            raise
        self._leaving.set(AWAY_SECONDS)

    def play(self) -> None:
        """Ask for a match, once more. Raises ChallengeError."""
        self.session.challenge(replace(self.wanted, instance=self._instance))

    def go(self) -> None:
        """Leave for good: give up the match, if one runs."""
        self.goes = True
        self.session.leave()

    @property
    def idle(self) -> bool:
        """Whether no page is open and no match is being played."""
        seat = self.session.seat
        return not self._watching and not self.session.awaited and (seat is None or seat.over)

    @contextmanager
    def news(self) -> Iterator[asyncio.Event]:
        """Yield an event that is set whenever there are news.

        Until the block is left, a page is open.
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
    """All who play by this process."""

    def __init__(self, door: PlayEndpoint) -> None:
        self._door = door
        self._people: dict[str, Person] = {}
        self._lock = threading.Lock()

    def sit_down(self, wanted: Wanted, address: str) -> Person:
        """Let somebody play, a visitor from an address (`streams.network_of`).

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
        """Return the person with this key, unless that person has left."""
        person = self._people.get(key)
        return person if person is not None and not person.session.leaving else None

    def missed(self, key: str) -> str | None:
        """Return the newest match of the person with this key, who was away for too long."""
        person = self._people.get(key)
        if person is None or person.goes or not person.session.leaving:
            return None
        seat = person.session.seat
        return None if seat is None else seat.match_id

    def rivals(self) -> list[Rival]:
        """Return the bots that can be played against now.

        Raises ChallengeError.
        """
        return self._door.rivals()


def _make_room(people: Sequence[Person], full: str) -> None:
    """Let one go who does not play. Raises TooManyPeopleError."""
    idle = next((one for one in people if one.idle), None)
    if idle is None:
        raise TooManyPeopleError(f"{full}, the most at once. Try again in a while.")
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
