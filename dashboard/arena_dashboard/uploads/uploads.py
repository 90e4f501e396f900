"""The parts of pages by which owners upload builds, and look after hosted bots."""

import math
from collections.abc import Sequence
from typing import Final

import streamlit as st

from arena.builds.hosted import BuildState, HostedBuild, HostedShift
from arena.clients.referee_client import OwnerCallError
from arena.clients.upload_client import UploadClient, UploadTerms
from arena.database.errors import NameRefusedError
from arena.database.names import ALLOWED, normal_name
from arena.games import GAMES
from arena.moments import in_utc
from arena_dashboard import browser
from arena_dashboard.owners import owners, sign_in
from arena_dashboard.owners.owners import SignedIn
from arena_dashboard.parts.markup import (
    Html,
    badge,
    in_markdown,
    table_of,
    tag,
    together,
    with_code,
)
from arena_dashboard.parts.rows import cell, heads, row_of
from arena_dashboard.parts.tables import replay_link, time_of
from arena_dashboard.uploads import submitting
from arena_dashboard.uploads.submitting import FirstSteps
from arena_dashboard.uploads.upload_room import take_files

UPLOADED: Final = "uploaded"
"""The key under which `owners.kept` has (bot, version) of the build uploaded last."""
NEW_BOT: Final = "A new bot"
SOON_SECONDS: Final = 1.0
_MANIFEST: Final = f"""\
command = ["node", "main.js"]   # or ["python", "main.py"], or ["./bot"]: for Linux, static
# Only for a program that reads and writes lines of JSON:
# protocol = "lines"
# games = ["{next(iter(GAMES))}"]
# matches_at_once = 16
"""
_MIB: Final = 1024 * 1024
_MOST_LINKS: Final = 10
"""The most replays that a shift's log links to."""


def show_upload(client: UploadClient, owner: SignedIn) -> None:
    """Show the form to upload a build, and the progress of the last one. Raises OwnerCallError."""
    allowed = owners.upload_terms()
    if not allowed.hosting:
        st.info("This arena runs no uploaded bots: register yours, and run it yourself.")
        return
    st.markdown(
        "**The arena runs your bot.** A `.py` file with one bot, or a `.zip` with `bot.toml` and a "
        "program in any language. It is checked first; while it waits for that, this page says how "
        "many are ahead of it."
    )
    with st.expander("What a .zip must contain"):
        st.markdown(
            "The program, all that it needs, and at the top the file `bot.toml`. The program runs "
            "on Linux, reaches only the referee, and finds the referee's address and its own token "
            "in `ARENA_ADDRESS` and `ARENA_TOKEN`."
        )
        st.code(_MANIFEST, language="toml")
    with st.form("upload"):
        most_mib = math.ceil(allowed.build_bytes / _MIB)
        take_files(owner.name, most_mib * _MIB)
        what = f"The build: {limits_in_words(allowed)}"
        file = st.file_uploader(what, type=["py", "zip"], max_upload_size=most_mib)
        own = client.bots_in_service(owner.key)
        # Chosen by the owner: a file's name would make mine2.py a bot of its own.
        chosen = None
        if own:
            chosen = st.selectbox(
                "Which bot it becomes",
                [NEW_BOT, *own],
                index=None,
                placeholder="Choose: a new version of a bot of yours, or a new bot",
                format_func=lambda name: name if name == NEW_BOT else f"A new version of {name}",
            )
        name = st.text_input(
            "Name of the bot",
            max_chars=40,
            placeholder="of a new bot; empty: the file's name",
            help=sign_in.NAME_HELP,
        )
        st.caption(
            f"The arena runs up to {allowed.hosted_bots} of your bots, and takes "
            f"{allowed.uploads_a_day} uploads in 24 hours. Each upload is a version of its own."
        )
        for notice in client.build_notices(owner.key):
            st.caption(in_markdown(notice))
        if st.form_submit_button("Submit this build", type="primary"):
            name = name.strip()
            new = chosen is None or chosen == NEW_BOT
            if file is None:
                st.error("“The build” is missing: choose a .py or a .zip file.")
            elif own and chosen is None and not name:
                st.error(
                    "“Which bot it becomes” is missing: choose one of your bots, or fill in “Name "
                    f"of the bot” with {ALLOWED}."
                )
            elif not new and name and name != chosen:
                st.error(
                    f"Is it a new version of {in_markdown(str(chosen))}, or a new bot "
                    f"{in_markdown(name)}? Empty “Name of the bot”, or choose “{NEW_BOT}”."
                )
            else:
                bot = (name or file.name.rpartition(".")[0]) if new else chosen
                _upload(client, owner, str(bot), file)
    if UPLOADED in owners.kept():
        bot, version = owners.kept()[UPLOADED]
        _progress(submitting.first_steps(client, owner, bot, version, uploaded=True))


def limits_in_words(allowed: UploadTerms) -> str:
    """Return the size limit of each kind of file."""
    source, build = (f"{one / _MIB:g} MiB" for one in (allowed.source_bytes, allowed.build_bytes))
    if source == build:
        return f"a .py file or a .zip, up to {build}"
    return f"a .py file of up to {source}, or a .zip of up to {build}"


def _upload(client: UploadClient, owner: SignedIn, name: str, file: object) -> None:
    data: bytes = file.getvalue()  # type: ignore[attr-defined]  # Streamlit's, not exported
    file_name: str = file.name  # type: ignore[attr-defined]
    session = owners.kept()
    try:
        normal_name("bot", name)
    except NameRefusedError as error:
        st.error(f"“Name of the bot”: {in_markdown(str(error))}")
        return
    try:
        made = client.upload(owner.key, name, file_name, data)
    except OwnerCallError as error:
        owners.refused(error)
        return
    session[UPLOADED] = (made.bot, made.version)
    for notice in made.notices:
        st.caption(in_markdown(notice))


@st.fragment
def _progress(progress: FirstSteps) -> None:
    """Show what happens to an uploaded build, as it happens."""
    st.subheader(f"{in_markdown(progress.bot)}, version {in_markdown(progress.version)}")
    found = progress.look()
    if found.why_old:
        st.warning(in_markdown(found.why_old))
    if found.build is not None:
        _show_build(found.build)
    if found.steps:
        # The check is shown above.
        st.html(submitting.steps_in_html([one for one in found.steps if one.name != "checked"]))
    if not found.final:
        done = submitting.complete(found)
        browser.beat("upload", browser.PULSE_SECONDS if done else SOON_SECONDS)


def _show_build(build: HostedBuild) -> None:
    sha256 = build.sha256.hex()[:16]
    st.html(
        tag(
            "ol",
            _step("Uploaded", f"SHA-256 {sha256}…, {build.size:,} bytes", done=True),
            _check_step(build),
            class_="ba-steps",
            role="status",
        )
    )
    if build.state is BuildState.REFUSED:
        st.markdown("The reason, from the check:")
        st.code(build.reason, language=None, wrap_lines=True)


def _check_step(build: HostedBuild) -> Html:
    if build.state is BuildState.ACCEPTED:
        return _step(
            "Accepted by the check", build.reason or "It plays when it is its turn", done=True
        )
    if build.state is BuildState.REFUSED:
        return tag("li", "✗ Refused by the check.", class_="ba-bad-text")
    now = build.reason or "it waits for a worker"
    return _step("Being checked", with_code(now[:1].upper() + now[1:]), done=False)


def _step(words: str, more: Html | str, *, done: bool) -> Html:
    mark = tag("b", "✓ " if done else "… ", aria_hidden="true")
    return tag("li", mark, words, ". ", more, ".", class_="ba-done" if done else "ba-faint")


def show_builds(client: UploadClient, owner: SignedIn, bot: str) -> None:
    """Show the builds of one of the owner's bots, their logs, and a form to roll back to one."""
    try:
        builds = client.builds(owner.key, bot)
    except OwnerCallError as error:
        st.warning(in_markdown(str(error)))
        return
    if not builds:
        return
    st.markdown("**Builds that the arena runs**")
    st.html(_table(builds))
    _roll_back(client, owner, bot, builds)
    label = st.selectbox(
        "Log of version", [one.version for one in builds], key=f"log-version {bot}", index=None
    )
    if label is not None:
        try:
            _show_logs(client, owner, bot, client.shifts(owner.key, bot, label))
        except OwnerCallError as error:
            st.warning(in_markdown(str(error)))


def _show_logs(
    client: UploadClient, owner: SignedIn, bot: str, shifts: Sequence[HostedShift]
) -> None:
    """Show the logs of the last shifts, and of one match. Raises OwnerCallError."""
    if not shifts:
        st.caption("It has not run yet.")
        return
    match_id = st.selectbox(
        "Log of one match",
        [one for shift in shifts if shift.ended_at for one in reversed(shift.match_ids)],
        index=None,
        accept_new_options=True,
        placeholder="Choose one, or enter the id in the address of its replay",
        key=f"log-match {bot}",
    )
    if match_id is not None:
        found = client.match_log(owner.key, bot, match_id)
        replay = tag("a", "The match", href=replay_link(match_id))
        begins = f" began at {in_utc(found.started_at)}. "
        st.html(tag("div", replay, begins, found.in_words))
        if found.log:
            _show_log(found.log)
        return
    for shift in shifts[:3]:
        _show_shift(shift)


def _table(builds: list[HostedBuild]) -> Html:
    # On a phone there is no place for all of them.
    head = heads(
        *("Version", "Uploaded", ("Bytes", "ba-number ba-wide"), ("SHA-256", "ba-wide"), "State")
    )
    return table_of("Builds", head, map(_line, builds))


def _line(build: HostedBuild) -> Html:
    look = {BuildState.REFUSED: "warn", BuildState.ACCEPTED: "good"}.get(build.state, "")
    words = build.in_short + ("" if build.kept else ", not kept any more")
    return row_of(
        build.version,
        time_of(build.uploaded_at),
        cell(f"{build.size:,}", class_="ba-number ba-wide"),
        cell(tag("code", build.sha256.hex()[:12]), class_="ba-wide"),
        cell(
            badge(words, look) if look else badge(words),
            tag("div", with_code(build.reason), class_="ba-said"),
        ),
    )


def _roll_back(client: UploadClient, owner: SignedIn, bot: str, builds: list[HostedBuild]) -> None:
    others = [one.version for one in builds if one.state is BuildState.ACCEPTED and not one.plays]
    if not others:
        return
    with st.form(f"roll-back {bot}"):
        label = st.selectbox("Let another build play", others, key=f"roll-back-version {bot}")
        if not st.form_submit_button("Let it play"):
            return
    owners.change(lambda: client.roll_back(owner.key, bot, label))


def _show_shift(shift: HostedShift) -> None:
    what = "Check" if shift.check else "Shift"
    outcome = shift.outcome or "It is running."
    st.markdown(f"{in_utc(shift.began_at)}, {what}. {in_markdown(outcome)}")
    links = [tag("a", one[:8], href=replay_link(one)) for one in shift.match_ids[-_MOST_LINKS:]]
    if links:
        st.html(tag("div", "Its last matches: ", *(together(link, " ") for link in links)))
    _show_log(shift.log or "It printed nothing.")


def _show_log(log: str) -> None:
    st.code(log, language=None, wrap_lines=True)
