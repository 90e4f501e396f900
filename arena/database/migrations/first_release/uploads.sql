-- Programs are their owners' secrets: the reader role sees none of these tables.
CREATE TABLE builds (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT builds_pk PRIMARY KEY,
    owner_id integer NOT NULL CONSTRAINT builds_owner_id_fk REFERENCES owners,
    sha256 bytea NOT NULL,
    file_name text NOT NULL,
    size integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT builds_owner_id_sha256_key UNIQUE (owner_id, sha256),
    CONSTRAINT builds_sha256_length CHECK (octet_length(sha256) = 32),
    CONSTRAINT builds_file_name_known CHECK (file_name IN ('bot.py', 'bot.zip')),
    CONSTRAINT builds_size_positive CHECK (size > 0)
);
CREATE INDEX builds_sha256_ix ON builds (sha256);
CREATE TRIGGER builds_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON builds
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE build_files (
    build_id integer CONSTRAINT build_files_pk PRIMARY KEY
        CONSTRAINT build_files_build_id_fk REFERENCES builds,
    data bytea NOT NULL
);
ALTER TABLE build_files ALTER data SET STORAGE EXTERNAL;

CREATE TABLE hosted_versions (
    version_id integer CONSTRAINT hosted_versions_pk PRIMARY KEY
        CONSTRAINT hosted_versions_version_id_fk REFERENCES versions,
    build_id integer NOT NULL CONSTRAINT hosted_versions_build_id_fk REFERENCES builds,
    state text NOT NULL DEFAULT 'checking',
    reason text NOT NULL DEFAULT '',
    checks integer NOT NULL DEFAULT 0,
    CONSTRAINT hosted_versions_state_known CHECK (state IN ('checking', 'accepted', 'refused'))
);
CREATE INDEX hosted_versions_build_id_ix ON hosted_versions (build_id);
CREATE INDEX hosted_versions_checking_ix ON hosted_versions (version_id) WHERE state = 'checking';

CREATE TABLE hosted_bots (
    bot_id integer CONSTRAINT hosted_bots_pk PRIMARY KEY
        CONSTRAINT hosted_bots_bot_id_fk REFERENCES bots,
    version_id integer NOT NULL CONSTRAINT hosted_bots_version_id_fk REFERENCES hosted_versions
);

CREATE TABLE workers (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT workers_pk PRIMARY KEY,
    name text NOT NULL CONSTRAINT workers_name_key UNIQUE,
    sha256 bytea CONSTRAINT workers_sha256_key UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz,
    slots smallint NOT NULL DEFAULT 0,
    CONSTRAINT workers_slots_least CHECK (slots >= 0),
    CONSTRAINT workers_name_allowed CHECK (name ~ '^[A-Za-z0-9._-]{1,40}$'),
    CONSTRAINT workers_sha256_length CHECK (octet_length(sha256) = 32)
);

CREATE TABLE shifts (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT shifts_pk PRIMARY KEY,
    version_id integer NOT NULL CONSTRAINT shifts_version_id_fk REFERENCES hosted_versions,
    worker_id integer NOT NULL CONSTRAINT shifts_worker_id_fk REFERENCES workers,
    "check" boolean NOT NULL,
    tournament boolean NOT NULL DEFAULT false,
    token_sha256 bytea CONSTRAINT shifts_token_sha256_key UNIQUE,
    began_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    ended_at timestamptz,
    outcome text NOT NULL DEFAULT '',
    cut_short boolean NOT NULL DEFAULT false,
    log text NOT NULL DEFAULT '',
    CONSTRAINT shifts_token_sha256_length CHECK (octet_length(token_sha256) = 32),
    CONSTRAINT shifts_token_while_running CHECK (ended_at IS NULL OR token_sha256 IS NULL),
    CONSTRAINT shifts_log_length CHECK (octet_length(log) <= 65536)
);
CREATE INDEX shifts_version_ix ON shifts (version_id, id);
CREATE INDEX shifts_running_ix ON shifts (expires_at) WHERE ended_at IS NULL;
