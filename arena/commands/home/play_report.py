"""The report of `arena play`: the counts of its matches, as JSON and as a table."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from arena.commands.home.faults import fault_json, fault_text
from arena.commands.home.logs import where_printed
from arena.commands.home.luck_column import LuckTally, luck_adjusted_cell, luck_adjusted_note
from arena.commands.terminal import Terminal
from arena.games.game import AnyGame
from arena.local.deal_blocks import BlockMatch, Lineup, NamedBot, every_rotation
from arena.local.win_rates import WinRate, WinRates
from arena.match.clock import TimeControl
from arena.match.score_rule import ScoreRule
from arena.scheduling.scoring import points

if TYPE_CHECKING:  # it imports numpy; an error in the arguments must not wait for that
    from arena.rating.variance_factor import VarianceFactor

MOST_REASONS = 10
"""The most kinds of faults that the text report shows."""


class PlayTally:
    """The counts of matches among bots; a block is one rotation of the seats."""

    def __init__(self, entries: Sequence[NamedBot], *, same_deals: bool) -> None:
        self.entries = entries
        one = Lineup(tuple(entries), moves_on=True)
        self.lineups = every_rotation(entries) if same_deals else (one,)
        self.needs_luck = not same_deals
        self.needs_transcripts = False
        # The matches of a deal block are not independent of each other.
        self.matches_of_a_bot = len(self.lineups)
        names = [entry.name for entry in entries]
        self.win_rates = WinRates(names, matches_per_block=self.matches_of_a_bot)
        self.luck = LuckTally(names)
        self.seconds = 0.0
        self.logs: Path | None = None
        """The folder with the logs of programs."""
        self._same_deals = same_deals
        self._points = bytearray()
        """Points by match and bot, one byte each: there may be a million matches."""

    def add(self, finished: BlockMatch) -> None:
        """Count a finished match."""
        self.win_rates.add(finished)
        self.luck.add(finished)
        scored = points(finished.result.placing, ScoreRule.PLACEMENT)
        of_bots = sorted(zip(finished.contenders, scored, strict=True))
        self._points.extend(int(2 * (len(self.entries) - 1) * score) for _, score in of_bots)

    def variance_factor(self) -> "VarianceFactor | None":
        """Return how much variance the blocks save; an incomplete last block is omitted."""
        import numpy as np

        from arena.rating.variance_factor import variance_factor

        seats = len(self.entries)
        whole = self._points[: len(self._points) // seats**2 * seats**2]
        scores = np.frombuffer(whole, np.uint8).reshape(-1, seats, seats)
        return variance_factor(scores.astype(np.float64))

    def summary(self, game: AnyGame, seed: str, control: TimeControl) -> dict[str, Any]:
        """Return the output of `--json`, without the folder of the logs."""
        win_rates, factor = self.win_rates, self.variance_factor()
        return {
            "game": game.name,
            "options": game.options.changed(),
            "time_control": asdict(control),
            "matches": win_rates.matches,
            "seed": seed,
            "matches_per_second": round(win_rates.matches / self.seconds, 1),
            "win_rates": [win_rate_json(win_rate) for win_rate in win_rates.table()],
            "faults": [
                fault_json(game, *fault, win_rates.first[fault], times)
                for fault, times in win_rates.reasons.most_common()
            ],
            "blocks": "deal" if self._same_deals else "seat",
            "variance_factor": factor
            and {
                "factor": round(factor.factor, 6),
                "low": round(factor.interval[0], 6),
                "high": round(factor.interval[1], 6),
                "blocks": factor.blocks,
            },
            "luck_adjusted": self.luck.summary(),
        }

    def print(self, console: Terminal, game: AnyGame, summary: dict[str, Any]) -> None:
        """Print the table of the bots, then the speed, the effect of luck and deals, and faults."""
        options = ", ".join(f"{name}={value}" for name, value in summary["options"].items())
        table = Table(
            title=f"{game.title}{f' ({options})' if options else ''}: "
            f"{self.win_rates.matches:,} matches, seed {summary['seed']}",
            title_justify="left",
        )
        table.add_column("bot")
        adjusted = summary["luck_adjusted"]
        headings = ("wins", "share", "95 % interval", "mean placing")
        for heading in (*headings, "luck-adjusted") if adjusted else headings:
            table.add_column(heading, justify="right")
        for win_rate in self.win_rates.table():
            low, high = win_rate.interval
            table.add_row(
                win_rate.name,
                f"{win_rate.wins:,.2f}".removesuffix(".00"),
                f"{win_rate.share:.1%}",
                f"{low:.1%} to {high:.1%}",
                f"{win_rate.mean_placing:.2f}",
                *([luck_adjusted_cell(adjusted, win_rate.name)] if adjusted else []),
            )
        console.print_table(table)
        console.print(f"{summary['matches_per_second']:,.0f} matches a second")
        if adjusted:
            console.print(luck_adjusted_note(adjusted))
        if summary["variance_factor"] and summary["blocks"] == "deal":
            console.print(_saved(summary["blocks"], **summary["variance_factor"]))
        for fault in summary["faults"][:MOST_REASONS]:
            console.print(fault_text(fault))
        if summary["logs"] and (printed := where_printed(summary["logs"])):
            console.print(f"What the programs printed: {printed}")


def win_rate_json(win_rate: WinRate) -> dict[str, Any]:
    """Return the results of a bot as JSON."""
    low, high = win_rate.interval
    return {
        "bot": win_rate.name,
        "wins": round(win_rate.wins, 6),
        "share": round(win_rate.share, 6),
        "share_low": round(low, 6),
        "share_high": round(high, 6),
        "mean_placing": round(win_rate.mean_placing, 6),
        "faults": win_rate.faults,
    }


def _saved(kind: str, *, factor: float, low: float, high: float, blocks: int) -> str:
    """Return a note on the variance that deal blocks save."""
    return (
        f"Variance of a {kind} block's mean: {factor:.2f} ({low:.2f} to {high:.2f}) of that of as "
        f"many independent matches, measured on {blocks:,} blocks"
    )
