"""A process that uses a home until told otherwise: `python -m tests.database.home_owner HOME`."""

import sys
import time
from pathlib import Path

from arena.database.embedded import EmbeddedPostgres


def main() -> None:
    server = EmbeddedPostgres(Path(sys.argv[1], "postgres"), durable=False)
    with server as url:
        print("owner" if server.owned else "guest", url, flush=True)
        time.sleep(60)


if __name__ == "__main__":
    main()
