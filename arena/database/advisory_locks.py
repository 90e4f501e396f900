"""`AdvisoryLock`: the numbers of our advisory locks, all of them, so that no two share one."""

from enum import IntEnum, unique


@unique
class AdvisoryLock(IntEnum):
    """What is done by one process at a time. The numbers are arbitrary."""

    MIGRATING = 7_236_401
    RECORDING = 7_236_402
    """Two batches that share matches wait instead of deadlocking, and rating events become visible
    in the order of their numbers."""
    SUCCESSION = 7_236_403
    """Referees that start or take over."""
    LIVING_REFEREES = 7_236_404
    """A class of locks, by epoch: shared while somebody writes under a lease. A trigger has the
    number, too."""
    QUEUEING_SHIFTS = 7_236_405
    CHECKPOINTS = 7_236_406
