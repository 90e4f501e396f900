"""The keeper of one user's program: it starts the program and ends it with all its descendants.

It is run as a script by `arena.processes.spawn_program`, never imported:

    python -I -S keeper.py LIFELINE -- PROGRAM [ARGUMENT…]

The program runs in a process group of its own, to which the keeper forwards signals. The keeper is
its subreaper (Linux): all processes that the program starts stay descendants of the keeper, even
if they leave the session or lose their parent. When the program has ended, or no process holds the
other end of the pipe LIFELINE any more, the remaining processes get SIGTERM, and SIGKILL half a
second later; a byte on the pipe requests SIGKILL at once. Then the keeper ends with the program's
code or signal.
"""

import contextlib
import ctypes
import os
import resource
import select
import signal
import sys
import time

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_GRACE_SECONDS = 0.5
_KILL_SECONDS = 5.0
"""The time after which the keeper gives up on a process that cannot be killed: another user's, or
one that hangs in the kernel.
"""
_LOOK_SECONDS = 0.01
_PASSED_ON = (
    *(signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM),
    *(signal.SIGUSR1, signal.SIGUSR2),
)


def main(arguments: list[str]) -> None:
    """Run the program to its end. Does not return."""
    lifeline, program = int(arguments[0]), arguments[2:]
    os.set_inheritable(lifeline, False)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    signals, wakes = os.pipe()
    for end in (signals, wakes):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wakes)
    for number in (signal.SIGCHLD, *_PASSED_ON):
        signal.signal(number, lambda *_: None)
    keeper = os.getpid()
    child = os.fork()
    if child == 0:
        _become(program, keeper)
    with contextlib.suppress(OSError):  # fails if the child has done so itself and called exec
        os.setpgid(child, child)
    _let_go_of_streams()
    kept = _Kept(child)
    kept.wait(lifeline, signals)
    kept.end_all()
    _end_as(kept.status)


def _become(program: list[str], keeper: int) -> None:
    signal.set_wakeup_fd(-1)
    # A script's background jobs ignore SIGINT, and this Python ignores SIGPIPE.
    for number in (signal.SIGCHLD, signal.SIGPIPE, *_PASSED_ON):
        signal.signal(number, signal.SIG_DFL)
    os.setpgid(0, 0)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != keeper:
        os._exit(1)
    try:
        os.execvp(program[0], program)  # noqa: S606  a program and its arguments, no shell
    except OSError as error:
        os.write(2, f"Cannot start {program[0]}: {error.strerror}.\n".encode())
        os._exit(1)


def _let_go_of_streams() -> None:
    """Replace the keeper's standard streams with /dev/null.

    Readers of the program's streams then see their end when the program ends.
    """
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)


def _prctl(option: int, value: int) -> None:
    with contextlib.suppress(AttributeError):  # no prctl on this system
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


class _Kept:
    """The program and all processes below the keeper."""

    def __init__(self, child: int) -> None:
        self._child = child
        self._at_once = False
        self.status: int | None = None
        """The program's status, as waitpid returns it; None while it runs."""

    def wait(self, lifeline: int, signals: int) -> None:
        """Wait until the program has ended, or the lifeline says to end it."""
        waiting = select.poll()
        for file in (lifeline, signals):
            waiting.register(file, select.POLLIN)
        self._reap()  # the program may have ended before the wait for signals began
        while self.status is None:
            ready = [file for file, _ in waiting.poll()]
            if signals in ready:
                for number in os.read(signals, 4096):
                    if number != signal.SIGCHLD:
                        self._send_group(number)
                self._reap()
            if lifeline in ready:
                self._at_once = os.read(lifeline, 1) != b""
                return

    def end_all(self) -> None:
        """End all remaining processes."""
        if not self._at_once:
            for process in self._left():
                _send(process, signal.SIGTERM)
                _send(process, signal.SIGCONT)
            self._until_gone(_GRACE_SECONDS, 0)
        self._until_gone(_KILL_SECONDS, signal.SIGKILL)

    def _until_gone(self, seconds: float, number: int) -> None:
        """Send a signal (0 is none) to the remaining processes, for at most `seconds`."""
        deadline = time.monotonic() + seconds
        while (left := self._left()) and time.monotonic() < deadline:
            for process in left:
                _send(process, number)
            time.sleep(_LOOK_SECONDS)

    def _left(self) -> list[int]:
        """Return the processes that still run; without /proc, only the negated group id."""
        self._reap()
        found = _below(os.getpid())
        if found is None:
            return [-self._child] if _send(-self._child, 0) else []
        return found

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while True:
                process, status = os.waitpid(-1, os.WNOHANG)
                if process == 0:
                    return
                if process == self._child:
                    self.status = status

    def _send_group(self, number: int) -> None:
        _send(-self._child, number)


def _send(process: int, number: int) -> bool:
    """Send a signal, and return whether that succeeded."""
    try:
        os.kill(process, number)
    except OSError:
        return False
    return True


def _below(ancestor: int) -> list[int] | None:
    """Return the running descendants of a process; None if the kernel does not report them."""
    children: dict[int, list[int]] = {}
    try:
        entries = os.listdir("/proc")  # noqa: PTH208  importing pathlib takes longer than all this
    except OSError:
        return None
    for entry in filter(str.isdigit, entries):
        try:
            with open(f"/proc/{entry}/stat", "rb") as stat:  # noqa: PTH123  see above
                state, parent = stat.read().rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):  # it is gone
            continue
        if state not in (b"Z", b"X"):
            children.setdefault(int(parent), []).append(int(entry))
    if not children:
        return None
    found, looking = [], [ancestor]
    while looking:
        below = children.get(looking.pop(), [])
        found += below
        looking += below
    return found


def _end_as(status: int | None) -> None:
    """End with the program's code, or by its signal."""
    if status is None:
        os._exit(1)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.set_wakeup_fd(-1)
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
        time.sleep(1)  # for a signal that does not end this process
    os._exit(code if code >= 0 else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
