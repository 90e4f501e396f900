"""What the compiled rules of Bluff take of a message, and what they leave to Python."""

import gc
import weakref
from collections.abc import Callable
from random import Random

import pytest
from google.protobuf.message import DecodeError

from arena.codec import turns
from arena.games.bluff import Bet, BluffOptions, Doubt, Face
from arena.match.clock import TimeControl
from arena.match.transcript import Entrant, Setup
from arena.v1.referee_pb2 import Answer, PlayRequest
from tests.thoroughness import tries

# tests/test_extras.py wants it in CI.
pytest.importorskip("bluff_arena_fast", reason="not installed: make fast")

from benchmarks.compiled_load.equality import answer_of, begun, new_matches
from benchmarks.compiled_load.reference import ReferenceMatch
from benchmarks.compiled_load.terms import Terms, random_choice, random_terms

TURN_MS = 2_000
MATCH = "a-match"
GONE = (None, 0, None, 0, -1, b"")


def terms(match_id: str = MATCH, **options: object) -> Terms:
    setup = Setup(
        match_id,
        "bluff",
        BluffOptions(start_mode="seat", dice_per_player=3, **options),
        (Entrant("bot", "1", "owner"),) * 2,
        TimeControl(TURN_MS, 30_000),
        fault_limit=3,
    )
    return Terms(setup, bytes(32), doubt=0.0, low=1.0, show=0.0)


class Table:
    """A match of compiled rules whose seat 0 is on turn, and its lines are 0 and 1."""

    def __init__(self, **options: object) -> None:
        self.matches = new_matches()
        begun(self.matches, terms(**options), self, 0.0)

    def takes(self, *answers: Answer | bytes, line: int = 0, now: float = 0.0) -> bool:
        """Whether it takes all of a message's answers, and not none of them."""
        parts = [answer if isinstance(answer, bytes) else part(answer) for answer in answers]
        message = b"".join(parts)
        taken, rest = self.matches.split(line, message, now)
        assert rest in (b"", message)
        assert (taken is None) == (rest != b"")
        return taken is not None

    def play(self, answer: Answer, line: int = 0) -> tuple[object, ...]:
        taken, _ = self.matches.split(line, part(answer), 0.0)
        assert taken is not None
        (played,) = self.matches.play(taken, 0.0)
        return played


def part(answer: Answer) -> bytes:
    return PlayRequest(answers=[answer]).SerializeToString()


def bet(quantity: int = 1, face: int = 1, turn: int = 1, show: tuple[int, ...] = ()) -> Answer:
    answer = Answer(match_id=MATCH, turn_number=turn)
    answer.action.bluff.bet.quantity = quantity
    answer.action.bluff.bet.face = face  # type: ignore[assignment]
    answer.action.bluff.bet.show.extend(show)  # type: ignore[arg-type]
    return answer


def changed(change: Callable[[Answer], object]) -> Answer:
    answer = bet()
    change(answer)
    return answer


def raw(action: bytes, match_id: bytes = MATCH.encode(), turn: bytes = b"\x01") -> bytes:
    """One of a PlayRequest's answers with an action of these bytes."""
    content = b"\x0a" + bytes([len(match_id)]) + match_id + b"\x10" + turn
    content += b"\x1a" + bytes([len(action)]) + action
    return b"\x22" + bytes([len(content)]) + content


def test_a_legal_answer_in_time_is_taken() -> None:
    assert Table().takes(bet())
    assert Table().takes(bet(6, 6))
    assert Table().takes(raw(b"\x0a\x06\x0a\x04\x08\x01\x10\x01"))


@pytest.mark.parametrize(
    "answer",
    [
        *(bet(0), bet(7), bet(-1), bet(2**31 - 1), bet(1, 0), bet(1, 7), bet(1, -1)),
        *(bet(turn=0), bet(turn=2), bet(turn=-1), bet(show=(1,))),
        answer_of(MATCH, 1, Doubt()),
        answer_of("another-match", 1, Bet(1, Face.ONE)),
        Answer(match_id=MATCH, turn_number=1),
        changed(lambda answer: answer.action.bluff.ClearField("bet")),
        changed(lambda answer: answer.action.bluff_you.SetInParent()),
        changed(lambda answer: answer.note.SetInParent()),
        changed(lambda answer: answer.MergeFromString(b"\x78\x01")),
        changed(lambda answer: answer.action.MergeFromString(b"\x78\x01")),
        changed(lambda answer: answer.action.bluff.MergeFromString(b"\x78\x01")),
        changed(lambda answer: answer.action.bluff.bet.MergeFromString(b"\x78\x01")),
        changed(lambda answer: answer.action.bluff.doubt.MergeFromString(b"\x78\x01")),
        # A number longer than it need be; one whose upper half Protobuf ignores; a member twice; a
        # face and a bet that are not of the type that they should be; a group.
        raw(b"\x0a\x07\x0a\x05\x08\x81\x00\x10\x01"),
        raw(b"\x0a\x06\x0a\x04\x08\x01\x10\x01", turn=b"\x81\x80\x80\x80\x10"),
        raw(b"\x0a\x08\x0a\x06\x08\x02\x08\x01\x10\x01"),
        raw(b"\x0a\x06\x0a\x04\x08\x01\x12\x00"),
        raw(b"\x0a\x02\x08\x01"),
        raw(b"\x0a\x08\x0b\x0c\x0a\x04\x08\x01\x10\x01"),
        b"\x20\x01",
    ],
)
def test_anything_else_is_left_to_python(answer: Answer | bytes) -> None:
    assert not Table().takes(answer)


def test_time_ends_with_the_millisecond_after_the_limit() -> None:
    table = Table()
    assert table.takes(bet(), now=2.0009)
    assert not table.takes(bet(), now=2.001)
    assert not table.takes(bet(), now=-1.0)
    assert not table.takes(bet(), now=float("nan"))
    assert table.matches.asked_at(MATCH) == 0.0


def test_only_the_line_of_the_seat_on_turn_answers() -> None:
    table = Table()
    assert not table.takes(bet(), line=1)
    assert table.play(bet())[1:] != GONE[1:]
    assert table.takes(bet(2, turn=2), line=1)
    assert not table.takes(bet(2, turn=2), line=0)


def test_dice_are_laid_out_in_any_order_of_ones_own() -> None:
    table = Table(show_and_reroll=True)
    own = ReferenceMatch(terms(show_and_reroll=True), 0.0).view.hidden_dice
    first, last = own[0], own[-1]
    assert first < last
    foreign = next(face for face in Face if face not in own)
    assert not table.takes(bet(show=(foreign,)))
    assert not table.takes(bet(show=own))
    assert not table.takes(bet(show=(1,) * 100))
    # Each face in a field of its own: Protobuf reads it, and does not write it.
    assert not table.takes(raw(b"\x0a\x08\x0a\x06\x08\x01\x10\x01\x18" + bytes([first])))
    played = table.play(bet(show=(last, first)))
    assert played[2] == Bet(1, Face.ONE, (first, last))


def test_the_first_answer_to_a_match_counts_and_all_else_keeps_its_order() -> None:
    table = Table()
    noted = changed(lambda answer: answer.note.SetInParent())
    for first, second, left in [
        (bet(1), bet(2), [bet(2)]),
        (noted, bet(2), None),
        (bet(0), bet(2), None),
        (bet(turn=2), bet(2), None),  # else it could be played after the other
        (bet(turn=1), bet(turn=2), [bet(turn=2)]),
    ]:
        request = PlayRequest(answers=[first, second])
        taken, rest = table.matches.split(0, request.SerializeToString(), 0.0)
        assert (taken is None) == (left is None)
        assert list(PlayRequest.FromString(rest).answers) == (left or [first, second])
    # Protobuf may read what the compiled rules do not, so what follows it must wait.
    odd = b"\x22\x02\x7b\x7c"
    assert not table.takes(odd, bet())


def test_an_answer_that_is_no_longer_due_plays_nothing() -> None:
    table = Table()
    message = part(bet())
    both = [table.matches.split(0, message, 0.0)[0] for _ in range(2)]
    assert both[0] is not None and both[1] is not None
    assert table.matches.play(both[0], 0.0) != [GONE]
    assert table.matches.play(both[0], 0.0) == table.matches.play(both[1], 0.0) == [GONE]
    table.matches.leave(MATCH)
    begun(table.matches, terms(), table, 0.0)
    assert table.matches.play(both[1], 0.0) == [GONE]
    assert table.takes(bet())


def test_a_match_that_is_over_takes_no_answer() -> None:
    table = Table()
    number = 0
    while True:
        number += 1
        reply = answer_of(MATCH, number, Doubt() if number % 2 == 0 else Bet(1, Face.ONE))
        taken, _ = table.matches.split(0, part(reply), 0.0)
        line = 0 if taken else 1
        played = table.play(reply, line)
        if played[4] == -1:
            break
    assert not table.takes(reply, line=line)
    placing, scores = table.matches.leave(MATCH)[4:]
    assert placing is not None and scores is not None
    winner = placing.index(1)
    assert (sorted(placing), scores[winner] > 0, scores[1 - winner]) == ([1, 2], True, 0)
    assert len(table.matches) == 0


def test_terms_that_no_match_has_are_refused() -> None:
    table = Table()
    options = (3, False, 6, 10, False, False)
    good = (None, "m", options, [0, 1], bytes(32), 2000, 0, 0.0)
    for index, bad, reason in [
        (1, MATCH, "match a-match is held already"),
        (2, (17, *options[1:]), "1 to 16 dice, not 17"),
        (2, (0, *options[1:]), "1 to 16 dice, not 0"),
        (3, [0], "2 to 6 seats, not 1"),
        (3, [0] * 7, "2 to 6 seats, not 7"),
        (4, bytes(31), "32 bytes"),
    ]:
        with pytest.raises(ValueError, match=reason):
            table.matches.begin(*good[:index], bad, *good[index + 1 :])  # type: ignore[arg-type]
    assert len(table.matches) == 1
    table.matches.begin(*good)
    for unknown in (table.matches.leave, table.matches.asked_at):
        with pytest.raises(KeyError, match="another"):
            unknown("another")


@pytest.mark.slow
def test_matches_that_their_owner_refers_to_are_freed() -> None:
    table = Table()
    gone = weakref.ref(table)
    del table
    gc.collect()
    assert gone() is None


@pytest.mark.slow
def test_whatever_a_message_holds_nothing_is_lost_and_nothing_wrong_is_played() -> None:
    random = Random(1)
    played = sum(try_message(random) for _ in range(tries(10_000, quick=4_000)))
    assert played > 400  # not that all is left


def try_message(random: Random) -> int:
    """Split and play a random message. Return how many of its answers were played."""
    matches, references, now = new_matches(), {}, 0.0
    for match_id in ("first", "second", "third")[: random.randint(1, 3)]:
        reference = ReferenceMatch(random_terms(random, match_id), 0.0)
        begun(matches, reference.terms, match_id, 0.0)
        references[match_id] = reference
    message = mutated(random, random_message(random, references))
    line = random.randint(0, 1)
    taken, rest = matches.split(line, message, now)
    try:
        whole = PlayRequest.FromString(message)
    except DecodeError:
        with pytest.raises(DecodeError):
            PlayRequest.FromString(rest)
        return 0
    if taken is None:
        assert rest is message
        return 0
    left = PlayRequest.FromString(rest)
    gone = without(list(whole.answers), list(left.answers))
    for request in (whole, left):
        request.ClearField("answers")
    assert whole.SerializeToString() == left.SerializeToString()
    results = matches.play(taken, now)
    for (owner, seat, action, *_, turn), (before, answer) in zip(results, gone, strict=True):
        reference = references.pop(answer.match_id)  # so that none is played twice
        assert (owner, seat) == (answer.match_id, reference.turn.seat) == (answer.match_id, line)
        assert answer.turn_number == reference.turn.number
        assert not answer.HasField("note")
        assert action == turns.action("bluff", answer.action)
        assert not any(
            (one.match_id, one.turn_number) == (answer.match_id, answer.turn_number)
            for one in before
        )
        reference.play(action, now)
        assert turn == (b"" if reference.record else reference.turn_part())
    return len(results)


def without(whole: list[Answer], left: list[Answer]) -> list[tuple[list[Answer], Answer]]:
    """The answers that are gone, each with those before it; of equal ones the first is gone."""
    gone = []
    for index in reversed(range(len(whole))):
        if left and left[-1] == whole[index]:
            left.pop()
        else:
            gone.append((whole[:index], whole[index]))
    assert not left
    return gone[::-1]


def random_message(random: Random, references: dict[str, ReferenceMatch]) -> bytes:
    request = PlayRequest()
    for _ in range(random.choice((1, 1, 2, 5))):
        match_id, reference = random.choice(list(references.items()))
        action = random_choice(random, reference.terms, reference.view)
        answer = answer_of(match_id, reference.turn.number, action)
        match random.randrange(12):
            case 0:
                answer.note.text = random.randbytes(3)
            case 1:
                answer.turn_number += random.choice((-1, 1, 2**16))
            case 2:
                answer.match_id = random.choice(("", "fourth", "first"))
            case 3 if isinstance(action, Bet):
                answer.action.bluff.bet.quantity = random.randint(-2, 120)
            case 4 if isinstance(action, Bet):
                answer.action.bluff.bet.show.append(random.randint(0, 8))  # type: ignore[arg-type]
            case 5:
                answer.action.bluff.doubt.SetInParent()
        request.answers.append(answer)
    if random.random() < 0.2:
        request.joins.add(match_id="first", entropy=bytes(16))
    if random.random() < 0.2:
        request.drain.SetInParent()
    if random.random() < 0.2:
        request.places.max_matches = 3
    return request.SerializeToString()


def mutated(random: Random, message: bytes) -> bytes:
    """Change a message in up to four places, or not at all."""
    text = bytearray(message)
    for _ in range(random.choice((0, 0, 1, 1, 2, 4))):
        place = random.randrange(len(text) + 1)
        match random.randrange(6):
            case 0:
                text[place : place + 1] = bytes([random.randrange(256)])
            case 1:
                text[place:place] = random.choice((b"\x22", b"\x10", b"\x00", b"\x80", b"\x7b\x7c"))
            case 2:
                del text[place : place + random.randint(1, 4)]
            case 3:
                del text[place:]
            case 4:
                text += text[place:]
            case 5 if place < len(text):
                text[place] ^= 1 << random.randrange(8)
    return bytes(text)


def test_a_message_cut_anywhere_is_left_whole_or_without_whole_answers() -> None:
    table = Table()
    message = PlayRequest(answers=[bet(), bet(turn=7)]).SerializeToString()
    first = len(part(bet()))
    for end in range(len(message)):
        taken, rest = table.matches.split(0, message[:end], 0.0)
        assert (taken is not None) == (end == first)
        assert rest == (b"" if taken is not None else message[:end])
