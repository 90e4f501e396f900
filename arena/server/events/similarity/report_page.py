"""The report on programs that resemble each other, as one HTML page: pairs side by side."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from typing import Final, TypeVar

from arena.lab.analysis import Estimate, SoftPair
from arena.rating.agreement import INDEPENDENT, MARKED
from arena.server.events.similarity.report import (
    AlikePair,
    Behaviour,
    LeftOut,
    Similarity,
    SoftPlay,
    Sources,
)
from arena.server.events.similarity.winnowing import SimilarPair

PartT = TypeVar("PartT")

_STYLE: Final = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 0 auto; padding: 1rem }
h3 { margin-bottom: 0 }
.pair { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 1rem }
@media (max-width: 700px) { .pair { grid-template-columns: minmax(0, 1fr) } }
pre, code { font: 13px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap }
pre { border: 1px solid; border-color: color-mix(in srgb, currentcolor 30%, transparent);
  padding: .5rem; max-height: 30rem; overflow: auto }
mark { background: #fd6; color: #000 }
table { border-collapse: collapse }
.wide { overflow-x: auto }
th, td { text-align: left; vertical-align: top; padding: .25rem 1rem .25rem 0 }
td.number, th.number { text-align: right }
"""


def page(found: Similarity, top: int) -> str:
    """Return the page, with the first `top` pairs of each part."""
    title = f"Similar programs of {found.event}"
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style>",
        f"<h1>{escape(title)}</h1>",
        "<p>What two programs have in common, and what pairs lose to each other. There is no "
        "verdict in it: programs may be alike for good reasons, and what it means is for a person "
        "to judge.</p>",
        "<h2>Sources</h2>",
        *_part(found.sources, _sources, top),
        "<h2>Behaviour</h2>",
        *_part(found.behaviour, _behaviour, top),
        "<h2>Soft play</h2>",
        *_part(found.soft_play, _soft_play, top),
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _part(
    part: PartT | LeftOut, told: Callable[[PartT, int], Iterable[str]], top: int
) -> Iterable[str]:
    if isinstance(part, LeftOut):
        return [f"<p>Not examined. {escape(part.why)}</p>"]
    return told(part, top)


def _sources(part: Sources, top: int) -> Iterator[str]:
    yield (
        f"<p>{part.builds} builds compared by common passages, which are marked; those of the "
        "documentation's first bots do not count.</p>"
    )
    if not part.pairs:
        yield "<p>No two have a passage in common.</p>"
    for pair in part.pairs[:top]:
        yield from _source_pair(pair)


def _source_pair(pair: SimilarPair) -> Iterator[str]:
    same = " (identical builds)" if pair.identical else ""
    yield f"<h3>{escape(pair.one.bot)} and {escape(pair.other.bot)}{same}</h3>"
    yield '<div class="pair">'
    sides = (
        (pair.one, pair.share, pair.files[0], pair.passages[0]),
        (pair.other, pair.share_of_other, pair.files[1], pair.passages[1]),
    )
    for source, share, path, passages in sides:
        text = dict(source.files).get(path, "")
        yield (
            f"<div><p>{escape(source.bot)} of {escape(source.owner)}, {escape(path)}: {share:.0%} "
            f'of it is in the other</p><pre tabindex="0">{_marked(text, passages)}</pre></div>'
        )
    yield "</div>"


def _behaviour(part: Behaviour, top: int) -> Iterator[str]:
    yield (
        f"<p>{part.programs} programs were asked {part.positions:,} positions, {part.runs} times "
        f"each in a new process (seed {escape(part.seed)}). <em>Expected</em> is how often two "
        "agree if they answer independently, as predicted from the likeness of each to obvious "
        "plays and to the other programs; <em>a copy</em> is how often a program agrees with "
        "itself. "
        "<em>Likeness</em> is 0 as expected and 1 for a copy, with its 95 % interval. Marked (●) "
        f"are pairs whose likeness exceeds {INDEPENDENT:g} at {MARKED:.0%}, corrected for the "
        "number of pairs (Holm). Two programs that follow the same simple rule exactly are "
        "alike, too: look at the positions and at the sources.</p>"
    )
    for trouble in part.troubles:
        yield f"<p>Not asked everything: {escape(trouble)}</p>"
    head = ("", "bots", "positions", "agree", "expected", "a copy", "likeness", "p, corrected")
    rows = [_behaviour_row(pair) for pair in part.pairs[:top]]
    yield from _table(head, rows, numbers_from=2)
    for pair in part.pairs[:top]:
        if pair.agreement.marked:
            yield from _behaviour_pair(pair)


def _behaviour_row(pair: AlikePair) -> Sequence[str]:
    one = pair.agreement
    names = f"{pair.one.bot} – {pair.other.bot}"
    if not one.positions:
        return ("", names, "0", "", "", "", "", "")
    shares = (f"{share:.0%}" for share in (one.agreed, one.expected, one.copies))
    if one.kappa is None:
        return ("", names, f"{one.positions:,}", *shares, "too little of their own", "")
    likeness = f"{one.kappa:.2f} ({one.low:.2f} to {one.high:.2f})"
    mark = "●" if one.marked else ""
    return (mark, names, f"{one.positions:,}", *shares, likeness, p_text(one.corrected))


def _behaviour_pair(pair: AlikePair) -> Iterator[str]:
    yield (
        f"<h3>{escape(pair.one.bot)} of {escape(pair.one.owner)} and {escape(pair.other.bot)} of "
        f"{escape(pair.other.owner)}</h3>"
        "<p>Positions in which both gave the same answer though that was least expected:</p>"
    )
    rows = [(told.answer, f"{told.expected:.1%}", told.view) for told in pair.told]
    yield from _table(("both answer", "expected", "what they saw"), rows, numbers_from=3)


def _soft_play(part: SoftPlay, top: int) -> Iterator[str]:
    yield (
        f"<p>Decisions of {part.matches:,} matches, {part.of_final:,} of them of the final, in % "
        "of a match a decision, with 95 % intervals. <em>More</em> is how much more a bot loses "
        "against the other than expected from its own losses elsewhere and from what others lose "
        "against that bot. Marked (●) at "
        f"{MARKED:.0%}, corrected for the number of ordered pairs (Holm).</p>"
    )
    if not part.pairs:
        yield "<p>No two met often enough.</p>"
        return
    head = ("", "bot", "against", "decisions", "loss there", "elsewhere", "more", "p, corrected")
    yield from _table(head, [_soft_row(one) for one in part.pairs[:top]], numbers_from=3)


def _soft_row(one: SoftPair) -> Sequence[str]:
    losses = (loss_text(loss) for loss in (one.loss, one.elsewhere, one.more))
    mark = "●" if one.marked else ""
    return (mark, one.bot, one.other, f"{one.decisions:,}", *losses, p_text(one.corrected))


def loss_text(loss: Estimate) -> str:
    """Return a mean loss in % of a match with its interval; "" if it is not known."""
    if loss.mean != loss.mean:
        return ""
    return f"{100 * loss.mean:.2f} ± {100 * loss.error:.2f}"


def p_text(value: float) -> str:
    """Return a p-value as text."""
    return f"{value:.2f}" if value >= 0.01 else f"{value:.0e}"


def _table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers_from: int
) -> Iterator[str]:
    def cells(tag: str, row: Sequence[str]) -> str:
        kinds = (' class="number"' if at >= numbers_from else "" for at in range(len(row)))
        return "".join(
            f"<{tag}{kind}>{escape(cell)}</{tag}>" for kind, cell in zip(kinds, row, strict=True)
        )

    yield '<div class="wide" tabindex="0"><table>'
    yield f"<thead><tr>{cells('th', head)}</tr></thead>"
    yield from (f"<tr>{cells('td', row)}</tr>" for row in rows)
    yield "</table></div>"


def _marked(text: str, passages: Iterable[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in sorted(passages):
        start = max(start, at)
        if end > start:
            parts += [escape(text[at:start]), f"<mark>{escape(text[start:end])}</mark>"]
            at = end
    return "".join([*parts, escape(text[at:])])
