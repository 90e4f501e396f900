"""SQL statements about bots, owners, versions and tokens, built here, run elsewhere.

Names are matched without regard to case, and returned as they were registered.
"""

from collections.abc import Collection, Sequence

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Insert,
    Integer,
    LargeBinary,
    Text,
    TextClause,
    Update,
    any_,
    cast,
    exists,
    extract,
    func,
    literal,
    select,
    text,
    true,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import insert

from arena.storage.hosting_tables import hosted_versions
from arena.storage.names import folded, skeleton
from arena.storage.owner_tables import owners
from arena.storage.statements import Row
from arena.storage.tables import (
    TOKENS_CHANNEL,
    bots,
    tokens,
    version_counts,
    versions,
)

_retired_at = func.coalesce(bots.c.retired_at, versions.c.retired_at).label("retired_at")


def add_bot(name: str, owner_id: int, *, house: bool) -> Insert:
    """Adds a bot, unless one has that name or looks like it."""
    values = {"owner_id": owner_id, "house": house} | name_columns(name)
    return insert(bots).values(values).on_conflict_do_nothing()


def name_columns(name: str) -> dict[str, str]:
    """The columns of `bots` and `owners` that hold a name."""
    return {"name": name, "folded": folded(name), "skeleton": skeleton(name)}


def bot_named(name: str) -> Row:
    """id, name, house, retired_at, owner_id, owner, and what its owner says of it: text, language,
    link."""
    return _bots().where(is_bot(name))


def bot_like(name: str) -> Row:
    """The columns of `bot_named`, of the bot whose name looks like this one."""
    return _bots().where(bots.c.skeleton == skeleton(name))


def _bots() -> Row:
    return (
        select(bots.c.id, bots.c.name, bots.c.house, bots.c.retired_at, bots.c.owner_id)
        .add_columns(owners.c.name.label("owner"), bots.c.text, bots.c.language, bots.c.link)
        .add_columns(bots.c.frozen_at)
        .select_from(bots.join(owners))
    )


def add_version(bot_id: int, label: str) -> Insert:
    """Adds a version, unless the bot has one with that label; returns its id."""
    values = {"bot_id": bot_id, "label": label}
    return insert(versions).values(values).on_conflict_do_nothing().returning(versions.c.id)


def set_token(version_id: int, sha256: bytes) -> Insert:
    """Sets the token of a version, which has only one."""
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
    """The columns of `all_versions`, frozen_at of the bot, banned_at of its owner and sha256, of
    the tokens that there are."""
    # An array is one parameter, so that the statement is the same for any number of them.
    return (
        all_versions()
        .add_columns(bots.c.frozen_at, owners.c.banned_at, tokens.c.sha256)
        .join(tokens)
        .where(tokens.c.sha256 == any_(literal(list(sha256s), ARRAY(LargeBinary))))
    )


def token_hashes(most: int) -> Row:
    """sha256, of the tokens of the newest versions, newest first."""
    return select(tokens.c.sha256).order_by(tokens.c.version_id.desc()).limit(most)


def versions_today(bot_id: int) -> Row:
    """versions, wait_seconds: how many a bot got in the last 24 hours without uploads, and how long
    until one of them is older."""
    day = text("interval '1 day'")
    wait = extract("epoch", func.min(versions.c.created_at) + day - func.now())
    return (
        select(func.count().label("versions"))
        .add_columns(wait.label("wait_seconds"))
        .where(versions.c.bot_id == bot_id, versions.c.created_at > func.now() - day)
        .where(not_uploaded())
    )


def not_uploaded() -> ColumnElement[bool]:
    """Whether a row of `versions` was registered to be run by its owner."""
    return ~exists().where(hosted_versions.c.version_id == versions.c.id)


def all_versions() -> Row:
    """id, bot, version, owner, house, retired_at (the version's or its bot's), oldest first."""
    return (
        select(versions.c.id, bots.c.name.label("bot"), versions.c.label.label("version"))
        .add_columns(owners.c.name.label("owner"), bots.c.house, _retired_at)
        .select_from(versions.join(bots).join(owners))
        .order_by(versions.c.id)
    )


def versions_by_id(ids: Collection[int]) -> Row:
    """The columns of `all_versions`, of these."""
    return all_versions().where(versions.c.id == any_(literal(list(ids), ARRAY(Integer))))


def versions_of(bot: str, label: str | None) -> Row:
    """The columns of `all_versions`: one bot's versions, or the one with `label`; newest first."""
    found = all_versions().where(is_bot(bot)).order_by(None).order_by(versions.c.id.desc())
    return found if label is None else found.where(versions.c.label == label)


def bot_page(*, search: str = "", offset: int = 0, limit: int = 50) -> Row:
    """name, owner, house, created_at, retired_at, versions (how many), newest_id, newest (its
    label): a page of the bots by name, those with `search` in the name of the bot or its owner.
    """
    # Their versions are looked up for the page alone, and not for all before it.
    page = (
        select(bots.c.id, bots.c.folded, bots.c.name, owners.c.name.label("owner"), bots.c.house)
        .add_columns(bots.c.created_at, bots.c.retired_at)
        .select_from(bots.join(owners))
        .where(_has_in_name(search) if search else true())
        .order_by(bots.c.folded)
        .offset(offset)
        .limit(limit)
        .subquery("page")
    )
    newest = (
        select(versions.c.id, versions.c.label)
        .where(versions.c.bot_id == page.c.id)
        .order_by(versions.c.id.desc())
        .limit(1)
        .lateral()
    )
    count = select(func.count()).where(versions.c.bot_id == page.c.id).scalar_subquery()
    return (
        select(page.c.name, page.c.owner, page.c.house, page.c.created_at, page.c.retired_at)
        .add_columns(count.label("versions"))
        .add_columns(newest.c.id.label("newest_id"), newest.c.label.label("newest"))
        .select_from(page.join(newest, true()))
        .order_by(page.c.folded)
    )


def _has_in_name(search: str) -> ColumnElement[bool]:
    """Whether a bot or its owner has these words in its name."""
    words = folded(search)
    return func.strpos(bots.c.folded, words) + func.strpos(owners.c.folded, words) > 0


def profile_of(bot: str) -> Row:
    """The columns of `all_versions`, created_at of one bot's versions, newest first, and what its
    owner says of it: text, language, link; and frozen_at."""
    said = (bots.c.text, bots.c.language, bots.c.link, bots.c.frozen_at)
    return versions_of(bot, None).add_columns(versions.c.created_at, *said)


def retire_bot(bot_id: int) -> Update:
    """Retires a bot; an earlier `retired_at` is kept."""
    return (
        update(bots)
        .where(bots.c.id == bot_id, bots.c.retired_at.is_(None))
        .values(retired_at=func.now())
    )


def retire_version(version_id: int) -> Update:
    """Retires a version; an earlier `retired_at` is kept."""
    return (
        update(versions)
        .where(versions.c.id == version_id, versions.c.retired_at.is_(None))
        .values(retired_at=func.now())
    )


def bot_list(
    *,
    named: Collection[str] | None = None,
    search: str = "",
    after: int | None = None,
    limit: int | None = None,
) -> Row:
    """The columns of `all_versions`, created_at and matches (the version's), by bot and age; only
    those of the bots `named`, or of bots with `search` in their name or their owner's; with a
    `limit` so many of those behind the version `after`."""
    name = bots.c.folded
    played = func.coalesce(version_counts.c.matches, 0)
    found = (
        all_versions()
        .add_columns(versions.c.created_at, played.label("matches"))
        .outerjoin(version_counts)
        .order_by(None)
        .order_by(name, versions.c.id)
        .limit(limit)
    )
    if named is not None:
        found = found.where(bots.c.folded == any_(literal(list(map(folded, named)), ARRAY(Text))))
    if search:
        found = found.where(_has_in_name(search))
    if after is None:
        return found
    last_bot, version = bots.alias(), versions.alias()
    last = (
        select(last_bot.c.folded)
        .join(version, version.c.bot_id == last_bot.c.id)
        .where(version.c.id == after)
        .scalar_subquery()
    )
    # The first condition is part of the second; an index on names leads to it.
    return found.where(name >= last, tuple_(name, versions.c.id) > tuple_(last, literal(after)))


def is_bot(name: str) -> ColumnElement[bool]:
    """Whether a row of `bots` has that name."""
    return bots.c.folded == folded(name)


def tell_tokens(version_ids: Sequence[int]) -> Row:
    """NOTIFY, sent at the commit of the transaction: some tokens of these versions are no longer
    valid."""
    told = func.unnest(literal(list(version_ids), ARRAY(Integer))).column_valued("told")
    return select(func.pg_notify(TOKENS_CHANNEL, cast(told, Text)))


def tell_any_tokens() -> TextClause:
    """The same of any versions."""
    return text(f"NOTIFY {TOKENS_CHANNEL}")
