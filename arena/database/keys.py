"""The secrets that authenticate bots, owners and workers, and their hashes, which are stored."""

import hashlib
import re
import secrets

_TOKEN_PREFIX = "arena_"  # noqa: S105  lets secret scanners recognise a leaked token
SHIFT_PREFIX = "arena_shift_"
"""The prefix of the token of a hosted bot's shift; it differs from that of a bot's own token."""
WORKER_PREFIX = "arena_worker_"
"""The prefix of the token of a worker."""
KEY_PREFIX = "arena_owner_"
"""The prefix of an owner's key; it differs from that of a bot's token."""
# Without letters and digits that are easily confused.
_CODE_LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
_CODE_LENGTH = 16


def new_token() -> str:
    """Return a random token for a version."""
    return _TOKEN_PREFIX + secrets.token_urlsafe(32)


def new_key() -> str:
    """Return a random key for an owner."""
    return KEY_PREFIX + secrets.token_urlsafe(32)


def new_shift_token() -> str:
    """Return a random token for a shift."""
    return SHIFT_PREFIX + secrets.token_urlsafe(32)


def new_worker_token() -> str:
    """Return a random token for a worker."""
    return WORKER_PREFIX + secrets.token_urlsafe(32)


def new_code() -> str:
    """Return a random invite that is easy to type: 78 random bits."""
    letters = "".join(secrets.choice(_CODE_LETTERS) for _ in range(_CODE_LENGTH))
    return "-".join(letters[at : at + 4] for at in range(0, _CODE_LENGTH, 4))


def token_hash(token: str) -> bytes:
    """Return the hash stored for a token or key.

    No salt or slow hash is needed: tokens and keys have 256 random bits.
    """
    return hashlib.sha256(token.encode()).digest()


def code_hash(code: str) -> bytes:
    """Return the hash stored for an invite; case, spaces and hyphens do not matter."""
    return token_hash(re.sub(r"[\s-]", "", code).upper())
