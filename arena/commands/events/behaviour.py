"""Asks the programs of a field what they do in the same positions; for `arena event similar`."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from arena.commands.progress import progress, with_progress
from arena.commands.terminal import json_text, say
from arena.games import make_game
from arena.local.obvious import house_bots, obvious_answers, obvious_bots
from arena.local.probes import Probe, probes
from arena.local.programs.local_referee import only_warnings
from arena.rating.agreement import Answer, agreements
from arena.server.events.event import FinalRules
from arena.server.events.similarity.report import (
    AlikePair,
    Behaviour,
    JudgedBot,
    LeftOut,
    ToldPosition,
)
from arena.worker.asking import Asked, asked
from arena.worker.sandbox import HostedProgram, why_not_here

POSITIONS: Final = 1_000
RUNS: Final = 3
"""How often each program is started and asked all positions: it may play at random."""
RUN_SECONDS: Final = 30.0
"""The time limit of a run."""
_LONGEST: Final = 300
"""The most characters of a reason."""


@dataclass(frozen=True, slots=True)
class JudgedBuild:
    """A program of the field, ready to run in the sandbox."""

    program: JudgedBot
    hosted: HostedProgram | None
    why_not: str = ""
    """Why it cannot run here."""


def behaviour(
    builds: Sequence[JudgedBuild],
    rules: FinalRules,
    *,
    seed: str,
    positions: int = POSITIONS,
    runs: int = RUNS,
    jobs: int,
) -> Behaviour | LeftOut:
    """Ask the programs of a field, and compare their answers. Raises SandboxError.

    Call it in the main thread.
    """
    why_not = asyncio.run(why_not_here())
    if why_not is not None:
        return LeftOut(why_not)
    say(
        f"Asking {len(builds)} programs {positions:,} positions, {runs} times each: some 2 s a run "
        f"for quick ones, {RUN_SECONDS:.0f} s for slow ones; so "
        f"{_minutes(2 * len(builds) * runs / jobs)} to "
        f"{_minutes(RUN_SECONDS * len(builds) * runs / jobs)}, {jobs} at a time.",
        err=True,
    )
    game = make_game(rules.game, rules.options)
    house = list(house_bots(rules.game).values())
    made = probes(game, rules.seats, rules.time_control, house, positions, seed)
    put = list(with_progress(made, positions, "positions"))
    plays = obvious_answers(rules.game, put)
    count = len(obvious_bots(rules.game)) + 2 * len(house)
    obvious = list(with_progress(plays, count, "answers of obvious plays"))
    advancing = progress(len(builds) * runs * positions, "answers of the programs")
    with only_warnings(), advancing as advance:
        given = asyncio.run(_all_asked(builds, put, runs, jobs, advance))
    answers = [_answers(one, positions) for one in given]
    troubles = [
        f"{build.program.bot} {trouble}"
        for build, one in zip(builds, given, strict=True)
        if (trouble := build.why_not or _trouble(one))
    ]
    pairs = [
        (one, other)
        for one, other in combinations(range(len(builds)), 2)
        if builds[one].program.owner != builds[other].program.owner
    ]
    found = agreements(answers, obvious, [one.choices for one in put], pairs)
    alike = [
        AlikePair(
            builds[one.one].program,
            builds[one.other].program,
            one,
            [
                ToldPosition(_view(put[told.position]), told.answer[1], told.expected)
                for told in one.telling
            ],
        )
        for one in found
    ]
    alike.sort(key=lambda one: (one.agreement.p, -(one.agreement.kappa or -1.0)))
    return Behaviour(len(builds), positions, runs, seed, alike, troubles)


async def _all_asked(
    builds: Sequence[JudgedBuild],
    put: Sequence[Probe],
    runs: int,
    jobs: int,
    advance: Callable[[], None],
) -> list[list[Asked]]:
    """Return the runs of each program; a program that answers nothing is not run again."""
    slots = asyncio.Semaphore(jobs)

    async def ask(hosted: HostedProgram | None) -> list[Asked]:
        found: list[Asked] = []
        while hosted is not None and len(found) < runs:
            async with slots:
                found.append(await asked(hosted, put, RUN_SECONDS, advance))
            if not any(found[-1].answers):
                break
        for _ in range((runs - len(found)) * len(put)):
            advance()
        return found

    return await asyncio.gather(*(ask(one.hosted) for one in builds))


def _answers(runs: Sequence[Asked], positions: int) -> list[Mapping[Answer, float]]:
    """Return how often a program gave each answer, by position."""
    said: list[Counter[Answer]] = [Counter() for _ in range(positions)]
    for run in runs:
        for counted, answer in zip(said, run.answers, strict=True):
            if answer is not None:
                counted[answer] += 1
    return list(said)


def _trouble(runs: Sequence[Asked]) -> str:
    return next((run.trouble[:_LONGEST] for run in runs if run.trouble), "")


def _view(probe: Probe) -> str:
    notation = probe.setup.make_game().view_notation
    return json_text(notation.to_json(probe.turn.view))


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"
