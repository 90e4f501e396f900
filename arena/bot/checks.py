"""Was a finished match the one we were offered, dealt with our entropy, and refereed rightly?"""

from arena.codec.bot_side import Offered
from arena.match.replay import TranscriptError
from arena.match.transcript import Transcript
from arena.match.verify import verify


def check(transcript: Transcript, offered: Offered, entropy: bytes | None) -> None:
    """Raises TranscriptError naming the first thing that is not as promised.

    `entropy` is None when another run of this bot had joined the match: nobody here knows it.
    """
    if transcript.setup != offered.setup:
        raise TranscriptError("the transcript is of other terms than those offered")
    if transcript.commitment != offered.commitment:
        raise TranscriptError("the commitment is not the one offered")
    entropies = transcript.opening.entropies
    if entropy is not None and entropies[offered.seat : offered.seat + 1] != (entropy,):
        raise TranscriptError("the match was not dealt with the entropy this bot sent")
    verify(transcript)
