"""The tokens of bots that were registered on this machine, in a file that its user alone can read.

It is `config/bots.json` in ARENA_HOME.
"""

from pathlib import Path

from arena.commands.owners.logins import login_file, place, read_kept, write_kept


def kept_token(address: str, bot: str) -> str:
    """Return a bot's token at a referee; "" if none is kept. Raises CommandError."""
    return read_kept(_file()).get(place(address), {}).get(bot, "")


def keep_token(address: str, bot: str, token: str) -> None:
    """Keep a bot's token at a referee. Raises CommandError."""
    kept = read_kept(_file())
    write_kept(_file(), kept | {place(address): kept.get(place(address), {}) | {bot: token}})


def _file() -> Path:
    return login_file().with_name("bots.json")
