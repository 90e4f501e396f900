-- The roles of an arena's database, with no more rights than each needs:
--
--   arena         owns the database: migrations, referees and commands; not a superuser
--   arena_reader  reads what everybody may know: the dashboard
--   arena_worker  the queue of shifts: workers
--
-- Run it as a superuser in the arena's database, as often as you like. It sets no passwords.

DO $$
BEGIN
    -- The superuser that initdb made stays one: where it is called arena, it gets another name.
    IF 'arena' = (SELECT rolname FROM pg_roles WHERE oid = 10) THEN
        CREATE ROLE arena_renaming SUPERUSER;
        SET SESSION AUTHORIZATION arena_renaming;
        ALTER ROLE arena RENAME TO postgres;
        SET SESSION AUTHORIZATION postgres;
        DROP ROLE arena_renaming;
        ALTER ROLE postgres PASSWORD NULL;
    END IF;
END
$$;

DO $$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['arena', 'arena_reader', 'arena_worker'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            EXECUTE format('CREATE ROLE %I', role);
        END IF;
        EXECUTE format(
            'ALTER ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS',
            role
        );
    END LOOP;
    -- The rest of the server's connections is for referees. A limit that was set before stays.
    IF -1 = (SELECT rolconnlimit FROM pg_roles WHERE rolname = 'arena_reader') THEN
        ALTER ROLE arena_reader CONNECTION LIMIT 20;
    END IF;
    IF -1 = (SELECT rolconnlimit FROM pg_roles WHERE rolname = 'arena_worker') THEN
        ALTER ROLE arena_worker CONNECTION LIMIT 40;
    END IF;
    -- Referees and commands read as arena_reader, too.
    IF NOT pg_has_role('arena', 'arena_reader', 'MEMBER') THEN
        GRANT arena_reader TO arena;
    END IF;
END
$$;

DO $$
DECLARE
    statement text;
BEGIN
    EXECUTE format('ALTER DATABASE %I OWNER TO arena', current_database());
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM arena_reader, arena_worker', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO arena_reader, arena_worker', current_database());
    REVOKE CREATE ON SCHEMA public FROM PUBLIC, arena_reader, arena_worker;
    GRANT ALL ON SCHEMA public TO arena;
    -- Objects that another role has made: a superuser, in earlier releases.
    FOR statement IN
        WITH ours AS (
            SELECT oid FROM pg_namespace WHERE nspname IN ('public', 'procrastinate')
        ), kept AS (
            -- What belongs to extensions, or changes its owner with a table.
            SELECT classid, objid FROM pg_depend
            WHERE deptype = 'e'
                OR deptype IN ('a', 'i') AND refclassid = 'pg_class'::regclass
        ), found AS (
            SELECT 1 AS turn, format('SCHEMA %I', nspname) AS name, 0::oid AS class, oid, nspowner AS owner
            FROM pg_namespace WHERE nspname = 'procrastinate'
            UNION ALL
            SELECT
                CASE relkind WHEN 'S' THEN 3 ELSE 2 END,
                CASE relkind
                    WHEN 'S' THEN 'SEQUENCE '
                    WHEN 'v' THEN 'VIEW '
                    WHEN 'm' THEN 'MATERIALIZED VIEW '
                    ELSE 'TABLE '
                END || oid::regclass,
                'pg_class'::regclass, oid, relowner
            FROM pg_class
            WHERE relnamespace IN (SELECT oid FROM ours) AND relkind IN ('r', 'p', 'v', 'm', 'S')
            UNION ALL
            SELECT 4, 'ROUTINE ' || oid::regprocedure, 'pg_proc'::regclass, oid, proowner
            FROM pg_proc WHERE pronamespace IN (SELECT oid FROM ours)
            UNION ALL
            SELECT 5, 'TYPE ' || oid::regtype, 'pg_type'::regclass, oid, typowner
            FROM pg_type
            WHERE typnamespace IN (SELECT oid FROM ours)
                AND (
                    typtype IN ('e', 'd')
                    OR typtype = 'c'
                        AND 'c' = (SELECT relkind FROM pg_class WHERE pg_class.oid = typrelid)
                )
        )
        SELECT format('ALTER %s OWNER TO arena', name) FROM found
        WHERE owner <> 'arena'::regrole AND (class, oid) NOT IN (SELECT classid, objid FROM kept)
        ORDER BY turn
    LOOP
        EXECUTE statement;
    END LOOP;
END
$$;

DO $$
DECLARE
    lock regprocedure;
BEGIN
    -- The migrations let the reader read. Anything else that it was given is taken away.
    REVOKE INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER
        ON ALL TABLES IN SCHEMA public FROM PUBLIC, arena_reader;
    REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM PUBLIC, arena_reader, arena_worker;
    REVOKE ALL ON ALL TABLES IN SCHEMA public FROM arena_worker;
    IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'procrastinate') THEN
        -- No TRIGGER: its function would run with the rights of whoever writes, the referee.
        REVOKE ALL ON SCHEMA procrastinate FROM PUBLIC, arena_reader, arena_worker;
        REVOKE ALL ON ALL TABLES IN SCHEMA procrastinate FROM PUBLIC, arena_reader, arena_worker;
        REVOKE ALL ON ALL SEQUENCES IN SCHEMA procrastinate FROM PUBLIC, arena_reader, arena_worker;
        GRANT USAGE ON SCHEMA procrastinate TO arena_worker;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA procrastinate TO arena_worker;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA procrastinate TO arena_worker;
    END IF;
    -- Everybody may store large objects, unless told otherwise.
    REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea)
        FROM PUBLIC;
    -- By advisory locks referees know who is alive, and results are recorded in turn.
    FOR lock IN
        SELECT oid FROM pg_proc
        WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '^pg_(try_)?advisory_'
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', lock);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO arena', lock);
    END LOOP;
END
$$;
