"""The rules of Skull; rule numbers (SK-...) are those of docs/games/skull.md."""

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar, Final

from arena.games.chance import ChanceOutcomes, equally_likely
from arena.games.game import (
    DEALER,
    Actor,
    Game,
    IllegalActionError,
    Options,
    ToAct,
    competition_ranking,
)
from arena.games.notation import Notation
from arena.games.skull.options import SkullOptions
from arena.games.skull.playing import step
from arena.games.skull.state import SkullState
from arena.games.skull.values import (
    NO_DISCS,
    Bid,
    Disc,
    Discs,
    DrawnLoss,
    FirstSeat,
    Lose,
    Pass,
    Place,
    SkullAction,
    SkullChoice,
    SkullEvent,
    SkullPhase,
    SkullRoundStarted,
    SkullView,
    TurnOver,
)
from arena.games.view_notation import ViewNotation
from arena.randomness import Randomness
from arena.wording import one_of

_ASKED: Final = {
    SkullPhase.PLACE: "Lay the first disc of the round",
    SkullPhase.TURN: "Add a disc, or bid",
    SkullPhase.RAISE: "Raise the bid, or pass",
    SkullPhase.CHALLENGE: "Turn over another seat's disc",
    SkullPhase.LOSE: "Choose the disc to lose",
}
"""The task of a seat in each phase, for the reason in a refusal."""


class Skull(Game[SkullOptions, SkullState, SkullAction, SkullView, SkullEvent]):
    """The game Skull: bid how many discs you can turn over without a skull, your own mat first."""

    name: ClassVar[str] = "skull"
    title: ClassVar[str] = "Skull"
    options_type: ClassVar[type[Options]] = SkullOptions
    notation: ClassVar[Notation] = Notation(Place, Bid, Pass, TurnOver, Lose, FirstSeat, DrawnLoss)
    view_notation: ClassVar[ViewNotation] = ViewNotation(
        notation, SkullView, SkullChoice, SkullEvent, round_started=SkullRoundStarted
    )

    def start(self, seat_count: int) -> SkullState:
        """Return the state before the first draw or disc."""
        self.check_seats(seat_count)
        drawn = self.options.first == "drawn"
        return SkullState(
            phase=SkullPhase.FIRST if drawn else SkullPhase.PLACE,
            round=1,
            opener=0,
            on_turn=0,
            owned=(Discs(self.options.flowers, 1),) * seat_count,
            mats=((),) * seat_count,
            turned=(0,) * seat_count,
            bid=0,
            bidder=None,
            passed=(False,) * seat_count,
            points=(0,) * seat_count,
            skull_of=None,
            out_in=(0,) * seat_count,
        )

    def to_act(self, state: SkullState) -> ToAct:
        """Return the seats without a first disc, the seat on turn, or the dealer."""
        match state.phase:
            case SkullPhase.FIRST | SkullPhase.LOSS:
                return DEALER
            case SkullPhase.OVER:
                return ()
            case SkullPhase.PLACE:
                return tuple([s for s in state.seats if state.plays(s) and not state.mats[s]])
            case _:
                return (state.on_turn,)

    def draw(self, state: SkullState, randomness: Randomness) -> SkullAction:
        """Return the drawn opener or lost disc. Raises ValueError if no draw is due."""
        if state.phase is SkullPhase.FIRST:
            return FirstSeat(randomness.below("first", len(state.owned)))
        if state.phase is not SkullPhase.LOSS:
            raise ValueError("there is nothing to draw now")
        owned = state.owned[state.on_turn]
        drawn = randomness.below(f"round {state.round} loss", owned.count)
        return DrawnLoss(Disc.FLOWER if drawn < owned.flowers else Disc.SKULL)

    def chance_outcomes(self, state: SkullState) -> ChanceOutcomes[SkullAction]:
        """Return the distribution of `draw`. Raises ValueError if no draw is due."""
        if state.phase is SkullPhase.FIRST:
            return equally_likely([FirstSeat(seat) for seat in state.seats])
        if state.phase is not SkullPhase.LOSS:
            raise ValueError("there is nothing to draw now")
        owned = state.owned[state.on_turn]
        numbers = {Disc.FLOWER: owned.flowers, Disc.SKULL: owned.skulls}
        return {DrawnLoss(disc): Fraction(numbers[disc], owned.count) for disc in owned.kinds()}

    def legal_actions(self, state: SkullState, seat: int) -> Iterator[SkullChoice]:
        """Return an iterator over the legal actions of a seat that is asked now."""
        return self.choices(self.view(state, seat))

    def choices(self, view: SkullView) -> Iterator[SkullChoice]:
        """Yield the legal actions of the view's own seat, each once."""
        if view.seat is None or view.seat not in view.to_act:
            return
        if view.phase in (SkullPhase.PLACE, SkullPhase.TURN):
            yield from map(Place, view.hand.kinds())
        if view.phase in (SkullPhase.TURN, SkullPhase.RAISE):
            if view.bid:
                yield Pass()
            yield from map(Bid, range(view.bid + 1, sum(view.mats) + 1))
        if view.phase is SkullPhase.CHALLENGE:
            for seat, (mat, turned) in enumerate(zip(view.mats, view.turned, strict=True)):
                if mat > len(turned):
                    yield TurnOver(seat)
        if view.phase is SkullPhase.LOSE:
            yield from map(Lose, view.hand.kinds())

    def legal_hint(self, state: SkullState, seat: int) -> str:
        """Return a sentence that lists a seat's legal actions, with bids as a range."""
        legal = [str(action) for action in self.legal_actions(state, seat)]
        if not legal:
            return "Nothing is asked of this seat."
        bids = [text for text in legal if text.startswith("bid")]
        if len(bids) > 2:
            legal = [text for text in legal if text not in bids]
            legal.append(f"{bids[0]} to {bids[-1].removeprefix('bid ')}")
        return f"Legal: {one_of(legal)}."

    def apply(self, state: SkullState, actor: Actor, action: SkullAction) -> SkullState:
        """Return the state after an action."""
        self._check(state, actor, action)
        return step(state, actor, action, self.options)[0]

    def events(
        self,
        before: SkullState,
        actor: Actor,
        action: SkullAction,
        after: SkullState,  # noqa: ARG002 - it follows from the others
    ) -> tuple[SkullEvent, ...]:
        """Return the public events of a step."""
        return step(before, actor, action, self.options)[1]

    def _check(self, state: SkullState, actor: Actor, action: SkullAction) -> None:
        asked = self.to_act(state)
        if actor is DEALER:
            # A disc cannot be confused with a seat: both are compared by type.
            if asked is not DEALER or not _is_one_of(action, self.chance_outcomes(state)):
                raise IllegalActionError("This is not drawn now.")
            return
        if asked is DEALER or type(actor) is not int or actor not in asked:
            raise IllegalActionError("Nothing is asked of this seat.")
        if not _is_one_of(action, self.legal_actions(state, actor)):
            reason = f"{_ASKED[state.phase]}."
            raise IllegalActionError(reason, self.legal_hint(state, actor))

    def view(self, state: SkullState, seat: int | None) -> SkullView:
        """Return the view of one seat, or of the spectator (SK-3, SK-13)."""
        asked = self.to_act(state)
        return SkullView(
            seat=seat,
            phase=state.phase,
            round=state.round,
            opener=state.opener,
            to_act=() if asked is DEALER else asked,
            hand=NO_DISCS if seat is None else state.hand(seat),
            own_mat=() if seat is None else state.mats[seat],
            discs=tuple([owned.count for owned in state.owned]),
            mats=tuple([len(mat) for mat in state.mats]),
            turned=tuple(
                [mat[::-1][:turned] for mat, turned in zip(state.mats, state.turned, strict=True)]
            ),
            bid=state.bid,
            bidder=state.bidder,
            passed=state.passed,
            points=state.points,
        )

    def default_action(self, state: SkullState, seat: int) -> SkullChoice:
        """Return the action played for a faulty seat (SK-17).

        It lays or loses a flower before the skull, bids as low as possible if the hand is empty,
        passes instead of raising, and turns over a disc of the next mat clockwise.
        """
        if state.phase is SkullPhase.RAISE:
            return Pass()
        if state.phase is SkullPhase.CHALLENGE:
            return TurnOver(next(s for s in state.clockwise(seat) if state.face_down(s)))
        return next(self.legal_actions(state, seat))

    def placing(self, state: SkullState) -> tuple[int, ...]:
        """Return the ranks: the winner, then by points, discs and round of going out (SK-16)."""
        points = self.scores(state)
        alone = sum(map(state.plays, state.seats)) == 1
        return competition_ranking(
            [
                (
                    state.plays(seat) if alone else points[seat] == self.options.points_to_win,
                    points[seat],
                    state.owned[seat].count,
                    state.out_in[seat],
                )
                for seat in state.seats
            ]
        )

    def scores(self, state: SkullState) -> tuple[int, ...]:
        """Return the points of each seat.

        The last seat with discs may win with fewer points than others (SK-15).
        """
        if state.phase is not SkullPhase.OVER:
            raise ValueError("the match is not over")
        return state.points

    def longest(self, seat_count: int) -> int:
        """Return the largest number of actions in a match (SK-18).

        A round gives a point or takes a disc. In a round, every disc is laid and turned over at
        most once, every number bid at most once, every seat passes at most once, and at most one
        disc is lost.
        """
        discs = seat_count * (self.options.flowers + 1)
        rounds = seat_count * (self.options.points_to_win - 1) + 1 + discs
        return rounds * (3 * discs + seat_count + 1)


def _is_one_of(action: object, legal: object) -> bool:
    """Return whether an action is in `legal` with exact types, as True and 1.0 equal 1."""
    return any(
        type(action) is type(one) and action == one and repr(action) == repr(one)
        for one in legal  # type: ignore[attr-defined]
    )
