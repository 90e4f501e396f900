"""A bot that writes down every end: `python -m tests.chaos.bot ENDS ACTS [PLACES [MILLISECONDS]]`.

It plays up to PLACES matches of Bluff at once, by default 8, thinks for MILLISECONDS before it
acts, by default 4, and stops with code 1 when a transcript does not pass its checks.
"""

import sys
import time
from itertools import islice
from pathlib import Path
from typing import BinaryIO, ClassVar

from arena.bot import AnyAction, Bot, Turn, conversation, referees, run
from arena.v1 import referee_pb2

ADOPTION_SECONDS = 3.0
"""How long after a loss a bot that leaves waits for matches that nobody resumes. The tests let it
leave when another referee has what the lost one left."""


class Chronicler(Bot):
    """Chooses by chance among the first legal answers."""

    max_matches = 8
    think_seconds = 0.004

    acts: ClassVar[BinaryIO]
    """Grows by a byte with each action."""

    def act(self, turn: Turn) -> AnyAction:
        time.sleep(self.think_seconds)
        self.acts.write(b".")
        return self.random.choice(list(islice(turn.choices(), 3)))


class Listening(conversation.Conversation):
    """A conversation that writes down the ends, also those of matches of an earlier run."""

    file: Path

    def end(self, end: referee_pb2.End) -> None:
        placing = ",".join(map(str, end.transcript.result.placing))
        with self.file.open("a") as file:
            file.write(f"{end.match_id} {placing}\n")
        super().end(end)


if __name__ == "__main__":
    Listening.file = Path(sys.argv[1])
    conversation.Conversation = Listening  # type: ignore[misc]  # `run` makes one of these
    referees.ADOPTION_S = ADOPTION_SECONDS  # type: ignore[misc]
    if len(sys.argv) > 3:
        Chronicler.max_matches = int(sys.argv[3])
    if len(sys.argv) > 4:
        Chronicler.think_seconds = float(sys.argv[4]) / 1_000
    with Path(sys.argv[2]).open("ab", buffering=0) as Chronicler.acts:
        run(Chronicler, ["--strict"])
