"""`played_block`, which runs a block of a final in a process of its own.

The process ends with this one, however this one ends.
"""

import asyncio
import base64
from collections.abc import Sequence

from arena.v1 import worker_pb2 as pb
from arena.waiting import first_of
from arena.worker.own_process import own_process, scratch_folder
from arena.worker.sandbox import HostedProgram, SandboxError


async def played_block(
    block: pb.BeginFinalBlockResponse, programs: Sequence[HostedProgram], leave: asyncio.Event
) -> list[pb.EndFinalBlockRequest] | None:
    """Play a block with the programs of its builds; return the messages of EndFinalBlock.

    The caller must set the block in the first message. Returns None if `leave` was set before the
    end. Raises SandboxError if the process failed.
    """
    with scratch_folder() as folder:
        plan = {
            "folder": str(folder),
            "block": base64.b64encode(block.SerializeToString()).decode(),
            "programs": [(str(one.folder.absolute()), list(one.command)) for one in programs],
        }
        async with own_process("arena.worker.final_playing", plan) as child:
            assert child.stdout is not None
            async with first_of(child.stdout.read(), leave.wait()) as (playing, _):
                if not playing.done():
                    return None
                lines = playing.result().splitlines()
            if not lines or lines[-1]:  # complete output ends with an empty line
                raise SandboxError("A block of a final was not played; the log above says why.")
            return [
                pb.EndFinalBlockRequest.FromString(base64.b64decode(line)) for line in lines[:-1]
            ]
