"""The strangers that are measured, but not looked at, while rungs are built.

jumper      opens with what it expects of all dice, jumps when it can, and doubts near even odds
gambler     draws among all actions by their chance to be right, sharpened: a logit player
wavering    plays the tables of `cfr` with a third of its actions drawn evenly from the low ones
flat        plays the tables of `cfr` with the square root of their probabilities
evasive     plays the single round's equilibrium, but never bets on the face that it holds most
caller      raises only what the dice that it expects would cover, and doubts the rest
match net   a net that learned by policy gradient in self-play to win the match
"""

from collections.abc import Mapping
from math import exp

from arena.bot import Bot, Turn
from arena.bot.bot import AnyBot
from arena.games.bluff import STAR, Bet, BluffView, Doubt, Face
from arena.lab.analysis.bluff.solved_play import SolvedPlay, chosen
from benchmarks.strangers_load.nets import net
from benchmarks.strangers_load.seen import ByTables, likelihood, raises

Choice = Bet | Doubt
BluffTurn = Turn[BluffView, Choice]


class Sure(Bot[BluffView, Choice]):
    """A bot that plays without chance."""

    def probabilities(self, turn: BluffTurn) -> Mapping[Choice, float]:
        """Return the action that it takes."""
        return {self.act(turn): 1.0}


class Jumper(Sure):
    """A bot that bets as high as it believes."""

    probabilities = Sure.probabilities  # it counts only in the class that has the `act`

    def act(self, turn: BluffTurn) -> Choice:
        """Return the highest bet that is likelier than 45 %, or the doubt, or the lowest bet."""
        view, bets = turn.view, raises(turn.view)
        believed = [bet for bet in bets if likelihood(view, bet) > 0.45]
        if view.bets and (not bets or likelihood(view, view.bets[-1].bet) < 0.45):
            return Doubt()
        return believed[-1] if believed else bets[0]


class Gambler(Bot[BluffView, Choice]):
    """A bot that draws an action by its chance to be right (a logit player, precision 8)."""

    def act(self, turn: BluffTurn) -> Choice:
        """Return a drawn action."""
        play = self.probabilities(turn)
        return self.random.choices([*play], [*play.values()])[0]

    def probabilities(self, turn: BluffTurn) -> Mapping[Choice, float]:
        """Return the probability of each action in a turn."""
        view = turn.view
        chances: dict[Choice, float] = {bet: likelihood(view, bet) for bet in raises(view)[:18]}
        if view.bets:
            chances[Doubt()] = 1 - likelihood(view, view.bets[-1].bet)
        weights = {action: exp(8 * chance) for action, chance in chances.items()}
        return {action: weight / sum(weights.values()) for action, weight in weights.items()}


class Caller(Sure):
    """A bot that bets what it would expect, and doubts the rest."""

    probabilities = Sure.probabilities

    def act(self, turn: BluffTurn) -> Choice:
        """Return the lowest bet that the expected dice cover, or the doubt."""
        view, bets = turn.view, raises(turn.view)
        unseen = sum(view.dice_counts) - len(view.hidden_dice)
        for bet in bets:
            own = sum(die in (bet.face, STAR) for die in view.hidden_dice)
            if bet.quantity <= own + unseen * (1 / 6 if bet.face is STAR else 1 / 3):
                return bet
        return Doubt() if view.bets else bets[0]


def unseen(round_tables: SolvedPlay) -> dict[str, type[AnyBot]]:
    """Return the strangers by name."""
    found = chosen()
    assert found is not None, "the sample bots are not installed"
    tables: SolvedPlay = found

    class Wavering(ByTables):
        solved = tables

        def act(self, turn: BluffTurn) -> Choice:
            if self.random.random() < 1 / 3:
                return self.random.choice(self.low(turn))
            return super().act(turn)

        def probabilities(self, turn: BluffTurn) -> Mapping[Choice, float]:
            play = {action: 2 / 3 * share for action, share in super().probabilities(turn).items()}
            low = self.low(turn)
            for action in low:
                play[action] = play.get(action, 0) + 1 / 3 / len(low)
            return play

        def low(self, turn: BluffTurn) -> list[Choice]:
            return [*raises(turn.view)[:6], *([Doubt()] if turn.view.bets else [])]

    class Flat(ByTables):
        solved = tables

        def weights(self, turn: BluffTurn) -> tuple[list[float], tuple[Bet, ...], int]:
            weights, bets, place = super().weights(turn)
            return [weight**0.5 for weight in weights], bets, place

    class Evasive(ByTables):
        solved = round_tables

        def weights(self, turn: BluffTurn) -> tuple[list[float], tuple[Bet, ...], int]:
            weights, bets, place = super().weights(turn)
            best = max(Face, key=lambda face: (turn.view.hidden_dice.count(face), face))
            kept = [
                weight * (not action or bets[place + action - 1].face is not best)
                for action, weight in enumerate(weights)
            ]
            return (kept if any(kept) else weights), bets, place

    return {
        "jumper": Jumper,
        "gambler": Gambler,
        "wavering": Wavering,
        "flat": Flat,
        "evasive": Evasive,
        "caller": Caller,
        "match net": net("match"),
    }
