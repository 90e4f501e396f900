"""Streamlit with the arena's pages: python -m arena_dashboard [OPTIONS of `streamlit run`].

The pages' imports are done before the port opens. Otherwise Streamlit does them for the first
visitor, who sees an empty page meanwhile: for about twenty seconds while bots use all cores.

Streamlit would collect all garbage after every run of a page, which looks at every object of every
library: most of the cost of a page. Here it is collected twice a minute; and what the imports made
stays for good, so it is left out of that.
"""

import gc
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Final, NoReturn

import altair
import pandas
from streamlit.web import cli

# Imported for the pages, not used here. Not the pages' own modules: what they register with
# Streamlit needs its server.
import arena.boards.bluffing
import arena.boards.comparisons  # with scipy, which is the heaviest
import arena.boards.live_board
import arena.boards.match_finding
import arena.boards.trend
import arena.luck
import arena.match.verify
import arena.settings
import arena.spectating
import arena.storage.engine
import arena.storage.match_search
import arena.storage.tournament_rows
import arena.tournament.summary  # noqa: F401

COLLECT_SECONDS: Final = 30.0
"""How often garbage is collected."""
APP = Path(__file__).with_name("secure_app.py")


def main() -> None:
    """Serve the pages until stopped."""
    # Altair's first chart is slow: it looks for ways to read tables.
    altair.Chart(pandas.DataFrame({"x": [0]})).mark_point().encode(x="x").to_dict()
    gc.collect()
    gc.freeze()
    Thread(target=_collect, daemon=True).start()
    options = ["--runner.postScriptGC", "false", *sys.argv[1:]]
    cli.main(["run", str(APP), *options], prog_name="streamlit")


def _collect() -> NoReturn:
    while True:
        time.sleep(COLLECT_SECONDS)
        gc.collect()


if __name__ == "__main__":
    main()
