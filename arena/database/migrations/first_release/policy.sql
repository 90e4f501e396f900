CREATE TABLE policy (
    one boolean DEFAULT true CONSTRAINT policy_pk PRIMARY KEY,
    bot_pace integer,
    ranked_versions integer,
    ranked_days integer,
    transcript_days integer,
    notice_days integer DEFAULT 90,
    CONSTRAINT policy_only_one CHECK (one),
    CONSTRAINT policy_bot_pace_least CHECK (bot_pace >= 1),
    CONSTRAINT policy_ranked_versions_least CHECK (ranked_versions >= 1),
    CONSTRAINT policy_ranked_days_least CHECK (ranked_days >= 1),
    CONSTRAINT policy_transcript_days_least CHECK (transcript_days >= 1),
    CONSTRAINT policy_notice_days_least CHECK (notice_days >= 1)
);
INSERT INTO policy DEFAULT VALUES;
GRANT SELECT ON policy TO arena_reader;
