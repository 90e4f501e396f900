"""The time that compiled rules and Python take to play the same messages of answers."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from time import perf_counter

from arena.codec import turns
from arena.games.bluff import BluffOptions
from arena.games.bluff.kit.compiled import new_matches
from arena.match.clock import TimeControl
from arena.match.faults import DEFAULT_FAULT_LIMIT
from arena.match.transcript import Entrant, Setup
from arena.v1 import referee_pb2
from benchmarks.compiled_load.equality import answer_of, begun
from benchmarks.compiled_load.reference import ReferenceMatch
from benchmarks.compiled_load.terms import Terms, random_choice

_ENTRANT = Entrant("bot", "1", "owner")


@dataclass(frozen=True, slots=True)
class Script:
    """Matches, and the messages of their seats in order: the line and its answers."""

    terms: tuple[Terms, ...]
    messages: tuple[tuple[int, bytes], ...]
    decisions: int


def script(seed: int, at_once: int) -> Script:
    """Return matches of two seats with five dice that begin at the same time."""
    random = Random(seed)
    everything = tuple(
        Terms(
            Setup(
                f"00000000-0000-4000-8000-{number:012}",
                "bluff",
                BluffOptions(),
                (_ENTRANT, _ENTRANT),
                TimeControl(),
                DEFAULT_FAULT_LIMIT,
            ),
            key=random.randbytes(32),
            doubt=0.3,
            low=0.8,
            show=0.0,
        )
        for number in range(at_once)
    )
    matches = [ReferenceMatch(terms, 0.0) for terms in everything]
    messages: list[tuple[int, bytes]] = []
    decisions = 0
    while running := [match for match in matches if match.record is None]:
        line = random.choice(running).turn.seat
        request = referee_pb2.PlayRequest()
        for match in running:
            if match.turn.seat == line:
                action = random_choice(random, match.terms, match.view)
                match_id = match.terms.setup.match_id
                request.answers.append(answer_of(match_id, match.turn.number, action))
                match.play(action, 0.0)
        decisions += len(request.answers)
        messages.append((line, request.SerializeToString()))
    return Script(everything, tuple(messages), decisions)


def by_compiled(script: Script) -> tuple[float, float]:
    """Return the seconds that compiled rules take to play matches, and to begin and end them."""
    matches = new_matches()
    before = perf_counter()
    for terms in script.terms:
        begun(matches, terms, None, 0.0)
    first = perf_counter()
    for line, message in script.messages:
        taken, _ = matches.split(line, message, 0.0)
        assert taken is not None
        matches.play(taken, 0.0)
    last = perf_counter()
    for terms in script.terms:
        matches.leave(terms.setup.match_id)
    return last - first, perf_counter() - last + first - before


def by_python(script: Script) -> tuple[float, float]:
    """Return the same for the Python rules and codec."""
    before = perf_counter()
    matches = {terms.setup.match_id: ReferenceMatch(terms, 0.0) for terms in script.terms}
    for match in matches.values():
        match.turn_part()
    first = perf_counter()
    for _, message in script.messages:
        for answer in referee_pb2.PlayRequest.FromString(message).answers:
            match = matches[answer.match_id]
            match.play(turns.action("bluff", answer.action), 0.0)
            if match.record is None:
                match.turn_part()
    last = perf_counter()
    for match in matches.values():
        match.left()
    return last - first, perf_counter() - last + first - before


WAYS: dict[str, Callable[[Script], tuple[float, float]]] = {
    "compiled": by_compiled,
    "python": by_python,
}
