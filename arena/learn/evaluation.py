"""Evaluates a policy: its share of wins against bots, without luck, and what its decisions lose."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from arena.games.encoding import Encoding, encoding
from arena.lab.analysis import BluffTables, LossSums, by_seat, decisions, has_values
from arena.lab.analysis.bluff.solved_play import chosen
from arena.lab.luck import luck_of
from arena.learn.policies import ActionPolicy, Opponent, PolicyError, contenders, policy_bot
from arena.local.in_process import Contender, PlayedMatch, Seed, play_match
from arena.local.win_rates import WinRates
from arena.match.seating import moved_on
from arena.rating.luck import adjusted_share

_POLICY = "the policy"


class Estimated(NamedTuple):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The results of a policy against one line-up of opponents."""

    opponents: tuple[str, ...]
    """By seat after the policy's own."""
    matches: int
    share: Estimated
    """The share of matches that it won, 0 to 1; a first place shared by n counts 1/n."""
    adjusted_share: Estimated
    """The share without the luck of the draws (docs/luck.md); the share itself where taking luck
    out gains nothing, with fewer than 20 blocks, and with fewer than five matches won or lost."""
    mean_placing: float
    """From 1, the best; tied seats get the mean of the places they share."""
    loss: Estimated | None
    """The mean loss of a decision, in chances to win, by the solved tables (docs/analysis.md). None
    if it was not requested, or if the tables know no decision: they know only Bluff at two seats
    without its extension."""


def evaluate(
    policy: ActionPolicy,
    opponents: Sequence[Opponent | Sequence[Opponent]],
    *,
    matches: int,
    seed: str = "evaluate",
    same_deals: bool = True,
    losses: bool = True,
    game: str = "bluff",
    seats: int = 2,
    history: bool = False,
    **options: object,
) -> tuple[Evaluation, ...]:
    """Let a policy play against opponents, and return what it achieved against each.

    The matches come in blocks, in which the policy sits in every seat once. All is played in this
    process, by the rules and faults of the referee; equal arguments give equal results.

    Args:
        policy: The policy, from observations and masks of the encoding to ids or weights.
        opponents: Line-ups, each played against by itself: a sample bot's name, the path of a .py
            file or a policy that plays all other seats, or a sequence with one for each of them.
        matches: The number of matches against each, rounded up to whole blocks.
        seed: The seed of all chance.
        same_deals: Whether the matches of a block have the same deal, which makes intervals
            narrower. Opponents that remember earlier matches in this process could exploit that.
        losses: Whether decisions are valued, which takes most of the time: some 20 ms a match.
        game: The game's id.
        seats: The number of seats.
        history: Whether observations include the public history that a view holds.
        options: The game's options; those that are left out have their defaults.

    Raises:
        PolicyError: The policy does not return choices among legal actions, there are no matches,
            or opponents do not fit the table.
        EncodingError: The game, its options or the number of seats are not covered.
        BotFileError: There is no such bot.
        UnreadyBotError: A bot cannot begin a match.
    """
    if matches < 1:
        raise PolicyError(f"matches is {matches}; allowed is 1 or more")
    encoded = encoding(game, seats, history=history, **options)
    line_ups = [contenders(encoded, lineup) for lineup in opponents]
    own = Contender(_POLICY, policy_bot(encoded, policy))
    blocks = -(-matches // seats)
    found = []
    for line_up in line_ups:
        played = _played(encoded, [own, *line_up], blocks, seed, same_deals=same_deals)
        tables = _tables(encoded) if losses else None
        found.append(_evaluation(encoded, line_up, played, tables))
    return tuple(found)


def _played(
    encoded: Encoding, entries: Sequence[Contender], blocks: int, seed: str, *, same_deals: bool
) -> Iterator[PlayedMatch]:
    """Yield the matches block by block, once for each rotation of the seats."""
    seats, source = encoded.seats, Seed(seed)
    for block in range(blocks):
        for shift in range(seats):
            order = moved_on(seats, shift)
            number = block if same_deals else block * seats + shift
            seated = [entries[at] for at in order]
            transcript, refused = play_match(encoded.game, seated, source, number)
            if transcript.result.faults[order.index(0)]:
                first = next(one for one in refused if one.seat == order.index(0))
                raise PolicyError(f"the policy failed: {first.reason}")
            yield PlayedMatch(order, transcript, refused)


def _evaluation(
    encoded: Encoding,
    line_up: Sequence[Contender],
    played: Iterator[PlayedMatch],
    tables: BluffTables | None,
) -> Evaluation:
    seats = encoded.seats
    names = [_POLICY, *(opponent.name for opponent in line_up)]
    rates = WinRates(names, matches_per_block=seats)
    wins, lucks, losses = [], [], []
    for match in played:
        rates.add(match)
        seat, placing = match.contenders.index(0), match.result.placing
        wins.append((placing[seat] == 1) / placing.count(1))
        lucks.append(luck_of(match.transcript).seats[seat])
        if tables is not None:
            lost = by_seat(tuple(decisions(match.transcript, [tables])), seats)[seat].losses
            losses.append((len(lost), sum(lost)))
    rate = next(one for one in rates.table() if one.name == _POLICY)
    return Evaluation(
        opponents=tuple(names[1:]),
        matches=rate.matches,
        share=Estimated(rate.share, *rate.interval),
        adjusted_share=_adjusted(wins, lucks, seats, rate.design_effect),
        mean_placing=rate.mean_placing,
        loss=_loss(losses),
    )


def _adjusted(wins: list[float], lucks: list[float], seats: int, design_effect: float) -> Estimated:
    won, luck = (np.array(of_match).reshape(-1, seats) for of_match in (wins, lucks))
    found = adjusted_share(won, luck.mean(axis=1), design_effect=design_effect)
    return Estimated(found.share, found.low, found.high)


def _tables(encoded: Encoding) -> BluffTables | None:
    if encoded.seats != 2 or not has_values(encoded.game):
        return None
    solved = chosen()
    return None if solved is None else BluffTables(solved)


def _loss(losses: list[tuple[int, float]]) -> Estimated | None:
    sums = LossSums.of(losses)
    if not sums.matches:
        return None
    mean, error = sums.by_decision
    return Estimated(mean, max(0.0, mean - error), mean + error)
