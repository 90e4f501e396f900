"""Policies: choices of actions for rows of observations and masks, and bots that play by them.

UserError
└── PolicyError     a policy that does not choose legal actions, or cannot be played
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import count
from random import Random
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.bot.bot import AnyBot, Bot
from arena.bot.turn import Match, Turn
from arena.errors import UserError, any_failure
from arena.games.encoding import Encoding
from arena.local.declared_play import declared_play
from arena.local.in_process import Contender
from arena.local.loading import load_bot
from arena.match.clock import DEFAULT_TIME_CONTROL
from arena.match.faults import DEFAULT_FAULT_LIMIT
from arena.match.transcript import Entrant

Observations: TypeAlias = NDArray[np.float32]
Masks: TypeAlias = NDArray[np.uint8]
ActionPolicy: TypeAlias = Callable[[Observations, Masks], NDArray[np.number[Any]]]
"""A choice of actions, from observations [M, O] and masks [M, A] of any number M of rows.

It returns legal ids, integers of shape [M], or the weight of each action, floats of shape [M, A]
that are 0 or more; weights of a row are normalised over its legal actions. A `BatchPolicy` is one
of the first kind.
"""

_KEPT = 50_000
"""The size of the cache of a bot's decisions."""
_SUMMED = 1e-30
"""The least total weight of a row that is normalised."""


class PolicyError(UserError, ValueError):
    """The error for a policy that does not choose legal actions, or cannot be played; says why."""


def probabilities(
    policy: ActionPolicy, observations: Observations, masks: Masks
) -> NDArray[np.float64]:
    """Return the probability of each action, of shape [M, A].

    Raises:
        PolicyError: The policy returned another shape or kind of numbers, an illegal action, or a
            row whose legal actions have no weight.
    """
    rows = len(masks)
    chosen = np.asarray(policy(observations, masks))
    if chosen.shape == (rows,) and chosen.dtype.kind in "iu":
        if not ((chosen >= 0) & (chosen < masks.shape[1])).all():
            raise PolicyError(f"the policy's ids are not in 0 to {masks.shape[1] - 1}")
        if not masks[np.arange(rows), chosen].all():
            illegal = int(chosen[masks[np.arange(rows), chosen] == 0][0])
            raise PolicyError(f"the policy chose action {illegal}, which is not legal")
        certain: NDArray[np.float64] = np.zeros(masks.shape)
        certain[np.arange(rows), chosen] = 1
        return certain
    if chosen.shape != masks.shape or chosen.dtype.kind != "f":
        raise PolicyError(
            f"a policy returns ids, integers of shape ({rows},), or weights, floats of shape "
            f"{masks.shape}; this one returned {chosen.dtype} of shape {chosen.shape}"
        )
    weights: NDArray[np.float64] = np.where(masks != 0, chosen, 0).astype(np.float64)
    total = weights.sum(axis=1, keepdims=True)
    if not (weights >= 0).all() or not (np.isfinite(total) & (total > _SUMMED)).all():
        raise PolicyError(
            "a policy's weights are finite, 0 or more, and not 0 for all legal actions"
        )
    result: NDArray[np.float64] = weights / total
    return result


def uniform(observations: Observations, masks: Masks) -> NDArray[np.float32]:  # noqa: ARG001 - a policy
    """Choose any legal action with the same probability: a policy to compare with."""
    return masks.astype(np.float32)


def policy_bot(encoded: Encoding, policy: ActionPolicy) -> type[AnyBot]:
    """Return a bot that plays by a policy; it draws from weights by its own generator."""

    class PolicyBot(Bot[Any, Any, Any]):
        games = (encoded.game.name,)

        def _probabilities(self, view: Any) -> NDArray[np.float64]:
            seen, legal = encoded.observe(view)[None], encoded.mask(view)[None]
            (chances,) = probabilities(policy, seen, legal)
            found: NDArray[np.float64] = chances
            return found

        def act(self, turn: Turn[Any, Any, Any, Any]) -> Any:
            chances = self._probabilities(turn.view)
            legal = np.flatnonzero(chances)
            # numpy's cumsum adds in order, in double precision: the same on every platform.
            at = np.searchsorted(chances[legal].cumsum(), self.random.random(), side="right")
            return encoded.action(int(legal[min(int(at), len(legal) - 1)]), turn.view.seat)

        def probabilities(self, turn: Turn[Any, Any, Any, Any]) -> Mapping[Any, float]:
            chances = self._probabilities(turn.view)
            return {
                encoded.action(int(number), turn.view.seat): float(chances[number])
                for number in np.flatnonzero(chances)
            }

    return PolicyBot


def bot_policy(encoded: Encoding, kind: type[AnyBot], *, seed: int = 0) -> ActionPolicy:
    """Return what a bot plays as a policy on observations with the history, in games that have it.

    A bot that declares its play (`Bot.probabilities`) is asked for it; another is asked to act, as
    a new bot that has seen nothing of the match before. Where it fails, the first legal action is
    taken.

    Raises:
        EncodingError: The observations leave out what a view holds; when the policy is asked.
    """
    declared = declared_play(kind, encoded.game, encoded.seats)
    random = Random(seed)
    entrants = tuple(Entrant(f"seat {seat}", "1", "local") for seat in range(encoded.seats))
    control = DEFAULT_TIME_CONTROL
    match: Match[Any] = Match("", encoded.game, 0, entrants, control, DEFAULT_FAULT_LIMIT)

    @lru_cache(maxsize=_KEPT if declared else 0)
    def play(seen: bytes) -> tuple[list[int], list[float]]:
        view = encoded.view(np.frombuffer(seen, np.float32))
        try:
            if declared is not None:
                found = declared(view)
                ids = [encoded.id(action, 0) for action in found]
                return ids, list(found.values())
            bot = kind(Random(random.getrandbits(64)))
            bot.match_started(match)
            turn = Turn(match, 1, view, (), control.turn_ms, control.bank_ms)
            return [encoded.id(bot.act(turn), 0)], [1.0]
        except any_failure():
            return [int(encoded.mask(view).argmax())], [1.0]

    def policy(observations: Observations, masks: Masks) -> NDArray[np.float32]:
        weights = np.zeros(masks.shape, np.float32)
        for row, seen in zip(weights, observations, strict=True):
            ids, chances = play(seen.tobytes())
            row[ids] = chances
        illegal = ~((weights > 0) & (masks > 0)).any(axis=1)
        weights[illegal, masks[illegal].argmax(axis=1)] = 1
        return weights

    return policy


Opponent: TypeAlias = str | ActionPolicy
"""A sample bot's name, the path of a .py file, or a policy."""


def contenders(
    encoded: Encoding, opponents: Opponent | Sequence[Opponent]
) -> tuple[Contender, ...]:
    """Return the bots of the seats after the policy's own, in the order of play.

    Args:
        encoded: The encoding by which policies among them see and act.
        opponents: One for all of these seats, or a sequence with one for each.

    Raises:
        BotFileError: There is no such bot.
        PolicyError: There are more or fewer than these seats, or a bot does not play the game.
    """
    others = encoded.seats - 1
    listed = (
        list(opponents)
        if isinstance(opponents, Sequence) and not isinstance(opponents, str)
        else [opponents] * others
    )
    if len(listed) != others:
        raise PolicyError(
            f"{len(listed)} opponents for {others} other seats; give one, or {others}"
        )
    found: dict[str, Contender] = {}
    for opponent in listed:
        if isinstance(opponent, str):
            kind, name = load_bot(opponent), opponent
            if encoded.game.name not in kind.games:
                raise PolicyError(f"{opponent} does not play {encoded.game.name}")
        else:
            kind, name = policy_bot(encoded, opponent), getattr(opponent, "__name__", "policy")
        again = next(number for number in count(1) if _numbered(name, number) not in found)
        found[_numbered(name, again)] = Contender(_numbered(name, again), kind)
    return tuple(found.values())


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name} {number}"
