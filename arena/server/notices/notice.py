"""`Notice`: something that has happened in an event or to a bot, as it is told."""

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
    """What tells it from the other notices of its kind; one that is there is not made again."""
    text: str
    """What has happened, in a sentence."""
    data: Mapping[str, str] = field(default_factory=dict)
    """What a program reads beside the text, such as names."""
