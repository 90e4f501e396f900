"""Notes below a list about the lines that it omits."""

from arena.commands.terminal import say


def say_shown(shown: int, count: int, what: str, more: str = "--limit shows more") -> None:
    """Print below a list how many of its lines are shown, unless all are."""
    if shown < count:
        say(f"{shown:,} of {count:,} {what}: {more}.")


def say_more(shown: int, what: str) -> None:
    """Print below an incomplete list that there is more, without counting the rest.

    `what` names one line, in the singular.
    """
    say(f"The first {_counted(shown, what)}: --limit and --search show others.")


def say_more_versions(shown: int) -> None:
    """Print below the incomplete versions of a bot, newest first, that there are more."""
    say(f"The newest {_counted(shown, 'version')}: --limit shows more.")


def _counted(shown: int, what: str) -> str:
    return what if shown == 1 else f"{shown:,} {what}s"
