"""Processes in which a worker runs our own modules, and temporary folders.

Such a process ends with this one, however this one ends. A folder may then be left behind;
`remove_left_folders` removes it.
"""

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Final

from arena.processes import AsyncProcess, module_command, start_async
from arena.worker.bubblewrap import ENDS_WITH_US
from arena.worker.sandbox import kill

_FOLDERS: Final = "arena-work-"


@asynccontextmanager
async def own_process(module: str, plan: object) -> AsyncIterator[AsyncProcess]:
    """Run a module of ours in a process until the block ends; its stdin is the plan as JSON.

    The process ends with this one, however this one ends.
    """
    child = await start_async([*ENDS_WITH_US, *module_command(module)])
    try:
        assert child.stdin is not None
        child.stdin.write(json.dumps(plan).encode())
        child.stdin.close()
        yield child
    finally:
        kill(child)
        await child.wait()


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield an empty folder with a short path, for sockets; it is locked while it is used."""
    with ExitStack() as stack:
        try:
            folder = _new_folder(stack)
        except (BlockingIOError, FileNotFoundError):
            # A worker that is starting removed the folder before it was locked.
            folder = _new_folder(stack)
        yield folder


def _new_folder(stack: ExitStack) -> Path:
    """Make a folder and lock it until the stack ends. Raises OSError if it was removed before."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=_FOLDERS)))
    stack.enter_context(_locked(folder))
    folder.stat()  # it may have been removed between its opening and its locking
    return folder


def remove_left_folders() -> None:
    """Remove the scratch folders of processes that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDERS}*"):
        # Skip a folder that is locked (in use), another user's, or already gone.
        with suppress(OSError), _locked(folder):
            if folder.stat().st_uid == os.geteuid():
                shutil.rmtree(folder)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder. Raises OSError if another process has locked it, or if it is not a folder."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
