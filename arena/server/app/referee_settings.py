"""`RefereeSettings`: what a referee is told when it starts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arena.builds.hosted import HostingTerms
from arena.records import SignUp
from arena.scheduling.ladder import TableType
from arena.server.app.tls import TlsFiles
from arena.server.limits.limits import Limits
from arena.server.play.play_service import HELLO_SECONDS
from arena.server.play.terms import Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeSettings:
    """One referee's settings.

    Without any it listens on a free port of this machine, and pairs nobody by itself.
    """

    host: str = "127.0.0.1"
    port: int = 0
    """0 takes a free one."""
    table_types: Sequence[TableType] = ()
    """What the ladder plays."""
    terms: Terms = field(default_factory=Terms)
    limits: Limits = field(default_factory=Limits)
    hello_seconds: float = HELLO_SECONDS
    """How long a stream may take to say who it is."""
    spool_directory: Path | None = None
    """Where results are kept that cannot be recorded, and those that a referee before left."""
    metrics_address: tuple[str, int] | None = None
    read_beside: bool = False
    """A process of its own answers reading calls, and another writes the boards' checkpoints; else
    a thread answers."""
    tls: TlsFiles | None = None
    spectator_delay: float = 0.0
    """Spectators see matches so many seconds later."""
    sign_up: SignUp = SignUp.INVITE
    """The way in which owners sign up."""
    socket: Path | None = None
    """Bots also play over this one."""
    hosting: HostingTerms | None = None
    """What owners may upload, if anything."""
    dashboard_secret: str | None = None
    """Dashboards that know it are believed for which visitor they call."""
    identity_provider: tuple[str, str] | None = None
    """The issuer of the ID tokens by which owners sign in, and the arena's client id there."""
    public_addresses: Callable[[int], Sequence[str]] = lambda _port: ()
    """Tells by the port where bots reach this referee beside others: at the first that no other
    has; nothing if it has no address of its own, and then it must be the only one."""
