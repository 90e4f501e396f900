"""Plays any legal action, all equally likely. The first hour's victim, in every game."""

from arena.bot import AnyAction, Bot, Turn, run
from arena.games import GAMES


class RandomBot(Bot):
    """Plays any legal action, all equally likely.

    It looks at nothing, so it names no types; a bot of one game does.
    """

    games = tuple(GAMES)

    def act(self, turn: Turn) -> AnyAction:
        return self.random.choice(list(turn.choices()))


if __name__ == "__main__":
    run(RandomBot)
