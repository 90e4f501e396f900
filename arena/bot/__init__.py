"""The SDK for bot authors: subclass `Bot` and call `run`.

    from arena.bot import Bot, Turn, run
    from arena.games.bluff import Bet, BluffView, Doubt

    class Careful(Bot[BluffView, Bet | Doubt]):
        def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
            return next(turn.choices())

    if __name__ == "__main__":
        run(Careful)

docs/write-a-bot.md explains the rest in five minutes.
"""

from arena.bot.bot import AnyAction, AnyBot, Bot, NoAnswerError
from arena.bot.running import run
from arena.bot.turn import Match, Refusal, Turn
from arena.match.notes import Usage
from arena.match.transcript import Entrant, Transcript

__all__ = [
    "AnyAction",
    "AnyBot",
    "Bot",
    "Entrant",
    "Match",
    "NoAnswerError",
    "Refusal",
    "Transcript",
    "Turn",
    "Usage",
    "run",
]
