"""The keys of a course as slips to print, cut and hand out."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from arena.moments import in_utc

if TYPE_CHECKING:
    from arena.clients.event_client import EventSeen
    from arena.clients.organiser_client import NewKey

_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ margin: 0; font: 11pt/1.4 system-ui, sans-serif; color: #000; background: #fff }}
main {{ display: grid; grid-template-columns: 1fr 1fr }}
section {{ border: 1px dashed #888; padding: 5mm; break-inside: avoid; overflow-wrap: anywhere }}
h2 {{ margin: 0; font-size: 13pt }}
p {{ margin: 1mm 0 }}
code {{ font-size: 10pt; word-break: break-all }}
</style>
<main>
{slips}</main>
</html>
"""

_SLIP = """\
<section>
<h2>{name}</h2>
<p>{title} · team {team} · {role}</p>
<p>Your key, which nobody can tell you again:<br><code>{key}</code></p>
<p>Sign in with it {where}. Upload a bot there, and enter it on the page of <b>{event}</b> before
{freeze}; or by <code>arena login</code>, <code>arena submit FILE</code>,
<code>arena event enter {event} BOT</code>.</p>
</section>
"""


def slips_page(event: "EventSeen", people: Sequence["NewKey"], dashboard: str) -> str:
    """Return an HTML page with one slip a person; `dashboard` is the dashboard's address or ""."""
    title = event.title
    where = "on the page <b>My bots</b>"
    if dashboard:
        where += f" of <b>{escape(dashboard)}</b>"
    slips = "".join(
        _SLIP.format(
            name=escape(one.person.name),
            title=escape(title),
            team=escape(one.owner),
            role="captain" if one.captain else "member",
            key=escape(one.key),
            event=escape(event.name),
            freeze=in_utc(event.freezes),
            where=where,
        )
        for one in people
    )
    return _PAGE.format(title=escape(title), slips=slips)
