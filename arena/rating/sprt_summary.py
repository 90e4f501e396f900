"""The result of a sequential test as a sentence, and as JSON."""

from typing import Any, Final

from arena.rating.methods import EloModel
from arena.rating.running_sprt import RunningSprt
from arena.rating.sprt import Bounds, EloDifference, Sprt, SprtState

_UNITS: Final = {EloModel.NORMALIZED: "normalised Elo", EloModel.LOGISTIC: "Elo"}


def verdict(new: str, old: str, bounds: Bounds, result: Sprt, *, interrupted: bool) -> str:
    """Return the answer as a sentence."""
    unit, matches = _UNITS[bounds.model], f"{result.matches:,} matches"
    # Bounds below zero ask whether something got worse, the others whether it got better.
    better, not_better = "better", "not better"
    if bounds.elo1 <= 0:
        better, not_better = "not worse", "worse"
    match result.state:
        case SprtState.ACCEPT:
            said, found, not_found = better, bounds.elo1, bounds.elo0
        case SprtState.REJECT:
            said, found, not_found = not_better, bounds.elo0, bounds.elo1
        case SprtState.CONTINUE:
            stopped = "Interrupted" if interrupted else "Undecided"
            return (
                f"{stopped} after {matches}: {new} may be {better} than {old} or not; about "
                f"{result.matches_to_go:,.0f} more matches would decide."
            )
    return (
        f"{new} is {said} than {old}: {found:g} rather than {not_found:g} {unit}, after {matches}."
    )


def summary_of(running: RunningSprt, result: Sprt) -> dict[str, Any]:
    """Return the state of the test, its counts and its estimates with their intervals."""
    difference = running.estimate()
    mean, *sequence = running.mean_score()
    return {
        "state": result.state.value,
        "llr": result.llr,
        "lower": result.lower,
        "upper": result.upper,
        "matches": result.matches,
        "matches_to_go": result.matches_to_go,
        "block_scores": [
            {"score": value, "times": times} for value, times in running.counts.items()
        ],
        "all_ties": running.all_ties,
        **estimate_json(result, difference),
        "mean_score": mean,
        "mean_score_sequence": sequence,
    }


def estimate_json(result: Sprt, found: EloDifference) -> dict[str, Any]:
    """Return the estimates after a test.

    `elo_interval`, `nelo` and `los` are None where all blocks had the same score: their variance is
    unknown then.
    """
    known = not result.one_score
    return {
        "one_score": result.one_score,
        "elo": found.elo,
        "elo_interval": list(found.interval) if known else None,
        "nelo": found.nelo if known else None,
        "los": found.los if known else None,
        "raw_elo": result.raw.elo,
    }
