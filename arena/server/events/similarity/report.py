"""The contents of a report on programs of an event that resemble, or lose to, each other."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.lab.analysis import SoftPair
from arena.rating.agreement import Agreement
from arena.server.events.similarity.winnowing import SimilarPair


@dataclass(frozen=True, slots=True)
class JudgedBot:
    """A program of the field."""

    bot: str
    owner: str


@dataclass(frozen=True, slots=True)
class Sources:
    """Builds whose sources were compared."""

    builds: int
    pairs: Sequence[SimilarPair]
    """The most similar first."""


@dataclass(frozen=True, slots=True)
class ToldPosition:
    """A position in which two programs agree unexpectedly."""

    view: str
    """The view of the seat, as JSON."""
    answer: str
    expected: float
    """The chance that they agree, by independent answers."""


@dataclass(frozen=True, slots=True)
class AlikePair:
    """Two programs and how alike they answer."""

    one: JudgedBot
    other: JudgedBot
    agreement: Agreement
    told: Sequence[ToldPosition]


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Programs that were asked what they do in the same positions."""

    programs: int
    positions: int
    runs: int
    seed: str
    """The seed of the positions."""
    pairs: Sequence[AlikePair]
    """The most alike first."""
    troubles: Sequence[str]
    """Why programs were not asked everything, a sentence each."""


@dataclass(frozen=True, slots=True)
class SoftPlay:
    """The losses of decisions between two bots, compared with their losses against others."""

    matches: int
    of_final: int
    """The number of these matches that belong to the final."""
    pairs: Sequence[SoftPair]
    """The most conspicuous first."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part that was not examined."""

    why: str
    """A sentence."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """The parts of a report."""

    event: str
    sources: Sources | LeftOut
    behaviour: Behaviour | LeftOut
    soft_play: SoftPlay | LeftOut
