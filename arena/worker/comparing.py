"""A sequential test of two builds, in a process of its own.

Run it as `python -m arena.worker.comparing` with a ComparisonPlan as JSON on stdin. It writes lines
of JSON: `progress` at each look, and finally `result`, or `error` if a program could not play.

The programs run in the sandbox and play seat blocks with fresh deals; opponents are sample bots.
"""

import json
import math
import sys
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from arena.games import KITS, make_game
from arena.local.contest import Contest
from arena.local.deal_blocks import NamedBot, Series
from arena.local.programs.program import BotProgramError
from arena.local.programs.table import ProgramTable
from arena.match.score_rule import ScoreRule
from arena.rating.running_sprt import RunningSprt, decided
from arena.rating.sprt import Bounds
from arena.rating.sprt_summary import summary_of, verdict
from arena.worker.confine import confined_command
from arena.worker.limits import START_SECONDS

_VERSIONS: Final = ("new", "old")


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """Two builds to compare, and the conditions."""

    programs: tuple[tuple[str, tuple[str, ...]], ...]
    """The folder and start command of the new build, then of the old build."""
    scratch: str
    """An empty folder, for the socket and for the programs' output."""
    game: str
    bounds: tuple[float, float]
    """The two hypotheses, in normalised Elo."""
    seconds: float
    """The time after which the test stops undecided."""
    seed: str


def compare(plan: ComparisonPlan) -> dict[str, Any]:
    """Play until the answer is clear, or the time is over. Raises BotProgramError."""
    game, bounds = make_game(plan.game), Bounds(*plan.bounds)
    socket = Path(plan.scratch) / "matches.sock"
    new, old = (
        NamedBot(name, "", tuple(confined_command(Path(folder), socket, list(command))))
        for name, (folder, command) in zip(_VERSIONS, plan.programs, strict=True)
    )
    # The smallest table; the house bot takes the remaining seats.
    others = game.seat_counts[0] - 1 if 2 not in game.seat_counts else 0
    opponents = tuple(
        NamedBot(f"opponent{number}", KITS[plan.game].opponent) for number in range(others)
    )
    contest = Contest(game, new, old, opponents, ScoreRule.PLACEMENT)
    lineups = contest.lineups()
    names = [contest.names(match) for match in range(len(lineups))]
    running = RunningSprt(bounds, matches_per_block=len(lineups))
    faults: Counter[tuple[str, str]] = Counter()
    deadline = time.monotonic() + plan.seconds
    with (
        ProgramTable(
            *(game, (new, old, *opponents), Path(plan.scratch)),
            connect_seconds=START_SECONDS,
            address=f"unix:{socket}",
        ) as table,
        closing(table.play([Series(lineups, plan.seed, None)])) as blocks,
    ):
        for block in blocks:
            for of_match, match in zip(names, block, strict=True):
                for one in match.refused:
                    faults[of_match[match.contenders[one.seat]], one.reason] += 1
            result = running.add(contest.block_score(block))
            if result is not None:
                _tell(progress=summary_of(running, result))
            if (result is not None and decided(result)) or time.monotonic() >= deadline:
                break
    result = running.look()
    return {
        "verdict": verdict(*_VERSIONS, bounds, result, interrupted=False),
        **summary_of(running, result),
        "faults": [
            {"bot": bot, "reason": reason, "times": times}
            for (bot, reason), times in faults.most_common(10)
        ],
    }


def _tell(**said: Any) -> None:
    print(json.dumps(_strict(said)), flush=True)


def _strict(value: Any) -> Any:
    """Return the value with None for infinite numbers and NaN, which JSON lacks."""
    if isinstance(value, dict):
        return {name: _strict(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_strict(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def main() -> None:
    """Compare the builds in the plan on stdin."""
    try:
        _tell(result=compare(ComparisonPlan(**json.load(sys.stdin))))
    except BotProgramError as error:
        _tell(error=str(error))


if __name__ == "__main__":
    main()
