"""The scenario of matches that were not dealt as promised: the bot has to notice each."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from arena.conformance.playing import Matches, end_all, play_out, seat
from arena.conformance.scenario import Scenario
from arena.conformance.scripted_referee import ScriptedReferee, UnmetError
from arena.conformance.verification_lines import FAILED, line_about, quiet_about
from arena.match.transcript import Transcript

_SOON_SECONDS: Final = 3.0


async def _tampered(referee: ScriptedReferee) -> str:
    stream, matches = await referee.begin(), Matches()
    sound = matches.one(stream)
    await seat(stream, [sound])
    await play_out(stream, [sound])
    await end_all(referee, stream, [sound])
    for what, tampered in _TAMPERED.items():
        match = matches.one(stream)
        match.dealt_otherwise = tampered is None
        await seat(stream, [match])
        await play_out(stream, [match])
        transcript = match.transcript()
        if tampered is not None:
            transcript = tampered(transcript, match.seat)
        await stream.say(ends=[match.end(referee.signer, transcript)])
        await _named(referee, match.id, what)
        if referee.program is not None and not referee.program.running:
            return f"it named the tampered match and {referee.program.how_it_ended()}"
    quiet_about(referee, sound.id, "a match in which all was right")
    return f"it named the {len(_TAMPERED)} tampered matches, and not the sound one"


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
"""None: the match is dealt so."""


async def _named(referee: ScriptedReferee, match_id: str, what: str) -> None:
    deadline = time.monotonic() + _SOON_SECONDS
    while line_about(referee, match_id) is None:
        if time.monotonic() > deadline:
            raise UnmetError(
                f"of a match with {what} it printed no line with “{FAILED}” and the match's id"
            )
        await asyncio.sleep(0.02)


TAMPERING: Final = Scenario(
    "tampering",
    f"Writes a line with the match's id and “{FAILED}” for each match that was not dealt as "
    "promised, and for no other.",
    _tampered,
)
