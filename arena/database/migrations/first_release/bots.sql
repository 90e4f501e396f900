CREATE TABLE bots (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT bots_pk PRIMARY KEY,
    owner_id integer NOT NULL CONSTRAINT bots_owner_id_fk REFERENCES owners,
    name text NOT NULL,
    house boolean NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz,
    folded text COLLATE "C" NOT NULL CONSTRAINT bots_folded_key UNIQUE,
    skeleton text NOT NULL CONSTRAINT bots_skeleton_key UNIQUE,
    frozen_at timestamptz,
    paused_at timestamptz,
    text text NOT NULL DEFAULT '',
    language text NOT NULL DEFAULT '',
    link text NOT NULL DEFAULT '',
    pace integer,
    most_pace integer,
    shares_decisions boolean NOT NULL DEFAULT true,
    shares_notes boolean NOT NULL DEFAULT false,
    CONSTRAINT bots_name_allowed
        CHECK (char_length(name) BETWEEN 1 AND 40 AND name = btrim(name)),
    CONSTRAINT bots_text_length CHECK (char_length(text) <= 1000),
    CONSTRAINT bots_language_length CHECK (char_length(language) <= 40),
    CONSTRAINT bots_pace_least CHECK (pace >= 1),
    CONSTRAINT bots_most_pace_least CHECK (most_pace >= 1),
    CONSTRAINT bots_link_allowed
        CHECK (link = '' OR (link ~ '^https?://' AND char_length(link) <= 200))
);
CREATE INDEX bots_owner_ix ON bots (owner_id, folded);

CREATE TABLE versions (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT versions_pk PRIMARY KEY,
    bot_id integer NOT NULL CONSTRAINT versions_bot_id_fk REFERENCES bots,
    label text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz,
    CONSTRAINT versions_label_allowed CHECK (label ~ '^[A-Za-z0-9._-]{1,40}$'),
    CONSTRAINT versions_bot_id_label_key UNIQUE (bot_id, label)
);

CREATE TABLE tokens (
    version_id integer CONSTRAINT tokens_pk PRIMARY KEY
        CONSTRAINT tokens_version_id_fk REFERENCES versions,
    sha256 bytea NOT NULL CONSTRAINT tokens_sha256_key UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT tokens_sha256_length CHECK (octet_length(sha256) = 32)
);

CREATE TABLE conformance_checks (
    version_id integer CONSTRAINT conformance_checks_version_id_fk REFERENCES versions,
    origin text,
    edition integer NOT NULL,
    met smallint NOT NULL,
    failed text[] NOT NULL,
    skipped text[] NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT conformance_checks_pk PRIMARY KEY (version_id, origin),
    CONSTRAINT conformance_checks_origin_known CHECK (origin IN ('author', 'arena')),
    CONSTRAINT conformance_checks_edition_least CHECK (edition >= 1),
    CONSTRAINT conformance_checks_something_tried
        CHECK (met >= 0 AND met + cardinality(failed) >= 1)
);

-- Each result updates its row: half of a page is left for that.
CREATE TABLE version_counts (
    version_id integer CONSTRAINT version_counts_pk PRIMARY KEY
        CONSTRAINT version_counts_version_id_fk REFERENCES versions,
    matches bigint NOT NULL,
    faults bigint NOT NULL,
    CONSTRAINT version_counts_matches_least CHECK (matches >= 1),
    CONSTRAINT version_counts_faults_least CHECK (faults >= 0)
) WITH (fillfactor = 50);

GRANT SELECT ON bots, versions, conformance_checks, version_counts TO arena_reader;
