"""A spool that cannot be read costs a referee that plays neither its own matches nor a takeover."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from structlog.testing import capture_logs

from arena.database.errors import SpoolFailedError
from arena.errors import UserError
from arena.server.app.arena import Arena
from arena.server.app.assembly import running_arena
from arena.server.app.referee_settings import RefereeSettings
from arena.server.app.referees_store import RefereesStore, open_referees_store
from arena.server.app.spools import Spools
from arena.server.app.takeover import SPOOL_TRIES
from tests import recorded_matches
from tests.bots import Peer
from tests.databases import plain
from tests.recorded_results import finished, match_id
from tests.scene import BLUFF, playing
from tests.waiting import until_async


@pytest.fixture
def log() -> Iterator[list[Any]]:
    with capture_logs() as lines:
        yield lines


async def spool_file(store: RefereesStore, directory: Path) -> Path:
    """Where the referee of this lease would spool."""
    key = (await store.signer()).public_key.hex()[:16]
    return directory / f"results-{key}-{store.lease.epoch}.spool"


async def peers(arena: Arena) -> list[Peer]:
    tokens = [(await arena.store.register(name, name))[1] for name in ("one", "other")]
    return [Peer(arena.port, token) for token in tokens]


def waits(log: list[Any]) -> list[str]:
    return [line["why"] for line in log if line["event"] == "takeover failed; retrying"]


@pytest.mark.slow
async def test_a_takeover_goes_on_without_a_spool_that_cannot_be_read(
    database: str, tmp_path: Path, log: list[Any]
) -> None:
    async with running_arena(
        database, RefereeSettings(table_types=[BLUFF], spool_directory=tmp_path)
    ) as arena:
        lease = arena.store.lease
        async with playing(await peers(arena)) as company:
            async with open_referees_store(database) as other:
                file = await spool_file(other, tmp_path)
                file.mkdir()  # even root reads no directory as a file
            await until_async(lambda: waits(log), pause=0.02)
            await until_async(lambda: not lease.inherited, pause=0.02)
            await company.go_on()
        assert len(waits(log)) == SPOOL_TRIES - 1
        assert all(str(file) in why and "unable to open database file" in why for why in waits(log))
        given_up = [line for line in log if "without spooled results" in line["event"]]
        assert len(given_up) == 1


@pytest.mark.slow
async def test_a_spool_that_can_be_read_after_a_moment_is_recorded(
    database: str, tmp_path: Path, log: list[Any]
) -> None:
    async with running_arena(database, RefereeSettings(spool_directory=tmp_path)) as arena:
        versions = [(await arena.store.register(name, name))[0].version_id for name in "ab"]
        key = (await arena.store.signer()).public_key
        async with open_referees_store(database) as other:
            file = await spool_file(other, tmp_path)
            file.mkdir()
        await until_async(lambda: waits(log), pause=0.02)
        file.rmdir()
        match = finished(versions)
        await Spools(tmp_path, key).of(other.lease.epoch).append([match])
        await until_async(lambda: not arena.store.lease.inherited, pause=0.02)
        assert await recorded_matches.match(arena.store, match_id(match)) is not None
        assert Spools(tmp_path, key).left() == {}


async def test_a_start_that_cannot_read_a_spool_says_so_and_leaves_it(
    database: str, tmp_path: Path
) -> None:
    async with open_referees_store(database) as earlier:
        file = await spool_file(earlier, tmp_path)
        file.mkdir()
    with pytest.raises(ExceptionGroup) as raised:
        async with running_arena(database, RefereeSettings(spool_directory=tmp_path)):
            pytest.fail("it started")
    error: BaseException = raised.value
    while isinstance(error, ExceptionGroup):
        (error,) = error.exceptions
    assert isinstance(error, SpoolFailedError) and isinstance(error, UserError)
    assert str(error).startswith(
        f"{file}: unable to open database file. Finished matches wait there"
    )
    assert file.exists()
    with psycopg.connect(plain(database)) as sql:  # for the next start
        inherited = sql.execute("SELECT inherited FROM leases").fetchall()
    assert inherited == [([earlier.lease.epoch],)]
