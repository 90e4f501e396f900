"""Train a small net to play Bluff, by policy gradient in self-play, with numpy alone.

    python policy_gradient.py --seats 2 --minutes 20 --out trained
    python policy_gradient.py --seats 6 --minutes 20 --out trained

One net (the actor) plays all seats in half of the matches, and one seat against `honest` in the
others. Its inputs include, and its logits begin with, how likely each action is right by the seat's
own dice (sight.py): from nothing, six seats would take hours. A second net (the critic) sees all
dice while training and estimates each seat's chance to win; the advantage of an action is how much
better the match went than the critic expected. The actor's logits follow the advantage, and an
entropy bonus that shrinks with time keeps it from always playing one action: without it, self-play
runs in circles.

Written to --out: net-SEATS.npz, which bot.py plays; checkpoint-SEATS.npz, for --resume;
progress-SEATS.csv and, with `pip install 'bluff-arena[figures]'`, progress-SEATS.png, the share of
wins against the house bots with 95 % intervals.
"""

import argparse
import csv
import json
import os
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # layers this small are faster without threads

import numpy as np
from sight import SHARPNESS, Sight

from arena.learn import evaluate, vector_env
from arena.learn.nets import Net, chances, drawn, layers_of

STEPS = 32
"""The decisions of each match between two updates."""
PARTS = 16
"""The number of parts of an update's decisions, each of which is one step of both nets."""
RATE = 1e-3
TRACE = 0.9
"""Lambda: how far rewards are traced back before the critic's estimate takes their place."""
ENTROPY = 0.03, 0.003
"""The weight of the entropy bonus, at the beginning and at the end."""
AVERAGE = 0.99
"""The decay of the running mean of the actor's weights, which is evaluated and exported."""


class Learner:
    """The matches, both nets, and how they are improved."""

    def __init__(self, seats, batch, hidden, seed, options, honest=0.5):
        self.env = vector_env("bluff", seats=seats, batch=batch, seed=seed, **options)
        self.random, encoded = np.random.default_rng(seed), self.env.encoding
        self.env.reset()
        self.scale = np.float32(1 / encoded.game.options.dice_per_player)
        self.sight, inputs = Sight(encoded), encoded.size + 7
        everything = inputs + self.env.hands()[0].size
        self.actor = Net([inputs, hidden, hidden, encoded.actions], self.random)
        self.critic = Net([everything, hidden, hidden, seats], self.random)
        self.average = [weight.copy() for weight in self.actor.weights]
        self.rows = np.arange(batch)
        self.learns = np.ones((batch, seats), bool)
        self.learns[: int(honest * batch)] = False
        self.learns[self.rows, self.rows % seats] = True

    def look(self):
        """Return what the actor sees and may do, what the critic sees, and who acts."""
        observations, masks, acting = self.env.seen
        right = self.sight.right(observations)
        order = (acting[:, None] + np.arange(self.env.encoding.seats)) % self.env.encoding.seats
        hands = np.take_along_axis(self.env.hands(), order[:, :, None].astype(np.int64), 1)
        inputs = self.sight.inputs(observations, masks, right)
        everything = np.hstack([inputs, hands.reshape(len(order), -1) * self.scale])
        return inputs, masks.astype(bool), right.astype(np.float32), everything, order

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
            inputs, masks, right, everything, order = seen
            values, own = self.values(everything, order), self.learns[self.rows, order[:, 0]]
            actions = self.sight.honest(masks, right, self.random).astype(np.int32)
            logits = self.actor.forward(inputs[own])[0] + SHARPNESS * right[own]
            actions[own] = drawn(chances(logits, masks[own]), self.random)
            *_, rewards, done = self.env.step(actions)
            # Only the winner counts: the sum is 0, as with rewards by placing.
            wins = np.where(rewards == 1, 1, -1 / (rewards.shape[1] - 1)).astype(np.float32)
            steps.append((*seen, actions, own, values, wins, done.copy()))
            seen = self.look()
        following = goes_on = self.values(seen[3], seen[4])
        rows = []
        for *seen, order, actions, own, values, rewards, done in steps[::-1]:
            later = (1 - TRACE) * following + TRACE * goes_on
            goes_on = np.where(done[:, None], rewards, later)
            following = values
            gained = np.take_along_axis(goes_on - values, order[:, :1], 1)
            wanted = np.take_along_axis(goes_on, order, 1)
            columns = *seen, actions, gained[:, 0], wanted
            rows.append([column[own] for column in columns])
        columns = [np.concatenate(column) for column in zip(*rows)]
        columns[5] /= columns[5].std() + 1e-6
        for chosen in np.array_split(self.random.permutation(len(columns[0])), PARTS):
            self.learn(*[column[chosen] for column in columns], entropy, rate)
        for mean, weight in zip(self.average, self.actor.weights):
            mean += np.float32(1 - AVERAGE) * (weight - mean)
        return STEPS * self.env.batch

    def learn(self, inputs, masks, right, everything, actions, gained, wanted, entropy, rate):
        """Improve both nets by some of the decisions."""
        logits, layers = self.actor.forward(inputs)
        play = chances(logits + SHARPNESS * right, masks)
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
        right = self.sight.right(observations)
        logits = layers_of(self.average, self.sight.inputs(observations, masks, right))[-1]
        return chances(logits + SHARPNESS * right, masks)


def save(learner, out, seats, options):
    """Write the averaged actor for bot.py, and a checkpoint for --resume."""
    about = json.dumps(
        {"version": learner.env.encoding.version, "seats": seats, "options": options}
    )
    np.savez(out / f"net-{seats}.npz", *learner.average, about=about)
    nets = learner.actor.weights + learner.critic.weights + learner.average
    np.savez(out / f"checkpoint-{seats}.npz", *nets)


def load(learner, file):
    """Load a checkpoint, without the state of Adam."""
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
    """Train, evaluate at intervals, and write the nets and their progress."""
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
    parser.add_argument(
        "--honest", type=float, default=0.5, help="part of the matches against honest alone"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("trained"))
    parser.add_argument("--resume", action="store_true")
    given = parser.parse_args(arguments)
    options = {"dice_per_player": given.dice}
    given.out.mkdir(parents=True, exist_ok=True)
    learner = Learner(given.seats, given.batch, given.hidden, given.seed, options, given.honest)
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
