"""The values of all places of a round by the hands of both seats, for two known players.

Their play is taken to depend only on the last bet, so the values are exact for such play and
approximate for players who know more. One of them may respond to the other's play.

Letters in the shapes of arrays: a = action, h = hand of the opener, i = hand of the other seat,
p = place: 0 before the first bet, else the number of the last bet on the track.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.games.bluff.bets import track
from arena.games.bluff.showdown import after_doubt
from arena.lab.analysis.bluff.fitted_play import ChoiceModel, SeenDecision
from arena.lab.analysis.bluff.last_bet_play import LastBetPlay, Model, by_model, by_tables
from arena.lab.analysis.bluff.response import Response, likely_hands, nearly_best
from arena.lab.analysis.bluff.solved_play import RoundDice, SolvedPlay
from arena.lab.analysis.bluff.table import Singles, Weights, hands_of

Pairs: TypeAlias = NDArray[np.float16]
"""[h, i] The opener's chance to win the match, by the hands of both.

Half precision saves memory. The estimates stay unbiased, because they subtract the mean of these
same rounded numbers.
"""
SeatPlay: TypeAlias = LastBetPlay | Response
"""How a seat plays, or that it responds to the other's play."""
RoundKey: TypeAlias = tuple[RoundDice, tuple[SeatPlay, SeatPlay]]
"""The dice of a round and the players, the opener's first."""

SETS: Final = 2
"""The number of sets of values that `ValueSets.of` returns."""


class ValueSets:
    """The values of places, given how two players would play on from them."""

    def __init__(self, solved: SolvedPlay) -> None:
        """Prepare for the play of solved tables; values are computed when they are needed."""
        self.most_dice = max(own for own, _ in solved.rounds)
        """The most dice of a seat."""
        self._solved, self._tables = solved, by_tables(solved)
        self._models = {model: by_model(model) for model in Model}
        self._rounds = dict[RoundKey, PairValues]()
        self._choices = ChoiceModel([self._tables, *self._models.values()])

    def of(self, known: Model | None = None) -> list["MatchValues"]:
        """Return the values of matches against the tables, and against a response.

        `known` is the model closest to the play of the known seat; None if the tables are closest.
        """
        own = self._tables if known is None else self._models[known]
        starts = self._solved.values if known is None else {}
        return [
            MatchValues(own, self._tables, starts, self._rounds),
            # These rounds are not shared, so they are freed with the list.
            MatchValues(own, Response(self._tables), {}, {}),
        ]

    def fitted(
        self, one: Sequence[SeenDecision], other: Sequence[SeenDecision]
    ) -> tuple["MatchValues", "MatchValues"]:
        """Return the values of matches between two players whose play is fitted to decisions.

        Args:
            one: Decisions of one of them.
            other: Decisions of the other.

        Returns:
            The same values twice: with the first player as the known one, then with the other.
        """
        first, second = (self._choices.fitted(each) for each in (one, other))
        rounds = dict[RoundKey, PairValues]()
        return MatchValues(first, second, {}, rounds), MatchValues(second, first, {}, rounds)


class MatchValues:
    """The values of matches between two players; each round is computed when it is needed."""

    def __init__(
        self,
        known: LastBetPlay,
        other: SeatPlay,
        starts: Mapping[RoundDice, float],
        rounds: "dict[RoundKey, PairValues]",
    ) -> None:
        """Prepare for the matches of two players, who may be the same.

        Args:
            known: The declared play of the known seat, or an approximation of it.
            other: The play that is expected of the other seat.
            starts: The opener's chance to win by the dice of a round, where better values are
                known.
            rounds: The cache of computed rounds, which may be shared with other instances.
        """
        self._players: tuple[SeatPlay, SeatPlay] = (known, other)
        self._starts = starts
        self._rounds = rounds

    def round(self, dice: RoundDice, opener: int) -> "PairValues":
        """Return the values of the rounds with the opener's dice and the other's.

        The `opener` is 0 if the known player opens, 1 if the other does.
        """
        players = self._players[opener], self._players[1 - opener]
        if (dice, players) not in self._rounds:
            self._rounds[dice, players] = PairValues(
                dice,
                players,
                lambda left, opens: self.start(left, opener if opens == 0 else 1 - opener),
            )
        return self._rounds[dice, players]

    def start(self, dice: RoundDice, opener: int) -> float:
        """Return the chance to win of the seat that opens a round, before the roll."""
        found = self._starts.get(dice)
        return self.round(dice, opener).before_roll if found is None else found


class PairValues:
    """The opener's chances to win the match in the rounds that begin with certain dice."""

    def __init__(
        self,
        dice: RoundDice,
        players: tuple[SeatPlay, SeatPlay],
        starts: Callable[[RoundDice, int], float],
    ) -> None:
        """Compute the values.

        Args:
            dice: The opener's dice and the other's.
            players: The opener and the other; at most one responds.
            starts: The chance to win of the seat that opens the next round, by its dice and the
                other's, and by the role that it has in this round.
        """
        self._dice, self._players = dice, players
        self._bets = track(sum(dice))
        total = sum(dice)
        self._doubts = [
            np.array([self._after(bettor, surplus, starts) for surplus in range(-total, total + 1)])
            for bettor in (0, 1)
        ]
        """[role of the bettor][surplus + dice in play] The values after a doubt."""
        self._turns = self._at_places()
        """[role on turn][p, h, i] The values at each place."""

    @cached_property
    def before_roll(self) -> float:
        """The mean of the value after the roll, over all rolls."""
        opener, other = (hands_of(dice).chances for dice in self._dice)
        return float(opener @ self._turns[0][0].astype(np.float64) @ other)

    def after_roll(self, role: int, hand: int) -> Weights:
        """Return the values after the roll: [hand of the opposite seat].

        The seat with this role has this hand.
        """
        pairs = self._turns[0][0]
        row: Pairs = pairs[hand] if role == 0 else pairs[:, hand]
        return row.astype(np.float64)

    def after_actions(self, place: int, actor: int, role: int, hand: int) -> Weights:
        """Return the values after each action at a place: [a, hand of the opposite seat].

        Args:
            place: The number of the standing bet, 0 before the first.
            actor: The role of the seat that acts: 0 for the opener, 1 for the other.
            role: The role of the seat whose hand is given.
            hand: The number of that hand.

        Returns:
            The opener's chance after a doubt (0 before the first bet), then after each higher bet.
        """
        raised = self._turns_from(place + 1, 1 - actor, role, hand)
        nothing = np.zeros(raised.shape[1])
        doubt = self.after_doubt(place, actor, role, hand) if place else nothing
        return np.concatenate([doubt[None], raised])

    def after_play(self, place: int, actor: int, hand: int, play: Weights) -> Weights:
        """Return the values after each action at a place: [a, hand of the seat that acts].

        They equal those of `after_actions`, except that an opposite seat that responds does so to
        this play, and so knows what the play reveals of hands.

        Args:
            place: The number of the standing bet, 0 before the first.
            actor: The role of the seat that acts: 0 for the opener, 1 for the other.
            hand: The number of the opposite seat's hand.
            play: [a, hand of the seat that acts] The joint probabilities of actions and hands.
        """
        other = 1 - actor
        after = self.after_actions(place, actor, other, hand)
        likely = play.sum(1)
        bets = (np.flatnonzero(likely[1:]) + 1).tolist()
        if bets and isinstance(self._players[other], Response):
            raised = self._turns_from(place + 1, actor, other, hand)
            doubted = np.array([self.after_doubt(place + bet, other, other, hand) for bet in bets])
            beliefs = play[bets] / likely[bets, None]
            chances = np.column_stack([(beliefs * doubted).sum(1), beliefs @ raised.T])
            if other == 1:
                chances = 1 - chances
            chances[:, 1:][np.arange(len(raised)) < np.array(bets)[:, None]] = -np.inf
            answers = nearly_best(chances.T).T
            after[bets] = answers[:, :1] * doubted + answers[:, 1:] @ raised
        return after

    def _turns_from(self, place: int, turn: int, role: int, hand: int) -> Weights:
        """Return the values at all places from one on: [p, hand of the opposite seat].

        `turn` is the role of the seat that acts there, `role` that of the seat with the hand.
        """
        pairs = self._turns[turn][place:]
        values: Pairs = pairs[:, hand] if role == 0 else pairs[:, :, hand]
        return values.astype(np.float64)

    def after_doubt(self, place: int, actor: int, role: int, hand: int) -> Weights:
        """Return the values after a doubt: [hand of the opposite seat].

        The arguments are those of `after_actions`; there must be a bet.
        """
        bet = self._bets[place - 1]
        own, theirs = (hands_of(dice).matching[bet.face - 1] for dice in self._dice_from(role))
        found = theirs + own[hand] - bet.quantity
        values: Weights = self._doubts[1 - actor][found + sum(self._dice)]
        return values

    def _dice_from(self, role: int) -> RoundDice:
        return self._dice if role == 0 else self._dice[::-1]

    def _after(self, bettor: int, surplus: int, starts: Callable[[RoundDice, int], float]) -> float:
        """Return the opener's chance to win after a doubt that finds `surplus` above the bet."""
        left, opens = after_doubt(self._dice, bettor, surplus)
        if 0 in left:
            return float(left[0] > 0)
        return starts(left, 0) if opens == 0 else 1 - starts(left[::-1], 1)

    def _at_places(self) -> tuple[Pairs, Pairs]:
        bets, total = self._bets, sum(self._dice)
        opener, other = (hands_of(dice) for dice in self._dice)
        shape = len(bets) + 1, len(opener.dice), len(other.dice)
        values = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        plays, beliefs = list[list[Singles]](), list[Singles | None]()
        for role, player in enumerate(self._players):
            play = player.usual if isinstance(player, Response) else player
            plays.append([table.astype(np.float32) for table in play(self._dice, role)])
        for role, player in enumerate(self._players):
            responds = isinstance(player, Response)
            beliefs.append(likely_hands(self._dice, role, plays) if responds else None)
        for place in range(len(bets), -1, -1):
            surplus = np.zeros(shape[1:], np.int64)
            if place:
                bet = bets[place - 1]
                matching = opener.matching[bet.face - 1], other.matching[bet.face - 1]
                surplus = np.add.outer(*matching) - bet.quantity + total
            for role, by_hand in enumerate(("ah,ahi->hi", "ai,ahi->hi")):
                doubts = self._doubts[1 - role].astype(np.float32)[surplus]
                raised = values[1 - role][place + 1 :]
                belief = beliefs[role]
                share = plays[role][place]
                if belief is not None:
                    share = _response(role, belief[place], doubts if place else None, raised)
                values[role][place] = doubts * (share[0] if role else share[0][:, None])
                values[role][place] += np.einsum(by_hand, share[1:], raised)
        return values[0].astype(np.float16), values[1].astype(np.float16)


def _response(role: int, beliefs: Singles, doubts: Singles | None, raised: Singles) -> Singles:
    """Return the play of a seat that responds, at one place: [a, own hand].

    Args:
        role: Its role.
        beliefs: [hand of the opposite seat] The probabilities of hands.
        doubts: [h, i] The values after a doubt; None where there is nothing to doubt.
        raised: [a, h, i] The values after higher bets.
    """
    pairs = raised if doubts is None else np.concatenate([doubts[None], raised])
    chances = pairs @ beliefs if role == 0 else 1 - beliefs @ pairs
    shares: Singles = nearly_best(chances)
    return shares if doubts is not None else np.concatenate([np.zeros_like(shares[:1]), shares])
