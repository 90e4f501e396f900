"""A match that is played again from its replies stands where it stood, whenever it was cut off."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.codec.kept import head_bytes, read_head, read_replies, reply_bytes
from arena.match.faults import Fault, FaultKind
from arena.match.flow import OpenTurn, Reply, TimedAction, play
from arena.match.rebuild import rebuild
from arena.match.transcript import Opening
from tests.games.contract import Case
from tests.match.matches import (
    SECRET,
    Playing,
    entropies,
    game,
    lawful,
    randomness,
    some_match,
    unreliable,
)
from tests.thoroughness import tries

GAMES = [
    Case("bluff", (), 2),
    Case("bluff", (("dice_per_player", 2), ("show_and_reroll", True)), 4),
    Case("bluff_you", (), 3),
    Case("bloeff", (), 2),
    Case("bloeff", (), 4),
]


def cut_off(
    case: Case, seed: int, faulty: float, cut: int
) -> tuple[Playing, list[tuple[int, Reply]]]:
    """A match that stands at its `cut`-th reply, or is over, and the replies so far in the order
    in which they came; where several seats are asked at once that is any order."""
    random = Random(seed)
    playing = Playing(case.game, case.seats)
    react = unreliable(case.game, random, faulty)
    replies: list[tuple[int, Reply]] = []
    while playing.record is None:
        given_now = {turn.seat: _as_sent(react(turn), turn, case) for turn in playing.turns}
        for seat in random.sample(list(given_now), len(given_now)):
            if len(replies) == cut:
                return playing, replies
            replies.append((seat, given_now[seat]))
        playing.reply(*given_now.values())
    return playing, replies


def _as_sent(reply: Reply, turn: OpenTurn, case: Case) -> Reply:
    """The reply, or a legal action instead of an object that no wire carries."""
    if isinstance(reply, TimedAction) and type(reply.action) is object:
        return TimedAction(next(case.game.choices(turn.view)), 3)
    return reply


@settings(max_examples=tries(60, quick=15), deadline=None)
@given(
    st.sampled_from(GAMES),
    st.integers(0, 10_000),
    st.sampled_from([0.0, 0.1, 0.6]),
    st.integers(0, 60),
)
def test_at_every_cut_the_same_turns_are_open_and_the_same_end_is_reached(
    case: Case, seed: int, faulty: float, cut: int
) -> None:
    playing, replies = cut_off(case, seed, faulty, cut)
    # The way through storage is part of it.
    kept = list(read_replies(case.name, reply_bytes(case.name, replies)))
    rebuilt = rebuild(play(case.game, case.seats, randomness(case.seats)), kept)
    told = [(one.seat, one.turn_number, one.kind, one.played) for one in rebuilt.refused]
    if playing.record is None:
        assert rebuilt.record is None
        assert rebuilt.ask is not None
        assert rebuilt.ask.turns == playing.asks[-1].turns
        answered = len(replies) - sum(len(ask.turns) for ask in playing.asks[:-1])
        assert len(rebuilt.given) == answered
        before = [one for ask in playing.asks[:-1] for one in ask.refused]
    else:
        assert rebuilt.ask is None
        assert rebuilt.record is not None
        assert rebuilt.record.result == playing.record.result
        assert rebuilt.record.steps == playing.record.steps
        before = [one for ask in playing.asks for one in ask.refused]
    assert told == [(one.seat, one.turn_number, one.kind, one.played) for one in before]


def test_replies_that_belong_to_no_turn_are_refused() -> None:
    bluff = game("bluff")
    playing = Playing(bluff, 2)
    playing.to_end({}, lawful(bluff, Random(1)))
    with pytest.raises(ValueError, match="1 replies belong to no turn"):
        rebuild(play(bluff, 2, randomness(2)), [(7, TimedAction(None))])


@pytest.mark.parametrize("case", GAMES, ids=str)
def test_what_a_match_began_with_survives_being_kept(case: Case) -> None:
    setup = some_match(case, 1).setup
    opening = Opening(SECRET, entropies(case.seats))
    assert read_head(head_bytes(setup, opening)) == (setup, opening)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (FaultKind.LATE, "no answer in time"),
        (FaultKind.MALFORMED, "the answer was not an action of the game"),
        (FaultKind.ABSENT, "the bot stayed away too long"),
    ],
)
def test_the_reason_of_a_kept_fault_is_true_of_its_kind(kind: FaultKind, said: str) -> None:
    fault = Fault(kind, 12, "in words that are not kept")
    assert list(read_replies("bluff", reply_bytes("bluff", [(1, fault)]))) == [
        (1, Fault(kind, 12, said))
    ]


def test_an_illegal_answer_is_kept_as_it_was_given_and_refused_again() -> None:
    bluff = game("bluff", dice_per_player=1)
    playing = Playing(bluff, 2)
    while not playing.turns[0].view.bets:
        playing.reply(playing.default(playing.turns[0]))
    # The same bet again, which is no raise.
    again = TimedAction(playing.turns[0].view.bets[-1].bet, 5)
    seat = playing.turns[0].seat
    replies = [(seat, reply) for seat, reply in _so_far(playing)] + [(seat, again)]
    playing.reply(again)
    kept = list(read_replies("bluff", reply_bytes("bluff", replies)))
    rebuilt = rebuild(play(bluff, 2, randomness(2)), kept)
    if playing.record is None:
        assert rebuilt.ask == playing.asks[-1]
        assert rebuilt.ask is not None and len(rebuilt.ask.refused) == 1
    else:
        assert rebuilt.record == playing.record


def _so_far(playing: Playing) -> list[tuple[int, Reply]]:
    return [
        (ask.turns[0].seat, TimedAction(next(playing.game.choices(ask.turns[0].view))))
        for ask in playing.asks[:-1]
    ]
