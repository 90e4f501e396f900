"""`arena test`: is the new version better? Plays deal blocks until the answer is clear.

two versions alone        the block is a deal, played once in each rotation of the seats; its
                          score is the new version's mean
against opponents         the block is a deal, played in the same seats by the same opponents,
                          once with each version; its score is 1/2 + (new - old) / 2
"""

import json
import secrets
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from fractions import Fraction
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from arena.bot.deal_blocks import (
    BlockBrokenError,
    Entry,
    Finished,
    Lineup,
    play_deal_blocks,
    rotations,
)
from arena.bot.in_process import UnreadyBotError
from arena.bot.loading import UnknownBotError
from arena.commands.errors import CommandError
from arena.commands.line_up import check_seats, entries, options_named
from arena.commands.play import leave
from arena.commands.sequential_words import interim, report, verdict
from arena.games import OptionsError, UnknownGameError, make_game
from arena.games.game import AnyGame
from arena.rating.choices import EloModel
from arena.rating.errors import RatingError
from arena.rating.sprt import Bounds, Sprt, State
from arena.rating.trial import Trial, decided
from arena.scheduling.scoring import ScoreRule, points


class ExitCode(IntEnum):
    """What a script learns. 2 is what can be mended: see stderr."""

    BETTER = 0
    NOT_BETTER = 1
    UNDECIDED = 3


_EXIT_CODES = {
    State.ACCEPT: ExitCode.BETTER,
    State.REJECT: ExitCode.NOT_BETTER,
    State.CONTINUE: ExitCode.UNDECIDED,
}


@dataclass(frozen=True, slots=True)
class Contest:
    """What is played, and by whom."""

    game: AnyGame
    new: Entry
    old: Entry
    opponents: tuple[Entry, ...]
    score: ScoreRule

    def lineups(self) -> list[Lineup]:
        """The matches of a block."""
        if not self.opponents:
            return rotations([self.new, self.old])
        # Both versions sit in the same seat; from block to block everybody moves on.
        return [
            Lineup((version, *self.opponents), moves_on=True) for version in (self.new, self.old)
        ]

    def block_score(self, block: Sequence[Finished]) -> Fraction:
        """0 … 1; 1/2 is no difference."""
        first, second = (
            points(match.result.placing, self.score)[match.contenders.index(0)] for match in block
        )
        if self.opponents:
            return Fraction(1, 2) + (first - second) / 2
        return (first + second) / 2

    def names(self, match: int) -> list[str]:
        """Who the contenders of a block's match are."""
        return [entry.name for entry in self.lineups()[match].entries]


@dataclass(slots=True)
class Course:
    """What came of it so far."""

    trial: Trial
    standing: Sprt
    faults: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """By name, kind and what was wrong."""
    interrupted: bool = False


def sequential_test(
    new: Annotated[str, typer.Argument(help="A sample bot's name or a .py file.")],
    old: Annotated[str, typer.Argument(help="What it is measured against.")],
    game: Annotated[str, typer.Option(help="The game.")] = "bluff",
    opponents: Annotated[
        str,
        typer.Option(
            metavar="BOT,BOT,…",
            help="Who else sits at the table. Each deal is then played once with each version.",
        ),
    ] = "",
    bounds: Annotated[
        str, typer.Option(metavar="ELO0,ELO1", help="The two hypotheses, in Elo of the model.")
    ] = "0,10",
    model: Annotated[
        EloModel, typer.Option(help="Which Elo the bounds are meant in.")
    ] = EloModel.NORMALIZED,
    alpha: Annotated[float, typer.Option(help="Chance to accept ELO1 where ELO0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Chance to keep ELO0 where ELO1 is true.")] = 0.05,
    score: Annotated[
        ScoreRule, typer.Option(help="Every opponent counts, or only first place.")
    ] = ScoreRule.PLACEMENT,
    option: Annotated[
        list[str] | None,
        typer.Option(help="An option of the game, as NAME=VALUE. May be repeated."),
    ] = None,
    max_blocks: Annotated[
        int | None, typer.Option(min=1, help="Stop undecided after so many blocks.")
    ] = None,
    seed: Annotated[str, typer.Option(help="Anything; the same seed gives the same test.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say whether a version is better, by playing both until it is clear.

    Exit code 0: better (ELO1 accepted). 1: not better (ELO0 kept). 3: undecided. 2: a mistake in
    the arguments, or a bot that cannot play.
    """
    seed = seed or secrets.token_hex(4)
    try:
        limits = Bounds(*_bounds(bounds), model, alpha, beta)
        rules = make_game(game, options_named(option or []))
        contest = _contest(rules, new, old, opponents, score)
        course = _conduct(contest, limits, seed, max_blocks)
    except (
        BlockBrokenError,
        CommandError,
        OptionsError,
        RatingError,
        UnknownBotError,
        UnknownGameError,
        UnreadyBotError,
    ) as error:
        leave(str(error))
    standing, trial = course.standing, course.trial
    summary = {
        "game": rules.name,
        "options": rules.options.changed(),
        "new": contest.new.name,
        "old": contest.old.name,
        "opponents": [entry.name for entry in contest.opponents],
        "seed": seed,
        "blocks": "deal",
        "bounds": [limits.elo0, limits.elo1],
        "model": limits.model.value,
        "alpha": limits.alpha,
        "beta": limits.beta,
        "score": contest.score.value,
        "state": standing.state.value,
        "verdict": verdict(new, old, limits, standing, interrupted=course.interrupted),
        "llr": standing.llr,
        "lower": standing.lower,
        "upper": standing.upper,
        "matches": standing.matches,
        "matches_to_go": standing.matches_to_go,
        "block_scores": [{"score": value, "times": times} for value, times in trial.counts.items()],
        "all_draws": trial.all_draws,
        "elo": standing.elo,
        "elo_interval": list(standing.elo_interval),
        "nelo": standing.nelo,
        "los": standing.los,
        "biased": standing.biased,
        "faults": [
            {"bot": name, "kind": kind, "reason": reason, "times": times}
            for (name, kind, reason), times in course.faults.most_common()
        ],
    }
    if as_json:
        typer.echo(json.dumps(summary, indent=2, ensure_ascii=False))
    else:
        typer.echo(report(standing, summary))
    raise typer.Exit(_EXIT_CODES[standing.state])


def _bounds(text: str) -> tuple[float, float]:
    try:
        elo0, elo1 = (float(part) for part in text.split(","))
    except ValueError:
        raise CommandError(f"--bounds takes two numbers such as 0,10, not {text!r}.") from None
    return elo0, elo1


def _contest(game: AnyGame, new: str, old: str, opponents: str, score: ScoreRule) -> Contest:
    others = [word.strip() for word in opponents.split(",") if word.strip()]
    seats = 1 + len(others) if others else 2
    if not others and seats not in game.seat_counts:
        raise CommandError(
            f"{game.title} is not played by two under these options: name who else sits at the "
            "table with --opponents."
        )
    check_seats(seats, game)
    first, second, *rest = entries([new, old, *others], game)
    return Contest(game, first, second, tuple(rest), score)


def _conduct(contest: Contest, bounds: Bounds, seed: str, max_blocks: int | None) -> Course:
    trial = Trial(bounds, matches_per_block=2)
    course = Course(trial, trial.look())
    blocks = play_deal_blocks(contest.game, contest.lineups(), seed, max_blocks)
    try:
        with closing(blocks), _shown(Console(stderr=True)) as show:
            _follow(contest, course, blocks, show)
    except KeyboardInterrupt:
        course.interrupted = True
    course.standing = trial.look()
    return course


def _follow(
    contest: Contest,
    course: Course,
    blocks: Generator[tuple[Finished, ...], None, None],
    show: Live | None,
) -> None:
    names = [contest.names(match) for match in range(2)]
    for block in blocks:
        for of_match, match in zip(names, block, strict=True):
            for refused in match.refused:
                name = of_match[match.contenders[refused.seat]]
                course.faults[name, refused.kind.value, refused.reason] += 1
        standing = course.trial.add(contest.block_score(block))
        if standing is None:
            continue
        if show is not None:
            show.update(Text(interim(standing)))
        if decided(standing):
            return


@contextmanager
def _shown(console: Console) -> Iterator[Live | None]:
    """A line that changes while the matches are played; on a terminal only."""
    if not console.is_terminal:
        yield None
        return
    with Live(console=console, transient=True, refresh_per_second=8) as live:
        yield live
