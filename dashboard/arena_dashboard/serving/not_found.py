"""The HTML for an address without a page, which says so and links to the existing pages.

Streamlit would answer every address with its own HTML, whose script then opens "Home" below a
dialog.
"""

from base64 import b64encode
from html import escape
from pathlib import Path
from typing import Final

from arena_dashboard.parts.markup import Html, tag, together
from arena_dashboard.serving.index_page import NAME, TITLES

LINKED: Final = ("", "leaderboard", "bot", "matches", "tournaments", "events", "play", "submit")
"""The paths of the pages that need no particular subject, such as a match or a ladder."""
# The colours are those of .streamlit/config.toml.
_STYLE: Final = """
:root { color-scheme: light dark; background: light-dark(#fbfaf7, #15171c); }
body {
  font: 1rem/1.6 system-ui, sans-serif; color: light-dark(#23262f, #e9e7e1);
  max-width: 40rem; margin: 0 auto; padding: 2rem 1rem; overflow-wrap: anywhere;
}
h1 { font-size: clamp(1.5rem, 4vw, 2.1rem); margin: 1.5rem 0 0.5rem; }
ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.3rem 1.5rem; }
a { color: light-dark(#8f4a06, #f0a04b); display: inline-block; padding: 0.6rem 0; }
"""


def page(path: str) -> str:
    """Return the HTML for the address `path`."""
    # Relative, as a proxy may serve the pages below a path of its own.
    root = "../" * (path.count("/") - 1) or "./"
    logo = b64encode(Path(__file__).parents[1].joinpath("logo.svg").read_bytes()).decode()
    links = [tag("li", tag("a", TITLES[one], href=root + one)) for one in LINKED]
    return together(
        Html('<!doctype html><html lang="en"><head><meta charset="utf-8">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", f"Page not found · {NAME}"),
        Html(f"<style>{_STYLE}</style></head>"),
        tag(
            "body",
            Html(f'<img src="data:image/svg+xml;base64,{logo}" alt="{escape(NAME)}" height="32">'),
            tag(
                "main",
                tag("h1", "Page not found"),
                tag("p", "There is nothing at ", tag("code", path), ". The pages are:"),
                tag("nav", tag("ul", *links), aria_label="Pages"),
            ),
        ),
        Html("</html>"),
    )
