"""Streamlit with the arena's pages: python -m arena_dashboard [--host ADDRESS] [--port PORT].

The pages' imports are done before the port opens. Otherwise Streamlit does them for the first
visitor, who sees an empty page meanwhile: for about twenty seconds while bots use all cores.

Streamlit would collect all garbage after every run of a page, which looks at every object of every
library: most of the cost of a page. Here it is collected twice a minute; and what the imports made
stays for good, so it is left out of that.

A page's script runs in a thread of its own, and glibc gives threads heaps of their own, up to eight
by core; what is free in one, no other uses. Here they share two, and what is free goes back to the
system.
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
import scipy.optimize  # noqa: F401, as those of the arena below: half a second
import uvicorn

import arena.clients.spectating
import arena.database.engine
import arena.lab.luck
import arena.match.verify
import arena.server.boards.comparisons
import arena.server.boards.live_board
import arena.server.boards.trend

# Imported for the pages, not used here. Not the pages' own modules: what they register with
# Streamlit needs its server.
import arena.server.results.bluffing
import arena.server.results.match_finding
import arena.server.results.match_search
import arena.server.tournaments.summary  # noqa: F401
from arena.settings import SettingsError, read_settings
from arena_dashboard import configuration, identities

COLLECT_SECONDS: Final = 30.0
"""How often garbage is collected."""
HEAPS: Final = 2
LARGE_BYTES: Final = 4 << 20
"""A block from this size on, such as a matrix of a ladder of a thousand bots, has pages of its own,
which are given back with it. The C library's own limit rises with the first that is freed."""
M_ARENA_MAX: Final = -8
M_MMAP_THRESHOLD: Final = -3
"""Parameters of `mallopt`, from <malloc.h>."""
MOST_SENT_BYTES: Final = 1 << 20
"""The most bytes of a message that a browser sends: choices and short texts. A longer one ends its
connection before it is held."""
PING_SECONDS: Final = 30
"""How often a browser is asked whether it is still there, and how long it may take to answer."""
APP: Final = "arena_dashboard.secure_app:app"


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
    # Altair's first chart is slow: it reads its schema.
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
            # What is packed small may be large.
            ws_per_message_deflate=False,
        )


def _glibc() -> ctypes.CDLL | None:
    """Return the C library, if it is GNU's."""
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
