"""`arena analyse`: prints the values and the losses of decisions in matches."""

from collections.abc import Iterator
from math import isfinite
from typing import Annotated

import typer
from rich.table import Table

from arena.commands.errors import CommandError
from arena.commands.jobs_option import Cluster, Jobs
from arena.commands.results.analyse_json import bot_json, match_json
from arena.commands.results.match_argument import transcripts_in
from arena.commands.terminal import Terminal, say_json_line
from arena.database.names import folded
from arena.lab.analysis import (
    BOUNDS,
    SITUATIONS,
    Estimate,
    Frequency,
    Grade,
    MatchAnalysis,
    SeatAnalysis,
    accounts,
    analyse_bot,
)
from arena.lab.analysis import analyse as analysed
from arena.match.match_id import is_match_id
from arena.match.replay import TranscriptError
from arena.wording import number_of

_BOUNDS = ", ".join(f"{grade.value} to {bound:.1%}" for bound, grade in BOUNDS)
_VALUED = "Actions have values in Bluff without its extension alone."
_GRADES = f"A grade is by the loss: {_BOUNDS}, else {Grade.BLUNDER.value}."


def analyse(
    matches: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MATCH_ID|FILE…]", help="Matches, or files with them."),
    ] = None,
    bot: Annotated[
        str | None,
        typer.Option(
            help="Sum up the matches of this bot instead: those given, or else its newest in the "
            "database."
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=10_000, help="How many of the newest, if none are given.")
    ] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")] = False,
    missing: Annotated[
        bool,
        typer.Option(
            "--missing",
            help="Analyse instead all recorded matches that have no analysis of this release, and "
            "keep the analyses: pages then show them at once, with sums by bot. Running it again "
            "changes nothing.",
        ),
    ] = False,
    follow: Annotated[
        bool, typer.Option("--follow", help="With --missing: go on with matches that come.")
    ] = False,
    seats: Annotated[
        int | None, typer.Option(min=2, max=6, help="With --missing: only at so many seats.")
    ] = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
) -> None:
    """Print what each decision of a match cost, in chances to win; docs/analysis.md explains how.

    Values are known for Bluff without its extension; for other games only how likely claims were.
    """
    if missing:
        if matches or bot is not None or as_json:
            raise CommandError("--missing looks for matches itself: name none.")
        # The import is here, because a file needs no database.
        from arena.commands.results.keep_analyses import keep_missing

        keep_missing(seats=seats, jobs=jobs, follow=follow, cluster=cluster)
        return
    if follow or any(one is not None for one in (seats, jobs, cluster)):
        raise CommandError("--follow, --seats, --jobs and --cluster belong to --missing.")
    if not matches and bot is None:
        raise CommandError("Give matches, files with matches, --bot NAME, or --missing.")
    if bot is not None and not matches:
        # The import is here, because a file needs no database.
        from arena.commands.results.recorded_analyses import newest_seats

        _print_bot(bot, newest_seats(bot, limit), as_json)
        return
    found = _analyses(matches or [], all_values=as_json)
    if bot is not None:
        played = [seat for match in found for seat in _seats_of(match, bot)]
        if not played:
            raise CommandError(f"{bot} plays in none of these matches.")
        _print_bot(bot, played, as_json)
        return
    graded = accounted = False
    for match in found:
        if as_json:
            say_json_line(match_json(match))
        else:
            accounted |= _print(match)
            graded |= any(decision.grade is not None for decision in match.decisions)
    if not as_json:
        _explain(graded=graded, accounted=accounted)


def _analyses(names: list[str], *, all_values: bool) -> Iterator[MatchAnalysis]:
    """Yield the analyses of recorded matches and of transcripts in files."""
    for name in names:
        if is_match_id(name.lower()):
            # The import is here, because a file needs no database.
            from arena.commands.results.recorded_analyses import recorded_analysis

            yield recorded_analysis(name, all_values=all_values)
            continue
        for place, transcript in transcripts_in(name):
            try:
                yield analysed(transcript)
            except TranscriptError as error:
                raise CommandError(f"{place} cannot be replayed: {error}.") from error


def _seats_of(match: MatchAnalysis, bot: str) -> Iterator[SeatAnalysis]:
    for entrant, seat in zip(match.transcript.setup.entrants, match.seats, strict=True):
        if folded(entrant.bot) == folded(bot):
            yield seat


def _print_bot(bot: str, seats: list[SeatAnalysis], as_json: bool) -> None:
    found = analyse_bot(seats)
    if found is None:
        raise CommandError(f"No decision of {bot} in these matches has a value. {_VALUED}")
    if as_json:
        say_json_line(bot_json(bot, found))
        return
    shares = ", ".join(
        f"{grade.value} {found.grades[grade] / found.decisions:.1%}" for grade in Grade
    )
    typer.echo(
        f"{bot}: {found.decisions:,} decisions in {number_of(found.matches, 'match', 'matches')}."
    )
    typer.echo(f"Loss of a decision: {_percent(found.loss)} of a win.")
    typer.echo(f"Loss of a match: {_percent(found.match_loss)}.")
    typer.echo(f"Grades: {shares}.")
    typer.echo(_GRADES)
    typer.echo(found.leak.in_words if found.leak else "It loses nothing.")
    shown = [one for one in found.frequencies if one.situation in SITUATIONS]
    if shown:
        _print_frequencies(bot, shown)


def _print_frequencies(bot: str, shown: list[Frequency]) -> None:
    table = Table("situation", "", "decisions", bot, "solved play", "difference", "")
    for one in shown:
        table.add_row(
            one.situation,
            f"{one.what}s",
            f"{one.decisions:,}",
            _percent(one.share),
            f"{one.solved:.1%}",
            _percent(one.difference, sign="+"),
            one.in_words,
        )
    Terminal().print_table(table)


def _percent(estimate: Estimate, *, sign: str = "") -> str:
    error = f" ± {estimate.error:.2%}" if isfinite(estimate.error) else ""
    return f"{estimate.mean:{sign}.2%}{error}"


def _print(match: MatchAnalysis) -> bool:
    """Print a match; return whether its result was accounted for."""
    console, setup = Terminal(), match.transcript.setup
    table = Table(
        "step", "seat", "action", "claim", "claim, read", "win", "loss", "grade", "better"
    )
    for decision in match.decisions:
        table.add_row(
            str(decision.step),
            f"{decision.seat}: {setup.entrants[decision.seat]}",
            str(decision.action),
            *map(_share, (decision.unread, decision.read, decision.win, decision.loss)),
            decision.grade.value if decision.grade else "",
            str(decision.best) if decision.loss else "",
        )
    console.print_table(table)
    for entrant, seat in zip(setup.entrants, match.seats, strict=True):
        if seat.worst is not None:
            console.print(
                f"{entrant}: accuracy {_share(seat.accuracy)}, mean loss {_share(seat.mean_loss)}, "
                f"worst at step {seat.worst.step} ({_share(seat.worst.loss)})."
            )
    found = accounts(match)
    for entrant, account in zip(setup.entrants, found, strict=False):
        console.print(
            f"{entrant}: {account.start:.0%} at the start, dice {account.luck:+.1%}, hidden dice "
            f"{account.hidden:+.1%}, own decisions {account.own:+.1%}, the other's "
            f"{account.other:+.1%}, residual {account.residual:+.1%} = {account.result:.0%}."
        )
    return bool(found)


def _explain(*, graded: bool, accounted: bool) -> None:
    """Print the meaning of the columns of matches.

    The last columns are explained if any decision has a grade, and the account of a result if there
    is one.
    """
    console = Terminal()
    console.print(
        "claim: how likely the claim before the action was true, by what the seat saw; read: also "
        "by what the others' bets say."
    )
    if not graded:
        console.print(f"{_VALUED} So there is no win, loss or grade.")
        return
    console.print(
        "win: the seat's chance to win the match after the action; loss: how much less than after "
        "the best action, which is in the column better; accuracy: the share of decisions that are "
        "best or fine."
    )
    console.print(_GRADES)
    if accounted:
        console.print(
            "dice: what the rolls gave; hidden dice: how actions turned out, compared with what "
            "they were worth by what the seat knew; residual: the error of the values. Where it is "
            "as large as the rest, the account tells nothing."
        )


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"
