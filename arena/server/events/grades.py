"""Grades of an event: points by a rubric, with the sentence that explains them.

The rungs are absolute: what a bot gets for them depends on the house bots and on how many matches
it played against them, and not on the other entries.

    rungs     for each house bot, points if the 95 % interval (Wilson) of the share won against it
              lies above one half, in rated matches of the build of the freeze
    loss      most points for a mean loss of 0 per decision, none from `none_at` on, by the kept
              analyses
    place     most points for the first of the final, none for the last
    faults    points taken for each fault in the final, at most `most`
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena.errors import UserError
from arena.rating.head_to_head import wilson
from arena.server.events.grade_forms import EventGrade
from arena.toml_text import TomlError, read_toml
from arena.validation_errors import error_text

EXAMPLE = """\
[rungs]          # points for each house bot that is beaten with 95 % confidence
random = 10
timid = 20
honest = 30

[loss]           # points for decisions that cost little, in % of a match a decision
most = 20
none_at = 4.0

[place]          # points for the place in the final
most = 20

[faults]         # points taken for each fault in the final
each = 1
most = 10
"""
"""A rubric.toml, as `arena event rubric` prints it."""
_Points = Annotated[float, Field(ge=0, le=1_000_000)]


class RubricError(UserError):
    """The text is not a valid rubric; the message says what is wrong with it."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Loss(_Part):
    most: _Points = 0.0
    none_at: Annotated[float, Field(gt=0, le=100)] = 4.0


class _Place(_Part):
    most: _Points = 0.0


class _Faults(_Part):
    each: _Points = 0.0
    most: _Points = 0.0


class Rubric(_Part):
    """The points of each criterion."""

    rungs: dict[str, _Points] = {}
    loss: _Loss = _Loss()
    place: _Place = _Place()
    faults: _Faults = _Faults()

    @property
    def most(self) -> float:
        """The most points that a bot can get."""
        return sum(self.rungs.values()) + self.loss.most + self.place.most

    @property
    def criteria(self) -> list[str]:
        """The names of the criteria that give or take points."""
        parts = {"loss": self.loss.most, "place": self.place.most, "faults": self.faults.most}
        return [*self.rungs, *(name for name, points in parts.items() if points)]


@dataclass(frozen=True, slots=True)
class HouseResult:
    """Results against a house bot; ties count half."""

    matches: int
    points: float


@dataclass(frozen=True, slots=True)
class Achieved:
    """What a bot has achieved."""

    bot: str
    version: str | None
    """The build of the freeze; None without one."""
    met: Mapping[str, HouseResult]
    """Its results against house bots, by their names."""
    loss: float | None
    """The mean loss of a decision, in % of a match; None if nothing is analysed."""
    place: int | None
    """The place in the final; None if the bot did not play, and before the release."""
    finalists: int
    faults: int
    """Faults in the final."""


def read_rubric(text: str) -> Rubric:
    """Return the rubric of a TOML text. Raises RubricError."""
    try:
        rubric = Rubric.model_validate(read_toml(text))
    except TomlError as error:
        raise RubricError(f"The rubric {error}.") from error
    except ValidationError as error:
        raise RubricError(f"{error_text(error, whole='the rubric')}.") from error
    if not rubric.most:
        raise RubricError("The rubric gives no points for anything.")
    return rubric


def excused(rubric: Rubric) -> EventGrade:
    """Return the grade of a person who is excused."""
    return EventGrade(0.0, rubric.most, "Excused.", {}, excused=True)


def grade(rubric: Rubric, achieved: Achieved | None) -> EventGrade:
    """Return the grade for what a bot has achieved; `achieved` is None if there is no bot."""
    most, nothing = rubric.most, dict.fromkeys(rubric.criteria, 0.0)
    if achieved is None:
        return EventGrade(0.0, most, "No bot is entered.", nothing)
    if achieved.version is None:
        why = f"{achieved.bot} had no accepted build at the freeze."
        return EventGrade(0.0, most, why, nothing)
    said: list[str] = []
    criteria = _rungs(rubric, achieved, said)
    if rubric.loss.most:
        criteria["loss"] = _loss(rubric, achieved, said)
    if rubric.place.most:
        criteria["place"] = _place(rubric, achieved, said)
    if rubric.faults.most:
        criteria["faults"] = -_faults(rubric, achieved, said) or 0.0  # not -0
    points = round(max(0.0, sum(criteria.values())), 2)
    total = f"In all {points:g} of {most:g}."
    which = f"{achieved.bot} {achieved.version}"
    return EventGrade(points, most, f"{which}: {'; '.join(said)}. {total}", criteria)


def _rungs(rubric: Rubric, achieved: Achieved, said: list[str]) -> dict[str, float]:
    points = {}
    for rung, worth in rubric.rungs.items():
        met = achieved.met.get(rung)
        if met is None:
            points[rung] = 0.0
            said.append(f"no match against {rung}: 0 of {worth:g}")
            continue
        low, high = (
            float(end[0]) for end in wilson(np.array([met.points]), np.array([float(met.matches)]))
        )
        beaten = low > 0.5
        points[rung] = worth if beaten else 0.0
        share = f"{met.points / met.matches:.1%} ({low:.1%} to {high:.1%}, {met.matches:,} matches)"
        word = "beats" if beaten else "does not beat"
        said.append(f"{word} {rung} for certain, {share}: {points[rung]:g} of {worth:g}")
    return points


def _loss(rubric: Rubric, achieved: Achieved, said: list[str]) -> float:
    most = rubric.loss.most
    if achieved.loss is None:
        said.append(f"no decision is analysed: 0 of {most:g}")
        return 0.0
    points = round(most * max(0.0, 1 - achieved.loss / rubric.loss.none_at), 2)
    said.append(f"a decision costs {achieved.loss:.2f} % of a match: {points:g} of {most:g}")
    return points


def _place(rubric: Rubric, achieved: Achieved, said: list[str]) -> float:
    most, place, field = rubric.place.most, achieved.place, achieved.finalists
    if place is None:
        said.append(f"no place in the final: 0 of {most:g}")
        return 0.0
    points = most if field < 2 else round(most * (field - place) / (field - 1), 2)
    said.append(f"place {place} of {field} in the final: {points:g} of {most:g}")
    return points


def _faults(rubric: Rubric, achieved: Achieved, said: list[str]) -> float:
    taken = round(min(rubric.faults.most, rubric.faults.each * achieved.faults), 2)
    if taken:
        word = "fault" if achieved.faults == 1 else "faults"
        said.append(f"{achieved.faults} {word} in the final: -{taken:g}")
    return taken
