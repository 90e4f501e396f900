"""A bot that plays a random legal action, all equally likely, in every game: the first to beat."""

from arena.bot import AnyAction, Bot, Turn, run
from arena.games import GAMES


class RandomBot(Bot):
    """A bot that plays a random legal action, all equally likely.

    It does not use the view, so it names no types; a bot of one game does.
    """

    games = tuple(GAMES)

    def act(self, turn: Turn) -> AnyAction:
        """Return a random legal action."""
        return self.random.choice(list(turn.choices()))

    def probabilities(self, turn: Turn) -> dict[AnyAction, float]:
        """Return the same probability for all legal actions."""
        choices = list(turn.choices())
        return dict.fromkeys(choices, 1 / len(choices))


if __name__ == "__main__":
    run(RandomBot)
