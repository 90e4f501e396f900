"""The dashboard's server: python -m arena_dashboard [--host ADDRESS] [--port PORT].

The pages' imports are done before the port opens. Otherwise Streamlit does them for the first
visitor, who meanwhile sees an empty page: for about twenty seconds while bots use all cores.

Streamlit would run a full garbage collection after every run of a page, which visits every object
of every library: most of the cost of a page. Here garbage is collected twice a minute, and the
objects that the imports created are frozen: they stay for good, so the collector skips them.

A page's script runs in a thread of its own, and glibc gives threads heaps of their own, up to eight
per core; memory that is free in one heap is not used by another. Here all threads share two heaps,
and free memory is returned to the system.
"""

import argparse
import ctypes
import gc
import platform
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Final, NoReturn

import altair
import scipy.optimize  # noqa: F401, for the pages, as the imports below; takes half a second
import uvicorn

import arena.clients.spectating
import arena.database.engine
import arena.lab.luck
import arena.match.verify
import arena.server.boards.comparisons
import arena.server.boards.live_board
import arena.server.boards.trend

# Imported for the pages, not used here. The pages' own modules are left out: they register
# components with Streamlit, which needs its server for that.
import arena.server.results.bluffing
import arena.server.results.match_finding
import arena.server.results.match_search
import arena.server.tournaments.summary  # noqa: F401
from arena.settings import SettingsError, read_settings
from arena_dashboard.owners import identities
from arena_dashboard.serving import configuration

COLLECT_SECONDS: Final = 30.0
"""The seconds between two garbage collections."""
HEAPS: Final = 2
LARGE_BYTES: Final = 4 << 20
"""Blocks from this size are mapped on their own, so that freeing one returns it to the system.

A matrix of a ladder of a thousand bots is such a block. glibc's own threshold rises with the first
large block that is freed.
"""
M_ARENA_MAX: Final = -8
M_MMAP_THRESHOLD: Final = -3
"""Parameters of `mallopt`, from <malloc.h>."""
MOST_SENT_BYTES: Final = 1 << 20
"""The largest message that a browser may send: choices and short texts.

A longer message closes the connection before it is read into memory.
"""
PING_SECONDS: Final = 30
"""The seconds between two pings to a browser, and the seconds it may take to answer one."""
APP: Final = "arena_dashboard.serving.secure_app:app"


def main() -> None:
    """Serve the pages until stopped."""
    options = argparse.ArgumentParser(prog="arena_dashboard", description="Serve the pages.")
    options.add_argument("--host", default="127.0.0.1", help="address to listen on")
    options.add_argument("--port", type=int, default=8501)
    asked = options.parse_args()
    libc = _glibc()
    if libc is not None:
        libc.mallopt(M_ARENA_MAX, HEAPS)
        libc.mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
    # Altair's first chart is slow, as Altair then reads its schema.
    altair.Chart().mark_point().encode(x="x:Q").to_dict()
    gc.collect()
    gc.freeze()
    Thread(target=_collect, args=[libc], daemon=True).start()
    with TemporaryDirectory(prefix="arena-dashboard-") as folder:
        try:
            secrets = identities.write_secrets(read_settings(), Path(folder))
        except SettingsError as error:
            sys.exit(str(error))
        configuration.use_ours(asked.host, asked.port, secrets)
        uvicorn.run(
            APP,
            host=asked.host,
            port=asked.port,
            log_level="warning",
            access_log=False,
            ws="websockets-sansio",
            ws_max_size=MOST_SENT_BYTES,
            ws_ping_interval=PING_SECONDS,
            ws_ping_timeout=PING_SECONDS,
            # A small compressed message may be large once it is unpacked.
            ws_per_message_deflate=False,
        )


def _glibc() -> ctypes.CDLL | None:
    """Return the C library if it is GNU's, else None."""
    if platform.libc_ver()[0] != "glibc":
        return None
    return ctypes.CDLL(None)


def _collect(libc: ctypes.CDLL | None) -> NoReturn:
    while True:
        time.sleep(COLLECT_SECONDS)
        gc.collect()
        if libc is not None:
            libc.malloc_trim(0)


if __name__ == "__main__":
    main()
