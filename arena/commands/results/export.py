"""`arena export`: writes results, transcripts and decisions to files for other programs.

A file appears only when it is complete. It is written row by row, so that a million matches need no
more memory than a thousand.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from arena.commands.database import existing_database
from arena.commands.dataset.writing import say_removed, write_data_set
from arena.commands.errors import CommandError, cannot_be_written
from arena.commands.options import game_options, time_control
from arena.commands.progress import with_progress
from arena.commands.results.export_formats import FORMATS
from arena.commands.terminal import json_text, say
from arena.database.reading import open_reader
from arena.games import make_game
from arena.match.clock import TimeControl
from arena.match.transcript_json import to_json
from arena.replacing import replacing
from arena.server.boards.board import TABLE_SIZES, table_sizes
from arena.server.results.export import Archive, open_archive
from arena.server.results.statements import Selection
from arena.settings import read_settings

_MOST_SEATS = TABLE_SIZES[-1][-1]


def export(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE.jsonl|FILE.csv|FILE.parquet]",
            help="Results. A .jsonl holds the matches that are rated, the others all of them.",
        ),
    ] = None,
    transcripts: Annotated[
        Path | None, typer.Option(help="Transcripts of all matches, a JSON object a line.")
    ] = None,
    decisions: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="A data set of all decisions: Parquet files by game, with a card and metadata.",
        ),
    ] = None,
    game: Annotated[str | None, typer.Option(help="Only this game.")] = None,
    seats: Annotated[str, typer.Option(metavar="N|N-M", help="Only tables of this size.")] = "",
    option: Annotated[
        list[str] | None,
        typer.Option(help="Only this variant of --game, as NAME=VALUE. May be repeated."),
    ] = None,
    time: Annotated[
        str, typer.Option(help="Only with this time control, as in turn=60s,bank=10m.")
    ] = "",
) -> None:
    """Write results, transcripts or decisions to files."""
    selection = _selection(game, option or [], seats, time)
    if file is None and transcripts is None and decisions is None:
        raise CommandError(
            "Name a file for the results, one for --transcripts or a folder for --decisions."
        )
    if file is not None and file.suffix not in FORMATS:
        raise CommandError(f"{file}: export to one of {', '.join(FORMATS)}.")
    with existing_database(read_settings()) as url, open_archive(url) as archive:
        if file is not None:
            _results(archive, selection, file)
        if transcripts is not None:
            _transcripts(archive, selection, transcripts)
        if decisions is not None:
            with open_reader(url) as read:
                write_data_set(archive, read, selection, decisions)


def _selection(game: str | None, option: list[str], seats: str, time: str) -> Selection:
    control = time_control(time) if time else None
    sizes = _sizes(seats) if seats else None
    if game is None:
        if option:
            raise CommandError("An --option is one of a game: name it with --game.")
        return Selection(seat_counts=sizes, time_control=control)
    rules = make_game(game, game_options(option))
    if sizes is not None and not any(size in rules.seat_counts for size in sizes):
        raise CommandError(
            f"--seats {seats}: {rules.title} is played by {rules.seat_counts[0]} to "
            f"{rules.seat_counts[-1]} seats."
        )
    return Selection(game, rules.options.changed() if option else None, sizes, control)


def _sizes(text: str) -> range:
    least, _, most = text.partition("-")
    try:
        sizes = range(int(least), int(most or least) + 1)
    except ValueError:
        sizes = range(0)
    if not sizes or sizes[0] < 1 or sizes[-1] > _MOST_SEATS:
        raise CommandError(
            f"--seats takes a number, or two such as 3-4, the smaller one first, not {text!r}; "
            f"tables have at most {_MOST_SEATS} seats."
        )
    return sizes


def _results(archive: Archive, selection: Selection, file: Path) -> None:
    everything = archive.count(selection)
    for_rate = file.suffix == ".jsonl"
    if for_rate:
        selection = replace(selection, rated=True)
    total = archive.count(selection)
    played: set[tuple[str, str, int, TimeControl]] = set()
    with _complete(file) as part, FORMATS[file.suffix](part) as write:
        for match in with_progress(archive.matches(selection), total, file.name):
            write(match)
            options = json_text(match.options, sort_keys=True)
            played.add((match.game, options, match.seat_count, match.time_control))
    say(f"{file}: {total:,} matches.")
    if not for_rate:
        return
    if total < everything:
        say(f"Left out: {everything - total:,} matches that are not rated.", err=True)
    ladders = {(*variant, table_sizes(seats), time) for *variant, seats, time in played}
    if len(ladders) > 1:
        say(
            f"It holds {len(ladders)} ladders, which `arena rate` would rate as one: choose with "
            "--game, --option, --seats and --time.",
            err=True,
        )


def _transcripts(archive: Archive, selection: Selection, file: Path) -> None:
    total, written = archive.count(selection), 0
    with _complete(file) as part, part.open("w", encoding="utf-8") as lines:
        for transcript in with_progress(archive.transcripts(selection), total, file.name):
            lines.write(json_text(to_json(transcript), compact=True) + "\n")
            written += 1
    say(f"{file}: {written:,} transcripts.")
    if written < total:
        say_removed(archive, total - written)


@contextmanager
def _complete(file: Path) -> Iterator[Path]:
    """Provide a new file next to `file`, which is renamed to it when complete.

    Raises CommandError if `file` exists and is not a regular file, because a device must not be
    replaced, and if it cannot be written. A symbolic link is followed.
    """
    target = file.resolve()
    if target.exists() and not target.is_file():
        raise CommandError(f"{file} is not a regular file: choose another name.")
    try:
        with replacing(target) as part:
            yield part
    except OSError as error:
        raise cannot_be_written(file, error) from error
