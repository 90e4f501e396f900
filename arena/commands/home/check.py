"""`arena check`: whether a bot's program does what the protocol asks, also when things go wrong."""

import asyncio
import json
from typing import Annotated, Any

import typer

from arena.commands.errors import CommandError, exit_with_message
from arena.commands.home.logs import LogFolder, log_folder
from arena.commands.terminal import say
from arena.conformance.report import SCENARIO_SECONDS, SCENARIOS, ScenarioOutcome, check
from arena.home.loading import bot_command, bot_file
from arena.home.programs.python_file import python_command

FAILED = 1
"""The exit code if a scenario failed."""


def check_bot(
    command: Annotated[
        list[str],
        typer.Argument(
            help="The command that starts the bot, after --; or a sample bot's name or a .py file.",
            metavar="COMMAND…",
        ),
    ],
    only: Annotated[str, typer.Option(metavar="NAME,NAME,…", help="Only these scenarios.")] = "",
    seconds: Annotated[
        float, typer.Option(min=1, help="After so long a scenario has failed.")
    ] = SCENARIO_SECONDS,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    logs: LogFolder = None,
) -> None:
    """Check a bot's program against the protocol: matches, losses, faults, refusals, tampering.

    Exit code 0: all scenarios are met. 1: some are not. 2: an error in the arguments.
    """
    with exit_with_message():
        program = _command(command)
        names = [name.strip() for name in only.split(",") if name.strip()]
        known = {scenario.name: scenario for scenario in SCENARIOS}
        for name in names:
            if name not in known:
                raise CommandError(f"There is no scenario {name!r}; there are {', '.join(known)}.")
        scenarios = [known[name] for name in names] or list(SCENARIOS)
    folder = log_folder(logs)
    tell = _tell if not as_json else lambda _outcome: None
    outcomes = asyncio.run(check(program, folder, scenarios, tell, seconds=seconds))
    met = sum(outcome.met for outcome in outcomes)
    if as_json:
        summary = {
            "command": program,
            "met": met,
            "scenarios": [_json(outcome) for outcome in outcomes],
            "logs": str(folder),
        }
        typer.echo(json.dumps(summary, indent=2, ensure_ascii=False))
    else:
        say(f"{met} of {len(outcomes)} scenarios met. What the bot printed: {folder}/NAME.log")
    if met < len(outcomes):
        raise typer.Exit(FAILED)


def _command(words: list[str]) -> list[str]:
    """The command that starts the program. Raises BotFileError."""
    if len(words) > 1:
        bot_command(words[0])
        return words
    found = bot_command(words[0])
    return list(found) or python_command(str(bot_file(words[0])))


def _tell(outcome: ScenarioOutcome) -> None:
    mark = "met   " if outcome.met else "FAILED"
    say(f"{mark}  {outcome.scenario.name}  ({outcome.seconds:.1f} s): {outcome.seen}")
    if not outcome.met:
        say(f"        expected: {outcome.scenario.expected}")


def _json(outcome: ScenarioOutcome) -> dict[str, Any]:
    return {
        "scenario": outcome.scenario.name,
        "met": outcome.met,
        "expected": outcome.scenario.expected,
        "seen": outcome.seen,
        "seconds": round(outcome.seconds, 3),
        "log": str(outcome.log),
    }
