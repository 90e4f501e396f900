"""Each connected copy of a bot is told the ends that it missed, and no others."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from arena.match.transcript import Entrant, Transcript
from arena.records import Registered, UntoldEnd, VersionId
from arena.referee.missed_ends import MissedEnds
from arena.referee.session import Session

VERSION = VersionId(1)


@dataclass
class Ends:
    """An EndStore whose matches nobody knows any more, so that nothing needs to be sent."""

    untold: list[UntoldEnd]
    asked: list[str] = field(default_factory=list)

    async def untold_ends(self) -> Sequence[UntoldEnd]:
        return list(self.untold)

    async def add_untold(self, ends: Sequence[UntoldEnd]) -> None:
        self.untold += ends

    async def remove_untold(self, ends: Sequence[UntoldEnd]) -> None:
        self.untold = [end for end in self.untold if end not in ends]

    async def transcript(self, match_id: str) -> Transcript | None:
        self.asked.append(match_id)
        return None


def copy(instance: str) -> Session:
    registered = Registered(VERSION, Entrant("bot", "1", "owner"), False)
    nothing = cast(Any, lambda *_: None)
    return Session(registered, instance, nothing, nothing)


async def test_a_copy_is_told_the_ends_of_its_own_matches() -> None:
    ends = Ends([UntoldEnd(f"of {name}", VERSION, name) for name in ("left", "right", "")])
    missed = MissedEnds(ends)
    await missed.load()
    task = asyncio.create_task(missed.run())
    told = []
    for name in ("right", "another", "", "left"):
        missed.came(copy(name))
        await missed.settled()
        told.append(ends.asked[:])
        ends.asked.clear()
    task.cancel()
    assert told == [["of right"], [], ["of "], ["of left"]]
    assert ends.untold == []
