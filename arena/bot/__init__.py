"""The SDK of bot authors: subclass `Bot`, call `run`.

    from arena.bot import Bot, Turn, run

    class Careful(Bot):
        def act(self, turn: Turn):
            return next(turn.choices())

    if __name__ == "__main__":
        run(Careful)

docs/write-a-bot.md tells the rest in five minutes.
"""

from arena.bot.bot import Action, Bot
from arena.bot.running import run
from arena.bot.turn import Match, Turn

__all__ = ["Action", "Bot", "Match", "Turn", "run"]
