"""`arena rate` and `arena sprt`: the ladder of a file of results, and a sequential test.

Both print a table or, with --json, one JSON object. If the input is wrong they print only a message
on stderr, with exit code 2.
"""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.commands.errors import CommandError
from arena.commands.terminal import members, say_json
from arena.printable import printable
from arena.rating.methods import Clusters, EloModel, ScoreRule

# The rest is imported where it is needed: `arena --help` must not wait for numpy.
if TYPE_CHECKING:
    from arena.rating.bradley_terry import Anchor
    from arena.rating.ladder import Ladder
    from arena.rating.sprt import EloDifference, Sprt

_MOST_DIGITS = 12
"""The maximum number of digits of a count of matches."""


def rate(
    file: Annotated[Path, typer.Argument(help="Results, one JSON object per line.")],
    prior_sd: Annotated[
        str, typer.Option(help="Standard deviation of the prior in Elo, or none.")
    ] = "350",
    anchor: Annotated[
        str | None, typer.Option(metavar="BOT=ELO", help="A bot with a fixed Elo.")
    ] = None,
    score: Annotated[
        ScoreRule, typer.Option(help="Every pair of a match counts, or only first place.")
    ] = ScoreRule.PLACEMENT,
    clusters: Annotated[
        Clusters, typer.Option(help="What the intervals treat as independent.")
    ] = Clusters.BLOCK,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Rate the bots of a file of results: Elo, 95 % intervals, rank ranges, every pair."""
    from arena.commands.ratings.results_file import read_results
    from arena.rating.ladder import rate as rate_results

    sd = None if prior_sd == "none" else _number("--prior-sd", prior_sd)
    fixed = _anchor(anchor)
    ladder = rate_results(
        read_results(file), prior_sd=sd, anchor=fixed, score=score, clusters=clusters
    )
    if as_json:
        say_json(_ladder_json(ladder))
    else:
        typer.echo(_ladder_text(ladder))


def sprt(
    pairs: Annotated[
        str,
        typer.Option(
            metavar="LL,LT,TT+WL,WT,WW", help="Pairs of matches by their results; T is a tie."
        ),
    ],
    bounds: Annotated[
        str, typer.Option(metavar="ELO0,ELO1", help="The two hypotheses, in Elo of the model.")
    ] = "0,10",
    model: Annotated[
        EloModel, typer.Option(help="The kind of Elo of the bounds.")
    ] = EloModel.NORMALIZED,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Test sequentially whether a version is better, from pairs of matches; alpha = beta = 0.05."""
    from arena.rating.sprt import BlockCounts, Bounds, estimate
    from arena.rating.sprt import sprt as sprt_state

    counts = [_count("--pairs", part) for part in pairs.split(",")]
    ends = [_number("--bounds", part) for part in bounds.split(",")]
    if len(ends) != 2:
        raise CommandError(f"--bounds: two numbers expected, not {bounds!r}")
    observed, limits = BlockCounts.of_pairs(counts), Bounds(ends[0], ends[1], model)
    test, found = sprt_state(observed, limits), estimate(observed, limits)
    if as_json:
        say_json(_sprt_json(test, found))
    else:
        typer.echo(_sprt_text(test, found))


def _ladder_json(ladder: "Ladder[str]") -> dict[str, object]:
    from arena.rating.dominance import dominance
    from arena.rating.head_to_head import head_to_head

    fit = ladder.intervals.fit
    decided = dominance(head_to_head(fit))
    return {
        "prior_sd": fit.prior_sd,
        "anchor": None if fit.anchor is None else {"bot": fit.anchor.bot, "elo": fit.anchor.elo},
        "score": fit.rule.value,
        "clusters": ladder.intervals.clusters.value,
        "bots": [
            members(rating, "bot", "elo", "se", "interval", "rank_low", "rank_high", "matches")
            | {"flags": sorted(flag.value for flag in rating.flags)}
            for rating in ladder.ratings
        ],
        "cycle": list(decided.cycle),
        "unbeaten": list(decided.unbeaten),
        "bands": [list(band.bots) for band in ladder.bands],
        "pairs": [
            members(pair, "bot", "opponent", "difference", "se", "los", "wins", "ties", "losses")
            for pair in ladder.pairs()
        ],
    }


def _ladder_text(ladder: "Ladder[str]") -> str:
    from arena.rating.dominance import dominance, dominance_in_words
    from arena.rating.head_to_head import head_to_head

    names = {rating.bot: printable(rating.bot) for rating in ladder.ratings}
    width = max(len("bot"), *map(len, names.values()))
    lines = [f"{'rank':>9}  {'bot':<{width}}  {'elo':>7}  {'95 % interval':>17}  {'matches':>8}"]
    for rating in ladder.ratings:
        ranks = f"{rating.rank_low} to {rating.rank_high}"
        if rating.rank_low == rating.rank_high:
            ranks = str(rating.rank_low)
        low, high = rating.interval
        line = (
            f"{ranks:>9}  {names[rating.bot]:<{width}}  {rating.elo:7.1f}"
            f"  {low:7.1f} … {high:7.1f}  {rating.matches:8d}"
        )
        if rating.flags:
            line += "  " + ", ".join(sorted(flag.value for flag in rating.flags))
        lines.append(line)
    lines.append("")
    lines.append("Cannot be told apart:")
    lines.extend(
        "  " + ", ".join(names[bot] for bot in band.bots)
        for band in ladder.bands
        if len(band.bots) > 1
    )
    if lines[-1].endswith(":"):
        lines[-2:] = []
    decided = dominance_in_words(dominance(head_to_head(ladder.intervals.fit)), names.__getitem__)
    return "\n".join([*lines, *(["", decided] if decided else [])])


def _sprt_json(test: "Sprt", found: "EloDifference") -> dict[str, object]:
    from arena.rating.sprt_summary import estimate_json

    return {
        **members(test, "llr", "lower", "upper"),
        "state": test.state.value,
        **estimate_json(test, found),
        "pairs": test.blocks,
        **members(test, "matches", "matches_to_go"),
    }


def _sprt_text(test: "Sprt", found: "EloDifference") -> str:
    from arena.commands.sequential_test.report import ONE_SCORE

    said = {
        "continue": f"continue, about {test.matches_to_go:.0f} matches to go",
        "accept": "accept H1: better by the upper bound rather than the lower",
        "reject": "reject H1: not better than the lower bound",
    }
    low, high = found.interval
    lines = [
        f"LLR   {test.llr:.3f}  ({test.lower:.3f} … {test.upper:.3f}): {said[test.state.value]}",
        f"Elo   {found.elo:.2f}{'' if test.one_score else f'  ({low:.2f} … {high:.2f})'}",
        f"nElo  {'not known' if test.one_score else f'{found.nelo:.2f}'}",
        f"LOS   {'not known' if test.one_score else f'{100 * found.los:.2f} %'}",
        f"{test.matches} matches in {test.blocks} pairs",
    ]
    if test.one_score:
        lines.append(ONE_SCORE)
    return "\n".join(lines)


def _anchor(text: str | None) -> "Anchor[str] | None":
    if text is None:
        return None
    bot, equals, elo = text.rpartition("=")
    if not (bot and equals):
        raise CommandError(f"--anchor: BOT=ELO expected, not {text!r}")
    from arena.rating.bradley_terry import Anchor

    return Anchor(bot, _number("--anchor", elo))


def _number(option: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise CommandError(f"{option}: a number expected, not {text!r}")
    return number


def _count(option: str, text: str) -> int:
    digits = text.strip()
    if not digits.isdecimal() or len(digits) > _MOST_DIGITS:
        raise CommandError(
            f"{option}: a count of at most {_MOST_DIGITS} digits expected, not {text[:40]!r}"
        )
    return int(digits)
