"""What may happen to an arena in the middle of play. Each is done to a stage, and undone."""

import os
import signal
import time
from collections.abc import Callable
from random import Random
from typing import TypeAlias

from tests.chaos.stage import BOTS, PATIENCE, Stage
from tests.fault_proxy import FaultProxy

SWALLOWED_SECONDS = 11.0
"""Longer than anybody waits for a database that does not answer."""
DELAYED_SECONDS = 2.0
DELAY_SECONDS = (0.05, 0.4)
"""Of each piece of what passes, in both directions."""
MOVED_SECONDS = (2, 7)
"""By how much the wall clock is moved, at least and at most."""


def referee_killed(stage: Stage, _random: Random) -> None:
    stage.referee.kill()
    stage.referee = stage.start_referee()


def referee_stopped(stage: Stage, _random: Random) -> None:
    assert stage.referee.stop() == 0, stage.said()
    assert "Traceback" not in stage.referee.complained
    stage.referee = stage.start_referee()


def referee_frozen_beyond_its_lease(stage: Stage, _random: Random) -> None:
    frozen = stage.referee
    frozen.process.send_signal(signal.SIGSTOP)
    stage.referee = stage.start_referee()
    stage.referee.port()
    stage.until_one_referee()  # the new one takes over as soon as the other counts as dead
    stage.proxy.cut()  # bots find the new one, as by a name that is moved
    frozen.process.send_signal(signal.SIGCONT)
    assert frozen.process.wait(PATIENCE) == 3, frozen.complained
    assert "Traceback" not in frozen.complained


def postmaster_killed(stage: Stage, _random: Random) -> None:
    os.kill(stage.postmaster, signal.SIGKILL)


def postgres_stopped(stage: Stage, _random: Random) -> None:
    os.kill(stage.postmaster, signal.SIGINT)  # a fast shutdown


def backend_killed(stage: Stage, random: Random) -> None:
    """Postgres ends all other backends, too, and recovers."""
    backends = stage.sql(
        "SELECT pid FROM pg_stat_activity "
        "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )
    os.kill(random.choice(backends)[0], signal.SIGKILL)


def connections_ended(stage: Stage, _random: Random) -> None:
    stage.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )


def bot_killed(stage: Stage, random: Random) -> None:
    stage.restart_bot(random.randrange(BOTS))


def all_bots_killed(stage: Stage, _random: Random) -> None:
    for number in range(BOTS):
        stage.bots[number].kill()
    for number in range(BOTS):
        stage.restart_bot(number)


def disks_full(stage: Stage, _random: Random) -> None:
    """First the database's, then that of the spool."""
    assert stage.disk is not None
    assert stage.spool_disk is not None
    spooled, pauses = stage.spooled, stage.pauses
    stage.until(lambda: stage.spooled > spooled, "the first spooled result", stage.disk.fill)
    stage.until(lambda: stage.pauses > pauses, "a full spool", stage.spool_disk.fill)
    stage.until_nobody_acts()
    stage.spool_disk.free()
    stage.disk.free()


def wall_clock_moved(stage: Stage, random: Random) -> None:
    """Back, forward, and back when nobody runs who could know of it."""
    clock, seconds = stage.clock, random.randint(*MOVED_SECONDS)
    assert clock is not None
    assert stage.referee.stop() == 0, stage.said()
    stage.referee = stage.start_referee(clock)
    stage.until_play_goes_on()
    for step in (-seconds, 2 * seconds):
        clock.move(step)
        moment = clock.now()
        stage.until_play_goes_on()
        stage.until_recorded(moment)
    stage.referee.kill()
    clock.move(-seconds)
    stage.referee = stage.start_referee()


def bots_swallowed(stage: Stage, _random: Random) -> None:
    """A dead line, and nobody knows its connections any more when it works again."""
    _swallowed(stage.proxy)
    stage.proxy.cut()


def database_swallowed(stage: Stage, _random: Random) -> None:
    """What was connected stays dead: the referee has to find out by itself."""
    _swallowed(stage.database_proxy)


def bots_delayed(stage: Stage, random: Random) -> None:
    _delayed(stage.proxy, random)


def database_delayed(stage: Stage, random: Random) -> None:
    _delayed(stage.database_proxy, random)


def bots_cut(stage: Stage, _random: Random) -> None:
    stage.proxy.cut()


def database_cut(stage: Stage, _random: Random) -> None:
    stage.database_proxy.cut()


def _swallowed(proxy: FaultProxy) -> None:
    proxy.swallow = True
    time.sleep(SWALLOWED_SECONDS)
    proxy.swallow = False


def _delayed(proxy: FaultProxy, random: Random) -> None:
    proxy.delay = random.uniform(*DELAY_SECONDS)
    time.sleep(DELAYED_SECONDS)
    proxy.delay = 0.0


Disturbance: TypeAlias = Callable[[Stage, Random], None]

DISTURBANCES: tuple[Disturbance, ...] = (
    referee_killed,
    postmaster_killed,
    bot_killed,
    referee_stopped,
    backend_killed,
    all_bots_killed,
    referee_frozen_beyond_its_lease,
    connections_ended,
    postgres_stopped,
    bots_cut,
    database_cut,
    bots_delayed,
    database_delayed,
    bots_swallowed,
    database_swallowed,
    wall_clock_moved,
    disks_full,
)
"""In the order in which they are done, again and again."""


def impossible(stage: Stage) -> dict[Disturbance, str]:
    """Those that cannot be done here, and why."""
    found = {}
    if stage.disk is None or stage.spool_disk is None:
        found[disks_full] = "no file system can be mounted"
    if stage.clock is None:
        found[wall_clock_moved] = "there is no C compiler"
    return found
