"""Streamlit's configuration: ours alone, whatever lies in the folder, the home and the environment.

Streamlit would read configuration and secrets from the visitor's home, from the folder in which it
is started and from `STREAMLIT_*`, each over the one before: another address of the pages, another
limit, a provider's secrets of some other application.
"""

import os
from pathlib import Path
from typing import Final

from streamlit import config

FILE: Final = Path(__file__).parent / ".streamlit/config.toml"
"""The configuration of every dashboard."""
_VARIABLES: Final = "STREAMLIT_"


def use_ours(address: str, port: int, secrets: Path) -> None:
    """Configure Streamlit by FILE, for an address and a port, with a file of secrets."""
    for name in [name for name in os.environ if name.upper().startswith(_VARIABLES)]:
        del os.environ[name]
    # Streamlit has no option for it: this list is all that it reads configuration from.
    config.get_config_files = _files
    ours = {"server.address": address, "server.port": port, "secrets.files": [str(secrets)]}
    config.get_config_options(force_reparse=True, options_from_flags=ours)


def _files(file_name: str) -> list[str]:
    return [str(FILE)] if file_name == FILE.name else []
