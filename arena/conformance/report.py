"""Runs scenarios against a bot, each with a hard time limit."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from arena.conformance.checked_bots import AwaitingReferee, KeepingReferee, StartingReferee
from arena.conformance.dealing_scenarios import SCENARIOS as OF_THE_DEALING
from arena.conformance.news_scenarios import SCENARIOS as OF_NEWS
from arena.conformance.play_scenarios import SCENARIOS as OF_PLAY
from arena.conformance.scenario import Scenario
from arena.conformance.scripted_referee import GoneError, ScriptedReferee, UnmetError
from arena.conformance.stream_scenarios import SCENARIOS as OF_STREAMS
from arena.local.programs.program import CONNECT_SECONDS

SCENARIOS: Final = (*OF_PLAY, *OF_NEWS, *OF_THE_DEALING, *OF_STREAMS)
PRINT_SECONDS: Final = 0.5
"""The wait after a failure, as the program's output about it may still pass through a sandbox."""
SCENARIO_SECONDS: Final = 60.0
"""The time after which a scenario has failed."""


@dataclass(frozen=True, slots=True)
class ScenarioOutcome:
    """The outcome of one scenario."""

    scenario: Scenario
    met: bool
    seen: str
    seconds: float
    log: Path | None
    """The output of the program, if it was started here."""


Tell: TypeAlias = Callable[[ScenarioOutcome], None]
"""Called when a scenario is over."""


async def check(
    command: Sequence[str],
    logs: Path,
    scenarios: Sequence[Scenario] = SCENARIOS,
    tell: Tell = lambda _outcome: None,
    *,
    seconds: float = SCENARIO_SECONDS,
    connect_seconds: float = CONNECT_SECONDS,
    address: str = "127.0.0.1:0",
) -> list[ScenarioOutcome]:
    """Run scenarios one after the other.

    A new program is started for each, and connects to `address`.
    """
    outcomes = []
    for scenario in scenarios:
        log = logs / f"{scenario.name.replace(' ', '-').replace(chr(39), '')}.log"
        referee = StartingReferee(command, log, address)
        referee.connect_seconds = connect_seconds
        async with referee.listening():
            outcomes.append(await _outcome(referee, scenario, seconds))
        tell(outcomes[-1])
    return outcomes


async def check_kept(
    referee: KeepingReferee, scenario: Scenario, *, seconds: float = SCENARIO_SECONDS
) -> ScenarioOutcome:
    """Run a scenario with the program of a listening referee.

    The program is started if it does not run, and killed if it fails or stays away.
    """
    outcome = await _outcome(referee, scenario, seconds)
    if scenario.stays_away or not outcome.met:
        referee.kill()
    return outcome


async def check_running(
    referee: AwaitingReferee,
    scenarios: Sequence[Scenario],
    tell: Tell = lambda _outcome: None,
    *,
    seconds: float = SCENARIO_SECONDS,
) -> list[ScenarioOutcome]:
    """Run scenarios one after the other with the bot that connects to the listening referee."""
    outcomes = []
    for scenario in scenarios:
        outcomes.append(await _outcome(referee, scenario, seconds))
        if not outcomes[-1].met:
            referee.end_streams()  # leftovers of this scenario must not reach the next
        tell(outcomes[-1])
    return outcomes


async def _outcome(referee: ScriptedReferee, scenario: Scenario, seconds: float) -> ScenarioOutcome:
    began = asyncio.get_running_loop().time()
    met, seen = False, ""
    try:
        async with asyncio.timeout(seconds):
            seen = await scenario.play(referee)
            met = True
    except UnmetError as error:
        seen = f"{error}{await referee.fate() if isinstance(error, GoneError) else ''}"
        if referee.log is not None:
            await asyncio.sleep(PRINT_SECONDS)
    except TimeoutError:
        waited = f", but waited for {referee.awaited}" if referee.awaited else ""
        seen = f"the scenario did not finish within {seconds:g} s{waited}"
    took = asyncio.get_running_loop().time() - began
    return ScenarioOutcome(scenario, met, seen, took, referee.log)
