"""Environments of PettingZoo: the rules as agents that act one after the other (AEC)."""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from arena.games.encoding import Encoding, EncodingError, encoding
from arena.learn.seat_by_seat import SeatBySeat
from arena.learn.seeds import fresh_seed, match_randomness
from arena.learn.spaces import observation_box

Seen = dict[str, NDArray[np.generic]]


class ArenaAEC(AECEnv[str, Seen, int]):
    """Matches of a game, played by the pure rules; the agents are "seat_0", "seat_1" and so on.

    An observation is {"observation": float32[O], "action_mask": int8[A]}; the mask of an agent
    that is not asked is 0. All agents end with the match, with the rewards of `VectorEnv`. Sealed
    answers are asked for one after the other and stay sealed until all are in.

    Args:
        encoded: The encoding of observations and actions.
    """

    def __init__(self, encoded: Encoding, render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise EncodingError(f"render_mode is {render_mode!r}; allowed are None and 'ansi'")
        self.encoding = encoded
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{encoded.game.name}_v1",
            "render_modes": ["ansi"],
            "is_parallelizable": False,
        }
        self.possible_agents = [f"seat_{seat}" for seat in range(encoded.seats)]
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": observation_box(encoded),
                    "action_mask": spaces.Box(0, 1, (encoded.actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.Discrete(encoded.actions) for agent in self.possible_agents
        }
        self._seed, self._matches = fresh_seed(), 0

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions, the ids of the encoding."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002 - PettingZoo's
        """Begin a match: the first of `seed`, or without a seed the next of the last seed."""
        if seed is not None:
            self._seed, self._matches = seed, 0
        self.match = SeatBySeat(
            self.encoding.game, self.encoding.seats, match_randomness(self._seed, self._matches)
        )
        self._matches += 1
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()

    def observe(self, agent: str) -> Seen:
        """Return what an agent sees now, and which actions it may choose."""
        seat = self.possible_agents.index(agent)
        view = self.match.view(seat)
        if seat == self.match.seat:
            mask = self.encoding.mask(view).astype(np.int8)
        else:
            mask = np.zeros(self.encoding.actions, np.int8)
        return {"observation": self.encoding.observe(view), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Take the selected agent's action.

        Raises:
            EncodingError: The action is not legal; nothing was changed.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        seat = self.match.seat
        mask = self.encoding.mask(self.match.view(seat)) if seat is not None else ()
        if action is None or not 0 <= action < len(mask) or not mask[action]:
            raise EncodingError(f"action {action} is not legal for {agent}")
        self._cumulative_rewards[agent] = 0.0
        self.match.act(self.encoding.action(int(action), seat))
        if self.match.seat is None:
            rewards = self.match.rewards()
            self.rewards = {
                name: float(rewards[seat]) for seat, name in enumerate(self.possible_agents)
            }
            self.terminations = dict.fromkeys(self.agents, True)
        self._select()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return the spectator's view as text with `render_mode="ansi"`."""
        if self.render_mode is None:
            return None
        return str(self.match.game.view(self.match.state, None))

    def close(self) -> None:
        """Do nothing: a match holds no resources."""

    def _select(self) -> None:
        seat = self.match.seat
        self.agent_selection = self.possible_agents[0 if seat is None else seat]


def aec_env(
    game: str,
    seats: int,
    *,
    history: bool = False,
    render_mode: str | None = None,
    **options: object,
) -> ArenaAEC:
    """Return an environment of PettingZoo in which every seat is an agent.

    Args:
        game: The game's id, such as "bluff".
        seats: The number of seats.
        history: Whether observations include the public history that a view holds.
        render_mode: "ansi" to let `render` return the spectator's view as text.
        options: The game's options; those that are left out have their defaults.

    Raises:
        EncodingError: The game, its options or the number of seats are not covered.
        UnknownGameError: No game has this name.
        OptionsError: An option is unknown, malformed or out of bounds.
    """
    return ArenaAEC(encoding(game, seats, history=history, **options), render_mode)
