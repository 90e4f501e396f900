"""What may happen to an arena in the middle of play. Each is done to a stage, and undone."""

import os
import signal
from collections.abc import Callable
from random import Random

from tests.chaos.stage import BOTS, PATIENCE, Stage


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
    stage.referee.port()  # it listens once it has taken the lease over
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


DISTURBANCES: tuple[Callable[[Stage, Random], None], ...] = (
    referee_killed,
    postmaster_killed,
    bot_killed,
    referee_stopped,
    backend_killed,
    all_bots_killed,
    referee_frozen_beyond_its_lease,
    connections_ended,
    postgres_stopped,
)
