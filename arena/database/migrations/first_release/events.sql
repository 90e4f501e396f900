CREATE TABLE events (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT events_pk PRIMARY KEY,
    name text NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    format text NOT NULL,
    game text NOT NULL,
    options jsonb NOT NULL,
    seat_count smallint NOT NULL,
    blocks smallint NOT NULL,
    rounds smallint,
    groups smallint,
    advance smallint,
    score text NOT NULL,
    turn_ms integer NOT NULL,
    bank_ms integer NOT NULL,
    practice boolean NOT NULL,
    opens_at timestamptz NOT NULL,
    freezes_at timestamptz NOT NULL,
    final_at timestamptz NOT NULL,
    results_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    frozen_at timestamptz,
    began_at timestamptz,
    ended_at timestamptz,
    published_at timestamptz,
    released_at timestamptz,
    cancelled_at timestamptz,
    why_cancelled text NOT NULL DEFAULT '',
    commitment bytea NOT NULL,
    seed bytea,
    needs_code boolean NOT NULL,
    roster_only boolean NOT NULL DEFAULT false,
    most_members smallint,
    most_builds smallint,
    most_bots smallint,
    live boolean NOT NULL DEFAULT false,
    private boolean NOT NULL DEFAULT false,
    connected boolean NOT NULL DEFAULT false,
    tournament_id integer CONSTRAINT events_tournament_id_key UNIQUE
        CONSTRAINT events_tournament_id_fk REFERENCES tournaments,
    CONSTRAINT events_name_allowed CHECK (name ~ '^[A-Za-z0-9._-]{1,40}$'),
    CONSTRAINT events_title_length CHECK (char_length(title) BETWEEN 1 AND 100),
    CONSTRAINT events_text_length CHECK (char_length(text) <= 20000),
    CONSTRAINT events_dates_ordered
        CHECK (opens_at < freezes_at AND freezes_at <= final_at AND final_at <= results_at),
    CONSTRAINT events_commitment_length CHECK (octet_length(commitment) = 32),
    CONSTRAINT events_seed_committed CHECK (seed IS NULL OR sha256(seed) = commitment),
    CONSTRAINT events_released_as_a_whole CHECK (
        (released_at IS NOT NULL) = (seed IS NOT NULL)
        AND (private OR released_at IS NULL OR tournament_id IS NOT NULL)
        AND NOT (private AND tournament_id IS NOT NULL)
        AND (released_at IS NULL OR released_at >= results_at)
    ),
    CONSTRAINT events_limits_least CHECK (least(most_members, most_builds, most_bots) >= 1),
    CONSTRAINT events_connected_live CHECK (NOT connected OR live),
    CONSTRAINT events_blind_until_results CHECK (
        tournament_id IS NULL OR live
        OR coalesce(published_at, released_at, '-infinity') >= results_at
    ),
    CONSTRAINT events_published_begun CHECK (tournament_id IS NULL OR began_at IS NOT NULL),
    CONSTRAINT events_began_frozen CHECK (began_at IS NULL OR frozen_at IS NOT NULL),
    CONSTRAINT events_ended_begun CHECK (ended_at IS NULL OR began_at IS NOT NULL),
    CONSTRAINT events_released_ended CHECK (released_at IS NULL OR ended_at IS NOT NULL)
);
CREATE UNIQUE INDEX events_name_key ON events (lower(name));
CREATE INDEX events_unfinished_ix ON events (id)
    WHERE released_at IS NULL AND cancelled_at IS NULL;

CREATE TABLE event_secrets (
    event_id integer CONSTRAINT event_secrets_pk PRIMARY KEY
        CONSTRAINT event_secrets_event_id_fk REFERENCES events,
    seed bytea NOT NULL,
    code_sha256 bytea,
    CONSTRAINT event_secrets_seed_length CHECK (octet_length(seed) = 32)
);

CREATE TABLE event_entries (
    event_id integer CONSTRAINT event_entries_event_id_fk REFERENCES events,
    bot_id integer CONSTRAINT event_entries_bot_id_fk REFERENCES bots,
    owner_id integer NOT NULL CONSTRAINT event_entries_owner_id_fk REFERENCES owners,
    team text NOT NULL,
    entered_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT event_entries_pk PRIMARY KEY (event_id, bot_id),
    CONSTRAINT event_entries_event_id_owner_id_key UNIQUE (event_id, owner_id),
    CONSTRAINT event_entries_team_length CHECK (char_length(team) BETWEEN 1 AND 40)
);
CREATE INDEX event_entries_bot_id_ix ON event_entries (bot_id);

CREATE TABLE event_makers (
    owner_id integer CONSTRAINT event_makers_pk PRIMARY KEY
        CONSTRAINT event_makers_owner_id_fk REFERENCES owners
);

CREATE TABLE event_organisers (
    event_id integer CONSTRAINT event_organisers_event_id_fk REFERENCES events,
    owner_id integer CONSTRAINT event_organisers_owner_id_fk REFERENCES owners,
    CONSTRAINT event_organisers_pk PRIMARY KEY (event_id, owner_id)
);
CREATE INDEX event_organisers_owner_ix ON event_organisers (owner_id);

CREATE TABLE event_people (
    event_id integer CONSTRAINT event_people_event_id_fk REFERENCES events,
    number integer,
    owner_id integer NOT NULL CONSTRAINT event_people_owner_id_fk REFERENCES owners,
    name text NOT NULL,
    email text NOT NULL DEFAULT '',
    student_number text NOT NULL DEFAULT '',
    member_id integer CONSTRAINT event_people_member_id_key UNIQUE
        CONSTRAINT event_people_member_id_fk REFERENCES owner_members ON DELETE SET NULL,
    captain boolean NOT NULL DEFAULT false,
    excused boolean NOT NULL DEFAULT false,
    CONSTRAINT event_people_pk PRIMARY KEY (event_id, number)
);
CREATE INDEX event_people_owner_ix ON event_people (owner_id);

CREATE TABLE event_builds (
    event_id integer CONSTRAINT event_builds_event_id_fk REFERENCES events,
    bot_id integer CONSTRAINT event_builds_bot_id_fk REFERENCES bots,
    version_id integer NOT NULL CONSTRAINT event_builds_version_id_fk REFERENCES versions,
    build_id integer CONSTRAINT event_builds_build_id_fk REFERENCES builds,
    sha256 bytea,
    withdrawn_at timestamptz,
    CONSTRAINT event_builds_pk PRIMARY KEY (event_id, bot_id),
    CONSTRAINT event_builds_sha256_length CHECK (octet_length(sha256) = 32),
    CONSTRAINT event_builds_hashed CHECK ((build_id IS NULL) = (sha256 IS NULL))
);
CREATE INDEX event_builds_build_id_ix ON event_builds (build_id);

CREATE TABLE event_archives (
    event_id integer CONSTRAINT event_archives_pk PRIMARY KEY
        CONSTRAINT event_archives_event_id_fk REFERENCES events,
    text bytea NOT NULL,
    signature bytea NOT NULL
);

CREATE TABLE event_pairings (
    event_id integer CONSTRAINT event_pairings_event_id_fk REFERENCES events,
    round smallint,
    "table" smallint,
    entries smallint[] NOT NULL,
    absent smallint[] NOT NULL DEFAULT '{}',
    reason text NOT NULL DEFAULT '',
    CONSTRAINT event_pairings_pk PRIMARY KEY (event_id, round, "table"),
    CONSTRAINT event_pairings_counted_from_one CHECK (round >= 1 AND "table" >= 1),
    CONSTRAINT event_pairings_entries_least CHECK (cardinality(entries) >= 1)
);

CREATE TABLE event_blocks (
    event_id integer,
    round smallint,
    "table" smallint,
    number smallint,
    match_ids uuid[] NOT NULL DEFAULT '{}',
    transcripts bytea[] NOT NULL,
    started_at timestamptz[] NOT NULL,
    finished_at timestamptz[] NOT NULL,
    placings smallint[] NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    published_at timestamptz,
    CONSTRAINT event_blocks_pk PRIMARY KEY (event_id, round, "table", number),
    CONSTRAINT event_blocks_pairing_fk FOREIGN KEY (event_id, round, "table")
        REFERENCES event_pairings,
    CONSTRAINT event_blocks_number_least CHECK (number >= 1)
);
CREATE INDEX event_blocks_unpublished_ix ON event_blocks (event_id) WHERE published_at IS NULL;

CREATE TABLE event_ladders (
    event_id integer CONSTRAINT event_ladders_pk PRIMARY KEY
        CONSTRAINT event_ladders_event_id_fk REFERENCES events,
    house text[] NOT NULL,
    pace integer NOT NULL,
    enough integer NOT NULL,
    queued integer NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT event_ladders_limits CHECK (pace >= 1 AND enough >= 1)
);

CREATE TABLE event_players (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT event_players_pk PRIMARY KEY,
    event_id integer NOT NULL CONSTRAINT event_players_event_id_fk REFERENCES events,
    version_id integer CONSTRAINT event_players_version_id_fk REFERENCES versions,
    house text,
    blocks integer NOT NULL DEFAULT 0,
    CONSTRAINT event_players_one CHECK ((version_id IS NULL) <> (house IS NULL)),
    CONSTRAINT event_players_event_id_version_id_key UNIQUE (event_id, version_id),
    CONSTRAINT event_players_event_id_house_key UNIQUE (event_id, house)
);

CREATE TABLE event_ladder_blocks (
    event_id integer CONSTRAINT event_ladder_blocks_event_id_fk REFERENCES events,
    number integer,
    players integer[] NOT NULL,
    began_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    failure text NOT NULL DEFAULT '',
    match_ids uuid[] NOT NULL,
    placings smallint[],
    CONSTRAINT event_ladder_blocks_pk PRIMARY KEY (event_id, number),
    CONSTRAINT event_ladder_blocks_placed CHECK (placings IS NULL OR ended_at IS NOT NULL)
);
CREATE INDEX event_ladder_blocks_players_ix ON event_ladder_blocks USING gin (players);
CREATE INDEX event_ladder_blocks_matches_ix ON event_ladder_blocks USING gin (match_ids);

CREATE TABLE event_ladder_secrets (
    event_id integer,
    number integer,
    seed bytea NOT NULL,
    CONSTRAINT event_ladder_secrets_pk PRIMARY KEY (event_id, number),
    CONSTRAINT event_ladder_secrets_block_fk FOREIGN KEY (event_id, number)
        REFERENCES event_ladder_blocks,
    CONSTRAINT event_ladder_secrets_length CHECK (octet_length(seed) = 32)
);

CREATE TABLE event_ladder_transcripts (
    event_id integer,
    number integer,
    transcripts bytea[] NOT NULL,
    CONSTRAINT event_ladder_transcripts_pk PRIMARY KEY (event_id, number),
    CONSTRAINT event_ladder_transcripts_block_fk FOREIGN KEY (event_id, number)
        REFERENCES event_ladder_blocks
);

CREATE TABLE event_block_tries (
    event_id integer,
    round smallint,
    "table" smallint,
    number smallint,
    tries smallint NOT NULL DEFAULT 1,
    first_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT event_block_tries_pk PRIMARY KEY (event_id, round, "table", number),
    CONSTRAINT event_block_tries_pairing_fk FOREIGN KEY (event_id, round, "table")
        REFERENCES event_pairings ON DELETE CASCADE
);
