"""Writes a data set of decisions, which appears only when it is complete."""

import shutil
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from arena.commands.dataset.card import card
from arena.commands.dataset.croissant import croissant
from arena.commands.dataset.files import DecisionFiles
from arena.commands.dataset.pyarrow_module import pyarrow_modules
from arena.commands.dataset.rows import rows_of
from arena.commands.errors import CommandError, cannot_be_written
from arena.commands.progress import with_progress
from arena.commands.terminal import json_text, say
from arena.database.reading import Reader
from arena.moments import in_utc
from arena.server.boards.ratings_then import RatingsThen
from arena.server.results.export import Archive
from arena.server.results.statements import Selection


def write_data_set(archive: Archive, read: Reader, selection: Selection, folder: Path) -> None:
    """Write the decisions of the selected matches into a new folder.

    Raises:
        CommandError: The folder exists or cannot be written, pyarrow is missing, or a transcript
            contradicts the rules.
        StorageError: The database failed.
    """
    pyarrow_modules()
    if folder.exists():
        raise CommandError(f"{folder} exists: name a folder that does not, for --decisions.")
    total, matches, left_out = archive.count(selection), 0, 0
    ratings = RatingsThen(read)
    part = folder.with_name(f".{folder.name}.{uuid4().hex}.part")
    try:
        part.mkdir()
        files = DecisionFiles(part)
        for played in with_progress(archive.played(selection), total, folder.name):
            rows, kept_back = rows_of(played, ratings)
            files.add(played.match.game, played.match.seat_count, rows)
            matches, left_out = matches + 1, left_out + kept_back
        files.close()
        now = datetime.now(UTC)
        text = card(files.complete, matches=matches, left_out=left_out, at=now)
        (part / "README.md").write_text(text, encoding="utf-8")
        metadata = json_text(croissant(files.complete, now))
        (part / "croissant.json").write_text(metadata + "\n", encoding="utf-8")
        part.rename(folder)
    except OSError as error:
        raise cannot_be_written(folder, error) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    rows_written = sum(one.rows for one in files.complete)
    say(f"{folder}: {rows_written:,} decisions of {matches:,} matches.")
    if left_out:
        say(f"Left out: {left_out:,} decisions of bots whose owners keep them.", err=True)
    if matches < total:
        say_removed(archive, total - matches)


def say_removed(archive: Archive, count: int) -> None:
    """Say how many matches are left out because their transcripts are gone."""
    since = archive.removed_at()
    say(
        f"Left out: {count:,} matches whose transcripts are no longer kept"
        f"{'' if since is None else f', the last since {in_utc(since)}'}.",
        err=True,
    )
