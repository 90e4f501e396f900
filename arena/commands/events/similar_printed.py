"""The report of `arena event similar` as tables on a terminal and as JSON."""

from dataclasses import asdict
from typing import Any

from arena.commands.terminal import members, say, say_table
from arena.lab.analysis import Estimate, SoftPair
from arena.server.events.similarity.report import (
    AlikePair,
    Behaviour,
    LeftOut,
    Similarity,
    SoftPlay,
    Sources,
)
from arena.server.events.similarity.report_page import loss_text, p_text
from arena.server.events.similarity.winnowing import SimilarPair


def print_similarity(found: Similarity, top: int) -> None:
    """Print the first `top` pairs of each part."""
    _head("Sources", found.sources)
    if isinstance(found.sources, Sources):
        _print_sources(found.sources, top)
    _head("Behaviour", found.behaviour)
    if isinstance(found.behaviour, Behaviour):
        _print_behaviour(found.behaviour, top)
    _head("Soft play", found.soft_play)
    if isinstance(found.soft_play, SoftPlay):
        _print_soft_play(found.soft_play, top)
    say("No verdict: what it means is for a person to judge.")


def _head(title: str, part: object) -> None:
    say(f"{title}: not examined. {part.why}" if isinstance(part, LeftOut) else f"{title}:")


def _print_sources(part: Sources, top: int) -> None:
    if not part.pairs:
        say(f"{part.builds} builds compared: no two have a passage in common.")
        return
    rows = (
        (
            *(pair.one.bot, pair.one.owner, f"{pair.share:.1%}"),
            *(pair.other.bot, pair.other.owner, f"{pair.share_of_other:.1%}"),
            *(" – ".join(pair.files), "identical" if pair.identical else "another"),
        )
        for pair in part.pairs[:top]
    )
    say_table(("bot", "owner", "shared", "with", "owner", "shared", "files", "build"), rows)
    say(
        f"{part.builds} builds compared: how much of each is in the other, without passages of "
        "the first bots."
    )


def _print_behaviour(part: Behaviour, top: int) -> None:
    for trouble in part.troubles:
        say(f"Not asked everything: {trouble}")
    rows = []
    for pair in part.pairs[:top]:
        one = pair.agreement
        if one.kappa is None:
            likeness, p = "too little of their own", ""
        else:
            likeness = f"{one.kappa:.2f} ({one.low:.2f} to {one.high:.2f})"
            p = p_text(one.corrected)
        shares = (f"{share:.0%}" for share in (one.agreed, one.expected, one.copies))
        mark = "●" if one.marked else ""
        rows.append((mark, pair.one.bot, pair.other.bot, *shares, likeness, p))
    say_table(("", "bot", "and", "agree", "expected", "a copy", "likeness", "p, corrected"), rows)
    say(
        f"{part.programs} programs answered {part.positions:,} positions, {part.runs} times each "
        f"(--seed {part.seed}). Likeness: 0 as expected of independent programs, 1 for a copy."
    )


def _print_soft_play(part: SoftPlay, top: int) -> None:
    if not part.pairs:
        say(f"No two met often enough in {part.matches:,} matches.")
        return
    rows = []
    for one in part.pairs[:top]:
        losses = (loss_text(loss) for loss in (one.loss, one.elsewhere, one.more))
        mark = "●" if one.marked else ""
        p = p_text(one.corrected)
        rows.append((mark, one.bot, one.other, f"{one.decisions:,}", *losses, p))
    columns = ("", "bot", "against", "decisions", "loss there", "elsewhere", "more", "p, corrected")
    say_table(columns, rows)
    say(
        f"Decisions of {part.matches:,} matches, {part.of_final:,} of them of the final, in % of "
        "a match a decision. More: beyond what it loses elsewhere and others lose against that one."
    )


def similarity_json(found: Similarity, top: int) -> dict[str, Any]:
    """Return the first `top` pairs of each part; a part that was not examined says why."""
    sources, behaviour, soft_play = found.sources, found.behaviour, found.soft_play
    return {
        "event": found.event,
        "sources": _left_out(sources)
        if isinstance(sources, LeftOut)
        else {"builds": sources.builds, "pairs": [_source(one) for one in sources.pairs[:top]]},
        "behaviour": _left_out(behaviour)
        if isinstance(behaviour, LeftOut)
        else {
            **members(behaviour, "programs", "positions", "runs", "seed", "troubles"),
            "pairs": [_alike(one) for one in behaviour.pairs[:top]],
        },
        "soft_play": _left_out(soft_play)
        if isinstance(soft_play, LeftOut)
        else {
            **members(soft_play, "matches", "of_final"),
            "pairs": [_soft(one) for one in soft_play.pairs[:top]],
        },
    }


def _left_out(part: LeftOut) -> dict[str, Any]:
    return {"not_examined": part.why}


def _source(pair: SimilarPair) -> dict[str, Any]:
    return {
        "bots": [pair.one.bot, pair.other.bot],
        "owners": [pair.one.owner, pair.other.owner],
        "shares": [round(pair.share, 4), round(pair.share_of_other, 4)],
        **members(pair, "files", "identical"),
    }


def _alike(pair: AlikePair) -> dict[str, Any]:
    one = pair.agreement
    return {
        "bots": [pair.one.bot, pair.other.bot],
        "owners": [pair.one.owner, pair.other.owner],
        "marked": one.marked,
        "positions": one.positions,
        "agreed": round(one.agreed, 4),
        "expected": round(one.expected, 4),
        "copies": round(one.copies, 4),
        "likeness": None if one.kappa is None else round(one.kappa, 4),
        "interval": [round(one.low, 4), round(one.high, 4)],
        "p": one.p,
        "p_corrected": one.corrected,
        "telling": [asdict(told) for told in pair.told],
    }


def _soft(one: SoftPair) -> dict[str, Any]:
    return {
        "bot": one.bot,
        "against": one.other,
        **members(one, "marked", "clusters", "decisions"),
        "loss": _estimate(one.loss),
        "elsewhere": _estimate(one.elsewhere),
        "more": _estimate(one.more),
        "p": one.p,
        "p_corrected": one.corrected,
    }


def _estimate(one: Estimate) -> dict[str, float | None]:
    known = one.mean == one.mean
    return {"mean": one.mean if known else None, "error": one.error if known else None}
