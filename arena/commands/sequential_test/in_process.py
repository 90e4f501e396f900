"""A sequential test in process: plays deal blocks, scores each, and stops when decided."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from fractions import Fraction

from rich.console import Console
from rich.live import Live
from rich.text import Text

from arena.commands.sequential_test.report import interim
from arena.local.contest import Contest
from arena.local.deal_blocks import PlayedBlock, Series
from arena.local.playing import Where, playing
from arena.rating.running_sprt import RunningSprt, decided
from arena.rating.sprt import Bounds, Sprt


@dataclass(slots=True)
class SequentialProgress:
    """The state of a sequential test so far."""

    running: RunningSprt
    result: Sprt
    tournaments: tuple[str, ...] = ()
    """The tournaments played for a test of connected bots."""
    faults: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Faults by bot, kind and reason."""
    interrupted: bool = False

    def add(self, score: Fraction, show: Live | None) -> bool:
        """Add the score of a block, and return whether the test stops."""
        result = self.running.add(score)
        if result is None:
            return False
        if show is not None:
            show.update(Text(interim(result, self.running)))
        return decided(result)


def conduct(
    contest: Contest, bounds: Bounds, seed: str, max_blocks: int | None, where: Where
) -> SequentialProgress:
    """Play until the answer is clear, `max_blocks` are played, or Ctrl-C.

    Raises RatingError and the errors of `PlaySeries`.
    """
    running = RunningSprt(bounds, matches_per_block=2)
    progress = SequentialProgress(running, running.look())
    lineups, bots = contest.lineups(), (contest.new, contest.old, *contest.opponents)
    try:
        with (
            playing(contest.game, bots, len(lineups), where) as play,
            closing(play([Series(lineups, seed, max_blocks)])) as blocks,
            live_line(Console(stderr=True)) as show,
        ):
            _follow(contest, progress, blocks, show)
    except KeyboardInterrupt:
        progress.interrupted = True
    progress.result = running.look()
    return progress


def _follow(
    contest: Contest,
    progress: SequentialProgress,
    blocks: Iterable[PlayedBlock],
    show: Live | None,
) -> None:
    names = [contest.names(match) for match in range(2)]
    for block in blocks:
        for of_match, match in zip(names, block, strict=True):
            for refused in match.refused:
                name = of_match[match.contenders[refused.seat]]
                progress.faults[name, refused.kind.value, refused.reason] += 1
        if progress.add(contest.block_score(block), show):
            return


@contextmanager
def live_line(console: Console) -> Iterator[Live | None]:
    """Show a line that changes while the matches are played; on a terminal only."""
    if not console.is_terminal:
        yield None
        return
    with Live(console=console, transient=True, refresh_per_second=8) as live:
        yield live
