"""The filter of system calls, evaluated on both architectures without making the calls."""

import errno
import fcntl
import mmap
import os
import socket
from collections.abc import Iterator

import pytest
from pyseccomp import Arch, resolve_syscall

from arena.worker.allowed_calls import Rule, rules
from arena.worker.system_calls import MACHINES, write_filter
from tests.worker.packet_filter import ALLOW, AUDIT, KILL_PROCESS, X32, answer, evaluate

ARCHITECTURES = {"x86_64": Arch.X86_64, "aarch64": Arch.AARCH64}
HIGH = 0xDEAD_BEEF << 32
"""The bits that the kernel ignores in an argument of 32 bits."""
NOT_THERE = answer(errno.ENOSYS)
MOST_NUMBERS = 1024
"""The highest call of Linux 6.18 has the number 469."""


class Filter:
    """The filter of one architecture."""

    def __init__(self, machine: str) -> None:
        self.machine = machine
        file = os.memfd_create("filter")
        write_filter(machine, file)
        size = os.lseek(file, 0, os.SEEK_END)
        self.program = os.pread(file, size, 0)
        os.close(file)

    def number(self, call: str) -> int:
        """Return the number of a call; negative if the architecture does not have it."""
        return int(resolve_syscall(ARCHITECTURES[self.machine], call))

    def of(self, call: str, *arguments: int) -> int:
        """Return the filter's verdict."""
        number = self.number(call)
        assert number >= 0, f"{self.machine} has no {call}"
        return evaluate(self.program, AUDIT[self.machine], number, arguments)


@pytest.fixture(scope="module", params=MACHINES)
def calls(request: pytest.FixtureRequest) -> Filter:
    return Filter(request.param)


def both(*arguments: int) -> Iterator[tuple[int, ...]]:
    """The arguments as they are, and with an upper half that the kernel ignores."""
    yield arguments
    yield tuple(one | HIGH for one in arguments)


def test_every_number_is_refused_that_is_not_listed(calls: Filter) -> None:
    listed = {calls.number(rule.call) for rule in rules()}
    answers = {
        evaluate(calls.program, AUDIT[calls.machine], number)
        for number in range(MOST_NUMBERS)
        if number not in listed
    }
    assert answers == {NOT_THERE}


def test_every_listed_name_is_known_and_is_there_on_one_of_the_machines() -> None:
    unknown = -1
    filters = [Filter(machine) for machine in MACHINES]
    for rule in rules():
        numbers = [one.number(rule.call) for one in filters]
        assert unknown not in numbers, rule.call
        assert max(numbers) >= 0, rule.call


def test_each_rule_holds_whatever_the_upper_halves_of_its_arguments_are(calls: Filter) -> None:
    for rule in rules():
        if calls.number(rule.call) < 0:
            continue
        for upper in (0, HIGH):
            wanted = ALLOW if rule.error is None else answer(rule.error)
            assert calls.of(rule.call, *arguments_of(rule, upper)) == wanted, rule


def arguments_of(rule: Rule, upper: int) -> list[int]:
    """Arguments for which a rule holds."""
    arguments = [upper] * 6
    for one in rule.conditions:
        arguments[one.argument] |= one.value
    return arguments


@pytest.mark.parametrize(
    "call",
    [
        *("mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "open_tree", "fsopen"),
        *("ptrace", "process_vm_readv", "bpf", "perf_event_open", "userfaultfd", "keyctl"),
        *("add_key", "shmget", "msgget", "semget", "mq_open", "memfd_create", "memfd_secret"),
        *("inotify_init1", "inotify_add_watch"),
        *("fanotify_init", "io_uring_setup", "io_setup", "clone3", "seccomp", "mlock", "mlockall"),
        *("sched_setaffinity", "sched_setscheduler", "sched_setattr", "setuid", "setgroups"),
        *("execveat", "openat2", "mincore", "fadvise64", "readahead", "sync", "syncfs", "mbind"),
        *("landlock_create_ruleset", "personality", "name_to_handle_at", "remap_file_pages"),
    ],
)
def test_what_no_bot_needs_is_not_there(calls: Filter, call: str) -> None:
    assert calls.of(call) == NOT_THERE


@pytest.mark.parametrize("call", ["setxattr", "lsetxattr", "fsetxattr", "getxattr", "listxattr"])
def test_files_have_no_attributes(calls: Filter, call: str) -> None:
    assert calls.of(call) == answer(errno.EOPNOTSUPP)


@pytest.mark.parametrize("call", ["open_tree_attr", "setxattrat", "file_setattr", "listmount"])
def test_calls_that_are_newer_than_the_list_are_not_there(calls: Filter, call: str) -> None:
    """Their numbers are the same on all architectures."""
    numbers = {"open_tree_attr": 467, "setxattrat": 463, "file_setattr": 469, "listmount": 458}
    result = evaluate(calls.program, AUDIT[calls.machine], numbers[call], (0, 0, 0, 0, 0, 0))
    assert result == NOT_THERE


def test_calls_by_the_numbers_of_another_architecture_end_the_program(calls: Filter) -> None:
    for name, audit in AUDIT.items():
        if name != calls.machine:
            for number in (0, 1, 3, 11, 102, 120, 192, 257, 435):
                assert evaluate(calls.program, audit, number) == KILL_PROCESS
    if calls.machine == "x86_64":
        for number in (0, 1, 41, 59, 165, 512, 520, 547):
            assert evaluate(calls.program, AUDIT["x86_64"], X32 | number) == KILL_PROCESS


def test_no_socket_leaves_the_machine(calls: Filter) -> None:
    for family in (*range(64), 1 << 8, 1 << 16, 1 << 31, 0xFFFF_FFFF, 0x101, 0x8000_0001):
        for arguments in both(family, socket.SOCK_STREAM, 0):
            local = family == socket.AF_UNIX
            wanted = ALLOW if local else answer(errno.EAFNOSUPPORT)
            assert calls.of("socket", *arguments) == wanted
            assert calls.of("socketpair", *arguments) == (ALLOW if local else NOT_THERE)


def test_locks_do_nothing_whatever_the_upper_half_of_their_command_is(calls: Filter) -> None:
    commands = (fcntl.F_SETLK, fcntl.F_SETLKW, fcntl.F_OFD_SETLK, fcntl.F_OFD_SETLKW)
    for command in commands:
        for arguments in both(3, command, 0):
            assert calls.of("fcntl", *arguments) == answer(0)
    assert calls.of("flock", 3, fcntl.LOCK_EX) == answer(0)
    for arguments in both(3, fcntl.F_GETFL):
        assert calls.of("fcntl", *arguments) == ALLOW
    # Leases, notices, larger pipes, seals.
    for command in (1024, 1026, 1031, 1033):
        for arguments in both(3, command, 1):
            assert calls.of("fcntl", *arguments) == NOT_THERE


def test_buffers_of_sockets_stay_as_they_are(calls: Filter) -> None:
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF, 32, 33):
        for arguments in both(3, socket.SOL_SOCKET, option):
            assert calls.of("setsockopt", *arguments) == answer(0)
    for arguments in both(3, socket.SOL_SOCKET, socket.SO_REUSEADDR):
        assert calls.of("setsockopt", *arguments) == ALLOW
    # Filters of packets, and another level.
    for level, option in ((socket.SOL_SOCKET, 26), (socket.SOL_SOCKET, 50), (6, 31)):
        for arguments in both(3, level, option):
            assert calls.of("setsockopt", *arguments) == NOT_THERE


def test_memory_belongs_to_a_process_or_a_file(calls: Filter) -> None:
    shared, unnamed, private = mmap.MAP_SHARED, mmap.MAP_ANONYMOUS, mmap.MAP_PRIVATE
    validated, large = shared | private, 0x40000
    for flags in (shared | unnamed, validated | unnamed, shared | unnamed | large):
        for arguments in both(0, 4096, 3, flags):
            assert calls.of("mmap", *arguments) == answer(errno.EPERM)
    for flags in (private | unnamed | large, shared | large, private | large):
        for arguments in both(0, 4096, 3, flags):
            assert calls.of("mmap", *arguments) == answer(errno.ENOMEM)
    for flags in (private, private | unnamed, shared, private | unnamed | 0x20_0000):
        for arguments in both(0, 4096, 3, flags):
            assert calls.of("mmap", *arguments) == ALLOW


def test_no_process_is_begun_in_namespaces_and_no_thread_with_files_of_its_own(
    calls: Filter,
) -> None:
    memory, files, thread = 0x100, 0x400, 0x10000
    child = 17
    for flags in (child, memory | 0x4000 | child, memory | files | thread, memory | files | child):
        for arguments in both(flags):
            assert calls.of("clone", *arguments) == ALLOW
        for space in (0x80, 0x20000, *(1 << bit for bit in range(25, 31))):
            for arguments in both(flags | space):
                assert calls.of("clone", *arguments) == NOT_THERE
    for arguments in both(memory | thread):
        assert calls.of("clone", *arguments) == NOT_THERE
    for arguments in both(3, 5, 2):
        assert calls.of("close_range", *arguments) == NOT_THERE
    for arguments in both(3, 5, 4):
        assert calls.of("close_range", *arguments) == ALLOW
    for option in (4, 22, 0x5356_4D41):  # PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_VMA
        for arguments in both(option):
            assert calls.of("prctl", *arguments) == NOT_THERE
