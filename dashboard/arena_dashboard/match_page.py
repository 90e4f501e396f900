"""The parts of a replay around its scene, as HTML: facts, past steps, result; pure functions."""

from collections.abc import Iterable, Sequence

from arena.storage.rows import MatchRow
from arena_dashboard.markup import Html, badge, tag, together
from arena_dashboard.scenes import luck_in_words
from arena_dashboard.tables import options
from arena_dashboard.watching import Watched


def match_facts(match: Watched, row: MatchRow | None) -> Html:
    """The facts about the whole match."""
    facts = [tag("span", f"{len(match.names)} seats")]
    if match.options:
        facts.append(tag("span", options(match.options)))
    if row is not None:
        ended = row.finished_at
        facts.append(tag("time", f"{ended:%Y-%m-%d %H:%M} UTC", datetime=ended.isoformat()))
        if row.voided:
            facts.append(badge("void", "bad", "Its block is void; it does not count."))
        elif row.rated:
            facts.append(badge("rated", "plain", "It counts for the ratings."))
    if match.doubt is None:
        facts.append(
            badge(
                "dealing verified",
                "good",
                "Every draw was computed again from the opened secret, and the result from the "
                "steps.",
            )
        )
        if match.signed_by is not None:
            about = f"The arena signed this transcript by its key {match.signed_by}."
            facts.append(badge("signed", "good", about))
    else:
        facts.append(badge("not verified", "bad", match.doubt))
        facts.append(tag("span", match.doubt, class_="ba-bad-text"))
    return tag("div", *facts, class_="ba-facts")


def headline(step: int, sentences: Sequence[str]) -> Html:
    """What happened in a step. Screen readers announce its changes."""
    return tag(
        "div",
        tag("span", f"Step {step}", class_="ba-label"),
        *(tag("p", sentence) for sentence in sentences),
        class_="ba-headline",
        role="status",
    )


def story(past: Iterable[tuple[int, Sequence[str]]]) -> Html:
    """Steps and their sentences, newest first."""
    return tag(
        "div",
        tag("h4", "So far, newest first"),
        tag(
            "ol",
            *(
                tag(
                    "li",
                    tag("span", str(step), class_="ba-step"),
                    tag("span", " ".join(sentences)),
                    aria_current="step" if index == 0 else None,
                )
                for index, (step, sentences) in enumerate(past)
            ),
        ),
        class_="ba-story",
        tabindex="0",
        role="region",
        aria_label="What happened so far, newest first",
    )


def result(match: Watched) -> Html:
    """The placings, and the faults of each seat."""
    ended = match.result
    order = sorted(range(len(match.names)), key=lambda seat: (ended.placing[seat], seat))
    rows = []
    for seat in order:
        entrant, faults = match.entrants[seat], ended.faults[seat]
        trouble = badge("forfeit", "bad") if ended.forfeited[seat] else Html("")
        rows.append(
            tag(
                "tr",
                tag("td", f"{ended.placing[seat]}.", class_="ba-number ba-rank"),
                tag(
                    "td",
                    tag("b" if ended.placing[seat] == 1 else "span", entrant.bot),
                    " ",
                    tag("span", f"{entrant.version}, seat {seat}", class_="ba-faint"),
                    " ",
                    trouble,
                ),
                tag("td", str(ended.scores[seat]) if ended.scores else "–", class_="ba-number"),
                tag("td", str(faults), class_="ba-number"),
            )
        )
    heads = (("Place", "ba-number"), ("Bot", None), ("Score", "ba-number"), ("Faults", "ba-number"))
    return tag(
        "div",
        tag("h4", "Result"),
        tag(
            "table",
            tag("thead", tag("tr", *(tag("th", t, class_=c, scope="col") for t, c in heads))),
            tag("tbody", together(*rows)),
            class_="ba-table",
        ),
        tag("p", "Decided by faults, not by the game.", class_="ba-faint")
        if ended.decided_by_faults
        else "",
        tag("p", _luck(match.names, match.luck), class_="ba-faint") if match.luck else "",
    )


def _luck(names: Sequence[str], luck: Sequence[float]) -> str:
    told = luck_in_words(luck, names)
    return (
        f"Luck in this match: {told}. In expected points: what the draws gave above the mean of "
        "all possible draws."
    )
