"""The page with the replay of an event's match that is not public.

`?event=…&match=…&step=…&view=…`, where `step` and `view` are those of the page "Replay".
"""

import streamlit as st

from arena.errors import UserError
from arena_dashboard.events import event_data
from arena_dashboard.events.event_tables import event_link
from arena_dashboard.owners import owners
from arena_dashboard.parts.markup import command, in_markdown, tag
from arena_dashboard.parts.rules import show_rules
from arena_dashboard.player import component
from arena_dashboard.reading.watching import Onlooker


def read(event: str, match_id: str) -> event_data.Replay:
    """Return the match from the URL's viewpoint; ends the page if the visitor may not see it."""
    visitor = owners.visitor()
    try:
        client = owners.referee()
        if client is None:
            st.info("Start the arena with `arena up`: these pages ask its referee.")
            st.stop()
        view = st.query_params.get("view", Onlooker.EVERYTHING.value)
        key = "" if visitor is None else visitor.key
        return event_data.replay(client, event, match_id, key, view)
    except UserError as error:
        st.title("Replay")
        st.info(in_markdown(str(error)))
        st.stop()


def go(asked: dict[str, str]) -> None:
    """Give Streamlit the address, which the player has already changed in the browser."""
    st.query_params.from_dict({"event": event, **asked})


event, match_id = (st.query_params.get(name, "") for name in ("event", "match"))
found = read(event, match_id)
match = found.shown
st.set_page_config(f"{match['title']}: {' – '.join(match['names'])} · Bluff Arena")
component.show(found.content, go)
link = tag("a", f"Event {event}", href=event_link(event))
st.html(tag("p", link, class_="ba-link"))
if match["doubt"] is not None:
    st.warning(in_markdown(match["doubt"]))
show_rules(match["game"])
st.download_button(
    "Transcript", found.transcript, f"{match_id}.json", "application/json", on_click="ignore"
)
st.caption("To check every draw and the result, download the transcript and run in its folder:")
st.html(command(f"arena verify {match_id}.json"))
