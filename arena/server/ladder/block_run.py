"""`BlockRun`: a block under way, from match to match, until it is complete or cut short."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import structlog

from arena.match.flow import Reply
from arena.match.notes import NotesTaken
from arena.match.seating import moved_on
from arena.match.transcript import Opening, Setup, Transcript
from arena.records import Block, FinishedMatch
from arena.scheduling.ladder import Candidate, TableType
from arena.scheduling.shares import BlockTime
from arena.server.failover.result_writer import ResultWriter
from arena.server.ladder.agenda import Engagement, EngagementEnd
from arena.server.ladder.challenges import ChallengeRun
from arena.server.ladder.connected_bots import ConnectedBot
from arena.server.ladder.match_in_block import MatchInBlock
from arena.server.ladder.owed_seats import OwedSeats
from arena.server.ladder.pauses import Pauses
from arena.server.ladder.time_used import TimeUsed
from arena.server.play.compiled import IN_PYTHON, CompiledRules
from arena.server.play.hosted_match import HostedMatch, Outcome
from arena.server.play.kept_blocks import BegunMatch, KeptMatch, Place, RunningBlock
from arena.server.play.ports import Timer
from arena.server.play.terms import Terms

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockContext:
    """The services and settings that all blocks of a director share."""

    writer: ResultWriter
    timer: Timer
    wall_clock: Callable[[], datetime]
    new_secret: Callable[[], bytes]
    new_id: Callable[[], str]
    write_down: Callable[[Transcript], bytes]
    terms: Terms
    pauses: Pauses
    owed: OwedSeats
    learn: Callable[[TableType, Sequence[int], Sequence[int]], None]
    """Called with the versions and placings by seat when a match of the ladder or of a tournament
    was played."""
    show: Callable[[HostedMatch, str], None]
    """Called when a match begins, with the name of its tournament or ""."""
    compiled: CompiledRules = IN_PYTHON
    """The compiled rules, which play a match until Python has to."""


class BlockRun:
    """A block whose matches are played one after the other.

    After a restart of the referee, two of its matches may run at once: the first had ended before,
    but was not recorded.
    """

    def __init__(
        self,
        context: BlockContext,
        over: "Callable[[BlockRun, EngagementEnd], None]",
        table_type: TableType,
        bots: Sequence[ConnectedBot],
        block: Block,
        left: Sequence[int],
        *,
        engagement: Engagement | None = None,
        engaged: bool = False,
        challenge: ChallengeRun | None = None,
        awaited_until: float = 0.0,
    ) -> None:
        """`over` is called once, at the block's end.

        `bots` are in the order of the first match's seats, `left` the positions to play.

        `challenge` is the challenge that asked for the block; None also if an earlier referee began
        it. `engaged` says whether a tournament asked for the block, even one that is over by now.
        `awaited_until` is the time until which the block waits for bots that are not back after a
        restart.
        """
        self.table_type, self.bots, self.block = table_type, tuple(bots), block
        self.engagement, self.engaged = engagement, engaged
        self.challenge = challenge
        self.left = list(left)
        """Positions of the matches that have not begun, in order."""
        self._context = context
        self._when_over = over
        self._awaited_until = awaited_until
        self._playing: dict[int, HostedMatch] = {}
        """Matches that are offered or run, by position."""
        self._time = TimeUsed(context.timer.now())
        self._awaiting = self._resuming = self._suspended = self._over = False

    @property
    def candidates(self) -> list[Candidate]:
        return [bot.candidate for bot in self.bots]

    @property
    def tournament(self) -> str:
        """The name of the tournament that asked for the block, or ""."""
        return "" if self.engagement is None else self.engagement.tournament

    @property
    def matches(self) -> Collection[HostedMatch]:
        """Its matches that are offered or run."""
        return self._playing.values()

    @property
    def of_ladder(self) -> bool:
        """Whether neither a tournament nor a challenge asked for it."""
        return not self.engaged and self.block.rated

    @property
    def casual(self) -> bool:
        """Whether a challenge asked for it, so that it does not affect the ladder."""
        return not self.engaged and not self.block.rated

    @property
    def time(self) -> BlockTime:
        """How long it has held its bots' places, and who used the time."""
        return self._time.until(self._context.timer.now(), self.table_type, self.bots)

    def kept(self) -> RunningBlock:
        """Return what another referee needs to continue it."""
        places = tuple(
            Place(bot.participant.registered, bot.participant.instance) for bot in self.bots
        )
        kind = self.table_type
        return RunningBlock(
            self.block, places, kind.game, kind.options, self.engaged, kind.time_control
        )

    def returned(self, bot: ConnectedBot) -> None:
        """React to a bot that is connected again: continue if only it was missing."""
        if self._awaiting and bot in self.bots:
            self.play_on()

    def suspend(self) -> None:
        """Stop all matches as they are: they are kept, and the next referee continues them."""
        self._suspended = True
        for match in self._playing.values():
            match.suspend()

    def play_on(self) -> None:
        """Begin the next match, or end the block, unless a match of it still runs."""
        context = self._context
        if self._playing or self._over or self._resuming or self._suspended:
            return
        if not self.left:
            self._end(EngagementEnd.COMPLETE)
            return
        now = context.timer.now()
        bots, terms = self._seats(self.left[0]), context.terms
        if missing := [seat for seat, bot in enumerate(bots) if not bot.takes_offers(now)]:
            if now >= self._awaited_until:
                for seat in missing:
                    self._refused_seat(bots[seat], seat)
                self._cut_short(void=False)
            elif not self._awaiting:
                self._awaiting = True
                context.timer.call_at(self._awaited_until, self.play_on)
            return
        self._awaiting = False
        position = self.left.pop(0)
        setup = Setup(
            match_id=context.new_id(),
            game=self.table_type.game,
            options=self.table_type.options,
            entrants=tuple(bot.participant.registered.entrant for bot in bots),
            time_control=self.table_type.time_control,
            fault_limit=terms.fault_limit,
        )
        started_at = context.wall_clock()
        match = MatchInBlock(position, bots, started_at, started_at, now)
        self._host(match, setup, context.new_secret()).open()

    def resume(self, kept: Sequence[KeptMatch]) -> None:
        """Continue the matches that an earlier referee left, and then the block."""
        self._resuming = True
        for match in kept:
            if not self._over:
                self._resume(match)
        self._resuming = False
        self.play_on()

    def _resume(self, kept: KeptMatch) -> None:
        begun, context = kept.begun, self._context
        notes = NotesTaken(kept.notes)
        snapshot = context.writer.snapshots.adopt_match(
            self.block.id, begun, len(kept.replies), notes
        )
        # The clock may have been set back meanwhile.
        clock_shows = max(begun.started_at, context.wall_clock())
        bots = self._seats(begun.position)
        match = MatchInBlock(
            begun.position,
            bots,
            begun.started_at,
            clock_shows,
            context.timer.now(),
            snapshot,
            notes,
        )
        hosted = self._host(match, begun.setup, begun.opening.secret)
        try:
            hosted.resume(begun.opening.entropies, kept.replies, snapshot.add)
        except Exception:
            log.exception("match cannot go on", match=begun.setup.match_id)
            hosted.break_off("the referee cannot go on with this match; it does not count")

    def _seats(self, position: int) -> list[ConnectedBot]:
        return [self.bots[index] for index in moved_on(self.table_type.seats, position)]

    def _host(self, match: MatchInBlock, setup: Setup, secret: bytes) -> HostedMatch:
        context = self._context
        hosted = self._playing[match.position] = HostedMatch(
            setup,
            [bot.participant.player() for bot in match.bots],
            secret,
            context.timer,
            partial(self._match_over, match),
            context.terms.patience.at(setup.time_control),
            partial(self._match_begun, match, setup, secret),
            lambda hosted: context.show(hosted, self.tournament),
            match.notes,
            context.compiled,
        )
        return hosted

    def _match_begun(
        self, match: MatchInBlock, setup: Setup, secret: bytes, entropies: tuple[bytes, ...]
    ) -> Callable[[int, Reply], None]:
        if self.engagement is not None:
            self.engagement.away.clear()
        opening = Opening(secret, entropies)
        begun = BegunMatch(setup, opening, self.block.id, match.position, match.started_at)
        match.snapshot = self._context.writer.snapshots.begin(
            self.block.id, self.kept, begun, match.notes
        )
        return match.snapshot.add

    def _match_over(self, match: MatchInBlock, hosted: HostedMatch, outcome: Outcome) -> None:
        context = self._context
        del self._playing[match.position]
        match outcome:
            case Outcome.PLAYED:
                try:
                    self._record(match, hosted)
                except Exception:
                    self._lose(match, hosted)
                    return
                if not self.left or not all(
                    bot.takes_offers(context.timer.now()) for bot in self.bots
                ):
                    self.play_on()
                else:
                    # Later, not from within the last answer of the finished match: the calls of
                    # one match would nest in those of another.
                    context.timer.call_at(context.timer.now(), self.play_on)
            case Outcome.NOT_JOINED | Outcome.DECLINED:
                self.left.insert(0, match.position)
                self._time.offered_in_vain(match.bots, hosted, context.timer.now() - match.began)
                for seat in hosted.absent_at_start:
                    self._absent(match.bots[seat], seat, declined=outcome is Outcome.DECLINED)
                self._cut_short(void=False)
            case Outcome.BROKEN:
                self._break(match, hosted)

    def _lose(self, match: MatchInBlock, hosted: HostedMatch) -> None:
        """Void a played match and its block, after an error of ours in recording the match."""
        log.exception("match not written down", match=hosted.setup.match_id)
        hosted.discard()
        if not self._over:
            self._time.lose()
            self._break(match, hosted)
            return
        writer = self._context.writer
        writer.snapshots.gone(self.block.id, hosted.setup.match_id)
        writer.end_block(self.block.id, void=True)
        if self.challenge is not None:
            self.challenge.lost()

    def _break(self, match: MatchInBlock, hosted: HostedMatch) -> None:
        """Void a match, and with it its block, after an error of ours."""
        self.left.insert(0, match.position)
        self._context.writer.snapshots.gone(self.block.id, hosted.setup.match_id)
        for other in list(self._playing.values()):
            other.break_off("another match of its block is void")
        self._cut_short(void=True)

    def _record(self, match: MatchInBlock, hosted: HostedMatch) -> None:
        context = self._context
        transcript = hosted.transcript
        assert transcript is not None
        if match.snapshot is not None:
            match.snapshot.over = True
        self._time.played(match.bots, hosted, transcript)
        self._judge(match.bots, transcript.result.forfeited, first=match.position == 0)
        if not self.casual:
            versions = [bot.candidate.bot for bot in match.bots]
            context.learn(self.table_type, versions, transcript.result.placing)
        now = context.timer.now()
        context.writer.end(self.block.id, lambda: self._write_down(match, hosted, transcript, now))

    def _write_down(
        self, match: MatchInBlock, hosted: HostedMatch, transcript: Transcript, ended: float
    ) -> None:
        """Write down a match once for storage and for all seats, and add it to the results."""
        try:
            written = self._context.write_down(transcript)
            finished = match.finished(transcript, written, self.block, ended, hosted.refused)
        except Exception:
            self._lose(match, hosted)
            return
        self._context.writer.add(
            finished,
            lambda: self._recorded(finished, hosted),
            lambda: self._refused(hosted),
        )

    def _absent(self, bot: ConnectedBot, seat: int, *, declined: bool) -> None:
        """Penalise a bot that declined a match or did not join."""
        if self.challenge is not None:
            self.challenge.absent(bot, declined=declined)
        if declined:
            self._context.pauses.declined(bot)
        else:
            self._context.pauses.unanswered(bot)
            if not self.casual:
                self._context.pauses.missed(bot)
        self._refused_seat(bot, seat)

    def _refused_seat(self, bot: ConnectedBot, seat: int) -> None:
        """Count a bot that does not take its seat in the next match as away.

        A seat of the ladder is owed to the version, even if it connects as another instance next.
        """
        if self.engagement is not None:
            self.engagement.away[bot.candidate.bot] += 1
        if self.of_ladder:
            self._context.owed.owe(bot.candidate.bot, self.table_type.key, seat)
            if len(self.left) < self.block.size:  # a match of the block has begun
                self._context.pauses.left_block(bot)

    def _judge(
        self, bots: Sequence[ConnectedBot], forfeited: Sequence[bool], *, first: bool
    ) -> None:
        """Record the bots' conduct in a played match, which is the `first` of the block or not."""
        if not self.casual:
            for bot, out in zip(bots, forfeited, strict=True):
                if not out:
                    bot.reliability.played()
                    if bot.on_probation:
                        self._context.pauses.proved(bot)
                elif self.engagement is None:
                    self._context.pauses.missed(bot)
        if self.of_ladder and first:
            for seat, bot in enumerate(bots):
                self._context.owed.taken(bot.candidate.bot, self.table_type.key, seat)

    def _recorded(self, finished: FinishedMatch, hosted: HostedMatch) -> None:
        hosted.announce(finished.written)
        if self.challenge is not None:
            self.challenge.recorded(finished)

    def _refused(self, hosted: HostedMatch) -> None:
        hosted.discard()
        if self.challenge is not None:
            self.challenge.settled()

    def _cut_short(self, *, void: bool) -> None:
        if self._over:
            return
        # Storage knows a block only if a match of it was played, or if a tournament asked for it.
        begun = len(self.left) + len(self._playing) < self.block.size or self.engaged
        continued = self.engagement is not None and not void
        if begun and not continued:
            self._context.writer.end_block(self.block.id, void=void)
        self._end(EngagementEnd.BROKEN if void else EngagementEnd.INTERRUPTED)

    def _end(self, ending: EngagementEnd) -> None:
        self._over = True
        self._context.writer.snapshots.close(self.block.id)
        self._when_over(self, ending)
