"""`FreeBots`: the bots that are free for one table type, and the choice of the next table.

No step scans all of them.

A table is begun by one bot and filled seat by seat. Of every `CYCLE` tables

- one is a step of a walk: bots take such steps in turn, and each walk continues along the order of
  strengths where its last step ended, so that all bots meet sooner or later;
- one is begun by the bot that waits longest, so that no bot starves;
- the others are begun by the bot with the fewest matches.

Tables that are no walk are filled from the bots nearest in strength: by the one with which a match
reduces the squared errors most, divided by 1 + the number of times they have met.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice
from math import exp
from operator import attrgetter, itemgetter
from typing import Final, TypeAlias

from sortedcontainers import SortedKeyList

from arena.scheduling.beginners import Beginners
from arena.scheduling.ladder import Candidate, MeetingCounts, TableType
from arena.scheduling.strengths import Strengths

CYCLE: Final = 6
NEAR: Final = 6
"""The number of bots that are considered on each side of a strength."""
FURTHER: Final = 32
"""The limit of every linear scan: for the bot that begins a walk, for the bots ahead of it, and
over other owners where no bot near may join."""
TRIED_AGAIN: Final = 16
"""The number of bots without a table that are tried again at each search for tables."""

MaySit: TypeAlias = Callable[[Candidate, Candidate], bool]
"""Whether two candidates may share one more table now."""

_Place: TypeAlias = float
"""A bot's key in the order of strengths: its strength in nats plus _TRIFLE times its number, which
makes keys distinct, so that a bot is found by bisection among others of the same strength."""
_TRIFLE: Final = 1e-12
"""The difference between the keys of bots of the same strength with consecutive numbers."""
_BOUND: Final = itemgetter(0)


@dataclass(frozen=True, slots=True)
class Choice:
    """The bots of a table; the first one begins it."""

    bots: tuple[Candidate, ...]
    walked: bool
    """Whether the table is a step of the first bot's walk."""


@dataclass(slots=True, eq=False)
class _Free:
    place: _Place
    variance: float
    bot: int
    candidate: Candidate
    matches: int


class FreeBots:
    """The free bots of one table type.

    Every method takes time logarithmic in their number (`choose`: amortised over calls); only
    `look_again(None)` scans all bots that found no table.
    """

    def __init__(self, table_type: TableType, counts: MeetingCounts, strengths: Strengths) -> None:
        self.table_type = table_type
        self._counts = counts
        self._meetings = counts.pairs(table_type)
        self._strengths = strengths
        self._free: dict[int, _Free] = {}
        self._by_strength: SortedKeyList[_Free, _Place] = SortedKeyList(key=attrgetter("place"))
        self._by_owner: OrderedDict[str, dict[int, None]] = OrderedDict()
        turns = count()
        self._beginners = {house: Beginners(turns) for house in (False, True)}
        """The bots that can begin a table: house bots under True, others under False."""
        self._without_table: OrderedDict[int, None] = OrderedDict()
        """The bots that could begin no table, longest first; they may still join others' tables."""
        self._walks: dict[int, _Place] = {}
        """The place that each bot's walk has reached."""
        self._walkers: OrderedDict[int, None] = OrderedDict()
        """All bots, free or not; the one whose last step was longest ago is first."""
        self._tables = 0

    def __len__(self) -> int:
        return len(self._free)

    def __contains__(self, bot: int) -> bool:
        return bot in self._free

    def put(self, candidate: Candidate) -> None:
        """Add a free bot, or update one that is still free after its table began or ended."""
        bot = candidate.bot
        if self.table_type.game not in candidate.games:
            self.drop(bot)
            return
        known = self._strengths.of(self.table_type, bot)
        matches = self._counts.matches(self.table_type, bot)
        place = known.mean + bot * _TRIFLE
        before = self._free.get(bot)
        if before is not None and before.candidate is candidate and before.place == place:
            self._begins_none(before)
            before.variance, before.matches = known.variance, matches
            self._beginners[candidate.house].add(bot, matches)
            return
        self.drop(bot)
        self._walkers.setdefault(bot, None)
        free = self._free[bot] = _Free(place, known.variance, bot, candidate, matches)
        self._by_strength.add(free)
        self._by_owner.setdefault(candidate.owner, {})[bot] = None
        self._beginners[candidate.house].add(bot, matches)

    def drop(self, bot: int) -> None:
        """Drop a bot that is not free any more, if it was."""
        free = self._free.pop(bot, None)
        if free is None:
            return
        self._by_strength.remove(free)
        owner = free.candidate.owner
        del self._by_owner[owner][bot]
        if not self._by_owner[owner]:
            del self._by_owner[owner]
        self._begins_none(free)

    def _begins_none(self, free: _Free) -> None:
        bot = free.bot
        if bot in self._without_table:
            del self._without_table[bot]
        else:
            self._beginners[free.candidate.house].remove(bot, free.matches)

    def forget(self, bot: int) -> None:
        """Forget a bot that has left."""
        self.drop(bot)
        self._walks.pop(bot, None)
        self._walkers.pop(bot, None)

    def look_again(self, most: int | None = TRIED_AGAIN) -> None:
        """Let up to `most` bots without a table (None: all) try again, as conditions changed."""
        for bot in list(self._without_table if most is None else islice(self._without_table, most)):
            free = self._free[bot]
            del self._without_table[bot]
            self._beginners[free.candidate.house].add(bot, free.matches)

    def choose(
        self,
        may_sit: MaySit | None = None,
        *,
        with_visitor: bool = False,
        not_these: frozenset[int] = frozenset(),
    ) -> Choice | None:
        """Return the bots of the next table, or None if no bot that was tried could fill one.

        With `with_visitor` the first is not a house bot; a table of `not_these` alone is not
        chosen.
        """
        turn = self._tables % CYCLE
        if turn == 0 and (first := self._walker(with_visitor=with_visitor)) is not None:
            bots = self._around(first, may_sit, not_these, walks=True)
            if bots is not None:
                return Choice(bots, walked=True)
            self._walkers.move_to_end(first.bot)  # the walks of others do not wait for it
        longest = turn == 1
        while (first := self._first(longest=longest, with_visitor=with_visitor)) is not None:
            bots = self._around(first, may_sit, not_these)
            if bots is not None:
                return Choice(bots, walked=False)
            bot = first.bot
            self._beginners[first.candidate.house].remove(bot, first.matches)
            self._without_table[bot] = None
        return None

    def opened(self, choice: Choice) -> None:
        """Note that the chosen table is opened."""
        self._tables += 1
        first, last = choice.bots[0].bot, choice.bots[-1].bot
        if choice.walked:
            self._walks[first] = self._free[last].place
            self._walkers.move_to_end(first)

    def _walker(self, *, with_visitor: bool) -> _Free | None:
        for _ in range(min(FURTHER, len(self._walkers))):
            bot = next(iter(self._walkers))
            free = self._free.get(bot)
            if free is not None and not (with_visitor and free.candidate.house):
                return free
            self._walkers.move_to_end(bot)  # its turn comes again
        return None

    def _first(self, *, longest: bool, with_visitor: bool) -> _Free | None:
        houses = (False,) if with_visitor else (False, True)
        queues = [self._beginners[house] for house in houses if self._beginners[house]]
        if not queues:
            return None
        order = Beginners.longest if longest else Beginners.fewest
        return self._free[min(map(order, queues))[1]]

    def _around(
        self,
        first: _Free,
        may_sit: MaySit | None,
        not_these: frozenset[int],
        *,
        walks: bool = False,
    ) -> tuple[Candidate, ...] | None:
        if len(self._by_owner) == 1 and not first.candidate.house:
            return None
        seated = [first]
        while len(seated) < self.table_type.seats:
            last = len(seated) == self.table_type.seats - 1
            barred: frozenset[int] = frozenset()
            if last and not_these.issuperset(one.bot for one in seated):
                barred = not_these

            def fits(one: _Free, barred: frozenset[int] = barred) -> bool:
                other = one.candidate
                if one.bot in barred:
                    return False
                for sits in seated:
                    if not other.may_meet(sits.candidate):
                        return False
                    if may_sit is not None and not may_sit(other, sits.candidate):
                        return False
                return True

            if walks:
                walk = self._walks.get(first.bot, first.place)
                ahead = self._walk(seated[-1].place if seated[1:] else walk)
                found = next(filter(fits, ahead), None)
            else:
                found = self._most_informative(self._near(first.place), seated, fits)
            found = found or next(filter(fits, self._of_others(first.candidate)), None)
            if found is None:
                return None
            seated.append(found)
        return tuple(one.candidate for one in seated)

    def _near(self, place: _Place) -> Iterator[_Free]:
        at = self._by_strength.bisect_key_left(place)
        return self._by_strength.islice(max(0, at - NEAR), at + NEAR + 1)

    def _walk(self, since: _Place) -> Iterator[_Free]:
        at = self._by_strength.bisect_key_right(since)
        ahead = self._by_strength.islice(at, at + FURTHER)
        return islice(chain(ahead, self._by_strength.islice(0, FURTHER)), FURTHER)

    def _of_others(self, first: Candidate) -> Iterator[_Free]:
        """Yield bots of other owners, because all bots near may belong to one owner."""
        for owner in islice(self._by_owner, FURTHER):
            if owner != first.owner or first.house:
                yield from (self._free[bot] for bot in islice(self._by_owner[owner], NEAR))

    def _most_informative(
        self, near: Iterable[_Free], seated: Sequence[_Free], fits: Callable[[_Free], bool]
    ) -> _Free | None:
        """Return the fitting bot whose match with the seated bots reduces squared errors most.

        The reduction of each pair is divided by 1 + the number of times the two have met.
        """

        def worth(one: _Free, anew: bool) -> float:
            worth, bot, strength, variance = 0.0, one.bot, one.place, one.variance
            for other in seated:
                theirs = other.variance
                less_likely = exp(-abs(strength - other.place))  # e^d could overflow
                told = less_likely / (1 + less_likely) ** 2  # p (1 - p)
                lowered = told * (variance * variance + theirs * theirs)
                lowered /= 1 + told * (variance + theirs)
                worth += lowered if anew else lowered / (1 + self._met(bot, other.bot))
            return worth

        # Numbers of meetings are slow to read (cache misses), and `fits` takes long. Both are
        # evaluated for as few bots as possible, in descending order of an upper bound of the worth:
        # that of a first meeting.
        bounds = [(worth(one, True), one) for one in near]
        bounds.sort(key=_BOUND, reverse=True)
        found, most = None, -1.0
        for bound, one in bounds:
            if bound <= most:
                break
            if (known := worth(one, False)) > most and fits(one):
                found, most = one, known
        return found

    def _met(self, one: int, other: int) -> int:
        return self._meetings.get((one, other) if one < other else (other, one), 0)
