"""What files of deploy/ may say of the arena: its commands, and its settings."""

from collections.abc import Collection, Sequence

import typer

from arena.cli import application
from arena.settings import Settings

OTHERS = {"ARENA_ADDRESS", "ARENA_WORKER_TOKEN"}
"""A variable that bots read, and pages that watch and play; and an option of `arena work`."""


def require_command(arguments: Sequence[str]) -> None:
    """Require that `arena` has this command and takes these options."""
    group = typer.main.get_command(application(list(arguments)))
    context = group.make_context("arena", list(arguments))
    with context:
        chosen, command, rest = group.resolve_command(  # type: ignore[attr-defined]
            context, list(arguments)
        )
        assert command.make_context(chosen, rest, parent=context), arguments


def require_settings(names: Collection[str]) -> None:
    """Require that all of these names that begin with ARENA_ are settings."""
    known = {f"ARENA_{field.upper()}" for field in Settings.model_fields} | OTHERS
    assert {name for name in names if name.startswith("ARENA_")} <= known
