-- The reader role. `arena roles` prints the SQL that makes it, too, with all roles.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'arena_reader') THEN
        BEGIN
            CREATE ROLE arena_reader NOLOGIN;
            GRANT arena_reader TO CURRENT_USER;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;  -- roles belong to the server: another database's migration made it just now
        END;
    ELSIF NOT pg_has_role('arena_reader', 'MEMBER') THEN
        GRANT arena_reader TO CURRENT_USER;
    END IF;
END
$$;
GRANT SELECT ON alembic_version TO arena_reader;
