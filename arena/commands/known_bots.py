"""The check that a bot named in a command exists."""

from typing import TYPE_CHECKING, Final

from arena.commands.errors import CommandError

if TYPE_CHECKING:
    from arena.database.reading import Read

MOST_NAMES: Final = 10
"""The largest number of bots that an error lists."""


def require_bot(read: "Read", name: str, option: str = "--bot") -> None:
    """Raise CommandError, which lists some known bots, if there is no bot of this name."""
    from arena.server.accounts import bot_statements

    if read(bot_statements.bot_named(name)):
        return
    known = [row.name for row in read(bot_statements.bot_page(limit=MOST_NAMES + 1))]
    some = ", ".join(known[:MOST_NAMES]) or "none yet"
    more = ", …" if len(known) > MOST_NAMES else ""
    raise CommandError(
        f"{option} {name}: there is no such bot; the bots are {some}{more} "
        "(`arena bot list --operator` shows all)."
    )
