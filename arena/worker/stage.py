"""Shows a program what it needs where `nobody` may see it, gives root up, and executes the program.

Run as a script by root in a mount namespace of its own, never imported, so that nothing of the
worker is shared with it:

    python -I -S stage.py STAGE [SOURCE…] -- PROGRAM [ARGUMENT…]

A small file system at STAGE holds the sources as 0, 1, 2, …. PROGRAM is bubblewrap. In a user
namespace of root's, root's files would still be the program's own.
"""

import ctypes
import os
import pwd
import sys
from pathlib import Path

_MS_NOSUID, _MS_NODEV, _MS_BIND = 2, 4, 4096

_libc = ctypes.CDLL(None, use_errno=True)


def main(arguments: list[str]) -> None:
    """Prepare the process, then execute the program. Does not return."""
    split = arguments.index("--")
    stage, *sources = arguments[:split]
    program = arguments[split + 1 :]
    nobody = pwd.getpwnam("nobody")
    _mount("tmpfs", stage, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=755,size=64k")
    for number, source in enumerate(map(Path, sources)):
        place = Path(stage, str(number))
        if source.is_dir():
            place.mkdir()
        else:
            place.touch()
        _mount(str(source), str(place), "", _MS_BIND)
    os.setgroups([])
    os.setgid(nobody.pw_gid)
    os.setuid(nobody.pw_uid)
    os.execv(program[0], program)  # noqa: S606  a program and its arguments, no shell


def _mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    words = (word.encode() or None for word in (source, target, kind))
    _checked(f"mount {target}", _libc.mount(*words, ctypes.c_ulong(flags), data.encode() or None))


def _checked(what: str, result: int) -> None:
    if result != 0:
        sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    main(sys.argv[1:])
