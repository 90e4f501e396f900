"""`EventNotices`: makes the notices of events that are due, each once."""

from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database.transaction import transaction
from arena.moments import in_utc
from arena.server.events import event_rows as rows
from arena.server.events import event_statements as statements
from arena.server.events.event import Event
from arena.server.notices.notice import Notice, NoticeKind
from arena.server.notices.outbox import tell

_DUE_NOTICES: Final = text(
    """
    SELECT id, kind FROM events CROSS JOIN LATERAL (VALUES
        ('opens', opens_at <= clock_timestamp() AND frozen_at IS NULL
            AND cancelled_at IS NULL AND freezes_at > clock_timestamp()),
        ('last-day', freezes_at - interval '1 day' <= clock_timestamp()
            AND freezes_at > clock_timestamp() AND cancelled_at IS NULL
            AND greatest(opens_at, created_at) < freezes_at - interval '1 day'),
        ('frozen', frozen_at IS NOT NULL),
        ('final', began_at IS NOT NULL),
        ('results', released_at IS NOT NULL),
        ('cancelled', cancelled_at IS NOT NULL)
    ) AS due (kind, is_due)
    WHERE is_due AND coalesce(released_at, cancelled_at, now()) > now() - interval '1 day'
        AND NOT EXISTS (
            SELECT FROM notices WHERE event_id = events.id AND notices.kind = due.kind
        )
    ORDER BY id
    """
)
"""Selects `id` of the event and `kind` of the notices that are due and not made yet."""


class EventNotices:
    """The notices of the events in the database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def keep(self) -> None:
        """Make the notices that are due. Raises DatabaseUnreachableError."""
        async with transaction(self._engine) as connection:
            due = (await connection.execute(_DUE_NOTICES)).all()
            if not due:
                return
            found = await connection.execute(statements.event_list(ids={row.id for row in due}))
            events = {row.id: rows.event(row) for row in found}
            for row in due:
                await tell(connection, _notice(events[row.id], NoticeKind(row.kind)))


def _notice(event: Event, kind: NoticeKind) -> Notice:
    return Notice(
        kind=kind,
        event_id=event.id,
        text=_sentence(event, kind),
        data={"event": event.name, "title": event.terms.title},
    )


def _sentence(event: Event, kind: NoticeKind) -> str:
    title, dates = event.terms.title, event.terms.dates
    return {
        NoticeKind.OPENS: f"{title}: entries are open until {in_utc(dates.freezes)}.",
        NoticeKind.LAST_DAY: f"{title}: one day left; entries close at {in_utc(dates.freezes)}.",
        NoticeKind.FROZEN: (
            f"{title}: the builds are fixed; the final begins at {in_utc(dates.final)}."
        ),
        NoticeKind.FINAL: (
            f"{title}: the final has begun; results are out at {in_utc(dates.results)}."
        ),
        NoticeKind.RESULTS: f"{title}: the results are out.",
        NoticeKind.CANCELLED: f"{title} is cancelled. {event.why_cancelled}".rstrip(),
    }[kind]
