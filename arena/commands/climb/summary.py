"""The summary of a climb: as JSON, as Markdown, and as a figure."""

from collections.abc import Sequence
from typing import Any

from arena.commands.climb.climb import LADDER, RUN_ERROR, Climb, ClimbFolder, next_rung
from arena.commands.experiments.figures import SCHEMA, write_figures
from arena.commands.experiments.folder import write_json


def summary_of(
    climb: Climb, rounds: Sequence[dict[str, Any]], final: dict[str, Any] | None
) -> dict[str, Any]:
    """Return the summary.

    Args:
        climb: The configuration.
        rounds: The rounds that are over.
        final: The attempt that measured the best version's loss; None if there is none.
    """
    beaten = next_rung(list(rounds))
    best = best_round(rounds)
    return {
        "beaten": LADDER[beaten - 1] if beaten else None,
        "rungs_beaten": beaten,
        "rungs": list(LADDER),
        "best_round": best and best["round"],
        "best_build": best and best["sha256"],
        "loss": final and final["loss"],
        "loss_error": final and final["loss_error"],
        "rounds_played": len(rounds),
        "rounds": climb.rounds,
        "z": round(climb.z, 4),
        "run_error": RUN_ERROR,
        "agent_seconds": round(sum(one["agent"]["seconds"] for one in rounds), 1),
        "each_round": list(rounds),
        "final": final,
    }


def best_round(rounds: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the round whose bot beat the highest rung, or the last that left a bot."""
    beat = [one for one in rounds if any(attempt["beaten"] for attempt in one["attempts"])]
    left = [one for one in rounds if one["attempts"]]
    return next(iter(reversed(beat or left)), None)


def write_summary(folder: ClimbFolder, climb: Climb, summary: dict[str, Any]) -> bool:
    """Write the summary's files; return whether there are PNG files."""
    write_json(folder.path / "summary.json", summary)
    (folder.path / "SUMMARY.md").write_text(markdown(climb, summary), encoding="utf-8")
    return write_figures(folder.path / "figures", {"climb": _figure(summary)})


def score(summary: dict[str, Any]) -> str:
    """Return the score in a sentence or two."""
    beaten = summary["beaten"]
    said = f"Beaten with confidence: {beaten}" if beaten else "No rung is beaten"
    said += f" ({summary['rungs_beaten']} of {len(summary['rungs'])} rungs)."
    if summary["loss"] is not None:
        error = summary["loss_error"]
        said += f" A decision of the best version loses {summary['loss']:.2%} ± {error:.2%}"
        said += f" of a match against {LADDER[-1]}."
    return said


def markdown(climb: Climb, summary: dict[str, Any]) -> str:
    """Return the summary as Markdown."""
    lines = [
        "# A climb of the ladder",
        "",
        score(summary),
        "",
        f"Rungs: {', '.join(summary['rungs'])}. Each attempt: {climb.matches:,} matches of Bluff "
        f"at two seats. Beaten: the share without luck is above 50 % by {climb.z:.2f} standard "
        f"errors, so that a whole run names a rung wrongly with probability {RUN_ERROR:.0%} at "
        "most.",
        "",
        "| round | agent | bot | rung | share | interval | loss | faults | |",
        "| ---: | --- | --- | --- | ---: | --- | ---: | ---: | --- |",
    ]
    for one in summary["each_round"]:
        begin = f"| {one['round']} | {one['agent']['how']}, {one['agent']['seconds']:g} s | "
        if one["refused"]:
            lines.append(f"{begin}| | | | | | refused: {_cell(one['refused'])} |")
        for attempt in one["attempts"]:
            cells = [one["sha256"][:12], attempt["rung"]]
            if attempt["share"] is None:
                cells += [
                    "",
                    "",
                    "",
                    str(attempt["faults"]),
                    f"no play: {_cell(attempt['why_not'])}",
                ]
            else:
                loss = "" if attempt["loss"] is None else f"{attempt['loss']:.2%}"
                interval = f"{attempt['low']:.1%} to {attempt['high']:.1%}"
                cells += [f"{attempt['share']:.1%}", interval, loss, str(attempt["faults"])]
                cells.append("beaten" if attempt["beaten"] else "")
            lines.append(f"{begin}{' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.splitlines()[0].replace("|", "\\|")[:200] if text else ""


def _figure(summary: dict[str, Any]) -> dict[str, Any]:
    """Return the share of each attempt with its interval, by round."""
    values = [
        {
            "round": one["round"],
            **{name: attempt[name] for name in ("rung", "share", "low", "high")},
        }
        for one in summary["each_round"]
        for attempt in one["attempts"]
        if attempt["share"] is not None
    ]
    axis = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": {"format": "%"}}
    rung = {"field": "rung", "type": "nominal", "sort": summary["rungs"], "title": "against"}
    at = {"field": "round", "type": "ordinal", "title": "round"}
    apart = {"x": at, "xOffset": rung, "color": rung}
    return {
        "$schema": SCHEMA,
        "title": "Share of the matches without luck, and the interval that beats a rung above 50 %",
        "width": {"step": 30},
        "height": 300,
        "layer": [
            {
                "data": {"values": [{"y": 0.5}]},
                "mark": "rule",
                "encoding": {"y": {"field": "y", **axis}},
            },
            {
                "data": {"values": values},
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {
                    **apart,
                    "y": {"field": "low", "title": "share", **axis},
                    "y2": {"field": "high"},
                },
            },
            {
                "data": {"values": values},
                "mark": {"type": "point", "filled": True, "size": 60},
                "encoding": {**apart, "y": {"field": "share", **axis}},
            },
        ],
    }
