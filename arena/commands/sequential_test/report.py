"""The text output of a sequential test, while it runs and when it is over."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from arena.commands.home.logs import where_printed
from arena.rating.elo import expected_score
from arena.rating.running_sprt import RunningSprt
from arena.rating.sprt import Sprt

ONE_SCORE = (
    "All blocks scored alike, so how they scatter is not known: an estimate has no interval."
)
"""Printed if all blocks have one score, so that the estimates have no interval."""
_MOST_REASONS = 5
_MOST_SCORES = 9


def interim(result: Sprt, running: RunningSprt) -> str:
    """Return the state of the test in one line, with an interval that holds at every look."""
    mean, low, high = running.mean_score()
    return (
        f"LLR {result.llr:+.2f} ({result.lower:.2f} … {result.upper:.2f})   "
        f"score {mean:.1%} ({low:.1%} to {high:.1%} at every look)   "
        f"{result.matches:,} matches, about {result.matches_to_go:,.0f} to go"
    )


def report(result: Sprt, summary: Mapping[str, Any]) -> str:
    """Return the estimates that support the answer."""
    elo, nelo, interval = summary["elo"], summary["nelo"], summary["elo_interval"]
    scores = [(block["score"], block["times"]) for block in summary["block_scores"]]
    lines = [
        summary["verdict"],
        "",
        f"LLR     {result.llr:.3f}  ({result.lower:.3f} … {result.upper:.3f})",
    ]
    shown = _gain if summary["opponents"] else _signed
    name, unit = ("gain   ", " % of the points") if summary["opponents"] else ("Elo    ", "")
    reach = f"  ({shown(interval[0])} … {shown(interval[1])})" if interval else ""
    lines.append(f"{name} {shown(elo)}{unit}{reach}")
    lines += [
        f"nElo    {'not known' if nelo is None else _signed(nelo)}",
        f"blocks  {result.blocks:,} by score  {by_score(scores)}",
        f"seed    {summary['seed']}",
    ]
    if summary["all_ties"]:
        lines.append("Every block was a tie: wherever they met the same, both did the same.")
    if result.one_score:
        lines.append(ONE_SCORE)
    lines += [
        f"Faults of {fault['bot']}: {fault['times']} × {fault['kind']}: {fault['reason']}"
        for fault in summary["faults"][:_MOST_REASONS]
    ]
    if summary["logs"] and (printed := where_printed(summary["logs"])):
        lines.append(f"What the programs printed: {printed}")
    return "\n".join(lines)


def by_score(scores: Sequence[tuple[float, int]]) -> str:
    """How often each score occurred; if there are many scores, by tenths around 1/2."""
    if len(scores) > _MOST_SCORES:
        tenths: dict[float, int] = {}
        for score, times in scores:
            # Halves are rounded away from 1/2, so that both sides are treated alike.
            steps = math.copysign(math.floor(10 * abs(score - 0.5) + 0.5), score - 0.5)
            tenths[0.5 + steps / 10] = tenths.get(0.5 + steps / 10, 0) + times
        scores = [(score, tenths[score]) for score in sorted(tenths)]
        return "  ".join(f"about {score:.1f}: {times:,}" for score, times in scores if times)
    return "  ".join(f"{score:.4g}: {times:,}" for score, times in scores)


def _gain(elo: float) -> str:
    return f"{200 * (expected_score(elo) - 0.5):+.2f}"


def _signed(elo: float) -> str:
    return f"{round(elo, 1) + 0.0:+.1f}"
