"""`arena check`: checks that a bot follows the protocol, also in case of failures."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.addresses import DEFAULT_ADDRESS
from arena.bot.address import Address
from arena.commands.errors import CommandError
from arena.commands.home.logs import LogFolder, log_folder, where_printed
from arena.commands.options import AddressOption
from arena.commands.terminal import say, say_json
from arena.conformance.checked_bots import AwaitingReferee
from arena.conformance.report import (
    SCENARIO_SECONDS,
    SCENARIOS,
    ScenarioOutcome,
    Tell,
    check,
    check_running,
)
from arena.conformance.reporting import outcome_of, report_check
from arena.conformance.scenario import Scenario
from arena.local.loading import bot_command, bot_file
from arena.local.programs.python_file import python_command

FAILED = 1
"""The exit code if a scenario failed."""


def check_bot(
    command: Annotated[
        list[str] | None,
        typer.Argument(
            help="The command that starts the bot, after --; or a sample bot's name or a .py file. "
            "Without it the check waits for a running bot with the --token.",
            metavar="COMMAND…",
        ),
    ] = None,
    token: Annotated[
        str,
        typer.Option(
            envvar="ARENA_TOKEN",
            help="The registered bot that is checked: the referee at ARENA_ADDRESS records the "
            "outcome.",
        ),
    ] = "",
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where a running bot is awaited.")
    ] = "127.0.0.1:50052",
    wait: Annotated[float, typer.Option(min=1, help="For how many seconds it is awaited.")] = 300,
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Whether the referee is told the outcome.")
    ] = True,
    address: AddressOption = DEFAULT_ADDRESS,
    only: Annotated[str, typer.Option(metavar="NAME,NAME,…", help="Only these scenarios.")] = "",
    seconds: Annotated[
        float, typer.Option(min=1, help="The time limit of a scenario, in seconds.")
    ] = SCENARIO_SECONDS,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    logs: LogFolder = None,
) -> None:
    """Check a bot against the protocol: matches, losses, faults, refusals, tampering.

    Exit code 0: all scenarios are met. 1: some are not. 2: an error in the arguments, or the
    outcome could not be recorded. A check of --only some scenarios is not recorded.
    """
    tell = _tell if not as_json else lambda _outcome: None
    token = token.strip()
    wanted = _scenarios(only)
    referee = Address.parse(address, os.environ) if token and report and not only else None
    if referee is not None:
        say(
            f"The outcome will be recorded for the bot of this token at {referee.target} "
            "(--no-report asks for no record).",
            err=True,
        )
    folder, skipped = None, []
    if command:
        folder, program = log_folder(logs), _command(command)
        outcomes = asyncio.run(check(program, folder, wanted, tell, seconds=seconds))
    else:
        if not token:
            raise CommandError(
                "name the command that starts the bot, or the --token of a running one."
            )
        skipped = [scenario for scenario in wanted if scenario.needs_program]
        tried = [scenario for scenario in wanted if not scenario.needs_program]
        outcomes = asyncio.run(_check_running(token, listen, tried, tell, wait, seconds))
    _print(command, outcomes, skipped, folder, as_json=as_json)
    if referee is not None:
        entrant = report_check(referee, token, outcome_of(outcomes, skipped))
        say(f"The outcome is recorded for {entrant} of {entrant.owner}.", err=True)
    if not all(outcome.met for outcome in outcomes):
        raise typer.Exit(FAILED)


def _scenarios(only: str) -> list[Scenario]:
    """Return the scenarios with these names, or all if there are no names. Raises CommandError."""
    known = {scenario.name: scenario for scenario in SCENARIOS}
    names = [name.strip() for name in only.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise CommandError(f"There is no scenario {name!r}; there are {', '.join(known)}.")
    return [known[name] for name in names] or list(SCENARIOS)


def _command(words: list[str]) -> list[str]:
    """Return the command that starts the program. Raises BotFileError."""
    if len(words) > 1:
        bot_command(words[0])
        return words
    found = bot_command(words[0])
    return list(found) or python_command(str(bot_file(words[0])))


async def _check_running(
    token: str, listen: str, scenarios: Sequence[Scenario], tell: Tell, wait: float, seconds: float
) -> list[ScenarioOutcome]:
    """Check the bot that connects. Raises CommandError if none does, and ListenError."""
    referee = AwaitingReferee(token, listen)
    async with referee.listening():
        say(
            f"Start the bot with ARENA_ADDRESS={referee.address} and this token, and let it run "
            "until all is checked.",
            err=True,
        )
        if not await referee.arrival(wait):
            raise CommandError(f"No bot connected to {referee.address} within {wait:g} s.")
        return await check_running(referee, scenarios, tell, seconds=seconds)


def _tell(outcome: ScenarioOutcome) -> None:
    mark = "met   " if outcome.met else "FAILED"
    say(f"{mark}  {outcome.scenario.name}  ({outcome.seconds:.1f} s): {outcome.seen}")
    if not outcome.met:
        say(f"        expected: {outcome.scenario.expected}")
        if outcome.log is not None and outcome.log.exists() and outcome.log.stat().st_size:
            say(f"        printed:  {outcome.log}")


def _print(
    command: list[str] | None,
    outcomes: Sequence[ScenarioOutcome],
    skipped: Sequence[Scenario],
    folder: Path | None,
    *,
    as_json: bool,
) -> None:
    met = sum(outcome.met for outcome in outcomes)
    if as_json:
        summary = {
            "command": command,
            "met": met,
            "scenarios": [_json(outcome) for outcome in outcomes],
            "skipped": [{"scenario": one.name, "why": one.needs_program} for one in skipped],
            "logs": None if folder is None else str(folder),
        }
        say_json(summary)
        return
    for one in skipped:
        say(f"skipped {one.name}: {one.needs_program}")
    printed = "" if folder is None else where_printed(folder)
    where = f" What the bot printed: {printed}" if printed else ""
    say(f"{met} of {len(outcomes)} scenarios met.{where}")


def _json(outcome: ScenarioOutcome) -> dict[str, Any]:
    return {
        "scenario": outcome.scenario.name,
        "met": outcome.met,
        "expected": outcome.scenario.expected,
        "seen": outcome.seen,
        "seconds": round(outcome.seconds, 3),
        "log": None if outcome.log is None else str(outcome.log),
    }
