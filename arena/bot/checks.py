"""`check`: verification of a finished match by a bot that played in it.

It checks that the match is the one offered, was dealt with this bot's entropy, refereed by the
rules, and recorded with this bot's answers.
"""

from dataclasses import dataclass, field
from typing import Any

from arena.codec.bot_side import Offered, read_action
from arena.codec.malformed import MalformedError
from arena.codec.transcript import FAULT_KINDS
from arena.games.game import DEALER, AnyGame
from arena.match.replay import TranscriptError
from arena.match.transcript import Step, Transcript
from arena.match.verify import verify
from arena.v1 import referee_pb2

try:
    from arena.signatures import check_signature
except ModuleNotFoundError:  # the plain SDK does not depend on `cryptography`
    check_signature = None  # type: ignore[assignment]


@dataclass(slots=True)
class Own:
    """The messages that one run of a bot sent and received in a match.

    `check` compares them with the transcript.
    """

    entropy: bytes | None
    """The entropy sent to join; None if another run joined, whose entropy is unknown here."""
    answers: dict[int, referee_pb2.Answer] = field(default_factory=dict)
    """The answers sent, by turn number."""
    refusals: dict[int, referee_pb2.Refusal] = field(default_factory=dict)
    """The faults that the referee reported, by turn number."""
    all_told: bool = True
    """Whether every message arrived: the stream was not lost during the match."""


def check(transcript: Transcript, offered: Offered, own: Own, signing_key: bytes) -> None:
    """Check a finished match against the offer and the bot's own messages.

    Args:
        transcript: The record of the match, as the referee sent it.
        offered: The offer that the bot accepted.
        own: The messages that the bot sent and received.
        signing_key: The key in the welcome; b"" if the referee does not sign.

    Raises:
        TranscriptError: Names the first discrepancy.
    """
    if transcript.setup != offered.setup:
        raise TranscriptError("the transcript differs from the offer in the match's terms")
    if transcript.commitment != offered.commitment:
        raise TranscriptError("the commitment is not the one offered")
    entropies = transcript.opening.entropies
    if own.entropy is not None and entropies[offered.seat : offered.seat + 1] != (own.entropy,):
        raise TranscriptError("the match was not dealt with the entropy this bot sent")
    verify(transcript)
    _check_answers(transcript, offered.seat, own)
    if signing_key and check_signature is not None:
        check_signature(transcript, signing_key)


def _check_answers(transcript: Transcript, seat: int, own: Own) -> None:
    """Check the steps of a seat in the order of the turns, which are numbered from 1."""
    game = transcript.setup.make_game()
    turn = 0
    for index, step in enumerate(transcript.steps, start=1):
        if step.actor is DEALER or step.stand_in:
            continue
        turn += 1
        if step.actor == seat:
            _check_answer(game, index, step, own.answers.get(turn), own.refusals.get(turn), own)


def _check_answer(
    game: AnyGame,
    index: int,
    step: Step,
    answer: referee_pb2.Answer | None,
    refusal: referee_pb2.Refusal | None,
    own: Own,
) -> None:
    # A refusal counts only if the stream was never lost: a killed referee may have lost its record.
    if refusal is not None and own.all_told:
        if step.fault is None or FAULT_KINDS[step.fault] != refusal.kind:
            raise TranscriptError(f"step {index}: the fault is not the one this bot was told of")
    elif step.fault is not None:
        if own.all_told:
            raise TranscriptError(f"step {index}: this bot was not told of its fault")
    elif answer is not None:
        sent = _action(game, answer)
        if step.action != sent:
            raise TranscriptError(
                f"step {index}: {_text(game, step.action)} is recorded, but this bot answered "
                f"{'nothing' if sent is None else _text(game, sent)}"
            )
    elif own.all_told:
        raise TranscriptError(f"step {index}: this bot did not answer, but an answer is recorded")


def _action(game: AnyGame, answer: referee_pb2.Answer) -> Any:
    try:
        return read_action(game.name, answer.action)
    except MalformedError:
        return None


def _text(game: AnyGame, action: Any) -> str:
    return game.notation.to_text(action)
