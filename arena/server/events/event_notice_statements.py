"""The SQL statement that finds which notices of events are due; callers execute it."""

from sqlalchemy import TextClause, text


def due_notices() -> TextClause:
    """Select `id` of the event and `kind` of the notices that are due and not made yet."""
    return text(
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
