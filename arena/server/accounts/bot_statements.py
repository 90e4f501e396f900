"""SQL statements about bots, owners, versions and tokens; this module only builds them.

Names are matched without regard to case, and returned as they were registered.
"""

from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Insert,
    Integer,
    LargeBinary,
    ScalarSelect,
    Select,
    Table,
    Text,
    TextClause,
    Update,
    and_,
    any_,
    case,
    cast,
    exists,
    extract,
    func,
    literal,
    select,
    text,
    true,
    tuple_,
    union,
    update,
)
from sqlalchemy.dialects.postgresql import insert

from arena.database.channels import TOKENS_CHANNEL
from arena.database.names import folded, readings, skeleton
from arena.database.statement import Row
from arena.database.tables.bots import bots, tokens, version_counts, versions
from arena.database.tables.owners import owners
from arena.database.tables.policy import policy
from arena.database.tables.uploads import hosted_versions

_BEHIND_ALL = "\U0010ffff"
"""A character that sorts after every character that a name may have."""

pace: Final = case(
    (bots.c.house, bots.c.most_pace),
    else_=func.least(
        bots.c.pace,
        func.coalesce(bots.c.most_pace, select(policy.c.bot_pace).scalar_subquery()),
    ),
).label("pace")
"""The rated matches an hour that a bot may begin; NULL for any number.

It is the smaller of its owner's wish and the operator's limit for the bot, which defaults to the
policy's limit for all bots. For a house bot only the operator's limit counts.
"""

_retired_at = func.coalesce(bots.c.retired_at, versions.c.retired_at).label("retired_at")


def name_columns(name: str) -> dict[str, str]:
    """Return the columns of `bots` and `owners` that hold a name."""
    return {"name": name, "folded": folded(name), "skeleton": skeleton(name)}


def bot_named(name: str) -> Row:
    """Return a statement that selects the bot of a name.

    Columns: id, name, house, retired_at, owner_id, owner, and its owner's details of it: text,
    language, link; frozen_at.
    """
    return _bots().where(is_bot(name))


def bot_like(name: str) -> Row:
    """Return a statement that selects the bot whose name looks like this one, as `bot_named`."""
    return _bots().where(bots.c.skeleton == skeleton(name))


def house_bot_read_as(name: str) -> Row:
    """Return a statement that selects a house bot whose name is easily taken for this one.

    Column: name. A reader who overlooks marks on letters, or reads the name aloud, confuses the
    two.
    """
    read = {skeleton(reading) for reading in readings(name)}
    return select(bots.c.name).where(bots.c.house, bots.c.skeleton.in_(read)).limit(1)


def _bots() -> Row:
    return (
        select(bots.c.id, bots.c.name, bots.c.house, bots.c.retired_at, bots.c.owner_id)
        .add_columns(owners.c.name.label("owner"), bots.c.text, bots.c.language, bots.c.link)
        .add_columns(bots.c.frozen_at)
        .select_from(bots.join(owners))
    )


def add_version(bot_id: int, label: str) -> Insert:
    """Return a statement that adds a version, unless the bot has one with that label.

    It returns the version's id.
    """
    values = {"bot_id": bot_id, "label": label}
    return insert(versions).values(values).on_conflict_do_nothing().returning(versions.c.id)


def set_token(version_id: int, sha256: bytes) -> Insert:
    """Return a statement that sets the token of a version, which has only one."""
    values = {"version_id": version_id, "sha256": sha256}
    return (
        insert(tokens)
        .values(values)
        .on_conflict_do_update(
            index_elements=[tokens.c.version_id],
            set_={"sha256": sha256, "created_at": func.now()},
        )
    )


def versions_by_token(sha256s: Sequence[bytes]) -> Row:
    """Return a statement that selects the versions with tokens of these hashes.

    Columns: those of `all_versions`, frozen_at, paused_at and pace of the bot, banned_at of its
    owner and sha256.
    """
    # An array is one parameter, so that the statement is the same for any number of them.
    return (
        all_versions()
        .add_columns(bots.c.frozen_at, bots.c.paused_at, pace, owners.c.banned_at, tokens.c.sha256)
        .join(tokens)
        .where(tokens.c.sha256 == any_(literal(list(sha256s), ARRAY(LargeBinary))))
    )


def token_hashes(most: int) -> Row:
    """Return a statement that selects the hashes of the newest versions' tokens, newest first.

    Column: sha256.
    """
    return select(tokens.c.sha256).order_by(tokens.c.version_id.desc()).limit(most)


def versions_today(whose: ColumnElement[bool]) -> Row:
    """Return a statement that counts the versions which some bots got in the last 24 hours.

    `whose` is a condition for the bots. Columns: versions (without uploads), and wait_seconds, the
    time until the oldest of them is 24 hours old.
    """
    day = text("interval '1 day'")
    wait = extract("epoch", func.min(versions.c.created_at) + day - func.now())
    return (
        select(func.count().label("versions"))
        .add_columns(wait.label("wait_seconds"))
        .select_from(versions.join(bots))
        .where(whose, versions.c.created_at > func.now() - day)
        .where(~exists().where(hosted_versions.c.version_id == versions.c.id))
    )


def all_versions() -> Row:
    """Return a statement that selects all versions, oldest first.

    Columns: id, bot, version, owner, house, retired_at (the version's or its bot's).
    """
    return (
        select(versions.c.id, bots.c.name.label("bot"), versions.c.label.label("version"))
        .add_columns(owners.c.name.label("owner"), bots.c.house, _retired_at)
        .select_from(versions.join(bots).join(owners))
        .order_by(versions.c.id)
    )


def versions_by_id(ids: Collection[int]) -> Row:
    """Return a statement that selects the versions with these ids, as `all_versions`."""
    return all_versions().where(versions.c.id == any_(literal(list(ids), ARRAY(Integer))))


def versions_of(bot: str, label: str | None) -> Row:
    """Return a statement that selects one bot's versions, or the one with `label`, newest first.

    Columns: those of `all_versions`.
    """
    found = all_versions().where(is_bot(bot)).order_by(None).order_by(versions.c.id.desc())
    return found if label is None else found.where(versions.c.label == label)


def bot_page(
    *, search: str = "", after: str | None = None, before: str | None = None, limit: int = 50
) -> Row:
    """Return a statement that selects one page, by name, of the bots that `_found` finds.

    Columns: name, folded, owner, house, created_at, retired_at, frozen_at, paused_at, banned_at
    (its owner's), versions (how many), newest_id, newest (its label). The page holds the first bots
    after the name `after`, or the last before the name `before`, both in the form of `folded`.
    """
    page = _found(search, limit, after, before).subquery("page")
    newest = (
        select(versions.c.id, versions.c.label)
        .where(versions.c.bot_id == bots.c.id)
        .order_by(versions.c.id.desc())
        .limit(1)
        .lateral()
    )
    count = select(func.count()).where(versions.c.bot_id == bots.c.id).scalar_subquery()
    return (
        select(bots.c.name, bots.c.folded, owners.c.name.label("owner"), bots.c.house)
        .add_columns(bots.c.created_at, bots.c.retired_at, count.label("versions"))
        .add_columns(bots.c.frozen_at, bots.c.paused_at, owners.c.banned_at)
        .add_columns(newest.c.id.label("newest_id"), newest.c.label.label("newest"))
        .select_from(page.join(bots, bots.c.id == page.c.id).join(owners).join(newest, true()))
        .order_by(bots.c.folded)
    )


def _found(
    search: str, limit: int, after: str | None = None, before: str | None = None
) -> Select[tuple[int, str]]:
    """Return a statement that selects the bots that match `search`: all if it is empty.

    A bot matches if its name begins with `search` or its owner is named `search`. Columns: id,
    folded.
    """

    def part(*conditions: ColumnElement[bool]) -> Select[tuple[int, str]]:
        found = select(bots.c.id, bots.c.folded).where(*conditions)
        if after is not None:
            found = found.where(bots.c.folded > after)
        if before is not None:
            return found.where(bots.c.folded < before).order_by(bots.c.folded.desc()).limit(limit)
        return found.order_by(bots.c.folded).limit(limit)

    if not search:
        return part()
    owner = select(owners.c.id).where(owners.c.folded == folded(search)).scalar_subquery()
    # An index returns the rows of each part in order, so only `limit` rows of each are read.
    either = union(part(begins_with(bots.c.folded, search)), part(bots.c.owner_id == owner))
    both = either.subquery("either")
    by_name = both.c.folded.desc() if before is not None else both.c.folded
    return select(both.c.id, both.c.folded).order_by(by_name).limit(limit)


def begins_with(name: ColumnElement[str], word: str) -> ColumnElement[bool]:
    """Return the condition that a folded name begins with a word, as a range for an index."""
    first = folded(word)
    return and_(name >= first, name < first + _BEHIND_ALL)


def halted(version_ids: Collection[int]) -> Row:
    """Return a statement that selects the given versions whose bot may not play for now.

    Columns: version_id, frozen, paused and banned (its owner).
    """
    ids = literal(list(version_ids), ARRAY(Integer))
    return (
        select(versions.c.id.label("version_id"))
        .add_columns(bots.c.frozen_at.is_not(None).label("frozen"))
        .add_columns(bots.c.paused_at.is_not(None).label("paused"))
        .add_columns(owners.c.banned_at.is_not(None).label("banned"))
        .select_from(versions.join(bots).join(owners))
        .where(versions.c.id == any_(ids))
        .where(func.num_nonnulls(bots.c.frozen_at, bots.c.paused_at, owners.c.banned_at) > 0)
    )


def profile_of(bot: str) -> Row:
    """Return a statement that selects one bot's versions, newest first, with the bot's details.

    Columns: those of `all_versions`, created_at of the version, text, language, link, frozen_at,
    paused_at and pace of the bot, and banned_at of its owner.
    """
    said = (bots.c.text, bots.c.language, bots.c.link, bots.c.frozen_at, bots.c.paused_at, pace)
    return versions_of(bot, None).add_columns(versions.c.created_at, *said, owners.c.banned_at)


def set_bot(bot_id: int, **values: object) -> Update:
    """Return a statement that sets these columns of a bot."""
    return update(bots).where(bots.c.id == bot_id).values(values)


def mark(table: Table, row_id: int, column: str, *, on: bool = True) -> Update:
    """Return a statement that sets a time in a row, such as `frozen_at`, to now, or to NULL.

    A time that is set already is kept.
    """
    changed = update(table).where(table.c.id == row_id)
    if on:
        changed = changed.where(table.c[column].is_(None))
    return changed.values({column: func.now() if on else None})


def bot_list(
    *,
    named: Collection[str] | None = None,
    after: int | None = None,
    limit: int | None = None,
) -> Row:
    """Return a statement that selects versions with their numbers of matches, by bot and age.

    Columns: those of `all_versions`, created_at and matches (the version's), frozen_at, paused_at
    and pace (its bot's), banned_at (its owner's). `named` limits the rows to these bots, `after` to
    those after this version, and `limit` to this number.
    """
    found = _listed().limit(limit)
    if named is not None:
        found = found.where(bots.c.folded == any_(literal(list(map(folded, named)), ARRAY(Text))))
    if after is None:
        return found
    last = folded_of(after)
    # The first condition follows from the second, but allows the use of an index on names.
    place = tuple_(bots.c.folded, versions.c.id) > tuple_(last, literal(after))
    return found.where(bots.c.folded >= last, place)


def found_versions(search: str, limit: int) -> Row:
    """Return a statement that selects at most `limit` versions of bots that match `search`.

    The bot's name begins with `search`, or its owner has that name. Columns: those of `bot_list`.
    """
    # A bot has at least one version.
    bots_found = _found(search, limit).subquery("found")
    return _listed().where(bots.c.id.in_(select(bots_found.c.id))).limit(limit)


def _listed() -> Row:
    played = func.coalesce(version_counts.c.matches, 0)
    return (
        all_versions()
        .add_columns(versions.c.created_at, played.label("matches"))
        .add_columns(bots.c.frozen_at, bots.c.paused_at, pace, owners.c.banned_at)
        .outerjoin(version_counts)
        .order_by(None)
        .order_by(bots.c.folded, versions.c.id)
    )


def folded_of(version_id: int) -> ScalarSelect[str]:
    """Return an expression for the folded name of a version's bot; NULL without such a version."""
    bot, version = bots.alias(), versions.alias()
    return (
        select(bot.c.folded)
        .join(version, version.c.bot_id == bot.c.id)
        .where(version.c.id == version_id)
        .scalar_subquery()
    )


def is_bot(name: str) -> ColumnElement[bool]:
    """Return the condition that a row of `bots` has that name."""
    return bots.c.folded == folded(name)


def tell_tokens(version_ids: Sequence[int]) -> Row:
    """Return a statement that notifies that some tokens of these versions are no longer valid.

    NOTIFY is sent at the commit of the transaction.
    """
    told = func.unnest(literal(list(version_ids), ARRAY(Integer))).column_valued("told")
    return select(func.pg_notify(TOKENS_CHANNEL, cast(told, Text)))


def tell_any_tokens() -> TextClause:
    """Return a statement that notifies that tokens of any versions may be no longer valid."""
    return text(f"NOTIFY {TOKENS_CHANNEL}")
