"""The tokens of bots that agents registered on this machine, in a file that only its user can read.

It is `config/bots.json` in ARENA_HOME.
"""

from pathlib import Path
from threading import Lock
from typing import Final

from arena.commands.owners.logins import login_file, place, read_kept, write_kept

_CHANGING: Final = Lock()


def kept_token(address: str, owner: str, bot: str) -> str:
    """Return the token of an owner's bot at a referee; "" if none is kept. Raises CommandError."""
    return read_kept(_file()).get(_section(address, owner), {}).get(bot, "")


def keep_token(address: str, owner: str, bot: str, token: str) -> None:
    """Keep the token of an owner's bot at a referee. Raises CommandError."""
    section = _section(address, owner)
    with _CHANGING:
        kept = read_kept(_file())
        write_kept(_file(), kept | {section: kept.get(section, {}) | {bot: token}})


def _section(address: str, owner: str) -> str:
    # An owner's name may hold spaces; an address never does.
    return f"{place(address)} {owner}"


def _file() -> Path:
    return login_file().with_name("bots.json")
