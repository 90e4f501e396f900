"""The encoding of Bluff for learners: docs/learn.md has its layout.

Action 0 is the doubt. The bet on q dice of face f (the star is 6) that lays out the dice `show` has
the id 1 + (6 (q - 1) + f - 1) S + s, with s the place of `show` among the S possible lay-outs:
fewest dice first, then by faces. Without the extension S is 1 and s is 0.
"""

from collections.abc import Mapping
from itertools import combinations_with_replacement
from math import comb
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from arena.games.bluff.bets import FACES, OPENING, TABLE_CAP, lowest_raises, track
from arena.games.bluff.game import Bluff
from arena.games.bluff.laying_out import lay_outs
from arena.games.bluff.values import Bet, BluffChoice, BluffView, Dice, Doubt, PlacedBet
from arena.games.encoding import EncodedField, Encoding, EncodingError

_FACES: Final = len(FACES)


class BluffEncoding(Encoding):
    """The encoding of Bluff at a fixed number of seats.

    It covers all options unless there are too many actions.
    """

    version: ClassVar[str] = "bluff-obs/1"

    def __init__(self, game: Bluff, seats: int, *, history: bool) -> None:
        options = game.options
        self._dice = options.dice_per_player
        self.most: Final = TABLE_CAP if options.bet_cap == "table" else seats * self._dice
        """The largest quantity of a bet."""
        # Lay-outs leave at least one die in the cup (BL-X2).
        laid = self._dice - 1 if options.show_and_reroll else 0
        self._ways = comb(laid + _FACES, _FACES)
        super().__init__(
            game,
            seats,
            history=history,
            fields=_fields(seats, self.most, showing=bool(laid), history=history),
            actions=1 + _FACES * self.most * self._ways,
        )
        self._shows: list[Dice] = [
            show
            for count in range(laid + 1)
            for show in combinations_with_replacement(FACES, count)
        ]
        self._place: dict[Dice, int] = {show: place for place, show in enumerate(self._shows)}

    def view(self, observation: NDArray[np.float32]) -> BluffView:
        """Return the view whose observation this is, from seat 0.

        Raises EncodingError without the history, and with the extension.
        """
        if not self.history or self._ways > 1:
            raise EncodingError(
                "a view of bluff follows only from observations with history, without the extension"
            )
        seen = {name: observation[at] for name, at in self.fields.items()}
        held = np.rint(seen["hidden_dice"] * self._dice).astype(int)
        counts = tuple(np.rint(seen["dice_counts"] * self._dice).astype(int).tolist())
        placed = dict(divmod(at, self.seats) for at in np.flatnonzero(seen["bets"]).tolist())
        bets = tuple(
            PlacedBet(placed[number], bet)
            for bet in track(self.most)
            if (number := self._bet(bet)) in placed
        )
        in_play, standing = sum(counts), bets[-1].bet if bets else None
        capped = self.game.options.bet_cap == "dice_in_play"
        return BluffView(
            seat=0,
            round=round(float(seen["round"][0]) * self.seats * self._dice),
            opener=int(seen["opener"].argmax()),
            to_act=int(seen["to_act"].argmax()),
            hidden_dice=tuple(face for face in FACES for _ in range(held[face - 1])),
            face_up=((),) * self.seats,
            dice_counts=counts,
            graveyard=self.seats * self._dice - in_play,
            bets=bets,
            lowest=OPENING if standing is None else lowest_raises(standing.quantity, standing.face),
            highest=in_play if capped else TABLE_CAP,
            can_doubt=standing is not None,
        )

    def action(self, number: int, seat: int | None = None) -> BluffChoice:  # noqa: ARG002 - names none
        """Return the action with an id."""
        if not 0 <= number < self.actions:
            raise self._no_id(number)
        if number == 0:
            return Doubt()
        bet, show = divmod(number - 1, self._ways)
        quantity, face = divmod(bet, _FACES)
        return Bet(quantity + 1, FACES[face], self._shows[show])

    def id(self, action: Any, seat: int | None = None) -> int:  # noqa: ARG002 - names none
        """Return the id of an action."""
        if type(action) is Doubt:
            return 0
        if type(action) is not Bet or not 1 <= action.quantity <= self.most:
            raise self._no_action(action)
        show = self._place.get(action.show)
        if show is None:
            raise self._no_action(action)
        return 1 + self._bet(action) * self._ways + show

    def _bet(self, bet: Bet) -> int:
        return _FACES * (bet.quantity - 1) + bet.face - 1

    def _seats_and_own(self, view: BluffView) -> tuple[int, int | None]:
        return len(view.dice_counts), view.seat

    def _observe(self, view: BluffView, into: Mapping[str, NDArray[np.float32]]) -> None:
        own, seats, dice = view.seat, self.seats, self._dice
        assert own is not None
        for face in view.hidden_dice:
            into["hidden_dice"][face - 1] += 1
        into["hidden_dice"] /= np.float32(dice)
        for seat, count in enumerate(view.dice_counts):
            into["dice_counts"][(seat - own) % seats] = count / dice
        into["round"][0] = view.round / (seats * dice)
        if view.opener is not None:
            into["opener"][(view.opener - own) % seats] = 1
        if view.to_act is not None:
            into["to_act"][(view.to_act - own) % seats] = 1
        if view.bets:
            bettor, bet = view.bets[-1]
            into["quantity"][0] = bet.quantity / self.most
            into["face"][bet.face - 1] = 1
            into["bettor"][(bettor - own) % seats] = 1
        if "face_up" in into:
            face_up = into["face_up"].reshape(seats, _FACES)
            for seat, laid in enumerate(view.face_up):
                for face in laid:
                    face_up[(seat - own) % seats, face - 1] += 1
            face_up /= np.float32(dice)
        if self.history:
            bets = into["bets"].reshape(-1, seats)
            for bettor, bet in view.bets:
                bets[self._bet(bet), (bettor - own) % seats] = 1
            if "shown" in into:
                shown = into["shown"].reshape(-1, _FACES)
                for _, bet in view.bets:
                    for face in bet.show:
                        shown[self._bet(bet), face - 1] += 1
                shown /= np.float32(dice)

    def _mask(self, view: BluffView, into: NDArray[np.uint8]) -> None:
        if view.seat != view.to_act:
            return
        into[0] = view.can_doubt
        by_bet = into[1:].reshape(self.most, _FACES, self._ways)
        ways: list[int] | slice = slice(None)
        if self._ways > 1:
            ways = [self._place[show] for show in lay_outs(view.hidden_dice)]
        for face, lowest in enumerate(view.lowest):
            by_bet[lowest - 1 : view.highest, face, ways] = 1


def _fields(seats: int, most: int, *, showing: bool, history: bool) -> list[EncodedField]:
    fields = [
        EncodedField(
            "hidden_dice", (_FACES,), "face", "the seat's dice under its cup / dice_per_player"
        ),
        EncodedField("dice_counts", (seats,), "seat", "dice left / dice_per_player"),
        EncodedField("round", (), "", "the number of the round / all dice of the match"),
        EncodedField("opener", (seats,), "seat", "1 for the seat that opens this round"),
        EncodedField("to_act", (seats,), "seat", "1 for the seat that is asked"),
        EncodedField(
            "quantity", (), "", "the standing bet's quantity / the largest; 0 without a bet"
        ),
        EncodedField("face", (_FACES,), "face", "1 for the standing bet's face"),
        EncodedField("bettor", (seats,), "seat", "1 for the seat that placed the standing bet"),
    ]
    if showing:
        fields.append(
            EncodedField(
                "face_up", (seats, _FACES), "seat × face", "dice laid out / dice_per_player"
            )
        )
    if history:
        fields.append(
            EncodedField(
                "bets",
                (most, _FACES, seats),
                "quantity × face × seat",
                "1 for the seat that placed this bet in this round",
            )
        )
    if history and showing:
        fields.append(
            EncodedField(
                "shown",
                (most, _FACES, _FACES),
                "quantity × face × face of the die",
                "dice laid out with this bet in this round / dice_per_player",
            )
        )
    return fields


ENCODING: Final = BluffEncoding
