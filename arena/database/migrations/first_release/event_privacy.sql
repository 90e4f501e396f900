-- The database itself hides private events from the reader role, whoever asks. `arena.viewer` is
-- the id of the owner for whom a statement is run.

-- It runs with the rights of its maker: no table of a session may take the place of ours.
CREATE FUNCTION is_event_member(event integer) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM event_entries AS entry
        WHERE entry.event_id = event
            AND entry.owner_id = nullif(current_setting('arena.viewer', true), '')::integer
    ) OR EXISTS (
        SELECT FROM event_people AS person
        WHERE person.event_id = event
            AND person.owner_id = nullif(current_setting('arena.viewer', true), '')::integer
    ) OR EXISTS (
        SELECT FROM event_organisers AS organiser
        WHERE organiser.event_id = event
            AND organiser.owner_id = nullif(current_setting('arena.viewer', true), '')::integer
    )
$$;
CREATE FUNCTION plays_privately(bot integer) RETURNS boolean
LANGUAGE sql STABLE SET search_path = public AS $$
    SELECT EXISTS (
        SELECT FROM events JOIN bots ON bots.id = bot
        WHERE events.private AND events.released_at IS NULL AND events.cancelled_at IS NULL
            AND (
                EXISTS (
                    SELECT FROM event_entries AS entry
                    WHERE entry.event_id = events.id AND entry.bot_id = bots.id
                ) OR EXISTS (
                    SELECT FROM event_people AS person
                    WHERE person.event_id = events.id AND person.owner_id = bots.owner_id
                )
            )
    )
$$;

ALTER TABLE events ENABLE ROW LEVEL SECURITY;
CREATE POLICY events_seen ON events FOR SELECT TO arena_reader
    USING (NOT private OR is_event_member(id));
GRANT SELECT ON events TO arena_reader;

-- Seen by whoever sees the event.
ALTER TABLE event_entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY event_entries_seen ON event_entries FOR SELECT TO arena_reader
    USING (EXISTS (SELECT FROM events WHERE events.id = event_id));
ALTER TABLE event_builds ENABLE ROW LEVEL SECURITY;
CREATE POLICY event_builds_seen ON event_builds FOR SELECT TO arena_reader
    USING (EXISTS (SELECT FROM events WHERE events.id = event_id));
ALTER TABLE event_archives ENABLE ROW LEVEL SECURITY;
CREATE POLICY event_archives_seen ON event_archives FOR SELECT TO arena_reader
    USING (EXISTS (SELECT FROM events WHERE events.id = event_id));
ALTER TABLE event_ladders ENABLE ROW LEVEL SECURITY;
CREATE POLICY event_ladders_seen ON event_ladders FOR SELECT TO arena_reader
    USING (EXISTS (SELECT FROM events WHERE events.id = event_id));
ALTER TABLE event_players ENABLE ROW LEVEL SECURITY;
CREATE POLICY event_players_seen ON event_players FOR SELECT TO arena_reader
    USING (EXISTS (SELECT FROM events WHERE events.id = event_id));
ALTER TABLE event_ladder_blocks ENABLE ROW LEVEL SECURITY;
CREATE POLICY event_ladder_blocks_seen ON event_ladder_blocks FOR SELECT TO arena_reader
    USING (EXISTS (SELECT FROM events WHERE events.id = event_id));
ALTER TABLE event_ladder_transcripts ENABLE ROW LEVEL SECURITY;
CREATE POLICY event_ladder_transcripts_seen ON event_ladder_transcripts FOR SELECT TO arena_reader
    USING (EXISTS (SELECT FROM events WHERE events.id = event_id));

-- A release of a private final opens these to its members.
ALTER TABLE event_pairings ENABLE ROW LEVEL SECURITY;
CREATE POLICY event_pairings_seen ON event_pairings FOR SELECT TO arena_reader
    USING (EXISTS (
        SELECT FROM events
        WHERE events.id = event_id AND events.private AND events.released_at IS NOT NULL
    ));
ALTER TABLE event_blocks ENABLE ROW LEVEL SECURITY;
CREATE POLICY event_blocks_seen ON event_blocks FOR SELECT TO arena_reader
    USING (EXISTS (
        SELECT FROM events
        WHERE events.id = event_id AND events.private AND events.released_at IS NOT NULL
    ));

GRANT SELECT ON event_entries, event_builds, event_archives, event_ladders, event_players,
    event_ladder_transcripts, event_pairings, event_blocks TO arena_reader;
-- Not `failure`: why a block was not played.
GRANT SELECT (event_id, number, players, began_at, ended_at, match_ids, placings)
    ON event_ladder_blocks TO arena_reader;
