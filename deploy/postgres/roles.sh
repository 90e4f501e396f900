#!/bin/sh
# Makes the roles of docker-compose.yml's database, with their passwords. The image runs it when it
# makes the database. For a volume of an earlier release, or to change the passwords:
#
#   docker compose exec postgres /docker-entrypoint-initdb.d/roles.sh
set -eu
superuser=$POSTGRES_USER
# In earlier releases that was arena.
psql --username "$superuser" --dbname "$POSTGRES_DB" --command 'SELECT' >/dev/null 2>&1 ||
    superuser=arena
psql --quiet --set ON_ERROR_STOP=1 --username "$superuser" --dbname "$POSTGRES_DB" \
    --file "${ROLES_SQL:-/arena/roles.sql}"
psql --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\set owner `printf %s "$OWNER_PASSWORD"`
\set reader `printf %s "$READER_PASSWORD"`
\set worker `printf %s "$WORKER_PASSWORD"`
ALTER ROLE arena PASSWORD :'owner';
ALTER ROLE arena_reader PASSWORD :'reader';
ALTER ROLE arena_worker PASSWORD :'worker';
-- Without a password nobody connects as a superuser but from within the container.
ALTER ROLE postgres PASSWORD NULL;
SQL
