"""The check of a build, in a process of its own.

Run it as `python -m arena.worker.checking` with a CheckPlan as JSON on stdin. It writes lines of
JSON: each step, and finally the result.

The program runs in the sandbox; the referees that it meets are in this process.
"""

import asyncio
import json
import sys
from collections import deque
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from arena.conformance.checked_bots import KeepingReferee
from arena.conformance.report import SCENARIOS, ScenarioOutcome, check, check_kept
from arena.conformance.reporting import outcome_of
from arena.conformance.scenario import Scenario
from arena.conformance.scripted_referee import UnmetError
from arena.games import GAMES, KITS, make_game
from arena.local.deal_blocks import Lineup, NamedBot, Series
from arena.local.programs.program import BotProgramError
from arena.local.programs.table import ProgramTable
from arena.match.faults import FaultKind
from arena.records import CheckOutcome
from arena.worker.confine import confined_command
from arena.worker.limits import START_SECONDS
from arena.worker.logs import both_ends
from arena.worker.referee import ShiftEnd

HOSTED_SCENARIOS: Final = tuple(one for one in SCENARIOS if one.name != "drain")
"""The scenarios for hosted bots, without `drain`, as hosted bots are not asked to leave."""
MATCHES: Final = 20
"""The number of matches against a sample bot, after the scenarios."""
SCENARIO_SECONDS: Final = 120.0
"""The time after which a scenario has failed."""
AT_ONCE: Final = 3
"""The number of scenarios that run at once: they mostly wait."""
TAIL_LINES: Final = 6
"""The number of last lines of output that a reason for a refusal contains."""


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """The build to check, and where."""

    folder: Path
    """The folder with the build's files."""
    program: tuple[str, ...]
    """The command that starts the program in this folder."""
    scratch: Path
    """An empty folder, for sockets and for the program's output."""
    start_seconds: float = START_SECONDS
    """The time that the program may take to connect, as its ProgramTimer counts it."""

    def command(self, socket: Path) -> list[str]:
        """Return the command that starts the program in the sandbox."""
        return confined_command(self.folder, socket, list(self.program))

    def socket(self, name: str) -> Path:
        """Return the socket where the referee `name` listens."""
        return self.scratch / f"{name}.sock"

    def log(self, name: str) -> Path:
        """Return the file for the program's output with the referee `name`."""
        return self.scratch / f"{name}.log"


def check_build(plan: CheckPlan) -> ShiftEnd:
    """Start the program, play the scenarios of `arena check`, and matches against a sample bot.

    The reason for a refusal ends with the last lines that the program printed.
    """
    _tell("starts")
    try:
        games, outcomes = asyncio.run(_scenarios(plan))
    except UnmetError as error:
        return _refused(f"It did not start: {error}.", plan.log("0"))
    tried = [one.scenario for one in outcomes]
    outcome = outcome_of(outcomes, [one for one in SCENARIOS if one not in tried])
    for one in outcomes:
        if not one.met:
            assert one.log is not None
            said = f"expected: {one.scenario.expected} Seen: {one.seen}."
            return _refused(f"Scenario “{one.scenario.name}”: {said}", one.log, outcome)
    try:
        fault = _matches(plan, games[0])
    except BotProgramError as error:
        return ShiftEnd(str(error), both_ends(plan.log("bot")), False, outcome)
    if fault:
        return _refused(fault, plan.log("bot"), outcome)
    return ShiftEnd("Accepted.", both_ends(plan.log("bot")), True, outcome)


async def _scenarios(plan: CheckPlan) -> tuple[list[str], list[ScenarioOutcome]]:
    """Return the games that the program offers, and the outcomes of the scenarios.

    It stops at the first scenario that the program fails. Raises UnmetError if the program does not
    connect.

    Several scenarios run at a time; each program plays several scenarios in turn where possible. A
    scenario that is not met in this way is tried again alone, with a program of its own.
    """
    waiting = deque(sorted(enumerate(HOSTED_SCENARIOS), key=lambda one: _order(one[1])))
    outcomes: dict[int, ScenarioOutcome] = {}
    unmet: list[int] = []
    running: list[str] = []

    async def add(number: int, scenario: Scenario, run: Awaitable[ScenarioOutcome]) -> None:
        running.append(scenario.name)
        tell()
        outcome = outcomes[number] = await run
        running.remove(scenario.name)
        if not outcome.met:
            unmet.append(number)
        tell()

    def tell() -> None:
        met = sum(one.met for one in outcomes.values())
        now = f"; running: {', '.join(running)}" if running else ""
        _tell(f"{met} of {len(HOSTED_SCENARIOS)} scenarios met so far{now}")

    async def work(kept: KeepingReferee) -> None:
        while waiting and not unmet:
            number, scenario = waiting.popleft()
            await add(number, scenario, check_kept(kept, scenario, seconds=SCENARIO_SECONDS))

    async with AsyncExitStack() as stack:
        keeping = []
        for number in range(AT_ONCE):
            socket = plan.socket(str(number))
            kept = KeepingReferee(plan.command(socket), plan.log(str(number)), f"unix:{socket}")
            kept.connect_seconds = plan.start_seconds
            await stack.enter_async_context(kept.listening())
            keeping.append(kept)
        for kept in keeping:
            kept.start()
        stream = await keeping[0].welcomed()
        games = [game for game in stream.hello.games if game in GAMES]
        while waiting and not unmet:
            await asyncio.gather(*map(work, keeping))
            for number in sorted(unmet):
                unmet.clear()
                scenario = HOSTED_SCENARIOS[number]
                await add(number, scenario, _alone(plan, scenario))
                if unmet:
                    break
    return games, [outcome for _, outcome in sorted(outcomes.items())]


def _order(scenario: Scenario) -> int:
    """Return the sort key: scenarios with `needs_program` first, those with `stays_away` last."""
    if scenario.stays_away:
        return 2
    return 0 if scenario.needs_program else 1


async def _alone(plan: CheckPlan, scenario: Scenario) -> ScenarioOutcome:
    socket = plan.socket(f"alone-{HOSTED_SCENARIOS.index(scenario)}")
    (outcome,) = await check(
        plan.command(socket),
        plan.scratch,
        [scenario],
        seconds=SCENARIO_SECONDS,
        connect_seconds=plan.start_seconds,
        address=f"unix:{socket}",
    )
    return outcome


def _matches(plan: CheckPlan, game: str) -> str:
    """Play matches; return the build's first fault as a sentence, or "" if it has none."""
    rules = make_game(game)
    seats = rules.seat_counts[0]
    _tell(f"all scenarios are met, {MATCHES} matches of {rules.title} follow")
    socket = plan.socket("matches")
    entries = [NamedBot("bot", "", tuple(plan.command(socket)))]
    entries += [NamedBot(f"opponent{n}", KITS[game].opponent) for n in range(1, seats)]
    series = Series((Lineup(tuple(entries), moves_on=True),), "check", MATCHES)
    with ProgramTable(
        rules,
        entries,
        plan.scratch,
        connect_seconds=plan.start_seconds,
        address=f"unix:{socket}",
    ) as table:
        for (played,) in table.play([series]):
            for refused in played.refused:
                if played.contenders[refused.seat] == 0:
                    kind = FaultKind(refused.kind).value
                    return f"A fault in a match of {rules.title}: {kind}: {refused.reason}"
    return ""


def _refused(why: str, log: Path, outcome: CheckOutcome | None = None) -> ShiftEnd:
    lines = [line for line in both_ends(log).splitlines() if line.strip()][-TAIL_LINES:]
    said = "\n".join(["Its log ends:", *lines]) if lines else "It printed nothing."
    return ShiftEnd(f"{why} {said}", both_ends(log), False, outcome)


def _tell(step: str) -> None:
    print(json.dumps({"step": step}), flush=True)


def main() -> None:
    """Check the plan on stdin."""
    said: dict[str, Any] = json.load(sys.stdin)
    plan = CheckPlan(Path(said["folder"]), tuple(said["program"]), Path(said["scratch"]))
    print(json.dumps({"result": asdict(check_build(plan))}), flush=True)


if __name__ == "__main__":
    main()
