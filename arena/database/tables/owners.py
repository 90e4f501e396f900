"""The tables of owners, their credentials, and the audit of changes by them and the operator.

    owner_keys ─ owners ─< owner_members
                    ├─< sign_ins >─ owner_members
                    ├─< owner_identities >─ owner_members
                    └─< owner_messages

    used_id_tokens        invites        audit

The audit is append-only: a trigger made by the migrations refuses all other changes. Of these
tables, the reader role sees only `owners`.
"""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Identity,
    Index,
    Integer,
    Interval,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from arena.database.columns import ANY_NAME, FOLDED, Time, metadata, now

owners = Table(
    "owners",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("name", Text, nullable=False),
    now("created_at"),
    # One owner per name, ignoring case, and no two that look alike.
    Column("folded", FOLDED, nullable=False, unique=True),
    Column("skeleton", Text, nullable=False, unique=True),
    # Set while the owner is banned: neither the owner nor its bots may connect.
    Column("banned_at", Time),
    # Set while it has the role of an operator.
    Column("operator_since", Time),
    CheckConstraint(ANY_NAME, name="name_allowed"),
)

owner_keys = Table(
    "owner_keys",
    metadata,
    # At most one key per owner; an owner created by the operator has none at first.
    Column("owner_id", ForeignKey(owners.c.id), primary_key=True),
    Column("sha256", LargeBinary, nullable=False, unique=True),
    now("created_at"),
    CheckConstraint("octet_length(sha256) = 32", name="sha256_length"),
)

owner_members = Table(
    "owner_members",
    metadata,
    # The members of an owner's team. Each has a key of its own, with which it acts for the owner.
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("owner_id", ForeignKey(owners.c.id), nullable=False),
    Column("name", Text, nullable=False),
    Column("folded", FOLDED, nullable=False),
    Column("sha256", LargeBinary, nullable=False, unique=True),
    now("created_at"),
    UniqueConstraint("owner_id", "folded"),
    CheckConstraint(ANY_NAME, name="name_allowed"),
    CheckConstraint("octet_length(sha256) = 32", name="sha256_length"),
)

owner_identities = Table(
    "owner_identities",
    metadata,
    # An owner, or a member of its team, has at most one identity at an identity provider, and an
    # identity belongs to one of them.
    Column("issuer", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("owner_id", ForeignKey(owners.c.id), nullable=False),
    # The member; NULL for the owner's own.
    Column("member_id", ForeignKey(owner_members.c.id, ondelete="CASCADE"), unique=True),
    now("created_at"),
    Index(
        "owner_identities_owner_id_ix",
        "owner_id",
        unique=True,
        postgresql_where=text("member_id IS NULL"),
    ),
)

sign_ins = Table(
    "sign_ins",
    metadata,
    # Owners' keys of limited validity; a sign-in on a page creates one.
    Column("sha256", LargeBinary, primary_key=True),
    Column("owner_id", ForeignKey(owners.c.id), nullable=False, index=True),
    Column("expires_at", Time, nullable=False, index=True),
    now("created_at"),
    # The member who signed in; None for the owner's own key. A member who leaves is signed out.
    Column("member_id", ForeignKey(owner_members.c.id, ondelete="CASCADE")),
    # How long the key stays valid after its last use; None if use does not extend it.
    Column("idle_for", Interval),
    CheckConstraint("idle_for > interval '0'", name="idle_for_least"),
    CheckConstraint("octet_length(sha256) = 32", name="sha256_length"),
)

used_id_tokens = Table(
    "used_id_tokens",
    metadata,
    # An ID token can sign in only once. A row is kept until the token expires.
    Column("sha256", LargeBinary, primary_key=True),
    Column("expires_at", Time, nullable=False, index=True),
    CheckConstraint("octet_length(sha256) = 32", name="sha256_length"),
)

owner_messages = Table(
    "owner_messages",
    metadata,
    # Messages of organisers and the operator to an owner; only the newest are kept.
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("owner_id", ForeignKey(owners.c.id), nullable=False),
    # The sender's name as shown to the owner.
    Column("sender", Text, nullable=False),
    Column("text", Text, nullable=False),
    now("sent_at"),
    # When somebody who acts for the owner read it.
    Column("read_at", Time),
    CheckConstraint("char_length(text) BETWEEN 1 AND 2000", name="text_length"),
    Index("owner_messages_owner_ix", "owner_id", "id"),
)

invites = Table(
    "invites",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("sha256", LargeBinary, nullable=False, unique=True),
    Column("uses_left", Integer, nullable=False),
    Column("made_by", Text, nullable=False),
    now("created_at"),
    # None if it does not expire.
    Column("expires_at", Time),
    CheckConstraint("octet_length(sha256) = 32", name="sha256_length"),
    # Prevents more uses than allowed, even if many use the invite at the same time.
    CheckConstraint("uses_left >= 0", name="uses_least"),
)

audit = Table(
    "audit",
    metadata,
    # The changes that owners and operators made; rows are only ever added.
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    now("at"),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("details", JSONB, nullable=False, server_default=text("'{}'::jsonb")),
    CheckConstraint("jsonb_typeof(details) = 'object'", name="details_object"),
    # Finds the invite with which an owner signed up.
    Index("audit_sign_up_ix", "subject", postgresql_where=text("action = 'sign up'")),
    # Finds whether a bot was in an event before.
    Index(
        "audit_entered_ix",
        "subject",
        text("(details ->> 'bot')"),
        "at",
        postgresql_where=text("action = 'enter event'"),
    ),
)
