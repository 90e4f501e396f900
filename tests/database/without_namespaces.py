"""Start the built-in server as root where user namespaces are denied, and print who runs it.

Made by a user namespace that is as good as the outer one but allows no further ones.
"""

import ctypes
import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from arena.database.embedded import EmbeddedPostgres

CLONE_NEWUSER = 0x10000000


def deny_namespaces() -> None:
    """Go on in a child process that may make none."""
    ready, mapped = os.pipe(), os.pipe()
    child = os.fork()
    if child:
        os.read(ready[0], 1)
        for ids in ("uid_map", "gid_map"):
            Path(f"/proc/{child}/{ids}").write_text("0 0 65536")
        os.write(mapped[1], b"!")
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    assert ctypes.CDLL(None).unshare(CLONE_NEWUSER) == 0
    os.write(ready[1], b"!")
    os.read(mapped[0], 1)
    Path("/proc/sys/user/max_user_namespaces").write_text("0")


def main() -> None:
    deny_namespaces()
    home = Path(tempfile.mkdtemp())
    home.chmod(0o711)
    try:
        with EmbeddedPostgres(home / "postgres", durable=False):
            pid = int((home / "postgres" / "postmaster.pid").read_text().split()[0])
            print(Path(f"/proc/{pid}").stat().st_uid, (home / "postgres").stat().st_uid)
    finally:
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
