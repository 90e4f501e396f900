"""Advice for a program that cannot play; each continues the sentence of the error message."""

import shlex
from collections.abc import Iterable

from arena.local.deal_blocks import NamedBot


def to_connect(entry: NamedBot) -> str:
    """Advice for a program that has not connected."""
    if not entry.bot or not entry.command or _behind_bridge(entry):
        return ""
    bridge = f"arena bridge -- {entry.bot}"
    return (
        "; one that does not connect, but reads and writes lines (docs/stdio.md), plays by the "
        f"bridge: {shlex.quote(bridge)}"
    )


def to_play(game: str, plays: Iterable[str], entry: NamedBot) -> str:
    """Advice for a program that plays only other games."""
    if not _behind_bridge(entry):
        return ""
    return f"; tell the bridge which games it plays: --games {','.join([*plays, game])}"


def to_answer(entry: NamedBot) -> str:
    """Advice for a program that hangs."""
    return (
        "; a program behind the bridge must flush its stdout after each line"
        if _behind_bridge(entry)
        else ""
    )


def _behind_bridge(entry: NamedBot) -> bool:
    return "bridge" in entry.command
