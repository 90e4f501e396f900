"""The `arena` command with a referee that keeps nothing of running matches, to compare with.

python -m benchmarks.referee_load.forgetful serve --port PORT
"""

import sys

from arena.cli import application
from arena.server.failover import running
from arena.server.ladder.block_run import BlockRun
from arena.server.play.open_turns import note_nothing


async def _forget_nothing(*_: object) -> None:
    """Instead of removing what was kept of recorded matches."""


if __name__ == "__main__":
    BlockRun._match_begun = lambda *_: note_nothing  # type: ignore[method-assign]
    running.forget_matches = _forget_nothing  # type: ignore[assignment]
    running.forget_blocks = _forget_nothing  # type: ignore[assignment]
    application(sys.argv[1:])(sys.argv[1:])
