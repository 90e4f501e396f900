"""The director: runs the rated ladder by seating connected bots in blocks, until stopped.

Blocks of the agenda, if there is one, are played before blocks of the ladder.

A block is opened when its bots have a free place. Its rotations are played one after the other,
and it holds the places until it ends. A bot that does not join, or forfeits by its faults, gets no
offers for a while, so that it costs the others little. Declining does not count against a bot: the
copy that declined gets no offers for a moment, not even the next match of its block, so that it
can disconnect cleanly.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import structlog

from arena.hosting.agenda import Agenda, Engagement, EngagementEnd
from arena.hosting.connected_bots import ConnectedBot, idlest_copies, one_per_version
from arena.hosting.hosted_match import HostedMatch, Outcome
from arena.hosting.journal import Journal
from arena.hosting.ladder_tables import LadderTable, LadderTables
from arena.hosting.owed_seats import OwedSeats
from arena.hosting.ports import Cancellable, Participant, Timer
from arena.hosting.roster import Roster, all_take_offers, leave_out
from arena.hosting.terms import Terms
from arena.match.seating import rotations
from arena.match.transcript import Setup, Transcript, thinking_seconds
from arena.randomness import KeyedRandomness, shuffled
from arena.records import Block, BlockKind, FinishedMatch
from arena.scheduling.ladder import Candidate, MeetingCounts, TableType

log = structlog.get_logger()


@dataclass(eq=False, slots=True)
class _RunningBlock:
    table_type: TableType
    bots: tuple[ConnectedBot, ...]
    block: Block
    engagement: Engagement | None = None
    """None for a block of the ladder."""
    position: int = 0
    match: HostedMatch | None = None
    started_at: datetime = datetime.min
    began: float = 0.0
    """The same moment on the clock that nobody moves."""
    held_since: float = 0.0
    thought: dict[int, float] = field(default_factory=dict)
    """The seconds that each version took for its decisions."""

    @property
    def candidates(self) -> list[Candidate]:
        return [bot.candidate for bot in self.bots]


class Director:
    """Runs the ladder among the connected bots, until stopped."""

    def __init__(
        self,
        table_types: Sequence[TableType],
        counts: MeetingCounts,
        journal: Journal,
        timer: Timer,
        new_secret: Callable[[], bytes],
        write_down: Callable[[Transcript], bytes],
        terms: Terms = Terms(),
        wall_clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._counts = counts
        self._tables = LadderTables(table_types, counts, terms.house_pace)
        self._journal = journal
        self._timer = timer
        self._new_secret = new_secret
        self._write_down = write_down
        self._terms = terms
        self._wall_clock = wall_clock
        self._roster = Roster()
        self._owed = OwedSeats()
        self._blocks: set[_RunningBlock] = set()
        self._pass_due = False
        self._alarm: Cancellable | None = None
        """Set while only the pace delays the next table."""
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
        self._roster.arrive(participant)
        self._share_out()
        self.schedule()

    def depart(self, participant: Participant) -> None:
        """Handle a disconnect; the running matches wait for the bot by themselves."""
        if self._roster.depart(participant):
            self._share_out()

    def wind_down(self) -> None:
        """Begin no further block; running blocks are played to their end."""
        self._winding_down = True
        if not self._blocks:
            self.on_idle()

    def break_off(self, reason: str) -> None:
        """End all running blocks as void."""
        self._winding_down = self._stopped = True
        for running in list(self._blocks):
            if running.match is not None:
                running.match.break_off(reason)

    def schedule(self) -> None:
        """Look for tables to open, soon; several calls until then cause one look."""
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
        free = self._roster.free(now)
        if self.agenda is not None and self.agenda.wanting:
            engagement = self.agenda.next_engagement(one_per_version(free))
            if engagement is not None:
                self._engage(engagement, free)
                return True
            free = self._left_for_the_ladder(free, self.agenda)
        match self._tables.next(one_per_version(free), now):
            case LadderTable(table_type, candidates):
                block = Block(str(uuid4()), BlockKind.SEAT, table_type.seats)
                # By chance: whoever plays least is chosen first, and must not always begin.
                chance = shuffled(KeyedRandomness(self._new_secret()), "seat", candidates)
                order = self._owed.arrange(table_type.key, chance)
                bots = idlest_copies([candidate.bot for candidate in order], free)
                self._begin(_RunningBlock(table_type, bots, block))
                return True
            case float(ready_at):
                self._alarm = self._timer.call_at(ready_at, self.schedule)
        return False

    def _engage(self, engagement: Engagement, free: Sequence[ConnectedBot]) -> None:
        bots = idlest_copies(engagement.bots, free)
        running = _RunningBlock(
            engagement.table_type, bots, engagement.block, engagement, engagement.position
        )
        self._begin(running)

    def _left_for_the_ladder(
        self, free: Sequence[ConnectedBot], agenda: Agenda
    ) -> list[ConnectedBot]:
        held = agenda.held(one_per_version(self._roster.eligible(self._timer.now())))
        return [bot for bot in free if bot.candidate.bot not in held]

    def _share_out(self) -> None:
        self._tables.share_out(self._roster.present)

    def _begin(self, running: _RunningBlock) -> None:
        self._blocks.add(running)
        if running.position == 0:
            self._counts.add(running.table_type, [bot.candidate.bot for bot in running.bots])
        if running.engagement is None:
            self._tables.opened(running.table_type, running.candidates, self._timer.now())
        running.held_since = self._timer.now()
        self._roster.take_places(running.bots)
        self._next_match(running)

    def _next_match(self, running: _RunningBlock) -> None:
        if self._stopped:
            self._cut_short(running, void=True)
            return
        if not all_take_offers(running.bots, self._timer.now()):
            self._cut_short(running, void=False)
            return
        table_type = running.table_type
        order = list(rotations(table_type.seats))[running.position]
        bots = [running.bots[index] for index in order]
        setup = Setup(
            match_id=str(uuid4()),
            game=table_type.game,
            options=table_type.options,
            entrants=tuple(bot.participant.registered.entrant for bot in bots),
            time_control=self._terms.time_control,
            fault_limit=self._terms.fault_limit,
        )

        def done(match: HostedMatch, outcome: Outcome) -> None:
            self._match_over(running, bots, match, outcome)

        running.started_at, running.began = self._wall_clock(), self._timer.now()
        running.match = HostedMatch(
            setup,
            [bot.participant.player() for bot in bots],
            self._new_secret(),
            self._timer,
            done,
            self._terms.patience,
        )
        running.match.open()

    def _match_over(
        self,
        running: _RunningBlock,
        bots: list[ConnectedBot],
        match: HostedMatch,
        outcome: Outcome,
    ) -> None:
        match outcome:
            case Outcome.PLAYED:
                try:
                    self._record(running, bots, match)
                except Exception:
                    log.exception("match not written down", match=match.setup.match_id)
                    match.discard()
                    self._cut_short(running, void=True)
                    return
                running.position += 1
                if running.position == running.block.size:
                    self._release(running, EngagementEnd.COMPLETE)
                elif not all_take_offers(bots, self._timer.now()):
                    self._cut_short(running, void=False)
                else:
                    # Later, not from within the last answer of the finished match: the calls of
                    # one match would nest in those of another.
                    self._timer.call_at(self._timer.now(), lambda: self._next_match(running))
            case Outcome.NOT_JOINED:
                for seat in match.absent_at_start:
                    self._leave_out(bots[seat])
                self._not_begun(running, bots, match)
                self._cut_short(running, void=False)
            case Outcome.DECLINED:
                for seat in match.absent_at_start:
                    self._offer_nothing_for_a_moment(bots[seat])
                self._not_begun(running, bots, match)
                self._cut_short(running, void=False)
            case Outcome.BROKEN:
                self._cut_short(running, void=True)

    def _not_begun(
        self, running: _RunningBlock, bots: list[ConnectedBot], match: HostedMatch
    ) -> None:
        if running.engagement is not None:
            return
        for seat in match.absent_at_start:
            self._owed.owe(bots[seat].candidate.bot, running.table_type.key, seat)
        if running.position == 0:
            self._counts.add(running.table_type, [bot.candidate.bot for bot in bots], -1)

    def _record(self, running: _RunningBlock, bots: list[ConnectedBot], match: HostedMatch) -> None:
        transcript = match.transcript
        assert transcript is not None
        for bot, forfeited in zip(bots, transcript.result.forfeited, strict=True):
            if forfeited and running.engagement is None:
                self._leave_out(bot)
            elif not forfeited:
                bot.reliability.played()
                bot.on_probation = False
        for bot, seconds in zip(bots, thinking_seconds(transcript), strict=True):
            known = running.thought.get(bot.candidate.bot, 0.0)
            running.thought[bot.candidate.bot] = known + seconds
            self._owed.taken(bot.candidate.bot, running.table_type.key)
        # Once for storage and for all seats: it is the most expensive part of a match's end.
        written = self._write_down(transcript)
        finished = FinishedMatch(
            transcript=transcript,
            written=written,
            version_ids=tuple(bot.participant.registered.version_id for bot in bots),
            block=running.block,
            position=running.position,
            started_at=running.started_at,
            # Not by the wall clock: it may have been moved, before the start even.
            finished_at=running.started_at + timedelta(seconds=self._timer.now() - running.began),
        )
        self._journal.add(finished, lambda: match.announce(written), match.discard)

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
            self._tables.closed(running.table_type, running.candidates)
            self._count_time(running)
        elif self.agenda is not None:
            running.engagement.position = running.position
            self.agenda.ended(running.engagement, ending)
        self._roster.give_back_places(running.bots)
        if self._winding_down and not self._blocks:
            self.on_idle()
        self.schedule()

    def _count_time(self, running: _RunningBlock) -> None:
        now, played = self._timer.now(), running.position
        if played:
            seconds = now - running.held_since
            rest = self._tables.held(running.candidates, seconds, played, running.thought, now)
            if rest is not None:
                self._timer.call_at(rest, self.schedule)

    def _offer_nothing_for_a_moment(self, bot: ConnectedBot) -> None:
        seconds = self._terms.patience.decline_seconds
        now = self._timer.now()
        until = bot.reliability.declined(bot.participant.instance, now, seconds)
        self._timer.call_at(until, self.schedule)

    def _leave_out(self, bot: ConnectedBot) -> None:
        until = leave_out(bot, self._timer.now())
        if until is not None:
            self._timer.call_at(until, self.schedule)
