"""What a killed worker leaves among the temporary files, the next one removes."""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

import pytest

from arena.bot.address import Address
from arena.worker.known_referees import KnownReferees
from arena.worker.own_process import remove_left_folders, scratch_folder
from arena.worker.relay import relayed
from tests.bots import PATIENCE

RELAYS = """
import asyncio
from arena.bot.address import Address
from arena.worker.known_referees import KnownReferees
from arena.worker.relay import relayed

async def main():
    async with relayed(KnownReferees(Address("127.0.0.1:9")), "token") as socket:
        print(socket, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_the_folder_of_a_relay_goes_when_its_worker_was_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with tempfile.TemporaryDirectory() as folders:  # sockets have short paths
        monkeypatch.setattr(tempfile, "tempdir", folders)
        command = (sys.executable, "-c", RELAYS)
        worker = await asyncio.create_subprocess_exec(
            *command, env=os.environ | {"TMPDIR": folders}, stdout=asyncio.subprocess.PIPE
        )
        assert worker.stdout is not None
        async with asyncio.timeout(PATIENCE):
            left = Path((await worker.stdout.readline()).decode().strip()).parent
        remove_left_folders()
        assert left.exists(), "it is in use"
        worker.kill()
        await worker.wait()
        async with relayed(KnownReferees(Address("127.0.0.1:9")), "token") as socket:
            remove_left_folders()
            assert not left.exists()
            assert socket.exists()


def test_a_folder_that_a_starting_worker_removes_before_it_is_locked_is_made_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    make, made = tempfile.mkdtemp, list[str]()

    def made_as_a_worker_starts(*words: str | None) -> str:
        made.append(make(*words))
        if len(made) == 1:
            remove_left_folders()
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", made_as_a_worker_starts)
    with scratch_folder() as folder:
        assert len(made) == 2 and folder.is_dir()
        remove_left_folders()
        assert folder.is_dir()
    assert list(tmp_path.iterdir()) == []
