"""Train a small net to play Bluff, by policy gradient in self-play, with numpy alone.

    python policy_gradient.py --seats 2 --minutes 20 --out trained
    python policy_gradient.py --seats 6 --minutes 20 --out trained

All seats are played by one net (the actor). A second net (the critic) sees everybody's dice while
training and estimates each seat's result; how much better a match went on than the critic expected
is the advantage of the action. The actor's logits follow the advantage, and an entropy bonus that
shrinks with time keeps it from playing one action always: without it, self-play runs in circles.

Written to --out: net-SEATS.npz, which bot.py plays; checkpoint-SEATS.npz, from which --resume goes
on; progress-SEATS.csv and, with `pip install 'bluff-arena[figures]'`, progress-SEATS.png, the share
of wins against the house's bots with 95 % intervals.
"""

import argparse
import csv
import json
import os
import time
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # layers this small are faster without threads

import numpy as np

from arena.learn import evaluate, vector_env

STEPS = 32
"""The decisions of each match between two updates."""
RATE = 1e-3
TRACE = 0.9
"""Lambda: how far rewards are traced back before the critic's estimate takes their place."""
ENTROPY = 0.05, 0.005
"""The weight of the entropy bonus, at the beginning and at the end."""
AVERAGE = 0.99
"""What is evaluated and exported is a running mean of the actor's weights."""


class Net:
    """A net of two hidden layers with ReLU, improved by Adam (Kingma and Ba 2015)."""

    def __init__(self, sizes, random):
        self.weights = [
            random.normal(0, np.sqrt(2 / inputs), (inputs, outputs)).astype(np.float32)
            for inputs, outputs in pairwise(sizes)
        ]
        self.weights[-1] *= np.float32(0.01)
        self.weights += [np.zeros(outputs, np.float32) for outputs in sizes[1:]]
        self.first = [np.zeros_like(weight) for weight in self.weights]
        self.second = [np.zeros_like(weight) for weight in self.weights]
        self.updates = 0

    def forward(self, inputs):
        """Return the outputs, and what `learn` needs to know of how they came about."""
        layers = layers_of(self.weights, inputs)
        return layers[-1], layers

    def learn(self, layers, slope, rate):
        """Improve the weights, given the slope of the loss by the outputs."""
        depth = len(self.weights) // 2
        slopes = [None] * (2 * depth)
        for layer in reversed(range(depth)):
            slopes[layer] = layers[layer].T @ slope
            slopes[depth + layer] = slope.sum(0)
            slope = (slope @ self.weights[layer].T) * (layers[layer] > 0)
        self.updates += 1
        for weight, first, second, one in zip(self.weights, self.first, self.second, slopes):
            first += 0.1 * (one - first)
            second += 0.001 * (one * one - second)
            size = np.sqrt(second / (1 - 0.999**self.updates)) + 1e-8
            weight -= np.float32(rate) * first / (1 - 0.9**self.updates) / size


def layers_of(weights, inputs):
    """Return the inputs of all layers, and the outputs."""
    layers, depth = [inputs], len(weights) // 2
    for matrix, bias in zip(weights[:depth], weights[depth:]):
        outputs = layers[-1] @ matrix + bias
        layers.append(np.maximum(outputs, 0) if len(layers) < depth else outputs)
    return layers


def chances(logits, masks):
    """Return the probability of each action; 0 for those that are not legal."""
    logits = np.where(masks, logits, -1e9)
    weights = np.exp(logits - logits.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True)


class Learner:
    """The matches, both nets, and how they are improved."""

    def __init__(self, seats, batch, hidden, seed, options):
        self.env = vector_env("bluff", seats=seats, batch=batch, seed=seed, **options)
        self.random, encoded = np.random.default_rng(seed), self.env.encoding
        self.env.reset()
        self.scale = np.float32(1 / encoded.game.options.dice_per_player)
        everything = encoded.size + self.env.hands()[0].size
        self.actor = Net([encoded.size, hidden, hidden, encoded.actions], self.random)
        self.critic = Net([everything, hidden, hidden, seats], self.random)
        self.average = [weight.copy() for weight in self.actor.weights]

    def look(self):
        """Return what the actor sees and may do, what the critic sees, and who acts."""
        observations, masks, acting = self.env.seen
        order = (acting[:, None] + np.arange(self.env.encoding.seats)) % self.env.encoding.seats
        hands = np.take_along_axis(self.env.hands(), order[:, :, None].astype(np.int64), 1)
        everything = np.hstack([observations, hands.reshape(len(order), -1) * self.scale])
        return observations.copy(), masks.astype(bool), everything, order

    def values(self, everything, order):
        """Return the result that the critic expects, by seat at the table."""
        relative, _ = self.critic.forward(everything)
        values = np.empty_like(relative)
        np.put_along_axis(values, order, relative, 1)
        return values

    def improve(self, entropy, rate):
        """Play STEPS decisions of every match, and learn from them."""
        steps, seen = [], self.look()
        for _ in range(STEPS):
            observations, masks, everything, order = seen
            values = self.values(everything, order)
            play = chances(self.actor.forward(observations)[0], masks)
            drawn = self.random.random((len(play), 1), np.float32) * play.sum(1, keepdims=True)
            actions = np.minimum((play.cumsum(1) <= drawn).sum(1), play.shape[1] - 1)
            # Rounding may lead to a neighbour that is not legal.
            wrong = ~masks[np.arange(len(play)), actions]
            actions[wrong] = play[wrong].argmax(1)
            *_, rewards, done = self.env.step(actions.astype(np.int32))
            steps.append((*seen, actions, values, rewards.copy(), done.copy()))
            seen = self.look()
        following = goes_on = self.values(seen[2], seen[3])
        rows = []
        for observations, masks, everything, order, actions, values, rewards, done in steps[::-1]:
            later = (1 - TRACE) * following + TRACE * goes_on
            goes_on = np.where(done[:, None], rewards, later)
            following = values
            gained = np.take_along_axis(goes_on - values, order[:, :1], 1)
            wanted = np.take_along_axis(goes_on, order, 1)
            rows.append((observations, masks, everything, actions, gained[:, 0], wanted))
        columns = [np.concatenate(column) for column in zip(*rows)]
        columns[4] /= columns[4].std() + 1e-6
        for part in np.array_split(self.random.permutation(len(columns[0])), 4):
            self.learn(*[column[part] for column in columns], entropy, rate)
        for mean, weight in zip(self.average, self.actor.weights):
            mean += np.float32(1 - AVERAGE) * (weight - mean)
        return STEPS * self.env.batch

    def learn(self, observations, masks, everything, actions, gained, wanted, entropy, rate):
        """Improve both nets by some of the decisions."""
        logits, layers = self.actor.forward(observations)
        play = chances(logits, masks)
        logs = np.log(np.maximum(play, 1e-9))
        taken = np.zeros_like(play)
        taken[np.arange(len(play)), actions] = 1
        # The slopes of -gained · log p(action) and of -entropy, by logit.
        slope = gained[:, None] * (play - taken)
        slope += entropy * play * (logs - (play * logs).sum(1, keepdims=True))
        self.actor.learn(layers, slope.astype(np.float32) / np.float32(len(play)), rate)
        values, layers = self.critic.forward(everything)
        self.critic.learn(layers, (values - wanted) / np.float32(len(play)), rate)

    def policy(self, observations, masks):
        """Return the probabilities of the averaged actor, as `evaluate` asks for them."""
        return chances(layers_of(self.average, observations)[-1], masks.astype(bool))


def save(learner, out, seats, options):
    """Write the averaged actor for bot.py, and everything to go on from."""
    about = json.dumps(
        {"version": learner.env.encoding.version, "seats": seats, "options": options}
    )
    np.savez(out / f"net-{seats}.npz", *learner.average, about=about)
    nets = learner.actor.weights + learner.critic.weights + learner.average
    np.savez(out / f"checkpoint-{seats}.npz", *nets)


def load(learner, file):
    """Go on from a checkpoint; Adam begins anew."""
    with np.load(file) as kept:
        nets = learner.actor.weights + learner.critic.weights + learner.average
        for number, weight in enumerate(nets):
            weight[:] = kept[f"arr_{number}"]


def chart(rows, file):
    """Draw the shares with their intervals, if the extra `figures` is installed."""
    try:
        import altair
    except ImportError:
        return
    shown = altair.Chart(altair.Data(values=rows)).encode(
        x=altair.X("decisions:Q", title="decisions"), color="opponent:N"
    )
    band = shown.mark_area(opacity=0.2).encode(y=altair.Y("low:Q", title="share"), y2="high:Q")
    (band + shown.mark_line(point=True).encode(y="share:Q")).save(str(file))


def main(arguments=None):
    """Train for a time, evaluate now and then, and write what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--dice", type=int, default=5, help="dice per player")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--updates", type=int, help="instead of minutes: repeatable by the seed")
    parser.add_argument("--batch", type=int, default=512, help="matches at a time")
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--evaluations", type=int, default=10, help="while it learns")
    parser.add_argument("--matches", type=int, default=200, help="of each evaluation")
    parser.add_argument("--opponents", default="honest,bayes", help="sample bots")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("trained"))
    parser.add_argument("--resume", action="store_true")
    given = parser.parse_args(arguments)
    options = {"dice_per_player": given.dice}
    given.out.mkdir(parents=True, exist_ok=True)
    learner = Learner(given.seats, given.batch, given.hidden, given.seed, options)
    if given.resume:
        load(learner, given.out / f"checkpoint-{given.seats}.npz")
    rows, decisions, updates, spent, part = [], 0, 0, 0.0, 0.0
    for evaluation in range(1, given.evaluations + 1):
        while part < evaluation / given.evaluations:
            begun = time.perf_counter()
            entropy = ENTROPY[0] * (ENTROPY[1] / ENTROPY[0]) ** part
            decisions += learner.improve(entropy, RATE * (1 - 0.9 * part))
            spent, updates = spent + time.perf_counter() - begun, updates + 1
            part = updates / given.updates if given.updates else spent / (60 * given.minutes)
        save(learner, given.out, given.seats, options)
        opponents = given.opponents.split(",")
        table = {"matches": given.matches, "seats": given.seats, "losses": False, **options}
        for found in evaluate(learner.policy, opponents, **table):
            share, low, high = (round(number, 4) for number in found.share)
            name = found.opponents[0]
            rows.append(
                {"decisions": decisions, "seconds": round(spent), "opponent": name}
                | {"share": share, "low": low, "high": high}
            )
            print(
                f"{spent:5.0f} s {decisions:12,} decisions: {share:6.1%} against {name}"
                f" ({low:.1%} to {high:.1%})",
                flush=True,
            )
        with (given.out / f"progress-{given.seats}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        chart(rows, given.out / f"progress-{given.seats}.png")


if __name__ == "__main__":
    main()
