"""Every scenario is met by a bot that conforms, and failed by a misfit."""

import json
import sys
from pathlib import Path
from typing import get_args

import pytest

from arena.conformance.checked_bots import KeepingReferee
from arena.conformance.options import variants
from arena.conformance.report import SCENARIOS, check, check_kept
from arena.games import GAMES
from tests.commands.running import arena

MISFIT = str(Path(__file__).with_name("misfit.py"))

MISFITS = {
    "matches": ("Illegal", "is illegal: {'type': 'bet'"),
    "many at once": (
        "OneOfABatch",
        "3 matches (Bluff You! at 2 seats; Blöff at 2 seats; Bluff at 2 seats): n",
    ),
    "options": ("DefaultsOnly", "Bluff at 2 seats, show_and_reroll=True"),
    "last millisecond": ("Hasty", "turns of 1 match (Bluff at 2 seats): it"),
    "withdrawn offers": ("KeepsPlaces", "it declined a match"),
    "withdrawn matches": ("KeepsBegunPlaces", "it declined a match"),
    "another's fault": ("NoForfeits", "as wrong a match that ended by another seat's faults"),
    "refusal": ("Offended", "of 1 match (Bluff at 2 seats): it"),  # it may have been the last
    "repetition": ("OnceOnly", "an answer"),
    "unknown": ("Strict", "the stream: it ended with code 1"),
    "entropy": ("SameEntropy", "the same entropy"),
    "tampering": ("Trusting", "it printed no line"),
    "loss in a turn": ("JoinsAnew", "answers to the open turns of 1 match"),
    "lost answer": ("AnswersOnce", "answers to the open turns of 1 match"),
    "lost offer": ("WaitsForLost", "it declined a match"),
    "missed end": ("ExpectsAllNews", "as wrong a match that ended by its absence"),
    "restart of the bot": ("JoinsAnew", "answers to the open turns of 1 match"),
    "unavailable": ("NeverRests", "without a pause"),
    "takeover": ("Insists", "it opened another stream"),
    "refused token": ("Insists", "it opened another stream"),
    "drain": ("LeavesAtOnce", "drain, after SIGTERM: it closed the stream"),
}


def command(misfit: str) -> list[str]:
    return [sys.executable, MISFIT, misfit]


def test_there_is_a_misfit_for_every_scenario() -> None:
    assert list(MISFITS) == [scenario.name for scenario in SCENARIOS]


@pytest.mark.parametrize("game", GAMES)
def test_every_option_that_has_another_value_is_tried(game: str) -> None:
    fields = GAMES[game].options_type.model_fields
    fixed = {name for name, field in fields.items() if len(get_args(field.annotation)) == 1}
    tried = set().union(*variants(game))
    # A smaller least number of seats changes no match.
    assert fields.keys() - tried == fixed | {"players_min"}


@pytest.mark.slow
async def test_a_bot_that_conforms_meets_every_scenario(tmp_path: Path) -> None:
    outcomes = await check(command("Bot"), tmp_path)
    assert [(one.scenario.name, one.seen) for one in outcomes if not one.met] == []


@pytest.mark.system  # a program for each
@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
async def test_a_misfit_fails_it(scenario: object, tmp_path: Path) -> None:
    name = scenario.name  # type: ignore[attr-defined]
    misfit, seen = MISFITS[name]
    # On a busy machine one that comes back at once may come as late as after a pause.
    for _ in range(3 if name == "unavailable" else 1):
        (outcome,) = await check(command(misfit), tmp_path, [scenario])  # type: ignore[list-item]
        if not outcome.met:
            break
    assert not outcome.met
    assert seen in outcome.seen


@pytest.mark.slow
async def test_a_bot_that_crashes_has_the_time_to_print_why(tmp_path: Path) -> None:
    unknown = [scenario for scenario in SCENARIOS if scenario.name == "unknown"]
    (outcome,) = await check(command("Strict"), tmp_path, unknown)
    assert outcome.log is not None
    assert "ValueError: Enum FaultKind has no name defined for value 99" in outcome.log.read_text()


@pytest.mark.system  # a program for each
@pytest.mark.parametrize(
    ("misfit", "scenario", "seen"),
    [
        ("Suspicious", "tampering", "verification failed"),
        ("Quits", "loss in a turn", "it ended with code"),
        ("Quits", "unavailable", "it ended with code"),
        ("GivesUp", "drain", "it ended with code 2 after "),
        ("DrainsOnce", "drain", "instead of drain, on a new stream"),
        ("NeverLeaves", "drain", "it still runs"),
        ("LeavesUnchecked", "drain", "a wrong deal, the last before it left"),
        ("Placeless", "matches", "max_matches is -1 (no matches): in a check"),
    ],
)
@pytest.mark.slow
async def test_other_misfits_fail_it_too(
    misfit: str, scenario: str, seen: str, tmp_path: Path
) -> None:
    chosen = [one for one in SCENARIOS if one.name == scenario]
    (outcome,) = await check(command(misfit), tmp_path, chosen)
    assert not outcome.met
    assert seen in outcome.seen


@pytest.mark.slow
async def test_a_scenario_has_a_hard_limit(tmp_path: Path) -> None:
    sleeper = [sys.executable, "-c", "import time; time.sleep(60)"]
    (outcome,) = await check(sleeper, tmp_path, SCENARIOS[:1], seconds=1)
    assert (outcome.met, outcome.seen) == (False, "the scenario did not finish within 1 s")
    assert outcome.seconds < 5


@pytest.mark.slow
async def test_what_was_waited_for_at_the_limit_is_named_with_its_table(tmp_path: Path) -> None:
    log = tmp_path / "bot.log"
    many = next(one for one in SCENARIOS if one.name == "many at once")
    referee = KeepingReferee(command("OneOfABatch"), log)
    async with referee.listening():
        referee.start()
        await referee.welcomed()
        outcome = await check_kept(referee, many, seconds=2)
    assert "within 2 s, but waited for " in outcome.seen
    assert "Bluff at 2 seats" in outcome.seen


@pytest.mark.slow
def test_the_command_reports_each_scenario_and_fails_by_its_exit_code(tmp_path: Path) -> None:
    words = ["--json", "--logs", tmp_path, "--only", "takeover,refused token", "--"]
    result = arena("check", *words, *command("Bot"))
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["met"] == 2
    assert [one["scenario"] for one in report["scenarios"]] == ["takeover", "refused token"]
    result = arena("check", "--logs", tmp_path, "--only", "takeover", "false")
    assert result.exit_code == 1
    assert "FAILED  takeover" in result.stdout
    assert "it ended with code 1" in result.stdout
    assert "expected: Does not come back after ABORTED." in result.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--only", "sleep", "true"], "There is no scenario 'sleep'; there are matches, "),
        (["--", "./no-such-program", "x"], "There is no bot './no-such-program'"),
    ],
)
def test_what_cannot_be_checked_is_a_sentence(words: list[str], sentence: str) -> None:
    result = arena("check", *words)
    assert result.exit_code == 2
    assert sentence in result.stderr
