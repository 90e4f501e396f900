"""`EventNotices`: makes the notices of events that are due, each once."""

from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database.transaction import transaction
from arena.moments import in_utc
from arena.server.events import event_notice_statements
from arena.server.events import event_rows as rows
from arena.server.events import event_statements as statements
from arena.server.events.event import Event
from arena.server.notices.notice import Notice, NoticeKind
from arena.server.notices.outbox import tell


class EventNotices:
    """The notices of the events in the database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def keep(self) -> None:
        """Make the notices that are due. Raises DatabaseUnreachableError."""
        async with transaction(self._engine) as connection:
            due = (await connection.execute(event_notice_statements.due_notices())).all()
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
