"""A match as a command's argument: its id in the database, or a file with its transcript."""

import json
from pathlib import Path
from uuid import UUID

from arena.commands.errors import CommandError
from arena.match.replay import TranscriptError
from arena.match.transcript import Transcript
from arena.match.transcript_json import from_json


def transcript_of(match: str) -> Transcript:
    """The transcript of MATCH_ID|FILE. Raises CommandError, and TranscriptError for a bad file."""
    return recorded(match) if _is_uuid(match) else from_json(_file(match))


def recorded(match_id: str) -> Transcript:
    """The transcript of a match in the database. Raises CommandError."""
    # Imported here, because a file needs no database.
    from arena.commands.database import with_store

    found = with_store(lambda store: store.transcript(match_id))
    if found is None:
        raise CommandError(f"There is no match {match_id}: see `arena matches`.")
    return found


def _file(name: str) -> object:
    try:
        return json.loads(Path(name).read_bytes())
    except OSError as error:
        raise CommandError(
            f"{name} is neither a match id nor a file ({error.strerror})."
        ) from error
    except ValueError as error:
        raise TranscriptError(f"{name} is not JSON: {error}") from error
    except RecursionError as error:
        raise TranscriptError(f"{name} is no transcript: its JSON is nested too deep") from error


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
