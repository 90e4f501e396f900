"""The JSON of `arena analyse --json`."""

from dataclasses import asdict
from math import isfinite
from typing import Any

from arena.commands.terminal import members
from arena.lab.analysis import AnalysedDecision, BotAnalysis, Grade, MatchAnalysis, accounts


def rounded(value: float | None) -> float | None:
    """Return a number to 6 digits; None also for an infinite one, which JSON cannot represent.

    The intervals of a single match or deal are infinite.
    """
    return None if value is None or not isfinite(value) else round(value, 6)


def match_json(match: MatchAnalysis) -> dict[str, Any]:
    """Return the analysis of a match as JSON: decisions, seats and accounts."""
    setup = match.transcript.setup
    notation = setup.make_game().notation

    def decision_json(decision: AnalysedDecision) -> dict[str, Any]:
        values = decision.values
        return {
            "step": decision.step,
            "seat": decision.seat,
            "action": notation.to_json(decision.action),
            "forced": decision.forced,
            "claim": rounded(decision.unread),
            "claim_read": rounded(decision.read),
            "win": rounded(decision.win),
            "loss": rounded(decision.loss),
            "grade": decision.grade and decision.grade.value,
            "source": decision.source,
            "values": values
            and [
                {"action": notation.to_json(action), "win": rounded(value)}
                for action, value in sorted(values.items(), key=lambda item: -item[1])
            ],
        }

    return {
        "match_id": setup.match_id,
        "game": setup.game,
        "decisions": [decision_json(decision) for decision in match.decisions],
        "seats": [
            {
                "bot": entrant.bot,
                "version": entrant.version,
                "decisions": len(seat.decisions),
                "accuracy": rounded(seat.accuracy),
                "mean_loss": rounded(seat.mean_loss),
                "worst_step": seat.worst and seat.worst.step,
            }
            for entrant, seat in zip(setup.entrants, match.seats, strict=True)
        ],
        "accounts": [
            {name: rounded(value) for name, value in asdict(account).items()}
            for account in accounts(match)
        ],
    }


def bot_json(bot: str, found: BotAnalysis) -> dict[str, Any]:
    """Return the summed analysis of a bot as JSON: losses, grades, its leak and frequencies."""
    return {
        "bot": bot,
        **members(found, "matches", "decisions"),
        "loss": rounded(found.loss.mean),
        "loss_error": rounded(found.loss.error),
        "match_loss": rounded(found.match_loss.mean),
        "match_loss_error": rounded(found.match_loss.error),
        "grades": {grade.value: found.grades[grade] for grade in Grade},
        "leak": found.leak
        and {
            **members(found.leak, "what", "habit", "situation", "dice"),
            "loss": rounded(found.leak.loss),
            "share": rounded(found.leak.share),
            "in_words": found.leak.in_words,
        },
        "frequencies": [
            {
                **members(one, "what", "situation", "decisions"),
                "share": rounded(one.share.mean),
                "share_error": rounded(one.share.error),
                "solved": rounded(one.solved),
                "difference": rounded(one.difference.mean),
                "difference_error": rounded(one.difference.error),
            }
            for one in found.frequencies
        ],
    }
