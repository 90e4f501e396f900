"""`Scenario`: something that happens to a bot, and the reaction of a conforming bot."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from arena.conformance.scripted_referee import ScriptedReferee

Play: TypeAlias = Callable[[ScriptedReferee], Awaitable[str]]
"""Plays the script. Returns what the bot did, in a few words; raises UnmetError."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One check."""

    name: str
    expected: str
    """The course of the scenario: what the referee does, and what the bot must do."""
    play: Play
    needs_program: str = ""
    """The reason why the check must start the program itself; "" if it works with any bot."""
    stays_away: bool = False
    """Whether a conforming bot does not reconnect for another scenario."""
