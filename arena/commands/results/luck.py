"""`arena luck`: prints the luck of each seat's draws in one match."""

from typing import Annotated, Any

import typer
from rich.table import Table

from arena.commands.errors import CommandError
from arena.commands.jobs_option import Cluster, Jobs, processor_count, workers_of
from arena.commands.options import AsJson
from arena.commands.progress import progress
from arena.commands.results.match_argument import transcript_of
from arena.commands.terminal import Terminal, say_json
from arena.lab.luck import DrawLuck, Luck, checked_luck_of
from arena.match.replay import TranscriptError
from arena.match.transcript import Transcript


def luck(
    match: Annotated[
        str | None, typer.Argument(metavar="[MATCH_ID|FILE]", help="The match.")
    ] = None,
    as_json: AsJson = False,
    missing: Annotated[
        bool,
        typer.Option(
            "--missing",
            help="Measure the luck of all recorded matches that have none by this release's "
            "tables. Running it again changes nothing.",
        ),
    ] = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
) -> None:
    """Print how lucky each seat's draws were, by draw and in total.

    In expected points (the share of the other seats that one beats) above the mean of all possible
    draws, by a fixed table; docs/luck.md explains how.
    """
    if missing == (match is not None):
        raise CommandError("Name a match or a file, or use --missing.")
    if match is None:
        _measure_missing(jobs, cluster, as_json=as_json)
        return
    try:
        found = transcript_of(match)
        measured = checked_luck_of(found)
    except TranscriptError as error:
        raise CommandError(f"{match} cannot be replayed: {error}.") from error
    if as_json:
        say_json(_json(found, measured))
    else:
        _print(Terminal(), found, measured)


FEW = 3_000
"""The matches that one process measures in a second, before further processes have started."""


def _measure_missing(jobs: int | None, cluster: str | None, *, as_json: bool) -> None:
    """Measure the luck of all recorded matches without it, and print the counts."""
    # The import is here, because a file needs no database.
    from arena.commands.database import with_store
    from arena.server.app.store import Store

    async def measure(store: Store) -> tuple[int, int]:
        """Return how many matches were measured, and how many could not be."""
        told = [0, 0]
        missing = await store.luck.missing()
        wanted = jobs or (1 if missing < FEW else processor_count())
        with workers_of(wanted, cluster) as workers, progress(missing, "luck") as advance:
            async for done in store.luck.measure_missing(workers):
                told[not done] += 1
                advance()
        return told[0], told[1]

    done, failed = with_store(measure)
    if as_json:
        say_json({"measured": done, "failed": failed})
    else:
        typer.echo(f"Measured the luck of {done:,} matches.")
    if failed:
        typer.echo(f"{failed:,} could not be measured; the log above says why.", err=True)
    if done:
        typer.echo("A running referee and dashboard use it after a restart.", err=True)


def _json(transcript: Transcript, measured: Luck) -> dict[str, Any]:
    return {
        "match_id": transcript.setup.match_id,
        "game": transcript.setup.game,
        "table": measured.table and measured.table._asdict(),
        "seats": [
            {"bot": entrant.bot, "version": entrant.version, "luck": round(luck, 6)}
            for entrant, luck in zip(transcript.setup.entrants, measured.seats, strict=True)
        ],
        "draws": [
            {
                "step": draw.step,
                "draw": _draw_json(transcript, draw),
                "luck": [round(luck, 6) for luck in draw.seats],
            }
            for draw in measured.draws
        ],
    }


def _draw_json(transcript: Transcript, draw: DrawLuck) -> dict[str, Any]:
    return transcript.setup.make_game().notation.to_json(draw.draw)


def _print(console: Terminal, transcript: Transcript, measured: Luck) -> None:
    if measured.table is None:
        console.print(f"{transcript.setup.make_game().title} has no table of luck yet.")
        return
    table = Table("step", "draw")
    for seat, entrant in enumerate(transcript.setup.entrants):
        table.add_column(f"seat {seat}: {entrant}", justify="right")
    for draw in measured.draws:
        shown = _draw_json(transcript, draw)
        cups = [cup if isinstance(cup, list) else [cup] for cup in shown.get("dice", ())]
        dice = (" | " if max(map(len, cups), default=0) > 1 else " ").join(
            " ".join(map(str, cup)) for cup in cups
        )
        name = str(shown["type"]).replace("_", " ")
        table.add_row(str(draw.step), f"{name} {dice}".strip(), *map(_signed, draw.seats))
    table.add_section()
    table.add_row("", "the whole match", *map(_signed, measured.seats))
    console.print_table(table)
    console.print(
        f"Points beyond the expectation; table {measured.table.file}, "
        f"SHA-256 {measured.table.sha256[:12]}…",
    )


def _signed(luck: float) -> str:
    return f"{luck:+.3f}"
