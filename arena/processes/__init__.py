"""Child processes: no other code may start any, which `tests/test_one_launcher.py` checks.

    spawn            a program of ours, which ends with this process
    module_command   the command that starts a module of ours, which no other file can shadow
    spawn_program    a user's program, which ends with this process and with all that it started
    start_async      a program of ours, for asyncio
    run_to_end       a short program, whose output is returned
    worker_context   processes of this interpreter, for `multiprocessing`

Every child gets an environment made for it (`environments`) and a session of its own: Ctrl-C at a
terminal reaches only this process, which ends its children in the right order.
"""

from arena.processes.descendants import asleep, children_of, processes_of, processor_seconds
from arena.processes.ending import how_it_ended, stop, stop_all
from arena.processes.environments import (
    changed_variables,
    forget_libpq_variables,
    own_environment,
    program_environment,
)
from arena.processes.programs import UserProgram, spawn_program
from arena.processes.starting import (
    DEVNULL,
    PIPE,
    STDOUT,
    AsyncProcess,
    Process,
    SubprocessError,
    TimeoutExpired,
    module_command,
    run_to_end,
    spawn,
    start_async,
)
from arena.processes.workers import begin_worker, users_variables, worker_context

__all__ = [
    "DEVNULL",
    "PIPE",
    "STDOUT",
    "AsyncProcess",
    "Process",
    "SubprocessError",
    "TimeoutExpired",
    "UserProgram",
    "asleep",
    "begin_worker",
    "changed_variables",
    "children_of",
    "forget_libpq_variables",
    "how_it_ended",
    "module_command",
    "own_environment",
    "processes_of",
    "processor_seconds",
    "program_environment",
    "run_to_end",
    "spawn",
    "spawn_program",
    "start_async",
    "stop",
    "stop_all",
    "users_variables",
    "worker_context",
]
