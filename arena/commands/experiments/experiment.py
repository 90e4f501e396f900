"""The file of an experiment: bots, their opponents, the rules, and when it stops."""

import tomllib
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from arena.commands.errors import CommandError
from arena.validation_errors import error_text

Word = Annotated[str, Field(min_length=1)]
Table = Word | Annotated[list[Word], Field(min_length=1)]


class Stop(BaseModel):
    """When a pairing stops."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    matches: Annotated[int, Field(ge=1, le=10_000_000)]
    """The most matches of a bot against an opponent under one seed."""
    half_width: Annotated[float, Field(gt=0, lt=0.5)] | None = None
    """Stop earlier, once half of the 95 % interval of the share is at most this."""


class Experiment(BaseModel):
    """The content of an experiment's file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    game: str = "bluff"
    seats: Annotated[int, Field(ge=2, le=10)] = 2
    options: dict[str, Any] = {}
    time: str = ""
    """The time control, such as "turn=2s,bank=30s"."""
    bots: Annotated[list[Word], Field(min_length=1)]
    """The bots that are measured."""
    opponents: Annotated[list[Table], Field(min_length=1)]
    """The opponents of each: a bot that takes all other seats, or a list with one for each."""
    seeds: Annotated[list[Word], Field(min_length=1)] = ["1"]
    """Everything is played once with each seed; each gives other deals."""
    same_deals: bool = True
    """Whether every deal is played once in each rotation of the seats."""
    stop: Stop

    @model_validator(mode="after")
    def _consistent(self) -> "Experiment":
        for table in self.opponents:
            if isinstance(table, list) and len(table) != self.seats - 1:
                raise ValueError(
                    f"`opponents` has a list of {len(table)} for the {self.seats - 1} other seats"
                )
        for name in ("bots", "opponents", "seeds"):
            values = [str(one) for one in getattr(self, name)]
            if len(set(values)) < len(values):
                raise ValueError(f"`{name}` names one of them twice")
        return self

    @staticmethod
    def name_of(table: Table) -> str:
        """Return the name of a table of opponents."""
        return ", ".join(table) if isinstance(table, list) else table

    def others(self, table: Table) -> list[str]:
        """Return the bots of the other seats."""
        return table if isinstance(table, list) else [table] * (self.seats - 1)


def read_experiment(text: str, file: Path) -> Experiment:
    """Return the experiment in the text of a file. Raises CommandError."""
    try:
        return Experiment.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise CommandError(f"{file} is not TOML: {error}.") from error
    except ValidationError as error:
        raise CommandError(f"{file}: {error_text(error, whole='the experiment')}.") from error
