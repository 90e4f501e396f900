"""A climb: its configuration, its rule, and its folder.

climb.json          the configuration at its start
environment.json    versions, machine, command and time
work/               the agent's working directory: TASK.md, bot/ (what it edits) and feedback/
rounds/N/           the results of round N, numbered from 1
    agent.json      how the agent ended, how long it took, and the SHA-256 of the bot it left
    agent.log       the newest part of what the agent printed
    bot.zip         the bot that it left
    round.json      its attempts; a round without it is not over
    RUNG.jsonl      the transcripts of an attempt
    RUNG/           what the programs of an attempt printed
final/, final.json  an attempt of the best version at the strongest rung, to measure its loss
summary.json, SUMMARY.md, figures/
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from scipy.special import stdtrit

from arena.commands.errors import CommandError
from arena.commands.experiments.folder import environment_of_run, write_json
from arena.local.benchmark import RUNGS
from arena.local.match_luck import ESTIMATES

LADDER: Final = tuple(rung.bot for rung in RUNGS)
"""The rungs, the weakest first."""
RUN_ERROR: Final = 0.05
"""The highest chance that a whole run is credited with a rung that its bot does not beat."""
_FITTED: Final = 1 + ESTIMATES
"""The number of fitted parameters: the mean of the matches, and the coefficients of luck."""


@dataclass(frozen=True, slots=True)
class Climb:
    """The configuration of a run."""

    agent: tuple[str, ...]
    """The command of the agent."""
    rounds: int
    matches: int
    """The matches of an attempt at a rung."""
    round_seconds: float
    """How long the agent may take in a round."""
    time: str
    """The time control of the matches."""
    seed: str
    """The seed of all deals; empty if each attempt draws one after the agent has ended."""
    confined: bool
    """Whether the agent's bot plays in the sandbox."""

    @property
    def attempts(self) -> int:
        """The most attempts of a run: a round ends with the first that fails."""
        return self.rounds + len(LADDER) - 1

    @property
    def z(self) -> float:
        """The half width of an attempt's interval, in standard errors (Student's).

        Its lower end is above the true share with probability RUN_ERROR / attempts; over all
        attempts of a run the probability is therefore at most RUN_ERROR (Bonferroni).
        """
        return float(stdtrit(self.matches - _FITTED, 1 - RUN_ERROR / self.attempts))


class ClimbFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.work = path / "work"
        self.bot = self.work / "bot"
        self.feedback = self.work / "feedback"

    def open(self, climb: Climb) -> bool:
        """Begin a run in the folder, or go on with the same one; return whether it is new.

        Raises CommandError if it holds something else, or another run.
        """
        kept, now = self.path / "climb.json", {"version": version("bluff-arena"), **asdict(climb)}
        if not kept.exists():
            if self.path.exists() and any(self.path.iterdir()):
                raise CommandError(
                    f"{self.path} holds other files: name another folder with --out."
                )
            self.bot.mkdir(parents=True)
            self.feedback.mkdir()
            write_json(self.path / "environment.json", environment_of_run())
            write_json(kept, now)
            return True
        before = json.loads(kept.read_text(encoding="utf-8"))
        changed = [name for name, value in now.items() if before.get(name) != _plain(value)]
        if changed:
            raise CommandError(
                f"{self.path} holds a run with another {', '.join(changed)}. Name another folder "
                "with --out, or delete this one."
            )
        return False

    def round(self, number: int) -> Path:
        """Return the folder of a round; create it if it is missing."""
        found = self.path / "rounds" / str(number)
        found.mkdir(parents=True, exist_ok=True)
        return found

    def rounds(self) -> Iterator[dict[str, Any]]:
        """Yield the rounds that are over, in order."""
        number = 1
        while (file := self.path / "rounds" / str(number) / "round.json").exists():
            yield json.loads(file.read_text(encoding="utf-8"))
            number += 1


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def next_rung(rounds: list[dict[str, Any]]) -> int:
    """Return the index of the next rung to beat; `len(LADDER)` if all are beaten."""
    return sum(attempt["beaten"] for one in rounds for attempt in one["attempts"])
