"""A block of a final, in a process of its own.

Run it as `python -m arena.worker.final_playing` with a plan as JSON on stdin: `folder`, an empty
folder; `block`, a BeginFinalBlockResponse in base64; and `programs`, for each of its builds the
folder and the command. It writes an EndFinalBlockRequest without its block, in base64.

Each match is played by programs that are started for it in the sandbox, each with an empty /tmp. A
match that does not begin is tried again once.
"""

import asyncio
import base64
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from arena.codec.transcript import read_setup, to_message
from arena.local.programs.dealt_match import AbsentError, Deal, play_dealt
from arena.match.transcript import Transcript
from arena.v1 import worker_pb2 as pb
from arena.worker.confine import NOT_CONFINED, confined_command
from arena.worker.limits import CONNECT_SECONDS

TRIES: Final = 2
"""How often a match is begun before the programs that do not start have lost."""


@dataclass(frozen=True, slots=True)
class FinalProgram:
    """A build that plays: the folder with its files, and the command that starts it there."""

    folder: Path
    command: tuple[str, ...]


async def play_block(
    block: pb.BeginFinalBlockResponse, programs: Sequence[FinalProgram], folder: Path
) -> pb.EndFinalBlockRequest:
    """Play the matches of a block, one after the other."""
    ending = pb.EndFinalBlockRequest()
    for match in block.matches:
        try:
            started = _now_ms()
            transcript = await _match(match, programs, folder)
        except AbsentError as error:
            absent = sorted({match.builds[seat] for seat in error.seats})
            return pb.EndFinalBlockRequest(absent=absent, reason=str(error).replace("\0", ""))
        ending.matches.add(
            transcript=to_message(transcript), started_ms=started, finished_ms=_now_ms()
        )
    return ending


async def _match(
    match: pb.FinalMatch, programs: Sequence[FinalProgram], folder: Path
) -> Transcript:
    """Play a match. Raises AbsentError."""
    setup = read_setup(match.setup)
    deal = Deal(match.secret, tuple(match.entropies))

    def command(seat: int, address: str) -> list[str]:
        program = programs[match.builds[seat]]
        socket = Path(address.removeprefix("unix:"))
        return confined_command(program.folder, socket, list(program.command))

    tries = TRIES
    while True:
        tries -= 1
        with TemporaryDirectory(dir=folder) as place:
            try:
                return await play_dealt(setup, deal, command, Path(place), CONNECT_SECONDS)
            except AbsentError as error:
                if NOT_CONFINED in error.codes:
                    sys.exit(str(error))  # this machine's fault; another try may do better
                if not tries:
                    why = str(error).replace(f"{place}/", "")
                    raise AbsentError(error.seats, why) from error


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def main() -> None:
    """Play the plan on stdin."""
    said = json.load(sys.stdin)
    programs = [FinalProgram(Path(folder), tuple(command)) for folder, command in said["programs"]]
    block = pb.BeginFinalBlockResponse.FromString(base64.b64decode(said["block"]))
    ending = asyncio.run(play_block(block, programs, Path(said["folder"])))
    print(base64.b64encode(ending.SerializeToString()).decode(), flush=True)


if __name__ == "__main__":
    main()
