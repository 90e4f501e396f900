-- Whatever changes a build first freezes what is due, so that a freeze is exact to the moment, even
-- if no referee ran then. The lock makes it wait for changes that came before the date. What
-- changes of connected bots follows: by the times of their versions, so nothing that registers or
-- retires one needs to freeze first.
CREATE FUNCTION freeze_due_events() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    due integer;
BEGIN
    PERFORM pg_advisory_xact_lock(7236407);
    FOR due IN
        SELECT id FROM events
        WHERE released_at IS NULL AND cancelled_at IS NULL AND frozen_at IS NULL
            AND freezes_at <= clock_timestamp()
        ORDER BY id FOR UPDATE
    LOOP
        INSERT INTO event_builds (event_id, bot_id, version_id, build_id, sha256)
        SELECT due, entry.bot_id, hosted.version_id, builds.id, builds.sha256
        FROM event_entries AS entry
            JOIN hosted_bots ON hosted_bots.bot_id = entry.bot_id
            JOIN hosted_versions AS hosted ON hosted.version_id = hosted_bots.version_id
            JOIN builds ON builds.id = hosted.build_id
            JOIN versions ON versions.id = hosted.version_id
            JOIN bots ON bots.id = entry.bot_id
            JOIN owners ON owners.id = bots.owner_id
        WHERE entry.event_id = due AND bots.retired_at IS NULL AND versions.retired_at IS NULL
            AND owners.banned_at IS NULL;
        INSERT INTO event_builds (event_id, bot_id, version_id)
        SELECT DISTINCT ON (entry.bot_id) due, entry.bot_id, versions.id
        FROM event_entries AS entry
            JOIN events ON events.id = entry.event_id AND events.connected
            JOIN bots ON bots.id = entry.bot_id
            JOIN owners ON owners.id = bots.owner_id
            JOIN versions ON versions.bot_id = entry.bot_id
        WHERE entry.event_id = due AND bots.retired_at IS NULL AND owners.banned_at IS NULL
            AND versions.created_at <= events.freezes_at
            AND (versions.retired_at IS NULL OR versions.retired_at > events.freezes_at)
            AND NOT EXISTS (
                SELECT FROM hosted_versions AS hosted WHERE hosted.version_id = versions.id
            )
            AND NOT EXISTS (SELECT FROM hosted_bots WHERE hosted_bots.bot_id = entry.bot_id)
        ORDER BY entry.bot_id, versions.id DESC;
        UPDATE events SET frozen_at = clock_timestamp() WHERE id = due;
        PERFORM pg_notify('arena_events', due::text);
    END LOOP;
END
$$;
CREATE FUNCTION freeze_first() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM freeze_due_events();
    RETURN NULL;
END
$$;
CREATE TRIGGER hosted_bots_freeze_first BEFORE INSERT OR UPDATE OR DELETE ON hosted_bots
    FOR EACH STATEMENT EXECUTE FUNCTION freeze_first();
CREATE TRIGGER bots_freeze_first BEFORE UPDATE OF retired_at ON bots
    FOR EACH STATEMENT EXECUTE FUNCTION freeze_first();
CREATE TRIGGER versions_freeze_first BEFORE UPDATE OF retired_at ON versions
    FOR EACH STATEMENT EXECUTE FUNCTION freeze_first();
CREATE TRIGGER owners_freeze_first BEFORE UPDATE OF banned_at ON owners
    FOR EACH STATEMENT EXECUTE FUNCTION freeze_first();

-- A new build of an entered bot, or one that is back in service, is played at once.
CREATE FUNCTION tell_events_of(bot integer) RETURNS void LANGUAGE sql AS $$
    SELECT pg_notify('arena_events', entry.event_id::text)
    FROM event_entries AS entry
        JOIN event_ladders USING (event_id)
        JOIN events ON events.id = entry.event_id
    WHERE entry.bot_id = bot AND events.released_at IS NULL AND events.cancelled_at IS NULL
$$;
CREATE FUNCTION hosted_bot_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_events_of(NEW.bot_id);
    RETURN NULL;
END
$$;
CREATE FUNCTION bot_service_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_events_of(NEW.id);
    RETURN NULL;
END
$$;
CREATE TRIGGER hosted_bots_told AFTER INSERT OR UPDATE OF version_id ON hosted_bots
    FOR EACH ROW EXECUTE FUNCTION hosted_bot_changed();
CREATE TRIGGER bots_told AFTER UPDATE OF paused_at, frozen_at, retired_at ON bots
    FOR EACH ROW EXECUTE FUNCTION bot_service_changed();
