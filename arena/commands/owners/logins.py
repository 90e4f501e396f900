"""The keys of owners by address, in a file that its user alone can read.

It is `config/owners.json` in ARENA_HOME. No database is needed, so that an author's machine needs
no part of the server.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena.commands.errors import CommandError
from arena.replacing import replacing

if TYPE_CHECKING:
    from arena.clients.event_client import EventClient


@dataclass(frozen=True, slots=True)
class Login:
    """An owner who is signed in at a referee, and the owner's key."""

    owner: str
    key: str


def login_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the path of the file of keys."""
    return Path(environment.get("ARENA_HOME") or ".arena") / "config" / "owners.json"


def client_of(address: str) -> "EventClient":
    """Return a client of the referee, for all that owners and everybody else may ask.

    Raises AddressError.
    """
    # Imported here, because `arena --help` needs no gRPC.
    from arena.clients.event_client import EventClient

    return EventClient.at(address, os.environ)


def kept_login(address: str) -> Login | None:
    """Return the owner signed in at a referee; None without one.

    Raises CommandError for a broken file.
    """
    found = _read_logins().get(place(address))
    return None if found is None else Login(found["owner"], found["key"])


def login_at(address: str) -> Login:
    """Return the owner signed in at a referee. Raises CommandError without one."""
    found = kept_login(address)
    if found is None:
        raise CommandError(
            f"you are not signed in at {address}: {login_file().absolute()} holds no key for it. "
            "`arena signup NAME` or `arena login`; or set ARENA_HOME to the .arena of the folder "
            "where you did. (Operators on the arena's own machine add --operator.)"
        )
    return found


def keep_login(address: str, login: Login) -> Path:
    """Store a key in place of an older one, and return the file. Raises CommandError."""
    path = login_file()
    kept = _read_logins() | {place(address): {"owner": login.owner, "key": login.key}}
    write_kept(path, kept)
    return path


def write_kept(path: Path, kept: Mapping[str, Mapping[str, str]]) -> None:
    """Write a file of secrets by address, which its user alone can read. Raises CommandError."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(path, mode=0o600) as new, new.open("w", encoding="utf-8") as file:
            json.dump(kept, file, indent=1, ensure_ascii=False)
    except OSError as error:
        raise _unusable(path, error.strerror or "unknown error") from error


def place(address: str) -> str:
    """Return the name under which the secrets of a referee's address are kept."""
    scheme, _, rest = address.strip().rpartition("://")
    return f"{'https://' if scheme == 'https' else ''}{rest.rstrip('/')}"


def _read_logins() -> dict[str, dict[str, str]]:
    path = login_file()
    kept = read_kept(path)
    if not all({"owner", "key"} <= one.keys() for one in kept.values()):
        raise _unusable(path, "it holds something else")
    return kept


def read_kept(path: Path) -> dict[str, dict[str, str]]:
    """Return a file's content by address; empty if there is no file. Raises CommandError."""
    try:
        kept = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _unusable(path, error.strerror or "unknown error") from error
    except ValueError as error:
        raise _unusable(path, "it is not JSON") from error
    if not isinstance(kept, dict) or not all(isinstance(one, dict) for one in kept.values()):
        raise _unusable(path, "it holds something else")
    return kept


def _unusable(path: Path, why: str) -> CommandError:
    return CommandError(
        f"{path} cannot be used ({why}): correct or remove it, or choose another ARENA_HOME."
    )
