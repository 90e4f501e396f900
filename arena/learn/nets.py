"""Small nets in numpy: hidden layers with ReLU, improved by Adam."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

NetArray: TypeAlias = NDArray[np.float32]
FloatT = TypeVar("FloatT", bound=np.floating)


class Adam:
    """The Adam optimiser of the weights of a net (Kingma and Ba 2015)."""

    def __init__(self, weights: Sequence[NDArray[np.floating]]) -> None:
        self.weights = weights
        self._first = [np.zeros_like(weight) for weight in weights]
        self._second = [np.zeros_like(weight) for weight in weights]
        self._steps = 0

    def step(self, slopes: Sequence[NDArray[np.floating]], rate: float) -> None:
        """Take a step against `slopes`, the gradients of the loss by the weights."""
        self._steps += 1
        for weight, first, second, slope in zip(
            self.weights, self._first, self._second, slopes, strict=True
        ):
            first += 0.1 * (slope - first)
            second += 0.001 * (slope * slope - second)
            size = np.sqrt(second / (1 - 0.999**self._steps)) + 1e-8
            weight -= (rate * first / (1 - 0.9**self._steps) / size).astype(weight.dtype)


class Net:
    """A net of layers with ReLU between them, improved by Adam.

    Args:
        sizes: The number of inputs, of each hidden layer's units and of outputs.
        random: The generator of the initial weights. Those of the outputs are nearly 0.
    """

    def __init__(self, sizes: Sequence[int], random: np.random.Generator) -> None:
        self.weights: list[NetArray] = [
            random.normal(0, np.sqrt(2 / inputs), (inputs, outputs)).astype(np.float32)
            for inputs, outputs in pairwise(sizes)
        ]
        """The matrix of each layer, [inputs, outputs]; then the biases of each, [outputs]."""
        self.weights[-1] *= np.float32(0.01)
        self.weights += [np.zeros(outputs, np.float32) for outputs in sizes[1:]]
        self._adam = Adam(self.weights)

    def forward(self, inputs: NetArray) -> tuple[NetArray, list[NetArray]]:
        """Return the outputs, [N, outputs], and the activations of all layers for `learn`."""
        layers = layers_of(self.weights, inputs)
        return layers[-1], layers

    def learn(self, layers: list[NetArray], slope: NetArray, rate: float) -> None:
        """Improve the weights.

        Args:
            layers: The activations that `forward` returned.
            slope: [N, outputs] The gradient of the loss by the outputs.
            rate: The learning rate.
        """
        depth = len(self.weights) // 2
        slopes = [np.empty(0, np.float32)] * (2 * depth)
        for layer in reversed(range(depth)):
            slopes[layer] = layers[layer].T @ slope
            slopes[depth + layer] = slope.sum(0)
            slope = (slope @ self.weights[layer].T) * (layers[layer] > 0)
        self._adam.step(slopes, rate)


def layers_of(weights: Sequence[NetArray], inputs: NetArray) -> list[NetArray]:
    """Return the inputs of all layers of a net, and its outputs."""
    layers, depth = [inputs], len(weights) // 2
    for matrix, bias in zip(weights[:depth], weights[depth:], strict=True):
        outputs = layers[-1] @ matrix + bias
        layers.append(np.maximum(outputs, 0) if len(layers) < depth else outputs)
    return layers


def chances(
    logits: NDArray[FloatT], masks: NDArray[np.number] | NDArray[np.bool_]
) -> NDArray[FloatT]:
    """Return the probability of each action, [N, A]: softmax over the legal ones, else 0."""
    logits = np.where(masks, logits, np.float32(-1e9))
    weights = np.exp(logits - logits.max(1, keepdims=True))
    found: NDArray[FloatT] = weights / weights.sum(1, keepdims=True)
    return found


def drawn(play: NDArray[np.floating], random: np.random.Generator) -> NDArray[np.int32]:
    """Return an action of each row, [N], drawn from the weights of all, [N, A]."""
    sums = play.cumsum(1)
    at = random.random((len(play), 1)) * sums[:, -1:]
    found = np.minimum((sums <= at).sum(1), play.shape[1] - 1)
    # Rounding may lead past the last action that has any weight.
    none = play[np.arange(len(play)), found] <= 0
    found[none] = play[none].argmax(1)
    actions: NDArray[np.int32] = found.astype(np.int32)
    return actions
