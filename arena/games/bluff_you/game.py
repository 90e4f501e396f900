"""The rules of Bluff You!; rule numbers (BY-...) are those of docs/games/bluff_you.md."""

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from arena.games.bluff_you.events import events, winner
from arena.games.bluff_you.legality import BELIEVE, STOP, Legality
from arena.games.bluff_you.options import BluffYouOptions
from arena.games.bluff_you.rolls import ROLLS, drawn, rolled
from arena.games.bluff_you.state import (
    ANNOUNCE,
    ANSWER,
    GIVE,
    OVER,
    ROLL,
    SWAP_AGAIN,
    TAKE,
    BluffYouState,
    moved,
    next_turn,
    replaced,
    with_chip,
    without_chip,
    worth,
)
from arena.games.bluff_you.values import (
    CHIPS,
    Answer,
    BluffYouAction,
    BluffYouAnnouncement,
    BluffYouChoice,
    BluffYouEvent,
    BluffYouView,
    Give,
    Roll,
    Steal,
    Stop,
    Swap,
    Take,
    Win,
)
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
from arena.games.view_notation import ViewNotation
from arena.randomness import Randomness


class BluffYou(Game[BluffYouOptions, BluffYouState, BluffYouAction, BluffYouView, BluffYouEvent]):
    """The game Bluff You!: announce the sum of hidden dice to win the chip of that number."""

    name: ClassVar[str] = "bluff_you"
    title: ClassVar[str] = "Bluff You!"
    options_type: ClassVar[type[Options]] = BluffYouOptions
    notation: ClassVar[Notation] = Notation(Win, Steal, Swap, Answer, Give, Take, Stop, Roll)
    view_notation: ClassVar[ViewNotation] = ViewNotation(
        notation, BluffYouView, BluffYouChoice, BluffYouEvent
    )

    def __init__(self, options: BluffYouOptions) -> None:
        super().__init__(options)
        self._legality = Legality(options)
        self._any_chip = options.steal_takes == "any_chip"

    def start(self, seat_count: int) -> BluffYouState:
        """Return the state before the first roll."""
        self.check_seats(seat_count)
        return BluffYouState(
            turn=1,
            bluffer=self.options.first_bluffer,
            phase=ROLL,
            dice=(),
            announced=None,
            believed=None,
            swaps=0,
            no_win_turns=0,
            centre=CHIPS,
            chips=((),) * seat_count,
        )

    def to_act(self, state: BluffYouState) -> ToAct:
        """Return the seat that is asked, or the dealer."""
        seat = state.asked
        if seat is not None:
            return (seat,)
        return DEALER if state.phase is ROLL else ()

    def draw(self, state: BluffYouState, randomness: Randomness) -> BluffYouAction:
        """Return the roll of the turn. Raises ValueError if no roll is due."""
        if state.phase is not ROLL:
            raise ValueError("there is nothing to draw now")
        return drawn(state.turn, randomness)

    def chance_outcomes(self, state: BluffYouState) -> ChanceOutcomes[BluffYouAction]:
        """Return the uniform distribution of the 216 rolls. Raises ValueError if no roll is due."""
        if state.phase is not ROLL:
            raise ValueError("there is nothing to draw now")
        return equally_likely(ROLLS)

    def legal_actions(self, state: BluffYouState, seat: int) -> Iterator[BluffYouChoice]:
        """Return an iterator over the legal actions of a seat that is asked now."""
        return self.choices(self.view(state, seat))

    def choices(self, view: BluffYouView) -> Iterator[BluffYouChoice]:
        """Return an iterator over the legal actions of the view's own seat."""
        return self._legality.choices(view)

    def legal_hint(self, state: BluffYouState, seat: int) -> str:
        """Return a sentence that says what is legal for a seat now."""
        return self._legality.hint(state, seat)

    def apply(self, state: BluffYouState, actor: Actor, action: BluffYouAction) -> BluffYouState:
        """Return the state after an action of a seat or a roll."""
        if actor is DEALER:
            return rolled(state, action)
        phase, asked = state.phase, state.asked
        # Types are exact, here and below: True and 1.0 compare equal to seats and numbers.
        if asked is None or type(actor) is not int or actor != asked:
            raise IllegalActionError(self.legal_hint(state, actor))
        if phase is ANNOUNCE:
            if type(action) is Win or type(action) is Steal:
                return self._announce(state, action)
            if type(action) is Swap:
                return self._swap(state, action)
            raise self._refusal(state, "A turn is a win attempt, a steal attempt or a swap")
        if phase is ANSWER:
            if type(action) is not Answer or type(action.believe) is not bool:
                raise self._refusal(state, "The seer must answer")
            return self._answer(state, action.believe)
        if phase is GIVE or phase is TAKE:
            return self._choose(state, action)
        if type(action) is Swap:
            return self._swap(state, action)
        if type(action) is not Stop:
            raise self._refusal(state, "After a swap the bluffer swaps again or stops")
        return next_turn(state, state.centre, state.chips, progress=False)

    def view(self, state: BluffYouState, seat: int | None) -> BluffYouView:
        """Return the view of one seat, or of the spectator (BY-24)."""
        legality, phase, bluffer = self._legality, state.phase, state.bluffer
        points, chips = legality.points, state.chips
        # Between the reveal and the end of the turn the dice are public.
        shown = seat == bluffer or phase is GIVE or phase is TAKE or phase is SWAP_AGAIN
        announcing = phase is ANNOUNCE and seat == bluffer
        return BluffYouView(
            seat,
            phase,
            state.turn,
            bluffer,
            state.asked,
            state.dice if shown else (),
            state.announced,
            state.believed,
            state.centre,
            chips,
            tuple([worth(points, own) for own in chips]),
            state.no_win_turns,
            legality.no_win_limit(len(chips)),
            legality.win_numbers(state) if announcing else (),
            announcing and legality.can_steal(state),
            legality.swap_targets(state) if seat == bluffer else (),
        )

    def events(
        self,
        before: BluffYouState,
        actor: Actor,  # noqa: ARG002 - the state determines its one actor
        action: BluffYouAction,
        after: BluffYouState,
    ) -> tuple[BluffYouEvent, ...]:
        """Return the public events of a step, with the dice once they are shown."""
        return events(before, action, after)

    def default_action(self, state: BluffYouState, seat: int) -> BluffYouChoice:
        """Return the action played for a faulty seat (BY-27).

        To announce: a win attempt for the smallest number of the centre to the next seat. To
        answer: "Ok!". To give: the cheapest chip. To take: the announced chip. No further swap.
        """
        phase = state.phase
        if phase is ANSWER:
            return BELIEVE
        if phase is GIVE:
            # Chips are ascending; among the cheapest, the first is given.
            return Give(min(state.chips[seat], key=self._legality.points.__getitem__))
        if phase is TAKE:
            return Take(state.said.number)
        if phase is SWAP_AGAIN:
            return STOP
        return Win((seat + 1) % len(state.chips), state.centre[0])

    def placing(self, state: BluffYouState) -> tuple[int, ...]:
        """Return the ranks by points, and among equal points by fewer chips (BY-21)."""
        scores = self.scores(state)
        return competition_ranking(
            [(score, -len(own)) for score, own in zip(scores, state.chips, strict=True)]
        )

    def scores(self, state: BluffYouState) -> tuple[int, ...]:
        """Return the points of the chips that each seat owns (BY-21)."""
        if state.phase is not OVER:
            raise ValueError("the match is not over")
        return tuple([worth(self._legality.points, own) for own in state.chips])

    def longest(self, seat_count: int) -> int:
        """Return the largest number of actions in a match (BY-23).

        Every win attempt raises the points owned, and the turns between two of them are limited. A
        win attempt is two actions, a steal attempt at most three, a turn of swaps one per swap.
        """
        points = self.options.chip_points
        other_turn = max(3, self.options.swap_max_per_turn)
        return (sum(points) // min(points)) * (
            2 + self._legality.no_win_limit(seat_count) * other_turn
        )

    def _announce(self, state: BluffYouState, announced: BluffYouAnnouncement) -> BluffYouState:
        reason = self._legality.announcement_refusal(state, announced)
        if reason is not None:
            raise self._refusal(state, reason)
        return replace(state, phase=ANSWER, announced=announced)

    def _answer(self, state: BluffYouState, believed: bool) -> BluffYouState:
        announced, bluffer = state.said, state.bluffer
        seer, number = announced.seer, announced.number
        centre, chips = state.centre, state.chips
        won_by = winner(state, believed)
        if type(announced) is Win:
            if number not in centre:
                return next_turn(state, centre, chips, progress=False)
            won = replaced(chips, won_by, with_chip(chips[won_by], number))
            return next_turn(state, without_chip(centre, number), won, progress=True)
        if won_by == bluffer:
            if self._any_chip and len(chips[seer]) > 1:
                return replace(state, phase=TAKE, believed=believed)
            return next_turn(state, centre, moved(chips, number, seer, bluffer), progress=False)
        own = chips[bluffer]
        if len(own) > 1:
            return replace(state, phase=GIVE, believed=believed)
        return next_turn(state, centre, moved(chips, own[0], bluffer, seer), progress=False)

    def _choose(self, state: BluffYouState, action: BluffYouAction) -> BluffYouState:
        giving = state.phase is GIVE
        if not ((type(action) is Give and giving) or (type(action) is Take and not giving)):
            raise self._refusal(
                state, "The bluffer must give a chip" if giving else "The bluffer must take a chip"
            )
        number = action.number
        if type(number) is not int or number not in self._legality.owed(state):
            raise self._refusal(state, "This chip cannot be chosen")
        ends = (state.bluffer, state.said.seer) if giving else (state.said.seer, state.bluffer)
        return next_turn(state, state.centre, moved(state.chips, number, *ends), progress=False)

    def _swap(self, state: BluffYouState, swap: Swap) -> BluffYouState:
        reason = self._legality.swap_refusal(state, swap)
        if reason is not None:
            raise self._refusal(state, reason)
        bluffer, give, take = state.bluffer, swap.give, swap.take
        kept = tuple([number for number in state.chips[bluffer] if number not in give])
        chips = replaced(state.chips, bluffer, with_chip(kept, take))
        centre = tuple(sorted((*without_chip(state.centre, take), *give)))
        swaps = state.swaps + 1
        if swaps < self.options.swap_max_per_turn:
            again = replace(state, phase=SWAP_AGAIN, swaps=swaps, centre=centre, chips=chips)
            # A seat is asked to swap again only if it has a legal swap.
            if self._legality.swap_targets(again):
                return again
        return next_turn(state, centre, chips, progress=False)

    def _refusal(self, state: BluffYouState, reason: str) -> IllegalActionError:
        # The text never contains the refused value, which may be too long to print.
        return IllegalActionError(f"{reason}.", self._legality.hint(state, state.asked))
