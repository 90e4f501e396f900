"""`PlayEndpoint`: the referee at which people play, and the token of the bot as which they play."""

from collections.abc import Callable, Mapping, Sequence

from arena.bot.address import Address
from arena.bot.challenging import Challenger, Rival, Wanted
from arena.person.session import PersonSession

__all__ = ["PlayEndpoint", "Rival", "Wanted"]


class PlayEndpoint:
    """The connection settings with which people's sessions at one referee are opened."""

    def __init__(
        self,
        address: str,
        environment: Mapping[str, str],
        token: str,
        forwarded: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Parse the referee's address; see `Challenger`. Raises AddressError."""
        self._address = Address.parse(address, environment)
        self._token = token
        self._forwarded = forwarded

    def rivals(self) -> list[Rival]:
        """Return the bots that can be played against now. Raises ChallengeError."""
        return Challenger(self._address, self._token, self._forwarded).rivals()

    def session(
        self, instance: str, games: tuple[str, ...], changed: Callable[[], None]
    ) -> PersonSession:
        """Return a session that is not open yet.

        `changed` is called in another thread whenever the session changes.
        """
        return PersonSession(
            *(self._address, self._token, instance, games, changed), forwarded=self._forwarded
        )
