"""A bot that plays solved tables: near-equilibrium Bluff at two seats, as far as it is stored.

`make solve` computes the tables by counterfactual regret minimisation: for the dice of both seats,
the opener, the last bets of the round (with few dice in play more of them, or all) and the own
hand, the probability of each action. The bot draws from these. With more than two seats in play,
with dice laid out, or with more dice than the tables know it plays like `bayes`.

`ARENA_CFR_TABLES` names another file of tables than the one next to this program.
"""

import json
import os
import zlib
from functools import cache
from itertools import accumulate, combinations_with_replacement
from math import comb
from pathlib import Path
from typing import NamedTuple

from arena.bot import Turn, run
from arena.games.bluff import Bet, BluffView, Dice, Doubt, Face
from arena.games.bluff.bets import track
from arena_sample_bots.bayes import Bayes

TABLES = Path(os.environ.get("ARENA_CFR_TABLES", Path(__file__).with_name("cfr.tables")))
FORMAT = "arena-play/2"


class Cfr(Bayes):
    """A bot that draws its actions from solved tables, and plays like `bayes` elsewhere."""

    def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
        """Return an action drawn from the tables, or that of `bayes`."""
        place = place_of(turn.view)
        weights = None if place is None else weights_of(turn.view, turn.seat, place)
        if place is None or not weights:
            return super().act(turn)
        action = self.random.choices(range(len(weights)), weights)[0]
        return track(sum(turn.view.dice_counts))[place + action - 1] if action else Doubt()

    def probabilities(self, turn: Turn[BluffView, Bet | Doubt]) -> dict[Bet | Doubt, float]:
        """Return the probabilities of the tables, or those of `bayes`."""
        place = place_of(turn.view)
        weights = None if place is None else weights_of(turn.view, turn.seat, place)
        if place is None or not weights:
            return super().probabilities(turn)
        bets, total = track(sum(turn.view.dice_counts)), sum(weights)
        return {
            bets[place + action - 1] if action else Doubt(): weight / total
            for action, weight in enumerate(weights)
            if weight
        }


class Play(NamedTuple):
    """The play of one seat in the rounds that begin with certain dice."""

    start: int
    """The position in the table of weights at which it begins."""
    recall: int | None
    """The number of last bets of the round that it knows; None for all."""


class Tables(NamedTuple):
    """The contents of a file of tables."""

    weights: bytes
    plays: dict[tuple[int, int, bool], Play]
    """The plays by the opener's dice, the other's, and whether it is the opener's play."""


def weights_of(view: BluffView, seat: int, place: int) -> bytes | None:
    """Return the weights that the tables give each action; None where they do not apply.

    The actions are the doubt, then the bets above the standing one, which is the track's bet
    `place`.
    """
    live = [other for other, dice in enumerate(view.dice_counts) if dice]
    if len(live) != 2 or seat not in live or view.opener not in live or any(view.face_up):
        return None
    opener, other = view.opener, live[1 - live.index(view.opener)]
    opens = seat == opener
    tables = read_tables()
    play = tables.plays.get((view.dice_counts[opener], view.dice_counts[other], opens))
    if play is None:
        return None
    bets = len(track(sum(view.dice_counts)))
    hands = hand_numbers(view.dice_counts[seat])
    known = places(sum(view.dice_counts))
    history = [known[placed.bet] for placed in view.bets]
    if play.recall is not None:
        row = recalled_row(history, play.recall, bets)
    elif place == bets:
        return b"\1"  # nothing is left but the doubt
    else:
        row = node_row(history, opens, bets)
    first = play.start + row * len(hands) + hands[view.hidden_dice]
    weights = tables.weights[first : first + (bets - place + 1) * len(hands) : len(hands)]
    # At nodes that the tables never reach, as after a fault, all weights are zero.
    return weights if any(weights) else None


def recalled_row(history: list[int], recall: int, bets: int) -> int:
    """Return the first row of the node after a history of which only the last bets are known.

    Nodes are ordered by the last bet, then by the one before, and so on.
    """
    *before, place = history[-recall:] or [0]
    node = 0
    for earlier, bet in enumerate(reversed(before), 2):
        node += sum(comb(bet - 1, known) for known in range(recall - earlier + 2))
    return first_rows(bets, recall)[place] + node * (bets - place + 1)


@cache
def first_rows(bets: int, recall: int) -> list[int]:
    """Return the first row of each place; at the end, the number of rows.

    A place has a node for each choice of the known bets before it.
    """
    rows = [bets + 1]
    for place in range(1, bets + 1):
        nodes = sum(comb(place - 1, known) for known in range(recall))
        rows.append(nodes * (bets - place + 1))
    return [0, *accumulate(rows)]


def node_row(history: list[int], opens: bool, bets: int) -> int:
    """Return the first row of the node after a history; a seat's nodes are stored depth first."""
    mine, others = subtrees(bets)
    row, place, on_turn = 0, 0, opens
    for bet in history:
        row += bets - place + 1 if on_turn else 0
        row += sum((others if on_turn else mine)[place + 1 : bet])
        place, on_turn = bet, not on_turn
    return row


@cache
def subtrees(bets: int) -> tuple[list[int], list[int]]:
    """Return a seat's number of rows in a node's subtree, by place.

    The first list is for the seat itself on turn at the node, the second for the other.
    """
    mine, others = [0] * (bets + 1), [0] * (bets + 1)
    for place in reversed(range(bets)):
        mine[place] = bets - place + 1 + sum(others[place + 1 :])
        others[place] = sum(mine[place + 1 :])
    return mine, others


def place_of(view: BluffView) -> int | None:
    """Return the number of the standing bet on the track, from 1.

    It is 0 if no bet is open, and None if the bet is too high for the track.
    """
    if not view.bets:
        return 0
    bet = Bet(view.bets[-1].bet.quantity, view.bets[-1].bet.face)
    return places(sum(view.dice_counts)).get(bet)


@cache
def places(dice: int) -> dict[Bet, int]:
    """Return the numbers of the bets on the track."""
    return {bet: number for number, bet in enumerate(track(dice), 1)}


@cache
def hand_numbers(dice: int) -> dict[Dice, int]:
    """Return the distinct hands with their numbers, in ascending order."""
    hands = combinations_with_replacement(tuple(Face), dice)
    return {hand: number for number, hand in enumerate(hands)}


@cache
def read_tables() -> Tables:
    """Return the tables, read once for all matches."""
    line, _, rest = TABLES.read_bytes().partition(b"\n")
    header = json.loads(line)
    if header["format"] != FORMAT:
        raise ValueError(f"{TABLES} has the format {header['format']}, not {FORMAT}")
    plays, at = {}, 0
    for opener, other, _, recall in header["states"]:
        bets = 6 * (opener + other)
        mine, others = subtrees(bets)
        for dice, opens in ((opener, True), (other, False)):
            plays[opener, other, opens] = Play(at, recall)
            all_bets = (mine if opens else others)[0]
            rows = all_bets if recall is None else first_rows(bets, recall)[-1]
            at += rows * comb(dice + 5, 5)
    weights = zlib.decompress(rest)
    if len(weights) != at:
        raise ValueError(f"{TABLES} holds {len(weights):,} weights, not {at:,}")
    return Tables(weights, plays)


if __name__ == "__main__":
    run(Cfr)
