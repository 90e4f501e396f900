"""Which spools an earlier referee has left, and what becomes of records that cannot be read."""

import json
import os
import resource
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from arena.database.errors import SpoolFailedError
from arena.records import BlockEnd
from arena.server.app.spools import Spools
from arena.server.failover.spool import SpoolFile
from tests.server.failover.spooled import add_record

KEY, OTHER = b"k" * 32, b"o" * 32


async def test_the_spools_of_this_database_are_found_by_their_leases(tmp_path: Path) -> None:
    spools = Spools(tmp_path, KEY)
    assert spools.left() == {}
    ends = {epoch: BlockEnd(f"of {epoch}", void=False) for epoch in (2, 10)}
    for epoch, end in ends.items():
        await spools.of(epoch).append([end])
    await Spools(tmp_path, OTHER).of(3).append([BlockEnd("another's", void=True)])
    (tmp_path / "results-x.txt").touch()
    with capture_logs() as log:
        left = spools.left()
    assert {epoch: spool.read() for epoch, spool in left.items()} == {
        epoch: [end] for epoch, end in ends.items()
    }
    assert [line["file"] for line in log] == [str(tmp_path / f"results-{OTHER.hex()[:16]}-3.spool")]


async def test_spools_that_cannot_be_listed_are_not_taken_for_none(tmp_path: Path) -> None:
    await Spools(tmp_path, KEY).of(2).append([BlockEnd("one", void=False)])
    assert Spools(tmp_path / "nowhere", KEY).left() == {}
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, limits[1]))
    try:
        with pytest.raises(SpoolFailedError, match="Too many open files"):
            Spools(tmp_path, KEY).left()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


async def test_a_spool_is_named_by_its_database_and_its_lease(tmp_path: Path) -> None:
    await Spools(tmp_path, KEY).of(7).append([BlockEnd("one", void=False)])
    assert (tmp_path / f"results-{'6b' * 8}-7.spool").exists()


async def test_a_record_that_cannot_be_read_costs_none_of_the_others(tmp_path: Path) -> None:
    file = tmp_path / "spool"
    good = BlockEnd("good", void=True)
    spool = SpoolFile(file)
    await spool.append([good])
    for content in (b"no JSON", json.dumps({"ended": "without void"}).encode(), b"{}\n"):
        add_record(file, content)
    await spool.append([good])
    with capture_logs() as log:
        assert SpoolFile(file).read() == [good, good]
    assert [line["event"] for line in log] == ["a spooled record cannot be read"] * 3
