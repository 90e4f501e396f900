"""`AdvisoryLock`, the numbers of all our advisory locks, kept together so that no two share one."""

from enum import IntEnum, unique


@unique
class AdvisoryLock(IntEnum):
    """The work that only one process does at a time. The numbers are arbitrary."""

    MIGRATING = 7_236_401
    RECORDING = 7_236_402
    """The lock of a transaction that records results.

    Two batches that share matches wait instead of deadlocking, and rating events become visible in
    the order of their numbers.
    """
    SUCCESSION = 7_236_403
    """The lock of referees that start or take over."""
    LIVING_REFEREES = 7_236_404
    """A class of locks, by epoch: held in shared mode while a referee writes under its lease.

    A trigger in the database uses the same number.
    """
    QUEUEING_SHIFTS = 7_236_405
    CHECKPOINTS = 7_236_406
    RELEASING = 7_236_408
    """A class of locks, by event: held while its final is released, in many transactions."""
    REMOVING_TRANSCRIPTS = 7_236_411
    FREEZING = 7_236_407
    """The lock of a transaction that fixes an event's builds, enters a bot, or changes the build
    with which a bot plays. A function in the migrations uses the same number.
    """
