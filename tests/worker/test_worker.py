"""What a worker makes of uploads: real queue, real checks in the sandbox, recorded matches."""

import asyncio
import os
import re
import select
import subprocess
import sys
from collections.abc import Iterable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import psycopg
import pytest
from structlog.testing import capture_logs

from arena.builds.hosted import BuildState, HostingTerms
from arena.clients.referee_client import OwnerCallError
from arena.processes import processes_of
from arena.server.uploads.hosted_builds import NO_WORKER
from arena.server.uploads.hosted_shifts import GRACE_SECONDS
from arena.worker.limits import CONNECT_SECONDS, LEAVE_SECONDS, START_SECONDS
from arena.worker.referee import ANSWER_SECONDS, FETCH_SECONDS
from arena.worker.shift import DRAIN_SECONDS
from arena.worker.worker import QUEUE_CONNECTIONS
from tests.bots import PATIENCE
from tests.database_locks import WAITING
from tests.databases import execute, plain
from tests.free_port import free_port
from tests.scene import playing
from tests.worker.hosting import LONG, PLAYS, Hosted, hosting

pytestmark = pytest.mark.timeout(900)

CUT = f"""
SELECT pg_terminate_backend(pid) {WAITING} AND application_name = '{QUEUE_CONNECTIONS}'
"""
HANGS = b"print('I think')\nimport time\ntime.sleep(1000)"
CLASS = 30
CHECKED = int(os.environ.get("CLASS_CHECKED", "1"))
"""How many of a class wait for their check, and with 30 for their first match: each check takes
seconds of a processor."""


def class_bot(number: int) -> bytes:
    return f"# {number}\n{PLAYS}".encode()


async def one_more_checked(stage: Hosted, waiting: set[int]) -> set[int]:
    """Wait for the next check of a class that is decided: those of `waiting` that were accepted."""
    async with asyncio.timeout(LONG):
        while True:
            builds = {n: await stage.build(f"pupil {n}", f"bot {n}") for n in waiting}
            decided = {n for n in waiting if builds[n].state is not BuildState.CHECKING}
            if decided:
                break
            await asyncio.sleep(0.5)
    for number in decided:
        assert builds[number].state is BuildState.ACCEPTED, builds[number].reason
    return decided


async def test_a_class_of_thirty_invited_owners_submits_at_once(
    database: str, tmp_path: Path
) -> None:
    async with hosting(database, tmp_path) as stage:
        owners = stage.scene.arena.store.owners
        code = await owners.invite(CLASS, 1, "operator")
        made = await asyncio.gather(
            *(owners.sign_up(f"pupil {number}", code) for number in range(CLASS + 5)),
            return_exceptions=True,
        )
        keys = [one[1] for one in made if isinstance(one, tuple)]
        assert len(keys) == CLASS
        await asyncio.gather(
            *(
                stage.upload_with(key, "bot.py", class_bot(number), f"bot {number}")
                for number, key in enumerate(keys)
            )
        )
        for number, key in enumerate(keys):
            stage.scene.keys[f"pupil {number}"] = key
            build = await stage.build(f"pupil {number}", f"bot {number}")
            assert build.state is BuildState.CHECKING
            assert build.reason == NO_WORKER
        async with stage.worker(slots=2, check_slots=2):
            checked: set[int] = set()
            while len(checked) < CHECKED:  # in whatever order; LONG is the limit of each
                checked |= await one_more_checked(stage, set(range(CLASS)) - checked)
            if CHECKED == CLASS:  # all are checked before any plays
                for number in range(CLASS):
                    await stage.played(f"bot {number}")


async def test_a_worker_on_another_machine_passes_on_what_its_bots_say(
    database: str, tmp_path: Path
) -> None:
    async with hosting(database, tmp_path) as stage:
        async with stage.worker(slots=1, by_socket=False):
            await stage.upload("ann", "bot.py", PLAYS.encode())
            build = await stage.decided("ann")
            assert build.state is BuildState.ACCEPTED, build.reason
            async with playing([await stage.scene.peer("opponent")]):
                await stage.played("mine")
        assert await stage.scene.faults("mine") == 0


async def test_nothing_of_a_check_survives_its_worker_and_the_next(
    database: str, tmp_path: Path
) -> None:
    async with hosting(database, tmp_path) as stage, AsyncExitStack() as stack:
        token = await stage.scene.arena.store.workers.add("worker", "test")
        folders = Path(stack.enter_context(TemporaryDirectory()))  # sockets have short paths
        environment = os.environ | {
            "ARENA_HOME": str(tmp_path / "worker"),
            "ARENA_DATABASE_URL": database,
            "ARENA_ADDRESS": f"127.0.0.1:{stage.scene.port}",
            "ARENA_SOCKET": str(tmp_path / "referee.sock"),
            "ARENA_WORKER_TOKEN": token,
            "TMPDIR": str(folders),
        }
        command = (sys.executable, "-m", "arena", "work")
        worker = await asyncio.create_subprocess_exec(*command, env=environment)
        async with asyncio.timeout(LONG):
            await stage.upload("ann", "bot.py", PLAYS.encode())
            while "met" not in (await stage.build("ann")).reason:  # noqa: ASYNC110  only the database knows
                await asyncio.sleep(0.1)
            processes = handles_of(processes_of(worker.pid))
            assert len(processes) > 10
            worker.kill()
            await asyncio.to_thread(await_the_end_of, processes)
            await worker.wait()
            (left,) = folders.glob("arena-work-*")  # noqa: ASYNC240  it takes no time
            following = await asyncio.create_subprocess_exec(*command, env=environment)
            while left.exists():  # noqa: ASYNC110  it tells nobody
                await asyncio.sleep(0.1)
            following.terminate()
            await following.wait()


@pytest.mark.parametrize(
    ("token", "why"),
    [
        ("arena_worker_x", "no worker has this token: see `arena worker add`."),
        ("any", "this is not a worker's token: those begin with arena_worker_."),
    ],
)
async def test_a_worker_with_an_unknown_token_ends_at_once_with_a_sentence(
    database: str, tmp_path: Path, token: str, why: str
) -> None:
    async with hosting(database, tmp_path) as stage:
        referee = f"127.0.0.1:{stage.scene.port}"
        done = await asyncio.to_thread(
            subprocess.run,
            (sys.executable, "-m", "arena", "work", "--token", token, "--address", referee),
            env=os.environ | {"ARENA_HOME": str(tmp_path / "w"), "ARENA_DATABASE_URL": database},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"arena: The referee refuses: {why}\n"


async def test_a_worker_waits_for_a_referee_that_is_not_there_yet(
    database: str, tmp_path: Path
) -> None:
    nobody = f"127.0.0.1:{free_port()}"
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "arena", "work", "--token", "any", "--address", nobody),
        env=os.environ | {"ARENA_HOME": str(tmp_path), "ARENA_DATABASE_URL": database},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert worker.stdout is not None and worker.stderr is not None
    async with asyncio.timeout(PATIENCE):
        said = await worker.stderr.readline()
        assert b"the token is tried with the first work" in said and nobody.encode() in said
        assert b"Running hosted bots" in await worker.stdout.readline()
        worker.terminate()
        await worker.communicate()


def test_a_worker_without_its_database_ends_with_a_sentence(tmp_path: Path) -> None:
    place = f"postgresql://127.0.0.1:{free_port()}/arena"
    environment = os.environ | {"ARENA_HOME": str(tmp_path), "ARENA_DATABASE_URL": place}
    command = (sys.executable, "-m", "arena", "work", "--token", "any")
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("arena: No Postgres answers at ")
    assert len(done.stderr.splitlines()) == 1


def handles_of(processes: Iterable[int]) -> list[int]:
    """Return handles of those of the processes that run: programs of a check come and go."""
    handles = []
    for process in processes:
        with suppress(ProcessLookupError):
            handles.append(os.pidfd_open(process))
    return handles


def await_the_end_of(processes: list[int]) -> None:
    """Wait until the processes that these handles name have ended."""
    for process in processes:
        ended, _, _ = select.select([process], [], [], PATIENCE)
        assert ended, "a process survives its worker"
        os.close(process)


async def test_a_worker_that_is_stopped_in_a_check_refuses_nothing(
    database: str, tmp_path: Path
) -> None:
    async with hosting(database, tmp_path) as stage:
        async with stage.worker(slots=1):
            await stage.upload("ann", "bot.py", HANGS)
            async with asyncio.timeout(LONG):
                while "starts" not in (await stage.build("ann")).reason:  # noqa: ASYNC110  only the database knows
                    await asyncio.sleep(0.1)
            stopped = monotonic()
        assert monotonic() - stopped < LEAVE_SECONDS  # a check is not waited for
        assert (await stage.build("ann")).state is BuildState.CHECKING


async def test_no_shift_waits_for_a_check_and_no_check_for_a_shift(
    database: str, tmp_path: Path
) -> None:
    async with (
        hosting(database, tmp_path, HostingTerms(shift_seconds=3)) as stage,
        stage.worker(slots=1, check_slots=1),
        asyncio.timeout(LONG),
    ):
        await stage.upload("ann", "bot.py", PLAYS.encode())
        while not (await stage.build("ann")).running or not (await stage.build("ann")).plays:  # noqa: ASYNC110  only the database knows
            await asyncio.sleep(0.05)
        before = len(await stage.shifts("ann"))
        await stage.upload("bob", "bot.py", HANGS, bot="hangs")
        while "starts" not in (await stage.build("bob", "hangs")).reason:  # noqa: ASYNC110  only the database knows
            await asyncio.sleep(0.05)
        assert (await stage.build("ann")).running
        while len(await stage.shifts("ann")) < before + 2:  # noqa: ASYNC110  only the database knows
            await asyncio.sleep(0.1)
        assert (await stage.build("bob", "hangs")).state is BuildState.CHECKING
        build = await stage.decided("bob", "hangs")
    assert build.state is BuildState.REFUSED
    assert f"opened no stream within {START_SECONDS:g} s. Its log ends:\nI think" in build.reason


async def test_a_check_that_takes_too_long_names_the_step_that_it_came_to(
    database: str, tmp_path: Path
) -> None:
    async with (
        hosting(database, tmp_path) as stage,
        stage.worker(slots=1, check_seconds=10.0),
    ):
        await stage.upload("ann", "bot.py", HANGS)
        build = await stage.decided("ann")
    assert build.state is BuildState.REFUSED
    assert (
        "did not finish within 10 s; its last step: starts. If this machine was busy"
        in build.reason
    )


async def test_the_owner_is_told_when_a_program_that_ended_at_once_begins_again(
    database: str, tmp_path: Path
) -> None:
    async with hosting(database, tmp_path) as stage:
        await stage.upload("ann", "bot.py", b"raise SystemExit('no tables')")
        await stage.accept()
        async with stage.worker(slots=1), asyncio.timeout(LONG):
            while not (shifts := await stage.shifts("ann"))[0].outcome:  # noqa: ASYNC110  only the database knows
                await asyncio.sleep(0.1)
    assert re.fullmatch(
        r"Its program ended with code 1 after \d+\.\d s\. Its next shift begins at [\d:]{8} UTC; "
        r"a new build plays at once\.",
        shifts[0].outcome,
    )
    assert "no tables" in shifts[0].log


async def test_a_worker_goes_on_when_its_connections_were_cut(
    database: str, tmp_path: Path
) -> None:
    async with hosting(database, tmp_path) as stage, stage.worker(slots=1):
        with capture_logs() as log, psycopg.connect(plain(database)) as sql:
            # Its heartbeats wait, and so are cut while they are on their way.
            sql.execute("LOCK TABLE procrastinate.procrastinate_workers")
            async with asyncio.timeout(LONG):
                while not any(line["event"] == "queue connection failed, retrying" for line in log):
                    execute(database, CUT)
                    await asyncio.sleep(0.1)
        await stage.upload("ann", "bot.py", b"no bot")
        assert (await stage.decided("ann")).state is BuildState.REFUSED


def test_a_shift_is_not_taken_for_lost_while_its_program_may_play() -> None:
    assert GRACE_SECONDS > FETCH_SECONDS + CONNECT_SECONDS + DRAIN_SECONDS + ANSWER_SECONDS


async def test_an_owner_has_only_so_many_hosted_bots(database: str, tmp_path: Path) -> None:
    async with hosting(database, tmp_path) as stage:
        for number in range(5):
            await stage.upload("ann", "bot.py", f"# {number}".encode(), bot=f"bot {number}")
        with pytest.raises(OwnerCallError, match="5 are allowed: retire one first"):
            await stage.upload("ann", "bot.py", b"# more", bot="bot 5")
