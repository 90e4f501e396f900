"""Files for the agent: the task, and before each round the results of the last attempt."""

import shutil
from pathlib import Path
from typing import Any, Final

from arena.commands.climb.attempt import Attempt
from arena.commands.climb.climb import LADDER, Climb, ClimbFolder
from arena.commands.experiments.folder import write_json
from arena.commands.results.analyse_json import bot_json, match_json
from arena.commands.terminal import json_text
from arena.match.transcript_json import to_json
from arena.worker.logs import both_ends

MOST_LOST: Final = 20
"""The most lost matches that the agent is shown."""

_TASK: Final = """\
# The task

`bot/` holds a bot that plays Bluff at two seats. Change it so that it beats the rungs of the
ladder, one after the other: {rungs}.

You are started {rounds} times at most, for {seconds:g} seconds at most each. After each of these
rounds the bot plays {matches:,} matches against the lowest rung that is not beaten yet, and as
long as it beats one, against the next. A rung is beaten if the bot's share of the matches, with
most luck taken out, is above 50 % by more than {z:.2f} standard errors.

- `bot/` is packed as `arena submit` packs it: `bot.toml` says how the bot is started. It plays as
  a program of its own{where}. docs/write-a-bot.md and docs/submit.md say what it may do.
- `feedback/` tells of the last attempt: `result.json`; `analysis.json`, what its decisions cost,
  and its biggest leak; `lost.jsonl`, the first matches that it lost, as transcripts;
  `lost_analysis.jsonl`, each decision of these, with what would have been better; `bot.log`, what
  it printed. What the fields mean: docs/analysis.md and docs/transcript.md.
- The environment variables ARENA_ROUND and ARENA_RUNG name the round and the rung to beat.
"""


def write_task(folder: ClimbFolder, climb: Climb) -> None:
    """Write the task of the agent."""
    text = _TASK.format(
        rungs=", ".join(LADDER),
        rounds=climb.rounds,
        seconds=climb.round_seconds,
        matches=climb.matches,
        z=climb.z,
        where=" in the sandbox, without network" if climb.confined else "",
    )
    (folder.work / "TASK.md").write_text(text, encoding="utf-8")


def attempt_json(attempt: Attempt) -> dict[str, Any]:
    """Return an attempt as JSON."""
    share, analysis = attempt.share, attempt.analysis
    return {
        "rung": attempt.rung,
        "beaten": attempt.beaten,
        "matches": share and share.matches,
        "raw_share": share and round(share.raw, 6),
        "share": share and round(share.share, 6),
        "low": share and round(share.low, 6),
        "high": share and round(share.high, 6),
        "loss": analysis and round(analysis.loss.mean, 6),
        "loss_error": analysis and round(analysis.loss.error, 6),
        "faults": len(attempt.faults),
        "first_fault": attempt.faults[0].reason if attempt.faults else None,
        "why_not": attempt.why_not or None,
        "seed": attempt.seed,
    }


def write_feedback(folder: ClimbFolder, place: Path, last: Attempt | None, refused: str) -> None:
    """Replace the feedback with that on the last attempt, or with why the bot was refused."""
    if folder.feedback.is_symlink() or folder.feedback.is_file():
        folder.feedback.unlink()
    shutil.rmtree(folder.feedback, ignore_errors=True)
    folder.feedback.mkdir(parents=True)
    result = {"refused": refused} if last is None else attempt_json(last)
    write_json(folder.feedback / "result.json", result)
    if last is None:
        return
    if last.analysis is not None:
        write_json(folder.feedback / "analysis.json", bot_json("bot", last.analysis))
    lost = [match for seat, match in last.analysed if match.transcript.result.placing[seat] != 1][
        :MOST_LOST
    ]
    for name, values in (
        ("lost.jsonl", [to_json(match.transcript) for match in lost]),
        ("lost_analysis.jsonl", [match_json(match) for match in lost]),
    ):
        lines = "".join(f"{json_text(value, compact=True)}\n" for value in values)
        (folder.feedback / name).write_text(lines, encoding="utf-8")
    log = both_ends(place / last.rung / "bot.log")
    (folder.feedback / "bot.log").write_text(log, encoding="utf-8")
