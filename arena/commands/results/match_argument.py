"""A match as a command's argument: its id in the database, or a file with its transcript."""

from collections.abc import Callable, Iterator
from pathlib import Path

from arena.commands.errors import CommandError
from arena.commands.results.transcript_files import texts, whole_text
from arena.match.match_id import is_match_id
from arena.match.replay import TranscriptError
from arena.match.transcript import Transcript
from arena.match.transcript_json import read_json
from arena.printable import printable


def transcript_of(match: str) -> Transcript:
    """Return the transcript of MATCH_ID|FILE.

    Raises CommandError, and TranscriptError for an invalid file.
    """
    return recorded(match) if is_match_id(match.lower()) else read_json(_file(match))


def cannot_be_read(name: str, error: OSError) -> CommandError:
    """Return the error for an argument that is neither a match id nor a readable file."""
    return CommandError(f"{printable(name)} is neither a match id nor a file ({error.strerror}).")


def transcripts_in(
    file: str, unreadable: Callable[[str, OSError], CommandError] = cannot_be_read
) -> Iterator[tuple[str, Transcript]]:
    """Yield the transcripts of a file, each with its place in words.

    Raises CommandError; `unreadable` makes the one for a file that cannot be read.
    """
    try:
        for line, text in texts(Path(file)):
            place = file if line is None else f"{file}, line {line}"
            try:
                yield place, read_json(text)
            except TranscriptError as error:
                raise CommandError(f"{place} is no transcript: {error}.") from error
    except OSError as error:
        raise unreadable(file, error) from error


def recorded(match_id: str) -> Transcript:
    """Return the transcript of a match in the database. Raises CommandError."""
    # The import is here, because a file needs no database.
    from arena.commands.database import reading
    from arena.server.results.match_finding import transcript_named

    with reading() as (read, _):
        found = transcript_named(read, match_id)
    if found is None:
        raise CommandError(f"There is no match {match_id}: see `arena matches`.")
    return found


def _file(name: str) -> bytes:
    try:
        return whole_text(Path(name))
    except OSError as error:
        raise cannot_be_read(name, error) from error
