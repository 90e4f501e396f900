"""The time control of a match: a limit per turn and a time bank per match.

UserError
└── TimeControlError    the text is not a time control, or is out of bounds
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from arena.errors import UserError


class TimeControlError(UserError, ValueError):
    """A text is not a time control; the message says what is wrong and what is allowed."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The turn limit and the time bank in milliseconds; overtime is taken from the bank.

    Its `str` is its name, as in `turn=60s,bank=10m`; `read_time_control` reads it back.
    """

    turn_ms: int = 2_000
    bank_ms: int = 30_000

    @property
    def name(self) -> str:
        """The time control as part of a ladder's name; "" for the default."""
        return "" if self == DEFAULT_TIME_CONTROL else str(self)

    def __str__(self) -> str:
        return f"turn={_duration_text(self.turn_ms)},bank={_duration_text(self.bank_ms)}"


DEFAULT_TIME_CONTROL: Final = TimeControl()

TIME_SETTINGS: Final = ("turn", "bank")
"""The names of the settings of a time control; no game has an option with such a name."""

_UNITS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}
_BOUNDS_MS: Final = {"turn": (100, 3_600_000), "bank": (0, 24 * 3_600_000)}
"""The bounds of each setting: below 100 ms, network latency decides; above the upper bounds, a bot
that hangs keeps the others waiting too long."""


def time_control_of(settings: Mapping[str, str]) -> TimeControl:
    """Return the time control of settings such as {"turn": "60s", "bank": "10m"}.

    Missing settings keep their defaults. Raises TimeControlError.
    """
    for name in settings:
        if name not in TIME_SETTINGS:
            raise TimeControlError(
                f"there is no setting {name!r} of a time control; there are "
                f"{' and '.join(TIME_SETTINGS)}, as in turn=60s,bank=10m"
            )
    return TimeControl(**{f"{name}_ms": _duration_ms(name, settings[name]) for name in settings})


def read_time_control(text: str) -> TimeControl:
    """Return the time control of a text such as `turn=60s,bank=10m`; "" is the default.

    Raises TimeControlError.
    """
    settings: dict[str, str] = {}
    for setting in filter(None, text.split(",")):
        name, equals, value = setting.partition("=")
        if not equals or name in settings:
            wrong = "is given twice" if equals else "is not NAME=TIME"
            raise TimeControlError(f"{setting!r} {wrong}; write turn=60s,bank=10m")
        settings[name] = value
    return time_control_of(settings)


def _duration_ms(name: str, text: str) -> int:
    least, most = _BOUNDS_MS[name]
    # At most 9 digits, enough for all bounds: parsing a million digits takes seconds.
    found = re.fullmatch(r"([0-9]{1,9})(ms|s|m|h)", text, re.ASCII)
    milliseconds = int(found[1]) * _UNITS[found[2]] if found else -1
    if not least <= milliseconds <= most:
        raise TimeControlError(
            f"{name} is {text[:40]!r}; allowed is {_duration_text(least)} to "
            f"{_duration_text(most)}, as a whole number of ms, s, m or h such as 500ms, 60s or 10m"
        )
    return milliseconds


def _duration_text(milliseconds: int) -> str:
    """Return a time in the largest unit that gives a whole number above 1: 60s, 10m, 1500ms."""
    for unit in ("h", "m", "s"):
        whole, rest = divmod(milliseconds, _UNITS[unit])
        if not rest and whole >= 2:
            return f"{whole}{unit}"
    seconds, rest = divmod(milliseconds, 1_000)
    return f"{milliseconds}ms" if rest else f"{seconds}s"


class TimeBank:
    """The time bank of one seat in one match."""

    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self.left_ms = control.bank_ms

    @property
    def allowed_ms(self) -> int:
        """The most milliseconds that the next turn may take, the bank included."""
        return self._control.turn_ms + self.left_ms

    def left_after(self, elapsed_ms: int) -> tuple[int, int]:
        """Return (turn time left, bank left) in milliseconds, after `elapsed_ms` of a turn."""
        turn_ms = self._control.turn_ms - elapsed_ms
        return max(0, turn_ms), self.left_ms if turn_ms >= 0 else max(0, self.left_ms + turn_ms)

    def spend(self, elapsed_ms: int) -> None:
        """Take the overtime of a turn from the bank."""
        overtime = elapsed_ms - self._control.turn_ms
        if overtime > 0:
            self.left_ms = max(0, self.left_ms - overtime)

    def overrun(self, elapsed_ms: int) -> str:
        """Spend the time of an unanswered turn; return the reason of the fault."""
        reason = (
            f"no answer within {self.allowed_ms} ms: "
            f"{self._control.turn_ms} ms for a turn, {self.left_ms} ms in the bank"
        )
        self.spend(elapsed_ms)
        return reason
