"""`arena block …`: Blocks of matches, for the operator: void one."""

from typing import Annotated

import typer

from arena.commands.database import with_store
from arena.commands.owners.operator import actor
from arena.commands.terminal import say

app = typer.Typer(no_args_is_help=True, help="Blocks of matches, for the operator: void one.")


@app.callback()
def block() -> None:
    """Blocks of matches, for the operator."""


@app.command()
def void(
    block_id: Annotated[str, typer.Argument(help="The block_id of `arena matches --json`.")],
    reason: Annotated[str, typer.Option(help="Why, for the audit.")] = "",
) -> None:
    """Let the matches of a block count for no rating any more, for good. They stay recorded."""
    with_store(lambda store: store.owners.void_block(block_id, actor(), reason))
    say(f"The block {block_id} is void.", err=True)
