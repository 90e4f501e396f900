"""`played_block`, which runs a block of a final in a process of its own.

The process ends with this one, however that ends.
"""

import asyncio
import base64
import json
from collections.abc import Sequence

from arena.processes import module_command, start_async
from arena.v1 import worker_pb2 as pb
from arena.worker.bubblewrap import ENDS_WITH_US
from arena.worker.check_process import scratch_folder
from arena.worker.sandbox import HostedProgram, SandboxError, kill


async def played_block(
    block: pb.BeginFinalBlockResponse, programs: Sequence[HostedProgram], leave: asyncio.Event
) -> list[pb.EndFinalBlockRequest] | None:
    """Play a block, by the programs of its builds; return the messages of EndFinalBlock.

    The first one lacks the block. Returns None if `leave` was set before the end.

    Raises SandboxError if the process did not come to an end by itself.
    """
    with scratch_folder() as folder:
        plan = {
            "folder": str(folder),
            "block": base64.b64encode(block.SerializeToString()).decode(),
            "programs": [(str(one.folder.absolute()), list(one.command)) for one in programs],
        }
        child = await start_async([*ENDS_WITH_US, *module_command("arena.worker.final_playing")])
        playing = asyncio.create_task(child.communicate(json.dumps(plan).encode()))
        leaving = asyncio.create_task(leave.wait())
        try:
            await asyncio.wait({playing, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not playing.done():
                return None
            said, _ = playing.result()
            lines = said.splitlines()
            if not lines or lines[-1]:  # an empty line ends it
                raise SandboxError("A block of a final was not played; the log above says why.")
            return [
                pb.EndFinalBlockRequest.FromString(base64.b64decode(line)) for line in lines[:-1]
            ]
        finally:
            leaving.cancel()
            playing.cancel()
            kill(child)
            await child.wait()
