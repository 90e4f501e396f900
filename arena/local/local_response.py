"""A response to a two-seat bot of Bluff that uses the solved tables and needs no training.

It takes the action that is best if both seats play by the tables from then on, with beliefs about
the bot's hand as if the bot had bet by the tables so far (local best response; Lisý and Bowling
2017). Against play by the tables it is nearly a best response; against other play it is one
response of many.
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
