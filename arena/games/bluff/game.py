"""The rules of Bluff; rule numbers (BL-...) are those of docs/games/bluff.md."""

from collections.abc import Iterator
from typing import ClassVar, Final

from arena.games.bluff import dealing
from arena.games.bluff.bets import (
    FACES,
    OPENING,
    TABLE_CAP,
    bounds_text,
    end_of_track,
    lowest_raises,
)
from arena.games.bluff.laying_out import lay_outs, without
from arena.games.bluff.options import BluffOptions
from arena.games.bluff.showdown import settle, settled
from arena.games.bluff.state import BluffPhase, BluffState, Starting, next_live, with_cup
from arena.games.bluff.values import (
    Bet,
    BetPlaced,
    BluffAction,
    BluffChoice,
    BluffEvent,
    BluffRoundStarted,
    BluffView,
    CupRoll,
    Dice,
    Doubt,
    Face,
    OpenerDraw,
    PlacedBet,
    Reroll,
    Showdown,
    StartingRoll,
    StartingRolled,
)
from arena.games.chance import ChanceOutcomes
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
from arena.named_tuples import maker
from arena.randomness import Randomness
from arena.wording import number_of

_DOUBT: Final = Doubt()
_LOWEST_BET: Final = Bet(1, Face.ONE)

# Read on every step; a module constant is found faster than an enum's member.
_BETTING: Final = BluffPhase.BETTING

_state, _view, _placed_bet = maker(BluffState), maker(BluffView), maker(PlacedBet)


class Bluff(Game[BluffOptions, BluffState, BluffAction, BluffView, BluffEvent]):
    """The game Bluff: bet on all dice while seeing only your own, or doubt the standing bet."""

    name: ClassVar[str] = "bluff"
    title: ClassVar[str] = "Bluff"
    options_type: ClassVar[type[Options]] = BluffOptions
    notation: ClassVar[Notation] = Notation(
        Bet, Doubt, StartingRoll, OpenerDraw, Reroll, roll=CupRoll
    )
    view_notation: ClassVar[ViewNotation] = ViewNotation(
        notation, BluffView, BluffChoice, BluffEvent, round_started=BluffRoundStarted
    )

    def __init__(self, options: BluffOptions) -> None:
        super().__init__(options)
        self._cap = TABLE_CAP if options.bet_cap == "table" else None
        self._showing = options.show_and_reroll
        self._dice_per_player = options.dice_per_player

    def start(self, seat_count: int) -> BluffState:
        """Return the state before the first roll."""
        self.check_seats(seat_count)
        rolling = self.options.start_mode == "roll"
        empty: tuple[Dice, ...] = ((),) * seat_count
        return BluffState(
            phase=BluffPhase.STARTING_ROLL if rolling else BluffPhase.ROLL,
            round=0 if rolling else 1,
            opener=None if rolling else 0,
            turn=None,
            hidden=empty,
            face_up=empty,
            dice_counts=(self.options.dice_per_player,) * seat_count,
            out_in=(0,) * seat_count,
            bets=(),
            starting=Starting(1, tuple(range(seat_count))) if rolling else None,
        )

    def to_act(self, state: BluffState) -> ToAct:
        """Return the seat that bets or doubts, or the dealer."""
        if state.phase is _BETTING and state.turn is not None:
            return (state.turn,)
        return () if state.phase is BluffPhase.OVER else DEALER

    def draw(self, state: BluffState, randomness: Randomness) -> BluffAction:
        """Return the dealer's roll or choice of the opener."""
        return dealing.draw(self.options, state, randomness)

    def chance_outcomes(self, state: BluffState) -> ChanceOutcomes[BluffAction]:
        """Return the distribution of `draw`, or a sampler if there are too many outcomes."""
        return dealing.chance_outcomes(self.options, state)

    def legal_actions(self, state: BluffState, seat: int) -> Iterator[BluffChoice]:
        """Return an iterator over a seat's doubt and bets, with the lay-outs that options allow."""
        return self.choices(self.view(state, seat))

    def choices(self, view: BluffView) -> Iterator[BluffChoice]:
        """Yield the legal answers of the view's own seat: a doubt first, then ascending bets."""
        if view.seat is None or view.seat != view.to_act:
            return
        if view.can_doubt:
            yield _DOUBT
        bets = end_of_track(view.lowest, view.highest)
        if not self._showing:
            yield from bets
            return
        shows = lay_outs(view.hidden_dice)
        for bet in bets:
            for show in shows:
                yield Bet(bet.quantity, bet.face, show)

    def legal_hint(self, state: BluffState, seat: int) -> str:
        """Return a sentence that says what is legal for a seat now."""
        if state.phase is BluffPhase.OVER:
            return "The match is over."
        if state.phase is not _BETTING:
            return "The dealer draws now; no seat acts."
        if seat != state.turn:
            return f"Seat {state.turn} is on turn; others wait."
        view = self.view(state, seat)
        bets = bounds_text(view.lowest, view.highest)
        showing = self._showing and len(state.hidden[seat]) > 1
        most = number_of(len(state.hidden[seat]) - 1, "die", "dice")
        lay_out = f", laying out at most {most}" if showing else ""
        if not state.bets:
            return f"Legal is a bet of {bets}{lay_out}."
        return f"Legal is to doubt, or a bet of {bets}{lay_out}." if bets else "Legal is to doubt."

    def apply(self, state: BluffState, actor: Actor, action: BluffAction) -> BluffState:
        """Return the state after a bet, a doubt or a draw."""
        if actor is DEALER:
            return dealing.apply_draw(self.options, state, action)
        if state.phase is not _BETTING or actor != state.turn:
            raise IllegalActionError(self.legal_hint(state, actor))
        if type(action) is Bet:
            return self._apply_bet(state, actor, action)
        if type(action) is not Doubt:
            raise self._refusal(state, actor, "A seat bets or doubts")
        if not state.bets:
            raise self._refusal(state, actor, "There is no bet to doubt")
        return settled(state, settle(state, actor))

    def view(self, state: BluffState, seat: int | None) -> BluffView:
        """Return the view of one seat, or of the spectator (BL-29)."""
        betting = state.phase is _BETTING
        in_play = sum(state.dice_counts)
        standing = state.bets[-1].bet if state.bets else None
        return _view(
            (
                seat,
                state.round,
                state.opener,
                state.turn if betting else None,
                () if seat is None else state.hidden[seat],
                state.face_up,
                state.dice_counts,
                len(state.dice_counts) * self._dice_per_player - in_play,
                state.bets,
                OPENING if standing is None else lowest_raises(standing.quantity, standing.face),
                (self._cap or in_play) if betting else 0,
                betting and standing is not None,
            )
        )

    def events(
        self, before: BluffState, actor: Actor, action: BluffAction, after: BluffState
    ) -> tuple[BluffEvent, ...]:
        """Return the event of a bet, a showdown or an opening roll; re-rolls have no event."""
        if actor is not DEALER:
            if type(action) is Bet:
                return (BetPlaced(actor, action),)
            end = settle(before, actor)
            bet = before.bets[-1].bet
            return (
                Showdown(actor, end.bettor, bet, end.dice, end.actual, end.losses, end.next_opener),
            )
        if type(action) is CupRoll and after.opener is not None:
            return (BluffRoundStarted(after.round, after.opener, after.dice_counts),)
        if type(action) is StartingRoll:
            return (StartingRolled(action.dice, after.opener),)
        return ()

    def default_action(self, state: BluffState, seat: int) -> BluffChoice:  # noqa: ARG002 - the same for all
        """Return a doubt if a bet stands, else the lowest bet (BL-31)."""
        return _DOUBT if state.bets else _LOWEST_BET

    def placing(self, state: BluffState) -> tuple[int, ...]:
        """Return the ranks: the winner first, then by the round of going out, later is better."""
        if state.phase is not BluffPhase.OVER:
            raise ValueError("the match is not over")
        # No seat goes out in a round that was not played, so the last live seat ranks first.
        return competition_ranking([out_in or state.round + 1 for out_in in state.out_in])

    def scores(self, state: BluffState) -> tuple[int, ...]:
        """Return the dice that each seat has left: the winner's margin, 0 for all others."""
        if state.phase is not BluffPhase.OVER:
            raise ValueError("the match is not over")
        return state.dice_counts

    def longest(self, seat_count: int) -> int:
        """Return the largest number of actions: all bets and a doubt per round (BL-28).

        Each round costs at least one die.
        """
        dice = seat_count * self.options.dice_per_player
        return sum(len(FACES) * (self._cap or in_play) + 1 for in_play in range(2, dice + 1))

    def _apply_bet(self, state: BluffState, seat: int, bet: Bet) -> BluffState:
        quantity, face = bet.quantity, bet.face
        # Exact types: 1.0, True and the faces of another game compare equal to legal values.
        if type(quantity) is not int or type(face) is not Face:
            raise self._refusal(state, seat, "A bet is a whole number and a face")
        standing = state.bets[-1].bet if state.bets else None
        lowest = OPENING if standing is None else lowest_raises(standing.quantity, standing.face)
        if quantity < lowest[face - 1]:
            raise self._refusal(state, seat, "This bet is too low")
        if quantity > (self._cap or sum(state.dice_counts)):
            raise self._refusal(state, seat, "This bet is above the largest quantity")
        show = bet.show
        hidden, face_up, phase, turn = state.hidden, state.face_up, _BETTING, seat
        if type(show) is tuple and not show:
            turn = next_live(state.dice_counts, seat)
        else:
            left = self._left_hidden(state, seat, show)
            hidden = with_cup(hidden, seat, left)
            face_up = with_cup(face_up, seat, tuple(sorted(face_up[seat] + show)))
            phase = BluffPhase.REROLL
        return _state(
            (
                phase,
                state.round,
                state.opener,
                turn,
                hidden,
                face_up,
                state.dice_counts,
                state.out_in,
                (*state.bets, _placed_bet((seat, bet))),
                None,
            )
        )

    def _left_hidden(self, state: BluffState, seat: int, show: object) -> Dice:
        """Return the dice that stay hidden if `show` is laid out (BL-X2).

        Raises IllegalActionError.
        """
        if not self._showing:
            raise self._refusal(state, seat, "Dice are laid out only with show_and_reroll")
        hidden = state.hidden[seat]
        if type(show) is not tuple or any(type(face) is not Face for face in show):
            raise self._refusal(state, seat, "Dice laid out are faces")
        if len(show) >= len(hidden):
            raise self._refusal(state, seat, "At least one die must stay hidden")
        # Each action has one form; otherwise equal bets could be unequal values.
        if list(show) != sorted(show):
            raise self._refusal(state, seat, "Dice laid out are given in ascending order")
        left = without(hidden, show)
        if left is None:
            raise self._refusal(state, seat, "Only own hidden dice can be laid out")
        return left

    def _refusal(self, state: BluffState, seat: int, reason: str) -> IllegalActionError:
        return IllegalActionError(f"{reason}.", self.legal_hint(state, seat))
