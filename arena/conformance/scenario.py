"""`Scenario`: something that happens to a bot, and what a bot that conforms does."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from arena.conformance.scripted_referee import ScriptedReferee

Play: TypeAlias = Callable[[ScriptedReferee], Awaitable[str]]
"""Plays the script. Returns what was seen, in a few words; raises UnmetError."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One check."""

    name: str
    expected: str
    """The course of the scenario: what the referee does, and what the bot must do."""
    play: Play
    needs_program: str = ""
    """Why only a program that the check itself started can be checked so; empty if any bot can."""
    stays_away: bool = False
    """Whether a bot that conforms does not come back for another scenario."""
