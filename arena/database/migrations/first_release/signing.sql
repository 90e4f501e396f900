CREATE TABLE signing_key (
    one boolean DEFAULT true CONSTRAINT signing_key_pk PRIMARY KEY,
    public_key bytea NOT NULL CONSTRAINT signing_key_public_key_key UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT signing_key_only_one CHECK (one),
    CONSTRAINT signing_key_public_key_length CHECK (octet_length(public_key) = 32)
);
GRANT SELECT ON signing_key TO arena_reader;

-- The reader verifies and does not sign.
CREATE TABLE signing_secret (
    public_key bytea CONSTRAINT signing_secret_pk PRIMARY KEY
        CONSTRAINT signing_secret_public_key_fk REFERENCES signing_key (public_key),
    private_key bytea NOT NULL,
    CONSTRAINT signing_secret_private_key_length CHECK (octet_length(private_key) = 32)
);
