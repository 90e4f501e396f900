"""`arena check-boards`: compares checkpoints, updated first on request, with the whole log."""

from dataclasses import asdict
from typing import Annotated

import typer

from arena.commands.database import reading
from arena.commands.jobs_option import Cluster, Jobs, processor_count, workers_of
from arena.commands.options import AsJson
from arena.commands.terminal import members, say, say_json, say_table

FEW = 100_000
"""The number of results below which one process is faster than starting further ones."""


def check_boards(
    write: Annotated[
        bool, typer.Option("--write", help="First bring the checkpoints up to date.")
    ] = False,
    as_json: AsJson = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
) -> None:
    """Compute every ladder from the whole log and compare it with its checkpoint.

    Exits with 1 if a number differs by more than 1e-9. The workers of a cluster must reach the
    database at ARENA_DATABASE_URL, too.
    """
    # Imported here: an error in the options must not wait for numpy.
    from arena.server.boards.checking import check_board_at
    from arena.server.boards.checkpointing import played_ladders, write_checkpoints
    from arena.server.boards.ladder_statements import log_end

    with reading() as (read, url):
        written = write_checkpoints(url) if write else []
        ladders = played_ladders(read)
        (end,) = read(log_end())
        wanted = jobs or (1 if end.sequence < FEW else min(len(ladders), processor_count()))
        with workers_of(max(1, wanted), cluster) as workers:
            parts = [workers.executor.submit(check_board_at, url, ladder) for ladder in ladders]
            checks = [part.result() for part in parts]
    wrong = [check for check in checks if not check.correct]
    if as_json:
        boards = [
            {
                "game": check.ladder.game,
                "options": check.ladder.option_values,
                "table_sizes": list(check.ladder.seats),
                "time_control": asdict(check.ladder.time_control),
                "matches": check.matches,
                "checkpoint": check.checkpoint,
                "differences": members(check, "counts", "elo", "covariance"),
                "correct": check.correct,
            }
            for check in checks
        ]
        say_json({"correct": not wrong, "boards": boards})
    else:
        if write:
            say(f"{len(written)} checkpoints written.")
        rows = []
        for check in checks:
            most = max(check.counts, check.elo, check.covariance)
            game = " ".join([check.ladder.game, *check.ladder.option_values])
            seats = "–".join(map(str, sorted({check.ladder.seats[0], check.ladder.seats[-1]})))
            checkpoint = "none" if check.checkpoint is None else f"{check.checkpoint:,}"
            correct = "correct" if check.correct else "WRONG"
            rows.append((game, seats, f"{check.matches:,}", checkpoint, f"{most:.1e}", correct))
        columns = ("game", "seats", "matches", "checkpoint at", "largest difference", "")
        say_table(columns, rows)
    raise typer.Exit(1 if wrong else 0)
