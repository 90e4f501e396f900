"""`BridgedBot`: the bot whose answers a program gives."""

from typing import ClassVar

from arena.bot import AnyAction, Bot, Match, Refusal, Transcript, Turn
from arena.bridge import lines
from arena.bridge.bridge import Bridge


class BridgedBot(Bot):
    """Passes everything on, in lines. Each run makes a subclass, with its bridge."""

    bridge: ClassVar[Bridge]
    _match_id = ""

    def match_started(self, match: Match) -> None:
        self._match_id = match.match_id
        self.bridge.start(match)

    def act(self, turn: Turn) -> AnyAction:
        return self.bridge.ask(turn)

    def turn_refused(self, refusal: Refusal) -> None:
        self.bridge.tell(self._match_id, lines.refused(self._match_id, refusal))

    def match_ended(self, transcript: Transcript) -> None:
        self.bridge.tell(self._match_id, lines.end(transcript))
        self.bridge.over(self._match_id)

    def match_called_off(self, reason: str) -> None:
        self.bridge.tell(self._match_id, lines.called_off(self._match_id, reason))
        self.bridge.over(self._match_id)
