"""`arena tournament play`: a whole tournament on this machine, without a server."""

import secrets
from contextlib import closing
from typing import Annotated, Any

import typer

from arena.commands.errors import CommandError
from arena.commands.home.bot_list import listed_bots, quoting_explained
from arena.commands.home.line_up import entries
from arena.commands.home.logs import LogFolder, log_folder, where_printed
from arena.commands.jobs_option import Cluster, Jobs, check_cluster, where_of
from arena.commands.options import AsJson, OptionList, TimeOption, time_control
from arena.commands.progress import with_progress
from arena.commands.terminal import say, say_json
from arena.commands.tournaments.in_process import InProcess, tournament_of
from arena.commands.tournaments.options import (
    Advance,
    GameName,
    Groups,
    PlayedBy,
    Rounds,
    Score,
    Seats,
)
from arena.commands.tournaments.printing import (
    print_standings,
    print_tournament,
    standings_json,
    tournament_json,
)
from arena.commands.tournaments.rules import check_format, game_at_tables_of
from arena.local.deal_blocks import BlockBrokenError
from arena.local.programs.program import BotProgramError
from arena.match.score_rule import ScoreRule
from arena.records import BlockKind
from arena.server.tournaments.summary import blocks_done, blocks_expected
from arena.server.tournaments.tournament import Rules, TournamentRecord, TournamentState

INTERRUPTED = 130
"""The exit code after Ctrl-C, as in shells."""
_MOST_REASONS = 10


def play(
    format_name: PlayedBy,
    bots: Annotated[
        str,
        typer.Option(
            help="Sample bots' names, .py files or commands that start programs, separated by "
            "commas; one in double quotes may contain commas. Best seed first."
        ),
    ],
    game: GameName = "bluff",
    seats: Seats = 2,
    blocks: Annotated[
        int, typer.Option(min=1, help="Blocks per pairing; in a block each bot plays every seat.")
    ] = 10,
    option: OptionList = None,
    time: TimeOption = "",
    rounds: Rounds = None,
    groups: Groups = None,
    advance: Advance = None,
    seed: Annotated[str, typer.Option(help="Anything; the same seed gives the same results.")] = "",
    score: Score = ScoreRule.PLACEMENT,
    same_deals: Annotated[
        bool | None,
        typer.Option(
            "--same-deals/--fresh-deals",
            help="Play one deal per block in all rotations of the seats, or fresh deals. The "
            "default is the same deals, but fresh ones where a bot is a program.",
        ),
    ] = None,
    pairings: Annotated[
        bool, typer.Option("--pairings", help="Print the pairings and their points, too.")
    ] = False,
    as_json: AsJson = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    logs: LogFolder = None,
) -> None:
    """Play a whole tournament on this machine, without a server; the bots are started here."""
    rules_of_game = game_at_tables_of(seats, game, option)
    control = time_control(time)
    with quoting_explained("--bots", bots):
        field = entries(listed_bots("--bots", bots), rules_of_game)
    rules = Rules(
        format=format_name,
        game=rules_of_game.name,
        options=rules_of_game.options.changed(),
        seats=seats,
        blocks=blocks,
        rounds=rounds,
        score=score,
        seed=seed or secrets.token_hex(4),
        rated=False,
        time_control=control,
        groups=groups,
        advance=advance,
    )
    check_format(rules, len(field))
    programs = any(entry.command for entry in field)
    if same_deals and programs:
        raise CommandError("A program cannot play a deal twice: leave out --same-deals.")
    check_cluster(cluster, programs=programs)
    fresh = programs if same_deals is None else not same_deals
    kind = BlockKind.SEAT if fresh else BlockKind.DEAL
    held = InProcess(rules_of_game, field, TournamentRecord(tournament_of(field, rules)), kind)
    folder = log_folder(logs) if programs else None
    with where_of(jobs, cluster, folder) as held.where:
        ended_by = _play_out(held)
    if as_json:
        say_json(_json(held))
    else:
        _print(held, pairings=pairings)
    if ended_by is not None:
        say(_what_is_missing(held), err=True)
    if isinstance(ended_by, BlockBrokenError | BotProgramError):
        raise ended_by
    if isinstance(ended_by, KeyboardInterrupt):
        raise typer.Exit(INTERRUPTED)


def _play_out(held: InProcess) -> KeyboardInterrupt | BlockBrokenError | BotProgramError | None:
    """Play to the end, and return the exception that ended it early.

    That is Ctrl-C, or a bot that ended its process.
    """
    tournament = held.record.tournament
    ended_by: KeyboardInterrupt | BlockBrokenError | BotProgramError | None = None
    try:
        with closing(held.blocks()) as blocks:
            for _ in with_progress(blocks, blocks_expected(tournament, 0), "Playing"):
                pass
    except (KeyboardInterrupt, BlockBrokenError, BotProgramError) as error:
        ended_by = error
    held.record.close(TournamentState.FINISHED if ended_by is None else TournamentState.CANCELLED)
    return ended_by


def _json(held: InProcess) -> dict[str, Any]:
    return tournament_json(held.record) | {
        "block_kind": held.kind.value,
        "standings": standings_json(held.record),
        "logs": held.where.logs and str(held.where.logs),
        "faults": [
            {"bot": name, "kind": kind, "reason": reason, "times": times}
            for (name, kind, reason), times in held.faults.most_common()
        ],
    }


def _print(held: InProcess, *, pairings: bool) -> None:
    if pairings:
        print_tournament(held.record)
    print_standings(held.record)
    rules = held.record.tournament.rules
    matches = rules.seats * blocks_done(held.record)
    typer.echo(f"{matches:,} matches in {held.kind.value} blocks, seed {rules.seed}")
    for (name, kind, reason), times in held.faults.most_common(_MOST_REASONS):
        say(f"Faults of {name}: {times} × {kind}: {reason}")
    if held.where.logs is not None and (printed := where_printed(held.where.logs)):
        say(f"What the programs printed: {printed}")


def _what_is_missing(held: InProcess) -> str:
    record, tournament = held.record, held.record.tournament
    done = blocks_done(record)
    said = f"Ended after {done} of {blocks_expected(tournament, done)} blocks."
    keys = held.unfinished
    if not keys:
        return said
    said += (
        f" Not finished: {held.who_meets(keys[0])}, {record.blocks_counted(keys[0])} of "
        f"{record.blocks_wanted(keys[0])} blocks"
    )
    more = len(keys) - 1
    return f"{said}, and {more} more pairing{'s' * (more > 1)}." if more else f"{said}."
