"""Streamlit's configuration, taken from this package alone.

Streamlit would read configuration and secrets from the user's home, from the folder in which it is
started and from `STREAMLIT_*`, each overriding the one before. These could set another address of
the pages, another limit, or the provider's secrets of some other application.
"""

import os
from pathlib import Path
from typing import Final

from streamlit import config

FILE: Final = Path(__file__).parents[1] / ".streamlit/config.toml"
"""The configuration of every dashboard."""
_VARIABLES: Final = "STREAMLIT_"


def use_ours(address: str, port: int, secrets: Path) -> None:
    """Configure Streamlit from FILE alone, with this address, port and file of secrets."""
    for name in [name for name in os.environ if name.upper().startswith(_VARIABLES)]:
        del os.environ[name]
    # Streamlit has no option for this. It reads configuration from the files of this list alone.
    config.get_config_files = _files
    ours = {"server.address": address, "server.port": port, "secrets.files": [str(secrets)]}
    config.get_config_options(force_reparse=True, options_from_flags=ours)


def _files(file_name: str) -> list[str]:
    return [str(FILE)] if file_name == FILE.name else []
