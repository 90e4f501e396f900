"""The last check of a version's program against the protocol, in words and as JSON."""

from dataclasses import asdict
from typing import Any, Final

from arena.records import EDITION, CheckOrigin
from arena.server.uploads.checks import RecordedCheck

_BY: Final = {CheckOrigin.AUTHOR: "its author", CheckOrigin.ARENA: "the arena"}

_WHY_NOT: Final = {CheckOrigin.ARENA: {"drain": "nobody asks a hosted bot to leave"}}
"""The reasons why scenarios are never tried, by the origin of the check."""


def check_in_words(check: RecordedCheck) -> str:
    """Return a sentence on who checked the version, when, and with what result."""
    outcome = check.outcome
    tried = outcome.met + len(outcome.failed)
    earlier = " of an earlier edition" if outcome.edition < EDITION else ""
    words = (
        f"Checked by {_BY[check.origin]} on {check.recorded_at:%Y-%m-%d}: "
        f"{outcome.met} of {tried} scenarios{earlier} met"
    )
    if outcome.failed:
        words += f"; failed: {', '.join(outcome.failed)}"
    if outcome.skipped:
        why_not = _WHY_NOT.get(check.origin, {})
        skipped = (
            f"{name} ({why_not[name]})" if name in why_not else name for name in outcome.skipped
        )
        words += f"; not tried: {', '.join(skipped)}"
    return f"{words}."


def check_json(check: RecordedCheck) -> dict[str, Any]:
    """Return the check as a JSON object."""
    return {
        "origin": check.origin.value,
        "recorded_at": check.recorded_at.isoformat(),
        **asdict(check.outcome),
    }


def check_mark(check: RecordedCheck) -> str:
    """Return the check's result in one or two words."""
    outcome = check.outcome
    if not outcome.failed:
        return "checked"
    return f"{len(outcome.failed)} failed"
