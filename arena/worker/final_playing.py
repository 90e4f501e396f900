"""A block of a final, in a process of its own.

Run it as `python -m arena.worker.final_playing` with a plan as JSON on stdin: `folder`, an empty
folder; `block`, a BeginFinalBlockResponse in base64; and `programs`, with the folder and the
command for each of its builds. It writes the messages of EndFinalBlock, without the block's name,
as lines of base64, and then an empty line.

For each match, new programs are started in the sandbox, each with an empty /tmp. A match that does
not begin is tried again; a program that fails to start twice in a row counts as absent.
"""

import asyncio
import base64
import json
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from arena.codec.transcript import read_setup, to_message
from arena.local.programs.dealt_match import AbsentError, Deal, play_dealt
from arena.match.transcript import Transcript
from arena.v1 import worker_pb2 as pb
from arena.worker.confined_program import ConfinedProgram
from arena.worker.limits import CONNECT_SECONDS
from arena.worker.sandbox import HostedProgram, SandboxError, confined

MOST_TRIES: Final = 4
"""The number of tries, after which the programs that failed last count as absent in any case."""
MOST_OF_A_REASON: Final = 2_000
"""The most characters of the reason why a program did not play."""


async def play_block(
    block: pb.BeginFinalBlockResponse, programs: Sequence[HostedProgram], folder: Path
) -> list[pb.EndFinalBlockRequest]:
    """Play the matches of a block, one after the other. Raises SandboxError."""
    ending = [pb.EndFinalBlockRequest()]
    for match in block.matches:
        try:
            started = _now_ms()
            transcript = await _match(match, programs, folder)
        except AbsentError as error:
            absent = sorted({match.builds[seat] for seat in error.seats})
            why = str(error).replace("\0", "")[:MOST_OF_A_REASON]
            return [pb.EndFinalBlockRequest(absent=absent, reason=why)]
        played = pb.PlayedFinalMatch(
            transcript=to_message(transcript), started_ms=started, finished_ms=_now_ms()
        )
        ending.append(pb.EndFinalBlockRequest(match=played))
    return ending


async def _match(
    match: pb.FinalMatch, programs: Sequence[HostedProgram], folder: Path
) -> Transcript:
    setup = read_setup(match.setup)
    deal = Deal(match.secret, tuple(match.entropies))

    def start(seat: int, socket: Path, token: str) -> AbstractAsyncContextManager[ConfinedProgram]:
        return confined(programs[match.builds[seat]], socket=socket, token=token)

    before: set[int] = set()
    for tried in count(1):
        with TemporaryDirectory(dir=folder) as place:
            try:
                return await play_dealt(setup, deal, start, Path(place), CONNECT_SECONDS)
            except AbsentError as error:
                again = before.intersection(error.seats)
                if again:
                    raise AbsentError(sorted(again), str(error)) from error
                if tried == MOST_TRIES:
                    raise
                before = set(error.seats)
    raise AssertionError("it counts for ever")


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def main() -> None:
    """Play the plan on stdin."""
    said = json.load(sys.stdin)
    programs = [HostedProgram(Path(folder), command) for folder, command in said["programs"]]
    block = pb.BeginFinalBlockResponse.FromString(base64.b64decode(said["block"]))
    try:
        ending = asyncio.run(play_block(block, programs, Path(said["folder"])))
    except SandboxError as error:
        sys.exit(str(error))
    for message in ending:
        print(base64.b64encode(message.SerializeToString()).decode())
    print(flush=True)


if __name__ == "__main__":
    main()
