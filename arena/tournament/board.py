"""The leaderboard of one ladder: from the log of its rated results to its lines, best first.

The command line, the referee's registry and the dashboard all show what is computed here, so one
ladder has one set of numbers wherever it is looked at. A board grows with its log; what it says is
what the log read from the start would say, to the last digit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Protocol

import numpy as np

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import Anchor, Fit, fit
from arena.rating.results import Match, Results
from arena.tournament.ports import Registered, VersionId

ANCHORS: Final[Mapping[str, str]] = MappingProxyType({"bluff": "honest"})
"""By game, the house bot that stands at CENTRE: of middling strength, and frozen."""

CENTRE: Final = 1500.0
"""Elo of the anchor; without one, of the mean of all bots."""

TABLE_SIZES: Final = (range(2, 3), range(3, 5), range(5, 7), range(7, 11))
"""The numbers of seats that share a ladder: what it takes to win differs more between these."""


class RatedRow(Protocol):
    """A result that counts, as the log tells it; the sequences are by seat."""

    @property
    def sequence(self) -> int: ...
    @property
    def match_id(self) -> str: ...
    @property
    def block_id(self) -> str: ...
    @property
    def version_ids(self) -> Sequence[VersionId]: ...
    @property
    def placings(self) -> Sequence[int]: ...


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of a leaderboard. An Elo is never to be shown without what stands beside it."""

    rank: int
    """From 1, in the order of Elo."""
    version_id: VersionId
    bot: str
    version: str
    owner: str
    house: bool
    elo: float
    interval: tuple[float, float] | None
    """95 %, Elo; None where it is not known."""
    matches: int
    win_share: float
    """First places by match, 0 to 1; one shared by n bots is 1/n for each."""
    mean_placing: float
    """1 is best; ties share the mean of the places they fill."""
    anchor: bool
    """Whether all other ratings are measured from this one."""


class Board:
    """One ladder's results: a game under fixed options, at one or several table sizes."""

    def __init__(self, game: str) -> None:
        self.game = game
        self.sequence = 0
        """Of the last result taken in: ask the log for what comes after it."""
        self._results: Results[VersionId] = Results()
        self._aggregate: Aggregate[VersionId] = Aggregate()

    def __len__(self) -> int:
        """How many matches count."""
        return len(self._results)

    def extend(self, rows: Iterable[RatedRow]) -> None:
        """Take in the results that come next in the log."""
        for row in rows:
            seats = tuple(zip(row.version_ids, row.placings, strict=True))
            match = Match(row.match_id, seats, row.block_id)
            self._results.append(match)
            self._aggregate.add(match)
            self.sequence = row.sequence

    def anchor(self, versions: Mapping[VersionId, Registered]) -> VersionId | None:
        """The version that stands at CENTRE; None while it has no match: the mean does then."""
        name = ANCHORS.get(self.game)
        candidates = [
            version
            for version in self._results.bots
            if versions[version].house and versions[version].entrant.bot == name
        ]
        # Its first version: later ones are other bots, and are measured like them.
        return min(candidates, default=None)

    def standings(self, versions: Mapping[VersionId, Registered]) -> list[Standing]:
        """The lines, best first.

        `versions` tells who the ids of the results are: read it after them, and none is missing.
        """
        if not len(self):
            return []
        anchor = self.anchor(versions)
        fitted = fit(self._aggregate, anchor=None if anchor is None else Anchor(anchor, CENTRE))
        shift = CENTRE if anchor is None else 0.0
        played = _Played.of(self._results)
        found = []
        for rank, index in enumerate(_best_first(fitted, versions), start=1):
            version = fitted.bots[index]
            registered = versions[version]
            found.append(
                Standing(
                    rank,
                    version,
                    registered.entrant.bot,
                    registered.entrant.version,
                    registered.entrant.owner,
                    registered.house,
                    float(fitted.elo[index]) + shift,
                    None,
                    int(fitted.matches[index]),
                    played.win_share[version],
                    played.mean_placing[version],
                    version == anchor,
                )
            )
        return found


def _best_first(fitted: Fit[VersionId], versions: Mapping[VersionId, Registered]) -> Iterable[int]:
    """Indices into the fit; equal ratings in the order of names."""
    # Rounded, so that a difference in the sixteenth digit does not decide who stands first.
    elo = np.round(fitted.elo, 9).tolist()
    names = [str(versions[version].entrant) for version in fitted.bots]
    return sorted(range(len(names)), key=lambda index: (-elo[index], names[index]))


@dataclass(frozen=True, slots=True)
class _Played:
    """What placings say without any model, by version."""

    win_share: Mapping[VersionId, float]
    mean_placing: Mapping[VersionId, float]

    @classmethod
    def of(cls, results: Results[VersionId]) -> "_Played":
        count = len(results.bots)
        matches, firsts, places = np.zeros((3, count))
        for table in results.tables:
            seated = table.bots.ravel()
            first = table.placings == 1
            level = table.placings[:, None, :] == table.placings[:, :, None]
            # Ties share the mean of the places they fill.
            place = table.placings + (level.sum(axis=2) - 1) / 2.0
            matches += np.bincount(seated, minlength=count)
            shares = first / first.sum(axis=1, keepdims=True)
            firsts += np.bincount(seated, shares.ravel(), minlength=count)
            places += np.bincount(seated, place.ravel(), minlength=count)
        return cls(
            dict(zip(results.bots, (firsts / matches).tolist(), strict=True)),
            dict(zip(results.bots, (places / matches).tolist(), strict=True)),
        )
