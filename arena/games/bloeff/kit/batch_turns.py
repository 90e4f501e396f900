"""The sequence of a turn of Blöff, compiled: turns.py and drawing.py on one row of a batch."""

from numba import njit

from arena.games.bloeff.kit.batch_layout import (
    ANNOUNCED,
    AUTO_CALL,
    BALLOTING,
    BALLOTS,
    BUST_PENALTY,
    CALL_PENALTY,
    CARD_RETURNS,
    CLOCKWISE,
    DEAL,
    DOUBT_PENALTY,
    DOWN,
    DRAW,
    DRAW2_ENDS,
    DRAW2_KIND,
    FIRST_SEAT,
    FLOOR,
    HANDS,
    HIGHEST,
    HISTORY,
    IN_ORDER,
    KINDS,
    MAX_TURNS,
    NUMBERS,
    ON_TURN,
    OPEN,
    PILE,
    RED_CARDS_AT,
    REDS,
    REVERSE_KIND,
    ROUND,
    ROUNDS,
    SAID,
    SEATS,
    SEEN,
    SKIP_KIND,
    STARTER,
    TOLD,
    TOP,
    TOTAL,
    TURN,
    WAITING,
)
from arena.games.bloeff.kit.encoding import LATEST, RED, VALUES
from arena.games.bloeff.turns import DRAW2_CARDS
from arena.games.bloeff.values import LOWEST_VALUE
from arena.learn.draws import below

_END_TURN, _END_ROUND, _CARRY_OUT = range(3)


@njit(cache=True, error_model="numpy", nogil=True)
def new_match(numbers, deck, row, random, i):  # type: ignore[no-untyped-def]
    """Deal the cards and begin the first turn (BO-4, BO-5)."""
    row[:] = 0
    for place in range(deck.shape[0]):
        row[DRAW + place] = deck[place]
    row[PILE] = deck.shape[0]
    _shuffle(row, random, i)
    for seat in range(numbers[SEATS]):
        for _ in range(numbers[DEAL]):
            row[HANDS + seat * KINDS + row[DRAW + row[TOP]]] += 1
            row[TOP] += 1
    row[CLOCKWISE] = 1
    row[STARTER] = numbers[FIRST_SEAT]
    _begin_round(row)
    go_on(numbers, row, _CARRY_OUT, random, i)


@njit(cache=True, error_model="numpy", nogil=True)
def play(numbers, limits, row, action, random, i):  # type: ignore[no-untyped-def]
    """Play a card (BO-10 to BO-17); return whether the match is over."""
    seat = row[ON_TURN]
    missed = hand_size(row, seat) == 2 and not (action & 1 or numbers[AUTO_CALL])
    if action >= numbers[NUMBERS]:
        place = (action - numbers[NUMBERS]) // 2
        kind, announce = place // (numbers[HIGHEST] + 1), place % (numbers[HIGHEST] + 1)
        row[HANDS + seat * KINDS + kind] -= 1
        if announce > limits[row[ROUND] - 1]:
            row[numbers[DOWN] + seat * VALUES + kind] += 1
            if missed:
                _draw(numbers, row, seat, numbers[CALL_PENALTY], random, i)
            _draw(numbers, row, seat, numbers[BUST_PENALTY], random, i)
            row[STARTER] = seat
            return go_on(numbers, row, _END_ROUND, random, i)
        # The card is not on the centre pile yet: a reshuffle for a missed call omits it (BO-8).
        if missed:
            _draw(numbers, row, seat, numbers[CALL_PENALTY], random, i)
        row[OPEN], row[ANNOUNCED], row[BALLOTING] = kind, announce, 1
        return False
    if action < RED:
        row[HANDS + seat * KINDS + REVERSE_KIND] -= 1
        row[SEEN + REVERSE_KIND] += 1
        row[CLOCKWISE] = 1 - row[CLOCKWISE]
    else:
        place = (action - RED) // 2
        kind = DRAW2_KIND + place // (numbers[SEATS] - 1)
        target = (seat + 1 + place % (numbers[SEATS] - 1)) % numbers[SEATS]
        row[HANDS + seat * KINDS + kind] -= 1
        count = row[numbers[WAITING] + target]
        row[numbers[RED_CARDS_AT] + target * numbers[REDS] + count] = kind
        row[numbers[WAITING] + target] += 1
    if missed:
        _draw(numbers, row, seat, numbers[CALL_PENALTY], random, i)
    return go_on(numbers, row, _END_TURN, random, i)


@njit(cache=True, error_model="numpy", nogil=True)
def ballot(numbers, row, seat, doubts, random, i):  # type: ignore[no-untyped-def]
    """Record a ballot (BO-F1 to F3); the last closes the window. Return if the match is over."""
    seats, player = numbers[SEATS], row[ON_TURN]
    row[numbers[BALLOTS] + seat] = 2 if doubts else 1
    missing = doubting = 0
    for other in range(seats):
        missing += row[numbers[BALLOTS] + other] == 0
        doubting += row[numbers[BALLOTS] + other] == 2
    if missing > 1:
        return False
    doubter = -1
    if doubting:
        left = below(random, i, doubting) if doubting > 1 and not numbers[IN_ORDER] else 0
        for step in range(1, seats):
            other = step
            if numbers[IN_ORDER]:
                other = (player + (step if row[CLOCKWISE] else seats - step)) % seats
            elif step <= player:
                other = step - 1
            if row[numbers[BALLOTS] + other] == 2:
                if left == 0:
                    doubter = other
                    break
                left -= 1
    for other in range(seats):
        row[numbers[BALLOTS] + other] = 0
    row[BALLOTING] = 0
    if doubter < 0:
        return _accept(numbers, row, random, i)
    return _doubt(numbers, row, doubter, random, i)


@njit(cache=True, error_model="numpy", nogil=True)
def _accept(numbers, row, random, i):  # type: ignore[no-untyped-def]
    """Make the announcement the total (BO-18)."""
    row[numbers[DOWN] + row[ON_TURN] * VALUES + row[OPEN]] += 1
    row[TOTAL] = row[ANNOUNCED]
    if numbers[HISTORY]:
        at = numbers[TOLD] + 2 * (row[SAID] % LATEST)
        row[at], row[at + 1] = row[ON_TURN], row[ANNOUNCED]
    row[SAID] += 1
    row[OPEN] = row[ANNOUNCED] = 0
    return go_on(numbers, row, _END_TURN, random, i)


@njit(cache=True, error_model="numpy", nogil=True)
def _doubt(numbers, row, doubter, random, i):  # type: ignore[no-untyped-def]
    """Show the card: the wrong seat draws, the right one starts the next round (BO-21, BO-22)."""
    seat, kind = row[ON_TURN], row[OPEN]
    honest = row[TOTAL] + kind + LOWEST_VALUE
    if honest < 0 and numbers[FLOOR]:
        honest = 0
    right = row[ANNOUNCED] == honest
    row[OPEN] = row[ANNOUNCED] = 0
    if numbers[CARD_RETURNS] and not right:
        row[HANDS + seat * KINDS + kind] += 1
    else:
        row[SEEN + kind] += 1
    _draw(numbers, row, doubter if right else seat, numbers[DOUBT_PENALTY], random, i)
    row[STARTER] = seat if right else doubter
    return go_on(numbers, row, _END_ROUND, random, i)


@njit(cache=True, error_model="numpy", nogil=True)
def go_on(numbers, row, then, random, i):  # type: ignore[no-untyped-def]
    """Continue until a seat has to play; return whether the match is over (1.10, BO-23)."""
    seats = numbers[SEATS]
    while True:
        seat = row[ON_TURN]
        if then != _CARRY_OUT:
            if then == _END_ROUND and row[ROUND] == numbers[ROUNDS]:
                return True
            if hand_size(row, seat) == 0 or row[TURN] >= numbers[MAX_TURNS]:
                return True
            if then == _END_ROUND:
                _begin_round(row)
            else:
                row[TURN] += 1
                row[ON_TURN] = (seat + (1 if row[CLOCKWISE] else seats - 1)) % seats
            then = _CARRY_OUT
        elif row[numbers[WAITING] + seat] == 0:
            return False
        else:
            first = numbers[RED_CARDS_AT] + seat * numbers[REDS]
            kind = row[first]
            if kind == DRAW2_KIND:
                # It stays in front of the seat until it has drawn, so no reshuffle takes it.
                _draw(numbers, row, seat, DRAW2_CARDS, random, i)
            row[numbers[WAITING] + seat] -= 1
            for place in range(row[numbers[WAITING] + seat]):
                row[first + place] = row[first + place + 1]
            row[SEEN + kind] += 1
            if kind == SKIP_KIND or numbers[DRAW2_ENDS]:
                then = _END_TURN


@njit(cache=True, error_model="numpy", nogil=True)
def _begin_round(row):  # type: ignore[no-untyped-def]
    row[ROUND] += 1
    row[TOTAL] = row[SAID] = 0
    row[TURN] += 1
    row[ON_TURN] = row[STARTER]


@njit(cache=True, error_model="numpy", nogil=True)
def _draw(numbers, row, seat, count, random, i):  # type: ignore[no-untyped-def]
    """Draw cards; reshuffle the centre pile when the draw pile is empty (BO-8)."""
    for _ in range(count):
        if row[TOP] == row[PILE]:
            _recycle(numbers, row, random, i)
            if row[PILE] == 0:
                return
        row[HANDS + seat * KINDS + row[DRAW + row[TOP]]] += 1
        row[TOP] += 1


@njit(cache=True, error_model="numpy", nogil=True)
def _recycle(numbers, row, random, i):  # type: ignore[no-untyped-def]
    row[TOP] = row[PILE] = 0
    for kind in range(KINDS):
        count = row[SEEN + kind]
        row[SEEN + kind] = 0
        if kind < VALUES:
            for seat in range(numbers[SEATS]):
                count += row[numbers[DOWN] + seat * VALUES + kind]
                row[numbers[DOWN] + seat * VALUES + kind] = 0
        for _ in range(count):
            row[DRAW + row[PILE]] = kind
            row[PILE] += 1
    _shuffle(row, random, i)


@njit(cache=True, error_model="numpy", nogil=True)
def _shuffle(row, random, i):  # type: ignore[no-untyped-def]
    """Shuffle the draw pile (Fisher-Yates from the end)."""
    for last in range(row[PILE] - 1, 0, -1):
        chosen = below(random, i, last + 1)
        card = row[DRAW + last]
        row[DRAW + last] = row[DRAW + chosen]
        row[DRAW + chosen] = card


@njit(cache=True, error_model="numpy", nogil=True)
def hand_size(row, seat):  # type: ignore[no-untyped-def]
    """Return the number of cards in a hand."""
    size = 0
    for kind in range(KINDS):
        size += row[HANDS + seat * KINDS + kind]
    return size
