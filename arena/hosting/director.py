"""The rated ladder at work: seats connected bots block by block and sees each block through.

An agenda, if there is one, goes before the ladder: it names blocks, and these are played first.

A block is opened when its bots have a place free, plays its rotations one after the other, and
holds their places until it ends. Whoever does not join, or forfeits by its faults, is left out for
a while, so that it costs the others little. Declining is no miss: a copy of a bot that declines is
offered nothing for a moment, not even the next match of a block, and may so leave in order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

import structlog

from arena.hosting.agenda import Agenda, Engagement, EngagementEnd
from arena.hosting.block_run import BlockRun
from arena.hosting.connected_bots import ConnectedBot, Reliability, one_each, seated
from arena.hosting.hosted_match import HostedMatch, Outcome, Patience
from arena.hosting.journal import Journal
from arena.hosting.keeping import MatchNotes
from arena.hosting.ladder_tables import LadderTable, LadderTables
from arena.hosting.ports import Cancellable, Participant, Timer
from arena.match.clock import TimeControl
from arena.match.faults import DEFAULT_FAULT_LIMIT
from arena.match.flow import Reply
from arena.match.transcript import Opening, Setup, Transcript
from arena.randomness import KeyedRandomness, shuffled
from arena.records import (
    BegunMatch,
    Block,
    BlockKind,
    FinishedMatch,
    KeptBlock,
    KeptMatch,
)
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
    ) -> None:
        self._counts = counts
        self._tables = LadderTables(ladders, counts, terms.house_pace)
        self._journal = journal
        self._timer = timer
        self._new_secret = new_secret
        self._write_down = write_down
        self._terms = terms
        self._guests: dict[Participant, ConnectedBot] = {}
        """Connected bots, and those that left while blocks still hold places of theirs."""
        self._standings: dict[int, Reliability] = {}
        self._blocks: set[BlockRun] = set()
        self._pass_due = False
        self._alarm: Cancellable | None = None
        """Set while nothing but the pace keeps a table from being opened."""
        self._awaiting: set[BlockRun] = set()
        """Blocks that an earlier referee left, and of which not every bot is back."""
        self._winding_down = self._suspended = False
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
        guest = self._guest(participant)
        guest.candidate, guest.present = _candidate(participant), True
        guest.draining = False
        self._share_out()
        self.schedule()
        for running in list(self._awaiting):
            if guest in running.guests:
                self._next_match(running)

    def _guest(self, participant: Participant) -> ConnectedBot:
        guest = self._guests.get(participant)
        if guest is None:
            candidate = _candidate(participant)
            standing = self._standings.setdefault(candidate.bot, Reliability())
            guest = ConnectedBot(participant, candidate, standing)
            self._guests[participant] = guest
        return guest

    def depart(self, participant: Participant) -> None:
        """A bot is gone, perhaps for a moment; its running matches are its tables' business."""
        guest = self._guests.get(participant)
        if guest is not None:
            guest.present = False
            self._forget_if_gone(guest)
            self._share_out()

    def drain(self, participant: Participant) -> None:
        """A bot asks to leave: it begins no further block, and plays on in those that run. It is
        told when no block holds a place of it any more."""
        guest = self._guests.get(participant)
        if guest is not None and guest.present:
            guest.draining = True
            self._share_out()
            if guest.taken == 0:
                participant.drained()

    def wind_down(self) -> None:
        """Begin no further block; those that run play on to their end."""
        self._winding_down = True
        if not self._blocks:
            self.on_idle()

    def suspend(self) -> None:
        """Stop all matches as they are: they are kept, and the next referee goes on with them."""
        self._winding_down = self._suspended = True
        for running in self._blocks:
            for table in running.playing.values():
                table.suspend()

    def adopt(self, kept: KeptBlock, participants: Sequence[Participant]) -> None:
        """Go on with a block that an earlier referee left; none of its bots is connected yet."""
        given, block = kept.running, kept.running.block
        engagement = None
        if given.engaged and self.agenda is not None:
            engagement = self.agenda.taken_up(block.id)
        guests = tuple(map(self._guest, participants))
        for guest in guests:
            guest.present = False
        taken = kept.recorded | {match.begun.position for match in kept.matches}
        running = BlockRun(
            TableType(given.game, given.options, len(guests)),
            guests,
            block,
            [position for position in range(block.size) if position not in taken],
            engagement,
            given.engaged,
            awaited_until=self._timer.now() + self._terms.patience.grace_seconds,
        )
        self._journal.keeping.adopt(given)
        self._occupy(running)
        if not kept.matches:
            self._next_match(running)
        for match in kept.matches:
            self._resume(running, match)

    def _resume(self, running: BlockRun, kept: KeptMatch) -> None:
        begun = kept.begun
        notes = self._journal.keeping.adopt_match(running.block.id, begun, len(kept.replies))
        table = self._table(running, begun.position, begun.setup, begun.opening.secret, notes)
        try:
            table.resume(begun.opening.entropies, kept.replies, notes.add)
        except Exception:
            log.exception("match cannot go on", match=begun.setup.match_id)
            table.break_off("the referee cannot go on with this match; it does not count")

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
                self._begin(BlockRun(ladder, guests, block, list(range(block.size))))
                return True
            case float(ready_at):
                self._alarm = self._timer.call_at(ready_at, self.schedule)
        return False

    def _engage(self, engagement: Engagement, free: Sequence[ConnectedBot]) -> None:
        guests = seated(engagement.bots, free)
        self._begin(
            BlockRun(
                engagement.ladder,
                guests,
                engagement.block,
                list(engagement.left),
                engagement,
                engaged=True,
            )
        )

    def _left_for_the_ladder(
        self, free: Sequence[ConnectedBot], agenda: Agenda
    ) -> list[ConnectedBot]:
        now = self._timer.now()
        present = [guest for guest in self._guests.values() if guest.welcome(now)]
        held = agenda.held(one_each(present))
        return [guest for guest in free if guest.candidate.bot not in held]

    def _share_out(self) -> None:
        self._tables.share_out(
            guest for guest in self._guests.values() if guest.present and not guest.draining
        )

    def _begin(self, running: BlockRun) -> None:
        if len(running.left) == running.block.size:
            self._counts.add(running.ladder, [guest.candidate.bot for guest in running.guests])
        if running.engagement is None:
            self._tables.opened(running.ladder, running.candidates, self._timer.now())
        self._occupy(running)
        self._next_match(running)

    def _occupy(self, running: BlockRun) -> None:
        self._blocks.add(running)
        if not running.engaged:
            self._tables.occupied(running.ladder, running.candidates)
        for guest in running.guests:
            guest.taken += 1

    def _next_match(self, running: BlockRun) -> None:
        if running.playing or running not in self._blocks or self._suspended:
            return
        if not running.left:
            self._release(running, EngagementEnd.COMPLETE)
            return
        if not self._go_on(running):
            if self._worth_waiting(running):
                self._awaiting.add(running)
                self._timer.call_at(running.awaited_until, lambda: self._next_match(running))
            else:
                self._cut_short(running, void=False)
            return
        self._awaiting.discard(running)
        position = running.left.pop(0)
        setup = Setup(
            match_id=str(uuid4()),
            game=running.ladder.game,
            options=running.ladder.options,
            entrants=tuple(
                guest.participant.registered.entrant for guest in running.seats(position)
            ),
            time_control=self._terms.time_control,
            fault_limit=self._terms.fault_limit,
        )
        self._table(running, position, setup, self._new_secret()).open()

    def _table(
        self,
        running: BlockRun,
        position: int,
        setup: Setup,
        secret: bytes,
        kept: MatchNotes | None = None,
    ) -> HostedMatch:
        guests = running.seats(position)
        seat = _MatchSeat(running, position, guests, datetime.now(UTC), kept)
        if kept is not None:
            seat.started_at = kept.begun.started_at
        table = running.playing[position] = HostedMatch(
            setup,
            [guest.participant.player() for guest in guests],
            secret,
            self._timer,
            partial(self._table_done, seat),
            self._terms.patience,
            partial(self._begun, seat, setup, secret),
        )
        return table

    def _begun(
        self, seat: "_MatchSeat", setup: Setup, secret: bytes, entropies: tuple[bytes, ...]
    ) -> Callable[[int, Reply], None]:
        running = seat.running
        begun = BegunMatch(
            setup, Opening(secret, entropies), running.block.id, seat.position, seat.started_at
        )
        seat.notes = self._journal.keeping.begin(running.block.id, running.kept, begun)
        return seat.notes.add

    def _table_done(self, seat: "_MatchSeat", table: HostedMatch, outcome: Outcome) -> None:
        running = seat.running
        del running.playing[seat.position]
        match outcome:
            case Outcome.PLAYED:
                try:
                    self._record(seat, table)
                except Exception:
                    log.exception("match not written down", match=table.setup.match_id)
                    table.discard()
                    self._break(seat, table)
                    return
                if not running.left or not self._go_on(running):
                    self._next_match(running)
                else:
                    # Not from within the last answer of the finished match: blocks would nest.
                    self._timer.call_at(self._timer.now(), lambda: self._next_match(running))
            case Outcome.NOT_JOINED:
                running.left.insert(0, seat.position)
                for absent in table.absent_at_start:
                    self._leave_out(seat.guests[absent])
                self._cut_short(running, void=False)
            case Outcome.DECLINED:
                running.left.insert(0, seat.position)
                for absent in table.absent_at_start:
                    self._rest(seat.guests[absent])
                self._cut_short(running, void=False)
            case Outcome.BROKEN:
                self._break(seat, table)

    def _break(self, seat: "_MatchSeat", table: HostedMatch) -> None:
        """A match is void by a mistake of ours, and with it its block."""
        running = seat.running
        running.left.insert(0, seat.position)
        self._journal.keeping.gone(running.block.id, table.setup.match_id)
        for other in list(running.playing.values()):
            other.break_off("another match of its block is void")
        self._cut_short(running, void=True)

    def _go_on(self, running: BlockRun) -> bool:
        now = self._timer.now()
        return all(guest.goes_on(now) for guest in running.guests)

    def _worth_waiting(self, running: BlockRun) -> bool:
        """Whether the referee has just started, and bots may be on their way back to it."""
        return self._timer.now() < running.awaited_until and not self._winding_down

    def _record(self, seat: "_MatchSeat", table: HostedMatch) -> None:
        running, guests = seat.running, seat.guests
        transcript = table.transcript
        assert transcript is not None
        if seat.notes is not None:
            seat.notes.over = True
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
            position=seat.position,
            started_at=seat.started_at,
            finished_at=datetime.now(UTC),
        )
        self._journal.add(match, lambda: table.announce(written), table.discard)

    def _cut_short(self, running: BlockRun, *, void: bool) -> None:
        if running not in self._blocks:
            return
        played_on_later = running.engagement is not None and not void
        if running.begun and not played_on_later:
            self._journal.end_block(running.block.id, void=void)
        self._release(running, EngagementEnd.BROKEN if void else EngagementEnd.INTERRUPTED)

    def _release(self, running: BlockRun, ending: EngagementEnd) -> None:
        self._blocks.discard(running)
        self._awaiting.discard(running)
        self._journal.keeping.close(running.block.id)
        if not running.engaged:
            self._tables.closed(running.ladder, running.candidates)
        if running.engagement is not None and self.agenda is not None:
            running.engagement.left = running.left
            self.agenda.ended(running.engagement, ending)
        for guest in running.guests:
            guest.taken -= 1
            self._forget_if_gone(guest)
            if guest.draining and guest.taken == 0:
                guest.participant.drained()
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


@dataclass(eq=False, slots=True)
class _MatchSeat:
    """Where a match belongs: its block, its position there, who sits where."""

    running: BlockRun
    position: int
    guests: list[ConnectedBot]
    started_at: datetime
    notes: MatchNotes | None = None
    """What is kept of it, from the moment that all have joined."""


def _candidate(participant: Participant) -> Candidate:
    registered = participant.registered
    return Candidate(
        registered.version_id, registered.entrant.owner, registered.house, participant.games
    )
