"""Streamlit with the arena's pages: python -m arena_dashboard [OPTIONS of `streamlit run`].

The pages' imports are done before the port opens. Otherwise Streamlit does them for the first
visitor, who sees an empty page meanwhile: for about twenty seconds while bots use all cores.
"""

import sys
from pathlib import Path

import altair
import pandas
from streamlit.web import cli

import arena.boards.comparisons  # with scipy, which is the heaviest
import arena.boards.live_board
import arena.storage.engine  # noqa: F401  imported for the pages, not used here

APP = Path(__file__).with_name("secure_app.py")


def main() -> None:
    """Serve the pages until stopped."""
    # Altair's first chart is slow: it looks for ways to read tables.
    altair.Chart(pandas.DataFrame({"x": [0]})).mark_point().encode(x="x").to_dict()
    cli.main(["run", str(APP), *sys.argv[1:]], prog_name="streamlit")


if __name__ == "__main__":
    main()
