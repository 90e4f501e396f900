"""The strangers that may be looked at while rungs are built.

cautious    doubts whatever is less likely than not, and bets what is most likely
stubborn    doubts only what is very unlikely, and raises as little as it can on its best face
liar        bets on a face that it does not hold, and doubts like `cautious`
round       plays near an equilibrium of the single round, which is won or lost whatever the number
            of dice that it costs: regret matching with another loss than the game's
reader      takes the best action against play by the tables of `cfr`: a level above them
round net   a net that learned by policy gradient to win the single round, whatever it costs
"""

from collections.abc import Mapping, Sequence

from arena.bot import Bot, Turn
from arena.bot.bot import AnyBot
from arena.games.bluff import Bet, BluffView, Doubt, Face
from arena.games.bluff.bets import track
from arena.lab.analysis.bluff.solved_play import SolvedPlay, chosen
from arena.lab.analysis.bluff.table import hands_of
from arena.local.local_response import local_responder
from arena_sample_bots import honest
from benchmarks.strangers_load.nets import net

Choice = Bet | Doubt
BluffTurn = Turn[BluffView, Choice]


def raises(view: BluffView) -> Sequence[Bet]:
    """Return all legal bets, the lowest first."""
    bets = track(sum(view.dice_counts))
    return bets[bets.index(view.bets[-1].bet) + 1 :] if view.bets else bets


def likelihood(view: BluffView, bet: Bet) -> float:
    """Return the probability that a bet is true by the seat's own dice and those face up."""
    return honest.likelihood(view, bet.face, bet.quantity)


class Cautious(Bot[BluffView, Choice]):
    """A bot that doubts whatever is less likely than not, and bets what is most likely."""

    doubts_below = 0.5

    def act(self, turn: BluffTurn) -> Choice:
        """Return the doubt of an unlikely bet, or a bet."""
        view, bets = turn.view, raises(turn.view)
        if view.bets and (not bets or likelihood(view, view.bets[-1].bet) < self.doubts_below):
            return Doubt()
        return self.bet(view, bets)

    def bet(self, view: BluffView, bets: Sequence[Bet]) -> Bet:
        """Return the lowest of the likeliest bets."""
        return max(bets, key=lambda bet: likelihood(view, bet))


class Stubborn(Cautious):
    """A bot that raises as little as it can on the face that it holds most, nearly always."""

    doubts_below = 0.15

    def bet(self, view: BluffView, bets: Sequence[Bet]) -> Bet:
        """Return the lowest raise on the best face."""
        best = max(Face, key=lambda face: (view.hidden_dice.count(face), face))
        return next((bet for bet in bets if bet.face is best), bets[0])


class Liar(Cautious):
    """A bot that bets on a face that it does not hold."""

    doubts_below = 0.4

    def bet(self, view: BluffView, bets: Sequence[Bet]) -> Bet:
        """Return one of the lowest bets on a face that it lacks."""
        lies = [bet for bet in bets[:8] if bet.face not in view.hidden_dice]
        return self.random.choice(lies or list(bets[:1]))


class ByTables(Bot[BluffView, Choice]):
    """A bot that draws from solved tables."""

    solved: SolvedPlay

    def act(self, turn: BluffTurn) -> Choice:
        """Return an action drawn from the tables."""
        weights, bets, place = self.weights(turn)
        action = self.random.choices(range(len(weights)), weights)[0]
        return bets[place + action - 1] if action else Doubt()

    def probabilities(self, turn: BluffTurn) -> Mapping[Choice, float]:
        """Return the probability of each action in a turn."""
        weights, bets, place = self.weights(turn)
        actions: list[Choice] = [Doubt(), *bets[place:]]
        return {
            action: weight / sum(weights)
            for action, weight in zip(actions, weights, strict=True)
            if weight
        }

    def weights(self, turn: BluffTurn) -> tuple[list[float], tuple[Bet, ...], int]:
        """Return the weights of the doubt and of the bets above a place, the bets and the place."""
        situation = self.solved.situation(turn.view)
        assert situation is not None, "the tables know two seats with up to five dice"
        role, history = situation.role(turn.seat), situation.history
        hand = hands_of(len(turn.view.hidden_dice)).dice.index(turn.view.hidden_dice)
        weights = situation.play.weights(role, history)[:, hand]
        if not weights.any():
            weights[0 if history else 1] = 1.0
        return weights.tolist(), situation.play.bets, (history or [0])[-1]


def seen(round_tables: SolvedPlay) -> dict[str, type[AnyBot]]:
    """Return the strangers by name."""
    solved = chosen()
    assert solved is not None, "the sample bots are not installed"

    class Round(ByTables):
        solved = round_tables

    return {
        "cautious": Cautious,
        "stubborn": Stubborn,
        "liar": Liar,
        "round": Round,
        "reader": local_responder(solved),
        "round net": net("round"),
    }
