"""Scenarios of the draws: the bot's entropy, and its check of the secret that the referee opens."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from arena.conformance.playing import Matches, play_out, play_whole, seat
from arena.conformance.printed import NOTICED, names, quiet_about
from arena.conformance.scenario import Scenario
from arena.conformance.scripted_referee import ScriptedReferee, UnmetError
from arena.match.transcript import Transcript


async def _entropy(referee: ScriptedReferee) -> str:
    stream, matches = await referee.begin(), Matches()
    tables = [matches.one(stream) for _ in range(3)]
    for match in tables:
        await play_whole(referee, stream, [match])
    if len({match.entropy for match in tables}) < len(tables):
        raise UnmetError("it joined two matches with the same entropy")
    return f"{len(tables[0].entropy)} bytes, others in each match"


async def _tampered(referee: ScriptedReferee) -> str:
    matches = Matches()
    for what, tampered in _TAMPERED.items():
        # Begin anew for each, because a bot may stop when it finds a match to be wrong.
        stream = await referee.begin()
        sound, match = matches.one(stream), matches.one(stream)
        await play_whole(referee, stream, [sound])
        match.dealt_otherwise = tampered is None
        await seat(stream, [match])
        await play_out(stream, [match])
        transcript = match.transcript()
        if tampered is not None:
            transcript = tampered(transcript, match.seat)
        await stream.say(ends=[match.end(referee.signer, transcript)])
        await names(referee, match.id, what)
        quiet_about(referee, sound.id, "a match in which all was right")
    return f"it named the {len(_TAMPERED)} tampered matches, and not the sound ones"


def _other_entropy(transcript: Transcript, seat: int) -> Transcript:
    entropies = list(transcript.opening.entropies)
    entropies[seat] = bytes(16)
    return replace(transcript, opening=replace(transcript.opening, entropies=tuple(entropies)))


def _other_secret(transcript: Transcript, _seat: int) -> Transcript:
    return replace(transcript, opening=replace(transcript.opening, secret=bytes(32)))


def _other_commitment(transcript: Transcript, _seat: int) -> Transcript:
    return replace(transcript, commitment=bytes(32))


_TAMPERED: Final[dict[str, Callable[[Transcript, int], Transcript] | None]] = {
    "draws that do not follow from the opened secret": None,
    "another entropy than the bot's": _other_entropy,
    "a secret that is not the committed one": _other_secret,
    "another commitment than the offer's": _other_commitment,
}
"""The tampering by case; None: the draws themselves are tampered with, not the transcript."""


SCENARIOS: Final = (
    Scenario("entropy", "Joins with 8 to 64 random bytes, others in each match.", _entropy),
    Scenario(
        "tampering",
        f"Writes a line with the match's id and “{NOTICED}” for each match that was not dealt as "
        "promised, and for no other.",
        _tampered,
        needs_program="the check reads what the program prints",
    ),
)
