"""Spaces of Gymnasium for what encodings write."""

import numpy as np
from gymnasium import spaces

from arena.games.encoding import Encoding


def observation_box(encoded: Encoding) -> spaces.Box:
    """Return the space of an encoding's observations, float32[O] in the ranges of its fields."""
    low, high = np.empty(encoded.size, np.float32), np.empty(encoded.size, np.float32)
    for part in encoded.parts:
        low[encoded.fields[part.name]] = part.lowest
        high[encoded.fields[part.name]] = part.highest
    return spaces.Box(low, high, dtype=np.float32)
