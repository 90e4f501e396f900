"""The best response found to a bot or policy of Bluff at two seats, and its share of wins.

The candidates are responses trained against it (`response.py`) and, up to five dice each, the local
best response to the solved tables. The one that is best on some deals is measured on others, so
that the selection does not bias its share.
"""

import time
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from arena.games.encoding import Encoding, encoding
from arena.lab.analysis.bluff.solved_play import chosen
from arena.learn.policies import ActionPolicy, policy_bot
from arena.learn.response import UPDATE, ResponseLearner
from arena.local.in_process import Contender, PlayedMatch, Seed, play_match
from arena.local.local_response import local_responder
from arena.local.win_rates import WinRate, WinRates

MOST_DICE: Final = 5
"""The largest number of dice of a seat that the solved tables know."""
DECISIONS: Final = 1_000_000
"""The default number of decisions from which a response learns."""
_KEPT: Final = 0.6, 0.8
"""The fractions of the training after which the response is kept, besides the end."""
_CHOICE: Final = 400
"""The most matches by which each response is compared with the others."""


class Training(NamedTuple):
    """The effort of training a response."""

    decisions: int = DECISIONS
    """The number of its decisions, rounded up to whole updates."""
    seconds: float | None = None
    """The time limit; with it the result depends on the machine."""


class FoundResponse(NamedTuple):
    """A response, and what it won on deals that had no part in finding it."""

    kind: str
    """How it was found: "trained", or "local" for the one to the solved tables."""
    decisions: int
    """The number of decisions that the trained one learned from, even if the local one is better.
    """
    won: WinRate


def best_found(
    known: Contender,
    policy: ActionPolicy,
    seen: Encoding,
    training: Training,
    matches: int,
    seed: str,
    advance: Callable[[int], None] = lambda _: None,
) -> FoundResponse:
    """Return the best response found, and what it won.

    Args:
        known: The bot to which it responds.
        policy: What the bot plays, as far as that follows from an observation.
        seen: The encoding of the policy's observations.
        training: How long responses are trained.
        matches: The number of matches by which the best one is measured, rounded up to pairs with
            the same deal.
        seed: The seed of all chance.
        advance: Called with the number of decisions just learned from.

    Raises:
        PolicyError: The policy does not return choices among legal actions.
    """
    encoded = encoding("bluff", 2, history=True, **seen.game.options.changed())
    solved = chosen()
    rewards = "placing" if solved is None else "chances"
    source = int.from_bytes(Seed(seed).derive("response")[:7])
    learner = ResponseLearner(policy, seen, encoded, rewards, source)
    kept = list(_trained(learner, training, advance))
    decisions = sum(count for count, _ in kept)
    candidates = [Contender("response", policy_bot(encoded, each)) for _, each in kept]
    if solved is not None:
        candidates.append(Contender("response", local_responder(solved)))
    compared = [
        _measured(seen, each, known, min(matches, _CHOICE), f"{seed} choice").share
        for each in candidates
    ]
    best = compared.index(max(compared))
    won = _measured(seen, candidates[best], known, matches, f"{seed} measure")
    return FoundResponse("trained" if best < len(kept) else "local", decisions, won)


def _trained(
    learner: ResponseLearner, training: Training, advance: Callable[[int], None]
) -> Iterator[tuple[int, ActionPolicy]]:
    """Yield each kept response, with the number of decisions learned from since the last one."""
    began, updates, kept, part = time.monotonic(), 0, 0, 0.0
    for until in (*_KEPT, 1.0):
        while part < until:
            learner.improve(part)
            updates += 1
            advance(UPDATE)
            part = updates * UPDATE / training.decisions
            if training.seconds is not None:
                part = max(part, (time.monotonic() - began) / training.seconds)
        yield (updates - kept) * UPDATE, learner.policy()
        kept = updates


def _measured(
    seen: Encoding, response: Contender, known: Contender, matches: int, seed: str
) -> WinRate:
    """Return what a response wins in pairs of matches with the same deal."""
    rates, source = WinRates(["response", "known"], matches_per_block=2), Seed(seed)
    for number in range(-(-matches // 2)):
        for order in ((0, 1), (1, 0)):
            seated = [(response, known)[at] for at in order]
            rates.add(PlayedMatch(order, *play_match(seen.game, seated, source, number)))
    (won,) = (rate for rate in rates.table() if rate.name == "response")
    return won
