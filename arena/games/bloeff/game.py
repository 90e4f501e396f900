"""The rules of Blöff; rule numbers (BO-...) are those of docs/games/bloeff.md."""

from collections.abc import Iterator
from typing import ClassVar, Final

from arena.games.bloeff import dealing, ending, legality, turns
from arena.games.bloeff.deck import cards_of
from arena.games.bloeff.events import BloeffEvent, BloeffRoundStarted
from arena.games.bloeff.options import BloeffOptions
from arena.games.bloeff.state import BloeffPhase, BloeffState, Draft, Then, seats_balloting
from arena.games.bloeff.values import (
    Action,
    Announcement,
    Ballot,
    BloeffAction,
    BloeffChoice,
    BloeffView,
    Cards,
    Deal,
    Direction,
    Doubter,
    Number,
    Red,
    Reshuffle,
)
from arena.games.chance import ChanceOutcomes
from arena.games.game import DEALER, Actor, Game, IllegalActionError, Options, ToAct
from arena.games.notation import Notation
from arena.games.view_notation import ViewNotation
from arena.randomness import Randomness

# Read on every step; a module constant is found faster than an enum's member.
_PLAY: Final = BloeffPhase.PLAY
_BALLOTS: Final = BloeffPhase.BALLOTS
_DOUBTER: Final = BloeffPhase.DOUBTER
_OVER: Final = BloeffPhase.OVER


class Bloeff(Game[BloeffOptions, BloeffState, BloeffAction, BloeffView, BloeffEvent]):
    """The game Blöff: lay cards face down and announce the total; fewest points in hand win."""

    name: ClassVar[str] = "bloeff"
    title: ClassVar[str] = "Blöff"
    options_type: ClassVar[type[Options]] = BloeffOptions
    notation: ClassVar[Notation] = Notation(Number, Red, Action, Ballot, Deal, Reshuffle, Doubter)
    view_notation: ClassVar[ViewNotation] = ViewNotation(
        notation, BloeffView, BloeffChoice, BloeffEvent, round_started=BloeffRoundStarted
    )

    def start(self, seat_count: int) -> BloeffState:
        """Return the state before the deal."""
        self.check_seats(seat_count)
        empty: tuple[Cards, ...] = ((),) * seat_count
        return BloeffState(
            phase=BloeffPhase.DEAL,
            hands=empty,
            waiting=empty,
            draw_pile=cards_of(self.options.deck),
            seen=(),
            face_down=empty,
            open_card=None,
            announced=0,
            announcements=(),
            total=0,
            round=0,
            turn=0,
            on_turn=self.options.first_seat,
            direction=Direction.CLOCKWISE,
            ballots=(),
            owed=(),
            then=Then.CARRY_OUT,
            starter=self.options.first_seat,
            reshuffles=0,
            ending=None,
        )

    def to_act(self, state: BloeffState) -> ToAct:
        """Return the seat on turn, the seats that have not balloted yet, or the dealer."""
        if state.phase is _PLAY:
            return (state.on_turn,)
        if state.phase is _BALLOTS:
            return tuple(seat for seat in seats_balloting(state) if state.ballots[seat] is None)
        return () if state.phase is _OVER else DEALER

    def draw(self, state: BloeffState, randomness: Randomness) -> BloeffAction:
        """Return the dealer's deal, reshuffle or choice of the doubter."""
        return dealing.draw(state, randomness)

    def chance_outcomes(self, state: BloeffState) -> ChanceOutcomes[BloeffAction]:
        """Return the distribution of `draw`, or a sampler of it for large piles."""
        return dealing.chance_outcomes(state)

    def legal_actions(self, state: BloeffState, seat: int) -> Iterator[BloeffChoice]:
        """Return an iterator over a seat's legal cards with their announcements, or its ballots."""
        return legality.legal_actions(state, self.options, seat)

    def choices(self, view: BloeffView) -> Iterator[BloeffChoice]:
        """Return an iterator over the legal answers of the view's own seat."""
        return legality.choices(view)

    def legal_hint(self, state: BloeffState, seat: int) -> str:
        """Return a sentence that says what is legal for a seat now."""
        return legality.hint(state, self.options, seat)

    def apply(self, state: BloeffState, actor: Actor, action: BloeffAction) -> BloeffState:
        """Return the state after a played card, a ballot or a draw."""
        if actor is DEALER:
            return dealing.apply_draw(state, self.options, action)
        legality.check(state, self.options, actor, action)
        draft = Draft(state)
        if isinstance(action, Ballot):
            self._ballot(draft, actor, action)
        elif isinstance(action, Number | Red | Action):
            turns.play(draft, self.options, action)
        else:
            raise IllegalActionError(self.legal_hint(state, actor))
        return draft.frozen()

    def view(self, state: BloeffState, seat: int | None) -> BloeffView:
        """Return the view of one seat, or of the spectator (BO-27)."""
        phase = state.phase
        # The view stays the same from the first ballot to the choice of a doubter (BO-F2).
        window = phase is _BALLOTS or phase is _DOUBTER
        hand: Cards = () if seat is None else state.hands[seat]
        face_down: Cards = () if seat is None else state.face_down[seat]
        centre = len(state.seen) + sum(map(len, state.face_down))
        if state.open_card is not None:
            centre += 1
            if seat == state.on_turn:
                face_down = (*face_down, state.open_card)
        lowest, highest = legality.claimable(self.options, state.total)
        on_turn = (state.on_turn,) if phase is _PLAY else ()
        return BloeffView(
            seat,
            state.round,
            state.turn,
            self.options.limits[max(0, state.round - 1)],
            state.total,
            state.direction,
            None if phase is _OVER or phase is BloeffPhase.DEAL else state.on_turn,
            seats_balloting(state) if window else on_turn,
            hand,
            tuple(map(len, state.hands)),
            len(state.draw_pile),
            centre,
            state.waiting,
            state.announcements,
            Announcement(state.on_turn, state.announced) if window else None,
            state.seen,
            face_down,
            lowest,
            highest,
            phase is _PLAY
            and seat == state.on_turn
            and len(hand) == 2
            and self.options.call_mode == "explicit",
        )

    def events(
        self,
        before: BloeffState,  # noqa: ARG002 - the step recorded its events, see below
        actor: Actor,  # noqa: ARG002
        action: BloeffAction,  # noqa: ARG002
        after: BloeffState,
    ) -> tuple[BloeffEvent, ...]:
        """Return the events that the step recorded in the state `after`."""
        # One step may include penalties and the red cards of several seats. So the step records
        # its events; they are not derived again from the two states.
        return after.news

    def default_action(self, state: BloeffState, seat: int) -> BloeffChoice:
        """Return the action played for a faulty seat (BO-28)."""
        return legality.default_action(state, self.options, seat)

    def placing(self, state: BloeffState) -> tuple[int, ...]:
        """Return the ranks by seat; fewest points rank first (BO-25)."""
        if state.phase is not _OVER:
            raise ValueError("the match is not over")
        return ending.ranks(state, self.options)

    def scores(self, state: BloeffState) -> tuple[int, ...]:
        """Return the points of the cards left in each hand; fewer are better (BO-24)."""
        if state.phase is not _OVER:
            raise ValueError("the match is not over")
        return ending.points(state, self.options)

    def longest(self, seat_count: int) -> int:
        """Return the largest number of actions: a play and all others' ballots per turn (BO-26)."""
        return self.options.max_turns * seat_count

    def _ballot(self, draft: Draft, seat: int, ballot: Ballot) -> None:
        """Record a sealed ballot; the last one closes the window (BO-F1 to BO-F3)."""
        ballots = (*draft.ballots[:seat], ballot.doubt, *draft.ballots[seat + 1 :])
        draft.ballots = ballots
        if ballots.count(None) > 1:
            return
        doubters = dealing.doubting(ballots)
        if not doubters:
            turns.accept(draft, self.options)
        elif len(doubters) == 1:
            turns.doubt(draft, self.options, doubters[0])
        elif self.options.doubt_choice == "turn_order":
            turns.doubt(draft, self.options, self._first_in_turn_order(draft, doubters))
        else:
            draft.phase = _DOUBTER

    def _first_in_turn_order(self, draft: Draft, doubters: tuple[int, ...]) -> int:
        """Return the doubter that is next in the direction of play."""
        seat_count = len(draft.ballots)
        return min(doubters, key=lambda seat: (seat - draft.on_turn) * draft.direction % seat_count)
