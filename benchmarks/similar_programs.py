"""False alarms and detection of `arena event similar`: behaviour, by simulated events.

python -m benchmarks.similar_programs [--game bluff] [--fields 20] [--programs 20] [--seed similar]
                                      [--positions 1000]

A field has programs of three kinds, in turn: a house bot as it is, one with each of its
numeric settings multiplied by a factor from 1/3 to 3, and a mixture: one such variant in a random
half of the positions, another in the others. All answer as the house bots do, in this process.
Two programs with the same settings of the same bot are not counted as a false alarm. Then for each
program a copy is added to the field: an exact one, and one that answers otherwise in 10 % of the
positions; printed is how many of the originals' pairs are marked, and how many of the copies.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from random import Random
from typing import Final

from arena.bot.bot import AnyBot
from arena.games import make_game
from arena.local.obvious import house_bots, obvious_answers, scaled, settings, with_settings
from arena.local.probes import Probe, answer_of, house_answers, probes
from arena.match.clock import DEFAULT_TIME_CONTROL
from arena.rating.agreement import Answers, agreements
from benchmarks.options import parser_of

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


def main() -> None:
    """Measure and print."""
    parser = parser_of(__doc__)
    parser.add_argument("--game", default="bluff")
    parser.add_argument("--fields", type=int, default=20)
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--positions", type=int, default=1_000)
    parser.add_argument("--seed", default="similar")
    asked = parser.parse_args()
    game, house = make_game(asked.game), house_bots(asked.game)
    kinds = list(house.values())
    alarms = pairs = fields_with = 0
    found: Counter[tuple[str, float]] = Counter()
    tried: Counter[tuple[str, float]] = Counter()
    for number in range(asked.fields):
        random = Random(f"{asked.seed} {number}")
        put = list(
            probes(
                game,
                game.seat_counts[0],
                DEFAULT_TIME_CONTROL,
                kinds,
                asked.positions,
                f"{asked.seed} {number}",
            )
        )
        known = list(obvious_answers(asked.game, put))
        choices = [probe.choices for probe in put]
        field = [
            _program(KINDS[at % len(KINDS)], house, put, random) for at in range(asked.programs)
        ]
        answers = [_asked(one.policy, random) for one in field]
        marked = 0
        numbers = [
            (one, other)
            for one, other in combinations(range(len(field)), 2)
            if field[one].parts != field[other].parts
        ]
        for pair in agreements(answers, known, choices, numbers):
            pairs += 1
            if pair.marked:
                marked += 1
                print(
                    " ",
                    field[pair.one].parts,
                    field[pair.other].parts,
                    f"{pair.kappa:.2f} {pair.corrected:.1e}",
                )
        alarms += marked
        fields_with += marked > 0
        for at, one in enumerate(field):
            for changed in (0.0, 0.1):
                copy = _asked(_changed(one.policy, put, changed, random), random)
                everybody = list(combinations(range(len(field) + 1), 2))
                pair = agreements(
                    [*answers, copy], known, choices, [(at, len(field))], tests=len(everybody)
                )[0]
                tried[one.kind, changed] += 1
                found[one.kind, changed] += pair.marked
        print(number, marked, {k: f"{found[k]}/{tried[k]}" for k in tried}, flush=True)
    print(
        f"{asked.game}: {alarms} of {pairs:,} pairs of originals marked, "
        f"in {fields_with} of {asked.fields} fields"
    )
    for (kind, changed), count in tried.items():
        print(f"{kind}, {changed:.0%} changed: {found[kind, changed]} of {count} copies marked")


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
    main()
