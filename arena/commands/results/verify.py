"""`arena verify`: verifies any number of matches, one after the other."""

import errno
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena.commands.errors import CommandError
from arena.commands.progress import progress
from arena.commands.results.match_argument import cannot_be_read
from arena.commands.results.transcript_files import texts
from arena.commands.terminal import say_json_line
from arena.games.game import DEALER
from arena.match.match_id import is_match_id
from arena.match.replay import TranscriptError
from arena.match.transcript import Transcript
from arena.match.transcript_json import read_json
from arena.match.verify import verify as verify_transcript
from arena.printable import printable
from arena.signatures import KEY_BYTES, check_signature
from arena.wording import number_of

FAILED = 1
"""The exit code if the verification of a transcript fails."""
_MOST_KEYS = 5
"""The largest number of keys that the closing line names."""


def verify(
    matches: Annotated[
        list[str],
        typer.Argument(
            metavar="MATCH_ID|FILE…",
            help="What to check: recorded matches, files with a transcript, or with one a line.",
        ),
    ],
    key: Annotated[
        str,
        typer.Option(metavar="PUBLIC", help="Require signatures by this key (see `arena key`)."),
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object for each transcript, one a line.")
    ] = False,
) -> None:
    """Recompute every draw of matches, referee them again and check their signatures.

    Exit code 1 if the verification of a match fails; each such match is named with the first thing
    that is wrong.
    """
    demanded = _public_key(key)
    tally, signers = Counter[str](), Counter[str]()
    last = None
    with ExitStack() as stack:
        advance = stack.enter_context(progress(_size(matches), "Verifying"))
        for text in _all(matches, stack):
            last = _checked(text, demanded)
            tally["failed" if last.error else "verified"] += 1
            signers[last.signed_by or ""] += last.error is None
            if as_json:
                say_json_line(last.as_json())
            elif last.error:
                typer.echo(printable(last.complaint))
            advance(text.size)
    if not as_json:
        typer.echo(_closing(tally, signers, last))
    if tally["failed"]:
        raise typer.Exit(FAILED)


@dataclass(frozen=True, slots=True)
class _Unread:
    """A transcript that is still to be read."""

    read: Callable[[], Transcript]
    """A function that reads the transcript; it raises TranscriptError."""
    size: int
    file: str | None = None
    """The file's name; None for a recorded match."""
    line: int | None = None
    """The line number; None if the file is one transcript."""


@dataclass(frozen=True, slots=True)
class _Verdict:
    """The outcome of verifying one transcript."""

    source: _Unread
    transcript: Transcript | None
    """The transcript; None if it cannot be read."""
    error: str | None

    @property
    def match_id(self) -> str | None:
        return None if self.transcript is None else self.transcript.setup.match_id

    @property
    def signed_by(self) -> str | None:
        """The key of its signature in hexadecimal digits, if the signature is valid."""
        signature = self.transcript and self.transcript.signature
        return signature.key.hex() if signature and self.error is None else None

    @property
    def complaint(self) -> str:
        place = [str(part) for part in (self.source.file, self.source.line) if part is not None]
        where = f"{':'.join(place)}: " if place else ""
        match = f"Match {self.match_id}: " if self.match_id else ""
        return f"{where}{match}verification failed: {self.error}"

    def as_json(self) -> dict[str, object]:
        return {
            "file": self.source.file,
            "line": self.source.line,
            "match_id": self.match_id,
            "verified": self.error is None,
            "signed_by": self.signed_by,
            "error": self.error,
        }


def _checked(source: _Unread, key: bytes | None) -> _Verdict:
    transcript = None
    try:
        transcript = source.read()
        verify_transcript(transcript)
        check_signature(transcript, key)
    except TranscriptError as error:
        return _Verdict(source, transcript, str(error))
    return _Verdict(source, transcript, None)


def _public_key(text: str) -> bytes | None:
    """Return the bytes of `--key`; None if it is "".

    Raises CommandError.
    """
    if not text:
        return None
    if not re.fullmatch(f"[0-9a-fA-F]{{{2 * KEY_BYTES}}}", text):
        raise CommandError(
            f"--key {printable(text)}: a key is {2 * KEY_BYTES} hexadecimal digits, "
            "as `arena key` prints it."
        )
    return bytes.fromhex(text)


def _size(matches: Sequence[str]) -> int:
    """Return the total work in bytes. Raises CommandError for an unreadable file before any work.

    No file is opened: a pipe can be opened only once.
    """
    size = 0
    for match in matches:
        if is_match_id(match.lower()):
            size += 1
            continue
        try:
            found = Path(match).stat()
            if stat.S_ISDIR(found.st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        except OSError as error:
            raise cannot_be_read(match, error) from error
        size += found.st_size if stat.S_ISREG(found.st_mode) else 1
    return size


def _all(matches: Sequence[str], stack: ExitStack) -> Iterator[_Unread]:
    """Yield the transcripts of all arguments, unread."""
    recorded: Callable[[str], Transcript] | None = None
    for match in matches:
        if is_match_id(match.lower()):
            recorded = recorded or _opened(stack)
            yield _Unread(partial(recorded, match), size=1)
        else:
            try:
                for line, text in texts(Path(match)):
                    yield _Unread(partial(read_json, text), len(text), match, line)
            except OSError as error:
                raise cannot_be_read(match, error) from error


def _opened(stack: ExitStack) -> Callable[[str], Transcript]:
    """Return a function that reads recorded matches from the database of the settings."""
    # The imports are here, because files need no database.
    from arena.commands.database import reading
    from arena.database.errors import TranscriptDamagedError
    from arena.server.results.match_finding import transcript_named

    read, _ = stack.enter_context(reading())

    def recorded(match_id: str) -> Transcript:
        try:
            found = transcript_named(read, match_id)
        except TranscriptDamagedError as error:
            raise TranscriptError(str(error).rstrip(".")) from error
        if found is None:
            raise CommandError(f"There is no match {match_id}: see `arena matches`.")
        return found

    return recorded


def _closing(tally: Counter[str], signers: Counter[str], last: _Verdict | None) -> str:
    """Return the closing line: the counts, or details of a single transcript."""
    count, failed = tally.total(), tally["failed"]
    signatures = _signatures(+signers)
    if failed:
        verified = f"{count - failed:,} verified" + (f", {signatures}" if signatures else "")
        return f"{number_of(count, 'transcript')}: {failed:,} failed, {verified}."
    if count == 1 and last is not None and last.transcript is not None:
        steps = last.transcript.steps
        draws = sum(step.actor is DEALER for step in steps)
        return (
            f"Verified: {draws} draws recomputed from the opening, {len(steps) - draws} actions "
            f"refereed again, the result follows; {signatures}."
        )
    return f"{number_of(count, 'transcript')}: all verified, {signatures}."


def _signatures(signers: Counter[str]) -> str:
    """Return the signers of the verified transcripts in words; "" if there are none."""
    said = [
        (count, f"signed by {key}" if key else "unsigned")
        for key, count in signers.most_common(_MOST_KEYS)
    ]
    if len(said) == 1:
        return said[0][1]
    rest = signers.total() - sum(count for count, _ in said)
    told = [f"{count:,} {how}" for count, how in said]
    return ", ".join([*told, *[f"{rest:,} signed by other keys"] * (rest > 0)])
