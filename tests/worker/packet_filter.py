"""Evaluates a filter of system calls as the kernel does: classic BPF on `struct seccomp_data`."""

import struct
from collections.abc import Sequence
from typing import Final

ALLOW: Final = 0x7FFF_0000
KILL_PROCESS: Final = 0x8000_0000
_ERRNO: Final = 0x0005_0000
_INSTRUCTION: Final = struct.Struct("=HBBI")
_HALF: Final = 0xFFFF_FFFF
AUDIT: Final = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7, "i386": 0x4000_0003}
"""How the kernel calls the architecture by which a call is made."""
X32: Final = 0x4000_0000
"""Set in the numbers of x86-64's calls with 32-bit pointers."""


def answer(error: int) -> int:
    """Return a filter's verdict that answers a call with this `errno`."""
    return _ERRNO | error


def evaluate(program: bytes, audit: int, number: int, arguments: Sequence[int] = ()) -> int:
    """Return the filter's verdict on a call with up to six arguments of 64 bits."""
    filled = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number & _HALF, audit, 0, *filled)
    instructions = list(_INSTRUCTION.iter_unpack(program))
    at, value = 0, 0
    while True:
        code, if_true, if_false, constant = instructions[at]
        at += 1
        match code:
            case 0x20:  # load a word
                (value,) = struct.unpack_from("=I", data, constant)
            case 0x54:  # and
                value &= constant
            case 0x05:  # jump
                at += constant
            case 0x15:  # jump if equal
                at += if_true if value == constant else if_false
            case 0x25:  # if greater
                at += if_true if value > constant else if_false
            case 0x35:  # if not less
                at += if_true if value >= constant else if_false
            case 0x06:  # return
                return int(constant)
            case _:
                raise AssertionError(f"instruction {code:#x} is not known")
