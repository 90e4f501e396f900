"""`Notice`: the message that something has happened in an event or to a bot."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class NoticeKind(StrEnum):
    """What has happened."""

    OPENS = "opens"
    LAST_DAY = "last-day"
    FROZEN = "frozen"
    FINAL = "final"
    RESULTS = "results"
    CANCELLED = "cancelled"
    ACCEPTED = "accepted"
    """The check accepted a build."""
    REFUSED = "refused"
    """The check refused a build."""
    FAILING = "failing"
    """A bot keeps failing."""

    @property
    def type(self) -> str:
        """The type of the notice as webhooks get it, such as "event.opens"."""
        of_bots = {
            NoticeKind.ACCEPTED: "build.accepted",
            NoticeKind.REFUSED: "build.refused",
            NoticeKind.FAILING: "bot.failing",
        }
        return of_bots.get(self, f"event.{self.value}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A notice of an event, or of a bot."""

    kind: NoticeKind
    event_id: int | None = None
    bot_id: int | None = None
    about: str = ""
    """Distinguishes the notices of one kind; each is made only once."""
    text: str
    """What has happened, in a sentence."""
    data: Mapping[str, str] = field(default_factory=dict)
    """Details for programs, such as names."""
