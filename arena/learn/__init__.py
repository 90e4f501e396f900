"""Learning: encodings of the games, and environments that play them for programs that learn.

`encoding` needs numpy alone, so that a trained bot can use it wherever it is run; what needs more
is loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from arena.games.encoding import EncodedField, Encoding, EncodingError, encoding
from arena.learn.batch_rules import BatchPolicy

if TYPE_CHECKING:
    from arena.learn.aec import ArenaAEC, aec_env
    from arena.learn.evaluation import Evaluation, evaluate
    from arena.learn.exploitability import PolicyExploitability, policy_exploitability
    from arena.learn.openspiel import ArenaGame, openspiel_game
    from arena.learn.policies import ActionPolicy, PolicyError, bot_policy, policy_bot, uniform
    from arena.learn.single_agent import SingleAgentEnv, gym_env
    from arena.learn.vector import VectorEnv, vector_env

__all__ = [
    "ActionPolicy",
    "ArenaAEC",
    "ArenaGame",
    "BatchPolicy",
    "EncodedField",
    "Encoding",
    "EncodingError",
    "Evaluation",
    "PolicyError",
    "PolicyExploitability",
    "SingleAgentEnv",
    "VectorEnv",
    "aec_env",
    "bot_policy",
    "encoding",
    "evaluate",
    "gym_env",
    "openspiel_game",
    "policy_bot",
    "policy_exploitability",
    "uniform",
    "vector_env",
]

_MODULES = {
    name: f"arena.learn.{module}"
    for module, names in {
        "aec": ("ArenaAEC", "aec_env"),
        "evaluation": ("Evaluation", "evaluate"),
        "exploitability": ("PolicyExploitability", "policy_exploitability"),
        "openspiel": ("ArenaGame", "openspiel_game"),
        "policies": ("ActionPolicy", "PolicyError", "bot_policy", "policy_bot", "uniform"),
        "single_agent": ("SingleAgentEnv", "gym_env"),
        "vector": ("VectorEnv", "vector_env"),
    }.items()
    for name in names
}
"""The modules of the names that need more than numpy."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
