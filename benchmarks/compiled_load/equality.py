"""The comparison of the compiled rules with the Python rules, byte for byte."""

from collections.abc import Iterator
from hashlib import sha256
from random import Random
from typing import Final
from uuid import UUID

from bluff_arena_fast import Matches

from arena.codec.game_codec import CODECS
from arena.games.bluff import BluffChoice
from arena.games.bluff.kit.compiled import compiled_options, new_matches
from arena.v1 import referee_pb2
from benchmarks.compiled_load.reference import ReferenceMatch
from benchmarks.compiled_load.terms import Terms, random_choice, random_terms

AT_ONCE: Final = 15
"""The matches that are played at the same time; a message answers for a seat of each."""
LEAVING: Final = 0.002
"""How likely a match leaves after a decision."""


class UnequalError(AssertionError):
    """The compiled rules and those in Python do not agree."""


def begun(matches: Matches, terms: Terms, owner: object, now: float) -> tuple[int, bytes]:
    """Begin a compiled match in which each seat's line has the number of the seat."""
    setup = terms.setup
    control = setup.time_control
    return matches.begin(
        owner,
        setup.match_id,
        compiled_options(setup.options),  # type: ignore[arg-type]  # of Bluff
        list(range(terms.seats)),
        terms.key,
        control.turn_ms,
        control.bank_ms,
        now,
    )


def answer_of(match_id: str, turn_number: int, action: BluffChoice) -> referee_pb2.Answer:
    """Return an answer as a message."""
    answer = referee_pb2.Answer(match_id=match_id, turn_number=turn_number)
    CODECS["bluff"].write_action(action, answer.action.bluff)
    return answer


def compare(seed: int | str, count: int) -> Iterator[bytes]:
    """Play random matches by both rules. Yield the SHA-256 of all bytes of each match.

    Raises UnequalError at a difference.
    """
    random = Random(seed)
    matches = new_matches()
    now = random.uniform(0, 1e6)
    ids = iter(range(count))
    running: dict[str, _Compared] = {}
    while True:
        while len(running) < AT_ONCE and next(ids, None) is not None:
            match_id = str(UUID(int=random.getrandbits(128)))
            terms = random_terms(random, match_id)
            running[match_id] = _Compared(matches, terms, random, now)
        if not running:
            break
        line = random.choice(list(running.values())).seat
        asked = [one for one in running.values() if one.seat == line]
        now += random.choice((0.0, random.random() / 1000, random.random() / 20))
        request = referee_pb2.PlayRequest(answers=[one.answer() for one in asked])
        taken, rest = matches.split(line, request.SerializeToString(), now)
        if taken is None or rest:
            raise UnequalError(f"left to Python: {rest!r}")
        for one, played in zip(asked, matches.play(taken, now), strict=True):
            one.played(played, now)
            if one.reference.record is not None or random.random() < LEAVING:
                del running[one.reference.terms.setup.match_id]
                yield one.leave()
    _same("matches", 0, len(matches))


class _Compared:
    """A match that is played by both rules."""

    def __init__(self, matches: Matches, terms: Terms, random: Random, now: float) -> None:
        self._matches = matches
        self._random = random
        self.reference = ReferenceMatch(terms, now)
        self.seat, turn = begun(matches, terms, self, now)
        self._hash = sha256()
        self._put(self.seat, turn)

    def answer(self) -> referee_pb2.Answer:
        """Return the next answer."""
        reference = self.reference
        self._action = random_choice(self._random, reference.terms, reference.view)
        return answer_of(reference.terms.setup.match_id, reference.turn.number, self._action)

    def played(self, played: tuple[object, int, BluffChoice, int, int, bytes], now: float) -> None:
        """Play the answer in Python, and compare what the compiled rules made of it."""
        owner, seat, action, milliseconds, next_seat, turn = played
        _same("owner", self, owner)
        _same("seat", self.seat, seat)
        _same("action", self._action, action)
        _same("milliseconds", self.reference.play(self._action, now), milliseconds)
        self._put(next_seat, turn)

    def leave(self) -> bytes:
        """Take the match out, compare all that is known of it, and return its hash."""
        left = self._matches.leave(self.reference.terms.setup.match_id)
        _same("what is left", self.reference.left(), left)
        self._hash.update(repr(left[2:3] + left[4:]).encode() + b"".join(left[1]))
        return self._hash.digest()

    def _put(self, seat: int, turn: bytes) -> None:
        over = self.reference.record is not None
        _same("next seat", -1 if over else self.reference.turn.seat, seat)
        _same("turn", b"" if over else self.reference.turn_part(), turn)
        self.seat = seat
        self._hash.update(turn)


def _same(what: str, expected: object, found: object) -> None:
    if expected != found:
        raise UnequalError(f"{what}: by Python {expected!r}, compiled {found!r}")
