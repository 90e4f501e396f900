-- The functions of the queue find their tables for every caller.
DO $$
DECLARE one regprocedure;
BEGIN
    FOR one IN SELECT oid FROM pg_proc WHERE pronamespace = 'procrastinate'::regnamespace LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = procrastinate', one);
    END LOOP;
END;
$$;

-- No TRIGGER: its function would run with the rights of the writer, the referee. Where the role is
-- missing, the SQL of `arena roles` that makes it grants the same.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'arena_worker') THEN
        GRANT USAGE ON SCHEMA procrastinate TO arena_worker;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA procrastinate TO arena_worker;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA procrastinate TO arena_worker;
    END IF;
END
$$;
