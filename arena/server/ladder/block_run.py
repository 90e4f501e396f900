"""`BlockRun`: a running block, from match to match, until it is complete or cut short."""

from collections.abc import Callable, Collection, Sequence
from functools import partial

import structlog

from arena.identifiers import new_id
from arena.match.flow import Reply
from arena.match.seating import moved_on
from arena.match.transcript import Opening, Setup
from arena.records import Block, FinishedMatch
from arena.scheduling.ladder import Candidate, TableType
from arena.scheduling.shares import BlockTime
from arena.server.ladder.agenda import Engagement, EngagementEnd
from arena.server.ladder.block_services import BlockServices
from arena.server.ladder.challenges import ChallengeRun
from arena.server.ladder.connected_bots import ConnectedBot
from arena.server.ladder.match_in_block import MatchInBlock
from arena.server.ladder.penalty_policy import PenaltyPolicy
from arena.server.ladder.roster import all_take_offers
from arena.server.ladder.time_used import TimeUsed
from arena.server.play.hosted_match import HostedMatch, Outcome
from arena.server.play.kept_blocks import BegunMatch, KeptMatch, Place, RunningBlock

log = structlog.get_logger()


class BlockRun:
    """A running block, whose matches are played one after the other.

    After a restart of the referee two of them may run at once: the first had ended, but was not
    recorded.
    """

    def __init__(
        self,
        services: BlockServices,
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
        """Prepare a block; no match begins before `play_on` or `resume`.

        `bots` are in the order of the first match's seats; `left` are the positions still to be
        played. `challenge` is the challenge that asked for the block; None also for one that an
        earlier referee began. `engaged` tells whether a tournament asked for the block, even one
        that is over by now; `awaited_until` is the time until which the block waits for bots that
        have not returned after a restart.
        """
        self.table_type, self.bots, self.block = table_type, tuple(bots), block
        self.engagement, self.engaged = engagement, engaged
        self.challenge = challenge
        self.left = list(left)
        """Positions of the matches that have not begun, in order."""
        self._services = services
        self._awaited_until = awaited_until
        self._playing: dict[int, HostedMatch] = {}
        """Matches that are offered or being played, by position."""
        self._time = TimeUsed(services.timer.now())
        self._conduct = PenaltyPolicy(
            services,
            table_type,
            challenge,
            of_ladder=self.of_ladder,
            casual=self.casual,
            tournament_goes_on=engagement is not None,
        )
        self._awaiting = self._resuming = self._suspended = self._over = False

    @property
    def candidates(self) -> list[Candidate]:
        """The bots as the pairing code sees them, in the order of the first match's seats."""
        return [bot.candidate for bot in self.bots]

    @property
    def tournament(self) -> str:
        """The name of the tournament that asked for the block, or "" if none did."""
        return "" if self.engagement is None else self.engagement.tournament

    @property
    def matches(self) -> Collection[HostedMatch]:
        """The matches of the block that are offered or being played."""
        return self._playing.values()

    @property
    def of_ladder(self) -> bool:
        """Whether the ladder began the block: neither a tournament nor a challenge asked for it."""
        return not self.engaged and self.block.rated

    @property
    def casual(self) -> bool:
        """Whether a challenge asked for the block; the ladder then learns nothing of its bots."""
        return not self.engaged and not self.block.rated

    @property
    def time(self) -> BlockTime:
        """How long the block has held its bots' places, and which bots used the time."""
        return self._time.until(self._services.timer.now(), self.table_type, self.bots)

    @property
    def _began(self) -> bool:
        """Whether a match of the block has begun."""
        return len(self.left) < self.block.size

    def kept(self) -> RunningBlock:
        """Return what another referee needs to continue the block."""
        places = tuple(
            Place(bot.participant.registered, bot.participant.instance) for bot in self.bots
        )
        kind = self.table_type
        return RunningBlock(
            self.block, places, kind.game, kind.options, self.engaged, kind.time_control
        )

    def returned(self, bot: ConnectedBot) -> None:
        """Play on after a bot has reconnected, if the block waits for it."""
        if self._awaiting and bot in self.bots:
            self.play_on()

    def suspend(self) -> None:
        """Suspend all matches; they are kept as they are, and the next referee continues them."""
        self._suspended = True
        for match in self._playing.values():
            match.suspend()

    def play_on(self) -> None:
        """Begin the next match, or end the block, unless a match of it still runs."""
        services = self._services
        if self._playing or self._over or self._resuming or self._suspended:
            return
        if not self.left:
            self._end(EngagementEnd.COMPLETE)
            return
        now = services.timer.now()
        if not all_take_offers(self.bots, now):
            if now >= self._awaited_until:
                for seat, bot in enumerate(self._seats(self.left[0])):
                    if not bot.takes_offers(now):
                        self._conduct.refused_seat(bot, seat, block_began=self._began)
                self._cut_short(void=False)
            elif not self._awaiting:
                self._awaiting = True
                services.timer.call_at(self._awaited_until, self.play_on)
            return
        self._awaiting = False
        position = self.left.pop(0)
        bots, terms = self._seats(position), services.terms
        setup = Setup(
            match_id=new_id(),
            game=self.table_type.game,
            options=self.table_type.options,
            entrants=tuple(bot.participant.registered.entrant for bot in bots),
            time_control=self.table_type.time_control,
            fault_limit=terms.fault_limit,
        )
        started_at = services.wall_clock()
        match = MatchInBlock(position, bots, started_at, started_at, now)
        self._host(match, setup, services.new_secret()).open()

    def resume(self, kept: Sequence[KeptMatch]) -> None:
        """Continue the matches that an earlier referee left, and then the block."""
        self._resuming = True
        for match in kept:
            if not self._over:
                self._resume(match)
        self._resuming = False
        self.play_on()

    def _resume(self, kept: KeptMatch) -> None:
        begun, services = kept.begun, self._services
        notes = services.writer.snapshots.adopt_match(self.block.id, begun, len(kept.replies))
        # The clock may have been set back meanwhile.
        clock_shows = max(begun.started_at, services.wall_clock())
        bots = self._seats(begun.position)
        match = MatchInBlock(
            begun.position, bots, begun.started_at, clock_shows, services.timer.now(), notes
        )
        hosted = self._host(match, begun.setup, begun.opening.secret)
        try:
            hosted.resume(begun.opening.entropies, kept.replies, notes.add)
        except Exception:
            log.exception("match cannot go on", match=begun.setup.match_id)
            hosted.break_off("the referee cannot go on with this match; it does not count")

    def _seats(self, position: int) -> list[ConnectedBot]:
        """Return the bots by seat for the match at this position."""
        return [self.bots[index] for index in moved_on(self.table_type.seats, position)]

    def _host(self, match: MatchInBlock, setup: Setup, secret: bytes) -> HostedMatch:
        services = self._services
        hosted = self._playing[match.position] = HostedMatch(
            setup,
            [bot.participant.player() for bot in match.bots],
            secret,
            services.timer,
            partial(self._match_over, match),
            services.terms.patience.at(setup.time_control),
            partial(self._match_begun, match, setup, secret),
            lambda hosted: services.showable(hosted, self.tournament),
        )
        return hosted

    def _match_begun(
        self, match: MatchInBlock, setup: Setup, secret: bytes, entropies: tuple[bytes, ...]
    ) -> Callable[[int, Reply], None]:
        opening = Opening(secret, entropies)
        begun = BegunMatch(setup, opening, self.block.id, match.position, match.started_at)
        match.notes = self._services.writer.snapshots.begin(self.block.id, self.kept, begun)
        return match.notes.add

    def _match_over(self, match: MatchInBlock, hosted: HostedMatch, outcome: Outcome) -> None:
        services = self._services
        del self._playing[match.position]
        match outcome:
            case Outcome.PLAYED:
                try:
                    self._record(match, hosted)
                except Exception:
                    log.exception("match not written down", match=hosted.setup.match_id)
                    hosted.discard()
                    self._break(match, hosted)
                    return
                if not self.left or not all_take_offers(self.bots, services.timer.now()):
                    self.play_on()
                else:
                    # Later, not from within the last answer of the finished match: the calls of
                    # one match would nest in those of another.
                    services.timer.call_at(services.timer.now(), self.play_on)
            case Outcome.NOT_JOINED | Outcome.DECLINED:
                self.left.insert(0, match.position)
                self._time.offered_in_vain(match.bots, hosted, services.timer.now() - match.began)
                self._conduct.stayed_away(
                    match.bots,
                    hosted.absent_at_start,
                    declined=outcome is Outcome.DECLINED,
                    block_began=self._began,
                )
                self._cut_short(void=False)
            case Outcome.BROKEN:
                self._break(match, hosted)

    def _break(self, match: MatchInBlock, hosted: HostedMatch) -> None:
        """End the block as void after a failure of the referee in one of its matches."""
        self.left.insert(0, match.position)
        self._services.writer.snapshots.gone(self.block.id, hosted.setup.match_id)
        for other in list(self._playing.values()):
            other.break_off("another match of its block is void")
        self._cut_short(void=True)

    def _record(self, match: MatchInBlock, hosted: HostedMatch) -> None:
        services = self._services
        transcript = hosted.transcript
        assert transcript is not None
        if match.notes is not None:
            match.notes.over = True
        # Once for storage and for all seats: it is the most expensive part of a match's end. First,
        # because a match that cannot be written down was not played.
        written = services.write_down(transcript)
        self._conduct.played(match.bots, transcript.result.forfeited, first=match.position == 0)
        self._time.played(match.bots, hosted, transcript)
        if not self.casual:
            versions = [bot.candidate.bot for bot in match.bots]
            services.learn(self.table_type, versions, transcript.result.placing)
        now = services.timer.now()
        finished = match.finished(transcript, written, self.block, now, hosted.refused)
        services.writer.add(
            finished,
            lambda: self._recorded(finished, hosted),
            lambda: self._refused(hosted),
        )

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
        # Storage does not know a ladder block of which no match was played.
        begun = len(self.left) + len(self._playing) < self.block.size or self.engaged
        continued = self.engagement is not None and not void
        if begun and not continued:
            self._services.writer.end_block(self.block.id, void=void)
        self._end(EngagementEnd.BROKEN if void else EngagementEnd.INTERRUPTED)

    def _end(self, ending: EngagementEnd) -> None:
        self._over = True
        self._services.writer.snapshots.close(self.block.id)
        self._services.over(self, ending)
