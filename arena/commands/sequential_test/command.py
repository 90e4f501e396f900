"""`arena test`: tests whether a new version is better, playing blocks until the answer is clear."""

import secrets
from enum import IntEnum
from typing import Annotated

import typer

from arena.commands.errors import CommandError
from arena.commands.home.bot_list import listed_bots, quoting_explained
from arena.commands.home.line_up import check_seats, entries
from arena.commands.home.logs import LogFolder, log_folder
from arena.commands.jobs_option import Cluster, Jobs, check_cluster, where_of
from arena.commands.options import OptionList, game_options
from arena.commands.sequential_test.in_process import conduct
from arena.commands.sequential_test.report import report
from arena.commands.terminal import say, say_json
from arena.games import make_game
from arena.games.game import AnyGame
from arena.local.contest import Contest
from arena.match.score_rule import ScoreRule
from arena.rating.methods import EloModel
from arena.rating.sprt import Bounds, SprtState
from arena.rating.sprt_summary import summary_of, verdict


class ExitCode(IntEnum):
    """The exit codes for scripts. 2 is an error that the user can correct: see stderr."""

    BETTER = 0
    NOT_BETTER = 1
    UNDECIDED = 3


_EXIT_CODES = {
    SprtState.ACCEPT: ExitCode.BETTER,
    SprtState.REJECT: ExitCode.NOT_BETTER,
    SprtState.CONTINUE: ExitCode.UNDECIDED,
}


def sequential_test(
    new: Annotated[
        str,
        typer.Argument(
            help="A sample bot's name, a .py file, or a command that starts a program; with "
            "--connected a bot."
        ),
    ],
    old: Annotated[str, typer.Argument(help="The bot it is compared with.")],
    game: Annotated[str, typer.Option(help="The game.")] = "bluff",
    opponents: Annotated[
        str,
        typer.Option(
            metavar="BOT,BOT,…",
            help="The other bots at the table, which play once with each version: the same deals, "
            "or fresh ones with --connected or where a bot is a program. A command in double "
            "quotes may contain commas.",
        ),
    ] = "",
    bounds: Annotated[
        str, typer.Option(metavar="ELO0,ELO1", help="The two hypotheses, in Elo of the model.")
    ] = "0,10",
    model: Annotated[
        EloModel, typer.Option(help="The kind of Elo of the bounds.")
    ] = EloModel.NORMALIZED,
    alpha: Annotated[float, typer.Option(help="Chance to accept ELO1 if ELO0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Chance to keep ELO0 if ELO1 is true.")] = 0.05,
    score: Annotated[
        ScoreRule, typer.Option(help="Every opponent counts, or only first place.")
    ] = ScoreRule.PLACEMENT,
    option: OptionList = None,
    max_blocks: Annotated[
        int | None, typer.Option(min=1, help="Stop undecided after this many blocks.")
    ] = None,
    seed: Annotated[str, typer.Option(help="Anything; the same seed gives the same test.")] = "",
    connected: Annotated[
        bool,
        typer.Option(
            "--connected",
            help="Test registered bots, BOT or BOT:VERSION, that are connected to a running "
            "referee: in unrated seat blocks, because a connected bot never gets a deal twice.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    logs: LogFolder = None,
) -> None:
    """Test whether a version is better, by playing both until the answer is clear.

    Exit code 0: better (ELO1 accepted). 1: not better (ELO0 kept). 3: undecided. 2: an error in
    the arguments, or a bot that cannot play.
    """
    seed = seed or secrets.token_hex(4)
    limits = Bounds(*_bounds(bounds), model, alpha, beta)
    rules = make_game(game, game_options(option))
    others = listed_bots("--opponents", opponents)
    folder = None
    _check_table(rules, others)
    if cluster is not None and connected:
        raise CommandError("--cluster: connected bots play where they are.")
    if connected:
        # Imported here: tests in process must not wait for storage's imports.
        from arena.commands.sequential_test.connected import conduct_connected

        progress = conduct_connected(rules, new, old, limits, score, seed, max_blocks, others)
    else:
        with quoting_explained("--opponents", opponents):
            first, second, *rest = field = entries([new, old, *others], rules)
        contest = Contest(rules, first, second, tuple(rest), score)
        programs = any(entry.command for entry in field)
        check_cluster(cluster, programs=programs)
        folder = log_folder(logs) if programs else None
        with where_of(jobs, cluster, folder) as where:
            progress = conduct(contest, limits, seed, max_blocks, where)
    result, running = progress.result, progress.running
    summary = {
        "game": rules.name,
        "options": rules.options.changed(),
        "new": new,
        "old": old,
        "opponents": others,
        "seed": seed,
        "blocks": "seat" if connected or folder else "deal",
        "logs": folder and str(folder),
        "tournaments": list(progress.tournaments),
        "bounds": [limits.elo0, limits.elo1],
        "model": limits.model.value,
        "alpha": limits.alpha,
        "beta": limits.beta,
        "score": score.value,
        "verdict": verdict(new, old, limits, result, interrupted=progress.interrupted),
        **summary_of(running, result),
        "faults": [
            {"bot": name, "kind": kind, "reason": reason, "times": times}
            for (name, kind, reason), times in progress.faults.most_common()
        ],
    }
    if as_json:
        say_json(summary)
    else:
        say(report(result, summary))
    raise typer.Exit(_EXIT_CODES[result.state])


def _bounds(text: str) -> tuple[float, float]:
    try:
        elo0, elo1 = (float(part) for part in text.split(","))
    except ValueError:
        raise CommandError(f"--bounds takes two numbers such as 0,10, not {text!r}.") from None
    return elo0, elo1


def _check_table(game: AnyGame, opponents: list[str]) -> None:
    if not opponents and 2 not in game.seat_counts:
        raise CommandError(
            f"{game.title} is not played by two under these options: name the other bots at the "
            "table with --opponents."
        )
    check_seats(1 + len(opponents) if opponents else 2, game)
