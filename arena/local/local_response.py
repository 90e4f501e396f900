"""A response to a bot of Bluff at two seats by the solved tables, which needs no training.

It takes the action that is best if both play by the tables from there on, with beliefs about the
bot's hand as if it had bet by them so far (local best response; Lisý and Bowling 2017). It is
nearly a best response to play by the tables; to others it is one of many.
"""

from arena.bot.bot import AnyBot, Bot
from arena.bot.turn import Turn
from arena.games.bluff import BluffChoice, BluffView, Doubt
from arena.lab.analysis.bluff.solved_play import SolvedPlay
from arena.lab.analysis.values import BluffTables


def local_responder(solved: SolvedPlay) -> type[AnyBot]:
    """Return a bot that takes the best action by the solved tables."""
    tables = BluffTables(solved)

    class LocalResponder(Bot[BluffView, BluffChoice]):
        def act(self, turn: Turn[BluffView, BluffChoice]) -> BluffChoice:
            found = tables.look(turn.view, Doubt())
            assert found is not None, "the tables know all rounds of up to five dice each"
            best: BluffChoice = max(found.values, key=found.values.__getitem__)
            return best

    return LocalResponder
