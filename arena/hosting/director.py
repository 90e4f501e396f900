"""The rated ladder at work: seats connected bots block by block and sees each block through.

An agenda, if there is one, goes before the ladder: it names blocks, and these are played first.

A block is opened when its bots have a place free, plays its rotations one after the other, and
holds their places until it ends. Whoever does not join, or forfeits by its faults, is left out for
a while, so that it costs the others little. Declining is no miss: a copy of a bot that declines is
offered nothing for a moment, not even the next match of a block, and may so leave in order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import structlog

from arena.hosting.agenda import Agenda, Engagement, EngagementEnd
from arena.hosting.connected_bots import ConnectedBot, Reliability, one_each, seated
from arena.hosting.hosted_match import HostedMatch, Outcome, Patience
from arena.hosting.journal import Journal
from arena.hosting.ladder_tables import LadderTable, LadderTables
from arena.hosting.ports import Cancellable, Participant, Timer
from arena.match.clock import TimeControl
from arena.match.faults import DEFAULT_FAULT_LIMIT
from arena.match.seating import rotations
from arena.match.transcript import Setup, Transcript
from arena.randomness import KeyedRandomness, shuffled
from arena.records import Block, BlockKind, FinishedMatch
from arena.scheduling.ladder import Candidate, MeetingCounts, TableType
from arena.scheduling.pace import FULL_SPEED

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for all matches of the ladder."""

    time_control: TimeControl = field(default_factory=TimeControl)
    fault_limit: int = DEFAULT_FAULT_LIMIT
    patience: Patience = field(default_factory=Patience)
    house_pace: float = FULL_SPEED
    """Matches a second that begin at tables where only bots of the house sit, after a start at
    full speed; shared among the ladders."""


@dataclass(eq=False, slots=True)
class _RunningBlock:
    ladder: TableType
    guests: tuple[ConnectedBot, ...]
    block: Block
    engagement: Engagement | None = None
    """None for a block of the ladder."""
    position: int = 0
    table: HostedMatch | None = None
    started_at: datetime = datetime.min
    began: float = 0.0
    """The same moment on the clock that nobody moves."""

    @property
    def candidates(self) -> list[Candidate]:
        return [guest.candidate for guest in self.guests]


class Director:
    """Runs the ladder among the bots that arrive, until stopped."""

    def __init__(
        self,
        ladders: Sequence[TableType],
        counts: MeetingCounts,
        journal: Journal,
        timer: Timer,
        new_secret: Callable[[], bytes],
        write_down: Callable[[Transcript], bytes],
        terms: Terms = Terms(),
        wall_clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._counts = counts
        self._tables = LadderTables(ladders, counts, terms.house_pace)
        self._journal = journal
        self._timer = timer
        self._new_secret = new_secret
        self._write_down = write_down
        self._terms = terms
        self._wall_clock = wall_clock
        self._guests: dict[Participant, ConnectedBot] = {}
        """Connected bots, and those that left while blocks still hold places of theirs."""
        self._standings: dict[int, Reliability] = {}
        self._blocks: set[_RunningBlock] = set()
        self._pass_due = False
        self._alarm: Cancellable | None = None
        """Set while nothing but the pace keeps a table from being opened."""
        self._winding_down = False
        self._stopped = False
        self.on_idle: Callable[[], None] = lambda: None
        """Called when the last running block ends after `wind_down`."""
        self.agenda: Agenda | None = None
        journal.listeners.append(self.schedule)

    @property
    def running(self) -> int:
        """Matches being played or offered."""
        return len(self._blocks)

    def arrive(self, participant: Participant) -> None:
        """A bot is connected, perhaps again, and ready for offers."""
        registered = participant.registered
        candidate = Candidate(
            registered.version_id,
            registered.entrant.owner,
            registered.house,
            participant.games,
        )
        guest = self._guests.get(participant)
        if guest is None:
            standing = self._standings.setdefault(candidate.bot, Reliability())
            self._guests[participant] = ConnectedBot(participant, candidate, standing)
        else:
            guest.candidate, guest.present = candidate, True
        self._share_out()
        self.schedule()

    def depart(self, participant: Participant) -> None:
        """A bot is gone, perhaps for a moment; its running matches are its tables' business."""
        guest = self._guests.get(participant)
        if guest is not None:
            guest.present = False
            self._forget_if_gone(guest)
            self._share_out()

    def wind_down(self) -> None:
        """Begin no further block; those that run play on to their end."""
        self._winding_down = True
        if not self._blocks:
            self.on_idle()

    def break_off(self, reason: str) -> None:
        """End all running blocks as void."""
        self._winding_down = self._stopped = True
        for running in list(self._blocks):
            if running.table is not None:
                running.table.break_off(reason)

    def schedule(self) -> None:
        """Look for tables to open, soon and once, however often it is called until then."""
        if not self._pass_due and not self._winding_down:
            self._pass_due = True
            self._timer.call_at(self._timer.now(), self._open_tables)

    def _open_tables(self) -> None:
        self._pass_due = False
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        while not (self._winding_down or self._journal.full) and self._open_one():
            pass

    def _open_one(self) -> bool:
        now = self._timer.now()
        free = [guest for guest in self._guests.values() if guest.free(now)]
        if self.agenda is not None and self.agenda.wanting:
            engagement = self.agenda.next_engagement(one_each(free))
            if engagement is not None:
                self._engage(engagement, free)
                return True
            free = self._left_for_the_ladder(free, self.agenda)
        match self._tables.next(one_each(free), now):
            case LadderTable(ladder, bots):
                block = Block(str(uuid4()), BlockKind.SEAT, ladder.seats)
                # By chance: whoever plays least is chosen first, and must not always begin.
                order = shuffled(KeyedRandomness(self._new_secret()), "seat", bots)
                guests = seated([candidate.bot for candidate in order], free)
                self._begin(_RunningBlock(ladder, guests, block))
                return True
            case float(ready_at):
                self._alarm = self._timer.call_at(ready_at, self.schedule)
        return False

    def _engage(self, engagement: Engagement, free: Sequence[ConnectedBot]) -> None:
        guests = seated(engagement.bots, free)
        running = _RunningBlock(
            engagement.ladder, guests, engagement.block, engagement, engagement.position
        )
        self._begin(running)

    def _left_for_the_ladder(
        self, free: Sequence[ConnectedBot], agenda: Agenda
    ) -> list[ConnectedBot]:
        now = self._timer.now()
        present = [guest for guest in self._guests.values() if guest.welcome(now)]
        held = agenda.held(one_each(present))
        return [guest for guest in free if guest.candidate.bot not in held]

    def _share_out(self) -> None:
        self._tables.share_out(guest for guest in self._guests.values() if guest.present)

    def _begin(self, running: _RunningBlock) -> None:
        self._blocks.add(running)
        if running.position == 0:
            self._counts.add(running.ladder, [guest.candidate.bot for guest in running.guests])
        if running.engagement is None:
            self._tables.opened(running.ladder, running.candidates, self._timer.now())
        for guest in running.guests:
            guest.taken += 1
        self._next_match(running)

    def _next_match(self, running: _RunningBlock) -> None:
        if self._stopped:
            self._cut_short(running, void=True)
            return
        if not self._go_on(running.guests):
            self._cut_short(running, void=False)
            return
        ladder = running.ladder
        order = list(rotations(ladder.seats))[running.position]
        guests = [running.guests[index] for index in order]
        setup = Setup(
            match_id=str(uuid4()),
            game=ladder.game,
            options=ladder.options,
            entrants=tuple(guest.participant.registered.entrant for guest in guests),
            time_control=self._terms.time_control,
            fault_limit=self._terms.fault_limit,
        )

        def done(table: HostedMatch, outcome: Outcome) -> None:
            self._table_done(running, guests, table, outcome)

        running.started_at, running.began = self._wall_clock(), self._timer.now()
        running.table = HostedMatch(
            setup,
            [guest.participant.player() for guest in guests],
            self._new_secret(),
            self._timer,
            done,
            self._terms.patience,
        )
        running.table.open()

    def _table_done(
        self,
        running: _RunningBlock,
        guests: list[ConnectedBot],
        table: HostedMatch,
        outcome: Outcome,
    ) -> None:
        match outcome:
            case Outcome.PLAYED:
                try:
                    self._record(running, guests, table)
                except Exception:
                    log.exception("match not written down", match=table.setup.match_id)
                    table.discard()
                    self._cut_short(running, void=True)
                    return
                running.position += 1
                if running.position == running.block.size:
                    self._release(running, EngagementEnd.COMPLETE)
                elif not self._go_on(guests):
                    self._cut_short(running, void=False)
                else:
                    # Not from within the last answer of the finished match: blocks would nest.
                    self._timer.call_at(self._timer.now(), lambda: self._next_match(running))
            case Outcome.NOT_JOINED:
                for seat in table.absent_at_start:
                    self._leave_out(guests[seat])
                self._cut_short(running, void=False)
            case Outcome.DECLINED:
                for seat in table.absent_at_start:
                    self._rest(guests[seat])
                self._cut_short(running, void=False)
            case Outcome.BROKEN:
                self._cut_short(running, void=True)

    def _go_on(self, guests: Sequence[ConnectedBot]) -> bool:
        now = self._timer.now()
        return all(guest.goes_on(now) for guest in guests)

    def _record(
        self, running: _RunningBlock, guests: list[ConnectedBot], table: HostedMatch
    ) -> None:
        transcript = table.transcript
        assert transcript is not None
        for guest, forfeited in zip(guests, transcript.result.forfeited, strict=True):
            if forfeited and running.engagement is None:
                self._leave_out(guest)
            elif not forfeited:
                guest.standing.kept()
                guest.on_probation = False
        # Once for storage and for all seats: it is the dearest part of a match's end.
        written = self._write_down(transcript)
        match = FinishedMatch(
            transcript=transcript,
            written=written,
            version_ids=tuple(guest.participant.registered.version_id for guest in guests),
            block=running.block,
            position=running.position,
            started_at=running.started_at,
            # Not by the wall clock: it may have been moved, before the start even.
            finished_at=running.started_at + timedelta(seconds=self._timer.now() - running.began),
        )
        self._journal.add(match, lambda: table.announce(written), table.discard)

    def _cut_short(self, running: _RunningBlock, *, void: bool) -> None:
        begun = running.position > 0 or running.engagement is not None
        played_on_later = running.engagement is not None and not void
        if begun and not played_on_later:
            self._journal.end_block(running.block.id, void=void)
        broken = EngagementEnd.STOPPED if self._stopped else EngagementEnd.BROKEN
        self._release(running, broken if void else EngagementEnd.INTERRUPTED)

    def _release(self, running: _RunningBlock, ending: EngagementEnd) -> None:
        self._blocks.discard(running)
        if running.engagement is None:
            self._tables.closed(running.ladder, running.candidates)
        elif self.agenda is not None:
            running.engagement.position = running.position
            self.agenda.ended(running.engagement, ending)
        for guest in running.guests:
            guest.taken -= 1
            self._forget_if_gone(guest)
        if self._winding_down and not self._blocks:
            self.on_idle()
        self.schedule()

    def _forget_if_gone(self, guest: ConnectedBot) -> None:
        if not guest.present and guest.taken == 0:
            self._guests.pop(guest.participant, None)

    def _rest(self, guest: ConnectedBot) -> None:
        seconds = self._terms.patience.decline_seconds
        until = guest.standing.rest(guest.participant.instance, self._timer.now(), seconds)
        self._timer.call_at(until, self.schedule)

    def _leave_out(self, guest: ConnectedBot) -> None:
        guest.on_probation = True
        now = self._timer.now()
        if now < guest.standing.not_before:
            # The same absence: one restart of a bot with many matches would cost it minutes.
            return
        pause = guest.standing.miss(now)
        self._timer.call_at(guest.standing.not_before, self.schedule)
        log.info("bot left out", bot=str(guest.participant.registered.entrant), seconds=pause)
