"""The filter of system calls of confined programs, as a BPF program for the kernel.

Kernel features beyond computing, files, pipes and sockets have had security bugs, and use memory
that no limit counts. Therefore the filter allows only the calls in `arena.worker.allowed_calls`. It
is an additional defence: programs are confined by namespaces and the rights of their user.
"""

import errno
import os
from typing import Final

from arena.worker.allowed_calls import rules

MACHINES: Final = ("x86_64", "aarch64")
"""The machines for which there is a filter, as uname names them.

On some other machines the order of arguments differs.
"""


def system_call_filter() -> int:
    """Return a file descriptor with the filter, for `bwrap --seccomp`; the caller closes it.

    Raises OSError, RuntimeError or ImportError if libseccomp is missing or too old to know a call,
    or if the machine is not one of MACHINES.
    """
    file = os.memfd_create("system calls")
    try:
        write_filter(os.uname().machine, file)
    except BaseException:
        os.close(file)
        raise
    os.lseek(file, 0, os.SEEK_SET)
    return file


def write_filter(machine: str, file: int) -> None:
    """Write the filter for one of MACHINES to a file. Raises as `system_call_filter`."""
    from pyseccomp import ALLOW, ERRNO, KILL_PROCESS, MASKED_EQ, Arch, Arg, Attr, SyscallFilter

    if machine not in MACHINES:
        raise RuntimeError(f"there is no filter of system calls for {machine}")
    architecture = {"x86_64": Arch.X86_64, "aarch64": Arch.AARCH64}[machine]
    calls = SyscallFilter(ERRNO(errno.ENOSYS))
    # A program of another architecture would use other call numbers.
    calls.set_attr(Attr.ACT_BADARCH, KILL_PROCESS)
    if not calls.exist_arch(architecture):
        calls.add_arch(architecture)
        calls.remove_arch(Arch.NATIVE)
    for rule in rules():
        conditions = (Arg(one.argument, MASKED_EQ, one.mask, one.value) for one in rule.conditions)
        action = ALLOW if rule.error is None else ERRNO(rule.error)
        calls.add_rule(action, rule.call, *conditions)
    with os.fdopen(os.dup(file), "wb") as exported:
        calls.export_bpf(exported)
