"""The parameters of Blöff, with the names and defaults of its specification."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from arena.games.bloeff.deck import DealRow, DeckRow, deal_flaw, deck_flaw
from arena.games.bloeff.tables import house_deal, house_deck
from arena.games.game import Options

HIGHEST_ANNOUNCEMENT = 99
"""The largest announcement under `announce_range = any`."""

Limit = Annotated[int, Field(ge=0, le=HIGHEST_ANNOUNCEMENT)]


class BloeffOptions(Options):
    """The options of Blöff; those with a single allowed value record house decisions by name.

    The card tables are values here, not paths, so that the recorded options are complete.
    """

    players_min: int = Field(default=2, ge=2, le=10)
    players_max: int = Field(default=6, ge=2, le=10)
    deck: tuple[DeckRow, ...] = Field(
        default_factory=house_deck,
        min_length=1,
        description="kinds of cards and their counts (BO-2)",
    )
    deal: tuple[DealRow, ...] = Field(
        default_factory=house_deal, description="cards dealt to each seat (BO-4)"
    )
    limits: tuple[Limit, ...] = Field(
        default=(10, 8, 6, 4, 2, 0), min_length=1, description="largest total by round (BO-3)"
    )
    first_seat: int = Field(default=0, ge=0, description="who begins the match (BO-5)")
    below_zero: Literal["floor", "bluff"] = Field(
        default="floor",
        description="a sum below 0 is honestly announced as 0, or cannot be honest (BO-7)",
    )
    announce_range: Literal["plausible", "any"] = Field(
        default="plausible",
        description="totals that some card could make, or everything from 0 to 99 (BO-12)",
    )
    doubt_penalty: int = Field(
        default=2, ge=0, le=52, description="cards for the one who was wrong (BO-21)"
    )
    bust_penalty: int = Field(default=2, ge=0, le=52, description="cards for a bust (BO-17)")
    call_penalty: int = Field(default=2, ge=0, le=52, description="cards for a missed call (BO-16)")
    call_mode: Literal["explicit", "auto"] = Field(
        default="explicit", description="a seat calls, or the referee for it (BO-16)"
    )
    draw2_ends_turn: bool = Field(default=False, description="a draw2 costs the turn too (BO-9)")
    caught_card_returns: bool = Field(
        default=False, description="a bluffer takes the card back as well (BO-21)"
    )
    doubt_choice: Literal["random", "turn_order"] = Field(
        default="random", description="whose doubt counts if several doubt (BO-F3)"
    )
    doubt_window: Literal["platform_clock"] = "platform_clock"
    publish_ballots: Literal["chosen", "all"] = Field(
        default="chosen", description="which doubts everybody learns afterwards (BO-F2)"
    )
    points_blue: int = Field(
        default=1, ge=0, le=1_000, description="points of a blue number card (BO-24)"
    )
    points_other: int = Field(
        default=2, ge=0, le=1_000, description="points of any other card (BO-24)"
    )
    final_tie: Literal["shared", "fewest_cards"] = Field(
        default="shared", description="equal points share a rank, or fewer cards win (BO-25)"
    )
    max_turns: int = Field(
        default=200, ge=1, le=10_000, description="the match ends after so many turns (BO-23)"
    )
    red_order: Literal["oldest_first"] = "oldest_first"
    skips_per_turn: Literal[1] = 1
    red_stacking: Literal[True] = True
    red_target_self: Literal[False] = False
    total_after_action: Literal["unchanged"] = "unchanged"
    needless_call: Literal["ignored"] = "ignored"
    voluntary_bust: Literal["allowed"] = "allowed"
    bust_card_shown: Literal[False] = False
    last_card_doubtable: Literal[True] = True
    last_action_effect: Literal[False] = False
    direction_reset: Literal[False] = False
    recycle: Literal["centre_when_empty"] = "centre_when_empty"
    front_cards_score: Literal[0] = 0
    silent_action: Literal["smallest_number_honest"] = "smallest_number_honest"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.first_seat >= self.players_min:
            raise ValueError("first_seat must exist at players_min seats")
        if any(low >= high for high, low in zip(self.limits, self.limits[1:], strict=False)):
            raise ValueError("limits must fall from round to round")
        if (flaw := deck_flaw(self.deck)) is not None:
            raise ValueError(f"deck, row {flaw[0] + 1}: {flaw[1]}")
        if (flaw := deal_flaw(self.deal)) is not None:
            raise ValueError(f"deal, row {flaw[0] + 1}: {flaw[1]}")
        dealt = {row.seats for row in self.deal}
        for seats in range(self.players_min, self.players_max + 1):
            if seats not in dealt:
                raise ValueError(f"deal has no row for {seats} seats")
        return self

    def cards_dealt(self, seat_count: int) -> int:
        """Return the size of every hand after the deal."""
        return next(row.cards for row in self.deal if row.seats == seat_count)
