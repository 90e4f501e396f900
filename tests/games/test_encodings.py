"""What every encoding promises: ids of all legal actions, true masks, and no secret of another."""

import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from arena.games import KITS
from arena.games.bloeff import BloeffView, Number
from arena.games.bloeff.tables import house_deck
from arena.games.bloeff.values import HIGHEST_VALUE, LOWEST_VALUE
from arena.games.bluff import Bet, BluffOptions, Doubt, Face
from arena.games.bluff_you import BluffYouView
from arena.games.game import DEALER
from arena.learn import EncodedField, Encoding, EncodingError, encoding
from tests.games.contract import HOOKS, Case, cases, playout
from tests.thoroughness import tries
from tools.encoding_tables import PAGE, with_tables

ENCODED = {name: hooks for name, hooks in HOOKS.items() if KITS[name].part("encoding")}
POSITIONS = tries(60, quick=15)
"""The states that are looked at in each case: few, because masks are long."""

every_case = pytest.mark.parametrize("case", cases(ENCODED), ids=str)


@cache
def encoding_of(case: Case) -> Encoding:
    return encoding(case.name, case.seats, history=True, **dict(case.options))


@cache
def positions(case: Case) -> list[Any]:
    """Some states of random matches."""
    states = [step.before for seed in range(2) for step in playout(case, seed)]
    return Random(1).sample(states, min(POSITIONS, len(states)))


@every_case
def test_masks_are_the_legal_actions_and_ids_lead_back_to_them(case: Case) -> None:
    game, encoded = case.game, encoding_of(case)
    for state in positions(case):
        for seat in range(case.seats):
            legal = set(game.choices(game.view(state, seat)))
            ids = np.flatnonzero(encoded.mask(game.view(state, seat)))
            assert {encoded.action(int(each), seat) for each in ids} == legal
            assert [encoded.id(encoded.action(int(each), seat), seat) for each in ids] == list(ids)


@every_case
def test_every_id_is_that_of_one_action(case: Case) -> None:
    encoded = encoding_of(case)
    for number in Random(2).sample(range(encoded.actions), min(2_000, encoded.actions)):
        assert encoded.id(encoded.action(number, 1), 1) == number
    for number in (-1, encoded.actions):
        with pytest.raises(EncodingError, match=f"ids are 0 to {encoded.actions - 1}"):
            encoded.action(number, 0)


@every_case
@pytest.mark.parametrize("history", [False, True])
def test_others_secrets_change_no_byte(case: Case, history: bool) -> None:
    game = case.game
    encoded = encoding(case.name, case.seats, history=history, **dict(case.options))
    random, changed = Random(3), 0
    for state in positions(case):
        if game.to_act(state) is DEALER:
            continue
        for seat in range(case.seats):
            other = case.hooks.vary_secrets(game, state, seat, random)
            changed += other != state
            view, same = game.view(state, seat), game.view(other, seat)
            assert encoded.observe(view).tobytes() == encoded.observe(same).tobytes()
            assert encoded.mask(view).tobytes() == encoded.mask(same).tobytes()
    assert changed


@every_case
def test_fields_fill_the_observation_and_keep_their_range(case: Case) -> None:
    game, encoded = case.game, encoding_of(case)
    assert [encoded.fields[part.name] for part in encoded.parts] == list(encoded.fields.values())
    ends = [at.stop for at in encoded.fields.values()]
    assert [at.start for at in encoded.fields.values()] == [0, *ends[:-1]]
    assert ends[-1] == encoded.size
    for state in positions(case):
        for seat in range(case.seats):
            seen = encoded.observe(game.view(state, seat))
            assert seen.dtype == np.float32 and seen.shape == (encoded.size,)
            for part in encoded.parts:
                _check_range(part, seen[encoded.fields[part.name]])


def _check_range(part: EncodedField, numbers: Any) -> None:
    assert numbers.min() >= part.lowest and numbers.max() <= part.highest, part


def test_a_deck_may_lack_a_kind_of_card() -> None:
    numbers = [row for row in house_deck() if row.class_ == "number"]
    (reverse,) = (row for row in house_deck() if row.name == "reverse")
    case = Case("bloeff", (("deck", (*numbers, reverse.model_copy(update={"count": 18}))),), 2)
    for state in positions(case):
        assert np.isfinite(encoding_of(case).observe(case.game.view(state, 0))).all()


def test_the_points_of_each_seat_are_encoded_from_the_own_seat_on() -> None:
    case = Case("bluff_you", (), 3)
    encoded = encoding_of(case)
    view = replace(case.game.view(positions(case)[0], 1), points=(6, 9, 2))
    seen = encoded.observe(view)[encoded.fields["points"]]
    assert (seen / seen[0]).tolist() == pytest.approx([1, 2 / 9, 6 / 9])


@every_case
def test_an_encoding_with_history_loses_nothing_of_a_view(case: Case) -> None:
    game, encoded = case.game, encoding_of(case)
    views: dict[bytes, Any] = {}
    for state in positions(case):
        view = without_order(game.view(state, 0))
        assert views.setdefault(encoded.observe(game.view(state, 0)).tobytes(), view) == view


def without_order(view: Any) -> Any:
    """A view without the order of piles and of dice, which decides nothing."""
    match view:
        case BloeffView():
            return replace(
                view, seen=tuple(sorted(view.seen)), face_down=tuple(sorted(view.face_down))
            )
        case BluffYouView():
            return replace(view, dice=tuple(sorted(view.dice)))
    return view


@pytest.mark.parametrize("name", ENCODED)
def test_spectators_and_other_tables_are_refused(name: str) -> None:
    game = KITS[name].game(KITS[name].game.options_type())  # type: ignore[call-arg]
    encoded = encoding(name, 2)
    with pytest.raises(EncodingError, match="spectator"):
        encoded.observe(game.view(game.start(2), None))
    with pytest.raises(EncodingError, match="this view has 3 seats, the encoding 2"):
        encoded.mask(game.view(game.start(3), 0))
    with pytest.raises(EncodingError, match="has no id for this action"):
        encoded.id(object())
    assert encoded.version == f"{name}-obs/1"


def test_a_number_that_no_card_or_limit_allows_has_no_id() -> None:
    encoded = encoding("bloeff", 2)
    highest = max(
        action.announce
        for number in range(encoded.actions)
        if isinstance(action := encoded.action(number, 0), Number)
    )
    assert encoded.id(Number(HIGHEST_VALUE, highest, False))
    for value, announce in (
        (HIGHEST_VALUE, highest + 1),
        (HIGHEST_VALUE, -1),
        (HIGHEST_VALUE + 1, 0),
        (LOWEST_VALUE - 1, 0),
    ):
        with pytest.raises(EncodingError, match="has no id for this action"):
            encoded.id(Number(value, announce, False))


def test_only_with_the_history_a_view_of_bluff_is_read_back() -> None:
    game = KITS["bluff"].game(BluffOptions())
    view = game.view(game.start(2), 0)
    with_it, without = (encoding("bluff", 2, history=history) for history in (True, False))
    with pytest.raises(EncodingError, match="only from observations with history"):
        without.view(without.observe(view))
    assert with_it.view(with_it.observe(view)).dice_counts == view.dice_counts


@pytest.mark.parametrize(
    ("game", "seats", "options", "why"),
    [
        ("skull", 4, {}, "skull has no encoding; the games that have one: bluff"),
        ("bluff", 7, {}, "bluff is played by 2 to 6 seats under these options, not 7"),
        (
            "bluff",
            2,
            {"show_and_reroll": True, "dice_per_player": 9},
            "bluff has 324,325 different actions under these options; an encoding has at most "
            "65,536",
        ),
    ],
)
def test_what_has_no_encoding_is_refused_in_a_sentence(
    game: str, seats: int, options: dict[str, object], why: str
) -> None:
    with pytest.raises(EncodingError, match=why):
        encoding(game, seats, **options)


def test_an_encoding_needs_numpy_and_nothing_else_of_the_extras() -> None:
    program = (
        "import sys\n"
        "from arena.extras import MODULES\n"
        "known = set().union(*MODULES.values()) - {'numpy'} | {'grpc'}\n"
        "from arena.learn import encoding\n"
        f"for game in {list(ENCODED)}: encoding(game, seats=3)\n"
        "print(*sorted(known & set(sys.modules)), end='')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_page_has_the_tables_of_all_encodings() -> None:
    page = PAGE.read_text()
    assert with_tables(page) == page
    assert re.findall(r"<!-- table: (\w+) -->", page) == list(ENCODED)


def test_the_example_of_the_page_runs() -> None:
    (example,) = re.findall(
        r"```python\n(from arena.learn import encoding\n.*?)```", PAGE.read_text(), re.S
    )
    state = next(step.after for step in playout(Case("bluff", (), 2), 1) if step.after.bets)
    names: dict[str, Any] = {
        "view": KITS["bluff"].game(BluffOptions()).view(state, 0),
        "action": Doubt(),
    }
    exec(example, names)
    assert names["encoded"].action(7) == Bet(2, Face.ONE)
