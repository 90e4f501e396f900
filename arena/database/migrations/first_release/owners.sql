CREATE TABLE owners (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT owners_pk PRIMARY KEY,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    folded text COLLATE "C" NOT NULL CONSTRAINT owners_folded_key UNIQUE,
    skeleton text NOT NULL CONSTRAINT owners_skeleton_key UNIQUE,
    banned_at timestamptz,
    operator_since timestamptz,
    CONSTRAINT owners_name_allowed
        CHECK (char_length(name) BETWEEN 1 AND 40 AND name = btrim(name))
);

CREATE TABLE owner_keys (
    owner_id integer CONSTRAINT owner_keys_pk PRIMARY KEY
        CONSTRAINT owner_keys_owner_id_fk REFERENCES owners,
    sha256 bytea NOT NULL CONSTRAINT owner_keys_sha256_key UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT owner_keys_sha256_length CHECK (octet_length(sha256) = 32)
);

CREATE TABLE owner_members (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT owner_members_pk PRIMARY KEY,
    owner_id integer NOT NULL CONSTRAINT owner_members_owner_id_fk REFERENCES owners,
    name text NOT NULL,
    folded text COLLATE "C" NOT NULL,
    sha256 bytea NOT NULL CONSTRAINT owner_members_sha256_key UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT owner_members_owner_id_folded_key UNIQUE (owner_id, folded),
    CONSTRAINT owner_members_name_allowed
        CHECK (char_length(name) BETWEEN 1 AND 40 AND name = btrim(name)),
    CONSTRAINT owner_members_sha256_length CHECK (octet_length(sha256) = 32)
);

CREATE TABLE owner_identities (
    issuer text,
    subject text,
    owner_id integer NOT NULL CONSTRAINT owner_identities_owner_id_fk REFERENCES owners,
    member_id integer CONSTRAINT owner_identities_member_id_key UNIQUE
        CONSTRAINT owner_identities_member_id_fk REFERENCES owner_members ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT owner_identities_pk PRIMARY KEY (issuer, subject)
);
CREATE UNIQUE INDEX owner_identities_owner_id_ix ON owner_identities (owner_id)
    WHERE member_id IS NULL;

CREATE TABLE sign_ins (
    sha256 bytea CONSTRAINT sign_ins_pk PRIMARY KEY,
    owner_id integer NOT NULL CONSTRAINT sign_ins_owner_id_fk REFERENCES owners,
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    member_id integer
        CONSTRAINT sign_ins_member_id_fk REFERENCES owner_members ON DELETE CASCADE,
    idle_for interval,
    CONSTRAINT sign_ins_idle_for_least CHECK (idle_for > interval '0'),
    CONSTRAINT sign_ins_sha256_length CHECK (octet_length(sha256) = 32)
);
CREATE INDEX sign_ins_owner_id_ix ON sign_ins (owner_id);
CREATE INDEX sign_ins_expires_at_ix ON sign_ins (expires_at);

CREATE TABLE used_id_tokens (
    sha256 bytea CONSTRAINT used_id_tokens_pk PRIMARY KEY,
    expires_at timestamptz NOT NULL,
    CONSTRAINT used_id_tokens_sha256_length CHECK (octet_length(sha256) = 32)
);
CREATE INDEX used_id_tokens_expires_at_ix ON used_id_tokens (expires_at);

CREATE TABLE owner_messages (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT owner_messages_pk PRIMARY KEY,
    owner_id integer NOT NULL CONSTRAINT owner_messages_owner_id_fk REFERENCES owners,
    sender text NOT NULL,
    text text NOT NULL,
    sent_at timestamptz NOT NULL DEFAULT now(),
    read_at timestamptz,
    CONSTRAINT owner_messages_text_length CHECK (char_length(text) BETWEEN 1 AND 2000)
);
CREATE INDEX owner_messages_owner_ix ON owner_messages (owner_id, id);

CREATE TABLE invites (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT invites_pk PRIMARY KEY,
    sha256 bytea NOT NULL CONSTRAINT invites_sha256_key UNIQUE,
    uses_left integer NOT NULL,
    made_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    CONSTRAINT invites_sha256_length CHECK (octet_length(sha256) = 32),
    CONSTRAINT invites_uses_least CHECK (uses_left >= 0)
);

CREATE TABLE audit (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT audit_pk PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    details jsonb NOT NULL DEFAULT '{}',
    CONSTRAINT audit_details_object CHECK (jsonb_typeof(details) = 'object')
);
CREATE INDEX audit_sign_up_ix ON audit (subject) WHERE action = 'sign up';
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

GRANT SELECT ON owners TO arena_reader;
