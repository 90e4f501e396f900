"""The page "Matches": finished matches with filters, in a chosen order."""

import streamlit as st

from arena.server.results.match_sort import Sort
from arena_dashboard.matches import match_filter
from arena_dashboard.parts import tables
from arena_dashboard.parts.markup import in_markdown, tag, turning
from arena_dashboard.reading import data

st.title("Matches")

chosen = match_filter.choose_matches()
before = st.query_params.get("before")
newest = chosen.sort is Sort.NEWEST
page = (
    data.find_matches(chosen.wanted, sort=chosen.sort, before=before if newest else None)
    if chosen.possible
    else []
)
if chosen.wanted.pairing is not None:
    number, table = chosen.wanted.pairing
    tournament = in_markdown(chosen.wanted.tournament or "")
    st.caption(f"Round {number}, table {table} of {tournament}")
if page:
    if not newest:
        st.caption(match_filter.MEANINGS[chosen.sort])
    bluffs = data.bluffs().of([row.match_id for row in page]) if not newest else None
    st.html(tables.matches(page, bluffs))
elif before is not None and newest:
    st.info("There are no older matches.")
elif chosen.filtered or not chosen.possible:
    st.info("No match fits these filters.")
else:
    st.info("No match has been played yet.")

links = []
if before is not None and newest:
    links.append(tag("a", "Newest", href=match_filter.link()))
if newest and len(page) == data.PAGE:
    older = match_filter.link(before=page[-1].match_id)
    links.append(tag("a", "Older", href=older, rel="next"))
if links:
    st.html(turning(*links, about="Pages"))
