"""Obvious bots of a game: house bots, starter bots, and both with changed settings.

If two programs both play like one of these, that is no sign that one was copied from the other.
"""

import importlib.util
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from arena.bot.bot import AnyBot, Bot
from arena.games import KITS
from arena.local.loading import load_bot, sample_names
from arena.local.probes import Probe, decided, house_answers
from arena.local.starters import first_bot_files
from arena.rating.agreement import Answer

FACTORS: Final = (0.6, 1.6)
"""The factors by which each setting of a bot is multiplied, one setting at a time."""

Setting = int | float


def house_bots(game: str) -> dict[str, type[AnyBot]]:
    """Return the house bots, except slow ones, and the starter bots of a game, by name."""
    left_out = KITS[game].slow_bots | {"language_model"}
    samples = {name: load_bot(name) for name in sample_names() if name not in left_out}
    found = {name: kind for name, kind in samples.items() if game in kind.games}
    for file in first_bot_files():
        kind = load_bot(str(file))
        if game in kind.games:
            found[f"{file.parent.name}/{file.stem}"] = kind
    return found


def obvious_bots(game: str) -> dict[str, type[AnyBot]]:
    """Return `house_bots` by name, unchanged and with each setting multiplied by FACTORS."""
    found = house_bots(game)
    for name, kind in list(found.items()):
        for setting, value in settings(kind).items():
            for factor in FACTORS:
                changed = scaled(value, factor)
                if changed != value:
                    of = f"{name} {setting}={changed:g}"
                    found[of] = with_settings(kind, {setting: changed})
    return found


def obvious_answers(game: str, asked: Sequence[Probe]) -> Iterator[list[Mapping[Answer, float]]]:
    """Yield the answers of each of `obvious_bots` to the positions.

    For unchanged `house_bots`, also yield the answers without random choices: authors often break
    ties by the order of the actions.
    """
    house = house_bots(game).values()
    for kind in obvious_bots(game).values():
        answers = house_answers(kind, asked)
        yield answers
        if kind in house:
            yield decided(answers, asked, last=False)
            yield decided(answers, asked, last=True)


def settings(kind: type[AnyBot]) -> dict[str, Setting]:
    """Return the numeric constants of a bot's module by name."""
    module = vars(sys.modules[kind.__module__])
    return {
        name: value
        for name, value in module.items()
        if name.isupper() and type(value) in (int, float)
    }


def scaled(value: Setting, factor: float) -> Setting:
    """Return a setting multiplied; an integer stays an integer of at least 1, a share below 1."""
    if type(value) is int:
        return max(1, round(value * factor))
    return min(value * factor, (1 + value) / 2) if 0 < value < 1 else value * factor


def with_settings(kind: type[AnyBot], changed: Mapping[str, Setting]) -> type[AnyBot]:
    """Return a bot's class from a copy of its module with changed constants."""
    file = sys.modules[kind.__module__].__file__
    said = " ".join(f"{name}={value!r}" for name, value in changed.items())
    name = f"{kind.__module__} {said}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None and spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        vars(module).update(changed)
    (found,) = (
        one
        for one in vars(sys.modules[name]).values()
        if isinstance(one, type) and issubclass(one, Bot) and one.__module__ == name
    )
    return found
