"""Runs scenarios against a program, each with a hard limit of time."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.conformance.match_scenarios import SCENARIOS as OF_MATCHES
from arena.conformance.scenario import Scenario
from arena.conformance.scripted_referee import ScriptedReferee, UnmetError
from arena.conformance.stream_scenarios import SCENARIOS as OF_STREAMS
from arena.conformance.tampering_scenario import TAMPERING

SCENARIOS: Final = (*OF_MATCHES, TAMPERING, *OF_STREAMS)
SCENARIO_SECONDS: Final = 60.0
"""After so long a scenario has failed, whatever the bot does."""


@dataclass(frozen=True, slots=True)
class ScenarioOutcome:
    """How a scenario went."""

    scenario: Scenario
    met: bool
    seen: str
    seconds: float
    log: Path
    """What the program printed."""


async def check(
    command: Sequence[str],
    logs: Path,
    scenarios: Sequence[Scenario] = SCENARIOS,
    tell: Callable[[ScenarioOutcome], None] = lambda _outcome: None,
    *,
    seconds: float = SCENARIO_SECONDS,
) -> list[ScenarioOutcome]:
    """Run scenarios one after the other, each with a program of its own."""
    outcomes = []
    for scenario in scenarios:
        outcome = await _run(command, logs, scenario, seconds)
        tell(outcome)
        outcomes.append(outcome)
    return outcomes


async def _run(
    command: Sequence[str], logs: Path, scenario: Scenario, seconds: float
) -> ScenarioOutcome:
    log = logs / f"{scenario.name.replace(' ', '-').replace(chr(39), '')}.log"
    began = asyncio.get_running_loop().time()
    referee = ScriptedReferee(command, log)
    met, seen = False, ""
    try:
        async with referee.listening(), asyncio.timeout(seconds):
            seen = await scenario.play(referee)
            met = True
    except UnmetError as error:
        seen = str(error)
    except TimeoutError:
        seen = f"it was not through after {seconds:g} s"
    return ScenarioOutcome(scenario, met, seen, asyncio.get_running_loop().time() - began, log)
