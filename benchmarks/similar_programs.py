"""False alarms and detection of `arena event similar`: behaviour, by simulated events.

A field has programs of three kinds, in turn: a house bot as it is, one with each of its
numeric settings multiplied by a factor from 1/3 to 3, and a mixture: one such variant in a random
half of the positions, another in the others. All answer as the house bots do, in this process.
Two programs with the same settings of the same bot are not counted as a false alarm. Then for each
program a copy is added to the field: an exact one, and one that answers otherwise in 10 % of the
positions; printed is how many of the originals' pairs are marked, and how many of the copies.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from random import Random
from typing import Final

from arena.bot.bot import AnyBot
from arena.games import make_game
from arena.local.obvious import house_bots, obvious_answers, scaled, settings, with_settings
from arena.local.probes import Probe, answer_of, house_answers, probes
from arena.match.clock import DEFAULT_TIME_CONTROL
from arena.rating.agreement import Answers, agreements
from benchmarks.options import command
from benchmarks.tables import Table

RUNS: Final = 3
"""How often each program is asked."""
FACTOR: Final = 3.0
KINDS: Final = ("house", "settings", "mixture")


@dataclass
class Program:
    """A simulated program."""

    kind: str
    parts: tuple[str, ...]
    """The bots and settings that it is made of."""
    policy: Sequence[Answers]


def main(
    game: str = "bluff",
    fields: int = 20,
    programs: int = 20,
    positions: int = 1_000,
    seed: str = "similar",
) -> None:
    rules, house = make_game(game), house_bots(game)
    originals: Counter[bool] = Counter()
    copies: dict[tuple[str, float], Counter[bool]] = defaultdict(Counter)
    fields_with = 0
    for number in range(fields):
        random = Random(f"{seed} {number}")
        tables = (rules, rules.seat_counts[0], DEFAULT_TIME_CONTROL)
        put = list(probes(*tables, list(house.values()), positions, f"{seed} {number}"))
        known = list(obvious_answers(game, put))
        choices = [probe.choices for probe in put]
        field = [_program(KINDS[at % len(KINDS)], house, put, random) for at in range(programs)]
        answers = [_asked(one.policy, random) for one in field]
        numbers = [
            (one, other)
            for one, other in combinations(range(programs), 2)
            if field[one].parts != field[other].parts
        ]
        marked = [pair.marked for pair in agreements(answers, known, choices, numbers)]
        originals.update(marked)
        fields_with += any(marked)
        for (at, one), changed in product(enumerate(field), (0.0, 0.1)):
            copy = _asked(_changed(one.policy, put, changed, random), random)
            tests = programs * (programs + 1) // 2
            pairs = [(at, programs)]
            (pair,) = agreements([*answers, copy], known, choices, pairs, tests=tests)
            copies[one.kind, changed][pair.marked] += 1
        print(f"field {number + 1} of {fields}: {sum(marked)} marked", file=sys.stderr)
    table = Table()
    row = {"game": game, "pairs of originals": originals.total(), "marked": originals[True]}
    table.add(row, {"in so many fields": fields_with})
    for (kind, changed), found in copies.items():
        row = {"copies of": kind, "changed": f"{changed:.0%}", "copies": found.total()}
        table.add(row, {"marked": found[True]})


def _program(
    kind: str, house: Mapping[str, type[AnyBot]], put: Sequence[Probe], random: Random
) -> Program:
    name = random.choice(list(house))
    if kind == "house":
        return Program(kind, (name,), house_answers(house[name], put))
    first = _variant(name, house, random)
    if kind == "settings":
        return Program(kind, (first[0],), house_answers(first[1], put))
    second = _variant(random.choice(list(house)), house, random)
    one, other = (house_answers(bot, put) for _, bot in (first, second))
    policy = [random.choice(both) for both in zip(one, other, strict=True)]
    return Program(kind, (first[0], second[0], str(random.random())), policy)


def _variant(
    name: str, house: Mapping[str, type[AnyBot]], random: Random
) -> tuple[str, type[AnyBot]]:
    """Return a house bot with other settings, and its name with these."""
    changed = {
        setting: scaled(value, FACTOR ** random.uniform(-1, 1))
        for setting, value in settings(house[name]).items()
    }
    said = " ".join(f"{setting}={value:.3g}" for setting, value in changed.items())
    return f"{name} {said}", with_settings(house[name], changed)


def _changed(
    policy: Sequence[Answers], put: Sequence[Probe], share: float, random: Random
) -> Sequence[Answers]:
    """Return a policy that gives another answer in a share of the positions."""
    found: list[Answers] = []
    for said, probe in zip(policy, put, strict=True):
        if random.random() < share:
            choices = islice(probe.setup.make_game().choices(probe.turn.view), 200)
            others = [answer for answer in map(answer_of, choices) if answer not in said]
            found.append({random.choice(others): 1.0} if others else said)
        else:
            found.append(said)
    return found


def _asked(policy: Sequence[Answers], random: Random) -> Sequence[Answers]:
    return [Counter(random.choices(list(said), list(said.values()), k=RUNS)) for said in policy]


if __name__ == "__main__":
    command(main)
