"""The names that bots, versions and owners may have, and the tokens that authenticate bots."""

import hashlib
import re
import secrets

from arena.storage.errors import NameRefusedError

_ALLOWED = re.compile(r"[A-Za-z0-9._-]{1,40}")

_TOKEN_PREFIX = "arena_"  # noqa: S105  lets secret scanners recognise a leaked token


def check_name(kind: str, name: str) -> None:
    """Raise NameRefusedError unless `name` may name a `kind` (bot, version, owner)."""
    if not _ALLOWED.fullmatch(name):
        raise NameRefusedError(
            f"{name!r} cannot name the {kind}: use 1 to 40 letters, digits, dots, underscores and "
            "hyphens."
        )


def new_token() -> str:
    """A random token."""
    return _TOKEN_PREFIX + secrets.token_urlsafe(32)


def token_hash(token: str) -> bytes:
    """The hash stored for a token. No salt or slow hash is needed: tokens have 256 random bits."""
    return hashlib.sha256(token.encode()).digest()
