"""`BridgedBot`: the bot whose answers come from a program."""

from typing import ClassVar

from arena.bot import AnyAction, Bot, Match, Refusal, Transcript, Turn
from arena.bridge import lines
from arena.bridge.bridge import Bridge


class BridgedBot(Bot):
    """A bot that passes every message to a program as a line.

    Each run makes a subclass, with its bridge.
    """

    bridge: ClassVar[Bridge]
    _match_id = ""

    def match_started(self, match: Match) -> None:
        """Tell the program that a match starts."""
        self._match_id = match.match_id
        self.bridge.start(match)

    def act(self, turn: Turn) -> AnyAction:
        """Return the program's action."""
        return self.bridge.ask(turn, self.note)

    def turn_refused(self, refusal: Refusal) -> None:
        """Tell the program of a fault."""
        self.bridge.tell(self._match_id, lines.refused(self._match_id, refusal))

    def match_ended(self, transcript: Transcript) -> None:
        """Send the program the transcript of a finished match."""
        self.bridge.tell(self._match_id, lines.end(transcript))
        self.bridge.over(self._match_id)

    def match_called_off(self, reason: str) -> None:
        """Tell the program that a match ends without a result."""
        self.bridge.tell(self._match_id, lines.called_off(self._match_id, reason))
        self.bridge.over(self._match_id)
